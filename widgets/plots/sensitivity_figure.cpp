#include "widgets/plots/sensitivity_figure.h"

#include <QCoreApplication>
#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>

#include "widgets/panels/drawing.h"

namespace shardscope {
namespace {

constexpr double kPadding = 10;
constexpr double kRow = 22;
constexpr double kBar = 12;
constexpr double kSide = 196;  // width of the elasticities and levers beside the bars
constexpr double kWide = 640;  // narrower than this they stand below
constexpr double kLine = 17;   // of the lists
constexpr double kArrow = 30;  // what does not fit
constexpr int kMostTicks = 6;

QString tr(const char* text) { return QCoreApplication::translate("SensitivityFigure", text); }

QString signed_percent(double change) {
    return (change > 0 ? QStringLiteral("+") : QString()) + shown(change, Quantity::percent);
}

}  // namespace

QString change_text(Change change) {
    return change == Change::half_and_double ? tr("½ × and 2 ×") : tr("−10 % and +10 %");
}

void SensitivityFigure::set_style(const Theme& theme, const QFont& font) {
    theme_ = &theme;
    fonts_ = FigureFonts(font);
}

void SensitivityFigure::set_data(SensitivityData data) {
    const std::optional<P> kept = input_of(selected_);
    data_ = std::move(data);
    // The selection stays with its input, wherever that goes.
    const auto& all = data_.ranked().bars;
    const auto at = kept ? std::ranges::find(all, *kept, &SensitivityBar::id) : all.end();
    selected_ = at == all.end() ? -1 : static_cast<int>(at - all.begin());
}

std::optional<P> SensitivityFigure::input_of(int bar) const {
    if (bar < 0 || bar >= bars()) return std::nullopt;
    return data_.ranked().bars[static_cast<std::size_t>(bar)].id;
}

int SensitivityFigure::bar_at(const QPointF& at) const {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        if (rows_[i].contains(at)) return first_ + static_cast<int>(i);
    }
    return -1;
}

QRectF SensitivityFigure::row_of(int bar) const {
    const int i = bar - first_;
    return i >= 0 && i < static_cast<int>(rows_.size()) ? rows_[static_cast<std::size_t>(i)] : QRectF();
}

const SensitivityBar* SensitivityFigure::held_bar(P id) const {
    const auto found = std::ranges::find(data_.held.bars, id, &SensitivityBar::id);
    return found == data_.held.bars.end() ? nullptr : &*found;
}

// The rates in the colours of their walls.
QColor SensitivityFigure::color_of(P id) const {
    switch (id) {
        case P::peak_flops: return theme_->of(Wall::compute);
        case P::memory_bandwidth: return theme_->of(Wall::memory_bandwidth);
        case P::intra_node_bandwidth: return theme_->of(Wall::intra_node);
        case P::inter_node_bandwidth: return theme_->of(Wall::inter_node);
        default: return theme_->latency;
    }
}

double SensitivityFigure::x_of(double change) const {
    return field_.left() + field_.width() * (change - low_) / (high_ - low_);
}

// ---- drawing ---------------------------------------------------------------------------------------------

void SensitivityFigure::paint(QPainter& painter, const QRectF& area) {
    painter.fillRect(area, theme_->pane);
    rows_.clear();
    if (data_.held.bars.empty() && data_.elasticity == decltype(data_.elasticity){}) return;
    const bool wide = area.width() >= kWide;
    const double below = wide ? 0 : kLine * (static_cast<double>(kRates) + 2) + 8;
    const QRectF inside = area.adjusted(kPadding, 8, -kPadding, -6);
    paint_bars(painter, inside.adjusted(0, 0, wide ? -kSide - 16 : 0, -below));
    if (wide) {
        const QRectF side(inside.right() - kSide, inside.top(), kSide, inside.height());
        paint_shares(painter, side);
        paint_levers(painter, side.adjusted(0, kLine * (static_cast<double>(kRates) + 3.5), 0, 0));
    } else {
        const QRectF list(inside.left(), inside.bottom() - below + 8, inside.width() / 2 - 8, below);
        paint_shares(painter, list);
        paint_levers(painter, list.translated(inside.width() / 2 + 8, 0));
    }
    if (strength_ < 1) {
        QColor veil = theme_->pane;
        veil.setAlphaF(static_cast<float>(1 - strength_));
        painter.fillRect(area, veil);
    }
}

