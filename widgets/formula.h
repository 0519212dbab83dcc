// The symbols of formulas as the field sets them: "N_a" is N with a lowered a.
#pragma once

#include <QFont>
#include <QPointF>
#include <QString>
#include <vector>

class QPainter;

namespace shardscope {

// A formula in pieces: what stands on the line, and what stands below it.
struct FormulaPart {
    QString text;
    bool lowered = false;
};
// "6·N_a ÷ t" is "6·N", "a" lowered, " ÷ t".
std::vector<FormulaPart> formula_parts(const QString& formula);

// For labels of rich text and pages.
QString formula_html(const QString& formula);

double formula_width(const QFont& font, const QString& formula);
// At a baseline, in the painter's pen; on one line.
void draw_formula(QPainter& painter, QPointF at, const QFont& font, const QString& formula);

}  // namespace shardscope
