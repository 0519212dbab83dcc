#include "widgets/chart/figure_parts.h"

#include <QFontMetricsF>
#include <QPaintEngine>
#include <QStaticText>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "containers/no_value.h"
#include "widgets/drawing.h"
#include "widgets/text.h"
#include "widgets/wall_mark.h"

namespace shardscope {
namespace {

// The name of a wall where its whole name has no room; empty if the whole name is short.
QString short_name(Wall wall) {
    switch (wall) {
        case Wall::memory_bandwidth: return tr("bandwidth");
        case Wall::intra_node: return tr("intra");
        case Wall::inter_node: return tr("inter");
        case Wall::host_link: return tr("host");
        default: return {};
    }
}

// Returns the length of the part of the line from `a` to `b` that is within `box`.
double length_within(const QRectF& box, const QPointF& a, const QPointF& b) {
    const QPointF way = b - a;
    double from = 0;
    double to = 1;
    const auto cut = [&](double start, double step, double low, double high) {
        if (step == 0) return start >= low && start <= high;
        const double enters = (low - start) / step;
        const double leaves = (high - start) / step;
        from = std::max(from, std::min(enters, leaves));
        to = std::min(to, std::max(enters, leaves));
        return from < to;
    };
    if (!cut(a.x(), way.x(), box.left(), box.right()) || !cut(a.y(), way.y(), box.top(), box.bottom()))
        return 0;
    return (to - from) * std::hypot(way.x(), way.y());
}

}  // namespace

QColor ink_on(const QColor& ground) {
    const auto linear = [](double c) {
        return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
    };
    const double luminance =
        0.2126 * linear(ground.redF()) + 0.7152 * linear(ground.greenF()) + 0.0722 * linear(ground.blueF());
    constexpr double kEven = 0.19;  // white and the dark ink contrast equally
    return luminance > kEven ? QColor(0x1A, 0x1D, 0x21) : QColor(Qt::white);
}

QColor tint(const QColor& color, double share, const QColor& ground) {
    const auto mixed = [share](float above, float below) {
        return static_cast<float>(share * above + (1 - share) * below);
    };
    return QColor::fromRgbF(mixed(color.redF(), ground.redF()), mixed(color.greenF(), ground.greenF()),
                            mixed(color.blueF(), ground.blueF()));
}

QColor band_color(const Theme& theme) {
    constexpr double kShare = 0.75;
    return tint(theme.kind == Theme::Kind::dark ? theme.line : theme.line.darker(104), kShare, theme.pane);
}

FigureFonts::FigureFonts(const QFont& base)
    : body(base),
      bold(scaled_font(base, 1, true)),
      small(scaled_font(base, kSmall)),
      small_bold(scaled_font(base, kSmall, true)) {}

QSizeF size_of(const LabelLines& lines) {
    QSizeF out(0, 0);
    for (const LabelLine& line : lines) {
        out.setWidth(std::max(out.width(), text_width(line.font, line.text)));
        out.setHeight(out.height() + QFontMetricsF(line.font).height());
    }
    return out;
}

void draw_text(QPainter& painter, const QPointF& at, const QString& text, const QFont& font,
               const QColor& color, const QColor& halo) {
    if (text.isEmpty()) return;
    painter.save();
    painter.setFont(font);
    if (halo.isValid()) {
        const bool screen = painter.paintEngine() && (painter.paintEngine()->type() == QPaintEngine::Raster);
        if (screen) {
            // Glyphs come from a cache, so drawing the text many times, shifted, is far cheaper than stroking
            // outlines. The text is shaped only once.
            QStaticText shaped(text);
            shaped.setTextFormat(Qt::PlainText);
            shaped.prepare({}, font);
            const QPointF top_left = at - QPointF(0, QFontMetricsF(font).ascent());
            painter.setPen(halo);
            constexpr std::array<QPointF, 12> kAround{QPointF(-2, 0), QPointF(2, 0),   QPointF(0, -2),
                                                      QPointF(0, 2),  QPointF(-1, -1), QPointF(1, -1),
                                                      QPointF(-1, 1), QPointF(1, 1),   QPointF(-2, -1),
                                                      QPointF(2, -1), QPointF(-2, 1),  QPointF(2, 1)};
            for (const QPointF& shift : kAround) painter.drawStaticText(top_left + shift, shaped);
        } else {
            // Do not stroke outlines: the font engine gives slightly different ones once the same font has
            // been on a screen, and a file's bytes must not depend on that.
            const QFontMetricsF metrics(font);
            QColor ground = halo;
            constexpr double kOpacity = 0.86;
            ground.setAlphaF(static_cast<float>(halo.alphaF() * kOpacity));
            painter.setPen(Qt::NoPen);
            painter.setBrush(ground);
            const double above = metrics.capHeight() + 2;
            painter.drawRoundedRect(QRectF(at.x() - 2, at.y() - above, metrics.horizontalAdvance(text) + 4,
                                           above + metrics.descent() * 0.8),
                                    2, 2);
        }
    }
    painter.setPen(color);
    painter.drawText(at, text);
    painter.restore();
}

void draw_label(QPainter& painter, const QRectF& box, const LabelLines& lines, Qt::Alignment alignment,
                const QColor& halo) {
    double top = box.top();
    for (const LabelLine& line : lines) {
        const QFontMetricsF metrics(line.font);
        const double spare = box.width() - text_width(line.font, line.text);
        const double left = alignment & Qt::AlignRight ? spare : alignment & Qt::AlignHCenter ? spare / 2 : 0;
        draw_text(painter, {std::round(box.left() + left), std::round(top + metrics.ascent())}, line.text,
                  line.font, line.color, halo);
        top += metrics.height();
    }
}

QString in_two_lines(const QString& text) {
    const bool commas = text.contains(QStringLiteral(", "));
    qsizetype at = -1;
    for (qsizetype i = 1; i + 1 < text.size(); ++i) {
        const bool space = text[i] == QLatin1Char(' ');
        const bool may =
            commas ? space && text[i - 1] == QLatin1Char(',') : space || text[i] == QLatin1Char('-');
        if (may && (at < 0 || std::abs(2 * i - text.size()) < std::abs(2 * at - text.size()))) at = i;
    }
    if (at < 0) return text;
    const qsizetype end = text[at] == QLatin1Char('-') ? at + 1 : at;
    return text.left(end) + QLatin1Char('\n') + text.mid(at + 1);
}

void draw_upright(QPainter& painter, const QRectF& box, const LabelLine& line, const QColor& halo) {
    const QFontMetricsF metrics(line.font);
    painter.save();
    painter.translate(std::round(box.center().x()), std::round(box.center().y()));
    painter.rotate(-90);
    draw_text(painter, {-text_width(line.font, line.text) / 2, (metrics.ascent() - metrics.descent()) / 2},
              line.text, line.font, line.color, halo);
    painter.restore();
}

double LabelPlacer::cost(const QRectF& box) const {
    if (!area_.contains(box)) return std::numeric_limits<double>::infinity();
    for (const QRectF& other : taken_) {
        if (other.intersects(box)) return std::numeric_limits<double>::infinity();
    }
    double sum = 0;
    for (const Line& line : lines_) {
        for (int i = 1; i < line.points.size(); ++i) {
            const QPointF& a = line.points[i - 1];
            const QPointF& b = line.points[i];
            if (std::isnan(a.y()) || std::isnan(b.y())) continue;
            if (std::max(a.x(), b.x()) < box.left() || std::min(a.x(), b.x()) > box.right()) continue;
            sum += length_within(box, a, b) * line.weight;
        }
    }
    return sum;
}

std::optional<QRectF> LabelPlacer::place(const QSizeF& size, const QList<QPointF>& corners, double most,
                                         const std::function<double(const QRectF&)>& penalty) {
    double best = std::numeric_limits<double>::infinity();
    QRectF chosen;
    for (const QPointF& corner : corners) {
        const QRectF box(corner, size);
        double here = cost(box.adjusted(-2, -1, 2, 1));
        if (penalty && here < best) here += penalty(box);
        // A later candidate must be clearly better, or labels would jump while a value is dragged.
        constexpr double kClearly = 4;
        if (here + kClearly < best || (best == std::numeric_limits<double>::infinity() && here < best)) {
            best = here;
            chosen = box;
        }
        if (best <= kClearly) break;  // none can be clearly better
    }
    if (best == std::numeric_limits<double>::infinity() || best > most) return std::nullopt;
    take(chosen.adjusted(-3, -1, 3, 1));
    return chosen;
}

QRectF LabelPlacer::place_or_cover(const QSizeF& size, const QList<QPointF>& corners) {
    if (const auto box = place(size, corners)) return *box;
    const QPointF first(std::clamp(corners.front().x(), area_.left(), area_.right() - size.width()),
                        std::clamp(corners.front().y(), area_.top(), area_.bottom() - size.height()));
    // The nearest free position, in rings around the first one.
    constexpr int kRings = 6;
    for (int ring = 1; ring <= kRings; ++ring) {
        QList<QPointF> farther;
        for (int across = -ring; across <= ring; ++across) {
            for (int down = -ring; down <= ring; ++down) {
                if (std::max(std::abs(across), std::abs(down)) == ring)
                    farther.append(first + QPointF(across * size.width(), down * size.height()));
            }
        }
        if (const auto box = place(size, farther)) return *box;
    }
    take(QRectF(first, size));
    return {first, size};
}

double distance_to(const QRectF& box, const QPointF& at) {
    return std::hypot(std::max({box.left() - at.x(), at.x() - box.right(), 0.0}),
                      std::max({box.top() - at.y(), at.y() - box.bottom(), 0.0}));
}

QList<QPointF> around(const QPointF& anchor, const QSizeF& size, double gap) {
    const double w = size.width();
    const double h = size.height();
    const double x = anchor.x();
    const double y = anchor.y();
    return {{x - w / 2, y - gap - h}, {x - w / 2, y + gap},   {x + gap, y - h / 2},
            {x - gap - w, y - h / 2}, {x + gap, y - gap - h}, {x - gap - w, y - gap - h},
            {x + gap, y + gap},       {x - gap - w, y + gap}, {x - w / 2, y - 3 * gap - h},
            {x - w / 2, y + 3 * gap}};
}

void draw_ring(QPainter& painter, const QPointF& at, double radius, const QColor& fill, const QColor& edge) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(edge, 2.2));
    painter.setBrush(fill);
    painter.drawEllipse(at, radius, radius);
    painter.restore();
}

