#include "widgets/plots/timeline_plot.h"

#include <qcustomplot.h>

#include <QKeyEvent>
#include <QToolTip>
#include <QWheelEvent>
#include <cmath>

#include "text/translate.h"
#include "widgets/encode.h"
#include "widgets/plots/figure_page.h"
#include "widgets/plots/figure_words.h"
#include "widgets/plots/plot_kind.h"
#include "widgets/text.h"

namespace shardscope {
namespace {

constexpr double kCloser = 1.5;  // zoom factor of one key press
constexpr double kNotch = 1.25;  // zoom factor of one notch of the wheel
constexpr double kAside = 60;    // px per press of an arrow key

std::vector<TimelineFigure::Ghost> ghosts_of(const FigureRequest& request) {
    std::vector<TimelineFigure::Ghost> out;
    for (const Pin& pin : request.pins) {
        if (pin.answer.fits() || (request.hypothetical && pin.answer.valid()))
            out.push_back({pin.letter, pin.answer.estimate.step.total});
    }
    return out;
}

}  // namespace

TimelinePlot::TimelinePlot(LiveModel& model, QWidget* parent)
    : LivePlot(QStringLiteral("timeline"), tr("Timeline plot"), model, parent) {
    setFocusPolicy(Qt::StrongFocus);
    figure_ = std::make_unique<TimelineFigure>(canvas());
    connect(&canvas(), &QCustomPlot::mouseWheel, this, &TimelinePlot::turn);
    use_ruler({[this](const QPointF& pixel) { return figure_->ruler_place(pixel); },
               [this](const QPointF& place) { return figure_->ruler_stop(place); }});
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

void TimelinePlot::update_pins() { figure_->set_ghosts(ghosts_of(request())); }

// ---- zooming ---------------------------------------------------------------------------------------------

void TimelinePlot::look(double factor, double pixel) {
    figure_->zoom(factor, pixel);
    replot();
}

void TimelinePlot::turn(QWheelEvent* event) {
    constexpr double kEighths = 120;  // of a degree: one notch
    look(std::pow(kNotch, event->angleDelta().y() / kEighths), event->position().x());
    event->accept();
}

void TimelinePlot::press(QMouseEvent* event) {
    setFocus(Qt::MouseFocusReason);
    if (event->button() == Qt::LeftButton) dragged_from_ = event->position().x();
}

void TimelinePlot::move(QMouseEvent* event) {
    if (dragged_from_) {
        if (figure_->zoomed()) canvas().setCursor(Qt::ClosedHandCursor);
        figure_->move_by(*dragged_from_ - event->position().x());
        dragged_from_ = event->position().x();
        replot();
        return;
    }
    canvas().setCursor(figure_->zoomed() ? Qt::OpenHandCursor : Qt::ArrowCursor);
    const QString words = figure_->words_at(event->position());
    if (words.isEmpty()) QToolTip::hideText();
    else QToolTip::showText(event->globalPosition().toPoint(), tool_tip(words), &canvas());
}

void TimelinePlot::end_drag() { dragged_from_.reset(); }

void TimelinePlot::double_click(QMouseEvent*) {
    end_drag();
    figure_->show_all();
    replot();
}

void TimelinePlot::keyPressEvent(QKeyEvent* event) {
    const QRectF area = figure_->lanes();
    switch (event->key()) {
        case Qt::Key_Plus:
        case Qt::Key_Equal: look(kCloser, area.center().x()); break;
        case Qt::Key_Minus: look(1 / kCloser, area.center().x()); break;
        case Qt::Key_0:
            figure_->show_all();
            replot();
            break;
        case Qt::Key_Left:
        case Qt::Key_Right:
            figure_->move_by(event->key() == Qt::Key_Left ? -kAside : kAside);
            replot();
            break;
        default: QWidget::keyPressEvent(event);
    }
}

const PlotKind kTimelineKind{
    .name = "timeline",
    .label = translatable("Timeline"),
    .shows_pin = [](const FigureRequest& request,
                    const Pin& pin) { return request.hypothetical || pin.answer.fits(); },
    .paint =
        [](QCPPainter& painter, const QRectF& area, const FigureRequest& request, const Answer& answer) {
            QCustomPlot plot;
            TimelineFigure figure(plot);
            figure.set_data(timeline_data(answer, request.hypothetical));
            figure.set_ghosts(ghosts_of(request));
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
