#include "widgets/plots/sensitivity/sensitivity_figure.h"

#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "widgets/drawing.h"
#include "widgets/plots/sensitivity/sensitivity_lists.h"
#include "widgets/plots/sensitivity/sensitivity_words.h"
#include "widgets/text.h"

namespace shardscope {
namespace {

constexpr double kBarPadding = 10;
constexpr double kBarRow = 22;
constexpr double kBar = 12;
constexpr double kNarrow = 3;         // height of the bar with the plan held, above the re-planned bar
constexpr double kWide = 640;         // if narrower, the lists are below the bars
constexpr double kArrow = 30;         // length of the arrow for an end that does not fit
constexpr double kVisible = 0.0005;   // smallest change that is not shown as 0.0 %
constexpr double kLargestChange = 2;  // largest change on the axis; longer bars end beyond it
constexpr int kChangeTicks = 6;

double relative(double value, const Sensitivity& of) { return value / of.now - 1; }

// Joins phrases into as many lines as they need.
QStringList lines_of(const QStringList& phrases, const QFontMetricsF& metrics, double width) {
    QStringList out;
    for (const QString& phrase : phrases) {
        const QString longer = out.isEmpty() ? phrase : out.back() + QStringLiteral("; ") + phrase;
        if (!out.isEmpty() && metrics.horizontalAdvance(longer + QLatin1Char(';')) <= width) {
            out.back() = longer;
        } else {
            if (!out.isEmpty()) out.back() += QLatin1Char(';');
            out += phrase;
        }
    }
    return out;
}

}  // namespace

void SensitivityFigure::set_style(const Theme& theme, const QFont& font) {
    theme_ = &theme;
    fonts_ = FigureFonts(font);
}

void SensitivityFigure::set_data(SensitivityData data) {
    const std::optional<P> kept = input_of(selected_);
    data_ = std::move(data);
    // The selection stays with its input, even if the input's rank changes.
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

// Returns the colour of the wall that belongs to a rate.
QColor SensitivityFigure::color_of(P id) const {
    switch (id) {
        case P::peak_flops: return theme_->of(Wall::compute);
        case P::memory_bandwidth: return theme_->of(Wall::memory_bandwidth);
        case P::intra_node_bandwidth: return theme_->of(Wall::intra_node);
        case P::inter_node_bandwidth: return theme_->of(Wall::inter_node);
        case P::host_bandwidth: return theme_->of(Wall::host_link);
        default: return theme_->latency;
    }
}

double SensitivityFigure::x_of(double change) const {
    return field_.left() + field_.width() * (change - low_) / (high_ - low_);
}

std::optional<double> SensitivityFigure::limit() const {
    const Sensitivity& ranked = data_.ranked();
    if (ranked.output != Output::peak_memory) return std::nullopt;
    const double change = relative(data_.capacity, ranked);
    return change <= kLargestChange ? std::optional(change) : std::nullopt;
}

std::optional<double> SensitivityFigure::limit_x() const {
    const auto change = limit();
    return change ? std::optional(x_of(*change)) : std::nullopt;
}

double SensitivityFigure::left_margin() const {
    const QFontMetricsF small(fonts_.small);
    const bool makes_fit = std::ranges::any_of(data_.ranked().bars, &SensitivityBar::makes_fit);
    return small.horizontalAdvance(makes_fit ? tr("%1 fits").arg(QStringLiteral("−100.0 %"))
                                             : QStringLiteral("−100.0 %")) +
           6;
}

double SensitivityFigure::right_margin() const {
    return QFontMetricsF(fonts_.small).horizontalAdvance(QStringLiteral("+100.0 %")) + 6;
}

// Sets the ends of the axis on both sides of zero to those of the longest bars, within limits.
void SensitivityFigure::find_range() {
    low_ = 0;
    high_ = 0;
    const auto include = [&](double change) {
        if (std::isnan(change)) return;
        low_ = std::min(low_, change);
        high_ = std::max(high_, change);
    };
    const auto include_all = [&](const Sensitivity& found) {
        for (const SensitivityBar& bar : found.bars) {
            for (const auto& end : {bar.less, bar.more}) {
                if (end) include(relative(end->value, found));
            }
        }
    };
    include_all(data_.held);
    if (data_.anew) include_all(*data_.anew);
    for (const SensitivityGhost& ghost : data_.ghosts) include_all(ghost.held);
    if (const auto at = limit()) include(*at);
    constexpr double kLeast = 0.02;
    low_ = -round_top(std::clamp(-low_, kLeast, 1.0), 3);
    high_ = round_top(std::clamp(high_, kLeast, kLargestChange), 3);
}

// ---- drawing ---------------------------------------------------------------------------------------------

void SensitivityFigure::paint(QPainter& painter, const QRectF& area) {
    painter.fillRect(area, theme_->pane);
    rows_.clear();
    lists_ = {};
    if (data_.held.bars.empty()) return;
    QRectF inside = area.adjusted(kBarPadding, 8, -kBarPadding, -6);
    // Without tokens/s the lists are empty.
    if (data_.rates) {
        const SensitivityLists lists(data_, *theme_, fonts_);
        constexpr double kGap = 14;
        if (area.width() >= kWide) {
            lists_ = QRectF(inside.right() - lists.width(), inside.top(), lists.width(), inside.height());
            lists.paint_shares(painter, lists_);
            lists.paint_levers(painter, lists_.adjusted(0, lists.height() + kGap, 0, 0));
            inside.setRight(lists_.left() - kGap);
        } else {
            lists_ = QRectF(inside.left(), inside.bottom() - lists.height(), inside.width(), lists.height());
            const QRectF half(lists_.topLeft(), QSizeF((lists_.width() - kGap) / 2, lists_.height()));
            lists.paint_shares(painter, half);
            lists.paint_levers(painter, half.translated(half.width() + kGap, 0));
            inside.setBottom(lists_.top() - 8);
        }
    }
    paint_bars(painter, inside);
    dim(painter, area, *theme_, strength_);
}

double SensitivityFigure::paint_heading(QPainter& painter, const QRectF& area) const {
    const QFontMetricsF small(fonts_.small);
    const QFontMetricsF bold(fonts_.bold);
    draw_text(painter, {area.left(), area.top() + bold.ascent()},
              bold.elidedText(sensitivity_title(data_), Qt::ElideRight, area.width()), fonts_.bold,
              theme_->text);
    double top = area.top() + bold.height() + 2;
    const auto write = [&](const QStringList& phrases, const QColor& color) {
        for (const QString& line : lines_of(phrases, small, area.width())) {
            draw_text(painter, {area.left(), top + small.ascent()},
                      small.elidedText(line, Qt::ElideRight, area.width()), fonts_.small, color);
            top += small.height();
        }
    };
    if (data_.instead()) {
        QStringList note{sensitivity_note(data_)};
        if (limit()) note += tr("the dashed line is the usable memory");
        if (!data_.held.fits && std::isnan(data_.asked_value))
            note += tr("%1 has no value until it fits").arg(text_of(label_of(data_.asked)));
        write(note, theme_->text);
    }
    write(sensitivity_key(data_), theme_->muted);
    return data_.ghosts.empty() ? top : paint_pins(painter, area, top + 4);
}

// Lists every pin with its tag, its dash pattern and the value from which its bars start.
double SensitivityFigure::paint_pins(QPainter& painter, const QRectF& area, double top) const {
    const QFontMetricsF small(fonts_.small);
    constexpr double kSample = 22;
    const OutputRow& row = output(data_.held.output);
    double x = area.left();
    for (const SensitivityGhost& ghost : data_.ghosts) {
        const QString text = ghost.rates || !row.requires_fit
                                 ? tr("from %1").arg(shown(ghost.held.now, row.quantity))
                                 : tr("does not fit");
        const double width = kTag + 4 + kSample + 4 + small.horizontalAdvance(text);
        if (x > area.left() && x + width > area.right()) {
            x = area.left();
            top += kTag + 2;
        }
        const QColor color = pin_color(*theme_, ghost.letter);
        draw_tag(painter, QRectF(x, top, kTag, kTag), ghost.letter, color, fonts_.small_bold);
        painter.setPen(line_pen(color, 2, pin_dash(ghost.letter)));
        painter.drawLine(QPointF(x + kTag + 4, top + kTag / 2),
                         QPointF(x + kTag + 4 + kSample, top + kTag / 2));
        draw_text(painter, {x + kTag + kSample + 8, top + (kTag + small.ascent() - small.descent()) / 2},
                  text, fonts_.small, theme_->text);
        x += width + 14;
    }
    return top + kTag;
}

void SensitivityFigure::paint_bars(QPainter& painter, const QRectF& area) {
    const Theme& t = *theme_;
    const Sensitivity& ranked = data_.ranked();
    const QFontMetricsF small(fonts_.small);
    const QFontMetricsF bold(fonts_.bold);
    double top = paint_heading(painter, area) + 6;
    if (limit()) top += small.height() + 2;
    const double foot = 2 * small.height() + kTickLength + bold.height() + 10;

    // Show as many bars as there is room for, including the selected one.
    const int room = std::max(1, static_cast<int>((area.bottom() - foot - top) / kBarRow));
    if (selected_ >= 0) first_ = std::clamp(first_, selected_ - room + 1, selected_);
    first_ = std::clamp(first_, 0, std::max(0, bars() - room));
    const int count = std::min(room, bars() - first_);

    double names = 0;
    for (const SensitivityBar& bar : ranked.bars)
        names = std::max(names, small.horizontalAdvance(text_of(label_of(bar.id))));
    constexpr double kWidestNames = 0.42;  // of the width
    names = std::min(names, area.width() * kWidestNames);
    const double left = area.left() + names + 8 + left_margin();
    field_ = QRectF(left, top, area.right() - right_margin() - left, count * kBarRow);
    find_range();

    for (const double tick : linear_ticks(low_, high_, kChangeTicks)) {
        const double x = std::round(x_of(tick)) + 0.5;
        painter.setPen(QPen(t.grid, 1));
        painter.drawLine(QPointF(x, field_.top()), QPointF(x, field_.bottom()));
    }
    for (int i = 0; i < count; ++i) {
        const QRectF line(area.left(), top + i * kBarRow, area.width(), kBarRow);
        rows_.push_back(line);
        const int bar = first_ + i;
        if (bar == selected_) {
            painter.setPen(QPen(t.accent, 2));
            painter.setBrush(Qt::NoBrush);
            painter.drawRect(line.adjusted(0, 1, 0, -1));
        }
        paint_strips(painter, line, ranked.bars[static_cast<std::size_t>(bar)]);
    }
    const double zero = std::round(x_of(0)) + 0.5;
    painter.setPen(QPen(t.text, 1));
    painter.drawLine(QPointF(zero, field_.top()), QPointF(zero, field_.bottom()));
    if (limit()) paint_limit(painter, area);
    // Text is drawn over all lines.
    for (std::size_t i = 0; i < rows_.size(); ++i)
        paint_words(painter, rows_[i], ranked.bars[static_cast<std::size_t>(first_) + i]);
    paint_ticks(painter, area);
}

// Paints the axis below the bars, and how many bars there are.
void SensitivityFigure::paint_ticks(QPainter& painter, const QRectF& area) const {
    const Theme& t = *theme_;
    const Sensitivity& ranked = data_.ranked();
    const QFontMetricsF small(fonts_.small);
    const QFontMetricsF bold(fonts_.bold);
    painter.setPen(QPen(t.border, 1));
    painter.drawLine(QPointF(field_.left(), field_.bottom() + 0.5),
                     QPointF(field_.right(), field_.bottom() + 0.5));
    // Zero and the ends are the most important ticks.
    std::vector<double> ticks = linear_ticks(low_, high_, kChangeTicks);
    std::ranges::stable_sort(ticks, std::greater<>(), [](double tick) {
        return tick == 0 ? std::numeric_limits<double>::infinity() : std::fabs(tick);
    });
    LabelPlacer room(QRectF(area.left(), field_.bottom(), area.width() + kBarPadding, area.height()));
    for (const double tick : ticks) {
        const double x = std::round(x_of(tick)) + 0.5;
        painter.setPen(QPen(t.border, 1));
        painter.drawLine(QPointF(x, field_.bottom()), QPointF(x, field_.bottom() + kTickLength));
        const QString text =
            tick == 0 ? QStringLiteral("0") : signed_percent(tick).remove(QStringLiteral(".0"));
        const QSizeF size(small.horizontalAdvance(text), small.height());
        const auto box = room.place(size, {QPointF(x - size.width() / 2, field_.bottom() + kTickLength + 2)});
        if (box) draw_text(painter, {box->left(), box->top() + small.ascent()}, text, fonts_.small, t.muted);
    }
    const QString axis =
        tr("%1, relative change from %2")
            .arg(text_of(label_of(ranked.output)), shown(ranked.now, output(ranked.output).quantity));
    const double axis_width = bold.horizontalAdvance(axis);
    draw_text(painter,
              {std::clamp(field_.center().x() - axis_width / 2, area.left(),
                          std::max(area.left(), area.right() - axis_width)),
               field_.bottom() + kTickLength + small.height() + 4 + bold.ascent()},
              axis, fonts_.bold, t.text);
    QStringList rest;
    const int count = static_cast<int>(rows_.size());
    if (count < bars())
        rest += tr("%1 to %2 of the %3 with an effect").arg(first_ + 1).arg(first_ + count).arg(bars());
    rest += tr("%1 others change it by less than %2")
                .arg(ranked.without_effect)
                .arg(shown(kNoEffect, Quantity::percent));
    draw_text(
        painter,
        {area.left(), field_.bottom() + kTickLength + small.height() + bold.height() + 6 + small.ascent()},
        small.elidedText(rest.join(QStringLiteral("; ")), Qt::ElideRight, area.width()), fonts_.small,
        t.muted);
}

// Paints the usable memory as in the memory bar: a dashed line with its label above.
void SensitivityFigure::paint_limit(QPainter& painter, const QRectF& area) const {
    const double x = std::round(x_of(*limit())) + 0.5;
    painter.setPen(line_pen(theme_->text, 1, {4, 3}));
    painter.drawLine(QPointF(x, field_.top() - 2), QPointF(x, field_.bottom()));
    const QFontMetricsF metrics(fonts_.small_bold);
    const QString text = tr("usable %1").arg(shown(data_.capacity, Quantity::bytes));
    const double width = metrics.horizontalAdvance(text);
    draw_text(
        painter,
        {std::clamp(x - width / 2, area.left(), area.right() - width), field_.top() - 4 - metrics.descent()},
        text, fonts_.small_bold, theme_->text);
}

QRectF SensitivityFigure::strip_of(const QRectF& row) const {
    QRectF strip(field_.left(), std::round(row.center().y() - kBar / 2), field_.width(), kBar);
    if (data_.anew) strip.setTop(strip.top() + kNarrow + 1);
    return strip;
}

void SensitivityFigure::paint_strips(QPainter& painter, const QRectF& row, const SensitivityBar& bar) const {
    const QRectF strip = strip_of(row);
    // As on the sliders' tracks, there is a narrow strip for the plan held and a broad one for the re-planned
    // values.
    const SensitivityBar* held = data_.anew ? held_bar(bar.id) : nullptr;
    if (held)
        paint_bar(painter, QRectF(strip.left(), strip.top() - kNarrow - 1, strip.width(), kNarrow), *held);
    paint_bar(painter, strip, bar);
    if (limit()) paint_own_limits(painter, row, bar);
}

void SensitivityFigure::paint_words(QPainter& painter, const QRectF& row, const SensitivityBar& bar) const {
    const QFontMetricsF small(fonts_.small);
    const double base = std::round(row.center().y() + (small.ascent() - small.descent()) / 2);
    draw_text(painter, {row.left() + 3, base},
              small.elidedText(text_of(label_of(bar.id)), Qt::ElideRight,
                               field_.left() - left_margin() - 4 - row.left()),
              fonts_.small, theme_->text);
    LabelPlacer room(row);
    const std::vector<PinEnd> ends = pin_ends(bar.id);
    for (const PinEnd& end : ends) {
        painter.setPen(line_pen(pin_color(*theme_, end.letter), 2, pin_dash(end.letter)));
        painter.drawLine(QPointF(end.x, row.top() + 1), QPointF(end.x, row.bottom() - 1));
        room.take(QRectF(end.x - 1, row.top(), 2, row.height()));
    }
    name_ends(painter, row, bar, ends, room);
    // The pins' letters avoid the bars, except in the topmost and the selected row.
    if (row != rows_.front() && row != row_of(selected_)) reserve_bars(row, bar, room);
    name_pin_ends(painter, row, ends, room);
}

void SensitivityFigure::paint_bar(QPainter& painter, const QRectF& strip, const SensitivityBar& bar) const {
    const QColor color = color_of(bar.id);
    // If both ends are on the same side, the shorter one is drawn over the longer one.
    const auto length = [&](bool more) {
        const auto& end = more ? bar.more : bar.less;
        return end ? std::fabs(tip_of(*end, more) - x_of(0)) : 0;
    };
    const bool more_first = length(true) > length(false);
    for (const bool more : {more_first, !more_first}) {
        const auto& end = more ? bar.more : bar.less;
        if (end) paint_end(painter, strip, *end, more, color);
    }
}

double SensitivityFigure::tip_of(const SensitivityEnd& end, bool more) const {
    if (std::isnan(end.value)) return x_of(0) + (more ? kArrow : -kArrow);
    return x_of(std::clamp(relative(end.value, data_.ranked()), low_, high_));
}

void SensitivityFigure::paint_end(QPainter& painter, const QRectF& strip, const SensitivityEnd& end,
                                  bool more, const QColor& color) const {
    const Theme& t = *theme_;
    const double zero = x_of(0);
    painter.setRenderHint(QPainter::Antialiasing, true);
    if (std::isnan(end.value)) {
        // If it does not fit, a hatched arrow points to the side to which the input changes; the arrow's
        // length has no meaning.
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
    const QRectF box(std::min(zero, at), strip.top(), std::fabs(at - zero), strip.height());
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
    if (!end.fits) hatch_over(painter, box, t, more ? t.pane : t.border, 5, 1.4);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(color, 1));
    if (box.width() > 1) painter.drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5));
}

