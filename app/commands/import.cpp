// `shardscope import`: converts files of other programs to presets.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/commands/command.h"
#include "evidence/fabric_fit.h"
#include "evidence/nccl_log.h"
#include "planner/answer.h"
#include "presets/calibration_file.h"
#include "presets/hf_config.h"
#include "system/file_io.h"
#include "text/encode.h"
#include "text/text.h"

namespace shardscope::commands {
namespace {

using nlohmann::ordered_json;

struct Options {
    std::vector<std::string> logs;
    std::string cluster;
    std::string intra_bandwidth;
    std::string inter_bandwidth;
    std::string name = "fabric-measured";
    int gpus_per_node = 0;  // 0: those on one host
    std::string config;
    std::string model_name;
};

// Returns the bandwidth in an option's text, or `fallback` if the text is empty.
double bandwidth(P id, const std::string& option, const std::string& text, double fallback,
                 Problems& problems) {
    if (text.empty()) return fallback;
    const Parsed parsed = parse(id, text);
    const Parameter& row = parameter(id);
    if (!parsed.ok) {
        problems.push_back({option, parsed.problem, "", parsed.suggestion});
    } else if (parsed.value < row.minimum || parsed.value > row.maximum) {
        problems.push_back(
            {option, format(id, parsed.value) + " is out of range",
             "a bandwidth lies between " + format(id, row.minimum) + " and " + format(id, row.maximum),
             "write it with its unit, such as " + format(id, row.fallback)});
    }
    return parsed.value;
}

FabricLinks links_of(const Options& options, Problems& problems) {
    Scenario scenario = Scenario::first_launch(catalogue());
    if (!options.cluster.empty()) {
        if (const Preset* cluster = catalogue().find(PresetKind::cluster, options.cluster)) {
            scenario = with_cluster(scenario, *cluster);
        } else {
            problems.push_back({"--cluster", "there is no such preset", "",
                                suggestion(options.cluster, catalogue().names(PresetKind::cluster),
                                           "see `shardscope presets list --kind cluster`")});
        }
    }
    const Settings settings = resolve(scenario);
    return {bandwidth(P::intra_node_bandwidth, "--intra-bandwidth", options.intra_bandwidth,
                      settings[P::intra_node_bandwidth], problems),
            bandwidth(P::inter_node_bandwidth, "--inter-bandwidth", options.inter_bandwidth,
                      settings[P::inter_node_bandwidth], problems)};
}

// Sets the number of nodes of each table. A node is an NVLink domain, which may have several hosts.
void regroup(std::vector<CollectiveTable>& tables, int gpus_per_node, Problems& problems) {
    for (CollectiveTable& table : tables) {
        if (table.ranks > gpus_per_node && table.ranks % gpus_per_node != 0) {
            problems.push_back(
                {"--gpus-per-node",
                 std::to_string(table.ranks) + " GPUs do not fill nodes of " + std::to_string(gpus_per_node),
                 "", "give the size of an NVLink domain", table.line});
            return;
        }
        table.nodes = std::max(1, table.ranks / gpus_per_node);
    }
}

std::string counted(std::size_t n, const std::string& what) {
    return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
}

std::string description_of(const std::vector<CollectiveTable>& tables, const FabricLinks& links) {
    std::string out = "nccl-tests: ";
    for (const CollectiveTable& table : tables) {
        out += std::string(name_of(table.operation)) + " over " + std::to_string(table.ranks) + " GPUs on " +
               counted(static_cast<std::size_t>(table.nodes), "node") + ", ";
    }
    return out + "as shares of " + format(P::intra_node_bandwidth, links.intra_node) + " and " +
           format(P::inter_node_bandwidth, links.inter_node) + " per GPU";
}

void print(const Options& options, const std::vector<CollectiveTable>& tables, const FabricLinks& links,
           const FabricFit& fit) {
    ordered_json out{{"format", "shardscope-preset"},   {"version", 1},
                     {"kind", "calibration"},           {"name", options.name},
                     {"title", "Measured fabric"},      {"source", description_of(tables, links)},
                     {"values", ordered_json::object()}};
    std::vector<std::string> left_out;
    for (const FabricConstant& constant : fit.constants) {
        const std::string field(field_of(constant.id));
        if (constant.identified) {
            out["values"][field] = round_to_four_digits(constant.value);
        } else {
            left_out.push_back(field);
        }
    }
    print_out("%s\n", json_text(out, 2).c_str());
    print_err("%s from %s; the fit has an error of %.0f %% (rms)\n",
              counted(out["values"].size(), "constant").c_str(),
              counted(static_cast<std::size_t>(fit.points), "measurement").c_str(), 100 * fit.rms_log_error);
    if (!left_out.empty())
        print_err("kept at their defaults, because the log does not identify them: %s\n",
                  joined(left_out, ", ").c_str());
    for (const FabricConstant& constant : fit.constants) {
        if (!constant.identified || !constant.at_limit) continue;
        print_err(
            "%s is at the end of its range: check the nominal bandwidth, or give an all-gather, as "
            "an all-reduce in the switch or over two nodes transfers less than a ring\n",
            std::string(field_of(constant.id)).c_str());
    }
}

int run(const Options& options) {
    Problems problems;
    const FabricLinks links = links_of(options, problems);
    report(problems, {});
    if (!problems.empty()) return kUnusable;
    std::vector<CollectiveTable> tables;
    for (const std::string& log : options.logs) {
        std::vector<CollectiveTable> read = read_log(log);
        if (read.empty()) return kUnusable;
        if (options.gpus_per_node > 0) regroup(read, options.gpus_per_node, problems);
        if (!problems.empty()) {
            report(problems, log);
            return kUnusable;
        }
        tables.insert(tables.end(), read.begin(), read.end());
    }
    const FabricFit fit = fit_fabric(tables, links, problems);
    if (!problems.empty()) {
        report(problems, options.logs.size() == 1 ? options.logs.front() : std::string());
        return kUnusable;
    }
    print(options, tables, links, fit);
    return kDone;
}

int import_model(const Options& options) {
    Problems problems;
    const std::string text = read_text(options.config, problems);
    ImportedModel model;
    if (problems.empty()) model = import_hf_config(text, options.model_name, problems);
    // Problems that a scenario with this model would have are reported here.
    const Preset* preset = nullptr;
    if (problems.empty()) preset = catalogue().add(model.preset, options.config, problems);
    Scenario scenario = Scenario::first_launch(catalogue());
    if (preset) {
        scenario = with_model(scenario, *preset);
        for (const Problem& problem : check(scenario, resolve(scenario))) {
            if (problem.where.starts_with("/model")) problems.push_back(problem);
        }
    }
    if (!problems.empty() || !preset) {
        report(problems, options.config);
        return kUnusable;
    }
    print_out("%s", model.preset.c_str());
    print_err("%s: %s parameters\n", model.name.c_str(),
              format(answer(scenario).compiled.parameters, Quantity::big_count).c_str());
    for (const std::string& note : model.notes) print_err("%s\n", note.c_str());
    return kDone;
}

}  // namespace

void add_import(Command& program) {
    auto options = std::make_shared<Options>();
    Command& command = program.add_command("import", "Files of other programs as presets and scenarios");
    command.fewest_commands = command.most_commands = 1;
    Command& nccl =
        command.add_command("nccl", "Logs of nccl-tests as the calibration of a fabric, on standard output");
    nccl.add_option("LOG", &options->logs, value::kFile,
                    "Output of all_gather_perf, all_reduce_perf, …; - reads standard input")
        .required = true;
    nccl.add_option("--cluster", &options->cluster, value::kCluster,
                    "Cluster preset whose bandwidths are the nominal ones");
    nccl.add_option("--intra-bandwidth", &options->intra_bandwidth, "BANDWIDTH",
                    "Nominal link inside a node per GPU and direction, such as 450GB/s");
    nccl.add_option("--inter-bandwidth", &options->inter_bandwidth, "BANDWIDTH",
                    "Nominal network per GPU and direction, such as 400Gbit/s");
    nccl.add_option("--gpus-per-node", &options->gpus_per_node, "INT",
                    "GPUs of an NVLink domain, where it holds several hosts (72 on NVL72)");
    nccl.add_option("--name", &options->name, "NAME", "The preset's name").check =
        [](const std::string& name) {
            return is_preset_name(name)
                       ? std::string()
                       : std::string("use letters, digits and . _ + -, a letter or digit first");
        };
    nccl.run = [options] { return run(*options); };
    Command& hf = command.add_command(
        "hf", "A model's config.json from Hugging Face as a model preset, on standard output");
    hf.add_option("CONFIG", &options->config, value::kFile,
                  "The file that is stored with the weights; - reads standard input")
        .required = true;
    hf.add_option("--name", &options->model_name, "NAME",
                  "The preset's name; by default the name in the file");
    hf.run = [options] { return import_model(*options); };
    add_import_launch(command);
    add_import_log(command);
}

}  // namespace shardscope::commands
