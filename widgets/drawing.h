// Small helpers the panels share.
#pragma once

#include <QColor>
#include <QFont>
#include <QString>
#include <string_view>

#include "text/units.h"
#include "widgets/text.h"
#include "widgets/theme/theme.h"

class QPainter;
class QRectF;

namespace shardscope {

// "41.7" or "41.7 GiB".
QString shown(double value, Quantity quantity, bool with_unit = true);

// Distance of round ticks (1, 2 or 5 times a power of ten), at most `most` of them in `range`.
double round_step(double range, int most);
// Upper end of an axis that holds `value`: whole half steps, so that it stays put under small changes.
double round_top(double value, int most_ticks);

// Colour of the pin with this letter (B … G).
QColor pin_color(const Theme& theme, char letter);

// 45° lines of one colour with nothing between them, over what is already there.
void hatch_over(QPainter& painter, const QRectF& area, const Theme& theme, const QColor& color, double pitch,
                double width);

// "+1.5", "−10", "±0".
QString signed_number(double value, int decimals);
// Of a ratio: "−10 %", "×12" where a percentage would no longer be read, nothing where it means nothing.
QString relative(double ratio);

// The text with its percent signs kept on the line of their numbers.
QString unbroken(QString text);

double text_width(const QFont& font, const QString& text);

}  // namespace shardscope