void draw_diamond(QPainter& painter, const QPointF& at, double radius, const QColor& fill,
                  const QColor& edge) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(edge, 1.5, Qt::SolidLine, Qt::SquareCap, Qt::MiterJoin));
    painter.setBrush(fill);
    const std::array<QPointF, 4> corners{at + QPointF(0, -radius), at + QPointF(radius, 0),
                                         at + QPointF(0, radius), at + QPointF(-radius, 0)};
    painter.drawPolygon(corners.data(), static_cast<int>(corners.size()));
    painter.restore();
}

void draw_user_run(QPainter& painter, const QPointF& at, const Theme& theme) {
    draw_diamond(painter, at, 9, theme.pane, theme.text);
    draw_diamond(painter, at, 4, theme.text, theme.text);
}

void draw_cross(QPainter& painter, const QPointF& at, double radius, const QColor& color) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(color, 1.6));
    painter.drawLine(at + QPointF(-radius, -radius), at + QPointF(radius, radius));
    painter.drawLine(at + QPointF(-radius, radius), at + QPointF(radius, -radius));
    painter.restore();
}

void draw_triangle(QPainter& painter, const QPointF& tip, double width, const QColor& color) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(color);
    const std::array<QPointF, 3> corners{tip, tip + QPointF(-width / 2, -width * 0.8),
                                         tip + QPointF(width / 2, -width * 0.8)};
    painter.drawPolygon(corners.data(), static_cast<int>(corners.size()));
    painter.restore();
}