void SensitivityFigure::paint_bars(QPainter& painter, const QRectF& area) {
    const Theme& t = *theme_;
    const Sensitivity& ranked = data_.ranked();
    const OutputRow& row = output(ranked.output);
    const QFontMetricsF small(fonts_.small);
    const QFontMetricsF bold(fonts_.bold);
    const QString title =
        (ranked.change == Change::half_and_double ? tr("%1 when an input is halved or doubled")
                                                  : tr("%1 when an input changes by 10 %"))
            .arg(text_of(row.label));
    draw_text(painter, {area.left(), area.top() + bold.ascent()},
              bold.elidedText(title, Qt::ElideRight, area.width()), fonts_.bold, t.text);
    QString key = ranked.change == Change::half_and_double ? tr("pale: ½ ×, full: 2 ×")
                                                           : tr("pale: −10 %, full: +10 %");
    if (data_.anew) key += tr("; upper: plan held, lower: found anew");
    draw_text(painter, {area.left(), area.top() + bold.height() + 2 + small.ascent()},
              small.elidedText(key, Qt::ElideRight, area.width()), fonts_.small, t.muted);
    const double top = area.top() + bold.height() + small.height() + 8;
    const double foot = 2 * small.height() + kTickLength + bold.height() + 10;
    if (!data_.shown) {
        draw_text(painter, {area.left(), top + 2 * small.height()},
                  tr("It does not fit: there is no %1 to change.").arg(text_of(row.label)), fonts_.body,
                  t.text);
        return;
    }

    // As many as there is room for, the selected one among them.
    const int room = std::max(1, static_cast<int>((area.bottom() - foot - top) / kRow));
    if (selected_ >= 0) first_ = std::clamp(first_, selected_ - room + 1, selected_);
    first_ = std::clamp(first_, 0, std::max(0, bars() - room));
    const int count = std::min(room, bars() - first_);

    double names = 0;
    for (const SensitivityBar& bar : ranked.bars)
        names = std::max(names, small.horizontalAdvance(text_of(parameter(bar.id).label)));
    names = std::min(names, area.width() * 0.36);
    const double value = small.horizontalAdvance(QStringLiteral("+100.0 %")) + 6;
    field_ = QRectF(area.left() + names + 8 + value, top, area.width() - names - 8 - 2 * value, count * kRow);

    // The same ends to both sides of zero as the bars have.
    low_ = 0;
    high_ = 0;
    for (const Sensitivity* found : {&ranked, static_cast<const Sensitivity*>(&data_.held)}) {
        for (const SensitivityBar& bar : found->bars) {
            for (const auto& end : {bar.less, bar.more}) {
                if (!end || std::isnan(end->value)) continue;
                low_ = std::min(low_, end->value / found->now - 1);
                high_ = std::max(high_, end->value / found->now - 1);
            }
        }
    }
    constexpr double kLeast = 0.02;
    // What runs far off says no more than that it does.
    constexpr double kMost = 2;
    low_ = -round_top(std::clamp(-low_, kLeast, 1.0), 3);
    high_ = round_top(std::clamp(high_, kLeast, kMost), 3);

    const std::vector<double> ticks = linear_ticks(low_, high_, kMostTicks);
    for (const double tick : ticks) {
        const double x = std::round(x_of(tick)) + 0.5;
        painter.setPen(QPen(t.grid, 1));
        painter.drawLine(QPointF(x, field_.top()), QPointF(x, field_.bottom()));
    }
    for (int i = 0; i < count; ++i) {
        const QRectF line(area.left(), top + i * kRow, area.width(), kRow);
        rows_.push_back(line);
        const int bar = first_ + i;
        if (bar == selected_) {
            painter.setPen(QPen(t.accent, 2));
            painter.setBrush(Qt::NoBrush);
            painter.drawRect(line.adjusted(0, 1, 0, -1));
        }
        paint_row(painter, line, ranked.bars[static_cast<std::size_t>(bar)]);
    }
    const double zero = std::round(x_of(0)) + 0.5;
    painter.setPen(QPen(t.text, 1));
    painter.drawLine(QPointF(zero, field_.top()), QPointF(zero, field_.bottom()));
    painter.setPen(QPen(t.border, 1));
    painter.drawLine(QPointF(field_.left(), field_.bottom() + 0.5),
                     QPointF(field_.right(), field_.bottom() + 0.5));
    double beyond = -1e9;
    for (const double tick : ticks) {
        const double x = std::round(x_of(tick)) + 0.5;
        painter.setPen(QPen(t.border, 1));
        painter.drawLine(QPointF(x, field_.bottom()), QPointF(x, field_.bottom() + kTickLength));
        const QString text =
            tick == 0 ? QStringLiteral("0") : signed_percent(tick).remove(QStringLiteral(".0"));
        const double width = small.horizontalAdvance(text);
        if (x - width / 2 < beyond + 6) continue;
        beyond = x + width / 2;
        draw_text(painter, {x - width / 2, field_.bottom() + kTickLength + 2 + small.ascent()}, text,
                  fonts_.small, t.muted);
    }
    const QString axis = tr("Change from %1").arg(shown(ranked.now, row.quantity));
    draw_text(painter,
              {field_.center().x() - bold.horizontalAdvance(axis) / 2,
               field_.bottom() + kTickLength + small.height() + 4 + bold.ascent()},
              axis, fonts_.bold, t.text);
    QStringList rest;
    if (count < bars()) rest += tr("%1 to %2 of %3 inputs").arg(first_ + 1).arg(first_ + count).arg(bars());
    rest +=
        tr("%1 more change less than %2").arg(ranked.without_effect).arg(shown(kNoEffect, Quantity::percent));
    draw_text(
        painter,
        {area.left(), field_.bottom() + kTickLength + small.height() + bold.height() + 6 + small.ascent()},
        small.elidedText(rest.join(QStringLiteral("; ")), Qt::ElideRight, area.width()), fonts_.small,
        t.muted);
}

