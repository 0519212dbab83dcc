// What the Sensitivity plot says in words.
#pragma once

#include <QString>
#include <QStringList>

#include "widgets/plots/sensitivity_data.h"

namespace shardscope {

// "½ × and 2 ×"
QString change_text(Change change);
// "+26.6 %"
QString signed_percent(double change);
// "MFU when an input is halved or doubled"
QString sensitivity_title(const SensitivityData& data);
// "It does not fit, so this shows what peak memory depends on": empty where it shows what was asked for.
QString sensitivity_note(const SensitivityData& data);
// What is pale, hatched, above and below.
QStringList sensitivity_key(const SensitivityData& data);
// "Inter-node link 400 Gbit/s: at 200 Gbit/s MFU 37.1 %, at 800 Gbit/s MFU 38.8 %"
QString bar_words(const SensitivityBar& bar, const Sensitivity& of);
// What the two columns of elasticities and levers are; empty where there is one.
QString column_words(const SensitivityData& data);
// An export's caption.
QString sensitivity_words(const SensitivityData& data);

}  // namespace shardscope
