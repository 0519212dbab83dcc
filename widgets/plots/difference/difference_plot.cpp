// The Difference tab: the waterfall from the step time of the compared pin to that of the current scenario.
#include <qcustomplot.h>

#include <QMouseEvent>
#include <QToolTip>
#include <algorithm>
#include <array>

#include "text/translate.h"
#include "widgets/chart/figure_parts.h"
#include "widgets/chart/painted_item.h"
#include "widgets/drawing.h"
#include "widgets/encode.h"
#include "widgets/number_column.h"
#include "widgets/plots/difference/difference_data.h"
#include "widgets/plots/figure_page.h"
#include "widgets/plots/live_plot.h"
#include "widgets/plots/plot_kind.h"

namespace shardscope {
namespace {

constexpr double kMarkGap = 8;  // px, between texts and marks
// Shares of the width that the labels may take. The second one is for causes that need more than two lines.
constexpr std::array kLabelShares{0.4, 0.5};

// Returns the times with one unit and the same number of decimals.
std::vector<QString> times_of(const std::vector<double>& seconds) {
    NumberColumn column = number_column(seconds, Quantity::seconds);
    for (QString& number : column.numbers) number += QLatin1Char(' ') + column.unit;
    return std::move(column.numbers);
}

QString side_label(const DifferenceSide& side) {
    return (side.measured ? LivePlot::tr("%1 measured: %2") : LivePlot::tr("%1 predicted: %2"))
        .arg(QLatin1Char(side.letter))
        .arg(text_of(side.name));
}

QString side_note(const DifferenceSide& side) {
    return side.fits || side.measured ? QString() : LivePlot::tr("does not fit");
}

// Returns the predicted step beside a bar that leads from a measured step to it, or from it to one.
QString prediction_note(const DifferenceBar& bar, const DifferenceData& data) {
    const bool first = &bar == &data.bars.front() && data.from.measured;
    return LivePlot::tr("predicted: %1").arg(times_of({first ? bar.to : bar.from}).front());
}

// One row: a side, which starts at zero, or a change.
struct Row {
    QString label, note, value;
    double from = 0, to = 0;
    const DifferenceBar* bar = nullptr;    // null: a side
    const DifferenceSide* side = nullptr;  // null: a change
    LabelLines words{};                    // label and note, as there is room for them
    double top = 0, height = 0;            // px
};

std::vector<Row> rows_of(const DifferenceData& data) {
    std::vector<Row> out;
    if (!data.problem.empty()) return out;
    const auto add_side = [&](const DifferenceSide& side) {
        out.push_back({side_label(side), side_note(side), {}, 0, side.step, nullptr, &side});
    };
    add_side(data.from);
    for (const DifferenceBar& bar : data.bars) {
        QStringList inputs;
        for (const std::string& input : bar.inputs) inputs << text_of(input);
        if (!bar.explained) inputs << prediction_note(bar, data);
        out.push_back(
            {text_of(bar.label), inputs.join(QStringLiteral(", ")), {}, bar.from, bar.to, &bar, nullptr});
    }
    add_side(data.to);
    std::vector<double> seconds;
    seconds.reserve(out.size());
    for (const Row& row : out) seconds.push_back(row.to - row.from);
    const std::vector<QString> times = times_of(seconds);
    for (std::size_t i = 0; i < out.size(); ++i) {
        const bool longer = out[i].bar && seconds[i] >= 0;
        out[i].value = (longer ? QStringLiteral("+") : QString()) + times[i];
    }
    return out;
}

QString caption_of(const DifferenceData& data) {
    if (!data.problem.empty()) return text_of(data.problem);
    QString out = LivePlot::tr(
                      "From the step of %1 to that of %2. Each bar is what one group of inputs changes, the "
                      "mean of changing the groups in one order and in the reverse order; those that "
                      "lengthen the step come first.")
                      .arg(QLatin1Char(data.from.letter))
                      .arg(QLatin1Char(data.to.letter));
    if (data.unchanged)
        out += QLatin1Char(' ') + LivePlot::tr("Inputs that change no step time are left out.");
    if (data.from.measured || data.to.measured)
        out += QLatin1Char(' ') +
               LivePlot::tr("Hatched: the difference between a measured run and its prediction.");
    if (data.hypothetical)
        out += QLatin1Char(' ') + LivePlot::tr("HYPOTHETICAL: times as if memory sufficed.");
    return out;
}

class DifferencePainting {
  public:
    DifferencePainting(const QRectF& area, const DifferenceData& data, const QFont& font, const Theme& theme)
        : area_(area.adjusted(kFigureMargin, kFigureMargin, -kFigureMargin, -kFigureMargin)),
          data_(data),
          fonts_(font),
          theme_(theme),
          range_(data.range()),
          rows_(rows_of(data)) {
        if (rows_.empty()) return;
        double labels = 0;
        double values = 0;
        for (const Row& row : rows_) {
            labels =
                std::max({labels, text_width(fonts_.bold, row.label), text_width(fonts_.small, row.note)});
            values = std::max(values, text_width(row.side ? fonts_.bold : fonts_.body, row.value));
        }
        line_ = QFontMetricsF(fonts_.body).height();
        right_ = area_.right() - values - kMarkGap;
        const double room = area_.height() - line_ - kTickLength - kMarkGap;
        constexpr int kFewLines = 2;
        constexpr int kManyLines = 100;
        const bool few = std::ranges::any_of(kLabelShares, [&](double share) {
            left_ = area_.left() + std::min(labels, share * area_.width()) + kMarkGap;
            return place_rows(room, kFewLines);
        });
        if (!few) place_rows(room, kManyLines);
    }

