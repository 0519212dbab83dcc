#include "widgets/plots/timeline/timeline_words.h"

#include <QStringList>

#include "widgets/drawing.h"
#include "widgets/text.h"

namespace shardscope {
namespace {

// Returns "forward", or "all-gather, overlapped with compute".
QString activity_of(const Interval& interval, const StepTimeline& line) {
    if (interval.activity == Activity::bubble) return tr("bubble: waits for other stages");
    if (interval.activity == Activity::omitted)
        return tr("%1 micro-batches like those around them").arg(line.omitted);
    const QString name = text_of(label_of(interval.activity));
    if (interval.activity < Activity::gather) return name;
    return name + (interval.exposed ? tr(", exposed") : tr(", overlapped with compute"));
}

// Returns the parts of the stage and of the batch to which the interval belongs.
QStringList places_of(const Interval& interval, const StepTimeline& line) {
    QStringList out;
    if (interval.virtual_stage > 0) out += tr("virtual stage %1").arg(interval.virtual_stage);
    if (interval.micro_batch > 0 && line.micro_batches > 1)
        out += tr("micro-batch %1").arg(interval.micro_batch);
    if (interval.layer > 0) out += tr("layer %1").arg(interval.layer);
    if (interval.previous) out += tr("of the previous step");
    return out;
}

}  // namespace

QString timeline_caption(const TimelineData& data) {
    if (!data.has_time()) {
        return tr("It does not fit: %1 of %2.")
            .arg(shown(data.memory.peak, Quantity::bytes), shown(data.memory.capacity, Quantity::bytes));
    }
    const StepTimeline& line = data.line;
    QStringList out{tr("One optimizer step of %1.").arg(shown(line.end, Quantity::seconds))};
    if (line.stage_count > 1) {
        out += tr("Each stage shows computation above and communication below; numbers are micro-batches.");
    } else {
        out += tr("Above: computation of a GPU; below: its communication; numbers are layers.");
    }
    out += tr("Faint: communication overlapped with compute.");
    out += tr("Where passes are too narrow to distinguish, their shares of the time are stacked.");
    if (line.steps_overlap && line.stage_count > 1)
        out += tr("Steps overlap: faint parts at the left belong to the previous step.");
    if (line.omitted > 0)
        out += tr("%1 micro-batches like those around them are not drawn.")
                   .arg(shown(line.omitted, Quantity::count));
    out += tr("Below: memory of %1; dashed: usable memory; hatched: the margin within which the verdict is "
              "risky.")
               .arg(line.stage_count > 1 ? tr("the fullest stage, number %1, and, thin, of the others")
                                               .arg(line.stages[line.fullest].position + 1)
                                         : tr("one GPU"));
    if (data.hypothetical) out += tr("HYPOTHETICAL: times as if memory sufficed.");
    return out.join(QLatin1Char(' '));
}

QString interval_name(const Interval& interval, const StepTimeline& line) {
    return (QStringList{activity_of(interval, line)} + places_of(interval, line)).join(QStringLiteral(", "));
}

QString interval_words(const Interval& interval, const StageTimeline& stage, const StepTimeline& line) {
    QStringList where = places_of(interval, line);
    if (line.stage_count > 1) where.prepend(tr("stage %1").arg(stage.position + 1));
    const QString what = activity_of(interval, line);
    const QString times =
        tr("%1, from %2 to %3")
            .arg(exact_time(interval.seconds()), exact_time(interval.start), exact_time(interval.end));
    if (where.isEmpty()) return what + QLatin1Char('\n') + times;
    return QStringList{what, where.join(QStringLiteral(", ")), times}.join(QLatin1Char('\n'));
}

}  // namespace shardscope