// An input that changes the usable memory moves the dashed line in its own row.
std::vector<double> SensitivityFigure::own_limits(const SensitivityBar& bar) const {
    std::vector<double> out;
    for (const auto& end : {bar.less, bar.more}) {
        if (!end || end->fits == data_.ranked().fits || end->capacity == data_.capacity) continue;
        const double change = relative(end->capacity, data_.ranked());
        if (change >= low_ && change <= high_) out.push_back(std::round(x_of(change)) + 0.5);
    }
    return out;
}

void SensitivityFigure::paint_own_limits(QPainter& painter, const QRectF& row,
                                         const SensitivityBar& bar) const {
    painter.setPen(line_pen(theme_->text, 1, {4, 3}));
    for (const double x : own_limits(bar))
        painter.drawLine(QPointF(x, row.top() + 1), QPointF(x, row.bottom() - 1));
}

// A number stays at the end of its bar, so the dashed lines are interrupted there; otherwise they would
// strike it through.
void SensitivityFigure::clear_limits(QPainter& painter, const QRectF& words,
                                     const SensitivityBar& bar) const {
    if (!limit()) return;
    std::vector<double> lines = own_limits(bar);
    lines.push_back(std::round(*limit_x()) + 0.5);
    for (const double x : lines) {
        if (x > words.left() - 2 && x < words.right() + 2)
            painter.fillRect(QRectF(x - 1.5, words.top(), 3, words.height()), theme_->pane);
    }
}