    [[nodiscard]] const std::vector<Row>& rows() const { return rows_; }
    // Returns the row at this height.
    [[nodiscard]] std::optional<std::size_t> row_at(const QPointF& pixel) const {
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            if (pixel.y() >= rows_[i].top && pixel.y() < rows_[i].top + rows_[i].height) return i;
        }
        return std::nullopt;
    }

    void paint(QPainter& painter) const {
        if (rows_.empty()) {
            painter.setFont(fonts_.body);
            painter.setPen(theme_.muted);
            painter.drawText(area_, Qt::AlignCenter | Qt::TextWordWrap, text_of(data_.problem));
            return;
        }
        paint_axis(painter);
        for (std::size_t i = 0; i < rows_.size(); ++i) paint_row(painter, i);
    }

  private:
    // Returns the text in at most `most` lines; what does not fit ends with an ellipsis.
    [[nodiscard]] LabelLines cut(QStringList lines, qsizetype most, const QFont& font,
                                 const QColor& color) const {
        if (lines.size() > most && most > 0) lines[most - 1] = lines.mid(most - 1).join(QLatin1Char(' '));
        LabelLines out;
        for (const QString& line : lines.mid(0, most))
            out.append({QFontMetricsF(font).elidedText(line, Qt::ElideRight, label_width()), font, color});
        return out;
    }
    [[nodiscard]] double label_width() const { return left_ - kMarkGap - area_.left(); }

