// Runs one workload of the engine once under callgrind for `./dev count`. Without an argument it prints the
// names of all workloads and how often each repeats its work, by which its count is divided.
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "bench/counted.h"
#include "bench/workloads.h"
#include "explore/map.h"
#include "planner/answer.h"

using namespace shardscope;
using namespace shardscope::bench;

namespace {

struct Piece {
    int repeats = 1;
    std::function<std::function<void()>()> prepare;  // returns the work to count
};

// Keeps the compiler from removing an unused result.
template <typename Result>
void keep(const Result& result) {
    asm volatile("" : : "r"(&result) : "memory");
}

Piece estimate_of(Scenario (*scenario)()) {
    return {1000, [scenario] {
                const auto compiled = std::make_shared<Compiled>(compile(resolve(scenario())));
                return [compiled] { keep(estimate(*compiled)); };
            }};
}

Piece answer_of(Scenario (*scenario)()) {
    return {1000, [scenario] {
                const auto scratch = std::make_shared<Answer>();
                return [scratch, from = scenario()] { keep(answer_into(from, *scratch)); };
            }};
}

Piece tracks_of(Scenario (*scenario)()) {
    return {1, [scenario] {
                return [from = scenario(), sliders = sliders_of(scenario())] {
                    for (const auto& [id, scale] : sliders) keep(track(from, id, scale, {}));
                };
            }};
}

Piece search_of(Scenario (*scenario)()) {
    return {1, [scenario] {
                return [settings = resolve(scenario())] {
                    keep(search_plans(settings, default_free_parameters(), plan_options(1)));
                };
            }};
}

const std::map<std::string, Piece> kPieces{
    {"estimate_fsdp_13b", estimate_of(fsdp_13b)},
    {"estimate_gpt3_175b", estimate_of(gpt3_175b_3d)},
    {"answer_fsdp_13b", answer_of(fsdp_13b)},
    {"answer_gpt3_175b", answer_of(gpt3_175b_3d)},
    {"map_96_by_96",
     {1,
      [] {
          const Scenario scenario = locked(fsdp_13b());
          return [scenario, axes = map_axes(scenario)] { keep(wall_map(scenario, axes.first, axes.second)); };
      }}},
    {"painted_tracks_fsdp_13b", tracks_of(fsdp_13b)},
    {"painted_tracks_gpt3_175b", tracks_of(gpt3_175b_3d)},
    {"plan_deepseek_v3", search_of(deepseek_v3_on_2048_h800)},
    {"plan_search", search_of(gpt3_175b_on_512_a100)},
};

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        for (const auto& [name, piece] : kPieces) std::printf("%s %d\n", name.c_str(), piece.repeats);
        return 0;
    }
    const auto found = kPieces.find(argv[1]);
    if (found == kPieces.end()) return 2;
    const std::function<void()> work = found->second.prepare();
    work();  // excludes what is created on first use
    shardscope_counted([&] {
        for (int i = 0; i < found->second.repeats; ++i) work();
    });
    return 0;
}
