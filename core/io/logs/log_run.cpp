// Writes the run of a training log as a line of a table of measured runs.
#include <array>
#include <nlohmann/json.hpp>

#include "evidence/run_limits.h"
#include "files/scenario_file.h"
#include "logs/training_log.h"
#include "text/encode.h"
#include "text/translate.h"

namespace shardscope {
namespace {

using nlohmann::ordered_json;

// Returns a name for the run from its file: "runs/a b.log" is "a-b".
std::string run_id(const std::string& source) {
    std::string name = source.substr(source.rfind('/') + 1);
    if (const std::size_t dot = name.rfind('.'); dot != std::string::npos && dot > 0) name.resize(dot);
    for (char& c : name) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (!plain && c != '_' && c != '.') c = '-';
    }
    return name.empty() || name == "-" ? "log" : name;
}

}  // namespace

std::string contradiction(const TrainingLog& log, const Scenario& scenario) {
    const Settings settings = resolve(scenario);
    const double step = log.step_time(settings);
    if (step <= 0 || !check(scenario, settings).empty()) return {};
    const Compiled compiled = compile(settings);
    const double mfu = compiled.flops_per_token * settings[P::global_batch] * settings[P::sequence_length] /
                       settings[P::gpus] / step / compiled.peak;
    if (mfu <= 1) return {};
    std::string out = translate(
        "The step time of {1} contradicts the other values of the run: with {2} parameters, {3} sequences of "
        "{4} tokens, {5} GPUs and {6}, the MFU would be {7}.",
        {format(step, Quantity::seconds), format(compiled.parameters, Quantity::big_count),
         format(P::global_batch, settings[P::global_batch]),
         format(P::sequence_length, settings[P::sequence_length]), format(P::gpus, settings[P::gpus]),
         format(P::precision, settings[P::precision]), format(mfu, Quantity::percent)});
    if (log.model_tflops > 0)
        out += " " + translate("The log states {1} TFLOP/s per GPU, and the peak is {2}.",
                               {format(log.model_tflops, Quantity::count),
                                format(compiled.peak / 1e12, Quantity::count)});
    return out;
}

std::string write_log_run(const TrainingLog& log, const Scenario& scenario, const std::string& source) {
    ordered_json out = ordered_json::object();
    const Settings settings = resolve(scenario);
    out["id"] = run_id(source);
    out["family"] = "log";
    out["source"] = source;
    out["model_name"] = scenario.model ? scenario.model_title() : scenario.title();
    // A table of runs assumes another sharding than a scenario where none is stated.
    Scenario stated = scenario;
    stated.give(P::sharding, settings.choice<Sharding>(P::sharding));
    ordered_json written = ordered_json::parse(write_scenario(stated, false));
    for (const char* key : {"format", "version", "name"}) written.erase(key);
    out["scenario"] = written;
    ordered_json measured = ordered_json::object();
    // A step time outside of the limits of a table of runs comes from another batch than that of the log; it
    // is left out.
    const double step = log.step_time(settings);
    const double rate = settings[P::global_batch] * settings[P::sequence_length] / settings[P::gpus] / step;
    const bool plausible = step >= kShortestStep && step <= kLongestStep && rate <= kMostTokens;
    if (plausible) {
        measured["step_time_s"] = step;
        measured["tokens_per_s_per_gpu"] = rate;
    }
    if (log.model_tflops > 0) measured["model_tflops_per_gpu"] = log.model_tflops;
    constexpr std::array<const char*, logs::kPeaks> kNames{"peak_allocated_bytes", "peak_reserved_bytes",
                                                           "peak_device_bytes"};
    for (std::size_t i = 0; i < logs::kPeaks; ++i)
        if (log.contents.peaks[i].value > 0) measured[kNames[i]] = log.contents.peaks[i].value;
    if (log.contents.out_of_memory_line > 0) measured["out_of_memory"] = true;
    out["measured"] = measured;
    const std::string contradicting = contradiction(log, scenario);
    const RunQuality quality = contradicting.empty() ? log.quality() : RunQuality::ambiguous;
    if (plausible && !name_of(quality).empty()) out["quality"] = name_of(quality);
    std::string note = log.whole_run
                           ? log.tool + ", mean over the whole run"
                           : log.tool + ", median of " + std::to_string(log.steady.used()) + " of " +
                                 std::to_string(log.steady.logged) + " logged steps, 80 % of them in " +
                                 format(log.steady.low * log.seconds(settings), Quantity::seconds) + " to " +
                                 format(log.steady.high * log.seconds(settings), Quantity::seconds);
    if (!contradicting.empty()) note += ". " + contradicting;
    out["note"] = note;
    return json_text(out);
}

}  // namespace shardscope
