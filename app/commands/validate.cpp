// `shardscope validate`: compares predicted and measured runs.
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

#include "app/commands/command.h"
#include "evidence/coverage.h"
#include "evidence/validated.h"
#include "evidence/validation.h"
#include "presets/calibration_file.h"
#include "presets/json_values.h"
#include "system/file_io.h"
#include "text/encode.h"
#include "text/text.h"

namespace shardscope::commands {
namespace {

using nlohmann::ordered_json;

struct Options {
    std::string runs;
    std::string calibration;
    std::string format = "text";
};

ordered_json number(double value) { return value != 0 ? finite_number(value) : ordered_json(nullptr); }

// Returns the word for a quality; a row without a time has none.
std::string word_of(RunQuality quality) {
    return quality == RunQuality::none ? "no time" : std::string(name_of(quality));
}

ordered_json json_of(const MemorySummary& memory) {
    return {{"n", memory.n},
            {"mean_abs_error", memory.mean_abs_error},
            {"bias", memory.bias},
            {"full", memory.full},
            {"full_risky_or_worse", memory.full_warned}};
}

void print_memory(const char* name, const MemorySummary& memory) {
    if (memory.n + memory.full == 0) return;
    print_out("%-16s %5d %8s %7.1f%% %8s %8s %+7.1f%%   %d of %d\n", name, memory.n, "",
              100 * memory.mean_abs_error, "", "", 100 * memory.bias, memory.full_warned, memory.full);
}

void print_json(const Validation& validation) {
    ordered_json out = ordered_json::object();
    out["rows"] = ordered_json::array();
    for (const ValidationRow& row : validation.rows) {
        out["rows"].push_back({{"id", row.run->id},
                               {"family", row.run->family},
                               {"predicted_step_s", row.predicted_step},
                               {"measured_step_s", number(row.measured_step)},
                               {"error", finite_number(row.error)},
                               {"predicted_peak_bytes", row.predicted_peak},
                               {"measured_peak_bytes", number(row.run->peak.any())},
                               {"predicted_allocated_bytes", row.predicted.allocated},
                               {"predicted_reserved_bytes", row.predicted.reserved},
                               {"predicted_mfu", row.predicted_mfu},
                               {"quality", std::string(name_of(row.run->quality))},
                               {"verdict", std::string(name_of(row.verdict))},
                               {"measured_oom", row.run->out_of_memory},
                               {"band_low", row.band_low},
                               {"band_high", row.band_high}});
    }
    out["skipped"] = ordered_json::array();
    for (const auto& skipped : validation.skipped) {
        out["skipped"].push_back(
            {{"id", skipped.run->id}, {"line", skipped.run->line}, {"reason", skipped.reason}});
    }
    for (const auto& [family, s] : validation.summary) {
        out["summary"][family] = {{"n", s.n},
                                  {"mean_abs_error", s.mean_abs_error},
                                  {"median_abs_error", s.median_abs_error},
                                  {"p90_abs_error", s.p90_abs_error},
                                  {"bias", s.bias},
                                  {"within_band", s.within_band},
                                  {"folds", s.mean_over_folds}};
    }
    out["memory"] = json_of(validation.memory);
    for (std::size_t i = 0; i < kMemoryPeaks; ++i)
        out["memory"][std::string(name_of(static_cast<MemoryPeak>(i)))] =
            json_of(validation.memory_of_kind[i]);
    for (const auto& [quality, n] : validation.rows_of_quality) out["quality"][word_of(quality)] = n;
    print_out("%s\n", json_text(out).c_str());
}

void print_text(const Validation& validation) {
    print_out("%-16s %5s %8s %8s %8s %8s %8s %8s\n", "family", "runs", "folds", "mean", "median", "p90",
              "bias", "in band");
    for (const auto& [family, s] : validation.summary) {
        print_out("%-16s %5d %7.1f%% %7.1f%% %7.1f%% %7.1f%% %+7.1f%% %7.0f%%\n", family.c_str(), s.n,
                  100 * s.mean_over_folds, 100 * s.mean_abs_error, 100 * s.median_abs_error,
                  100 * s.p90_abs_error, 100 * s.bias, 100 * s.within_band);
    }
    std::string qualities;
    for (const auto& [quality, n] : validation.rows_of_quality)
        qualities += (qualities.empty() ? "" : ", ") + std::to_string(n) + " " + word_of(quality);
    if (!qualities.empty())
        print_out("\nQuality of the times: %s; only good ones weigh.\n", qualities.c_str());
    if (validation.memory.n + validation.memory.full > 0) {
        print_out("\n%-16s %5s %8s %8s %8s %8s %8s   %s\n", "peak memory", "runs", "", "mean", "", "", "bias",
                  "full memory: risky or worse");
        for (std::size_t i = 0; i < kMemoryPeaks; ++i)
            print_memory(std::string(name_of(static_cast<MemoryPeak>(i))).c_str(),
                         validation.memory_of_kind[i]);
        print_memory("all", validation.memory);
    }
    std::map<std::string, std::vector<const MeasuredRun*>> reasons;
    for (const auto& skipped : validation.skipped)
        reasons[skipped.run->family + ": " + skipped.reason].push_back(skipped.run);
    if (!validation.skipped.empty()) print_out("\nSkipped %zu runs:\n", validation.skipped.size());
    for (const auto& [reason, runs] : reasons) {
        const std::string of = runs.size() == 1 ? " (" + runs.front()->id + ")" : "";
        print_out("  %3zu  %s%s\n", runs.size(), reason.c_str(), of.c_str());
    }
}

int run(const Options& options) {
    Problems problems;
    if (options.format == "coverage") {
        print_out("%s", measured_coverage().c_str());
        return kDone;
    }
    if (!options.calibration.empty()) {
        const std::string text = read_text(options.calibration, problems);
        std::vector<PartValues> parts;
        if (problems.empty()) parts = read_calibration(text, problems);
        if (problems.empty()) {
            for (const std::string& part : catalogue().adopt(parts, options.calibration)) {
                problems.push_back({"/parts/" + part, "there is no part with this name", "",
                                    suggestion(part, catalogue().names(PresetKind::calibration),
                                               "see `shardscope presets list --kind calibration`")});
            }
        }
        if (!problems.empty()) {
            report(problems, options.calibration);
            return kUnusable;
        }
    }
    std::vector<MeasuredRun> own;
    if (!options.runs.empty()) {
        const std::string text = read_text(options.runs, problems);
        if (problems.empty()) own = read_runs(text, problems);
        report(problems, options.runs);
        if (own.empty()) return kUnusable;
        for (const std::string& name : unknown_software(own))
            print_err("note: %s\n", unknown_software_sentence(name).c_str());
    }
    const Validation validation = validate(options.runs.empty() ? shipped_runs() : own, catalogue());
    for (const auto& skipped : validation.skipped) {
        if (!skipped.unreadable) continue;
        problems.push_back({skipped.run->id, skipped.reason, "", {}, skipped.run->line});
        report({problems.back()}, options.runs);
    }
    if (options.format == "json") {
        print_json(validation);
    } else {
        print_text(validation);
    }
    return problems.empty() ? kDone : kUnusable;
}

}  // namespace

void add_validate(Command& program) {
    auto options = std::make_shared<Options>();
    Command& command =
        program.add_command("validate", "Predicted against measured runs; by default the shipped ones");
    command.add_option("--runs", &options->runs, value::kFile, "Your own table of runs, CSV or JSON Lines");
    command.add_option("--calibration", &options->calibration, value::kFile, "A calibration file");
    command.add_choice("--format", &options->format, {"text", "json", "coverage"},
                       "text, json, or coverage: the settings of the shipped runs");
    command.run = [options] { return run(*options); };
}

}  // namespace shardscope::commands
