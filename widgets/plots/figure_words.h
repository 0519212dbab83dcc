// The words around an exported figure: title, caption, footer.
#pragma once

#include <QString>

#include "widgets/plots/plot_data.h"

namespace shardscope {

// "MPT-13B on 64 × H100 SXM 80 GB: scaling"
QString figure_title(const QString& plot_title, const Answer& answer);
// Model, cluster and plan: the first sentence of every caption.
QString setting_words(const Answer& answer);
// What is solid, dashed, hatched and so on.
QString scaling_words(const ScalingData& data);
QString sweep_words(const SweepData& data);
QString memory_words(const Answer& answer);
QString waterfall_words(const Answer& answer, bool hypothetical);
// Version and the parameters that the numbers hang on most.
QString footer_words(const Answer& answer);

}  // namespace shardscope
