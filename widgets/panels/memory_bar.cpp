#include "widgets/panels/memory_bar.h"

#include <QFontMetricsF>
#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QStringList>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "text/translate.h"
#include "widgets/chart/figure_parts.h"
#include "widgets/chart/spread.h"
#include "widgets/drawing.h"
#include "widgets/plots/figure_page.h"
#include "widgets/plots/figure_words.h"
#include "widgets/plots/plot_kind.h"
#include "widgets/repairs.h"

namespace shardscope {
namespace {

constexpr double kPadding = 12;
constexpr double kBetweenGhosts = 4;
constexpr qsizetype kLeastLetters = 3;  // of a shortened name
constexpr double kSquare = 8;
constexpr double kTightest = 0.85;  // distance of two rows, of the usual one

// The terms from the bottom of the bar to its top: first what the allocator has handed out, then what else it
// has reserved, then the rest of the device's memory.
constexpr std::array kStack{MemoryTerm::weights,   MemoryTerm::gradients,   MemoryTerm::optimizer,
                            MemoryTerm::gathered,  MemoryTerm::activations, MemoryTerm::logits,
                            MemoryTerm::allocator, MemoryTerm::context};
static_assert(kStack.size() == kMemoryTerms);

// Writes all digits, also of sizes far beyond any real GPU.
QString axis_text(double gib) {
    constexpr int kDigits = 15;
    return tick_number(gib, kDigits);
}

double fitted_top(const MemoryBarData& data) {
    const double own = std::max(data.capacity * 1.1, data.peak * 1.03);
    double need = own;
    // A pin that needs much more has a broken bar, so that the scenario's own bar stays readable.
    for (const auto& ghost : data.ghosts)
        need = std::max({need, std::min(ghost.peak, kFarPin * own) * 1.03, ghost.capacity * 1.03});
    if (data.repaired) need = std::max(need, data.repaired->capacity * 1.03);
    return round_top(need / kGiB, 5) * kGiB;
}

double family_bytes(const MemoryBarData& data, bool shared) {
    double sum = 0;
    for (std::size_t i = 0; i < kMemoryTerms; ++i) {
        if ((i < kModelStateTerms) == shared) sum += data.terms[i];
    }
    return sum;
}

// The length of the names beside the bar, from full to what fits beside many pins.
enum class Length { whole, brief, least };

QString name_of(MemoryTerm term, Length length) {
    using Names = std::array<const char*, kMemoryTerms>;
    static constexpr Names kBrief{translatable("weights"),     translatable("gradients"),
                                  translatable("optimizer"),   translatable("unsharded"),
                                  translatable("activations"), translatable("logits"),
                                  translatable("CUDA, NCCL"),  translatable("allocator")};
    static constexpr Names kLeast{translatable("wts."),  translatable("grads"), translatable("opt."),
                                  translatable("unsh."), translatable("acts"),  translatable("logits"),
                                  translatable("CUDA"),  translatable("alloc.")};
    if (length == Length::whole) return text_of(label_of(term));
    return MemoryBar::tr((length == Length::brief ? kBrief : kLeast).at(static_cast<std::size_t>(term)));
}

QString family_name(bool states, Length length) {
    switch (length) {
        case Length::whole: return states ? MemoryBar::tr("model states") : MemoryBar::tr("working memory");
        case Length::brief: return states ? MemoryBar::tr("states") : MemoryBar::tr("working");
        case Length::least: return states ? MemoryBar::tr("states") : MemoryBar::tr("work");
    }
    return {};
}

// Returns the labels; the names of families and of terms have separate lengths.
std::vector<MemoryBarLabel> labels_of(const MemoryBarData& data, Length families, Length terms) {
    std::vector<MemoryBarLabel> out;
    const auto subtotal = [&](bool shared) {
        out.push_back({MemoryTerm::count, family_name(shared, families), family_bytes(data, shared), 0});
    };
    subtotal(false);
    for (std::size_t i = kMemoryTerms; i-- > 0;) {
        const MemoryTerm term = kStack.at(i);
        out.push_back({term, name_of(term, terms), data.terms[static_cast<std::size_t>(term)], 0});
        if (i == kModelStateTerms) subtotal(true);
    }
    return out;
}

// Returns the width of a label with its value. The value is assumed to have at least the width of "00.0", so
// that names keep their length during a drag.
double width_of(const MemoryBarLabel& label, const QFont& font) {
    const bool subtotal = label.term == MemoryTerm::count;
    const QFont face = scaled_font(font, kSmall, subtotal);
    const double value = std::max(text_width(face, shown(label.bytes, Quantity::bytes, false)),
                                  text_width(face, QStringLiteral("00.0")));
    return text_width(face, label.text) + (subtotal ? 0 : kSquare + 4) + 4 + value;
}

double widest(const std::vector<MemoryBarLabel>& labels, const QFont& font) {
    double out = 0;
    for (const auto& label : labels) out = std::max(out, width_of(label, font));
    return out;
}

// Returns the labels with the longest names that fit in `available` px. If the brief names do not fit either,
// only the labels that are too wide are shortened further.
std::vector<MemoryBarLabel> labels_within(double available, const MemoryBarData& data, const QFont& font) {
    using L = Length;
    for (const auto& [families, terms] :
         {std::pair{L::whole, L::whole}, {L::brief, L::whole}, {L::brief, L::brief}}) {
        std::vector<MemoryBarLabel> out = labels_of(data, families, terms);
        if (widest(out, font) <= available) return out;
    }
    std::vector<MemoryBarLabel> out = labels_of(data, L::brief, L::brief);
    const std::vector<MemoryBarLabel> least = labels_of(data, L::least, L::least);
    for (std::size_t i = 0; i < out.size(); ++i) {
        if (width_of(out[i], font) > available) out[i] = least[i];
    }
    return out;
}

// Places the labels, and the caption of the capacity between them in a row of its own.
void place_labels(MemoryBarGeometry& g, double low) {
    const double high = g.bar.bottom() + g.line / 3;
    const auto is_subtotal = [](const MemoryBarLabel& label) { return label.term == MemoryTerm::count; };
    const auto line_among = [&] { return (high - low) / static_cast<double>(g.labels.size()); };
    // With a large font in a low window the terms stay and the subtotals are dropped.
    if (line_among() < kTightest * g.line) std::erase_if(g.labels, is_subtotal);
    g.line = std::min(g.line, line_among());

    std::vector<double> rows;
    std::optional<std::size_t> caption;
    for (std::size_t i = 0; i < g.labels.size(); ++i) {
        // A subtotal stays with the terms that it sums.
        const bool subtotal = is_subtotal(g.labels[i]);
        const MemoryTerm term = g.labels[subtotal ? i + 1 : i].term;
        const double center = g.segments[static_cast<std::size_t>(term)].center().y();
        if (!caption && center > g.capacity_y) {
            caption = i;
            rows.push_back(g.capacity_y);
        }
        rows.push_back(subtotal ? center - g.line : center);
    }
    if (!caption) {
        caption = g.labels.size();
        rows.push_back(g.capacity_y);
    }
    spread_apart(rows, low, high, g.line);
    g.capacity_text_y = rows[*caption];
    rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(*caption));
    for (std::size_t i = 0; i < g.labels.size(); ++i) g.labels[i].y = rows[i];
}

void paint_axis(QPainter& painter, const MemoryBarGeometry& g, const Theme& theme, const MemoryBarData& data,
                const QFont& font) {
    const QFont small = scaled_font(font, kSmall);
    const QFontMetricsF metrics(small);
    painter.setFont(small);
    const double step = round_step(data.top / kGiB, 5);
    const auto ticks = static_cast<int>(data.top / kGiB / step + 1e-9);
    for (int i = 0; i <= ticks; ++i) {
        const double gib = i * step;
        const double y = std::round(g.y_of(gib * kGiB, data.top)) + 0.5;
        painter.setPen(QPen(theme.border, 1));
        painter.drawLine(QPointF(g.bar.left() - 5, y), QPointF(g.bar.left() - 1, y));
        const QString text = axis_text(gib);
        painter.setPen(theme.muted);
        painter.drawText(
            QPointF(g.bar.left() - 8 - metrics.horizontalAdvance(text), y + metrics.capHeight() / 2), text);
    }
}

void paint_segments(QPainter& painter, const MemoryBarGeometry& g, const Theme& theme,
                    const MemoryBarData& data) {
    const double capacity_top = std::round(g.capacity_y);
    painter.setPen(QPen(theme.border, 1));
    painter.drawRect(QRectF(QPointF(g.bar.left() - 0.5, capacity_top + 0.5),
                            QPointF(g.bar.right() + 0.5, g.bar.bottom() + 0.5)));
    for (std::size_t i = 0; i < kMemoryTerms; ++i) {
        painter.fillRect(g.segments[i], theme.of(static_cast<MemoryTerm>(i)));
        // A line in the background colour separates neighbours with similar shades.
        if (i > 0 && g.segments[i].height() > 3) {
            painter.fillRect(QRectF(g.bar.left(), g.segments[i].bottom() - 0.5, g.bar.width(), 1),
                             theme.pane);
        }
    }
    const double risky_top =
        std::max(g.y_of(data.capacity + data.margin, data.top), g.y_of(data.top, data.top));
    const double risky_bottom = g.y_of(data.capacity - data.margin, data.top);
    const double peak_y = g.y_of(data.peak, data.top);
    if (data.verdict == Verdict::does_not_fit) {
        const QRectF excess(QPointF(g.bar.left(), peak_y), QPointF(g.bar.right(), g.capacity_y));
        hatch_over(painter, excess, theme, theme.text, 6, 1.4);
        painter.setPen(QPen(theme.text, 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(excess);
    } else {
        const double top = std::min(g.capacity_y, std::max(peak_y, risky_top));
        hatch_over(painter, QRectF(QPointF(g.bar.left(), top), QPointF(g.bar.right(), risky_bottom)), theme,
                   theme.risk, 5, 1.6);
    }
}

// Draws a line at the top of each of the three kinds of memory.
void paint_kinds(QPainter& painter, const MemoryBarGeometry& g, const Theme& theme,
                 const MemoryBarData& data) {
    painter.setPen(QPen(theme.text, 1.5, Qt::SolidLine, Qt::FlatCap));
    for (const double bytes : {data.allocated, data.reserved, data.peak}) {
        const double y = std::round(g.y_of(bytes, data.top)) + 0.5;
        painter.drawLine(QPointF(g.bar.left() - 5, y), QPointF(g.bar.right() + 1, y));
    }
}

// Returns the three kinds of memory in one line, with the longest names that fit; empty if none fits.
QString kinds_within(double available, const MemoryBarData& data, const QFont& font) {
    const auto gib = [](double bytes) { return shown(bytes, Quantity::bytes, false); };
    for (const QString& text : {MemoryBar::tr("allocated %1 · reserved %2 · device %3"),
                                MemoryBar::tr("alloc. %1 · res. %2 · dev. %3")}) {
        QString out = text.arg(gib(data.allocated), gib(data.reserved), gib(data.peak));
        if (text_width(font, out) <= available) return out;
    }
    return {};
}

void paint_ghosts(QPainter& painter, const MemoryBarGeometry& g, const Theme& theme,
                  const MemoryBarData& data, const QFont& font) {
    if (data.ghosts.empty()) return;
    const QFont bold = scaled_font(font, kSmall, true);
    const QFontMetricsF metrics(bold);
    painter.setFont(bold);
    const double y = g.bar.bottom() + metrics.ascent() + 2;
    const auto letter = [&](double center, char which, const QColor& color) {
        const QString text{QLatin1Char(which)};
        painter.setPen(color);
        painter.drawText(QPointF(center - metrics.horizontalAdvance(text) / 2, y), text);
    };
    letter(g.bar.center().x(), 'A', theme.text);
    double x = g.ghosts_left;
    for (const auto& ghost : data.ghosts) {
        const QColor color = pin_color(theme, ghost.letter);
        const double top = std::max(g.y_of(ghost.peak, data.top), g.bar.top());
        const QRectF box(QPointF(x, top), QPointF(x + g.ghost, g.bar.bottom()));
        const bool broken = ghost.peak > data.top;
        // The lines to the labels pass behind the ghost.
        painter.fillRect(box, theme.pane);
        painter.setPen(line_pen(color, 1.5, pin_dash(ghost.letter)));
        painter.setBrush(Qt::NoBrush);
        if (!broken) painter.drawRect(box);
        if (broken) {
            painter.save();
            painter.translate(box.bottomLeft());
            painter.rotate(-90);
            draw_broken_bar(painter, QRectF(0, 0, box.height(), box.width()), color, theme.pane);
            painter.restore();
            const QString value = shown(ghost.peak, Quantity::bytes, false);
            painter.setPen(theme.text);
            painter.drawText(QPointF(x + g.ghost - metrics.horizontalAdvance(value), top - 3), value);
        }
        // The letter is in the text colour, and a line below it in the colour of the pin.
        if (ghost.capacity != data.capacity) {
            // The limit of a pin on another GPU.
            const double limit = std::round(g.y_of(ghost.capacity, data.top)) + 0.5;
            painter.setPen(QPen(color, 2));
            painter.drawLine(QPointF(x - 2, limit), QPointF(x + g.ghost + 2, limit));
        }
        letter(x + g.ghost / 2, ghost.letter, theme.text);
        painter.fillRect(QRectF(x, y + 2, g.ghost, 2), color);
        x += g.ghost_step;
    }
}

void paint_labels(QPainter& painter, const MemoryBarGeometry& g, const Theme& theme, const QFont& font) {
    const QFont small = scaled_font(font, kSmall);
    const QFont bold = scaled_font(font, kSmall, true);
    const QFontMetricsF metrics(small);
    const QFontMetricsF bold_metrics(bold);
    for (const auto& label : g.labels) {
        const bool subtotal = label.term == MemoryTerm::count;
        const QString value = shown(label.bytes, Quantity::bytes, false);
        const double baseline = std::round(label.y + metrics.capHeight() / 2);
        double x = g.label_left;
        if (!subtotal) {
            const QRectF square(x, std::round(label.y - kSquare / 2), kSquare, kSquare);
            painter.setRenderHint(QPainter::Antialiasing);
            painter.setPen(QPen(theme.border, 1));
            const auto leader = g.leader(label);
            painter.drawPolyline(leader.data(), static_cast<int>(leader.size()));
            painter.setRenderHint(QPainter::Antialiasing, false);
            painter.fillRect(square, theme.of(label.term));
            x += kSquare + 4;
        }
        painter.setFont(subtotal ? bold : small);
        painter.setPen(subtotal ? theme.muted : theme.text);
        const QFontMetricsF& face = subtotal ? bold_metrics : metrics;
        const double width = face.horizontalAdvance(value);
        // Beside many ghosts only the square identifies the term.
        const double available = g.label_right - width - 4 - x;
        const QString name = face.elidedText(label.text, Qt::ElideRight, available);
        if (name.size() > kLeastLetters || name == label.text) painter.drawText(QPointF(x, baseline), name);
        painter.drawText(QPointF(g.label_right - width, baseline), value);
    }
}

void paint_capacity(QPainter& painter, const MemoryBarGeometry& g, const Theme& theme,
                    const MemoryBarData& data, const QFont& font) {
    const QFont bold = scaled_font(font, kSmall, true);
    const QFontMetricsF metrics(bold);
    const bool raised = data.repaired && data.repaired->capacity != data.capacity;
    const QString text = raised
                             ? MemoryBar::tr("usable %1 → %2")
                                   .arg(shown(data.capacity, Quantity::bytes, false),
                                        shown(data.repaired->capacity, Quantity::bytes, false))
                             : MemoryBar::tr("usable %1").arg(shown(data.capacity, Quantity::bytes, false));
    const double left = g.label_right - metrics.horizontalAdvance(text);
    QPen pen(theme.text, 1.5, Qt::SolidLine, Qt::FlatCap);
    pen.setDashPattern({3, 2});
    painter.setPen(pen);
    // The line crosses the bar and the pins, and then leads to its caption between the rows of the list.
    const double y = std::round(g.capacity_y) + 0.5;
    const double row = std::round(g.capacity_text_y) + 0.5;
    QPolygonF line({QPointF(g.bar.left() - 8, y), QPointF(g.leaders_bend, y)});
    constexpr double kBefore = 4;
    if (left - kBefore >= g.label_left - 6) {
        line << QPointF(g.label_left - 6, row) << QPointF(left - kBefore, row);
    }
    painter.setRenderHint(QPainter::Antialiasing, y != row);
    painter.drawPolyline(line);
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setFont(bold);
    painter.setPen(theme.text);
    painter.drawText(QPointF(left, std::round(g.capacity_text_y + metrics.capHeight() / 2)), text);
}

}  // namespace

MemoryBarData memory_bar_data(const Answer& answer, const std::vector<Pin>& pins,
                              const std::optional<Repair>& repair) {
    const MemoryUse& use = answer.estimate.memory;
    MemoryBarData data{use.terms(),
                       use.allocated(),
                       use.reserved(),
                       use.peak,
                       use.capacity,
                       use.margin,
                       answer.estimate.verdict,
                       use.peak_moment,
                       use.stage,
                       answer.settings[P::pipeline_parallel],
                       {},
                       {},
                       0};
    for (const Pin& pin : pins) {
        if (pin.answer.valid())
            data.ghosts.push_back(
                {pin.letter, pin.answer.estimate.memory.peak, pin.answer.estimate.memory.capacity});
    }
    if (repair) data.repaired = {repair->peak, repair->capacity};
    data.top = fitted_top(data);
    return data;
}

std::array<QPointF, 4> MemoryBarGeometry::leader(const MemoryBarLabel& label) const {
    const double from = segments[static_cast<std::size_t>(label.term)].center().y();
    const double to = std::round(label.y - kSquare / 2) + kSquare / 2;
    return {QPointF(bar.right() + 1, from), QPointF(leaders_bend, from), QPointF(label_left - 6, to),
            QPointF(label_left - 2, to)};
}

std::optional<MemoryTerm> MemoryBarGeometry::term_at(const QPointF& at) const {
    if (at.x() >= label_left - 8) {
        for (const auto& label : labels) {
            if (label.term != MemoryTerm::count && std::fabs(at.y() - label.y) <= line / 2) return label.term;
        }
        return std::nullopt;
    }
    if (at.x() < bar.left() || at.x() > bar.right()) return std::nullopt;
    for (std::size_t i = 0; i < kMemoryTerms; ++i) {
        if (at.y() <= segments[i].bottom() && at.y() > segments[i].top()) return static_cast<MemoryTerm>(i);
    }
    return std::nullopt;
}

MemoryBarGeometry memory_bar_geometry(const QRectF& area, const MemoryBarData& data, const QFont& font) {
    MemoryBarGeometry g;
    const QFont small = scaled_font(font, kSmall);
    const QFontMetricsF metrics(small);
    const double title = std::max(28.0, QFontMetricsF(font).height() + 12) + metrics.height();
    const double axis =
        std::max(text_width(small, QStringLiteral("000")), text_width(small, axis_text(data.top / kGiB))) + 9;
    const double bottom =
        area.bottom() - (data.ghosts.empty() ? 0 : metrics.height() + 2) - std::max(14.0, metrics.height());
    const double top = area.top() + title + metrics.height() / 2;
    // The bar is narrower beside many ghosts, and in a narrow panel the ghosts are narrower, too.
    constexpr std::size_t kManyGhosts = 3;
    const bool narrow = area.width() < 260;
    const bool many = data.ghosts.size() > kManyGhosts;
    const bool tight = narrow && data.ghosts.size() >= kManyGhosts;
    // On a page, which is wider than the panel, the bars take what the labels leave.
    constexpr double kPage = 440;
    const double wider =
        std::max(0.0, area.width() - kPage) / (1 + 0.5 * static_cast<double>(data.ghosts.size()));
    const double width = (many && narrow ? 13
                          : many         ? 28
                          : tight        ? 30
                          : narrow       ? 36
                                         : 44) +
                         std::floor(wider);
    g.ghost = (tight ? 5 : 7) + std::floor(wider / 2);
    // The letters below the ghosts do not touch.
    const QFontMetricsF letters(scaled_font(font, kSmall, true));
    g.ghost_step = g.ghost + kBetweenGhosts;
    for (const auto& ghost : data.ghosts)
        g.ghost_step =
            std::max(g.ghost_step, std::ceil(letters.horizontalAdvance(QLatin1Char(ghost.letter)) + 1));
    g.bar = QRectF(std::round(area.left() + kPadding - 4 + axis), std::round(top), width,
                   std::max(20.0, std::round(bottom - top)));
    g.ghosts_left = g.bar.right() + 7;
    const double ghosts =
        data.ghosts.empty() ? 0 : 4 + g.ghost_step * static_cast<double>(data.ghosts.size());
    g.leaders_bend = g.bar.right() + 4 + ghosts;
    g.label_right = area.right() - kPadding;
    const double values = text_width(scaled_font(font, kSmall, true), QStringLiteral("000.0")) + 6;
    const double least = g.bar.right() + ghosts + 16;
    g.labels = labels_within(g.label_right - least, data, font);
    // Rounding up would cut the longest name.
    g.label_left = std::floor(
        std::min(g.bar.right() + ghosts + 22, std::max(least, g.label_right - widest(g.labels, font))));
    // At least the squares and the values must fit.
    g.label_left = std::min(g.label_left, std::floor(g.label_right - values - kSquare - 4));
    g.line = std::max(15.0, std::ceil(metrics.height()));

    double sum = 0;
    for (const MemoryTerm term : kStack) {
        const auto i = static_cast<std::size_t>(term);
        const double low = g.y_of(sum, data.top);
        sum += data.terms[i];
        g.segments[i] = QRectF(QPointF(g.bar.left(), g.y_of(sum, data.top)), QPointF(g.bar.right(), low));
    }
    g.capacity_y = g.y_of(data.capacity, data.top);
    place_labels(g, area.top() + title + metrics.height() / 2);
    return g;
}

void paint_memory_bar(QPainter& painter, const QRectF& area, const Theme& theme, const MemoryBarData& data,
                      const QFont& font) {
    painter.save();
    const MemoryBarGeometry g = memory_bar_geometry(area, data, font);
    const QFont bold = scaled_font(font, 1, true);
    const QFont small = scaled_font(font, kSmall);
    const double baseline = std::round(area.top() + 8 + QFontMetricsF(bold).ascent());
    const QString title = MemoryBar::tr("Memory, GiB");
    painter.setFont(bold);
    painter.setPen(theme.text);
    painter.drawText(QPointF(area.left() + kPadding, baseline), title);
    const QString stage = stage_words(data.stage, data.stages);
    const QString of = stage.isEmpty() ? MemoryBar::tr("per GPU") : stage;
    QString note = of + QStringLiteral(", ") + text_of(label_of(data.moment));
    if (text_width(small, note) + text_width(bold, title) + 2 * kPadding + 12 > area.width()) note = of;
    painter.setFont(small);
    painter.setPen(theme.muted);
    // If not even the short note fits, only the title is shown.
    if (text_width(small, note) + text_width(bold, title) + 2 * kPadding + 6 <= area.width())
        painter.drawText(QPointF(area.right() - kPadding - text_width(small, note), baseline), note);

    const QString kinds = kinds_within(area.width() - 2 * kPadding, data, small);
    painter.drawText(QPointF(area.left() + kPadding, baseline + 3 + QFontMetricsF(small).height()), kinds);

    paint_axis(painter, g, theme, data, font);
    paint_segments(painter, g, theme, data);
    paint_kinds(painter, g, theme, data);
    paint_labels(painter, g, theme, font);
    paint_ghosts(painter, g, theme, data, font);
    paint_capacity(painter, g, theme, data, font);
    if (data.repaired) {
        constexpr double kBeyond = 3;  // px at each side of the bar
        painter.setPen(line_pen(theme.text, 2, {3, 2}));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(QRectF(QPointF(g.bar.left() - kBeyond, g.y_of(data.repaired->peak, data.top)),
                                QPointF(g.bar.right() + kBeyond, g.bar.bottom())));
        if (data.repaired->capacity != data.capacity) {
            const double limit = std::round(g.y_of(data.repaired->capacity, data.top)) + 0.5;
            painter.drawLine(QPointF(g.bar.left() - 8, limit), QPointF(g.leaders_bend, limit));
        }
    }
    painter.restore();
}

MemoryBar::MemoryBar(LiveModel& model, QWidget* parent) : TermPanel(tr("Memory of one GPU"), model, parent) {
    setObjectName(QStringLiteral("memory-bar"));
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    setMouseTracking(true);
    connect(&Repairs::of(model), &Repairs::preview_changed, this, &MemoryBar::refresh);
    connect(&model, &LiveModel::changed, this, &MemoryBar::refresh);
    connect(&model, &LiveModel::unparsed_changed, this, qOverload<>(&MemoryBar::update));
    connect(&model, &LiveModel::pins_changed, this, &MemoryBar::refresh);
    connect(&model, &LiveModel::gesture_ended, this, &MemoryBar::refresh);
    connect(&ThemeManager::instance(), &ThemeManager::changed, this, qOverload<>(&QWidget::update));
    refresh();
}

void MemoryBar::refresh() {
    update();
    const Answer& answer = model().answer();
    if (!answer.valid()) return;
    const double before = data_.top;
    data_ = memory_bar_data(answer, model().pins(), Repairs::of(model()).previewed());
    // During a drag the axis grows if the peak or the capacity comes near its top, and never shrinks.
    if (model().in_gesture()) {
        data_.top = std::max(before, data_.top);
    } else {
        describe();
    }
}

void MemoryBar::describe() {
    QStringList parts{tr("%1 of %2 used, %3")
                          .arg(shown(data_.peak, Quantity::bytes), shown(data_.capacity, Quantity::bytes),
                               text_of(label_of(data_.moment)))};
    if (const QString stage = stage_words(data_.stage, data_.stages); !stage.isEmpty()) parts.append(stage);
    parts.append(tr("allocated %1, reserved %2")
                     .arg(shown(data_.allocated, Quantity::bytes), shown(data_.reserved, Quantity::bytes)));
    for (std::size_t i = 0; i < kMemoryTerms; ++i) {
        parts.append(text_of(label_of(static_cast<MemoryTerm>(i))) + QLatin1Char(' ') +
                     shown(data_.terms[i], Quantity::bytes));
    }
    setAccessibleDescription(parts.join(QStringLiteral("; ")));
}

void MemoryBar::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    paint_memory_bar(painter, rect(), current_theme(), data_, font());
    if (!model().answer().valid() || model().planning() || model().has_unparsed_field())
        dim(painter, rect(), current_theme(), kInvalidStrength);
    paint_focus(painter);
}

std::vector<TermPanel::Row> MemoryBar::rows() const {
    const MemoryBarGeometry g = memory_bar_geometry(rect(), data_, font());
    std::vector<Row> out{{Output::peak_memory, g.bar.adjusted(-2, -2, 2, 2),
                          tr("Peak") + QLatin1Char(' ') + shown(data_.peak, Quantity::bytes)}};
    for (const MemoryBarLabel& label : g.labels) {
        if (label.term == MemoryTerm::count) continue;
        const QRectF box(g.label_left - 3, label.y - g.line / 2, g.label_right - g.label_left + 6, g.line);
        out.push_back({output_of(label.term), box,
                       text_of(label_of(output_of(label.term))) + QLatin1Char(' ') +
                           shown(label.bytes, Quantity::bytes)});
    }
    return out;
}

Output MemoryBar::output_at(const QPointF& at) const {
    const auto term = memory_bar_geometry(rect(), data_, font()).term_at(at);
    return term ? output_of(*term) : Output::peak_memory;
}

bool MemoryBar::is_on_row(const QPointF& at) const {
    return memory_bar_geometry(rect(), data_, font()).term_at(at).has_value();
}

QString MemoryBar::tip_at(const QPointF& at) const {
    const auto term = memory_bar_geometry(rect(), data_, font()).term_at(at);
    const auto line = [](const QString& name, double bytes) {
        return tr("%1: %2 GiB (%3 bytes)")
            .arg(name, QString::number(bytes / kGiB, 'f', 3),
                 shown(std::round(bytes), Quantity::sequence_tokens, false));
    };
    if (term) return line(text_of(label_of(output_of(*term))), data_.terms[static_cast<std::size_t>(*term)]);
    QString tip = line(tr("Allocated, the framework's tensors"), data_.allocated) + QLatin1Char('\n') +
                  line(tr("Reserved by the allocator"), data_.reserved) + QLatin1Char('\n') +
                  line(tr("Device, which the verdict compares"), data_.peak) + QLatin1Char('\n') +
                  line(tr("Usable"), data_.capacity);
    if (const QString stage = stage_words(data_.stage, data_.stages); !stage.isEmpty())
        tip += QLatin1Char('\n') + tr("The fullest GPUs are those of %1").arg(stage);
    return tip;
}

bool MemoryBar::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        QToolTip::showText(help->globalPos(), tip_at(help->pos()), this);
        return true;
    }
    return TermPanel::event(event);
}

