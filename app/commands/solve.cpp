// `shardscope solve`: finds the value of one input at which a target is met, or explains why there is none.
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/commands/command.h"
#include "app/commands/progress.h"
#include "explore/solve.h"
#include "presets/json_values.h"
#include "system/jobs.h"
#include "text/encode.h"
#include "text/text.h"

namespace shardscope::commands {
namespace {

struct Options {
    std::string file;
    std::vector<std::string> assignments;
    std::string id;
    std::string target;
    std::string from;
    std::string to;
    std::string format = "text";
};

double parse_end(std::optional<P> id, const std::string& option, const std::string& text,
                 Problems& problems) {
    if (text.empty() || !id) return std::nan("");
    const Parsed parsed = parse(*id, text);
    if (!parsed.ok) problems.push_back({option + " " + text, parsed.problem, "", parsed.suggestion});
    return parsed.ok ? parsed.value : std::nan("");
}

nlohmann::ordered_json value_json(P id, double value) {
    if (std::isnan(value)) return nullptr;
    return nlohmann::ordered_json(write_value(id, value));
}

std::string json_of(const Question& question, const Solution& found) {
    const P id = question.id;
    nlohmann::ordered_json out = nlohmann::ordered_json::object();
    out["name"] = question.scenario.title();
    out["for"] = std::string(parameter(id).key);
    out["target"] = text_of(question.target);
    out["value"] = value_json(id, found.value);
    out["end"] = !found.found() ? nlohmann::ordered_json(nullptr) : found.largest ? "largest" : "smallest";
    out["met"] = nlohmann::ordered_json::array();
    for (const MetRange& stretch : found.met) {
        out["met"].push_back({{"from", value_json(id, stretch.from)},
                              {"to", value_json(id, stretch.to)},
                              {"missed_below", value_json(id, stretch.below)},
                              {"missed_above", value_json(id, stretch.above)}});
    }
    out["searched"] = {value_json(id, found.low), value_json(id, found.high)};
    if (!found.target.is_fit()) out["target_value"] = found.target.value;
    out["reason"] =
        found.reason.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(found.reason);
    return json_text(out) + "\n";
}

std::string text_of(const Question& question, const Solution& found) {
    const P id = question.id;
    const auto shown = [id](double value) { return format(id, value); };
    std::string out = std::string(parameter(id).label) + " " + shown(found.value) + ": the " +
                      (found.largest ? "largest" : "smallest") + " at which " +
                      shardscope::text_of(question.target);
    if (question.target.of_best) out += ", " + shardscope::text_of(found.target);
    out += "\n";
    for (const MetRange& stretch : found.met)
        out += "  " + shardscope::text_of(id, stretch, question.target) + "\n";
    const Answer at_solution = answer(found.scenario);
    out += "  there: " + std::string(name_of(at_solution.estimate.verdict));
    for (const Output shown_output : {Output::peak_memory, Output::mfu, Output::tokens_per_s_per_gpu})
        out += ", " + std::string(output(shown_output).label) + " " +
               shardscope::text_of(shown_output, at_solution);
    return out + "\n";
}

int run(const Options& options) {
    const auto scenario = load_scenario(options.file, options.assignments);
    if (!scenario) return kUnusable;
    Problems problems;
    const std::optional<P> id = parse_key("--for " + options.id, options.id, problems);
    const Target target = parse_target(options.target, problems);
    const double low = parse_end(id, "--from", options.from, problems);
    const double high = parse_end(id, "--to", options.to, problems);
    if (low > high) problems.push_back({"--from " + options.from, "lies above --to", "", "swap the two"});
    if (!problems.empty()) {
        report(problems, {});
        return kUnusable;
    }
    const Question question{*scenario, *id, target, low, high, usable_threads()};
    Solution found;
    {
        Progress progress("solving");
        found = solve(question, {}, progress.take());
    }
    const bool json = options.format == "json";
    if (json) print_text(json_of(question, found));
    if (found.found()) {
        if (!json) print_text(text_of(question, found));
        return kDone;
    }
    print_err("%s\n", found.reason.c_str());
    for (const Alternative& way : alternatives(question)) {
        print_err("%s: %s %s\n", way.label.c_str(), std::string(parameter(*id).label).c_str(),
                  format(*id, way.solution.value).c_str());
    }
    return kNoSolution;
}

}  // namespace

void add_solve(Command& program) {
    auto options = std::make_shared<Options>();
    Command& command =
        program.add_command("solve", "The value of an input at which a target is met, or why there is none");
    command.add_option("FILE", &options->file, value::kScenario, "Scenario; - reads standard input")
        .required = true;
    command.add_option("--for", &options->id, value::kKey, "The input that is changed").required = true;
    command
        .add_option("--target", &options->target, value::kTarget,
                    "'FIELD>=VALUE', 'FIELD<=VALUE' or fits; "
                    "VALUE may be a share: 'mfu>=95 % of best'")
        .required = true;
    add_assignments(command, options->assignments);
    command.add_option("--from", &options->from, "VALUE", "Smallest value to search");
    command.add_option("--to", &options->to, "VALUE", "Largest value to search; for GPUs 16,384 by default");
    command.add_choice("--format", &options->format, {"text", "json"}, "text or json");
    command.run = [options] { return run(*options); };
}

}  // namespace shardscope::commands
