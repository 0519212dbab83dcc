#include "widgets/chart/plot_ruler.h"

#include <QEvent>
#include <QFontMetricsF>
#include <QPainter>
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "widgets/chart/figure_parts.h"
#include "widgets/drawing.h"
#include "widgets/text.h"

namespace shardscope {
namespace {

constexpr double kCardPadding = 8;
constexpr double kCardGap = 12;  // between the columns of the card, and from the line to the card
constexpr double kCardEdge = 2;  // px to the edge of the canvas
constexpr double kSwatch = 24;   // width of a piece of a curve, enough to tell its dashes
constexpr double kDot = 3.5;     // radius

// Returns the difference of two values as text: "−2.1 points", "+3 ms"; empty where one is missing.
QString difference(const RulerReading& from, const RulerReading& to) {
    if (std::isnan(from.value) || std::isnan(to.value)) return {};
    const double change = to.value - from.value;
    const QString sign = change > 0 ? QStringLiteral("+") : QString();
    if (to.quantity == Quantity::percent)
        return sign + tr("%1 points").arg(shown(change, to.quantity, false));
    return sign + to.written(change);
}

// Returns the largest width that a column may have so that columns which need these widths fit in `room`.
double widest_column(QList<double> widths, double room) {
    std::ranges::sort(widths);
    for (qsizetype i = 0; i < widths.size(); ++i) {
        const double share = room / static_cast<double>(widths.size() - i);
        if (widths[i] > share) return share;
        room -= widths[i];
    }
    return widths.back();
}

// Returns the reading of the same name in another stop.
const RulerReading* same_reading(const RulerStop& stop, const RulerReading& reading) {
    const auto found = std::ranges::find(stop.readings, reading.name, &RulerReading::name);
    return found == stop.readings.end() ? nullptr : &*found;
}

}  // namespace

QString RulerReading::shown() const {
    return std::isnan(value) ? (text.isEmpty() ? QStringLiteral("–") : text) : written(value);
}

QString RulerReading::written(double number) const {
    return exact ? exact_time(number) : shardscope::shown(number, quantity);
}

bool RulerStop::is_on_curve(const QPointF& pixel) const {
    constexpr double kNear = 6;  // px
    return std::ranges::any_of(readings, [&](const RulerReading& reading) {
        return std::hypot(x - pixel.x(), reading.y - pixel.y()) <= kNear;
    });
}

PlotRuler::PlotRuler(QWidget& canvas) : QWidget(&canvas) {
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setAttribute(Qt::WA_NoSystemBackground);
    setFocusPolicy(Qt::NoFocus);
    setGeometry(canvas.rect());
    canvas.installEventFilter(this);
    hide();  // until there is a source
}

void PlotRuler::set_source(Source source) {
    source_ = std::move(source);
    show();
}

void PlotRuler::hover(const QPointF& pixel) {
    if (!is_used()) return;
    const auto place = source_.place_at(pixel);
    const QRectF tip = shown_tip();
    if (place == hovered_ && tip == tip_) return;
    hovered_ = place;
    tip_ = tip;
    update();
}

QRectF PlotRuler::shown_tip() const {
    const QWidget* tip = shown_tool_tip();
    return tip ? QRectF(mapFromGlobal(tip->pos()), tip->size()) : QRectF();
}

void PlotRuler::leave() {
    if (!std::exchange(hovered_, std::nullopt)) return;
    update();
}

bool PlotRuler::fix(const QPointF& pixel) {
    const auto place = is_used() ? source_.place_at(pixel) : std::nullopt;
    if (!place) return false;
    before_ = fixed_;
    if (fixed_.size() == kMostFixed) fixed_.pop_back();
    fixed_.push_back(*place);
    update();
    return true;
}

bool PlotRuler::is_on_curve(const QPointF& pixel) const {
    const auto place = is_used() ? source_.place_at(pixel) : std::nullopt;
    const auto stop = place ? source_.stop_at(*place) : std::nullopt;
    return stop && stop->is_on_curve(pixel);
}

void PlotRuler::take_back() {
    fixed_ = before_;
    update();
}

bool PlotRuler::clear() {
    const bool any = !fixed_.empty();
    fixed_.clear();
    before_.clear();
    update();
    return any;
}

std::vector<PlotRuler::Column> PlotRuler::columns() const {
    std::vector<Column> out;
    if (!is_used()) return out;
    for (std::size_t i = 0; i < fixed_.size(); ++i)
        out.push_back({i == 0 ? QStringLiteral("A") : QStringLiteral("B"), source_.stop_at(fixed_[i])});
    // With A and B fixed, the pointer adds no third column.
    const bool apart = hovered_ && std::ranges::find(fixed_, *hovered_) == fixed_.end();
    if (apart && follows()) out.push_back({{}, source_.stop_at(*hovered_)});
    std::erase_if(out, [](const Column& column) { return !column.stop; });
    return out;
}

QString PlotRuler::fixed_words() const {
    std::vector<Column> fixed = columns();
    std::erase_if(fixed, [](const Column& column) { return column.title.isEmpty(); });
    return words_of(fixed);
}

QString PlotRuler::words_of(const std::vector<Column>& all) {
    QStringList lines;
    for (const Column& column : all) {
        lines << (column.title.isEmpty() ? column.stop->title
                                         : column.title + QStringLiteral(": ") + column.stop->title);
        for (const RulerReading& reading : column.stop->readings) {
            QString line = reading.name + QLatin1Char(' ') + reading.shown();
            const RulerReading* first =
                &column == all.data() ? nullptr : same_reading(*all.front().stop, reading);
            const QString change = first ? difference(*first, reading) : QString();
            if (!change.isEmpty()) line += QStringLiteral(" (") + change + QLatin1Char(')');
            lines << line;
        }
    }
    return lines.join(QLatin1Char('\n'));
}

bool PlotRuler::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Resize) setGeometry(parentWidget()->rect());
    if (event->type() == QEvent::Leave) leave();
    return QWidget::eventFilter(watched, event);
}

