#include "evidence/runs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <mutex>
#include <set>
#include <tuple>

#include "estimate/estimate.h"
#include "evidence/coverage.h"
#include "evidence/run_csv.h"
#include "evidence/run_lines.h"
#include "scenario/gpu_groups.h"
#include "scenario/valid_values.h"
#include "system/embedded.h"
#include "text/text.h"
#include "text/translate.h"

namespace shardscope {

std::string MeasuredRun::cell(std::string_view name) const {
    const auto found = column.find(name);
    return found == column.end() ? std::string() : found->second;
}

std::string_view name_of(RunQuality quality) {
    constexpr std::array<std::string_view, 5> kNames{"good", "noisy", "tiny", "ambiguous", ""};
    return kNames[static_cast<std::size_t>(quality)];
}

std::string_view name_of(MemoryPeak kind) {
    constexpr std::array<std::string_view, kMemoryPeaks> kNames{"allocated", "reserved", "device"};
    return kNames[static_cast<std::size_t>(kind)];
}

bool is_run_table(std::string_view text) {
    const std::string_view first_line = text.substr(0, text.find('\n'));
    if (first_line.starts_with('{')) return first_line.find("\"measured\"") != std::string_view::npos;
    return is_run_header(first_line);
}

std::vector<MeasuredRun> read_runs(std::string_view text, Problems& problems) {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first != std::string_view::npos && text[first] == '[') {
        problems.push_back({"", translate("the table is a JSON array"),
                            translate("JSON Lines have one run on each line, without brackets"),
                            translate("write each run on a line of its own")});
        return {};
    }
    const bool lines = first != std::string_view::npos && text[first] == '{';
    return lines ? read_run_lines(text, problems) : read_run_csv(text, problems);
}

const std::vector<MeasuredRun>& shipped_runs() {
    static const std::vector<MeasuredRun> runs = [] {
        Problems problems;
        std::vector<MeasuredRun> read;
        for (const EmbeddedFile& file : embedded_files()) {
            const bool is_table = file.path.ends_with(".csv") || file.path.ends_with(".jsonl");
            if (!file.path.starts_with("runs/") || !is_table) continue;
            std::vector<MeasuredRun> more = read_runs(file.text, problems);
            std::ranges::move(more, std::back_inserter(read));
        }
        if (read.empty() || !problems.empty()) {
            std::fprintf(stderr, "shardscope: the shipped run table cannot be read\n");
            std::abort();
        }
        return read;
    }();
    return runs;
}

std::set<std::string> unknown_software(const std::vector<MeasuredRun>& runs) {
    std::set<std::string> out;
    for (const MeasuredRun& run : runs) {
        if (!run.software.empty() && !software_of(run.software)) out.insert(run.software);
    }
    return out;
}

namespace {

// Returns the GPUs of the usual node of a GPU; 0 for those in a torus, whose slices have any size.
double usual_domain(const Preset& gpu) {
    if (std::ranges::any_of(gpu.node, [](const auto& value) { return value.first == P::torus; })) return 0;
    for (const auto& [id, value] : gpu.node) {
        if (id == P::gpus_per_node) return value;
    }
    return 0;
}

// Reports a step time in which the GPUs cannot execute the FLOPs of the step.
void check_against_peak(const MeasuredRun& run, const Settings& settings, Problems& problems) {
    if (!(run.step_time > 0)) return;
    const Estimate predicted = estimate(compile(settings));
    const double share = predicted.hfu * predicted.step.total / run.step_time;
    if (!(share > 1)) return;
    problems.push_back(
        {run.scenario.empty() ? "/step_time_s" : "/measured/step_time_s",
         translate("the GPUs cannot execute the FLOPs of a step in {1}",
                   {format(run.step_time, Quantity::seconds)}),
         translate("that would need {1} of their peak FLOPS", {format(share, Quantity::percent)}),
         translate("correct the time, the batch, the model or the number of GPUs"), run.line});
}

}  // namespace

Scenario scenario_of(const MeasuredRun& run, const Catalogue& catalogue, Problems& problems) {
    problems.insert(problems.end(), run.problems.begin(), run.problems.end());
    if (!run.not_modelled.empty() && problems.empty())
        problems.push_back({"", translate("not modelled"), run.not_modelled, {}, run.line});
    if (!problems.empty()) return Scenario::first_launch(catalogue);
    Scenario scenario = run.scenario.empty() ? scenario_of_csv(run, catalogue, problems)
                                             : scenario_of_json(run, catalogue, problems);
    // For racks that are one NVLink domain (NVL72), some tables give the GPUs of a tray, four, as those of a
    // node.
    const double domain = scenario.gpu_preset() ? usual_domain(*scenario.gpu_preset()) : 0;
    if (domain > kLargestNode && resolve(scenario)[P::gpus_per_node] < kLargestNode)
        scenario.give(P::gpus_per_node, domain);
    // Jobs may not fill their nodes: a node then has the largest number of GPUs that divides the job's.
    const Settings asked = resolve(scenario);
    const double node = asked[P::gpus_used_per_node];
    if (asked[P::gpus] > node && !divides(node, asked[P::gpus]))
        scenario.give(P::gpus_used_per_node, divisor_at_most(asked[P::gpus], node));
    if (!problems.empty()) return scenario;
    const Settings settings = resolve(scenario);
    for (Problem& problem : check(scenario, settings)) {
        problem.line = run.line;
        if (!run.scenario.empty()) problem.where = "/scenario" + problem.where;
        problems.push_back(problem);
    }
    if (problems.empty()) check_against_peak(run, settings, problems);
    return scenario;
}

