// The texts around an exported figure: title, caption, footer.
#pragma once

#include <QString>

#include "widgets/plots/figure_export.h"

namespace shardscope {

// "MPT-13B on 64 × H100 SXM 80 GB: scaling"
QString figure_title(const QString& plot_title, const Answer& answer);
// Model, cluster and plan: the first sentence of every caption.
QString setting_sentence(const Answer& answer);
// The plan alone: "zero3, micro-batch 2, …".
QString plan_words(const Settings& settings);
// Names the scenarios of the ghosts; empty if there are none.
QString pinned_words(const std::vector<Pin>& pins);
// Sentences of several captions: what the hatching means, and that the rates ignore the memory limit.
QString memory_limit(double capacity);
QString hypothetical_words();
// The version and the parameters that influence the numbers most.
QString footer_words(const Answer& answer);

// "stage 1 of 4": the stage whose GPUs need the most memory; empty if there is no pipeline.
QString stage_words(double stage, double stages);

}  // namespace shardscope
