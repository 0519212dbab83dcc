// `shardscope plan`: finds the best plans for a job and explains why their neighbours lose, in one search or
// in shards.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "app/commands/command.h"
#include "app/commands/progress.h"
#include "files/plan_file.h"
#include "system/file_io.h"
#include "system/jobs.h"
#include "text/text.h"

namespace shardscope::commands {
namespace {

struct Options {
    std::string file;
    std::vector<std::string> assignments;
    std::string free;
    std::string objective = "mfu";
    double top = 5;
    bool allow_risky = false;
    bool timing = false;
    std::vector<std::string> over;
    std::string threshold;
    std::string shard;
    std::vector<std::string> merge;
    std::string format = "text";
    std::string target;
};

ParameterSet parse_free(const std::string& keys, Problems& problems) {
    ParameterSet out;
    for (const std::string& part : split(keys, ',')) {
        const std::string key = trim(part);
        const std::optional<P> id = parse_key("--free " + key, key, problems);
        if (!id) continue;
        if (!parameter(*id).of_plan()) {
            problems.push_back({"--free " + key, "it is not a parameter of the training plan", "",
                                "sweep it, or solve for it"});
            continue;
        }
        out.set(index(*id));
    }
    return out;
}

int print(const PlanReport& found, const Options& options) {
    const bool json = options.format == "json";
    if (found.found() || json) {
        const int code = write_output(options.target, json ? plan_json(found) + "\n" : plan_text(found));
        if (code != kDone) return code;
    }
    if (found.found()) return kDone;
    print_err("%s\n", found.reason.c_str());
    return kNoSolution;
}

int merge(const Options& options) {
    Problems problems;
    std::vector<std::string> texts;
    for (const std::string& file : options.merge) {
        Problems own;
        texts.push_back(read_text(file, own));
        report(own, file);
        if (!own.empty()) return kUnusable;
    }
    PlanReport found;
    if (problems.empty()) found = merge_shards(texts, options.merge, catalogue(), problems);
    if (problems.empty()) return print(found, options);
    report(problems, {});
    return kUnusable;
}

int run(const Options& options) {
    Problems problems;
    if (!options.merge.empty()) {
        if (!options.file.empty())
            problems.push_back({options.file, "is given together with --merge",
                                "the shares contain their scenario", "leave it out"});
        if (problems.empty()) return merge(options);
    } else if (options.file.empty()) {
        problems.push_back({"", "the scenario file is missing", "", "add FILE, or --merge FILE…"});
    }
    if (!problems.empty()) {
        report(problems, {});
        return kUnusable;
    }
    PlanQuestion question;
    const auto scenario = load_job(options.file, options.assignments);
    if (!scenario) return kUnusable;
    question.scenario = *scenario;
    question.free = options.free.empty() ? free_of(question.scenario) : parse_free(options.free, problems);
    // Parameters that are not free have the user's values; those that were automatic keep their last value.
    question.scenario = without_mfu_override(locked(question.scenario));
    question.allow_risky = options.allow_risky;
    const std::vector<Output> objectives = parse_outputs(options.objective, problems);
    if (objectives.size() == 1) question.objective = objectives.front();
    else if (problems.empty())
        problems.push_back({"--objective " + options.objective, "is not one output", "", "name one"});
    constexpr double kMostPlans = 1e6;
    if (options.top < 1 || options.top > kMostPlans || options.top != std::floor(options.top))
        problems.push_back(
            {"--top", "is not a number of plans", "", "use a whole number from 1 to 1,000,000"});
    else question.top = static_cast<std::size_t>(options.top);
    GridQuestion grid{question, {}, {}, usable_threads()};
    grid.over = parse_axes(question.scenario, options.over, problems);
    constexpr double kMostPoints = 1e6;
    double points = 1;
    for (const Axis& axis : grid.over) points *= static_cast<double>(axis.values.size());
    if (points > kMostPoints)
        problems.push_back({"--over", format(points, Quantity::big_count) + " points are too many",
                            "every point is planned; at most 1,000,000 at once", "use fewer steps"});
    if (!options.threshold.empty()) grid.target = parse_target(options.threshold, problems);
    if (options.over.empty() && grid.target)
        problems.push_back({"--threshold", "there is no grid",
                            "the threshold applies at the grid's best point",
                            "add --over KEY=…, or use solve"});
    if (!options.over.empty() && !options.shard.empty())
        problems.push_back({"--over", "a grid has no shares", "", "give each process a part of the axis"});
    Shard shard;
    if (!options.shard.empty()) parse_shard(options.shard, shard, problems);
    if (!problems.empty()) {
        report(problems, {});
        return kUnusable;
    }
    if (!options.over.empty()) {
        GridReport found;
        {
            Progress progress("planning every point of the grid");
            found = grid_report(grid, progress.take());
        }
        const int code = write_output(options.target,
                                      options.format == "json" ? grid_json(found) + "\n" : grid_text(found));
        return code != kDone ? code : found.feasible > 0 ? kDone : kNoSolution;
    }
    if (!options.shard.empty())
        return write_output(options.target, shard_lines(question, shard, usable_threads()));
    const auto start = std::chrono::steady_clock::now();
    PlanReport found;
    {
        Progress progress("searching the plans");
        found = plan_report(question, usable_threads(), {}, progress.take());
    }
    if (options.timing) {
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
        print_err("{\"evaluated\": %s, \"seconds\": %s}\n", exact(found.evaluated).c_str(),
                  exact(took.count()).c_str());
    }
    return print(found, options);
}

}  // namespace

void add_plan(Command& program) {
    auto options = std::make_shared<Options>();
    Command& command = program.add_command(
        "plan", "The best plan for the model on the cluster, the runners-up, and why each neighbour loses");
    command.add_option("FILE", &options->file, value::kScenario, "Scenario; - reads standard input");
    add_assignments(command, options->assignments);
    std::vector<std::string> on_request;
    for (const P id : kPlanParameters) {
        if (parameter(id).on_request) on_request.emplace_back(field_of(id));
    }
    command.add_option(
        "--free", &options->free, value::kPlanKeys,
        "Plan parameters to choose; else those in `auto`, else all but " + joined(on_request, ", "));
    command.add_option("--objective", &options->objective, value::kOutput,
                       "Output to optimize; mfu by default");
    command.add_option("--top", &options->top, "COUNT", "Plans to show");
    command.add_flag("--allow-risky", &options->allow_risky,
                     "Also plans within the margin, which may or may not fit");
    command.add_choice("--format", &options->format, {"text", "json"}, "text or json");
    command.add_flag("--timing", &options->timing, "Plans evaluated and seconds, as JSON on standard error");
    command
        .add_option("--over", &options->over, value::kAxis,
                    "The best plan at every point of a grid: KEY=FROM:TO:STEPS[:log] or KEY=a,b,c")
        .repeated = true;
    command.add_option("--threshold", &options->threshold, value::kTarget,
                       "With --over: 'mfu>=0.5': the bandwidth and the memory that it needs");
    command.add_option("--shard", &options->shard, "I/N",
                       "Only the I-th of N blocks: its plans that fit, one per line");
    command.add_option("--merge", &options->merge, value::kFile,
                       "The files of all shares, to merge into one result");
    command.add_option("-o", &options->target, value::kFile, "Output file instead of standard output");
    command.run = [options] { return run(*options); };
}

}  // namespace shardscope::commands