namespace {

// Returns the valid ones of the runs with their settings.
std::vector<PublicRun> with_settings(const std::vector<MeasuredRun>& runs) {
    std::vector<PublicRun> out;
    for (const MeasuredRun& run : runs) {
        Problems problems;
        const Settings settings = resolve(scenario_of(run, Catalogue::shipped(), problems));
        if (!problems.empty()) continue;
        const Compiled compiled = compile(settings);
        const double computed = run.tokens_per_s_per_gpu * compiled.flops_per_token / compiled.peak;
        out.push_back({.run = &run,
                       .settings = settings,
                       .parameters = compiled.parameters,
                       .mfu = run.mfu > 0 ? run.mfu : computed});
    }
    return out;
}

// Returns the lines of the text that contain all words.
std::string matching_lines(std::string_view text, const std::array<std::string, 3>& words) {
    std::string out;
    for (std::string_view left = text; !left.empty();) {
        const std::string_view line = left.substr(0, left.find('\n'));
        left.remove_prefix(std::min(left.size(), line.size() + 1));
        const auto has = [&](const std::string& word) { return line.find(word) != std::string_view::npos; };
        if (std::ranges::all_of(words, has)) (out += line) += '\n';
    }
    return out;
}

// Returns the shipped runs on a GPU that may have models of this width and depth. It reads only their lines
// in the files of the families that have some, because the window needs them for its first frame.
const std::vector<PublicRun>& runs_of_shape(const std::string& gpu, const Settings& shape) {
    struct Runs {
        std::vector<MeasuredRun> runs;
        std::vector<PublicRun> with_settings;
    };
    const double width = shape[P::hidden_size], layers = shape[P::layers];
    static std::mutex mutex;
    static std::map<std::tuple<std::string, double, double>, Runs> by_shape;
    const std::lock_guard lock(mutex);
    const auto [found, is_new] = by_shape.try_emplace({gpu, width, layers});
    if (!is_new) return found->second.with_settings;
    const std::set<std::string> families = families_with(gpu, shape, std::array{P::hidden_size, P::layers});
    if (families.empty()) return found->second.with_settings;
    Problems ignored;
    for (const EmbeddedFile& file : embedded_files()) {
        if (!file.path.starts_with("runs/")) continue;
        std::vector<MeasuredRun> more;
        if (file.path.ends_with(".csv")) {
            const std::string header(file.text.substr(0, file.text.find('\n') + 1));
            more = read_runs(header + matching_lines(file.text, {"," + gpu + ",", "," + exact(width) + ",",
                                                                 "," + exact(layers) + ","}),
                             ignored);
            std::erase_if(more, [&](const MeasuredRun& run) {
                return run.gpu != gpu || parse(P::hidden_size, run.cell("hidden")).value != width ||
                       parse(P::layers, run.cell("layers")).value != layers;
            });
        } else if (families.contains(std::filesystem::path(file.path).stem().string())) {
            const std::string lines =
                matching_lines(file.text, {"\"" + gpu + "\"", "\"hidden_size\":" + exact(width) + ",",
                                           "\"layers\":" + exact(layers) + ","});
            if (!lines.empty()) more = read_runs(lines, ignored);
        }
        std::ranges::move(more, std::back_inserter(found->second.runs));
    }
    found->second.with_settings = with_settings(found->second.runs);
    return found->second.with_settings;
}

}  // namespace

const std::vector<PublicRun>& public_runs() {
    static const std::vector<PublicRun> all = with_settings(shipped_runs());
    return all;
}

namespace {

bool is_same_model(const Settings& a, const Settings& b) {
    for (std::size_t i = 0; i < kParameters; ++i) {
        const P id = static_cast<P>(i);
        if (parameter(id).group != Group::model || a[id] == b[id]) continue;
        if (!std::isnan(a[id]) || !std::isnan(b[id])) return false;
    }
    return true;
}

}  // namespace

std::vector<ComparableRun> comparable_runs(const Answer& answer) {
    std::vector<ComparableRun> out;
    const Preset* gpu = answer.scenario.gpu_preset();
    if (!answer.valid() || !gpu) return out;
    const Settings& s = answer.settings;
    // A model that was imported is none of those that the runs name, unless the name or all its parameters
    // are equal.
    const Preset* model = answer.scenario.model;
    const bool own_model = !answer.scenario.model_name.empty() || (model && !model->path.empty());
    // The settings that must agree for `same_settings`.
    constexpr std::array kSame{P::software,
                               P::sequence_length,
                               P::micro_batch,
                               P::accumulation,
                               P::sharding,
                               P::recompute,
                               P::attention,
                               P::tensor_parallel,
                               P::sequence_parallel,
                               P::pipeline_parallel,
                               P::virtual_stages,
                               P::context_parallel,
                               P::async_tensor_parallel,
                               P::inter_node_bandwidth,
                               P::intra_node_bandwidth};
    // The precision must agree, too, because the MFU of another precision refers to another peak.
    constexpr std::array kModel{P::layers, P::hidden_size, P::ffn_size, P::precision};
    for (const PublicRun& other : runs_of_shape(gpu->name, s)) {
        if (other.run->gpu != gpu->name || !other.run->has_good_time()) continue;
        const auto same = [&](P id) { return other.settings[id] == s[id]; };
        const bool other_model =
            own_model && other.run->model != answer.scenario.model_name && !is_same_model(other.settings, s);
        if (!other_model && std::ranges::all_of(kModel, same))
            out.push_back(
                {other.run, std::ranges::all_of(kSame, same), other.mfu, other.settings[P::sequence_length]});
    }
    return out;
}

}  // namespace shardscope
