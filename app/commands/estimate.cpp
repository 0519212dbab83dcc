// `shardscope estimate`: prints one result per scenario.
#include <cstdio>
#include <string>
#include <vector>

#include "app/commands/command.h"
#include "files/result.h"
#include "files/scenario_file.h"

namespace shardscope::commands {
namespace {

struct Options {
    std::vector<std::string> files;
    std::vector<std::string> assignments;
    std::string format = "text";
    bool hypothetical = false;
    bool operators = false;
};

struct Entry {
    std::string file;
    Document document;
};

// Computes the result of one document, or its problems.
bool run_one(const Entry& entry, const Options& options, std::string& result, Problems& problems,
             std::string& name, std::string& to_report) {
    Scenario scenario = read_scenario(entry.document.text, catalogue(), input_folder(entry.file), problems);
    name = scenario.title();
    if (problems.empty()) {
        for (const std::string& assignment : options.assignments) assign(scenario, assignment, problems);
    }
    if (problems.empty()) {
        const Answer found = answer(scenario);
        problems = found.problems;
        to_report = scenario_to_report(found);
        if (problems.empty()) {
            result = options.format == "json"
                         ? result_json(found, options.hypothetical, options.operators) + "\n"
                         : result_text(found, options.hypothetical, options.operators);
        }
    }
    for (Problem& problem : problems) {
        if (problem.line == 0 && entry.document.line > 1) problem.line = entry.document.line;
        else if (problem.line > 0) problem.line += entry.document.line - 1;
    }
    return problems.empty();
}

int run(const Options& options) {
    std::vector<Entry> entries;
    bool unusable = false;
    for (const std::string& file : options.files) {
        Problems problems;
        const std::string text = read_input(file, problems);
        std::vector<Document> documents;
        if (problems.empty()) documents = split_documents(text, problems);
        report(problems, file);
        if (!problems.empty()) {
            unusable = true;
            entries.push_back({file, {}});
            entries.back().document.line = 0;
            continue;
        }
        for (Document& document : documents) entries.push_back({file, std::move(document)});
    }
    const bool several = entries.size() > 1;
    for (const Entry& entry : entries) {
        std::string result;
        std::string name = entry.file;
        std::string to_report;
        Problems problems;
        if (entry.document.line == 0) {
            problems.push_back({"", entry.file + " cannot be read", "", {}});
        } else if (!run_one(entry, options, result, problems, name, to_report)) {
            report(problems, entry.file);
            if (!to_report.empty()) std::fprintf(stderr, "%s\n", to_report.c_str());
            unusable = true;
        }
        if (problems.empty()) {
            print_text(result);
        } else if (several && options.format == "json") {
            print_text((invalid_json(name, problems) + "\n"));
        }
    }
    return unusable ? kUnusable : kDone;
}

}  // namespace

void add_estimate(Command& program) {
    auto options = std::make_shared<Options>();
    Command& command = program.add_command("estimate", "Estimates scenarios: memory, step time, MFU, walls");
    command.add_option("FILE", &options->files, value::kScenario, "Scenarios; - reads standard input")
        .required = true;
    add_assignments(command, options->assignments);
    command.add_choice("--format", &options->format, {"text", "json"}, "text or json");
    command.add_flag("--hypothetical", &options->hypothetical, "Also times for scenarios that do not fit");
    command.add_flag("--operators", &options->operators,
                     "Also every operator: its FLOPs, bytes, times and bound");
    command.run = [options] { return run(*options); };
}

}  // namespace shardscope::commands
