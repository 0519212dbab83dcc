#include "widgets/plots/timeline/timeline_plot.h"

#include <qcustomplot.h>

#include <QKeyEvent>
#include <QToolTip>

#include "text/translate.h"
#include "widgets/encode.h"
#include "widgets/plots/figure_page.h"
#include "widgets/plots/plot_kind.h"
#include "widgets/plots/timeline/timeline_words.h"
#include "widgets/text.h"

namespace shardscope {
namespace {

constexpr double kAside = 60;  // px per press of an arrow key

std::vector<TimelineFigure::Ghost> timeline_ghosts(const FigureRequest& request) {
    std::vector<TimelineFigure::Ghost> out;
    for (const Pin& pin : request.pins) {
        if (pin.answer.fits() || (request.hypothetical && pin.answer.valid()))
            out.push_back({pin.letter, pin.answer.estimate.step.total, pin.answer.estimate.memory.capacity});
    }
    return out;
}

}  // namespace

TimelinePlot::TimelinePlot(LiveModel& model, QWidget* parent) : LivePlot(kTimelineKind, model, parent) {
    setFocusPolicy(Qt::StrongFocus);
    figure_ = std::make_unique<TimelineFigure>(canvas());
    use_ruler({[this](const QPointF& pixel) { return figure_->ruler_place(pixel); },
               [this](const QPointF& place) { return figure_->ruler_stop(place); }});
    use_zoom(*figure_);
    start();
}

TimelinePlot::~TimelinePlot() = default;

const TimelineFigure& TimelinePlot::figure() {
    bring_up_to_date();
    return *figure_;
}

void TimelinePlot::update_figure() {
    const Answer& answer = model().answer();
    // While an input is not valid, the last valid picture stays.
    figure_->set_dimmed(!answer.valid());
    if (answer.valid()) figure_->set_data(timeline_data(answer, hypothetical()));
}

void TimelinePlot::refit_figure() {
    if (model().answer().valid()) figure_->refit();
}

void TimelinePlot::style_figure(const Theme& theme, const QFont& font) { figure_->set_style(theme, font); }

QString TimelinePlot::description() const { return figure_->description(); }

void TimelinePlot::update_pins() { figure_->set_ghosts(timeline_ghosts(request())); }

// ---- mouse and keyboard input ----------------------------------------------------------------------------

void TimelinePlot::press(QMouseEvent*) { setFocus(Qt::MouseFocusReason); }

void TimelinePlot::move(QMouseEvent* event) {
    canvas().setCursor(Qt::ArrowCursor);
    // The card of the ruler says the same.
    const bool is_told = ruler().follows() && event->buttons() == Qt::NoButton;
    const QString words = is_told ? QString() : figure_->words_at(event->position());
    if (words.isEmpty()) QToolTip::hideText();
    else QToolTip::showText(event->globalPosition().toPoint(), tool_tip(words), &canvas());
}

void TimelinePlot::keyPressEvent(QKeyEvent* event) {
    if (event->key() != Qt::Key_Left && event->key() != Qt::Key_Right) return QWidget::keyPressEvent(event);
    figure_->move_by({event->key() == Qt::Key_Left ? kAside : -kAside, 0}, figure_->zoom_center());
    replot();
}

const PlotKind kTimelineKind{
    .name = "timeline",
    .label = translatable("Timeline"),
    .accessible_name = translatable("Timeline plot"),
    .shows_pin = [](const FigureRequest& request,
                    const Pin& pin) { return request.hypothetical || pin.answer.fits(); },
    .paint =
        [](QCPPainter& painter, const QRectF& area, const FigureRequest& request, const Answer& answer) {
            QCustomPlot plot;
            TimelineFigure figure(plot);
            figure.set_data(timeline_data(answer, request.hypothetical));
            figure.set_ghosts(timeline_ghosts(request));
            figure.set_style(Theme::print(), page_font());
            figure.refit();
            paint_plot(painter, area, plot);
        },
    .words =
        [](const FigureRequest& request, const Answer& answer) {
            return timeline_caption(timeline_data(answer, request.hypothetical));
        },
    .table =
        [](const FigureRequest& request, const Answer& answer) {
            return with_pins(
                [&](const Answer& of) { return timeline_table(timeline_data(of, request.hypothetical)); },
                answer, request.pins);
        },
    .make_tab = [](LiveModel& model) -> LivePlot* { return new TimelinePlot(model); }};

}  // namespace shardscope
