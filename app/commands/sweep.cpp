// `shardscope sweep`: any parameters against any outputs, as CSV or JSON Lines.
#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/commands/command.h"
#include "base/text.h"
#include "explore/sweep.h"
#include "files/csv.h"
#include "files/json_values.h"
#include "files/scenario_file.h"

namespace shardscope::commands {
namespace {

struct Options {
    std::string file;
    std::vector<std::string> assignments;
    std::vector<std::string> axes;
    std::string outputs = "mfu,tokens_per_s_per_gpu,step_time_s,memory.peak_bytes";
    std::string target;
    std::string shard;
};

struct Shard {
    std::size_t part = 1;
    std::size_t parts = 1;
    // Contiguous blocks: point `i` of `total` belongs to this part.
    [[nodiscard]] bool has(std::size_t i, std::size_t total) const { return i * parts / total == part - 1; }
};

bool parse_shard(const std::string& text, Shard& shard, Problems& problems) {
    const std::vector<std::string> parts = split(text, '/');
    const Parsed part = parse(parts[0], Quantity::count);
    const Parsed count = parts.size() == 2 ? parse(parts[1], Quantity::count) : Parsed{};
    const auto whole = [](const Parsed& p) {
        return p.ok && p.value >= 1 && p.value == std::floor(p.value) && p.value <= 1e9;
    };
    if (!whole(part) || !whole(count) || part.value > count.value) {
        problems.push_back(
            {"--shard " + text, "is no share", "", "write I/N with 1 ≤ I ≤ N, for instance 2/8"});
        return false;
    }
    shard.part = static_cast<std::size_t>(part.value);
    shard.parts = static_cast<std::size_t>(count.value);
    return true;
}

std::string csv_header(const std::vector<Axis>& axes, const std::vector<Output>& outputs) {
    std::string out;
    for (const Axis& axis : axes) out += std::string(parameter(axis.id).key) + ",";
    for (const Output id : outputs) out += std::string(output(id).path) + ",";
    return out + "verdict\n";
}

std::string axis_text(P id, double value) {
    const nlohmann::json written = write_value(id, value);
    return written.is_string()    ? written.get<std::string>()
           : written.is_boolean() ? (value != 0 ? "true" : "false")
                                  : exact(value);
}

int run(const Options& options) {
    Scenario scenario;
    if (!load_scenario(options.file, options.assignments, scenario)) return kUnusable;
    Problems problems;
    std::vector<Axis> axes;
    for (const std::string& text : options.axes) axes.push_back(parse_axis(scenario, text, problems));
    double points = 1;
    for (std::size_t a = 0; a < axes.size(); ++a) {
        points *= static_cast<double>(axes[a].values.size());
        for (std::size_t b = 0; b < a; ++b) {
            if (axes[a].id != P::count && axes[a].id == axes[b].id) {
                problems.push_back({"--axis " + options.axes[a], "the parameter has an axis already", "",
                                    "list its values in one: KEY=a,b,c"});
            }
        }
    }
    constexpr double kMostPoints = 1e7;
    if (points > kMostPoints) {
        problems.push_back({"--axis", format(points, Quantity::big_count) + " points are too many",
                            "at most 10,000,000 at once", "use fewer steps"});
    }
    const std::vector<Output> fields = parse_outputs(options.outputs, problems);
    Shard shard;
    if (!options.shard.empty()) parse_shard(options.shard, shard, problems);
    const bool json = options.target.ends_with(".jsonl");
    if (!options.target.empty() && !json && !options.target.ends_with(".csv")) {
        problems.push_back(
            {"-o " + options.target, "the ending decides the format", "", "end it in .csv or .jsonl"});
    }
    if (!problems.empty()) {
        report(problems, {});
        return kUnusable;
    }
    std::size_t total = 1;
    for (const Axis& axis : axes) total *= axis.values.size();

    std::string out;
    if (!json && shard.part == 1) out += csv_header(axes, fields);
    std::size_t i = 0;
    for_each_point(scenario, axes, [&](const std::vector<std::size_t>& at, const Answer& point, bool valid) {
        if (!shard.has(i++, total)) return;
        const std::string verdict = valid ? std::string(name_of(point.estimate.verdict)) : "invalid";
        nlohmann::ordered_json line;
        for (std::size_t a = 0; a < axes.size(); ++a) {
            const double value = axes[a].values[at[a]];
            if (json) line[std::string(parameter(axes[a].id).key)] = write_value(axes[a].id, value);
            else out += csv_field(axis_text(axes[a].id, value)) + ",";
        }
        for (const Output id : fields) {
            double value = valid ? value_of(id, point) : std::nan("");
            const bool wall = id == Output::wall && valid;
            if (json) {
                auto& place = line[std::string(output(id).path)];
                if (wall) place = std::string(name_of(point.estimate.wall));
                else if (std::isfinite(value)) place = value;
                else place = nullptr;
            } else {
                out += (wall                   ? std::string(name_of(point.estimate.wall))
                        : std::isfinite(value) ? exact(value)
                                               : std::string()) +
                       ",";
            }
        }
        if (json) {
            line["verdict"] = verdict;
            out += line.dump() + "\n";
        } else {
            out += verdict + "\n";
        }
    });
    if (options.target.empty()) {
        std::fputs(out.c_str(), stdout);
        return kDone;
    }
    if (write_whole(options.target, out, problems)) return kDone;
    report(problems, options.target);
    return kUnusable;
}

}  // namespace

void add_sweep(CLI::App& app, Context& context) {
    auto options = std::make_shared<Options>();
    CLI::App* command =
        app.add_subcommand("sweep", "Any parameters against any outputs, as CSV or JSON Lines");
    command->add_option("FILE", options->file, "Scenario file; - reads standard input")->required();
    command->add_option("--set", options->assignments, "KEY=VALUE")->take_all()->allow_extra_args(false);
    command->add_option("--axis", options->axes, "KEY=FROM:TO:STEPS[:log] or KEY=a,b,c")
        ->required()
        ->take_all()
        ->allow_extra_args(false);
    command->add_option("--output", options->outputs, "Result fields, separated by commas");
    command->add_option("-o", options->target, "F.csv or F.jsonl instead of standard output");
    command->add_option("--shard", options->shard, "I/N: only the I-th of N contiguous blocks");
    command->callback([options, &context] { context.exit_code = run(*options); });
}

}  // namespace shardscope::commands
