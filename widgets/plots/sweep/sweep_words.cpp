#include "widgets/plots/sweep/sweep_words.h"

#include <QStringList>
#include <algorithm>

#include "scenario/domain.h"
#include "widgets/plots/figure_words.h"
#include "widgets/text.h"

namespace shardscope {

QString sweep_plan_words(CurvePlan plan) {
    switch (plan) {
        case CurvePlan::as_set: break;
        case CurvePlan::held: return tr("plan held");
        case CurvePlan::replanned: return tr("re-planned at every point");
    }
    return {};
}

bool fits_everywhere(const SweepData& data) {
    return std::ranges::all_of(data.series, [](const SweepSeries& series) {
        return std::ranges::all_of(series.points,
                                   [](const SweepPoint& point) { return !point.valid || point.fits(); });
    });
}

QString sweep_caption(const SweepData& data, bool others_end) {
    QStringList out;
    if (!data.family) out += tr("Ring: the scenario.");
    else
        out += (is_discrete(data.x) ? tr("Discs and ring: the scenario; other marks: other values of %1.")
                                    : tr("Solid and ring: the scenario; other dashes: other values of %1."))
                   .arg(text_of(label_of(*data.family)));
    if (data.against && !data.series.empty() && !data.series.front().points.empty()) {
        const auto& points = data.series.front().points;
        out += tr("Each point is drawn at its own %1 while %2 goes from %3 to %4.")
                   .arg(text_of(label_of(*data.against)), text_of(label_of(data.x)),
                        QString::fromStdString(format(data.x, points.front().x)),
                        QString::fromStdString(format(data.x, points.back().x)));
    }
    const bool all_fit = fits_everywhere(data);
    if (!all_fit) out += memory_limit(data.capacity);
    else if (others_end) out += tr("Hatched: does not fit.");
    if ((!all_fit || others_end) && !is_discrete(data.x)) out += tr("A curve ends there in a cross.");
    if (data.plan == CurvePlan::held) out += tr("The plan is held.");
    if (data.plan == CurvePlan::replanned)
        out += tr("Automatic plan parameters are re-planned at every point.");
    if (data.hypothetical) out += hypothetical_words();
    return out.join(QLatin1Char(' '));
}

}  // namespace shardscope
