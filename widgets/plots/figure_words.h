// The texts around an exported figure: title, caption, footer.
#pragma once

#include <QString>

#include "widgets/plots/figure_export.h"
#include "widgets/plots/plot_data.h"

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
// The version and the parameters that influence the numbers most.
QString footer_words(const Answer& answer);

// "stage 1 of 4": the stage whose GPUs need the most memory; empty if there is no pipeline.
QString stage_words(double stage, double stages);

}  // namespace shardscope