void SensitivityFigure::paint_row(QPainter& painter, const QRectF& row, const SensitivityBar& bar) const {
    const QFontMetricsF small(fonts_.small);
    const double base = std::round(row.center().y() + (small.ascent() - small.descent()) / 2);
    const double value = small.horizontalAdvance(QStringLiteral("+100.0 %")) + 6;
    const double room = field_.left() - value - 4 - row.left();
    draw_text(painter, {row.left() + 3, base},
              small.elidedText(text_of(parameter(bar.id).label), Qt::ElideRight, room), fonts_.small,
              theme_->text);
    QRectF strip(field_.left(), std::round(row.center().y() - kBar / 2), field_.width(), kBar);
    const SensitivityBar* held = data_.anew ? held_bar(bar.id) : nullptr;
    const auto paint = [&](const QRectF& at, const SensitivityBar& shown_bar) {
        const QColor color = color_of(bar.id);
        // The shorter one over the longer one, where both reach to the same side.
        const auto length = [&](bool more) {
            const auto& end = more ? shown_bar.more : shown_bar.less;
            return end ? std::fabs(tip_of(*end, more) - x_of(0)) : 0;
        };
        const bool more_first = length(true) > length(false);
        for (const bool more : {more_first, !more_first}) {
            const auto& end = more ? shown_bar.more : shown_bar.less;
            if (end) paint_end(painter, at, *end, more, color);
        }
    };
    if (data_.anew) {
        // As on the sliders' tracks: a narrow strip for the plan held, a broad one for the plan found anew.
        constexpr double kNarrow = 3;
        if (held) paint(QRectF(strip.left(), strip.top(), strip.width(), kNarrow), *held);
        strip.setTop(strip.top() + kNarrow + 1);
    }
    paint(strip, bar);
    name_ends(painter, strip, bar, held);
}

double SensitivityFigure::tip_of(const SensitivityEnd& end, bool more) const {
    if (std::isnan(end.value)) return x_of(0) + (more ? kArrow : -kArrow);
    return x_of(std::clamp(end.value / data_.ranked().now - 1, low_, high_));
}

