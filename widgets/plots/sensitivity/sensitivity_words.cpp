#include "widgets/plots/sensitivity/sensitivity_words.h"

#include <algorithm>
#include <cmath>

#include "text/translate.h"
#include "widgets/drawing.h"
#include "widgets/text.h"

namespace shardscope {
namespace {

bool any_unfit(const SensitivityData& data) {
    const auto unfit = [](const std::optional<SensitivityEnd>& end) { return end && !end->fits; };
    const auto among = [&](const Sensitivity& found) {
        return std::ranges::any_of(
            found.bars, [&](const SensitivityBar& bar) { return unfit(bar.less) || unfit(bar.more); });
    };
    return among(data.held) || (data.anew && among(*data.anew));
}

}  // namespace

QString change_text(Change change) {
    return change == Change::half_and_double ? tr("½ × and 2 ×") : tr("−10 % and +10 %");
}

QString signed_percent(double change) {
    return (change > 0 ? QStringLiteral("+") : QString()) + shown(change, Quantity::percent);
}

QString sensitivity_title(const SensitivityData& data) {
    return (data.held.change == Change::half_and_double ? tr("%1 when an input is halved or doubled")
                                                        : tr("%1 when an input changes by 10 %"))
        .arg(text_of(label_of(data.held.output)));
}

QString sensitivity_note(const SensitivityData& data) {
    if (!data.instead()) return {};
    if (!data.held.fits && std::isnan(data.asked_value))
        return tr("It does not fit, so this shows what peak memory depends on");
    return (data.asked_value == 0 ? tr("%1 is 0, so this shows what peak memory depends on")
                                  : tr("%1 has no value, so this shows what peak memory depends on"))
        .arg(text_of(label_of(data.asked)));
}

QStringList sensitivity_key(const SensitivityData& data) {
    QStringList out{data.held.change == Change::half_and_double ? tr("faint: ½ ×, full: 2 ×")
                                                                : tr("faint: −10 %, full: +10 %")};
    if (data.plan == CurvePlan::held) out += tr("plan held");
    if (data.anew) out += tr("upper: plan held, lower: re-planned");
    if (any_unfit(data)) out += tr("hatched: does not fit");
    return out;
}

QString bar_words(const SensitivityBar& bar, const Sensitivity& of) {
    const auto value = [&](double x) { return QString::fromStdString(format(bar.id, x)); };
    QStringList ends;
    for (const auto& end : {bar.less, bar.more}) {
        if (!end) continue;
        QString what = tr("it does not fit");
        if (!std::isnan(end->value)) {
            what = text_of(label_of(of.output)) + QLatin1Char(' ') +
                   shown(end->value, output(of.output).quantity);
            if (end->fits != of.fits) what += end->fits ? tr(", which fits") : tr(", which does not fit");
        }
        ends += tr("at %1 %2").arg(value(end->x), what);
    }
    return text_of(label_of(bar.id)) + QLatin1Char(' ') + value(bar.now) + QStringLiteral(": ") +
           ends.join(QStringLiteral("; "));
}

QString column_words(const SensitivityData& data) {
    if (!data.replanned_levers) return {};
    return tr("“Held”: the plan stays. “Re-plan”: the best plan for each value; for the five rates over a "
              "change of ±%1, because plans change in steps.")
        .arg(shown(kRateStep, Quantity::percent));
}

QString sensitivity_caption(const SensitivityData& data) {
    const Sensitivity& ranked = data.ranked();
    const OutputRow& row = output(ranked.output);
    QStringList out;
    if (data.instead()) out += sensitivity_note(data) + QLatin1Char('.');
    out +=
        tr("Each input becomes %1 (the nearest valid values), all else held; sorted by the effect on %2, now "
           "%3.")
            .arg(change_text(ranked.change), text_of(translate(row.label)), shown(ranked.now, row.quantity));
    if (std::ranges::any_of(ranked.bars, &SensitivityBar::makes_fit))
        out += tr("What makes it fit comes first.");
    if (any_unfit(data)) out += tr("Hatched: does not fit in %1.").arg(shown(data.capacity, Quantity::bytes));
    if (data.plan == CurvePlan::held) out += tr("The plan is held.");
    if (data.anew) out += tr("Upper strips: plan held; lower strips: re-planned at both ends.");
    if (data.rates && data.replanned_levers) out += column_words(data);
    if (!data.ghosts.empty()) out += tr("Dashed ticks: where the bars of pinned scenarios end.");
    return out.join(QLatin1Char(' '));
}

}  // namespace shardscope