// ---- labels of the bars' ends ----------------------------------------------------------------------------

std::optional<SensitivityFigure::EndWords> SensitivityFigure::words_of(const SensitivityEnd& end, double way,
                                                                       bool more) const {
    const Sensitivity& ranked = data_.ranked();
    const double length = way * (tip_of(end, more) - x_of(0));
    if (std::isnan(end.value)) {
        if (length < 0) return std::nullopt;
        return EndWords{tr("does not fit"), theme_->muted, length, false};
    }
    const double change = relative(end.value, ranked);
    const bool visible = std::fabs(change) >= kVisible;
    const bool here = visible ? length > 0 : more == (way > 0);
    if (!here) return std::nullopt;
    if (end.fits && !ranked.fits) {
        const QString text = visible ? tr("%1 fits").arg(signed_percent(change)) : tr("fits");
        return EndWords{text, theme_->fits.text, std::max(0.0, length), true};
    }
    if (visible) return EndWords{signed_percent(change), theme_->text, length, false};
    if (end.fits == ranked.fits) return std::nullopt;
    return EndWords{tr("does not fit"), theme_->muted, 0, false};
}

// Labels the farthest end on each side, beyond everything that is drawn there, and beyond a tick of a pin
// that would strike through the label.
void SensitivityFigure::name_ends(QPainter& painter, const QRectF& row, const SensitivityBar& bar,
                                  const std::vector<PinEnd>& pins, LabelPlacer& room) const {
    const QFontMetricsF small(fonts_.small);
    const double base = std::round(row.center().y() + (small.ascent() - small.descent()) / 2);
    const SensitivityBar* held = data_.anew ? held_bar(bar.id) : nullptr;
    const double zero = x_of(0);
    for (const double way : {-1.0, 1.0}) {
        std::optional<EndWords> words;
        double reach = 0;
        for (const SensitivityBar* one : {&bar, held}) {
            if (!one) continue;
            for (const bool more : {false, true}) {
                const auto& end = more ? one->more : one->less;
                if (!end) continue;
                reach = std::max(reach, way * (tip_of(*end, more) - zero));
                if (one != &bar) continue;
                const auto found = words_of(*end, way, more);
                if (found &&
                    (!words || (found->first != words->first ? found->first : found->length > words->length)))
                    words = found;
            }
        }
        if (!words) continue;
        const double width = small.horizontalAdvance(words->text);
        double at = zero + way * (reach + 4);
        std::vector<PinEnd> outward = pins;
        std::ranges::sort(outward, {}, [&](const PinEnd& pin) { return way * pin.x; });
        for (const PinEnd& pin : outward) {
            const double off = way * (pin.x - at);
            if (off > -3 && off < width + 3) at = pin.x + way * 4;
        }
        const double left = way > 0 ? at : at - width;
        clear_limits(painter, QRectF(left, base - small.ascent(), width, small.height()), bar);
        draw_text(painter, {left, base}, words->text, fonts_.small, words->color, theme_->pane);
        room.take(QRectF(left - 1, row.top(), width + 2, row.height()));
    }
}