// The end that reaches farthest to each side, beyond all that is drawn there.
void SensitivityFigure::name_ends(QPainter& painter, const QRectF& strip, const SensitivityBar& bar,
                                  const SensitivityBar* held) const {
    const QFontMetricsF small(fonts_.small);
    const double base = std::round(strip.center().y() + (small.ascent() - small.descent()) / 2);
    const double zero = x_of(0);
    constexpr double kSays = 0.0005;  // shown as more than 0.0 %
    for (const double way : {-1.0, 1.0}) {
        QString text;
        bool fits = true;
        double named = 0;
        double reach = 0;
        for (const SensitivityBar* one : {&bar, held}) {
            if (!one) continue;
            for (const bool more : {false, true}) {
                const auto& end = more ? one->more : one->less;
                if (!end) continue;
                const double length = way * (tip_of(*end, more) - zero);
                reach = std::max(reach, length);
                if (one != &bar || length <= named) continue;
                const double change = end->value / data_.ranked().now - 1;
                if (std::fabs(change) < kSays) continue;
                named = length;
                fits = !std::isnan(end->value);
                text = fits ? signed_percent(change) : tr("does not fit");
            }
        }
        if (text.isEmpty()) continue;
        const double at = zero + way * (reach + 4);
        draw_text(painter, {way > 0 ? at : at - small.horizontalAdvance(text), base}, text, fonts_.small,
                  fits ? theme_->text : theme_->muted, theme_->pane);
    }
}

void SensitivityFigure::paint_end(QPainter& painter, const QRectF& strip, const SensitivityEnd& end,
                                  bool more, const QColor& color) const {
    const Theme& t = *theme_;
    const double zero = x_of(0);
    painter.setRenderHint(QPainter::Antialiasing, true);
    if (std::isnan(end.value)) {
        // It does not fit: a hatched arrow to the side the input goes to, with no length that means anything.
        const double way = more ? 1 : -1;
        const double half = strip.height() / 2;
        const double tip = tip_of(end, more);
        QPainterPath arrow(QPointF(zero, strip.top()));
        arrow.lineTo(tip - way * half, strip.top());
        arrow.lineTo(tip, strip.center().y());
        arrow.lineTo(tip - way * half, strip.bottom());
        arrow.lineTo(zero, strip.bottom());
        arrow.closeSubpath();
        painter.save();
        painter.setClipPath(arrow);
        fill_hatch(painter, arrow.boundingRect(), t, 5, 1.4);
        painter.restore();
        painter.setPen(QPen(t.border, 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawPath(arrow);
        return;
    }
    const double at = tip_of(end, more);
    QRectF box(std::min(zero, at), strip.top(), std::fabs(at - zero), strip.height());
    if (!end.fits) {
        fill_hatch(painter, box, t, 5, 1.4);
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(t.border, 1));
        painter.drawRect(box);
    } else {
        QColor fill = color;
        if (!more) {
            constexpr float kPale = 0.35F;
            const auto mixed = [&](int a, int b) {
                return static_cast<int>(
                    std::lround(kPale * static_cast<float>(a) + (1 - kPale) * static_cast<float>(b)));
            };
            fill = QColor(mixed(color.red(), t.pane.red()), mixed(color.green(), t.pane.green()),
                          mixed(color.blue(), t.pane.blue()));
        }
        painter.fillRect(box, fill);
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(color, 1));
        if (box.width() > 1) painter.drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5));
    }
}