    // Gives each row the height of its words. The notes have as many lines as `room` allows, but at most
    // `note_lines`. Returns whether no word is cut.
    bool place_rows(double room, int note_lines) {
        constexpr double kApart = 6;
        const auto count = static_cast<double>(rows_.size());
        const double note_line = QFontMetricsF(fonts_.small).height();
        std::vector<QStringList> notes;
        double needed = 0;
        for (Row& row : rows_) {
            const QFont& font = row.side ? fonts_.bold : fonts_.body;
            row.words = cut(wrapped_lines(row.label, font, label_width()), 2, font, theme_.text);
            row.height = size_of(row.words).height() + kApart;
            needed += row.height;
            notes.push_back(row.note.isEmpty() ? QStringList()
                                               : wrapped_lines(row.note, fonts_.small, label_width()));
        }
        int most = 0;
        for (; most < note_lines; ++most) {
            const auto longer =
                std::ranges::count_if(notes, [&](const QStringList& lines) { return lines.size() > most; });
            const double more = static_cast<double>(longer) * note_line;
            if (longer == 0 || needed + more > room) break;
            needed += more;
        }
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            const LabelLines note = cut(notes[i], most, fonts_.small, theme_.muted);
            rows_[i].words += note;
            rows_[i].height += size_of(note).height();
        }
        const double spare = (room - needed) / count;  // of each row
        const double tallest = 3.2 * line_;
        double top = area_.top();
        for (Row& row : rows_) {
            row.height = std::max(row.height + std::min(spare, 0.0), std::min(tallest, row.height + spare));
            row.top = top;
            top += row.height;
        }
        axis_ = top;
        const auto is_cut = [](const LabelLine& line) { return line.text.endsWith(QChar(0x2026)); };
        return std::ranges::all_of(notes, [&](const QStringList& lines) { return lines.size() <= most; }) &&
               std::ranges::none_of(rows_,
                                    [&](const Row& row) { return std::ranges::any_of(row.words, is_cut); });
    }

    [[nodiscard]] double x_of(double seconds) const {
        return left_ + (seconds - range_.from) / (range_.to - range_.from) * (right_ - left_);
    }

    void paint_axis(QPainter& painter) const {
        std::vector<Tick> ticks;
        std::vector<double> centers;
        const std::vector<double> places = linear_ticks(range_.from, range_.to, 6);
        const std::vector<QString> texts = times_of(places);
        for (std::size_t i = 0; i < places.size(); ++i) {
            const double at = places[i];
            ticks.push_back({at, texts[i]});
            centers.push_back(x_of(at));
            painter.setPen(QPen(at == 0 ? theme_.border : theme_.grid, 1));
            painter.drawLine(QPointF(x_of(at), area_.top()), QPointF(x_of(at), axis_));
        }
        painter.setPen(QPen(theme_.border, 1));
        painter.drawLine(QPointF(left_, axis_), QPointF(right_, axis_));
        draw_x_ticks(painter, axis_, ticks, centers, 0, theme_, fonts_);
    }

    [[nodiscard]] QColor color_of(const Row& row) const {
        if (row.side) {
            return row.side->letter == kCurrentScenario ? theme_.accent : pin_color(theme_, row.side->letter);
        }
        return row.to >= row.from ? theme_.communication : theme_.memory_rate;
    }

    void paint_row(QPainter& painter, std::size_t index) const {
        const Row& row = rows_[index];
        const double middle = row.top + row.height / 2;
        const double ascent = QFontMetricsF(fonts_.body).ascent();
        const QSizeF words = size_of(row.words);
        draw_label(painter, QRectF(QPointF(area_.left(), middle - words.height() / 2), words), row.words,
                   Qt::AlignLeft);

        const double from = x_of(std::min(row.from, row.to));
        const double to = x_of(std::max(row.from, row.to));
        const double thickness = std::min(0.55 * row.height, 1.3 * line_);
        const QRectF bar(from, middle - thickness / 2, std::max(1.0, to - from), thickness);
        const QColor color = color_of(row);
        painter.fillRect(bar, row.bar && !row.bar->explained ? theme_.hatch_ground : color);
        if (row.bar && !row.bar->explained) hatch_over(painter, bar, theme_, color, 5, 1.5);
        if (index + 1 < rows_.size()) {
            // The next bar begins where this one ends.
            painter.setPen(QPen(theme_.border, 1));
            const Row& next = rows_[index + 1];
            painter.drawLine(QPointF(x_of(row.to), bar.bottom()),
                             QPointF(x_of(row.to), next.top + next.height / 2 - thickness / 2));
        }
        draw_text(painter, QPointF(bar.right() + kMarkGap / 2, middle + ascent / 2 - 1), row.value,
                  row.side ? fonts_.bold : fonts_.body, theme_.text, theme_.pane);
    }