std::vector<SensitivityFigure::PinEnd> SensitivityFigure::pin_ends(P id) const {
    std::vector<PinEnd> out;
    for (const SensitivityGhost& ghost : data_.ghosts) {
        const auto bar = std::ranges::find(ghost.held.bars, id, &SensitivityBar::id);
        if (bar == ghost.held.bars.end()) continue;
        for (const auto& end : {bar->less, bar->more}) {
            if (!end) continue;
            const double change = relative(end->value, ghost.held);
            // An end outside the axis is not shown.
            if (std::fabs(change) >= kVisible && change >= low_ && change <= high_)
                out.push_back({ghost.letter, x_of(change)});
        }
    }
    return out;
}

void SensitivityFigure::reserve_bars(const QRectF& row, const SensitivityBar& bar, LabelPlacer& room) const {
    for (const SensitivityBar* one : {&bar, data_.anew ? held_bar(bar.id) : nullptr}) {
        if (!one) continue;
        for (const bool more : {false, true}) {
            const auto& end = more ? one->more : one->less;
            if (!end) continue;
            const double tip = tip_of(*end, more);
            room.take(QRectF(std::min(tip, x_of(0)), row.top(), std::fabs(tip - x_of(0)), row.height()));
        }
    }
}

void SensitivityFigure::name_pin_ends(QPainter& painter, const QRectF& row, const std::vector<PinEnd>& ends,
                                      LabelPlacer& room) const {
    // The letter is beside its tick if there is room for it.
    const QFontMetricsF metrics(fonts_.small_bold);
    for (const PinEnd& end : ends) {
        const QString letter(QLatin1Char(end.letter));
        const QSizeF size(metrics.horizontalAdvance(letter), metrics.ascent());
        const double way = end.x < x_of(0) ? -1 : 1;
        const double top = row.center().y() - size.height() / 2;
        const QPointF right(end.x + 3, top);
        const QPointF left(end.x - 3 - size.width(), top);
        const QList<QPointF> corners = way > 0 ? QList{right, left} : QList{left, right};
        if (const auto box = room.place(size, corners))
            draw_text(painter, {box->left(), box->bottom() - 1}, letter, fonts_.small_bold, theme_->text,
                      theme_->pane);
    }
}

// ---- description -----------------------------------------------------------------------------------------

QString SensitivityFigure::description() const {
    const Sensitivity& ranked = data_.ranked();
    QStringList names;
    constexpr int kNamed = 5;
    for (int i = 0; i < std::min(kNamed, bars()); ++i) names += text_of(label_of(*input_of(i)));
    QString out;
    if (data_.instead()) out = sensitivity_note(data_) + QStringLiteral(". ");
    out += tr("What changes %1 most when it becomes %2: %3.")
               .arg(text_of(label_of(ranked.output)), change_text(ranked.change),
                    names.join(QStringLiteral(", ")));
    if (const auto id = input_of(selected_))
        out += QLatin1Char(' ') + tr("Selected: %1.").arg(text_of(label_of(*id)));
    return out;
}

}  // namespace shardscope
