#include "widgets/plots/sensitivity/sensitivity_data.h"

#include <algorithm>
#include <cmath>

namespace shardscope {
namespace {

using Elasticities = std::array<double, kRates>;

void show_as_if(Sensitivity& found) {
    for (SensitivityBar& bar : found.bars) {
        for (auto* end : {&bar.less, &bar.more}) {
            if (*end) (*end)->value = (*end)->as_if;
        }
    }
}

SensitivityGhost ghost_of(const Pin& pin, const SensitivityQuestion& question, Output shown) {
    SensitivityGhost out;
    out.letter = pin.letter;
    out.rates = pin.answer.fits() || question.hypothetical;
    const Scenario held = locked(pin.answer.scenario);
    out.held = sensitivity(held, shown, question.change);
    if (question.hypothetical) show_as_if(out.held);
    out.elasticity = pin.answer.estimate.elasticity;
    out.levers = levers(answer(held));
    return out;
}

}  // namespace

SensitivityData sensitivity_data(const Answer& answer, const SensitivityQuestion& question,
                                 const std::vector<Pin>& pins, unsigned threads,
                                 const std::stop_token& stop) {
    SensitivityData out;
    out.asked = question.output;
    if (!answer.valid()) return out;
    out.capacity = answer.estimate.memory.capacity;
    out.elasticity = answer.estimate.elasticity;
    for (std::size_t i = 0; i < kRates; ++i) out.walls[i] = answer.estimate.wall_of(static_cast<Rate>(i));
    out.rates = answer.fits() || question.hypothetical;
    out.asked_value = value_of(question.output, answer, question.hypothetical);
    const bool any = std::isfinite(out.asked_value) && out.asked_value != 0;
    const Output shown = any ? question.output : Output::peak_memory;

    const Scenario held = locked(answer.scenario);
    out.held = sensitivity(held, shown, question.change, threads, stop);
    out.held_levers = levers(shardscope::answer(held));
    if (question.hypothetical) show_as_if(out.held);
    if (answer.scenario.automatic.any()) out.plan = question.held ? CurvePlan::held : CurvePlan::replanned;
    if (out.plan == CurvePlan::replanned) {
        out.anew = sensitivity(answer.scenario, shown, question.change, threads, stop);
        if (question.hypothetical) show_as_if(*out.anew);
        out.replanned_elasticity = planned_elasticity(answer, threads, stop);
        if (!stop.stop_requested()) out.replanned_levers = levers(answer);
    }
    for (const Pin& pin : pins) {
        if (pin.answer.valid()) out.ghosts.push_back(ghost_of(pin, question, shown));
    }
    return out;
}

// ---- the table -------------------------------------------------------------------------------------------

namespace {

std::string verdict_of(const std::optional<SensitivityEnd>& end) {
    if (!end) return {};
    return end->fits ? "fits" : "does-not-fit";
}

const SensitivityBar* bar_of(const Sensitivity& found, P id) {
    const auto at = std::ranges::find(found.bars, id, &SensitivityBar::id);
    return at == found.bars.end() ? nullptr : &*at;
}

using Cells = std::vector<std::string>;

// Adds the columns of one scenario; those of a pin begin with its letter: "B_now".
void add_columns(Cells& columns, Output id, const std::string& prefix) {
    const OutputRow& row = output(id);
    for (const char* name : {"now", "less", "more"}) columns.push_back(prefix + name);
    for (const char* name : {"less", "now", "more"})
        columns.push_back(prefix + std::string(row.path) + "_" + name + "[" + plot_unit(row.quantity).symbol +
                          "]");
    for (const char* name : {"verdict_less", "verdict_more"}) columns.push_back(prefix + name);
}
constexpr std::size_t kColumns = 8;

// Adds the cells of one scenario, which are empty for an input without effect there.
void add_cells(Cells& row, const Sensitivity& found, const SensitivityBar* bar, bool shown) {
    if (!bar) {
        row.resize(row.size() + kColumns);
        return;
    }
    const PlotUnit input = plot_unit(parameter(bar->id).quantity);
    const PlotUnit unit = plot_unit(output(found.output).quantity);
    const auto x = [&](const std::optional<SensitivityEnd>& end) {
        return end ? exact_or_empty(end->x / input.factor) : std::string();
    };
    const auto y = [&](const std::optional<SensitivityEnd>& end) {
        return end ? exact_or_empty(end->value / unit.factor) : std::string();
    };
    row.insert(row.end(), {exact_or_empty(bar->now / input.factor), x(bar->less), x(bar->more), y(bar->less),
                           shown ? exact_or_empty(found.now / unit.factor) : std::string(), y(bar->more),
                           verdict_of(bar->less), verdict_of(bar->more)});
}

// The elasticities and levers beside the bars, with their names in results.
struct Single {
    std::string_view name;
    double (*get)(const Elasticities&, const Levers&);
};
const std::array<Single, kRates + 2>& singles() {
    using enum Output;
    static const std::array<Single, kRates + 2> rows{
        {{output(elasticity_compute).path, [](const Elasticities& e, const Levers&) { return e[0]; }},
         {output(elasticity_memory_bandwidth).path,
          [](const Elasticities& e, const Levers&) { return e[1]; }},
         {output(elasticity_intra_node).path, [](const Elasticities& e, const Levers&) { return e[2]; }},
         {output(elasticity_inter_node).path, [](const Elasticities& e, const Levers&) { return e[3]; }},
         {output(elasticity_latency).path, [](const Elasticities& e, const Levers&) { return e[4]; }},
         {"levers.gpu_memory", [](const Elasticities&, const Levers& l) { return l.gpu_memory; }},
         {"levers.batch", [](const Elasticities&, const Levers& l) { return l.batch; }}}};
    return rows;
}

}  // namespace

PlotTable sensitivity_table(const SensitivityData& data) {
    PlotTable out;
    const Output id = data.held.output;
    out.columns = {"input", "plan", "unit"};
    add_columns(out.columns, id, {});
    out.columns.emplace_back("effect[%]");
    for (const SensitivityGhost& ghost : data.ghosts)
        add_columns(out.columns, id, std::string(1, ghost.letter) + "_");

    constexpr double kPercent = 0.01;
    const auto add_bars = [&](const Sensitivity& found, const char* plan) {
        for (const SensitivityBar& bar : found.bars) {
            Cells row{std::string(parameter(bar.id).key), plan, plot_unit(parameter(bar.id).quantity).symbol};
            add_cells(row, found, &bar, true);
            double effect = 0;
            for (const auto& end : {bar.less, bar.more}) {
                if (end && !std::isnan(end->value))
                    effect = std::max(effect, std::fabs(end->value / found.now - 1));
            }
            row.push_back(exact_or_empty(effect / kPercent));
            for (const SensitivityGhost& ghost : data.ghosts)
                add_cells(row, ghost.held, bar_of(ghost.held, bar.id),
                          ghost.rates || !output(id).requires_fit);
            out.rows.push_back(std::move(row));
        }
    };
    const auto add_singles = [&](const Elasticities* elasticity, const Levers& lever, const char* plan) {
        if (!data.rates) return;
        for (std::size_t i = 0; i < singles().size(); ++i) {
            const Single& single = singles()[i];
            // With re-planning, elasticities are not meaningful without a plan that fits.
            if (!elasticity && i < kRates) continue;
            Cells row{std::string(single.name), plan, "1",
                      exact_or_empty(single.get(elasticity ? *elasticity : Elasticities{}, lever))};
            row.resize(3 + kColumns + 1);
            for (const SensitivityGhost& ghost : data.ghosts) {
                row.push_back(ghost.rates ? exact_or_empty(single.get(ghost.elasticity, ghost.levers))
                                          : std::string());
                row.resize(row.size() + kColumns - 1);
            }
            out.rows.push_back(std::move(row));
        }
    };
    if (data.anew) add_bars(*data.anew, "re-planned");
    const char* plan = data.plan == CurvePlan::as_set ? "as set" : "held";
    add_bars(data.held, plan);
    if (data.replanned_levers)
        add_singles(data.replanned_elasticity ? &*data.replanned_elasticity : nullptr, *data.replanned_levers,
                    "re-planned");
    add_singles(&data.elasticity, data.held_levers, plan);
    return out;
}

}  // namespace shardscope