// ---- painting --------------------------------------------------------------------------------------------

void PlotRuler::paintEvent(QPaintEvent*) {
    const std::vector<Column> all = columns();
    if (all.empty()) return;
    QPainter painter(this);
    for (const Column& column : all) paint_line(painter, column);
    paint_card(painter, all);
}

void PlotRuler::paint_line(QPainter& painter, const Column& column) const {
    const Theme& theme = current_theme();
    const RulerStop& stop = *column.stop;
    const double x = std::round(stop.x) + 0.5;
    painter.setRenderHint(QPainter::Antialiasing, false);
    // A casing keeps the line visible on the colours of a map.
    QColor casing = theme.pane;
    casing.setAlphaF(0.6F);
    for (const QPen& pen : {QPen(casing, 3), QPen(theme.accent, 1)}) {
        painter.setPen(pen);
        painter.drawLine(QPointF(x, stop.area.top()), QPointF(x, stop.area.bottom()));
        if (!stop.cross) continue;
        const double y = std::round(*stop.cross) + 0.5;
        painter.drawLine(QPointF(stop.area.left(), y), QPointF(stop.area.right(), y));
    }
    painter.setRenderHint(QPainter::Antialiasing);
    for (const RulerReading& reading : stop.readings) {
        if (!std::isnan(reading.y) && stop.area.contains(QPointF(stop.area.center().x(), reading.y)))
            draw_ring(painter, {x, reading.y}, kDot, theme.pane, reading.color);
    }
    if (column.title.isEmpty()) return;
    const FigureFonts fonts(font());
    const QRectF flag(x, stop.area.top(), kTag, kTag);
    painter.fillRect(flag, theme.accent);
    painter.setFont(fonts.small_bold);
    painter.setPen(theme.on_accent);
    painter.drawText(flag, Qt::AlignCenter, column.title);
}