void draw_tag(QPainter& painter, const QRectF& box, char letter, const QColor& color, const QFont& font) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(color);
    painter.drawRoundedRect(box, 3, 3);
    painter.restore();
    const QFontMetricsF metrics(font);
    const QString text = QString(QLatin1Char(letter));
    const QColor ink = color.lightnessF() > 0.4F ? QColor(0x1A, 0x1D, 0x21) : QColor(Qt::white);
    draw_text(painter,
              {box.center().x() - text_width(font, text) / 2,
               box.center().y() + (metrics.ascent() - metrics.descent()) / 2},
              text, font, ink);
}

void draw_unfit(QPainter& painter, const QRectF& area, const Theme& theme) {
    fill_hatch(painter, area, theme);
    painter.save();
    painter.setPen(QPen(theme.border, 1));
    painter.drawLine(area.topLeft(), area.bottomLeft());
    painter.drawLine(area.topRight(), area.bottomRight());
    painter.restore();
}

void draw_area_words(QPainter& painter, const QRectF& area, const LabelLine& words, const QColor& ground,
                     LabelPlacer& room) {
    const LabelLines lines{words};
    const QSizeF size = size_of(lines);
    constexpr double kPadding = 8;
    const bool wide = area.width() >= size.width() + kPadding;
    if (!wide && area.width() < size.height() + 2) return;
    const QSizeF turned = wide ? size : size.transposed();
    // The label is near the middle of the area, but off what is drawn there.
    QList<QPointF> corners;
    for (const double across : {0.5, 0.3, 0.7, 0.15, 0.85}) {
        for (const double down : {0.5, 0.35, 0.65, 0.2, 0.8, 0.1})
            corners.append({area.left() + across * area.width() - turned.width() / 2,
                            area.top() + down * area.height() - turned.height() / 2});
    }
    // It stays within the area, whose neighbours are other things.
    constexpr double kWithin = 0.5;  // px
    corners.removeIf([&](const QPointF& corner) {
        return corner.x() < area.left() + kWithin || corner.x() + turned.width() > area.right() - kWithin;
    });
    const auto box = room.place(turned, corners);
    if (!box) return;
    if (wide) draw_label(painter, *box, lines, Qt::AlignHCenter, ground);
    else draw_upright(painter, *box, words, ground);
}