    QRectF area_;
    const DifferenceData& data_;
    FigureFonts fonts_;
    const Theme& theme_;
    AxisRange range_;
    std::vector<Row> rows_;
    double line_ = 0, left_ = 0, right_ = 0, axis_ = 0;
};

// The data for an export compares with the first pin.
DifferenceData difference_data_of(const FigureRequest& request, const Answer& answer) {
    return difference_data(answer, request.view.measured,
                           request.pins.empty() ? nullptr : &request.pins.front(), request.hypothetical);
}

class DifferencePlot : public LivePlot {
  public:
    explicit DifferencePlot(LiveModel& model) : LivePlot(kDifferenceKind, model, nullptr) {
        prepare(canvas());
        canvas().plotLayout()->clear();
        new PaintedItem(canvas(), QStringLiteral("overlay"), [this](QCPPainter& painter) {
            painting().paint(painter);
            if (dimmed_) dim(painter, canvas().rect(), current_theme(), kInvalidStrength);
        });
        start();
    }

    [[nodiscard]] FigureRequest request() const override {
        FigureRequest out = LivePlot::request();
        // An export shows the pin that is compared here.
        const Pin* compared = model().compared();
        std::stable_partition(out.pins.begin(), out.pins.end(),
                              [&](const Pin& pin) { return compared && pin.letter == compared->letter; });
        return out;
    }

  protected:
    void update_figure() override {
        const Answer& answer = model().answer();
        dimmed_ = !answer.valid() || model().planning();
        if (answer.valid())
            data_ =
                difference_data(answer, model().scenario().view.measured, model().compared(), hypothetical());
    }
    void update_pins() override { update_figure(); }
    void style_figure(const Theme& theme, const QFont&) override {
        canvas().setBackground(QBrush(theme.pane));
    }

    [[nodiscard]] QString description() const override {
        QStringList out{caption_of(data_)};
        for (const Row& row : rows_of(data_)) out << row.label + QStringLiteral(": ") + row.value;
        return out.join(QStringLiteral(" · "));
    }

    void move(QMouseEvent* event) override {
        const DifferencePainting painted = painting();
        const auto row = painted.row_at(event->position());
        if (!row) {
            QToolTip::hideText();
            return;
        }
        const Row& at = painted.rows()[*row];
        QToolTip::showText(event->globalPosition().toPoint(),
                           wrapped_tool_tip(tr("%1: %2\n%3").arg(at.label, at.value, at.note)), &canvas());
    }

  private:
    [[nodiscard]] DifferencePainting painting() const {
        return {QRectF(canvas().rect()), data_, font(), current_theme()};
    }

    DifferenceData data_;
    bool dimmed_ = false;
};

}  // namespace

const PlotKind kDifferenceKind{
    .name = "difference",
    .label = translatable("Difference"),
    .accessible_name = translatable("Difference plot"),
    .shows_pin = [](const FigureRequest& request,
                    const Pin& pin) { return pin.letter == request.pins.front().letter; },
    .objection = [](const FigureRequest& request,
                    const Answer& answer) { return text_of(difference_data_of(request, answer).problem); },
    .least_height = 420,
    .paint =
        [](QCPPainter& painter, const QRectF& area, const FigureRequest& request, const Answer& answer) {
            DifferencePainting(area, difference_data_of(request, answer), page_font(), Theme::print())
                .paint(painter);
        },
    .words = [](const FigureRequest& request,
                const Answer& answer) { return caption_of(difference_data_of(request, answer)); },
    .table = [](const FigureRequest& request,
                const Answer& answer) { return difference_table(difference_data_of(request, answer)); },
    .make_tab = [](LiveModel& model) -> LivePlot* { return new DifferencePlot(model); }};

}  // namespace shardscope
