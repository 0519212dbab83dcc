// The texts of the validation plot.
#pragma once

#include <QString>
#include <optional>
#include <string>

#include "widgets/plots/validation/validation_data.h"

namespace shardscope {

QString validation_caption(const ValidationData& data, const std::optional<ValidationPoint>& own);
// "164 public runs: mean error of the step time 4.2 %, median 2.5 %, nine of ten within 10.4 %."
QString summary_words(const ValidationData& data);
// Describes how the speed of a run, its tokens/s or MFU, differs from the predicted one, of which it has
// 1 + `error`: "2.8 % slower than predicted" for an error of the predicted step time of −0.028.
QString error_words(double error);
QString measured_text(double value, ValidationQuantity quantity);
// Returns the readable name of a family of the public runs; another name stays as it is.
QString family_label(const std::string& family);
QString validation_band_text();  // "±10 %"
// The footer of a figure in which every point has its own parameters.
QString validation_footer_words();

}  // namespace shardscope