void draw_broken_bar(QPainter& painter, const QRectF& bar, const QColor& color, const QColor& ground) {
    constexpr double kFromEnd = 9;  // px, from the break to the end of the bar
    constexpr double kGap = 4;
    constexpr double kSlope = 4;
    constexpr double kBeyond = 3;  // the strokes are this much longer than the bar is high
    painter.fillRect(bar, color);
    const double top = bar.top() - kBeyond;
    const double bottom = bar.bottom() + kBeyond;
    const double at = bar.right() - kFromEnd;
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(ground);
    painter.drawPolygon(
        QPolygonF({{at - kGap, bottom}, {at - kGap + kSlope, top}, {at + kSlope, top}, {at, bottom}}));
    painter.setPen(QPen(color, 1.5));
    for (const double x : {at - kGap, at}) painter.drawLine(QPointF(x, bottom), QPointF(x + kSlope, top));
    painter.setRenderHint(QPainter::Antialiasing, false);
}

std::vector<double> linear_ticks(double low, double high, int most) {
    std::vector<double> out;
    const double step = round_step(high - low, most);
    if (!(step > 0)) return out;
    const auto first = static_cast<long>(std::ceil(low / step - 1e-9));
    const auto last = static_cast<long>(std::floor(high / step + 1e-9));
    for (long k = first; k <= last; ++k) out.push_back(static_cast<double>(k) * step);
    return out;
}

