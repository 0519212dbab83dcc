// `shardscope calibrate`: fits constants to measured runs, nccl-tests logs and measurements of a GPU.
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "app/commands/command.h"
#include "app/commands/logs.h"
#include "evidence/calibration.h"
#include "evidence/fabric_fit.h"
#include "evidence/gpu_benchmark.h"
#include "evidence/missing_effects.h"
#include "evidence/nccl_log.h"
#include "evidence/validated.h"
#include "presets/calibration_file.h"
#include "system/file_io.h"
#include "text/encode.h"
#include "text/text.h"

namespace shardscope::commands {
namespace {

struct Options {
    std::string runs;
    std::vector<std::string> logs;  // of training
    LogOptions log_options;
    std::vector<std::string> collectives;
    std::string measurements;
    std::string cluster, gpu, software = "fsdp2";
    std::string output;
    std::string format = "text";
    bool from_scratch = false;
};

constexpr std::size_t kFewestRuns = 3;

// Returns the preset that an option names; adds a problem when there is none.
const Preset* preset_of(PresetKind kind, const std::string& option, const std::string& name,
                        const Catalogue& all, Problems& problems) {
    const Preset* found = all.find(kind, name);
    if (!found) {
        problems.push_back({option, "there is no preset “" + name + "”", "",
                            suggestion(name, all.names(kind), "see `shardscope presets list`")});
    }
    return found;
}

// Fits the constants of a fabric to nccl-tests logs.
void add_collectives(const Options& options, const Catalogue& all, std::vector<PartValues>& parts,
                     Problems& problems) {
    Scenario scenario = Scenario::first_launch(all);
    std::string part;
    if (!options.cluster.empty()) {
        const Preset* cluster = preset_of(PresetKind::cluster, "--cluster", options.cluster, all, problems);
        if (!cluster) {
            report(problems, {});
            return;
        }
        scenario = with_cluster(scenario, *cluster);
        if (cluster->calibration) part = cluster->calibration->name;
    }
    const Settings settings = resolve(scenario);
    if (options.cluster.empty()) {
        print_err(
            "note: the logs are read as shares of a DGX H100's links, %s and %s; name another machine with "
            "--cluster\n",
            format(P::intra_node_bandwidth, settings[P::intra_node_bandwidth]).c_str(),
            format(P::inter_node_bandwidth, settings[P::inter_node_bandwidth]).c_str());
    }
    std::vector<CollectiveTable> tables;
    for (const std::string& log : options.collectives) {
        const std::vector<CollectiveTable> read = read_log(log);
        if (read.empty()) problems.push_back({log, "has no table that can be used", "", {}});  // was reported
        tables.insert(tables.end(), read.begin(), read.end());
    }
    if (!problems.empty()) return;
    const FabricFit fitted =
        fit_fabric(tables, {settings[P::intra_node_bandwidth], settings[P::inter_node_bandwidth]}, problems);
    if (!problems.empty()) {
        report(problems, "--collectives");
        return;
    }
    PartValues values{part, {}};
    print_out("fabric: %d measured collectives, fitted with an error of %.0f %% (rms)\n", fitted.points,
              100 * fitted.rms_log_error);
    for (const FabricConstant& constant : fitted.constants) {
        print_out("  %-24s %s%s\n", std::string(field_of(constant.id)).c_str(),
                  format(constant.id, constant.value).c_str(),
                  constant.identified ? "" : "  (not identified: stays at its default)");
        if (constant.identified) values.values.emplace_back(constant.id, constant.value);
        if (constant.identified && constant.at_limit) {
            print_err(
                "warning: %s is at the end of its range; is the nominal bandwidth right? An "
                "all-reduce in the "
                "switch moves less than a ring does, so give an all-gather\n",
                std::string(field_of(constant.id)).c_str());
        }
    }
    parts.push_back(values);
    // A table of runs does not name the fabric; runs that are given along with the logs used the logs'
    // fabric.
    if (!options.runs.empty() && !part.empty()) parts.push_back({"", values.values});
}

// Fits the constants of a GPU to the file of the measuring script.
void add_measurements(const Options& options, const Catalogue& all, std::vector<PartValues>& parts,
                      Problems& problems) {
    if (options.gpu.empty()) {
        problems.push_back({"--measurements", "the GPU preset of the measurements is missing", "",
                            "add --gpu PRESET, such as --gpu h100-sxm-80gb"});
        report(problems, {});
        return;
    }
    const Preset* gpu = preset_of(PresetKind::gpu, "--gpu", options.gpu, all, problems);
    if (!gpu) {
        report(problems, {});
        return;
    }
    const std::string text = read_text(options.measurements, problems);
    GpuBenchmark measured;
    if (problems.empty()) measured = read_gpu_benchmark(text, problems);
    NominalRates nominal;
    for (const auto& [id, value] : gpu->values) {
        if (id == P::peak_flops_bf16) nominal.peak_bf16 = value;
        if (id == P::peak_flops_fp16) nominal.peak_fp16 = value;
        if (id == P::peak_flops_fp32) nominal.peak_fp32 = value;
        if (id == P::memory_bandwidth) nominal.memory_bandwidth = value;
    }
    Scenario on_gpu = Scenario::first_launch();
    on_gpu.catalogue = &all;
    on_gpu.gpu = gpu;
    // The kernels of the script are written for the GPU, which may be faster than any published one.
    nominal.attention = {resolve(on_gpu)[P::attention_half_head], 1};
    KernelFit fitted;
    if (problems.empty()) fitted = fit_kernels(measured, nominal, problems);
    if (!problems.empty()) {
        report(problems, options.measurements);
        return;
    }
    PartValues values{gpu->calibration ? gpu->calibration->name : std::string(), {}};
    print_out("%s: %zu kernel times, fitted with an error of %.0f %% (rms)\n", measured.gpu.c_str(),
              fitted.used, 100 * fitted.rms);
    // The script measured the attention kernel of its software stack. The GPU's own efficiency is the
    // measured efficiency divided by the stack's factor.
    Scenario scenario = Scenario::first_launch(all);
    scenario.give_software(options.software);
    if (const std::string& unknown = scenario.software_name; !unknown.empty())
        print_err("note: %s\n", unknown_software_sentence(unknown).c_str());
    const double generation = resolve(scenario)[P::attention_generation];
    for (KernelConstant& constant : fitted.constants) {
        if (constant.id == P::attention_efficiency)
            constant.value = std::min(constant.value / generation, parameter(constant.id).maximum);
        print_out("  %-24s %s%s\n", std::string(field_of(constant.id)).c_str(),
                  format(constant.id, constant.value).c_str(),
                  constant.identified() ? "" : "  (not identified: stays at its default)");
        if (constant.identified()) values.values.emplace_back(constant.id, constant.value);
    }
    parts.push_back(values);
}

void print_summary(const char* title, const CrossValidation& errors) {
    if (errors.summary.empty()) return;
    print_out("\n%-28s %5s %8s %8s %8s %8s %8s\n", title, "runs", "folds", "mean", "median", "p90", "bias");
    for (const auto& [family, s] : errors.summary) {
        print_out("  %-26s %5d %7.1f%% %7.1f%% %7.1f%% %7.1f%% %+7.1f%%\n", family.c_str(), s.n,
                  100 * s.mean_over_folds, 100 * s.mean_abs_error, 100 * s.median_abs_error,
                  100 * s.p90_abs_error, 100 * s.bias);
    }
}

// Returns "–" where there is no value, because nothing could be left out.
std::string percent(double share) { return std::isfinite(share) ? format(share, Quantity::percent) : "–"; }

// The shares of runs in their likely range when their model, machine, family or stack was left out.
std::string shares_within(const Calibration& calibration) {
    return "new model " + percent(calibration.new_model.within_band) + ", model measured nowhere " +
           percent(calibration.unseen_model.within_band) + ", new machine " +
           percent(calibration.new_machine.within_band) + ", new family " +
           percent(calibration.new_family.within_band) + ", new stack " +
           percent(calibration.new_stack.within_band);
}

void print_calibration(const Calibration& calibration) {
    print_out("%-26s %-28s %12s %12s %6s\n", "part", "constant", "before", "fitted", "runs");
    for (const FittedConstant& constant : calibration.constants) {
        print_out("%-26s %-28s %12s %12s %6d\n", constant.part.empty() ? "everywhere" : constant.part.c_str(),
                  std::string(field_of(constant.id)).c_str(), format(constant.id, constant.prior).c_str(),
                  format(constant.id, constant.value).c_str(), constant.runs);
    }
    print_out("%zu constants from %zu runs\n", calibration.constants.size(), calibration.used.size());
    std::string names;
    for (const FittedConstant& constant : calibration.unidentified) {
        if (constant.runs == 0) continue;
        names += "\n  " + (constant.part.empty() ? std::string("everywhere") : constant.part) + " " +
                 std::string(field_of(constant.id));
    }
    if (!names.empty())
        print_err("warning: these runs do not identify the following constants, which keep their values:%s\n",
                  names.c_str());
    print_summary("fitted to", calibration.fitted);
    print_summary(calibration.single_model ? "cross-validated, run by run" : "cross-validated, new model",
                  calibration.new_model);
    print_summary("cross-validated, a model measured nowhere", calibration.unseen_model);
    print_summary("cross-validated, new machine", calibration.new_machine);
    print_summary("cross-validated, new family", calibration.new_family);
    print_summary("cross-validated, new stack", calibration.new_stack);
    if (!calibration.new_model.summary.empty())
        print_out("in their likely range: %s\n", shares_within(calibration).c_str());
}

void print_new_stacks(const std::vector<NewStack>& stacks) {
    print_out("\n%-28s %5s %8s %8s %8s\n", "new stack", "runs", "blind", "bias", "after 8");
    for (const NewStack& stack : stacks) {
        print_out("  %-26s %5d %7.1f%% %+7.1f%% %8s\n", stack.software.c_str(), stack.runs, 100 * stack.blind,
                  100 * stack.bias, percent(stack.calibrated).c_str());
    }
}

// Prints the tables of presets/runs/README.md.
void print_markdown(const Calibration& calibration, const std::vector<NewStack>& stacks) {
    print_out(
        "| family | runs | fitted: mean | new model: mean over folds | mean | median | 90th percentile | new "
        "machine: mean | model measured nowhere: mean | new family: mean |\n"
        "|---|---|---|---|---|---|---|---|---|---|\n");
    const auto mean_of = [](const CrossValidation& validation, const std::string& family) {
        const auto found = validation.summary.find(family);
        return found == validation.summary.end() ? std::string("–") : percent(found->second.mean_abs_error);
    };
    for (const auto& [family, s] : calibration.new_model.summary) {
        print_out("| %s | %d | %.1f %% | %.1f %% | %.1f %% | %.1f %% | %.1f %% | %s | %s | %s |\n",
                  markdown_text(family).c_str(), s.n,
                  100 * calibration.fitted.summary.at(family).mean_abs_error, 100 * s.mean_over_folds,
                  100 * s.mean_abs_error, 100 * s.median_abs_error, 100 * s.p90_abs_error,
                  mean_of(calibration.new_machine, family).c_str(),
                  mean_of(calibration.unseen_model, family).c_str(),
                  mean_of(calibration.new_family, family).c_str());
    }
    print_out(
        "\n%zu constants. Of the runs that were left out, these lie in their likely range of 80 %%: %s.\n\n",
        calibration.constants.size(), shares_within(calibration).c_str());
    print_out(
        "| an unseen stack | runs | blind: mean | bias | after eight of its runs "
        "|\n|---|---|---|---|---|\n");
    std::vector<double> blind, calibrated;
    for (const NewStack& stack : stacks) {
        print_out("| %s | %d | %.1f %% | %+.1f %% | %s |\n", markdown_text(stack.software).c_str(),
                  stack.runs, 100 * stack.blind, 100 * stack.bias, percent(stack.calibrated).c_str());
        blind.push_back(stack.blind);
        if (std::isfinite(stack.calibrated)) calibrated.push_back(stack.calibrated);
    }
    print_out("| mean of the stacks | | %s | | %s |\n", percent(summary_of(blind).mean_abs_error).c_str(),
              percent(summary_of(calibrated).mean_abs_error).c_str());
}

// Returns the runs of the table and of the logs. Sets the exit code if some of them cannot be used.
std::vector<MeasuredRun> read_all_runs(const Options& options, bool shipped, int& exit_code) {
    if (shipped) return shipped_runs();
    std::vector<MeasuredRun> runs;
    if (!options.runs.empty()) {
        Problems problems;
        const std::string text = read_text(options.runs, problems);
        if (problems.empty()) runs = read_runs(text, problems);
        report(problems, options.runs);
        if (!problems.empty()) exit_code = kUnusable;
    }
    for (const std::string& file : options.logs) {
        ImportedLog log = import_log(file, options.log_options);
        if (log.complete) runs.push_back(std::move(log.run));
        else exit_code = kUnusable;
    }
    return runs;
}

// Returns a problem for each option that completes training logs where there is none.
Problems unused_log_options(const Options& options) {
    Problems out;
    if (!options.logs.empty()) return out;
    const auto add = [&](const char* option) {
        out.push_back({option, "needs --log", "it states what a training log does not", "add --log LOG"});
    };
    if (!options.log_options.base.empty()) add("--on");
    if (!options.log_options.assignments.empty()) add("--set");
    return out;
}

// Returns where the runs are from: "runs.csv and 2 training logs".
std::string source_of_runs(const Options& options, const std::string& table) {
    const std::size_t count = options.logs.size();
    if (count == 0 || (count == 1 && options.runs.empty())) return table;
    const std::string logs = count == 1 ? options.logs.front() : std::to_string(count) + " training logs";
    return options.runs.empty() ? logs : table + " and " + logs;
}

int run(const Options& options) {
    Problems problems = unused_log_options(options);
    report(problems, {});
    if (!problems.empty()) return kUnusable;
    // A calibration from scratch uses the shipped runs unless others are given.
    const bool shipped = options.runs.empty() && options.logs.empty() && options.from_scratch;
    const std::string table = shipped                 ? "the shipped runs"
                              : !options.runs.empty() ? options.runs
                              : !options.logs.empty() ? options.logs.front()
                                                      : std::string();
    if (table.empty() && options.collectives.empty() && options.measurements.empty()) {
        report({{"", "nothing to calibrate on", "",
                 "give --runs F.csv, --log LOG, --collectives LOG or --measurements F.json"}},
               "calibrate");
        return kUnusable;
    }
    Catalogue own = Catalogue::uncalibrated();
    Catalogue& all = options.from_scratch ? own : catalogue();
    std::vector<PartValues> parts;
    if (!options.collectives.empty()) add_collectives(options, all, parts, problems);
    if (!options.measurements.empty() && problems.empty()) add_measurements(options, all, parts, problems);
    if (!problems.empty()) return kUnusable;
    all.adopt(parts, "measured");

    int exit_code = kDone;
    std::string source;
    if (!table.empty()) {
        const std::vector<MeasuredRun> runs = read_all_runs(options, shipped, exit_code);
        if (runs.empty()) return kUnusable;
        for (const std::string& name : unknown_software(runs))
            print_err("note: %s\n", unknown_software_sentence(name).c_str());
        const Calibration calibration =
            calibrate(runs, all, options.from_scratch ? CalibrationOptions{} : for_own_runs());
        for (const auto& skipped : calibration.skipped) {
            if (!skipped.unreadable) {
                if (!shipped) {
                    print_err("note: %s:%d: %s is not used (%s)\n", table.c_str(), skipped.run->line,
                              skipped.run->id.c_str(), skipped.reason.c_str());
                }
                continue;
            }
            report({{skipped.run->id, skipped.reason, "", {}, skipped.run->line}}, table);
            exit_code = kUnusable;
        }
        if (calibration.used.size() < kFewestRuns) {
            report({{"", std::to_string(calibration.used.size()) + " usable runs",
                     "too few to distinguish constants from noise",
                     "give at least " + std::to_string(kFewestRuns) + " with a step time or tokens/s"}},
                   table);
            return kUnusable;
        }
        if (calibration.constants.empty()) {
            report({{"", "no constant can be identified", "the runs are too similar or too few",
                     "add runs that differ in model size, sequence or scale"}},
                   table);
            return kUnusable;
        }
        const std::vector<NewStack> stacks =
            options.from_scratch ? new_stacks(runs, all) : std::vector<NewStack>{};
        if (options.format == "markdown") {
            print_markdown(calibration, stacks);
        } else {
            print_calibration(calibration);
            for (const std::string& sentence : missing_effects(calibration, all))
                print_err("warning: %s\n", sentence.c_str());
            if (!stacks.empty()) print_new_stacks(stacks);
        }
        for (const PartValues& part : parts_of(calibration)) {
            if (!part.part.empty() || options.from_scratch) parts.push_back(part);
        }
        source = std::to_string(calibration.used.size()) + " runs of " + source_of_runs(options, table);
        if (const auto found = calibration.new_model.summary.find(kAllRuns);
            found != calibration.new_model.summary.end())
            source +=
                "; cross-validated mean error " + format(found->second.mean_abs_error, Quantity::percent);
    }
    for (const std::string& log : options.collectives) source += (source.empty() ? "" : "; ") + log;
    if (!options.measurements.empty()) source += (source.empty() ? "" : "; ") + options.measurements;
    if (options.output.empty()) return exit_code;
    const int written =
        write_output(options.output, write_calibration(parts, "Calibration by shardscope calibrate", source));
    return written == kDone ? exit_code : written;
}

}  // namespace

void add_calibrate(Command& program) {
    auto options = std::make_shared<Options>();
    Command& command = program.add_command(
        "calibrate", "Constants of GPU, fabric and software stack from your own measurements");
    command.add_option("--runs", &options->runs, value::kFile, "A table of measured runs, CSV or JSON Lines");
    command.add_option(
        "--log", &options->logs, value::kFile,
        "A training log, which is one run; may be given several times. --on and --set add what "
        "the logs do not state");
    add_log_options(command, options->log_options);
    command.add_option("--collectives", &options->collectives, value::kFile,
                       "Output of nccl-tests; may be given several times");
    command.add_option("--measurements", &options->measurements, value::kFile,
                       "Output of resources/measure/measure_gpu.py");
    command.add_option("--cluster", &options->cluster, value::kCluster,
                       "Cluster preset the collectives were measured on");
    command.add_option("--software", &options->software, value::kSoftware,
                       "Stack whose attention kernel the measuring script ran");
    command.add_option("--gpu", &options->gpu, value::kGpu, "GPU preset the measuring script ran on");
    command.add_option("-o", &options->output, value::kFile,
                       "File for the calibration, for `validate --calibration` and scenarios");
    command.add_choice("--format", &options->format, {"text", "markdown"}, "text or markdown");
    command.add_flag("--from-scratch", &options->from_scratch,
                     "Start from priors instead of the shipped calibration, and also fit the constants that "
                     "all GPUs and stacks share");
    command.run = [options] { return run(*options); };
}

}  // namespace shardscope::commands
