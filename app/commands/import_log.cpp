// `shardscope import log`: training logs as measured runs, beside the prediction and what would explain the
// difference.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "app/commands/logs.h"
#include "evidence/ranked_causes.h"
#include "evidence/validation.h"
#include "files/scenario_file.h"
#include "scenario/with_preset.h"
#include "text/encode.h"
#include "text/text.h"

namespace shardscope::commands {
namespace {

struct Options {
    std::vector<std::string> logs;
    LogOptions reading;
    std::string format = "text";
};

std::string signed_percent(double share) {
    return (share >= 0 ? "+" : "−") + format(std::fabs(share), Quantity::percent);
}

void print_left_out(const TrainingLog& log) {
    const logs::LeftOutSteps& out = log.steady.left_out;
    struct Reason {
        std::size_t count;
        const char* why;
    };
    std::vector<std::string> texts;
    for (const Reason& reason :
         {Reason{out.earlier_start, "of an earlier start with other settings"},
          Reason{out.other_batch, "with another batch"}, Reason{out.restart, "after a restart"},
          Reason{out.evaluation, "after an evaluation"}, Reason{out.checkpoint, "after a checkpoint"},
          Reason{out.warm_up, "of warm-up"}, Reason{out.outliers, "as outliers"}}) {
        if (reason.count == 0) continue;
        texts.push_back(std::to_string(reason.count) + " " + reason.why);
    }
    print_out("  steady state        %zu of %zu logged steps%s%s\n", log.steady.used(), log.steady.logged,
              texts.empty() ? "" : "; left out: ", joined(texts, ", ").c_str());
}

// Prints the steps and the peaks that the log states. Times need the batch of the scenario if the log states
// rates.
void print_measured(const TrainingLog& log, const Settings* settings) {
    if (log.whole_run) print_out("  whole run           the mean, with evaluation and checkpoints\n");
    else if (log.steady.logged > 0) print_left_out(log);
    const logs::SteadyState& steps = log.steady;
    if (steps.median > 0 && (settings || log.unit == StepUnit::seconds)) {
        const double factor = settings ? log.seconds(*settings) : 1;
        print_out("  step time           %s, 80 %% of the steps in %s to %s\n",
                  format(factor * steps.median, Quantity::seconds).c_str(),
                  format(factor * steps.low, Quantity::seconds).c_str(),
                  format(factor * steps.high, Quantity::seconds).c_str());
    } else if (steps.median > 0) {
        print_out("  throughput          %s %s, 80 %% of the steps in %s to %s\n",
                  format(1 / steps.median, Quantity::count).c_str(),
                  log.unit == StepUnit::seconds_per_token   ? "tokens/s/GPU"
                  : log.unit == StepUnit::seconds_per_batch ? "batches/s"
                                                            : "sequences/s",
                  format(1 / steps.high, Quantity::count).c_str(),
                  format(1 / steps.low, Quantity::count).c_str());
    }
    for (const auto& [part, seconds] : log.contents.parts)
        print_out("  of which %-10s %s\n", part.c_str(), format(seconds, Quantity::seconds).c_str());
    constexpr std::array<const char*, logs::kPeaks> kNames{"peak allocated", "peak reserved", "peak device"};
    for (std::size_t i = 0; i < logs::kPeaks; ++i) {
        const logs::StatedNumber& peak = log.contents.peaks[i];
        if (peak.value > 0)
            print_out("  %-20s%s (line %d)\n", kNames[i], format(peak.value, Quantity::bytes).c_str(),
                      peak.line);
    }
    if (log.contents.out_of_memory_line > 0)
        print_out("  out of memory       line %d\n", log.contents.out_of_memory_line);
}

void print_settings(const ImportedLog& imported) {
    const logs::LogContents& contents = imported.log.contents;
    const Scenario& scenario = imported.scenario;
    print_out("settings\n");
    TextRows rows;
    const auto line_text = [](int line) { return line > 0 ? "line " + std::to_string(line) : std::string(); };
    if (!contents.device.empty()) rows.push_back({"  GPU", contents.device, line_text(contents.device_line)});
    if (scenario.model) rows.push_back({"  model", scenario.model_title(), ""});
    const Settings settings = resolve(scenario);
    for (std::size_t i = 0; i < kParameters; ++i) {
        const P id = static_cast<P>(i);
        if (!scenario.is_given(id)) continue;
        rows.push_back({"  " + std::string(field_of(id)), written(id, settings[id]),
                        line_text(line_of_value(imported.log, imported.stated, scenario, id))});
    }
    // Settings whose parameter depends on several keys are shown as the log has them.
    for (const logs::StatedKey& key : contents.torchtitan)
        rows.push_back({"  " + key.key, key.value, line_text(key.line)});
    print_text(text_table(rows));
}

// Returns the prediction for a run that ran out of memory.
const char* predicted_memory(Verdict verdict) {
    switch (verdict) {
        case Verdict::fits: break;
        case Verdict::risky: return "the prediction was that it might";
        case Verdict::does_not_fit: return "the prediction was the same";
    }
    return "the prediction was that it fits";
}

void print_comparison(const ImportedLog& imported, const Answer& predicted) {
    const ValidationRow& row = imported.row;
    TextRows rows{{"", "measured", "predicted", "difference"}};
    const auto add = [&](const char* what, double measured, double prediction, Quantity quantity) {
        if (measured > 0)
            rows.push_back({what, format(measured, quantity), format(prediction, quantity),
                            signed_percent(prediction / measured - 1)});
    };
    const double tokens = row.tokens_per_gpu;
    add("  step time", row.measured_step, row.predicted_step, Quantity::seconds);
    if (row.measured_step > 0) {
        add("  tokens/s/GPU", tokens / row.measured_step, tokens / row.predicted_step, Quantity::count);
        add("  MFU", row.predicted_mfu * row.predicted_step / row.measured_step, row.predicted_mfu,
            Quantity::percent);
    }
    const MeasuredPeaks& peak = imported.run.peak;
    add("  peak allocated", peak.allocated, row.predicted.allocated, Quantity::bytes);
    add("  peak reserved", peak.reserved, row.predicted.reserved, Quantity::bytes);
    add("  peak device", peak.device, row.predicted.device, Quantity::bytes);
    print_out("comparison\n");
    print_text(text_table(rows));
    if (row.measured_step > 0) {
        const bool inside = row.measured_step >= row.band_low && row.measured_step <= row.band_high;
        print_out("  the measurement is %s the likely range, %s to %s\n", inside ? "inside" : "outside",
                  format(row.band_low, Quantity::seconds).c_str(),
                  format(row.band_high, Quantity::seconds).c_str());
    }
    if (imported.run.out_of_memory)
        print_out("  the run ran out of memory; %s\n", predicted_memory(predicted.estimate.verdict));
}

void print_causes(const Answer& predicted, const Measurement& measurement) {
    constexpr std::size_t kMost = 10;
    const std::vector<RankedCause> found = ranked_causes(predicted, measurement);
    const double predicted_step = predicted.estimate.step.total;
    if (found.empty() && std::fabs(predicted_step / measurement.value - 1) < kNegligibleDifference) {
        print_out("prediction and measurement differ by less than 1 %%; there is nothing to explain\n");
    } else if (found.empty()) {
        print_out("no single input explains the difference\n");
    } else {
        print_out("what would explain the difference, the most plausible first\n");
        TextRows rows{{"", "input", "now", "instead", "step time", "through", "deviations"}};
        for (std::size_t i = 0; i < std::min(kMost, found.size()); ++i) {
            const RankedCause& one = found[i];
            char deviations[32];
            std::snprintf(deviations, sizeof deviations, "%.1f", one.deviations);
            rows.push_back({"  " + std::to_string(i + 1),
                            std::string(field_of(one.id)) + (one.setting ? " (not stated)" : ""),
                            written(one.id, one.now), written(one.id, one.value),
                            format(one.step_time, Quantity::seconds), label_of(one.term), deviations});
        }
        print_text(text_table(rows));
    }
    print_out("terms of the step, and what each would have to be alone\n");
    TextRows rows{{"", "predicted", "needed"}};
    for (const TermGap& gap : term_gaps(predicted, measurement)) {
        rows.push_back({"  " + label_of(gap.term), format(gap.predicted, Quantity::seconds),
                        gap.needed < 0 ? "too short to explain it" : format(gap.needed, Quantity::seconds)});
    }
    print_text(text_table(rows));
}

int import_one(const Options& options, const std::string& file) {
    const bool json = options.format == "json";
    const ImportedLog imported = import_log(file, options.reading);
    if (!imported.is_log) return kUnusable;
    if (json) {
        if (imported.complete) print_out("%s\n", imported.line.c_str());
        return imported.complete ? kDone : kUnusable;
    }
    const Settings settings = resolve(imported.scenario);
    print_out("%s: %s\n", file.c_str(), imported.log.tool.c_str());
    print_measured(imported.log, imported.complete ? &settings : nullptr);
    print_settings(imported);
    if (!imported.complete) return kUnusable;
    const Answer predicted = answer(imported.scenario);
    print_comparison(imported, predicted);
    if (imported.run.step_time > 0)
        print_causes(predicted, {MeasuredKind::step_time, imported.run.step_time, settings[P::gpus]});
    return kDone;
}

int run(const Options& options) {
    int code = kDone;
    for (const std::string& file : options.logs) {
        if (options.format == "text" && &file != &options.logs.front()) print_out("\n");
        if (const int one = import_one(options, file); one != kDone) code = one;
    }
    return code;
}

// Sets all values that the user gives, so that none of them changes another one and their order does not
// count: the presets first, because they remove the values of their fields.
void complete(Scenario& scenario, const std::vector<std::string>& assignments, Problems& problems) {
    std::vector<Assignment> all;
    for (const std::string& assignment : assignments)
        if (const auto one = parse_assignment(assignment, *scenario.catalogue, problems)) all.push_back(*one);
    const auto rank = [](const Assignment& one) -> std::size_t {
        if (!one.preset) return 3 + index(one.id);
        return one.preset->kind == PresetKind::model ? 0 : one.preset->kind == PresetKind::cluster ? 1 : 2;
    };
    std::ranges::stable_sort(all, {}, rank);
    for (const Assignment& one : all)
        scenario = one.preset ? with_preset(scenario, *one.preset) : assigned(scenario, one);
}

// Says which values of the log others replace. A model replaces all of them that describe one.
void note_replaced(ImportedLog& imported) {
    const Settings now = resolve(imported.scenario);
    const Settings stated = resolve(imported.stated);
    for (std::size_t i = 0; i < kParameters; ++i) {
        const P id = static_cast<P>(i);
        const int line = imported.log.contents.line_of(id);
        if (line == 0 || parameter(id).group == Group::model || !imported.stated.is_given(id)) continue;
        if (!imported.scenario.is_given(id) || now[id] == stated[id]) continue;
        imported.notes.push_back("--set replaces " + std::string(field_of(id)) + " " +
                                 written(id, stated[id]) + " of line " + std::to_string(line) + " by " +
                                 written(id, now[id]));
    }
}

}  // namespace

void add_log_options(Command& command, LogOptions& options) {
    command.add_option("--on", &options.base, value::kScenario,
                       "Scenario that has what the logs do not state");
    add_assignments(command, options.assignments);
}

ImportedLog import_log(const std::string& file, const LogOptions& options) {
    ImportedLog out;
    Problems problems;
    std::optional<SavedScenario> base;
    if (!options.base.empty()) {
        base = load_scenario(options.base, {});
        if (!base) return out;
    }
    out.log = read_training_log_file(file, problems);
    out.is_log = problems.empty();
    if (problems.empty()) {
        LogScenario read = log_scenario(out.log, base ? &*base : nullptr, catalogue(), problems);
        out.scenario = out.stated = std::move(read.scenario);
        out.notes = std::move(read.notes);
    }
    if (problems.empty()) complete(out.scenario, options.assignments, problems);
    if (problems.empty()) note_replaced(out);
    if (problems.empty())
        for (const MissingInput& input : missing_inputs(out.scenario)) problems.push_back(problem_of(input));
    if (problems.empty()) problems = check_completed(out.log, out.stated, out.scenario);
    if (problems.empty())
        if (std::string why = contradiction(out.log, out.scenario); !why.empty())
            out.notes.push_back(std::move(why));
    for (const std::string& note : out.notes) print_err("note: %s\n", note.c_str());
    if (problems.empty()) {
        out.line = write_log_run(out.log, out.scenario, file);
        std::vector<MeasuredRun> runs = read_runs(out.line, problems);
        if (problems.empty() && runs.size() == 1) {
            out.run = std::move(runs.front());
            Validation compared = validate({out.run}, catalogue());
            if (compared.rows.size() == 1) out.row = compared.rows.front();
            for (const auto& skipped : compared.skipped) problems.push_back({"", skipped.reason, "", ""});
            out.row.run = nullptr;  // which pointed into the temporary list
        }
    }
    report(problems, file);
    out.complete = problems.empty();
    return out;
}

void add_import_log(Command& command) {
    auto options = std::make_shared<Options>();
    Command& log = command.add_command("log",
                                       "Training logs (Megatron-LM, Megatron-Bridge, torchtitan, NeMo, "
                                       "PyTorch Lightning, DeepSpeed, nanotron, "
                                       "Hugging Face Trainer, MLPerf) as measured runs, beside the "
                                       "prediction and what would explain the difference");
    log.add_option("LOG", &options->logs, value::kFile, "Output of the training; - reads standard input")
        .required = true;
    add_log_options(log, options->reading);
    log.add_choice("--format", &options->format, {"text", "json"},
                   "text, or json: a table of measured runs in JSON Lines");
    log.run = [options] { return run(*options); };
}

}  // namespace shardscope::commands
