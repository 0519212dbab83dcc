// Typesets the symbols of formulas: "N_a" becomes N with the subscript a.
#pragma once

#include <QFont>
#include <QPointF>
#include <QString>
#include <vector>

class QPainter;

namespace shardscope {

// A part of a formula: a text on the baseline, or a subscript.
struct FormulaPart {
    QString text;
    bool lowered = false;
};
// Splits a formula: "6·N_a ÷ t" becomes "6·N", the subscript "a", and " ÷ t".
std::vector<FormulaPart> formula_parts(const QString& formula);

// Returns the formula as HTML, for rich-text labels and reports.
QString formula_html(const QString& formula);

double formula_width(const QFont& font, const QString& formula);
// Draws the formula on one line with the painter's pen; `at` is the left end of the baseline.
void draw_formula(QPainter& painter, QPointF at, const QFont& font, const QString& formula);

}  // namespace shardscope
