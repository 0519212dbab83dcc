#include "widgets/panels/waterfall.h"

#include <QFontMetricsF>
#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QStringList>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "text/translate.h"
#include "widgets/chart/figure_parts.h"
#include "widgets/drawing.h"
#include "widgets/plots/figure_page.h"
#include "widgets/plots/figure_words.h"
#include "widgets/plots/plot_kind.h"

namespace shardscope {
namespace {

constexpr double kPadding = 12;
constexpr int kMostTicks = 3;
constexpr double kHypothetical = 0.5;  // opacity of hypothetical bars
constexpr double kSecondsFrom = 10;

struct TimeUnit {
    double seconds;
    QString name;
};
TimeUnit unit_of(const WaterfallData& data) {
    return data.total >= kSecondsFrom ? TimeUnit{1, QStringLiteral("s")}
                                      : TimeUnit{1e-3, QStringLiteral("ms")};
}

double fitted_top(const WaterfallData& data) {
    double need = data.total * 1.02;
    for (const auto& ghost : data.ghosts) {
        if (!ghost.far) need = std::max(need, ghost.total * 1.02);
    }
    const double unit = unit_of(data).seconds;
    return round_top(need / unit, 2 * kMostTicks) * unit;
}

// Returns a time with as many decimals as suit the step time, the same in every row, except that a short time
// does not read as 0.
QString in_unit(double seconds, const WaterfallData& data) {
    const TimeUnit unit = unit_of(data);
    const double total = data.total / unit.seconds;
    const int decimals = total >= 100 ? 0 : total >= 10 ? 1 : 2;
    QString digits = QString::number(seconds / unit.seconds, 'f', decimals);
    if (seconds > 0 && digits.toDouble() == 0)
        return QLatin1Char('<') + QString::number(std::pow(10, -decimals), 'f', decimals);
    for (qsizetype at = (decimals > 0 ? digits.indexOf(QLatin1Char('.')) : digits.size()) - 3; at > 0;
         at -= 3)
        digits.insert(at, QLatin1Char(','));
    return digits;
}

void draw_right(QPainter& painter, double right, double baseline, const QFont& font, const QString& text) {
    painter.setFont(font);
    painter.drawText(QPointF(right - text_width(font, text), baseline), text);
}

QString title_of(const WaterfallData& data) { return Waterfall::tr("Step, %1").arg(unit_of(data).name); }

// Returns the key of the colours, or the note that the times are hypothetical.
QString note_of(const WaterfallData& data) {
    return data.hypothetical ? Waterfall::tr("hypothetical: it does not fit")
                             : Waterfall::tr("solid adds time, pale is overlapped");
}

QFont note_font(const WaterfallData& data, const QFont& font) {
    QFont out = scaled_font(font, kSmall);
    out.setItalic(data.hypothetical);
    return out;
}

// Returns whether the note is below the title, because there is not enough space beside it.
bool note_is_below(const QRectF& area, const WaterfallData& data, const QFont& font) {
    return text_width(scaled_font(font, 1, true), title_of(data)) + 12 +
               text_width(note_font(data, font), note_of(data)) >
           area.width() - 2 * kPadding;
}

void paint_title(QPainter& painter, const QRectF& area, const Theme& theme, const WaterfallData& data,
                 const QFont& font) {
    const double baseline = std::round(area.top() + 8 + QFontMetricsF(scaled_font(font, 1, true)).ascent());
    painter.setFont(scaled_font(font, 1, true));
    painter.setPen(theme.text);
    painter.drawText(QPointF(area.left() + kPadding, baseline), title_of(data));
    if (!data.has_time) return;
    painter.setPen(theme.muted);
    const QFont small = note_font(data, font);
    if (note_is_below(area, data, font)) {
        painter.setFont(small);
        painter.drawText(QPointF(area.left() + kPadding, baseline + QFontMetricsF(small).height()),
                         note_of(data));
    } else {
        draw_right(painter, area.right() - kPadding, baseline, small, note_of(data));
    }
}

void paint_axis(QPainter& painter, const WaterfallGeometry& g, const Theme& theme, const WaterfallData& data,
                const QFont& font) {
    const QFont small = scaled_font(font, kSmall);
    const QFontMetricsF metrics(small);
    const double unit = unit_of(data).seconds;
    const double step = round_step(data.top / unit, kMostTicks);
    painter.setFont(small);
    double free_from = -1e9;
    const auto ticks = static_cast<int>(data.top / unit / step + 1e-9);
    for (int i = 0; i <= ticks; ++i) {
        const double value = i * step;
        const double x = std::round(g.x_of(value * unit, data.top)) + 0.5;
        painter.setPen(QPen(theme.grid, 1));
        painter.drawLine(QPointF(x, g.rows.front().y - g.row_height / 2), QPointF(x, g.axis_y));
        painter.setPen(QPen(theme.border, 1));
        painter.drawLine(QPointF(x, g.axis_y), QPointF(x, g.axis_y + 4));
        const QString text = shown(value, Quantity::count, false);
        const double width = text_width(small, text);
        if (x - width / 2 < free_from) continue;
        free_from = x + width / 2 + 6;
        painter.setPen(theme.muted);
        painter.drawText(QPointF(x - width / 2, g.axis_y + 5 + metrics.ascent()), text);
    }
}

void paint_hidden(QPainter& painter, const WaterfallGeometry& g, const WaterfallGeometry::Row& row,
                  const Theme& theme, const WaterfallData& data, const QFont& font) {
    if (row.hidden.width() < 1) return;
    painter.fillRect(row.hidden, theme.communication_hidden);
    painter.setPen(QPen(theme.communication, 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(row.hidden.adjusted(0.5, 0.5, -0.5, -0.5));
    const QFont small = scaled_font(font, kSmall);
    const QString number = in_unit(data.hidden, data);
    const double baseline = std::round(row.y + QFontMetricsF(small).capHeight() / 2);
    for (const QString& text : {Waterfall::tr("%1 overlapped").arg(number), number}) {
        const double width = text_width(small, text);
        const bool before = row.hidden.left() - 5 - width > g.left + 2;
        const bool inside = width + 8 < row.hidden.width();
        if (!before && !inside) continue;
        painter.setFont(small);
        painter.setPen(before ? theme.muted : theme.text);
        painter.drawText(
            QPointF(before ? row.hidden.left() - 5 - width : row.hidden.center().x() - width / 2, baseline),
            text);
        return;
    }
}

void paint_ghosts(QPainter& painter, const WaterfallGeometry& g, const Theme& theme,
                  const WaterfallData& data, const QFont& font) {
    const QFont bold = scaled_font(font, kSmall, true);
    const QFontMetricsF metrics(bold);
    // The letters of pins that are close together form one tag, centred over them, but not over the labels or
    // the values.
    struct Tag {
        QStringList letters;
        double sum;
    };
    std::vector<Tag> tags;
    const auto text = [](const Tag& tag) { return tag.letters.join(QStringLiteral(", ")); };
    const auto half = [&](const Tag& tag) { return metrics.horizontalAdvance(text(tag)) / 2; };
    const auto center = [&](const Tag& tag) {
        return std::max(g.left + half(tag),
                        std::min(tag.sum / static_cast<double>(tag.letters.size()), g.right + 8 - half(tag)));
    };
    auto ghosts = data.ghosts;
    std::ranges::sort(ghosts, {}, &WaterfallData::Ghost::total);
    for (const auto& ghost : ghosts) {
        if (ghost.far) continue;
        const double x = std::round(g.x_of(ghost.total, data.top)) + 0.5;
        QPen pen(pin_color(theme, ghost.letter), 2, Qt::SolidLine, Qt::FlatCap);
        pen.setDashPattern({2, 1});
        painter.setPen(pen);
        painter.drawLine(QPointF(x, g.total.top() - 4), QPointF(x, g.total.bottom() + 4));
        Tag tag{{QString(QLatin1Char(ghost.letter))}, x};
        while (!tags.empty() && center(tags.back()) + half(tags.back()) + 4 > center(tag) - half(tag)) {
            tag = {tags.back().letters + tag.letters, tags.back().sum + tag.sum};
            tags.pop_back();
        }
        tags.push_back(tag);
    }
    painter.setFont(bold);
    painter.setPen(theme.text);
    for (const Tag& tag : tags)
        painter.drawText(QPointF(center(tag) - half(tag), g.total.top() - 6), text(tag));
}

void paint_far_pins(QPainter& painter, const WaterfallGeometry& g, const QRectF& area, const Theme& theme,
                    const WaterfallData& data, const QFont& font) {
    const QFont small = scaled_font(font, kSmall);
    const QFont bold = scaled_font(font, kSmall, true);
    for (const auto& row : g.far) {
        const double baseline = std::round(row.y + QFontMetricsF(small).capHeight() / 2);
        draw_broken_bar(painter, row.bar, pin_color(theme, row.ghost.letter), theme.pane);
        painter.setPen(theme.text);
        draw_right(painter, g.left - 8, baseline, bold, QString(QLatin1Char(row.ghost.letter)));
        draw_right(painter, area.right() - kPadding, baseline, small, in_unit(row.ghost.total, data));
    }
}

void paint_rows(QPainter& painter, const WaterfallGeometry& g, const QRectF& area, const Theme& theme,
                const WaterfallData& data, const QFont& font) {
    const QFont bold = scaled_font(font, 1, true);
    const QFont small = scaled_font(font, kSmall);
    const QFont small_bold = scaled_font(font, kSmall, true);
    const double half_cap = QFontMetricsF(small).capHeight() / 2;
    const double right = area.right() - kPadding;
    const auto fill = [&](const QRectF& bar, const QColor& color) {
        painter.setOpacity(data.hypothetical ? kHypothetical : 1);
        painter.fillRect(bar, color);
        painter.setOpacity(1);
    };
    double previous_bottom = -1;
    for (const auto& row : g.rows) {
        const double baseline = std::round(row.y + half_cap);
        painter.setPen(theme.text);
        draw_right(painter, g.left - 8, baseline, small, text_of(label_of(row.term)));
        draw_right(painter, right, baseline, small,
                   in_unit(data.terms[static_cast<std::size_t>(row.term)], data));
        if (previous_bottom >= 0) {
            painter.setPen(QPen(theme.border, 1));
            painter.drawLine(QPointF(row.exposed.left() + 0.5, previous_bottom),
                             QPointF(row.exposed.left() + 0.5, row.exposed.top()));
        }
        paint_hidden(painter, g, row, theme, data, font);
        // A term of less than a pixel is still drawn as a line.
        QRectF bar = row.exposed;
        if (bar.width() < 1 && data.terms[static_cast<std::size_t>(row.term)] > 0) bar.setWidth(1);
        fill(bar, theme.of(row.term));
        if (row.term == StepTerm::recompute) {
            painter.setPen(QPen(theme.border, 1));  // this shade has too little contrast without a border
            painter.drawRect(bar.adjusted(0.5, 0.5, -0.5, -0.5));
        }
        previous_bottom = row.exposed.bottom();
    }
    if (!g.rows.empty()) {
        const double x = g.total.right() - 0.5;
        painter.setPen(QPen(theme.border, 1));
        painter.drawLine(QPointF(x, previous_bottom), QPointF(x, g.total.top()));
    }
    fill(g.total, theme.text);
    const double baseline = std::round(g.total_y + half_cap);
    painter.setPen(theme.text);
    draw_right(painter, g.left - 8, baseline, small_bold, Waterfall::tr("Step"));
    draw_right(painter, right, baseline, small_bold, in_unit(data.total, data));
}

void paint_no_time(QPainter& painter, const QRectF& area, const Theme& theme, const WaterfallData& data,
                   const QFont& font) {
    const QFont small = scaled_font(font, kSmall);
    const QString first = Waterfall::tr("No step time: it does not fit.");
    const QString second = Waterfall::tr("%1 too much per GPU").arg(shown(data.excess, Quantity::bytes));
    const double x = area.center().x();
    const double y = area.center().y();
    const double gap = QFontMetricsF(font).height() + 4;
    painter.setFont(font);
    painter.setPen(theme.text);
    painter.drawText(QPointF(x - text_width(font, first) / 2, y), first);
    painter.setFont(small);
    painter.setPen(theme.muted);
    painter.drawText(QPointF(x - text_width(small, second) / 2, y + gap), second);
}

}  // namespace

WaterfallData waterfall_data(const Answer& answer, const std::vector<Pin>& pins, bool hypothetical) {
    const StepTime& step = answer.estimate.step;
    WaterfallData data;
    data.terms = step.terms;
    data.total = step.total;
    data.hidden = step.hidden_communication;
    for (std::size_t i = 0; i < kStepTerms; ++i) {
        data.rows[i] = step.terms[i] != 0 || static_cast<StepTerm>(i) == StepTerm::network;
    }
    const bool fits = answer.estimate.fits();
    data.has_time = fits || hypothetical;
    data.hypothetical = !fits && hypothetical;
    data.excess = answer.estimate.memory.peak - answer.estimate.memory.capacity;
    for (const Pin& pin : pins) {
        if (pin.answer.fits() || (hypothetical && pin.answer.valid()))
            data.ghosts.push_back({pin.letter, pin.answer.estimate.step.total,
                                   pin.answer.estimate.step.total > kFarPin * data.total});
    }
    data.top = fitted_top(data);
    return data;
}

std::optional<StepTerm> WaterfallGeometry::term_at(const QPointF& at) const {
    for (const Row& row : rows) {
        if (std::fabs(at.y() - row.y) <= row_height / 2) return row.term;
    }
    if (std::fabs(at.y() - total_y) <= row_height / 2) return StepTerm::count;
    return std::nullopt;
}

WaterfallGeometry waterfall_geometry(const QRectF& area, const WaterfallData& data, const QFont& font) {
    WaterfallGeometry g;
    const QFont small = scaled_font(font, kSmall);
    const QFontMetricsF metrics(small);
    const double title = std::max(28.0, QFontMetricsF(font).height() + 12) +
                         (note_is_below(area, data, font) ? metrics.height() : 0);
    const double axis = metrics.height() + 12;
    double labels = text_width(scaled_font(font, kSmall, true), Waterfall::tr("Step"));
    for (std::size_t i = 0; i < kStepTerms; ++i) {
        if (data.rows[i])
            labels = std::max(labels, text_width(small, text_of(label_of(static_cast<StepTerm>(i)))));
    }
    double widest = text_width(scaled_font(font, kSmall, true), QStringLiteral("0,000"));
    double far = 0;
    double letters = 0;  // px above the total, for the letters of the other pins
    for (const WaterfallData::Ghost& ghost : data.ghosts) {
        if (!ghost.far) {
            letters = std::ceil(metrics.height());
            continue;
        }
        ++far;
        widest = std::max(widest, text_width(small, in_unit(ghost.total, data)));
    }
    const double values = widest + 10;
    g.left = std::round(area.left() + kPadding + labels + 8);
    g.right = std::max(g.left + 20, std::round(area.right() - kPadding - values));

    const double count = static_cast<double>(data.rows.count() + 1) + far;
    // The rows of many pins may be a little lower than others.
    const double lowest = far > 0 ? 9 : 12;
    const double room = area.height() - title - axis;
    letters = std::clamp(room - count * lowest, 0.0, letters);
    g.row_height = std::floor(std::clamp((room - letters) / count, lowest, 27.0));
    const double bar = std::round(std::max(7.0, g.row_height * 0.52));
    const auto box = [&](double from, double to, double y) {
        const double top = std::round(y - bar / 2);
        return QRectF(QPointF(from, top), QPointF(to, top + bar));
    };
    // Edges are the running sum rounded to whole pixels, so bars meet exactly and the last one ends where the
    // total does.
    const auto edge = [&](double seconds) { return std::round(g.x_of(seconds, data.top)); };
    double sum = 0;
    double y = std::round(area.top() + title + g.row_height / 2);
    for (std::size_t i = 0; i < kStepTerms; ++i) {
        const double start = edge(sum);
        sum += data.terms[i];
        if (!data.rows[i]) continue;
        WaterfallGeometry::Row row{static_cast<StepTerm>(i), y, box(start, edge(sum), y), {}};
        if (row.term == StepTerm::network) {
            row.hidden = box(std::max(g.left, edge(sum - data.terms[i] - data.hidden)), start, y);
        }
        g.rows.push_back(row);
        y += g.row_height;
    }
    y += letters;
    g.total_y = y;
    g.total = box(g.left, edge(sum), y);
    for (const WaterfallData::Ghost& ghost : data.ghosts) {
        if (!ghost.far) continue;
        y += g.row_height;
        g.far.push_back({ghost, y, box(g.left, g.right, y).adjusted(0, 1, 0, -1)});
    }
    g.axis_y = std::round(y + g.row_height / 2 + 2);
    return g;
}

void paint_waterfall(QPainter& painter, const QRectF& area, const Theme& theme, const WaterfallData& data,
                     const QFont& font) {
    painter.save();
    paint_title(painter, area, theme, data, font);
    if (data.has_time) {
        const WaterfallGeometry g = waterfall_geometry(area, data, font);
        paint_axis(painter, g, theme, data, font);
        paint_rows(painter, g, area, theme, data, font);
        paint_ghosts(painter, g, theme, data, font);
        paint_far_pins(painter, g, area, theme, data, font);
    } else {
        paint_no_time(painter, area, theme, data, font);
    }
    painter.restore();
}

Waterfall::Waterfall(LiveModel& model, QWidget* parent) : TermPanel(tr("Time of a step"), model, parent) {
    setObjectName(QStringLiteral("waterfall"));
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    setMouseTracking(true);
    connect(&model, &LiveModel::changed, this, &Waterfall::refresh);
    connect(&model, &LiveModel::unparsed_changed, this, qOverload<>(&Waterfall::update));
    connect(&model, &LiveModel::pins_changed, this, &Waterfall::refresh);
    connect(&model, &LiveModel::gesture_ended, this, &Waterfall::refresh);
    connect(&ThemeManager::instance(), &ThemeManager::changed, this, qOverload<>(&QWidget::update));
    refresh();
}

void Waterfall::set_hypothetical(bool shown) {
    hypothetical_ = shown;
    refresh();
}

void Waterfall::refresh() {
    update();
    if (!model().answer().valid()) return;
    const WaterfallData before = data_;
    data_ = waterfall_data(model().answer(), model().pins(), hypothetical_);
    // During a drag the axis stays unless the step exceeds it, rows are added but never removed, and pins
    // keep their form.
    if (model().in_gesture()) {
        data_.rows |= before.rows;
        for (WaterfallData::Ghost& ghost : data_.ghosts) {
            const auto same = std::ranges::find(before.ghosts, ghost.letter, &WaterfallData::Ghost::letter);
            if (same != before.ghosts.end()) ghost.far = same->far;
        }
        data_.top = fitted_top(data_);
        const bool same_unit = unit_of(before).seconds == unit_of(data_).seconds;
        if (same_unit && data_.total <= before.top) data_.top = before.top;
    } else {
        describe();
    }
}

void Waterfall::describe() {
    if (!data_.has_time) {
        setAccessibleDescription(tr("No step time: it does not fit. %1 too much per GPU")
                                     .arg(shown(data_.excess, Quantity::bytes)));
        return;
    }
    QStringList parts{tr("Step %1").arg(shown(data_.total, Quantity::seconds))};
    if (data_.hypothetical) parts.append(tr("hypothetical: it does not fit"));
    for (std::size_t i = 0; i < kStepTerms; ++i) {
        if (data_.rows[i])
            parts.append(text_of(label_of(static_cast<StepTerm>(i))) + QLatin1Char(' ') +
                         shown(data_.terms[i], Quantity::seconds));
    }
    parts.append(tr("overlapped communication %1").arg(shown(data_.hidden, Quantity::seconds)));
    for (const WaterfallData::Ghost& ghost : data_.ghosts)
        parts.append(
            tr("pin %1: %2").arg(QLatin1Char(ghost.letter)).arg(shown(ghost.total, Quantity::seconds)));
    setAccessibleDescription(parts.join(QStringLiteral("; ")));
}

void Waterfall::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    paint_waterfall(painter, rect(), current_theme(), data_, font());
    if (!model().answer().valid() || model().planning() || model().has_unparsed_field())
        dim(painter, rect(), current_theme(), kInvalidStrength);
    paint_focus(painter);
}

std::vector<TermPanel::Row> Waterfall::rows() const {
    if (!data_.has_time) {
        return {{Output::peak_memory, QRectF(rect()).adjusted(3, 3, -3, -3),
                 tr("%1 too much per GPU").arg(shown(data_.excess, Quantity::bytes))}};
    }
    const WaterfallGeometry g = waterfall_geometry(rect(), data_, font());
    const auto box = [&](double y) {
        return QRectF(3, y - g.row_height / 2, width() - 6, g.row_height).adjusted(0, 0.5, 0, -0.5);
    };
    std::vector<Row> out;
    for (const WaterfallGeometry::Row& row : g.rows) {
        out.push_back({output_of(row.term), box(row.y),
                       text_of(label_of(row.term)) + QLatin1Char(' ') +
                           shown(data_.terms[static_cast<std::size_t>(row.term)], Quantity::seconds)});
    }
    out.push_back({Output::step_time, box(g.total_y),
                   tr("Step") + QLatin1Char(' ') + shown(data_.total, Quantity::seconds)});
    return out;
}

Output Waterfall::output_at(const QPointF& at) const {
    if (!data_.has_time) return Output::peak_memory;
    const auto term = waterfall_geometry(rect(), data_, font()).term_at(at);
    return output_of(term.value_or(StepTerm::count));
}

bool Waterfall::is_on_row(const QPointF& at) const {
    return data_.has_time && waterfall_geometry(rect(), data_, font()).term_at(at).has_value();
}

bool Waterfall::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip || !data_.has_time) return TermPanel::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const auto term = waterfall_geometry(rect(), data_, font()).term_at(help->pos());
    QString tip;
    if (term == StepTerm::count) {
        tip = tr("Step: %1").arg(exact_time(data_.total));
    } else if (term) {
        tip = text_of(label_of(*term)) + QStringLiteral(": ") +
              exact_time(data_.terms[static_cast<std::size_t>(*term)]);
        if (*term == StepTerm::network)
            tip += tr(" exposed; %1 of all communication overlapped").arg(exact_time(data_.hidden));
    }
    QToolTip::showText(help->globalPos(), tip, this);
    return true;
}

