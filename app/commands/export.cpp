// `shardscope export`: writes the same figures and reports as the window, without a display.
#include <QApplication>
#include <QHashFunctions>
#include <QLoggingCategory>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "app/application.h"
#include "app/commands/command.h"
#include "explore/sweep.h"
#include "files/scenario_file.h"
#include "files/session_file.h"
#include "files/view.h"
#include "text/text.h"
#include "widgets/plots/collectives/collectives_data.h"
#include "widgets/plots/figure_export.h"
#include "widgets/plots/plot_kind.h"
#include "widgets/report/report.h"

namespace shardscope::commands {
namespace {

struct Options {
    std::string file;
    std::vector<std::string> assignments;
    std::string plot;
    std::string target;
    std::string size;
    std::string scale;
    std::string report;
    std::vector<std::string> axes;
    std::string outputs;
    std::string against;
    std::vector<std::string> collectives;
    bool hypothetical = false;
    bool held = false;
    bool side_by_side = false;
};

bool parse_size(const std::string& text, QSize& size, Problems& problems) {
    const std::vector<std::string> parts = split(text, 'x');
    constexpr double kSmallest = 200;
    constexpr double kLargest = 8000;
    double edge[2] = {0, 0};
    for (std::size_t i = 0; i < 2; ++i) {
        const Parsed parsed = i < parts.size() ? parse(parts[i], Quantity::count) : Parsed{};
        if (parts.size() != 2 || !parsed.ok || parsed.value < kSmallest || parsed.value > kLargest) {
            problems.push_back(
                {"--size " + text, "is not a size", "200 to 8,000 each way", "write for instance 960x600"});
            return false;
        }
        edge[i] = std::round(parsed.value);
    }
    size = QSize(static_cast<int>(edge[0]), static_cast<int>(edge[1]));
    return true;
}

void parse_scale(const Options& options, double& scale, Problems& problems) {
    const Parsed parsed = parse(options.scale, Quantity::count);
    const auto format = format_of(QString::fromStdString(options.target));
    if (!parsed.ok || parsed.value < kMinScale || parsed.value > kMaxScale) {
        problems.push_back({"--scale " + options.scale, "is not a scale", "1 to 4", "write for instance 2"});
    } else if (format ? format != FigureFormat::png : options.target.empty()) {
        problems.push_back({"--scale " + options.scale, "only a PNG has pixels", "",
                            options.target.empty() ? "add -o figure.png" : "end the file in .png"});
    } else {
        scale = parsed.value;
    }
}

// Returns the request for the scenario's view with the options of the command line.
FigureRequest figure_request(const SavedScenario& scenario, const Options& options, Problems& problems) {
    View view = scenario.view;
    const std::string plot = !options.plot.empty() ? options.plot : view.plot.empty() ? "scaling" : view.plot;
    if (plot != view.plot) {
        view = {};
        view.plot = plot;
    }
    if (!options.outputs.empty()) view.outputs = parse_outputs(options.outputs, problems);
    if (!options.against.empty()) view.against = parse_output("--against", options.against, problems);
    view.held |= options.held;
    view.side_by_side |= options.side_by_side;
    FigureRequest out = request_of(view, scenario);
    out.hypothetical = options.hypothetical;
    out.view = scenario.view;
    char letter = kFirstPin;
    for (const Scenario& pin : pins_of(scenario.view, scenario, catalogue(), problems))
        out.pins.push_back({letter++, answer(pin), {}});
    return out;
}

// Adds the axes of the command line; without them, the axes of the view stay.
void add_axes(const Scenario& scenario, const Options& options, FigureRequest& request, Problems& problems) {
    std::vector<Axis>* axes = axes_in(request.options);
    if (!options.axes.empty()) {
        std::vector<Axis> read = parse_axes(scenario, options.axes, problems);
        if (axes) {
            *axes = std::move(read);
        } else if (plot_kind(request.plot)) {
            problems.push_back({"--axis", "the plot " + request.plot + " has fixed axes", "",
                                "add --plot sweep or --plot walls"});
        }
    }
    constexpr double kMostPoints = 1e6;
    double points = 1;
    for (const Axis& axis : axes ? *axes : std::vector<Axis>())
        points *= static_cast<double>(axis.values.size());
    if (points > kMostPoints)
        problems.push_back({"--axis", format(points, Quantity::big_count) + " points are too many",
                            "a figure shows at most 1,000,000", "use fewer steps"});
}

// Returns a report with the default figures. `figure` replaces the one of the same plot, or is added.
ReportRequest report_request(const SavedScenario& scenario, const Options& options,
                             const FigureRequest& figure) {
    ReportRequest out;
    out.figures = usual_figures();
    const auto same = std::ranges::find(out.figures, figure.plot, &FigureRequest::plot);
    if (same != out.figures.end()) *same = figure;
    else out.figures.push_back(figure);
    if (!options.size.empty()) {
        for (FigureRequest& one : out.figures) one.size = figure.size;
    }
    out.pins = figure.pins;
    out.view = scenario.view;
    out.hypothetical = options.hypothetical;
    out.carries = write_scenario(scenario, false);
    return out;
}

int run(const Options& options) {
    const auto loaded = load_scenario(options.file, options.assignments);
    if (!loaded) return kUnusable;
    const SavedScenario& scenario = *loaded;
    Problems problems;
    FigureRequest request = figure_request(scenario, options, problems);
    add_axes(scenario, options, request, problems);
    if (!options.size.empty()) parse_size(options.size, request.size, problems);
    if (!options.scale.empty()) parse_scale(options, request.scale, problems);
    for (const std::string& log : options.collectives) {
        const std::vector<MeasuredTable> read = named_after(log, read_log(log));
        if (read.empty()) return kUnusable;
        auto* collectives = std::get_if<CollectivesOptions>(&request.options);
        if (collectives) collectives->own.insert(collectives->own.end(), read.begin(), read.end());
        else
            problems.push_back({"--collectives", "the plot " + request.plot + " shows no collectives", "",
                                "add --plot collectives"});
    }
    if (!plot_kind(request.plot))
        problems.push_back(
            {"--plot " + request.plot, "there is no such plot", "", "use " + plot_names().toStdString()});
    const bool drawn = !options.target.empty() || !options.plot.empty();  // a report leaves out other plots
    if (drawn && request.plot == kDifferenceKind.name && request.pins.empty())
        problems.push_back({"--plot difference", "there is no second scenario",
                            "the plot compares the steps of two",
                            "add one to /view/pins of the file, or use explain-gap A B"});
    if (!options.report.empty() && !report_format_of(QString::fromStdString(options.report)))
        problems.push_back({"--report " + options.report, "the file extension sets the format", "",
                            "end it in .html, .pdf or .md"});
    if (options.target.empty() && options.report.empty())
        problems.push_back({"-o", "the file to write is missing", "", "add -o figure.svg"});
    const auto format = format_of(QString::fromStdString(options.target));
    if (!format && !options.target.empty())
        problems.push_back({"-o " + options.target, "the file extension sets the format", "",
                            "end it in .svg, .pdf, .png or .csv"});
    if (!problems.empty()) {
        report(problems, {});
        return kUnusable;
    }

    // Qt's PDF writer orders its fonts by their hashes. With a random hash seed the bytes would differ from
    // run to run.
    QHashSeed::setDeterministicGlobalSeed();
    // QCustomPlot is a widget and needs an application object even where it only paints. The offscreen
    // platform needs no display.
    ::setenv("QT_QPA_PLATFORM", "offscreen", 1);
    QLoggingCategory::setFilterRules(
        QStringLiteral("default.warning=false"));  // such as warnings about session folders
    int argc = 1;
    char name[] = "shardscope";
    char* argv[] = {name, nullptr};
    const std::unique_ptr<QApplication> application = make_application(argc, argv);
    const Answer shown = answer(scenario);
    QString problem;
    std::vector<ReportFile> files;
    QByteArray bytes;
    if (format) bytes = render_figure(request, shown, *format, &problem);
    else if (drawn) problem = objection_to(request, shown);
    if (!problem.isEmpty() || (format && bytes.isEmpty())) {
        report({{"--plot " + request.plot, problem.toStdString(), "", {}}}, {});
        return kUnusable;
    }
    if (format) files.push_back({QString::fromStdString(options.target), bytes});
    if (!options.report.empty()) {
        const std::vector<ReportFile> written =
            render_report(report_request(scenario, options, request), shown,
                          QString::fromStdString(options.report), &problem);
        if (written.empty()) {
            report({{"--report", problem.toStdString(), "", {}}}, {});
            return kUnusable;
        }
        files.insert(files.end(), written.begin(), written.end());
    }
    std::string failed;
    return write_files(files, problems, failed) ? kDone : report_unwritten(problems, failed);
}

}  // namespace

void add_export(Command& program) {
    auto options = std::make_shared<Options>();
    Command& command =
        program.add_command("export", "Writes a plot as SVG, PDF, PNG or CSV, or a report of all");
    command
        .add_option("FILE", &options->file, value::kScenario,
                    "Scenario or study, a file or a preset; - reads standard input")
        .required = true;
    add_assignments(command, options->assignments);
    command.add_option("--plot", &options->plot, value::kPlot,
                       plot_names().toStdString() + "; by default that of the scenario's view, or scaling");
    command.add_option("-o", &options->target, value::kFile, "F.svg, F.pdf, F.png or F.csv");
    command.add_option("--report", &options->report, value::kFile,
                       "F.html, F.pdf or F.md: verdict, figures, pins side by side, assumptions, "
                       "validation, all parameters");
    command.add_option("--size", &options->size, "WxH", "Size in pixels; 960x600 by default");
    command.add_option("--scale", &options->scale, "N",
                       "For PNG: factor on the pixels in each direction, 1 to 4; 2 by default");
    command.add_option("--axis", &options->axes, value::kAxis, "For sweep and walls: KEY=FROM:TO:STEPS[:log]")
        .repeated = true;
    command.add_option("--output", &options->outputs, value::kOutputs,
                       "For sweep and sensitivity: result fields; for validation: mfu, tokens_per_s_per_gpu "
                       "or step_time_s; for plans: mfu, tokens_per_s, training_days or cost");
    command.add_option("--against", &options->against, value::kOutput,
                       "For sweep: a result field as the horizontal axis instead of the first axis");
    command.add_flag("--side-by-side", &options->side_by_side,
                     "For sweep: the pins of the scenario's view in separate panels with the same axes");
    command
        .add_option("--collectives", &options->collectives, value::kFile,
                    "For collectives: a log of nccl-tests")
        .repeated = true;
    command.add_flag("--hypothetical", &options->hypothetical,
                     "Also times for scenarios that do not fit, labelled as hypothetical");
    command.add_flag("--held", &options->held,
                     "For sweep, sensitivity and walls: automatic parameters keep their values");
    command.run = [options] { return run(*options); };
}

}  // namespace shardscope::commands
