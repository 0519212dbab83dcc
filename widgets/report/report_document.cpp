#include "widgets/report/report_document.h"

#include <algorithm>
#include <array>

#include "evidence/likely_range.h"
#include "evidence/runs.h"
#include "evidence/validated.h"
#include "explain/explanation.h"
#include "explore/difference.h"
#include "explore/repair.h"
#include "scenario/domain.h"
#include "text/translate.h"
#include "widgets/drawing.h"
#include "widgets/panels/scenario_model.h"
#include "widgets/plots/figure_words.h"
#include "widgets/plots/plot_kind.h"
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

ReportSection verdict(const Answer& answer, bool hypothetical) {
    ReportSection out{tr("Verdict"), {}};
    const MemoryUse& memory = answer.estimate.memory;
    const QString peak = shown(memory.peak, Quantity::bytes);
    const QString usable = shown(memory.capacity, Quantity::bytes);
    switch (answer.estimate.verdict) {
        case Verdict::fits:
            out.blocks.push_back(
                ReportParagraph{tr("It fits: %1 of %2 on the fullest GPU.").arg(peak, usable), true});
            break;
        case Verdict::risky:
            out.blocks.push_back(
                ReportParagraph{tr("Risky: %1 of %2 on the fullest GPU is within the margin of the estimate.")
                                    .arg(peak, usable),
                                true});
            break;
        case Verdict::does_not_fit:
            out.blocks.push_back(
                ReportParagraph{tr("It does not fit: %1 are needed, %2 more than the %3.")
                                    .arg(peak, shown(memory.peak - memory.capacity, Quantity::bytes), usable),
                                true});
            break;
    }
    out.blocks.push_back(ReportParagraph{text_of(wall_sentence(answer))});
    if (!answer.fits()) {
        if (hypothetical)
            out.blocks.push_back(
                ReportParagraph{tr("Rates and times are hypothetical: as if memory sufficed.")});
        ReportTable ways{{tr("What would make it fit"), tr("Result")}, {}};
        for (const Repair& repair : repairs(answer.scenario)) {
            if (repair.works) ways.rows.push_back({text_of(repair.label), text_of(repair.result)});
        }
        if (!ways.rows.empty()) out.blocks.push_back(std::move(ways));
    } else if (answer.settings[P::mfu_override] > 0) {
        out.blocks.push_back(ReportParagraph{tr("MFU is set by hand; it is no estimate.")});
    } else {
        const double full = answer.estimate.tokens_per_s_per_gpu / answer.estimate.mfu;
        const LikelyRange likely = likely_range(answer);
        out.blocks.push_back(ReportParagraph{
            tr("Likely between %1 and %2 MFU: four of five similar measured runs have no larger error.")
                .arg(shown(likely.low / full, Quantity::percent),
                     shown(likely.high / full, Quantity::percent)) +
            QLatin1Char(' ') + text_of(nearest_runs_sentence(answer))});
    }
    return out;
}

ReportSection numbers(const Answer& answer, bool hypothetical) {
    ReportTable table{{tr("Quantity"), tr("Value"), tr("Formula"), tr("Source")}, {}};
    table.formulas = 2;
    const QString wall = text_of(label_of(answer.estimate.wall));
    for (const Output id : main_outputs(answer)) {
        const Explanation why = explain(Subject::of(id), answer);
        QString value = text_of(text_of(id, answer, hypothetical));
        if (hypothetical && !answer.fits() && output(id).timed) value = tr("%1 (hypothetical)").arg(value);
        if (id == Output::wall) value = answer.fits() ? tr("%1, %2 of the step").arg(wall, value) : wall;
        table.rows.push_back({text_of(why.title), value, text_of(why.formula), text_of(why.source)});
    }
    return {tr("Numbers"), {std::move(table)}};
}

ReportSection figures(const ReportRequest& request, const Answer& answer) {
    ReportSection out{tr("Figures"), {}};
    for (FigureRequest& figure : figures_of(request, answer)) {
        figure = with_computed_data(std::move(figure), answer);
        const QString label = tr(plot_kind(figure.plot)->label);
        out.blocks.push_back(ReportFigure{std::move(figure), figure_title(label, answer)});
    }
    return out;
}

ReportSection side_by_side(const ReportRequest& request, const Answer& answer) {
    using enum ScenarioColumn;
    constexpr std::array kColumns{scenario, verdict, memory, mfu, rate, step, network, wall, days, per_joule};
    ReportSection out{tr("Scenarios side by side"), {}};
    ReportTable table{{}, {}, 3};
    table.header << QString();
    for (const ScenarioColumn column : kColumns) table.header << column_title(column);
    const auto add = [&](char letter, const Answer& of) {
        const ScenarioRow row = scenario_row(letter, of, of.scenario.title());
        QStringList cells{QString(QLatin1Char(letter))};
        for (const ScenarioColumn column : kColumns) cells << row.at(column);
        table.rows.push_back(std::move(cells));
    };
    add(kCurrentScenario, answer);
    for (const Pin& pin : request.pins) add(pin.letter, pin.answer);
    out.blocks.push_back(std::move(table));
    for (const Pin& pin : request.pins) {
        ReportTable differs{{tr("What differs"), tr("A"), QString(QLatin1Char(pin.letter))}, {}};
        for (const Difference& one : differences(answer, pin.answer))
            differs.rows.push_back({text_of(one.label), text_of(one.from), text_of(one.to)});
        if (!differs.rows.empty()) out.blocks.push_back(std::move(differs));
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
    ReportTable table{
        {tr("Run"), tr("GPUs"), tr("Measured, tokens/s/GPU"), tr("Predicted"), tr("Error"), tr("Source")},
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

ReportDocument report_document(const ReportRequest& request, const Answer& answer) {
    ReportDocument out;
    out.title = text_of(answer.scenario.title());
    out.subtitle = setting_sentence(answer);
    out.carries = QByteArray::fromStdString(request.carries).trimmed();
    out.sections.push_back(verdict(answer, request.hypothetical));
    out.sections.push_back(numbers(answer, request.hypothetical));
    out.sections.push_back(figures(request, answer));
    if (!request.pins.empty()) out.sections.push_back(side_by_side(request, answer));
    out.sections.push_back(assumptions(answer));
    out.sections.push_back(evidence(answer));
    out.sections.push_back({tr("All other parameters"), {parameters_of(answer, false)}});
    return out;
}

}  // namespace shardscope