std::vector<double> log_ticks(double low, double high, double base) {
    std::vector<double> out;
    if (!(low > 0)) return out;  // an axis that has not been fitted yet
    const auto first = static_cast<int>(std::ceil(std::log(low) / std::log(base) - 1e-9));
    const auto last = static_cast<int>(std::floor(std::log(high) / std::log(base) + 1e-9));
    for (int k = first; k <= last; ++k) out.push_back(std::pow(base, k));
    return out;
}

std::vector<double> decade_ticks(double low, double high) {
    std::vector<double> out;
    for (const double decade : log_ticks(low / 10, high, 10)) {
        for (const double factor : {1.0, 2.0, 5.0}) {
            if (decade * factor >= low && decade * factor <= high) out.push_back(decade * factor);
        }
    }
    return out;
}

std::vector<bool> thinned(const std::vector<Tick>& ticks, const std::vector<double>& center,
                          const FigureFonts& fonts, double gap, std::size_t anchor) {
    struct Span {
        double from, to;
    };
    std::vector<Span> span(ticks.size());
    std::optional<std::size_t> current;
    for (std::size_t i = 0; i < ticks.size(); ++i) {
        const double half = text_width(ticks[i].current ? fonts.small_bold : fonts.small, ticks[i].text) / 2;
        span[i] = {center[i] - half - gap / 2, center[i] + half + gap / 2};
        if (ticks[i].current) current = i;
    }
    const auto clash = [&](std::size_t a, std::size_t b) {
        return span[a].from < span[b].to && span[b].from < span[a].to;
    };
    for (std::size_t stride = 1; stride <= ticks.size(); ++stride) {
        std::vector<bool> keep(ticks.size(), false);
        std::optional<std::size_t> before;
        bool good = true;
        for (std::size_t i = anchor % stride; i < ticks.size(); i += stride) {
            if (current && i != *current && clash(i, *current)) continue;
            if (before && clash(*before, i)) good = false;
            keep[i] = true;
            before = i;
        }
        if (current) keep[*current] = true;
        if (good) return keep;
    }
    return std::vector<bool>(ticks.size(), false);
}

std::vector<double> enough_ticks(std::vector<double> usual, double low, double high, bool whole) {
    constexpr std::size_t kFewest = 3;
    constexpr int kMost = 6;
    if (usual.size() < kFewest) usual = decade_ticks(low, high);
    if (usual.size() < kFewest) usual = linear_ticks(low, high, kMost);
    if (whole) std::erase_if(usual, [](double value) { return value != std::round(value); });
    return usual;
}

void draw_wall_strip(QPainter& painter, const QRectF& strip, const std::vector<WallSegment>& segments,
                     const Theme& theme, const FigureFonts& fonts, bool named) {
    const QFontMetricsF metrics(fonts.small_bold);
    const double base = std::round(strip.center().y() + (metrics.ascent() - metrics.descent()) / 2);
    const QString word = tr("wall");
    if (named)
        draw_text(painter, {std::round(strip.left() - 8 - text_width(fonts.small, word)), base}, word,
                  fonts.small, theme.muted);
    for (const WallSegment& segment : segments) {
        const double left = std::max(strip.left(), segment.left);
        const double right = std::min(strip.right(), segment.right);
        if (right <= left) continue;
        const QRectF box(left, strip.top(), std::max(1.0, right - left - 1), strip.height());
        const bool hatched = segment.wall == Wall::memory;
        if (hatched) fill_hatch(painter, box, theme, 5, 1.4);
        else painter.fillRect(box, theme.of(segment.wall));
        // Use the whole name if there is room for it, if need be with less space around it, else its short
        // form or its letter.
        constexpr double kPadding = 2;
        for (const QString& name :
             {text_of(label_of(segment.wall)), short_name(segment.wall), wall_letter(segment.wall)}) {
            const bool bold = text_width(fonts.small_bold, name) + kPadding <= box.width();
            const QFont& font = bold ? fonts.small_bold : fonts.small;
            const double width = text_width(font, name);
            if (name.isEmpty() || width + kPadding > box.width()) continue;
            draw_text(painter, {std::round(box.center().x() - width / 2), base}, name, font,
                      hatched ? theme.text : ink_on(theme.of(segment.wall)),
                      hatched ? theme.hatch_ground : QColor());
            break;
        }
    }
}

