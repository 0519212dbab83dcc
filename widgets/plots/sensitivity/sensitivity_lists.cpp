#include "widgets/plots/sensitivity/sensitivity_lists.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

#include "widgets/plots/sensitivity/sensitivity_words.h"
#include "widgets/text.h"

namespace shardscope {
namespace {

constexpr double kLine = 17;
constexpr double kSquare = 8;  // for the rate's colour
constexpr double kIndent = 14;
constexpr double kShare = 22;  // for the bar of a share
// Widths of a column of values.
constexpr double kShares = 44;
constexpr double kLevers = 52;
constexpr double kSumDown = 3;  // px above the sum

}  // namespace

double SensitivityLists::height() const {
    const double heads = data_.replanned_levers ? 2 : 1;
    return kLine * (heads + static_cast<double>(kRates) + 1) + kSumDown;
}

double SensitivityLists::values_width(double column) const {
    return column * (data_.replanned_levers ? 2 : 1);
}

double SensitivityLists::paint_head(QPainter& painter, const QRectF& area, const QString& title,
                                    double column) const {
    double y = area.top() + QFontMetricsF(fonts_.bold).ascent();
    draw_text(painter, {area.left(), y}, title, fonts_.bold, theme_.text);
    if (!data_.replanned_levers) return y;
    y += kLine;
    const QFontMetricsF small(fonts_.small);
    const QString held = tr("held");
    const QString anew = tr("re-plan");
    draw_text(painter, {area.right() - column - small.horizontalAdvance(held), y}, held, fonts_.small,
              theme_.muted);
    draw_text(painter, {area.right() - small.horizontalAdvance(anew), y}, anew, fonts_.small, theme_.muted);
    return y;
}

void SensitivityLists::paint_values(QPainter& painter, double right, double y, double column,
                                    const QString& held, const QString& anew) const {
    const QFontMetricsF small(fonts_.small);
    draw_text(painter, {right - small.horizontalAdvance(anew), y}, anew, fonts_.small, theme_.text);
    const double at = data_.replanned_levers ? right - column : right;
    draw_text(painter, {at - small.horizontalAdvance(held), y}, held, fonts_.small, theme_.text);
}

void SensitivityLists::paint_shares(QPainter& painter, const QRectF& area) const {
    const QFontMetricsF small(fonts_.small);
    const auto digits = [](double share) {
        return QString::number(share, 'f', 2).replace(QLatin1Char('-'), QStringLiteral("−")) +
               QStringLiteral(" %");
    };
    double y = paint_head(painter, area, tr("1 % more of each brings"), kShares);
    const double values = area.right() - values_width(kShares);
    double names = 0;
    for (const Wall wall : data_.walls)
        names = std::max(names, small.horizontalAdvance(text_of(label_of(wall))) + kIndent);
    const bool bars = values - area.left() >= names + kShare + 4;
    const double room = (bars ? values - kShare : values) - area.left() - kIndent - 2;
    double sum = 0;
    for (std::size_t i = 0; i < kRates; ++i) {
        y += kLine;
        const double share = data_.elasticity[i];
        sum += share;
        const QColor color = theme_.of(data_.walls[i]);
        painter.fillRect(QRectF(area.left(), y - kSquare, kSquare, kSquare), color);
        draw_text(painter, {area.left() + kIndent, y},
                  small.elidedText(text_of(label_of(data_.walls[i])), Qt::ElideRight, room), fonts_.small,
                  theme_.text);
        if (bars) {
            const QRectF bar(values - kShare, y - kSquare, kShare, kSquare);
            painter.fillRect(bar, theme_.grid);
            painter.fillRect(QRectF(bar.topLeft(), QSizeF(kShare * std::clamp(share, 0.0, 1.0), kSquare)),
                             color);
        }
        const auto& anew = data_.replanned_elasticity;
        paint_values(painter, area.right(), y, kShares, digits(share),
                     !data_.replanned_levers ? QString()
                     : anew                  ? digits((*anew)[i])
                                             : QStringLiteral("–"));
    }
    painter.setPen(QPen(theme_.line, 1));
    painter.drawLine(QPointF(area.left(), std::round(y + 4) + 0.5),
                     QPointF(area.right(), std::round(y + 4) + 0.5));
    y += kLine + kSumDown;
    draw_text(painter, {area.left() + kIndent, y}, tr("sum of the five"), fonts_.small, theme_.text);
    // With re-planning the elasticities have no fixed sum, so it is not shown.
    paint_values(painter, area.right(), y, kShares, digits(sum), {});
}

void SensitivityLists::paint_levers(QPainter& painter, const QRectF& area) const {
    double y = paint_head(painter, area, tr("Levers, tokens/s"), kLevers);
    const auto line = [&](const QString& name, double Levers::*lever) {
        y += kLine;
        const auto gain = [&](const Levers& of) {
            return std::isnan(of.*lever) ? tr("too big") : signed_percent(std::exp2(of.*lever) - 1);
        };
        draw_text(painter, {area.left(), y},
                  QFontMetricsF(fonts_.small)
                      .elidedText(name, Qt::ElideRight, area.width() - values_width(kLevers) - 4),
                  fonts_.small, theme_.text);
        paint_values(painter, area.right(), y, kLevers, gain(data_.held_levers),
                     data_.replanned_levers ? gain(*data_.replanned_levers) : QString());
    };
    line(tr("GPU memory × 2"), &Levers::gpu_memory);
    line(tr("batch × 2"), &Levers::batch);
}

}  // namespace shardscope