QString memory_caption(const Answer& answer) {
    const MemoryUse& memory = answer.estimate.memory;
    const QString stage = stage_words(memory.stage, answer.settings[P::pipeline_parallel]);
    QString out = tr("Memory of one GPU%1 at its fullest moment, %2: %3 of %4.")
                      .arg(stage.isEmpty() ? QString() : tr(" of the fullest pipeline stage (%1)").arg(stage),
                           text_of(label_of(memory.peak_moment)), shown(memory.peak, Quantity::bytes),
                           shown(memory.capacity, Quantity::bytes));
    out += QLatin1Char(' ') +
           tr("Lines in the bar: what the framework has allocated (%1), what its allocator has reserved "
              "(%2), and the memory of the device.")
               .arg(shown(memory.allocated(), Quantity::bytes), shown(memory.reserved(), Quantity::bytes)) +
           QLatin1Char(' ') +
           tr("Dashed: usable memory; hatched below it: the margin within which the verdict is risky.");
    if (!answer.fits()) out += QLatin1Char(' ') + tr("Hatched above it: too much.");
    return out;
}

namespace {

PlotTable memory_table(const Answer& answer) {
    PlotTable out;
    out.columns = {"term", "family", "memory[GiB]", "moment", "stage", "verdict"};
    if (!answer.valid()) return out;
    const MemoryUse& memory = answer.estimate.memory;
    const double gib = plot_unit(Quantity::bytes).factor;
    const std::string moment(name_of(memory.peak_moment));
    const std::string stage = exact_or_empty(memory.stage + 1);
    const std::string verdict(name_of(answer.estimate.verdict));
    for (std::size_t i = 0; i < kMemoryTerms; ++i) {
        out.rows.push_back({std::string(name_of(static_cast<MemoryTerm>(i))),
                            i < kModelStateTerms ? "shared" : "each", exact_or_empty(memory.terms()[i] / gib),
                            moment, stage, verdict});
    }
    out.rows.push_back({"allocated", "", exact_or_empty(memory.allocated() / gib), moment, stage, verdict});
    out.rows.push_back({"reserved", "", exact_or_empty(memory.reserved() / gib), moment, stage, verdict});
    out.rows.push_back({"peak", "", exact_or_empty(memory.peak / gib), moment, stage, verdict});
    out.rows.push_back({"capacity", "", exact_or_empty(memory.capacity / gib), "", "", verdict});
    out.rows.push_back({"risk_margin", "", exact_or_empty(memory.margin / gib), "", "", verdict});
    return out;
}

}  // namespace

const PlotKind kMemoryKind{
    .name = "memory",
    .label = translatable("Memory"),
    .panel = "memory-bar",
    .paint =
        [](QCPPainter& painter, const QRectF& area, const FigureRequest& request, const Answer& answer) {
            paint_panel(painter, area, {360, 330}, [&](QPainter& on, const QRectF& box) {
                paint_memory_bar(on, box, Theme::print(), memory_bar_data(answer, request.pins), page_font());
            });
        },
    .words = [](const FigureRequest&, const Answer& answer) { return memory_caption(answer); },
    .table = [](const FigureRequest& request,
                const Answer& answer) { return with_pins(memory_table, answer, request.pins); }};

}  // namespace shardscope
