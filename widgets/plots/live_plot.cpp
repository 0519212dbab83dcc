#include "widgets/plots/live_plot.h"

#include <qcustomplot.h>

#include <QApplication>
#include <QCheckBox>
#include <QGraphicsOpacityEffect>
#include <QKeyEvent>
#include <QToolButton>
#include <QVBoxLayout>
#include <QWheelEvent>
#include <cmath>
#include <utility>

#include "scenario/domain.h"
#include "scenario/slider_scale.h"
#include "widgets/chart/option_row.h"
#include "widgets/chart/plot_zoom.h"
#include "widgets/drawing.h"
#include "widgets/plots/plot_kind.h"
#include "widgets/text.h"

namespace shardscope {
namespace {

constexpr double kCloser = 1.5;  // zoom factor of one key press
constexpr double kNotch = 1.25;  // zoom factor of one notch of the wheel

// A plot that is drawn only once after a resize, together with all other changes. QCustomPlot would draw at
// once, and again when it learns of the change.
class Canvas : public QCustomPlot {
  public:
    explicit Canvas(QWidget* parent) : QCustomPlot(parent) {
        // The plot opens the context menu, so that the canvas must pass on the request for it.
        setAttribute(Qt::WA_NoMousePropagation, false);
        // All layers are always drawn together; a picture of its own for this one would double the copying.
        layer(QStringLiteral("overlay"))->setMode(QCPLayer::lmLogical);
        connect(this, &QCustomPlot::afterReplot, this, [this] { resized_ = false; });
    }

  protected:
    void resizeEvent(QResizeEvent*) override {
        resized_ = true;
        setViewport(rect());
        replot(rpQueuedReplot);
    }
    void paintEvent(QPaintEvent* event) override {
        // The paint event came before the queued drawing: draw now, so that no picture of another size is
        // shown.
        if (resized_) replot(rpQueuedRefresh);
        QCustomPlot::paintEvent(event);
    }

