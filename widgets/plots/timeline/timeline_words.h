// The texts of the timeline.
#pragma once

#include <QString>

#include "widgets/plots/timeline/timeline_data.h"

namespace shardscope {

QString timeline_caption(const TimelineData& data);
// Names one interval of a stage in one line: activity, micro-batch and layer.
QString interval_name(const Interval& interval, const StepTimeline& line);
// Describes one interval of a stage in three lines: activity; stage and micro-batch; duration, start and end.
QString interval_words(const Interval& interval, const StageTimeline& stage, const StepTimeline& line);

}  // namespace shardscope