void draw_x_ticks(QPainter& painter, double top, const std::vector<Tick>& ticks,
                  const std::vector<double>& center, std::size_t anchor, const Theme& theme,
                  const FigureFonts& fonts) {
    constexpr double kGap = 6;
    const std::vector<bool> keep = thinned(ticks, center, fonts, kGap, anchor);
    painter.setPen(QPen(theme.border, 1));
    for (const double at : center) {
        painter.drawLine(QPointF(std::round(at), top), QPointF(std::round(at), top + kTickLength));
    }
    const double base = std::round(top + kTickLength + 2 + QFontMetricsF(fonts.small).ascent());
    for (std::size_t i = 0; i < ticks.size(); ++i) {
        if (!keep[i]) continue;
        const QFont& font = ticks[i].current ? fonts.small_bold : fonts.small;
        draw_text(painter, {std::round(center[i] - text_width(font, ticks[i].text) / 2), base}, ticks[i].text,
                  font, ticks[i].current ? theme.text : theme.muted);
    }
}

void cut_to_range(QList<double>& x, QList<double>& y, double low, double high, bool log_x, bool log_y) {
    const auto scaled = [](double value, bool log) { return log ? std::log(value) : value; };
    const double rounding = 1e-9 * (high - low);  // an upper limit of 100 % may be slightly above 1
    const auto is_in = [&](double value) { return value >= low - rounding && value <= high + rounding; };
    QList<double> out_x;
    QList<double> out_y;
    for (int i = 0; i < x.size(); ++i) {
        if (i > 0 && !std::isnan(y[i]) && !std::isnan(y[i - 1]) && is_in(y[i]) != is_in(y[i - 1])) {
            const double edge = std::max(y[i], y[i - 1]) > high ? high : low;
            const double share = (scaled(edge, log_y) - scaled(y[i - 1], log_y)) /
                                 (scaled(y[i], log_y) - scaled(y[i - 1], log_y));
            const double along =
                scaled(x[i - 1], log_x) + share * (scaled(x[i], log_x) - scaled(x[i - 1], log_x));
            out_x.append(log_x ? std::exp(along) : along);
            out_y.append(edge);
        }
        out_x.append(x[i]);
        out_y.append(is_in(y[i]) ? y[i] : kNoValue);
    }
    x = std::move(out_x);
    y = std::move(out_y);
}

void draw_dense_line(QPainter& painter, const QPolygonF& line, const QColor& color) {
    constexpr double kBeside = 0.3;
    painter.setPen(QPen(color, 1));
    painter.drawPolyline(line.translated(-kBeside, -kBeside));
    painter.drawPolyline(line.translated(kBeside, kBeside));
}

QPen line_pen(const QColor& color, double width, const QList<double>& dash) {
    QPen pen(color, width, Qt::SolidLine, Qt::FlatCap, Qt::RoundJoin);
    if (dash.isEmpty()) return pen;
    QList<qreal> pattern;
    for (const double length : dash) pattern.append(length / width);  // QPen expects multiples of the width
    pen.setDashPattern(pattern);
    return pen;
}

const QList<double>& pin_dash(char letter) {
    static const std::array<QList<double>, 6> dashes{
        QList<double>{8, 4}, QList<double>{2, 3},  QList<double>{10, 3, 2, 3},
        QList<double>{5, 3}, QList<double>{12, 5}, QList<double>{6, 2, 2, 2, 2, 2}};
    return dashes[static_cast<std::size_t>(std::clamp(letter - 'B', 0, 5))];
}

}  // namespace shardscope
