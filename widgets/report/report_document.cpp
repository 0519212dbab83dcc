#include "widgets/report/report_document.h"

#include <algorithm>
#include <array>

#include "evidence/runs.h"
#include "evidence/validated.h"
#include "explain/explanation.h"
#include "explore/difference.h"
#include "scenario/domain.h"
#include "text/translate.h"
#include "widgets/drawing.h"
#include "widgets/plots/figure_words.h"
#include "widgets/plots/plot_kind.h"
#include "widgets/plots/validation/validation_words.h"
#include "widgets/report/report_answers.h"
#include "widgets/text.h"

namespace shardscope {
namespace {

// Returns the outputs of the headline and those of the whole run.
std::vector<Output> main_outputs(const Answer& answer) {
    using enum Output;
    std::vector<Output> out{mfu,      tokens_per_s_per_gpu,  tokens_per_s, step_time,     peak_memory,
                            capacity, exposed_communication, wall,         power_per_gpu, tokens_per_joule};
    const std::vector<Output> run = whole_run(answer);
    std::ranges::copy_if(run, std::back_inserter(out),
                         [&](Output id) { return std::ranges::find(out, id) == out.end(); });
    return out;
}

ReportSection numbers(const Answer& answer, bool hypothetical) {
    ReportTable table{{tr("Quantity"), tr("Value"), tr("Formula"), tr("Source")}, {}};
    table.formulas = 2;
    const QString wall = text_of(label_of(answer.estimate.wall));
    for (const Output id : main_outputs(answer)) {
        const Explanation why = explain(Subject::of(id), answer);
        QString value = text_of(text_of(id, answer, hypothetical));
        if (hypothetical && !answer.fits() && output(id).requires_fit)
            value = tr("%1 (hypothetical)").arg(value);
        if (id == Output::wall) value = answer.fits() ? tr("%1, %2 of the step").arg(wall, value) : wall;
        table.rows.push_back({text_of(why.title), value, text_of(why.formula), text_of(why.source)});
    }
    return {tr("Numbers"), {std::move(table)}};
}

// The size of a figure on paper, in units of 1/96 inch: in a PDF, its text then has the size for which it is
// designed.
constexpr QSize kWholeWidth(kReportWidth, 430);
constexpr int kFirstPageHeight = 340;
constexpr int kPanelWidth = 270;  // of the memory bar and the step beside a plot

// Returns the sizes of two figures beside each other. A plot needs more room than a panel.
std::array<QSize, 2> sizes_beside(const FigureRequest& one, const FigureRequest& two) {
    const auto is_panel = [](const FigureRequest& figure) { return !plot_kind(figure.plot)->make_tab; };
    constexpr int kBoth = kReportWidth - kReportGap;
    int first = kBoth / 2;
    if (is_panel(one) != is_panel(two)) first = is_panel(one) ? kPanelWidth : kBoth - kPanelWidth;
    return {QSize(first, kFirstPageHeight), QSize(kBoth - first, kFirstPageHeight)};
}

ReportFigure report_figure(FigureRequest figure, const QSize& size, const Answer& answer) {
    if (figure.size == FigureRequest{}.size) figure.size = size;  // otherwise the user has chosen it
    figure.in_report = true;
    figure = with_computed_data(std::move(figure), answer);
    const QString title = figure_title(tr(plot_kind(figure.plot)->label), answer);
    return {std::move(figure), title};
}

// Returns the differences of each pin.
ReportSection differences_of(const ReportRequest& request, const Answer& answer) {
    ReportSection out{tr("What differs"), {}};
    for (const Pin& pin : request.pins) {
        ReportTable differs{{tr("What differs"), tr("A"), QString(QLatin1Char(pin.letter))}, {}};
        for (const Difference& one : differences(answer, pin.answer))
            differs.rows.push_back({text_of(one.label), text_of(one.from), text_of(one.to)});
        if (!differs.rows.empty()) out.blocks.emplace_back(std::move(differs));
    }
    return out;
}

ReportTable parameters_of(const Answer& answer, bool assumptions) {
    ReportTable out{{tr("Parameter"), tr("Key"), tr("Value"), tr("From")}, {}};
    for (std::size_t i = 0; i < kParameters; ++i) {
        const P id = static_cast<P>(i);
        const Parameter& row = parameter(id);
        if ((row.group == Group::assumptions) != assumptions || !applies_to(id, answer.settings)) continue;
        const double value = answer.settings[id];
        const bool automatic = answer.scenario.automatic[index(id)];
        out.rows.push_back({text_of(translate(row.label)), text_of(row.key),
                            value == value ? text_of(format(id, value)) : QStringLiteral("–"),
                            automatic ? tr("found by the planner")
                                      : text_of(source_of(answer.scenario, answer.settings, id))});
    }
    return out;
}

ReportSection assumptions(const Answer& answer) {
    ReportSection out{tr("Assumptions"), {}};
    QStringList notes;
    for (const std::string& warning : warnings(answer)) notes << text_of(warning);
    if (!notes.isEmpty()) out.blocks.push_back(ReportList{notes});
    out.blocks.push_back(parameters_of(answer, true));
    return out;
}

// Describes how accurate the estimate is for all public runs and for those most like this one.
ReportSection evidence(const Answer& answer) {
    ReportSection out{tr("Validation"), {}};
    const Catalogue& catalogue = *answer.scenario.catalogue;
    out.blocks.push_back(ReportParagraph{summary_words(validation_data(validation_runs(catalogue)))});
    if (answer.fits() && !(answer.settings[P::mfu_override] > 0))
        out.blocks.push_back(
            ReportParagraph{tr("Likely means that four of five similar measured runs have no larger error.") +
                            QLatin1Char(' ') + text_of(nearest_runs_sentence(answer))});
    std::vector<ComparableRun> like = comparable_runs(answer);
    // Runs with the same settings come first.
    std::ranges::stable_sort(like, {}, [](const ComparableRun& one) { return !one.same_settings; });
    constexpr std::size_t kMost = 12;
    if (like.size() > kMost) like.resize(kMost);
    if (like.empty()) {
        out.blocks.push_back(ReportParagraph{
            tr("No public run has this model on this GPU; the band is that of the most similar runs.")});
        return out;
    }
    ReportTable table{{tr("Run"), tr("GPUs"), tr("Measured, tokens/s/GPU"), tr("Predicted"), tr("The run is"),
                       tr("Source")},
                      {}};
    for (const ComparableRun& one : like) {
        Problems ignored;
        const Answer predicted = shardscope::answer(scenario_of(*one.run, catalogue, ignored));
        if (!predicted.valid() || !(one.run->step_time > 0)) continue;
        const double step = predicted.estimate.step.total;
        const double measured = predicted.estimate.tokens_per_gpu / one.run->step_time;
        table.rows.push_back({text_of(one.run->id), shown(one.run->gpus, Quantity::count),
                              shown(measured, Quantity::count),
                              shown(predicted.estimate.tokens_per_gpu / step, Quantity::count),
                              error_words(step / one.run->step_time - 1), text_of(one.run->source)});
    }
    out.blocks.push_back(
        ReportParagraph{tr("Public runs of this model on this GPU, predicted with the same constants:")});
    out.blocks.push_back(std::move(table));
    return out;
}

}  // namespace

QString appendix_title() { return tr("Appendix"); }

ReportDocument report_document(const ReportRequest& request, const Answer& answer) {
    ReportDocument out;
    out.title = text_of(answer.scenario.title());
    out.subtitle = setting_sentence(answer);
    out.footer = footer_words(answer);
    out.carries = QByteArray::fromStdString(request.carries).trimmed();
    out.answers = report_answers(request, answer);
    constexpr std::size_t kOnFirstPage = 2;
    std::vector<FigureRequest> figures = figures_of(request, answer);
    std::array<QSize, kOnFirstPage> beside{kWholeWidth, kWholeWidth};
    if (figures.size() >= kOnFirstPage) beside = sizes_beside(figures[0], figures[1]);
    ReportRow first;
    ReportSection others{tr("Figures"), {}};
    for (std::size_t i = 0; i < figures.size(); ++i) {
        const bool on_first_page = i < kOnFirstPage;
        ReportFigure figure =
            report_figure(std::move(figures[i]), on_first_page ? beside[i] : kWholeWidth, answer);
        if (on_first_page) first.figures.push_back(std::move(figure));
        else others.blocks.emplace_back(std::move(figure));
    }
    if (!first.figures.empty()) out.answers.back().blocks.emplace_back(std::move(first));
    const auto add = [&](ReportSection section) {
        if (!section.blocks.empty()) out.appendix.push_back(std::move(section));
    };
    add(std::move(others));
    add(numbers(answer, request.hypothetical));
    add(differences_of(request, answer));
    add(assumptions(answer));
    add(evidence(answer));
    add({tr("All other parameters"), {parameters_of(answer, false)}});
    return out;
}

}  // namespace shardscope
