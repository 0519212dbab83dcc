// `shardscope explain-gap`: a waterfall from the step time of one run to that of another.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/commands/compared_run.h"
#include "explore/difference.h"
#include "explore/step_gap.h"
#include "text/encode.h"
#include "text/text.h"

namespace shardscope::commands {
namespace {

using nlohmann::ordered_json;

struct Options {
    std::vector<std::string> sides;
    LogOptions reading;
    std::string format = "text";
};

// One line of the waterfall.
struct Line {
    std::string label;
    double seconds = 0;
};

std::string change_text(double seconds) {
    return (seconds < 0 ? "−" : "+") + format(std::fabs(seconds), Quantity::seconds);
}

// The ends of the axis, s.
struct Ends {
    double low = 0;
    double high = 0;
};

// Returns a bar of characters, from the smaller to the larger of two times.
std::string drawn(double from, double to, const Ends& axis) {
    constexpr int kWidth = 40;
    const auto column = [&](double seconds) {
        return static_cast<int>(std::lround(kWidth * (seconds - axis.low) / (axis.high - axis.low)));
    };
    const int low = column(std::min(from, to));
    const int high = std::max(low + 1, column(std::max(from, to)));
    std::string out(static_cast<std::size_t>(low), ' ');
    for (int i = low; i < high; ++i) out += "█";
    return out;
}

ordered_json side_json(const ComparedRun& side) {
    const double tokens = side.answer.estimate.tokens_per_gpu;
    return {{"name", side.name},
            {"measured_step_s", side.measured > 0 ? ordered_json(side.measured) : ordered_json(nullptr)},
            {"predicted_step_s", side.predicted()},
            {"fits", side.answer.fits()},
            {"step_time_s", side.step_time()},
            {"tokens_per_gpu", tokens},
            {"tokens_per_s_per_gpu", tokens / side.step_time()}};
}

void print_json(const ComparedRun& a, const ComparedRun& b, const StepGap& gap) {
    ordered_json out{{"from", side_json(a)}, {"to", side_json(b)}};
    out["difference_s"] = gap.to - gap.from;
    out["unexplained_from_s"] = gap.unexplained_from;
    out["bars"] = ordered_json::array();
    for (const GapBar& bar : gap.bars) {
        ordered_json classes = ordered_json::array();
        for (const GapClass kind : bar.classes) classes.push_back(std::string(name_of(kind)));
        ordered_json inputs = ordered_json::array();
        for (const GapInput& input : bar.inputs)
            inputs.push_back({{"key", std::string(parameter(input.id).key)},
                              {"from", written(input.id, input.from)},
                              {"to", written(input.id, input.to)}});
        out["bars"].push_back({{"classes", classes},
                               {"seconds", bar.seconds},
                               {"forward_s", bar.forward},
                               {"backward_s", bar.backward},
                               {"inputs", inputs}});
    }
    out["unexplained_to_s"] = gap.unexplained_to;
    print_out("%s\n", json_text(out).c_str());
}

void print_sides(const ComparedRun& a, const ComparedRun& b) {
    TextRows rows{{"", "step time", "tokens/s/GPU", "predicted"}};
    for (const ComparedRun* side : {&a, &b}) {
        rows.push_back({side->name, format(side->step_time(), Quantity::seconds),
                        format(side->answer.estimate.tokens_per_gpu / side->step_time(), Quantity::count),
                        side->measured > 0 ? format(side->predicted(), Quantity::seconds) : "–"});
    }
    print_text(text_table(rows));
    print_warning(a);
    print_warning(b);
    print_out("differences: %s\n\n", in_words(differences(a.answer, b.answer)).c_str());
}

void print_waterfall(const StepGap& gap) {
    std::vector<Line> lines;
    const auto add = [&](const std::string& label, double seconds) {
        Line& line = lines.emplace_back();
        line.label = label;
        line.seconds = seconds;
    };
    if (gap.unexplained_from != 0) add("unexplained in the first", gap.unexplained_from);
    for (const GapBar& bar : gap.bars) add(label_of(bar), bar.seconds);
    if (gap.unexplained_to != 0) add("unexplained in the second", gap.unexplained_to);
    // Between two runs that differ much, the sum of some of the bars may lie below 0.
    Ends axis{0, std::max(gap.from, gap.to)};
    double at = gap.from;
    for (const Line& line : lines) {
        at += line.seconds;
        axis = {std::min(axis.low, at), std::max(axis.high, at)};
    }
    TextRows rows{{"first", format(gap.from, Quantity::seconds), drawn(0, gap.from, axis)}};
    at = gap.from;
    for (const Line& line : lines) {
        rows.push_back({"  " + line.label, change_text(line.seconds), drawn(at, at + line.seconds, axis)});
        at += line.seconds;
    }
    rows.push_back({"second", format(gap.to, Quantity::seconds), drawn(0, gap.to, axis)});
    print_text(text_table(rows));
    for (const GapBar& bar : gap.bars) {
        // Only values that follow from inputs of other bars, such as the accumulation, or that change no
        // step.
        if (bar.inputs.empty()) continue;
        constexpr std::size_t kMost = 12;
        std::string inputs;
        for (std::size_t i = 0; i < std::min(kMost, bar.inputs.size()); ++i) {
            const GapInput& input = bar.inputs[i];
            inputs += (i > 0 ? ", " : "") + std::string(field_of(input.id)) + " " +
                      written(input.id, input.from) + " → " + written(input.id, input.to);
        }
        if (bar.inputs.size() > kMost)
            inputs += " and " + std::to_string(bar.inputs.size() - kMost) + " more";
        print_out("%s: %s\n", label_of(bar).c_str(), inputs.c_str());
    }
    print_out(
        "Each bar is the mean of two orders of the changes, the one above and its reverse, or the nearest "
        "orders in which every scenario on the way is valid.\n");
}

int run(const Options& options) {
    constexpr std::size_t kSides = 2;
    if (options.sides.size() != kSides) {
        report({{"", "needs two runs", "", "give the run to start from and the run to explain"}},
               "explain-gap");
        return kUnusable;
    }
    const std::optional<ComparedRun> a = load_compared_run(options.sides[0], options.reading);
    const std::optional<ComparedRun> b = load_compared_run(options.sides[1], options.reading);
    if (!a || !b) return kUnusable;
    for (const ComparedRun* side : {&*a, &*b}) {
        if (side->step_time() > 0) continue;
        report({{"", "has no step time", "", "give another run"}}, side->name);
        return kUnusable;
    }
    const StepGap gap = step_gap(a->answer, a->measured, b->answer, b->measured);
    if (options.format == "json") {
        print_json(*a, *b, gap);
    } else {
        print_sides(*a, *b);
        print_waterfall(gap);
    }
    return kDone;
}

}  // namespace

void add_explain_gap(Command& program) {
    auto options = std::make_shared<Options>();
    Command& command = program.add_command("explain-gap",
                                           "Which inputs make the step time of one run differ from that of "
                                           "another, as a waterfall that adds up");
    command
        .add_option("RUN", &options->sides, value::kScenario,
                    "Two runs, the reference first; each is a scenario file, the identifier of a shipped "
                    "measured run, or a training log")
        .required = true;
    add_log_options(command, options->reading);
    command.add_choice("--format", &options->format, {"text", "json"}, "text or json");
    command.run = [options] { return run(*options); };
}

}  // namespace shardscope::commands