void SensitivityFigure::paint_shares(QPainter& painter, const QRectF& area) const {
    const Theme& t = *theme_;
    const QFontMetricsF small(fonts_.small);
    double y = area.top() + QFontMetricsF(fonts_.bold).ascent();
    draw_text(painter, {area.left(), y}, tr("1 % more of each brings"), fonts_.bold, t.text);
    constexpr std::array kWalls{Wall::compute, Wall::memory_bandwidth, Wall::intra_node, Wall::inter_node,
                                Wall::latency};
    double sum = 0;
    const double value = area.right() - small.horizontalAdvance(QStringLiteral("0.00 %"));
    const double bars = value - 28;
    const auto line = [&](const QString& name, double share) {
        y += kLine;
        draw_text(painter, {area.left() + 14, y},
                  small.elidedText(name, Qt::ElideRight, bars - area.left() - 18), fonts_.small, t.text);
        const QString text = QString::number(share, 'f', 2) + QStringLiteral(" %");
        draw_text(painter, {area.right() - small.horizontalAdvance(text), y}, text, fonts_.small, t.text);
    };
    for (std::size_t i = 0; i < kRates; ++i) {
        const double share = data_.shown ? data_.elasticity[i] : 0;
        sum += share;
        line(text_of(label_of(kWalls[i])), share);
        const QColor color = t.of(kWalls[i]);
        painter.fillRect(QRectF(area.left(), y - 8, 8, 8), color);
        painter.fillRect(QRectF(bars, y - 8, 22, 8), t.grid);
        painter.fillRect(QRectF(bars, y - 8, 22 * std::clamp(share, 0.0, 1.0), 8), color);
    }
    painter.setPen(QPen(t.line, 1));
    painter.drawLine(QPointF(area.left(), std::round(y + 4) + 0.5),
                     QPointF(area.right(), std::round(y + 4) + 0.5));
    y += 3;
    line(data_.anew ? tr("sum, plan held") : tr("sum of the five"), sum);
}

void SensitivityFigure::paint_levers(QPainter& painter, const QRectF& area) const {
    const Theme& t = *theme_;
    const QFontMetricsF small(fonts_.small);
    double y = area.top() + QFontMetricsF(fonts_.bold).ascent();
    draw_text(painter, {area.left(), y}, tr("Levers, tokens/s"), fonts_.bold, t.text);
    const auto line = [&](const QString& name, double lever) {
        y += kLine;
        const QString text = data_.shown ? signed_percent(std::exp2(lever) - 1) : QStringLiteral("–");
        draw_text(painter, {area.right() - small.horizontalAdvance(text), y}, text, fonts_.small, t.text);
        draw_text(painter, {area.left(), y}, small.elidedText(name, Qt::ElideRight, area.width() - 52),
                  fonts_.small, t.text);
    };
    if (!data_.anew_levers) {
        line(tr("GPU memory × 2"), data_.held_levers.gpu_memory);
        line(tr("batch × 2"), data_.held_levers.batch);
        return;
    }
    line(tr("GPU memory × 2, held"), data_.held_levers.gpu_memory);
    line(tr("GPU memory × 2, anew"), data_.anew_levers->gpu_memory);
    line(tr("batch × 2, held"), data_.held_levers.batch);
}

// ---- words -----------------------------------------------------------------------------------------------

QString SensitivityFigure::description() const {
    const Sensitivity& ranked = data_.ranked();
    QStringList names;
    constexpr int kNamed = 5;
    for (int i = 0; i < std::min(kNamed, bars()); ++i) names += text_of(parameter(*input_of(i)).label);
    QString out = tr("What changes %1 most when it becomes %2: %3.")
                      .arg(text_of(output(ranked.output).label), change_text(ranked.change),
                           names.join(QStringLiteral(", ")));
    if (const auto id = input_of(selected_))
        out += QLatin1Char(' ') + tr("Selected: %1.").arg(text_of(parameter(*id).label));
    return out;
}

QString sensitivity_words(const SensitivityData& data) {
    const Sensitivity& ranked = data.ranked();
    QStringList out{
        tr("Each input becomes %1 (the nearest valid values), all else held; sorted by what that does to %2, "
           "now %3.")
            .arg(change_text(ranked.change), text_of(output(ranked.output).label),
                 data.shown ? shown(ranked.now, output(ranked.output).quantity) : QStringLiteral("–"))};
    const bool breaks = std::ranges::any_of(ranked.bars, [](const SensitivityBar& bar) {
        return (bar.less && !bar.less->fits) || (bar.more && !bar.more->fits);
    });
    if (breaks) out += tr("Hatched: does not fit in %1.").arg(shown(data.capacity, Quantity::bytes));
    if (data.anew) out += tr("Upper strips: the plan held; lower: found anew at every end.");
    return out.join(QLatin1Char(' '));
}

}  // namespace shardscope