void PlotRuler::paint_card(QPainter& painter, const std::vector<Column>& columns) const {
    const Theme& theme = current_theme();
    const FigureFonts fonts(font());
    const QFontMetricsF small(fonts.small);
    const double line = std::ceil(small.height()) + 2;
    const bool differences = columns.size() > 1;

    // Every reading of any column has a row.
    std::vector<const RulerReading*> rows;
    for (const Column& column : columns) {
        for (const RulerReading& reading : column.stop->readings) {
            if (std::ranges::none_of(rows,
                                     [&](const RulerReading* row) { return row->name == reading.name; }))
                rows.push_back(&reading);
        }
    }
    QList<QStringList> cells;  // a list for each column of the card
    for (const Column& column : columns) {
        const QString& title = column.stop->title;
        QStringList cell{column.title.isEmpty() ? title : column.title + QStringLiteral("  ") + title};
        for (const RulerReading* row : rows) {
            const RulerReading* own = same_reading(*column.stop, *row);
            cell << (own ? own->shown() : QStringLiteral("–"));
        }
        cells << cell;
    }
    if (differences) {
        QStringList cell{columns.back().title.isEmpty() ? tr("here − A") : QStringLiteral("B − A")};
        for (const RulerReading* row : rows) {
            const RulerReading* from = same_reading(*columns.front().stop, *row);
            const RulerReading* to = same_reading(*columns.back().stop, *row);
            cell << (from && to ? difference(*from, *to) : QString());
        }
        cells << cell;
    }
    double names = 0;
    for (const RulerReading* row : rows) names = std::max(names, small.horizontalAdvance(row->name));
    const auto font_of = [&](qsizetype row) { return row == 0 ? fonts.small_bold : fonts.small; };
    QList<double> widths;
    for (const QStringList& cell : cells) {
        double widest = 0;
        for (qsizetype i = 0; i < cell.size(); ++i)
            widest = std::max(widest, text_width(font_of(i), cell[i]));
        widths << std::ceil(widest);
    }
    double width = 2 * kCardPadding + kSwatch + 6 + names + kCardGap * static_cast<double>(cells.size());
    // Texts wrap where the card would be wider than the plot.
    const double most = widest_column(widths, this->width() - kCardEdge * 2 - width);
    QList<QList<QStringList>> wrapped;
    QList<double> tops(static_cast<qsizetype>(rows.size()) + 2, 0);  // of the rows, and the end of the last
    for (qsizetype c = 0; c < cells.size(); ++c) {
        QList<QStringList> column;
        double widest = 0;
        for (qsizetype i = 0; i < cells[c].size(); ++i) {
            column << wrapped_lines(cells[c][i], font_of(i), most);
            for (const QString& text : column.back()) widest = std::max(widest, text_width(font_of(i), text));
            tops[i + 1] = std::max(tops[i + 1], line * static_cast<double>(column.back().size()));
        }
        widths[c] = std::ceil(widest);
        width += widths[c];
        wrapped << column;
    }
    for (qsizetype i = 1; i < tops.size(); ++i) tops[i] += tops[i - 1];
    const QRectF card = place_card({std::ceil(width), 2 * kCardPadding + tops.back()}, columns);

    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setPen(QPen(theme.border, 1));
    painter.setBrush(theme.raised);
    painter.drawRect(card.adjusted(0.5, 0.5, -0.5, -0.5));
    const double left = card.left() + kCardPadding;
    const auto baseline = [&](qsizetype row, qsizetype part) {
        return card.top() + kCardPadding + tops[row] + line * static_cast<double>(part) + small.ascent();
    };
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const double base = baseline(static_cast<qsizetype>(i) + 1, 0);
        const double middle = std::round(base - small.xHeight() / 2) + 0.5;
        if (rows[i]->curve.style() != Qt::NoPen) {
            painter.setRenderHint(QPainter::Antialiasing);
            painter.setPen(rows[i]->curve);
            painter.drawLine(QPointF(left, middle), QPointF(left + kSwatch, middle));
        } else if (rows[i]->color.isValid()) {
            painter.fillRect(QRectF(left, middle - 1.5, kSwatch / 2, 3), rows[i]->color);
        }
        draw_text(painter, {left + kSwatch + 6, base}, rows[i]->name, fonts.small, theme.text);
    }
    double right = left + kSwatch + 6 + names;
    for (qsizetype c = 0; c < wrapped.size(); ++c) {
        right += kCardGap + widths[c];
        const bool muted = differences && c + 1 == wrapped.size();
        for (qsizetype i = 0; i < wrapped[c].size(); ++i) {
            for (qsizetype part = 0; part < wrapped[c][i].size(); ++part) {
                const QString& text = wrapped[c][i][part];
                draw_text(painter, {right - text_width(font_of(i), text), baseline(i, part)}, text,
                          font_of(i), muted ? theme.muted : theme.text);
            }
        }
    }
}

// Returns where the card lies: in the plot, beside one of the lines or at an end of the plot, where it covers
// no line, no dot and no tool tip. The nearest such place to the last line is taken.
QRectF PlotRuler::place_card(const QSizeF& size, const std::vector<Column>& columns) const {
    const RulerStop& stop = *columns.back().stop;
    const QRectF area = stop.area;
    const double low = area.bottom() - size.height() - kCardGap;
    const double high = area.top() + kCardGap + kTag;
    QList<double> lefts;
    for (const Column& column : columns)
        lefts << column.stop->x + kCardGap << column.stop->x - kCardGap - size.width();
    lefts << area.left() + kCardGap << area.right() - kCardGap - size.width();
    QList<QPointF> corners;
    for (const double left : lefts) {
        for (const double top : {high, low, (high + low) / 2}) corners << QPointF(left, top);
    }
    QRectF best;
    double least = std::numeric_limits<double>::infinity();
    for (const QPointF& corner : corners) {
        QRectF box(corner, size);
        box.moveLeft(
            std::clamp(box.left(), kCardEdge, std::max(kCardEdge, width() - size.width() - kCardEdge)));
        box.moveTop(
            std::clamp(box.top(), kCardEdge, std::max(kCardEdge, height() - size.height() - kCardEdge)));
        constexpr double kOutside = 3;  // for each px over an axis
        double cost =
            std::max({0.0, stop.x - box.right(), box.left() - stop.x}) +
            kOutside * (std::max(0.0, area.left() - box.left()) + std::max(0.0, box.right() - area.right()));
        constexpr double kCovered = 1000;
        if (box.intersects(tip_)) cost += 10 * kCovered;
        for (const Column& column : columns) {
            if (box.left() < column.stop->x && column.stop->x < box.right()) cost += kCovered;
            for (const RulerReading& reading : column.stop->readings) {
                if (!std::isnan(reading.y) && box.contains(QPointF(column.stop->x, reading.y)))
                    cost += kCovered;
            }
        }
        if (cost >= least) continue;
        least = cost;
        best = box;
    }
    return best;
}

}  // namespace shardscope
