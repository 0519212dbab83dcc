#include "launch/writing.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "explain/output.h"
#include "scenario/gpu_groups.h"
#include "scenario/valid_values.h"
#include "text/encode.h"
#include "text/text.h"
#include "text/translate.h"
#include "text/units.h"

namespace shardscope::launch {

bool is_compiled(const Settings& s) {
    const std::string software = written(P::software, s[P::software]);
    return software.ends_with("-compile") || software == "torchtitan";
}

std::string whole(double value) {
    constexpr double kMost = 9e18;
    return std::to_string(static_cast<long long>(std::round(std::fmin(value, kMost))));
}

std::string LaunchSettings::whole(P id) const { return launch::whole(s[id]); }

std::string LaunchSettings::named(P id) const {
    return translate(parameter(id).label) + " " + format(id, s[id]);
}

void LaunchSettings::note_missing_option(const LaunchFormat& tool, P id, const char* sentence,
                                         std::string_view written) {
    note(translate(sentence, {tool.label, named(id), written}));
}

void LaunchSettings::note_mismatches(const LaunchFormat& tool, bool writes_pattern) {
    if (s[P::layer_pattern] != 0 && !writes_pattern)
        note(translate("The layer pattern is not written; the file describes layers of one kind."));
    if (&tool != &kDeepspeed && is(P::sharding, Sharding::zero_pp))
        note_missing_option(
            tool, P::sharding,
            translatable("{1} has no option for “{2}”; ZeRO-3 is written, which neither rounds nor "
                         "keeps secondary shards of the weights."));
    if (&tool != &kDeepspeed && is(P::offload, Offload::optimizer_nvme))
        note_missing_option(
            tool, P::offload,
            translatable("{1} has no option for “{2}”; it offloads to the host's memory at most."));
    const std::string predicted = written(P::software, s[P::software]);
    if (predicted.starts_with(tool.stack) || tool.name.starts_with(predicted)) return;
    note(translate("The prediction is for the software {1}; for {2} choose {3}.",
                   {format(P::software, s[P::software]), tool.label,
                    format(P::software, parse(P::software, tool.stack).value)}));
}

namespace {

// Returns the file without comments, which contain the prediction, and the notes.
std::string content(const LaunchText& launch) {
    std::string out;
    for (const std::string& line : split(launch.text, '\n'))
        if (!line.starts_with('#')) out += line + "\n";
    return out + joined(launch.notes, "\n");
}

// Returns the values of a setting to compare the given one with: the usual one and, for a set, those without
// one of its members.
std::vector<double> other_values(const Scenario& scenario, P id, double here) {
    Scenario without = scenario;
    without.withdraw(id);
    std::vector<double> out{resolve(without)[id]};
    if (parameter(id).quantity != Quantity::set) return out;
    const auto set = static_cast<unsigned>(here);
    for (unsigned member = 1; member <= set; member *= 2)
        if ((set & member) != 0) out.push_back(set - member);
    return out;
}

// Returns whether launch files set the parameter: those of training and plan, and an assumption for which
// tools have an option.
bool is_of_plan(P id) {
    const Group group = parameter(id).group;
    return group == Group::training || group == Group::plan || id == P::parallel_loss;
}

// Returns whether the prediction is another one than that of the answer.
bool changes_prediction(const Answer& answer, const Scenario& changed) {
    const Answer other = shardscope::answer(changed);
    return other.estimate.step.total != answer.estimate.step.total ||
           other.estimate.memory.peak != answer.estimate.memory.peak;
}

}  // namespace

void note_unset(const LaunchFormat& tool, const Answer& answer, const std::string& file,
                LaunchText& written) {
    Answer named = answer;
    {
        // A title that is made of settings would be another one with other settings.
        const EnglishScope english;
        named.scenario.name = answer.scenario.title();
    }
    const std::string here = content(written);
    Answer other = named;
    const auto is_dropped = [&](P id, double value) {
        if (same_value(value, answer.settings[id])) return false;
        other.scenario = named.scenario;
        other.scenario.give(id, value);
        other.settings = resolve(other.scenario);
        return check(other.scenario, other.settings).empty() &&
               content(tool.write_file(other, file)) == here && changes_prediction(answer, other.scenario);
    };
    for (std::size_t i = 0; i < kParameters; ++i) {
        const P id = static_cast<P>(i);
        if (!is_of_plan(id) || !answer.scenario.is_given(id)) continue;
        const std::vector<double> values = other_values(answer.scenario, id, answer.settings[id]);
        if (std::ranges::none_of(values, [&](double value) { return is_dropped(id, value); })) continue;
        written.notes.push_back(translate("The file does not set “{1}”; choose it in {2}.",
                                          {LaunchSettings(answer).named(id), tool.label}));
    }
}

void LaunchSettings::note_fsdp2_limits() {
    if (is(P::offload, Offload::optimizer) || is(P::offload, Offload::optimizer_nvme))
        note(
            translate("FSDP2 offloads weights, gradients and optimizer together (CPUOffloadPolicy) or "
                      "nothing; no offload is written."));
    if (is(P::sharding, Sharding::zero2))
        note(translate(
            "FSDP2 has no ZeRO-2; the nearest equivalent is written: weights stay gathered from the "
            "forward to the backward pass."));
    if (is(P::recompute, kRecomputeSelective))
        note(
            translate("Recompute of only the attention core is a setting of the model; flash attention "
                      "always does it."));
}

std::string prediction(const Answer& answer) {
    const EnglishScope written;
    const std::string memory =
        text_of(Output::peak_memory, answer) + " of " + text_of(Output::capacity, answer) + " at peak";
    if (!answer.fits()) return "does not fit, " + memory;
    return text_of(Output::step_time, answer) + " a step, MFU " + text_of(Output::mfu, answer) + ", " +
           memory;
}

std::string header(const LaunchFormat& tool, const Answer& answer, const std::string& how_to_start) {
    const EnglishScope written;
    // The first two lines contain no text of the scenario. Python looks there for the encoding of a file, and
    // a title such as "coding: unicode_escape \n…" would turn a comment into code.
    std::string out = comment_line("Option names: " + std::string(tool.checked));
    out += comment_line("Predicted: " + prediction(answer));
    out += comment_line(answer.scenario.title() + ", by Shardscope " SHARDSCOPE_VERSION);
    return out + how_to_start;
}

std::string start_comment(const std::string& launcher, const std::string& program) {
    return comment_line("Start on every node:") + comment_line("  " + launcher + " \\") +
           comment_line("      " + program);
}

bool has_tpus(const Scenario& scenario) {
    const Preset* gpu = scenario.gpu_preset();
    return gpu && gpu->vendor == "google";
}

bool is_of_nvidia_or_amd(const Preset& gpu) {
    return gpu.vendor.empty() || gpu.vendor == "nvidia" || gpu.vendor == "amd";
}

double gpus_in_node(const Settings& s) { return std::fmin(s[P::gpus], s[P::gpus_used_per_node]); }

namespace {

constexpr double kMostInAHost = 16;

// Returns whether a node is a rack whose hosts are joined by NVLink switches.
bool is_rack(const Settings& s) {
    return s[P::gpus_per_node] > kMostInAHost && s.choice<Topology>(P::topology) == Topology::switched;
}

}  // namespace

std::string flex_backend(const Settings& s) { return is_rack(s) ? "hybridep" : "deepep"; }

Hosts hosts(const Settings& s) {
    // A tray of a GB200 or GB300 NVL72 rack, and a virtual machine on it, has 4 GPUs. Sources: those of the
    // presets gb200-nvl72 (18 trays of 4 GPUs) and azure-nd-gb200-v6.
    constexpr double kInATray = 4;
    const double used = gpus_in_node(s);
    const double gpus = is_rack(s) ? divisor_at_most(used, kInATray) : used;
    return {s[P::gpus] / gpus, gpus};
}

void note_hosts(LaunchSettings& plan) {
    const Settings& s = plan.s;
    if (is_rack(s)) {
        plan.note(
            translate("A node of the scenario, {1} GPUs, is a rack, whose hosts are assumed to have 4 GPUs; "
                      "{2} hosts are written, with {3} GPUs of each.",
                      {whole(s[P::gpus_per_node]), whole(hosts(s).nodes), whole(hosts(s).gpus)}));
    } else if (gpus_in_node(s) > kMostInAHost) {
        plan.note(translate(
            "A node of the scenario, {1} GPUs, is more than one host: start as many processes on each "
            "as it has GPUs.",
            {whole(gpus_in_node(s))}));
    }
}

std::string torchrun(LaunchSettings& plan) {
    const Hosts on = hosts(plan.s);
    note_hosts(plan);
    std::string out = "torchrun --nnodes=" + whole(on.nodes) + " --nproc-per-node=" + whole(on.gpus);
    if (on.nodes > 1) out += " --rdzv-backend=c10d --rdzv-endpoint=\"$HEAD_NODE:29500\"";
    return out;
}

double steps(const Answer& answer) {
    const Settings& s = answer.settings;
    if (s[P::training_tokens] <= 0) return 0;
    return std::ceil(s[P::training_tokens] / (s[P::global_batch] * s[P::sequence_length]));
}

}  // namespace shardscope::launch
