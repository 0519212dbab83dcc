// The texts around an exported figure: title, caption, footer.
#pragma once

#include <QString>

#include "widgets/plots/figure_export.h"
#include "widgets/plots/plot_data.h"
#include "widgets/plots/timeline/timeline_data.h"
#include "widgets/plots/validation/validation_data.h"

namespace shardscope {

// "MPT-13B on 64 × H100 SXM 80 GB: scaling"
QString figure_title(const QString& plot_title, const Answer& answer);
// Model, cluster and plan: the first sentence of every caption.
QString setting_sentence(const Answer& answer);
// The plan alone: "zero3, micro-batch 2, …".
QString plan_words(const Settings& settings);
// Explains what is drawn solid, dashed, hatched and so on. `left_out` lists the curves that are not drawn,
// see FigureRequest.
QString scaling_caption(const ScalingData& data, const ScalingOptions& options = {});
// Names the scenarios of the ghosts; empty if there are none.
QString pinned_words(const std::vector<Pin>& pins);
bool fits_everywhere(const SweepData& data);
// `others_end`: another scenario that is drawn beside it does not fit at some point.
QString sweep_caption(const SweepData& data, bool others_end = false);
// "plan held", "re-planned at every point"; empty if nothing is automatic.
QString sweep_plan_words(SweepPlan plan);
QString memory_caption(const Answer& answer);
QString waterfall_caption(const Answer& answer, bool hypothetical);
QString timeline_caption(const TimelineData& data);
// Describes one interval of a stage in three lines: activity; stage and micro-batch; duration, start and end.
QString interval_words(const Interval& interval, const StageTimeline& stage, const StepTimeline& line);
QString validation_caption(const ValidationData& data, const std::optional<ValidationPoint>& own);
// "164 public runs: mean error of the step time 4.2 %, median 2.5 %, nine of ten within 10.4 %."
QString summary_words(const ValidationData& data);
// Describes an error of the predicted step time: "2.8 % too slow".
QString error_words(double error);
QString measured_text(double value, ValidationQuantity quantity);
QString validation_band_text();  // "±10 %"
// The version and the parameters that influence the numbers most.
QString footer_words(const Answer& answer);
// The footer of a figure in which every point has its own parameters.
QString validation_footer_words();

// "stage 1 of 4": the stage whose GPUs need the most memory; empty if there is no pipeline.
QString stage_words(double stage, double stages);

}  // namespace shardscope