  private:
    bool resized_ = false;
};

}  // namespace

LivePlot::LivePlot(const PlotKind& kind, LiveModel& model, QWidget* parent)
    : QWidget(parent),
      model_(model),
      options_(new OptionRow(this)),
      canvas_(new Canvas(this)),
      ruler_(new PlotRuler(*canvas_)) {
    setObjectName(text_of(kind.name));
    setAccessibleName(tr(kind.accessible_name));
    canvas_->setObjectName(objectName() + QStringLiteral("/plot"));
    canvas_->setAccessibleName(accessibleName());
    canvas_->setMinimumSize(260, 200);
    ruler_->setObjectName(canvas_->objectName() + QStringLiteral("/ruler"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(options_);
    layout->addWidget(canvas_, 1);
    setAutoFillBackground(true);
}

void LivePlot::add_side_by_side_option() {
    beside_ = options_->add_check(objectName() + QStringLiteral("/side_by_side"), tr("Side by side"), false);
    beside_->setToolTip(tr("The pinned scenarios in separate panels with the same axes"));
    beside_->setEnabled(!model_.pins().empty());
    connect(beside_, &QCheckBox::toggled, this, [this] {
        update_pins();
        refresh();
    });
}

bool LivePlot::side_by_side() const { return beside_ && beside_->isChecked() && !model_.pins().empty(); }

void LivePlot::start() {
    const auto* table = options_->add_button(objectName() + QStringLiteral("/table"), QStringLiteral("table"),
                                             tr("Show as a table"));
    const auto* save = options_->add_button(objectName() + QStringLiteral("/export"),
                                            QStringLiteral("export"), tr("Export this plot"));
    connect(table, &QToolButton::clicked, this, &LivePlot::table_requested);
    connect(save, &QToolButton::clicked, this, &LivePlot::export_requested);
    started_ = true;
    restyle();

    connect(&model_, &LiveModel::changed, this, &LivePlot::refresh);
    connect(&model_, &LiveModel::pins_changed, this, [this] {
        show_pins();
        refresh();
    });
    connect(&model_, &LiveModel::gesture_ended, this, &LivePlot::refresh);
    connect(&model_, &LiveModel::unparsed_changed, this, &LivePlot::dim_if_unread);
    connect(&ThemeManager::instance(), &ThemeManager::changed, this, &LivePlot::restyle);
    connect(canvas_, &QCustomPlot::afterReplot, ruler_, qOverload<>(&QWidget::update));
    connect(canvas_, &QCustomPlot::afterReplot, this, [this] { words_.reset(); });
    connect_mouse();
    if (!model_.pins().empty()) show_pins();
    if (model_.has_unparsed_field()) dim_if_unread();
}

void LivePlot::show_pins() {
    if (beside_) beside_->setEnabled(!model_.pins().empty());
    update_pins();
}

void LivePlot::dim_if_unread() {
    auto* paler = model_.has_unparsed_field() ? new QGraphicsOpacityEffect(canvas_) : nullptr;
    if (paler) paler->setOpacity(kInvalidStrength);
    canvas_->setGraphicsEffect(paler);
}

void LivePlot::connect_mouse() {
    connect(canvas_, &QCustomPlot::mousePress, this, [this](QMouseEvent* event) {
        pressed_at_ = event->position();
        last_click_ = Click::none;
        clicking_ = event->button() == Qt::LeftButton;
        if (clicking_ && zoom_ && !is_handle(pressed_at_)) panned_from_ = pressed_at_;
        press(event);
    });
    connect(canvas_, &QCustomPlot::mouseMove, this, [this](QMouseEvent* event) {
        const double way = QLineF(event->position(), pressed_at_).length();
        if (way >= QApplication::startDragDistance()) clicking_ = false;
        if (pan_to(event->position())) return;
        move(event);
        if (zoom_ && zoom_->zoomed() && canvas_->cursor().shape() == Qt::ArrowCursor)
            canvas_->setCursor(Qt::OpenHandCursor);
        if (event->buttons() == Qt::NoButton) {
            ruler_->hover(event->position());
            if (!is_handle(event->position()) &&
                (is_on_curve(event->position()) || term_at(event->position())))
                canvas_->setCursor(Qt::PointingHandCursor);
        } else if (!clicking_) {
            ruler_->leave();
        }
    });
    connect(canvas_, &QCustomPlot::mouseRelease, this, [this](QMouseEvent* event) {
        panned_from_.reset();
        release(event);
        if (std::exchange(clicking_, false)) click(event->position());
    });
    connect(canvas_, &QCustomPlot::mouseDoubleClick, this, [this](QMouseEvent* event) {
        if (event->button() != Qt::LeftButton) return;
        clicking_ = false;
        panned_from_.reset();
        const Click first = std::exchange(last_click_, Click::none);
        if (first == Click::used) return;  // the first of the two clicks has set the input already
        if (first == Click::fixed) ruler_->take_back();
        if (!zoom_ || !zoom_->zoomed()) return double_click(event);
        end_drag();  // the first of the two clicks may have begun one
        show_all();
    });
    if (zoom_) connect(canvas_, &QCustomPlot::mouseWheel, this, &LivePlot::zoom_by_wheel);
}

// ---- zooming ---------------------------------------------------------------------------------------------

void LivePlot::use_zoom(ZoomableFigure& figure) { zoom_ = &figure; }

void LivePlot::zoom_by_wheel(QWheelEvent* event) {
    constexpr double kEighths = 120;  // of a degree: one notch
    zoom_->zoom(std::pow(kNotch, event->angleDelta().y() / kEighths), event->position());
    shows_scenario_ = zoom_->shows_scenario();
    replot();
}

bool LivePlot::zoom_by_key(const QKeyEvent& event) {
    if (!zoom_ || event.modifiers().testAnyFlags(Qt::ControlModifier | Qt::AltModifier)) return false;
    switch (event.key()) {
        case Qt::Key_Plus:
        case Qt::Key_Equal: zoom_->zoom(kCloser, zoom_->zoom_center()); break;
        case Qt::Key_Minus: zoom_->zoom(1 / kCloser, zoom_->zoom_center()); break;
        case Qt::Key_0: zoom_->show_all(); break;
        default: return false;
    }
    shows_scenario_ = zoom_->shows_scenario();
    replot();
    return true;
}

bool LivePlot::pan_to(const QPointF& pixel) {
    if (!panned_from_ || clicking_ || !zoom_->zoomed()) return false;
    canvas_->setCursor(Qt::ClosedHandCursor);
    ruler_->leave();
    zoom_->move_by(pixel - *panned_from_, pressed_at_);
    panned_from_ = pixel;
    shows_scenario_ = zoom_->shows_scenario();
    replot();
    return true;
}

void LivePlot::settle_zoom() {
    const Scenario& now = model_.scenario();
    const std::array<const Preset*, 3> presets{now.model, now.cluster, now.gpu};
    const bool other = std::exchange(presets_, presets) != presets;
    if (!zoom_ || !zoom_->zoomed()) return;
    // A part beside the scenario, to which the user has moved, stays.
    const bool left = std::exchange(shows_scenario_, zoom_->shows_scenario()) && !shows_scenario_;
    if (other || left) zoom_->show_all();
}

void LivePlot::show_all() {
    zoom_->show_all();
    replot();
}

void LivePlot::use_ruler(PlotRuler::Source source, bool curves_set_input) {
    ruler_->set_source(std::move(source));
    curves_set_input_ = curves_set_input;
}

bool LivePlot::clear_ruler() {
    const bool any = ruler_->clear();
    if (any) describe();
    return any;
}

bool LivePlot::is_on_curve(const QPointF& pixel) const {
    return curves_set_input_ && ruler_->is_on_curve(pixel);
}

const std::vector<DrawnWord>& LivePlot::words() const {
    if (!words_) words_ = drawn_words(*canvas_);
    return *words_;
}

std::optional<Term> LivePlot::term_at(const QPointF& pixel) const {
    return is_button(pixel) ? std::nullopt : shardscope::term_at(words(), pixel);
}

void LivePlot::click(const QPointF& pixel) {
    last_click_ = Click::used;
    if (is_button(pixel)) return;
    if (!is_handle(pixel) && !is_handle(pressed_at_)) {
        if (const auto term = term_at(pixel)) return model_.define(*term);
        const auto place = is_on_curve(pixel) ? place_at(pixel) : std::nullopt;
        if (place) return model_.replace(place->scenario, place->label);
    }
    last_click_ = ruler_->fix(pixel) ? Click::fixed : Click::none;
    describe();
}

void LivePlot::describe() {
    QString words = description();
    if (const QString fixed = ruler_->fixed_words(); !fixed.isEmpty()) words += QLatin1Char('\n') + fixed;
    setAccessibleDescription(words);
    canvas_->setAccessibleDescription(words);
}

double LivePlot::round_value(P id, double value, double before, double after) const {
    const Settings& settings = model_.answer().settings;
    const SliderScale scale(domain(id, settings), parameter(id).logarithmic, parameter(id), value);
    return scale.roundest(scale.fraction(value),
                          std::fabs(scale.fraction(after) - scale.fraction(before)) / 2);
}

QPoint LivePlot::canvas_position(const QPoint& at) const { return canvas_->mapFrom(this, at); }

QPixmap LivePlot::picture() {
    bring_up_to_date();
    return canvas_->toPixmap(canvas_->width(), canvas_->height(), canvas_->devicePixelRatioF());
}

bool LivePlot::event(QEvent* event) {
    if (event->type() == QEvent::KeyPress) {
        const auto& key = *static_cast<QKeyEvent*>(event);
        if (zoom_by_key(key)) return true;
    }
    return QWidget::event(event);
}

FigureRequest LivePlot::request() const {
    FigureRequest out = request_of(view(), model_.scenario());
    out.hypothetical = hypothetical_;
    out.pins = model_.pins();
    out.view = model_.scenario().view;
    return out;
}

View LivePlot::view() const {
    View out;
    out.plot = objectName().toStdString();
    // The option is stored even while nothing is pinned, because it applies to future pins.
    out.side_by_side = beside_ && beside_->isChecked();
    return out;
}

void LivePlot::show_view(const View& view) {
    if (beside_) beside_->setChecked(view.side_by_side);
}

Output LivePlot::main_output() const {
    const std::vector<Output> outputs = view().outputs;
    return outputs.empty() ? Output::mfu : outputs.front();
}

std::optional<Subject> LivePlot::focused_subject() const { return Subject::of(main_output()); }

void LivePlot::show_hypothetical(bool on) {
    if (hypothetical_ == on) return;
    hypothetical_ = on;
    update_pins();
    refresh();
}

void LivePlot::bring_up_to_date() {
    if (!stale_) return;
    stale_ = false;
    update_figure();
    if (!model_.in_gesture()) {
        settle_zoom();
        refit_figure();
    }
    replot();
}

void LivePlot::refresh() {
    stale_ = true;
    if (isVisible()) bring_up_to_date();
}

void LivePlot::restyle() {
    QPalette colors = palette();
    colors.setColor(QPalette::Window, current_theme().pane);
    setPalette(colors);
    style_figure(current_theme(), font());
    replot();
}

void LivePlot::replot() {
    describe();
    canvas_->replot(QCustomPlot::rpQueuedReplot);
}

void LivePlot::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    bring_up_to_date();
}

void LivePlot::hideEvent(QHideEvent* event) {
    panned_from_.reset();
    end_drag();
    QWidget::hideEvent(event);
}

void LivePlot::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange && started_) restyle();
}

void LivePlot::press(QMouseEvent*) {}
void LivePlot::move(QMouseEvent*) {}
void LivePlot::release(QMouseEvent*) { end_drag(); }
void LivePlot::double_click(QMouseEvent*) {}
void LivePlot::end_drag() {}

}  // namespace shardscope
