#include "explore/balanced_layout.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "schedules/schedule.h"
#include "step/layers.h"

namespace shardscope {
namespace {

double seconds_of(const Layers& layers, const LayerCounts& counts) {
    double out = 0;
    for (std::size_t i = 0; i < layers.kinds(); ++i)
        out += counts[i] * layers.of_kind[i].both_passes().total();
    return out;
}

std::string repeated(const std::string& symbol, std::size_t times) {
    return times == 1 ? symbol : symbol + "*" + std::to_string(times);
}
std::string layers_text(std::size_t count) { return repeated("t", count); }

// Returns the number of layers of each stage. `before[n]` is the time of the first n layers; `first` and
// `last` are what the stages at the ends compute besides.
std::vector<std::size_t> least_slowest(const std::vector<double>& before, std::size_t stages, double first,
                                       double last) {
    constexpr double kNever = std::numeric_limits<double>::infinity();
    const std::size_t layers = before.size() - 1;
    // The time of the slowest of the stages so far, by the number of their layers, and the layers of the last
    // of these stages.
    std::vector<double> slowest(layers + 1, kNever);
    slowest[0] = 0;
    std::vector<std::vector<std::size_t>> taken(stages, std::vector<std::size_t>(layers + 1));
    for (std::size_t stage = 0; stage < stages; ++stage) {
        const double end = (stage == 0 ? first : 0) + (stage + 1 == stages ? last : 0);
        std::vector<double> next(layers + 1, kNever);
        for (std::size_t to = stage + 1; to <= layers; ++to) {
            // A stage with more layers takes longer, so that the search ends with the first that takes too
            // long.
            for (std::size_t from = to; from-- > stage;) {
                const double own = before[to] - before[from] + end;
                if (own >= next[to]) break;
                const double time = std::max(slowest[from], own);
                if (time >= next[to]) continue;
                next[to] = time;
                taken[stage][to] = to - from;
            }
        }
        slowest = std::move(next);
    }
    std::vector<std::size_t> out(stages);
    for (std::size_t stage = stages, to = layers; stage-- > 0; to -= out[stage])
        out[stage] = taken[stage][to];
    return out;
}

}  // namespace

std::string balanced_layout(const Answer& answer) {
    const Settings& s = answer.settings;
    const LayerSequence sequence(s);
    const auto stages = static_cast<std::size_t>(s[P::pipeline_parallel]);
    if (!answer.valid() || s.listed() || sequence.kinds() < 2 || stages < 2 || s[P::virtual_stages] > 1 ||
        s[P::pipeline_layout] != 0 || !schedule_of(s).supports_uneven_stages())
        return {};
    const Layers layers(answer.compiled);
    std::vector<double> before;
    for (double n = 0; n <= sequence.layers(); ++n)
        before.push_back(seconds_of(layers, sequence.counts(0, n)));
    const double predictions = sequence.predictions();
    const double head =
        layers.head.both_passes().total() + predictions * layers.prediction.both_passes().total();
    const std::vector<std::size_t> counts =
        least_slowest(before, stages, layers.embedding.both_passes().total(), head);
    std::string out = "E" + layers_text(counts.front()) + "|";
    for (std::size_t i = 1; i + 1 < stages;) {
        std::size_t next = i;
        while (next + 1 < stages && counts[next] == counts[i]) ++next;
        const std::string stage = layers_text(counts[i]) + "|";
        out += next - i > 1 ? repeated("(" + stage + ")", next - i) : stage;
        i = next;
    }
    out += layers_text(counts.back());
    if (predictions > 0) out += repeated("m", static_cast<std::size_t>(predictions));
    return out + "L";
}

}  // namespace shardscope
