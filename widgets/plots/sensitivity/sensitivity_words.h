// The texts of the Sensitivity plot.
#pragma once

#include <QString>
#include <QStringList>

#include "widgets/plots/sensitivity/sensitivity_data.h"

namespace shardscope {

// "½ × and 2 ×"
QString change_text(Change change);
// "+26.6 %"
QString signed_percent(double change);
// "MFU when an input is halved or doubled"
QString sensitivity_title(const SensitivityData& data);
// "It does not fit, so this shows what peak memory depends on"; empty if the requested output is shown.
QString sensitivity_note(const SensitivityData& data);
// Explains the pale, hatched, upper and lower bars.
QStringList sensitivity_key(const SensitivityData& data);
// "Inter-node link 400 Gbit/s: at 200 Gbit/s MFU 37.1 %, at 800 Gbit/s MFU 38.8 %"
QString bar_words(const SensitivityBar& bar, const Sensitivity& of);
// Explains the two columns of elasticities and levers; empty if there is one column.
QString column_words(const SensitivityData& data);
// Returns the caption of an export.
QString sensitivity_caption(const SensitivityData& data);

}  // namespace shardscope