namespace {

QString waterfall_caption(const Answer& answer, bool hypothetical) {
    const MemoryUse& memory = answer.estimate.memory;
    if (!answer.fits() && !hypothetical) {
        return tr("It does not fit: %1 of %2.")
            .arg(shown(memory.peak, Quantity::bytes), shown(memory.capacity, Quantity::bytes));
    }
    QString out =
        tr("Terms of one optimizer step; they add up to it. Faint: communication overlapped with compute.");
    if (!answer.fits()) out += QLatin1Char(' ') + hypothetical_words();
    return out;
}

PlotTable waterfall_table(const Answer& answer, bool hypothetical) {
    PlotTable out;
    out.columns = {"term", "start[ms]", "exposed[ms]", "hidden[ms]", "verdict"};
    if (!answer.valid()) return out;
    constexpr double kMilli = 1e-3;
    const StepTime& step = answer.estimate.step;
    const bool shown = hypothetical || answer.fits();
    const std::string verdict(name_of(answer.estimate.verdict));
    const auto time = [&](double seconds) {
        return shown ? exact_or_empty(seconds / kMilli) : std::string();
    };
    double start = 0;
    for (std::size_t i = 0; i < kStepTerms; ++i) {
        const auto term = static_cast<StepTerm>(i);
        out.rows.push_back({std::string(name_of(term)), time(start), time(step.terms[i]),
                            term == StepTerm::network ? time(step.hidden_communication) : std::string(),
                            verdict});
        start += step.terms[i];
    }
    out.rows.push_back({"step", time(0), time(step.total), "", verdict});
    return out;
}

}  // namespace

const PlotKind kWaterfallKind{
    .name = "waterfall",
    .label = translatable("Step"),
    .shows_pin = [](const FigureRequest& request,
                    const Pin& pin) { return request.hypothetical || pin.answer.fits(); },
    .paint =
        [](QCPPainter& painter, const QRectF& area, const FigureRequest& request, const Answer& answer) {
            paint_panel(painter, area, {480, 270}, [&](QPainter& on, const QRectF& box) {
                paint_waterfall(on, box, Theme::print(),
                                waterfall_data(answer, request.pins, request.hypothetical), page_font());
            });
        },
    .words = [](const FigureRequest& request,
                const Answer& answer) { return waterfall_caption(answer, request.hypothetical); },
    .table =
        [](const FigureRequest& request, const Answer& answer) {
            return with_pins([&](const Answer& of) { return waterfall_table(of, request.hypothetical); },
                             answer, request.pins);
        }};

}  // namespace shardscope
