// `shardscope sweep`: prints outputs over any parameters as CSV or JSON Lines.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/commands/command.h"
#include "app/commands/progress.h"
#include "explore/sweep.h"
#include "files/plan_file.h"
#include "planner/planner.h"
#include "presets/json_values.h"
#include "system/jobs.h"
#include "text/csv.h"
#include "text/encode.h"
#include "text/text.h"

namespace shardscope::commands {
namespace {

struct Options {
    std::string file;
    std::vector<std::string> assignments;
    std::vector<std::string> axes;
    std::string outputs = "mfu,tokens_per_s_per_gpu,step_time_s,memory.peak_bytes";
    std::string target;
    std::string shard;
    bool held = false;
};

std::string csv_header(const std::vector<Axis>& axes, const std::vector<Output>& outputs) {
    std::string out;
    for (const Axis& axis : axes) out += std::string(parameter(axis.id).key) + ",";
    for (const Output id : outputs) out += std::string(output(id).path) + ",";
    return out + "verdict,reason\n";
}

std::string axis_text(P id, double value) {
    const nlohmann::json written = write_value(id, value);
    return written.is_string()    ? written.get<std::string>()
           : written.is_boolean() ? (value != 0 ? "true" : "false")
                                  : exact(value);
}

// Makes the lines of the result.
class Lines {
  public:
    Lines(const Scenario& scenario, const std::vector<Axis>& axes, const std::vector<Output>& fields,
          bool json)
        : scenario_(scenario), axes_(axes), fields_(fields), json_(json) {}

    // Returns the lines of the points from `begin` to before `end`.
    [[nodiscard]] std::string of(std::size_t begin, std::size_t end) const {
        std::string out;
        Answer scratch;
        for (std::size_t i = begin; i < end; ++i) {
            const std::vector<std::size_t> at = indices_of(axes_, i);
            const bool valid = answer_point(scenario_, axes_, at, scratch);
            if (json_) add_json(out, at, scratch, valid);
            else add_csv(out, at, scratch, valid);
        }
        return out;
    }

  private:
    static std::string verdict(const Answer& point, bool valid) {
        return valid ? std::string(name_of(point.estimate.verdict)) : "invalid";
    }
    void add_csv(std::string& out, const std::vector<std::size_t>& at, const Answer& point,
                 bool valid) const {
        for (std::size_t a = 0; a < axes_.size(); ++a)
            out += csv_field(axis_text(axes_[a].id, axes_[a].values[at[a]])) + ",";
        for (const Output id : fields_) {
            const double value = valid ? value_of(id, point) : std::nan("");
            if (id == Output::wall && valid) out += name_of(point.estimate.wall);
            else if (std::isfinite(value)) out += exact(value);
            out += ",";
        }
        out += verdict(point, valid) + "," + (valid ? std::string() : csv_field(reason_of(point))) + "\n";
    }
    void add_json(std::string& out, const std::vector<std::size_t>& at, const Answer& point,
                  bool valid) const {
        nlohmann::ordered_json line = nlohmann::ordered_json::object();
        for (std::size_t a = 0; a < axes_.size(); ++a) {
            line[std::string(parameter(axes_[a].id).key)] = write_value(axes_[a].id, axes_[a].values[at[a]]);
        }
        for (const Output id : fields_) {
            const double value = valid ? value_of(id, point) : std::nan("");
            auto& place = line[std::string(output(id).path)];
            if (id == Output::wall && valid) place = std::string(name_of(point.estimate.wall));
            else if (std::isfinite(value)) place = value;
            else place = nullptr;
        }
        line["verdict"] = verdict(point, valid);
        if (!valid) line["reason"] = reason_of(point);
        out += json_text(line) + "\n";
    }

    const Scenario& scenario_;
    const std::vector<Axis>& axes_;
    const std::vector<Output>& fields_;
    bool json_;
};

// Passes all lines in order to `write`, block by block. The blocks are computed on all processors.
template <typename Write>
void write_lines(const Lines& lines, std::size_t begin, std::size_t end, bool prints, Write&& write) {
    Progress progress("sweeping", prints);
    const std::function<void(double)> on_progress = progress.take();
    constexpr std::size_t kBlock = 64;
    constexpr std::size_t kBlocks = 256;  // per round, so that few lines wait in memory
    std::vector<std::string> blocks;
    for (std::size_t first = begin; first < end; first += kBlock * kBlocks) {
        const std::size_t last = std::min(end, first + kBlock * kBlocks);
        blocks.assign((last - first + kBlock - 1) / kBlock, {});
        parallel_for(blocks.size(), usable_threads(), [&](std::size_t i) {
            const std::size_t from = first + i * kBlock;
            blocks[i] = lines.of(from, std::min(last, from + kBlock));
        });
        for (const std::string& block : blocks) write(block);
        if (on_progress) on_progress(static_cast<double>(last - begin) / static_cast<double>(end - begin));
    }
}

int run(const Options& options) {
    const auto loaded = load_scenario(options.file, options.assignments);
    if (!loaded) return kUnusable;
    Scenario scenario = *loaded;
    Problems problems;
    std::vector<std::optional<Axis>> read;
    for (const std::string& text : options.axes) read.push_back(parse_axis(scenario, text, problems));
    double points = 1;
    for (std::size_t a = 0; a < read.size(); ++a) {
        points *= read[a] ? static_cast<double>(read[a]->values.size()) : 0;
        for (std::size_t b = 0; b < a; ++b) {
            if (read[a] && read[b] && read[a]->id == read[b]->id) {
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
            {"-o " + options.target, "the file extension sets the format", "", "end it in .csv or .jsonl"});
    }
    if (!problems.empty()) {
        report(problems, {});
        return kUnusable;
    }
    std::vector<Axis> axes;
    axes.reserve(read.size());
    for (const std::optional<Axis>& axis : read) axes.push_back(*axis);
    const std::size_t total = combinations(axes);
    if (options.held) scenario = locked(answer(scenario).scenario);
    const Lines lines(scenario, axes, fields, json);
    const std::string header = !json && shard.part == 1 ? csv_header(axes, fields) : std::string();
    if (options.target.empty()) {
        print_text(header);
        write_lines(lines, shard.begin(total), shard.end(total), true,
                    [](const std::string& block) { print_text(block); });
        return kDone;
    }
    std::string out = header;
    write_lines(lines, shard.begin(total), shard.end(total), false,
                [&](const std::string& block) { out += block; });
    return write_output(options.target, out);
}

}  // namespace

void add_sweep(Command& program) {
    auto options = std::make_shared<Options>();
    Command& command =
        program.add_command("sweep", "Any parameters against any outputs, as CSV or JSON Lines");
    command.add_option("FILE", &options->file, value::kScenario, "Scenario; - reads standard input")
        .required = true;
    add_assignments(command, options->assignments);
    Option& axis =
        command.add_option("--axis", &options->axes, value::kAxis, "KEY=FROM:TO:STEPS[:log] or KEY=a,b,c");
    axis.required = true;
    axis.repeated = true;
    command.add_option("--output", &options->outputs, value::kOutputs, "Result fields, separated by commas");
    command.add_option("-o", &options->target, value::kFile, "F.csv or F.jsonl instead of standard output");
    command.add_option("--shard", &options->shard, "I/N", "Only the I-th of N contiguous blocks");
    command.add_flag("--held", &options->held,
                     "Hold the plan: automatic parameters keep the value they have at the scenario itself, "
                     "instead of being re-planned at every point");
    command.run = [options] { return run(*options); };
}

}  // namespace shardscope::commands
