#include "widgets/plots/scaling/scaling_words.h"

#include <QStringList>
#include <algorithm>

#include "widgets/drawing.h"
#include "widgets/plots/figure_words.h"
#include "widgets/text.h"

namespace shardscope {

QString scaling_caption(const ScalingData& data, const ScalingOptions& options) {
    const bool anew = data.plan == CurvePlan::replanned;
    QStringList lines;
    const bool rates = options.y != ScalingY::memory;
    if (!rates) {
        lines += tr("green: model states, which data parallelism can shard; purple: working memory");
        if (!data.repaired.empty())
            lines += tr("grey, dashed: after the best repair (%1)").arg(text_of(data.repair));
    }
    if (options.weak && anew) {
        // Other GPU counts have other plans, so the size of a replica is not constant.
        lines += tr("solid: weak scaling, the batch grows with the GPUs");
    } else if (options.weak) {
        const bool cut = data.replica_gpus > 1;
        const QString replica = shown(data.replica_gpus, Quantity::count);
        lines += tr("solid: weak scaling, %1 sequences per %2")
                     .arg(shown(data.sequences_per_replica, Quantity::count),
                          cut ? tr("model replica of %1 GPUs").arg(replica) : tr("GPU"));
    }
    if (options.strong)
        lines +=
            tr("dashed: strong scaling, %1 sequences in all").arg(shown(data.global_batch, Quantity::count));
    if (options.ideal && rates) lines += tr("dotted: the ideal closed form");
    if (options.weak && options.band && rates) lines += tr("grey: the band that contains four of five runs");
    QStringList out;
    if (!lines.isEmpty()) {
        QString what = lines.join(QStringLiteral("; ")) + QLatin1Char('.');
        what[0] = what[0].toUpper();
        out += what;
    }
    if (data.fewest_gpus() > 1)
        out += tr("The plan needs at least %1 GPUs.").arg(shown(data.fewest_gpus(), Quantity::count));
    if (!std::ranges::all_of(data.curves.weak, &CurvePoint::fits)) out += memory_limit(data.capacity);
    const auto is_risky = [](const CurvePoint& point) {
        return point.valid && point.verdict == Verdict::risky;
    };
    if (rates && std::ranges::any_of(data.curves.weak, is_risky))
        out += tr("Hatched at the axis: it may run out of memory.");
    if (!data.measured.empty() && options.measured) {
        out +=
            tr("Diamonds: measured runs of this model and GPU, solid with the same settings, hollow with "
               "others.");
        if (data.measured.front().own) out += tr("Diamond with a core: my run.");
    }
    if (data.curves.knee > 0 && options.weak)
        out += tr("Triangle: from here on an added GPU brings less than half as much as one of the first.");
    if (data.plan == CurvePlan::held) out += tr("The plan is held.");
    if (data.plan == CurvePlan::replanned)
        out += tr("Automatic plan parameters are re-planned at every GPU count.");
    if (data.hypothetical) out += hypothetical_words();
    return out.join(QLatin1Char(' '));
}

}  // namespace shardscope
