// Small drawing and text helpers that the panels share.
#pragma once

#include <QColor>
#include <QFont>
#include <QString>
#include <QStringList>
#include <string_view>

#include "text/units.h"
#include "widgets/text.h"
#include "widgets/theme/theme.h"

class QPainter;
class QRectF;
class QWidget;

namespace shardscope {

// Returns the value as text: "41.7" or "41.7 GiB".
QString shown(double value, Quantity quantity, bool with_unit = true);
QString percent(double share);  // "43.0 %" for 0.43

// Returns a round distance between ticks (1, 2 or 5 times a power of ten) such that `range` contains at most
// `most` of them.
double round_step(double range, int most);
// Returns the upper end of an axis that includes `value`. It is a multiple of half a tick distance, so that
// small changes of the value do not move it.
double round_top(double value, int most_ticks);

// Returns the colour of the pin with this letter (B … G).
QColor pin_color(const Theme& theme, char letter);

// The strength of a picture of another scenario, and of one of a scenario that is not valid.
inline constexpr double kStaleStrength = 0.6, kInvalidStrength = 0.4;
// Covers the area with the pane's colour, so that a picture on the pane appears with this strength, 0 … 1. It
// is for pictures on the screen only.
void dim(QPainter& painter, const QRectF& area, const Theme& theme, double strength);

// Draws 45° lines of one colour over the existing picture, which stays visible between them.
void hatch_over(QPainter& painter, const QRectF& area, const Theme& theme, const QColor& color, double pitch,
                double width);

// Returns a number beside a tick: all of its digits, up to `digits`, with the thousands grouped.
QString tick_number(double value, int digits = 6);
// Returns "28.312 ms", for short and long times alike.
QString exact_time(double seconds);
// Returns the number with its sign: "+1.5", "−10", "±0".
QString signed_number(double value, int decimals);
// Returns a ratio as a relative change: "−10 %", or "×12" from a factor of ten on, where a percentage is hard
// to read. The text is empty if the ratio is not positive and finite.
QString relative(double ratio);

// Returns the text with a no-break space between each percent sign and its number.
QString unbroken(QString text);

double text_width(const QFont& font, const QString& text);
// Breaks the text between words into lines of this width.
QStringList wrapped_lines(const QString& text, const QFont& font, double width);

// Returns the window of the tool tip that is shown; nullptr if none is.
QWidget* shown_tool_tip();

}  // namespace shardscope
