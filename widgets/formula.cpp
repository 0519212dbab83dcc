#include "widgets/formula.h"

#include <QPainter>

#include "widgets/drawing.h"
#include "widgets/encode.h"

namespace shardscope {
namespace {

constexpr double kSubscriptSize = 0.75;  // of the font's size
constexpr double kDrop = 0.2;            // of the font's height

QFont subscript_font(const QFont& font) { return scaled_font(font, kSubscriptSize); }

}  // namespace

std::vector<FormulaPart> formula_parts(const QString& formula) {
    std::vector<FormulaPart> out;
    bool below = false;
    for (qsizetype i = 0; i < formula.size(); ++i) {
        const QChar c = formula[i];
        if (c == QLatin1Char('_') && i > 0 && formula[i - 1].isLetter()) {
            below = true;
            out.push_back({{}, true});
            continue;
        }
        if (out.empty() || (below && !c.isLetterOrNumber())) {
            below = false;
            out.push_back({});
        }
        out.back().text += c;
    }
    return out;
}

QString formula_html(const QString& formula) {
    QString out;
    for (const FormulaPart& part : formula_parts(formula)) {
        const QString text = html_text(part.text);
        out += part.lowered ? QStringLiteral("<sub>%1</sub>").arg(text) : text;
    }
    return out;
}

double formula_width(const QFont& font, const QString& formula) {
    double width = 0;
    for (const FormulaPart& part : formula_parts(formula))
        width += text_width(part.lowered ? subscript_font(font) : font, part.text);
    return width;
}

void draw_formula(QPainter& painter, QPointF at, const QFont& font, const QString& formula) {
    const double drop = kDrop * QFontMetricsF(font).height();
    for (const FormulaPart& part : formula_parts(formula)) {
        const QFont face = part.lowered ? subscript_font(font) : font;
        painter.setFont(face);
        painter.drawText(at + QPointF(0, part.lowered ? drop : 0), part.text);
        at.rx() += text_width(face, part.text);
    }
}

}  // namespace shardscope
