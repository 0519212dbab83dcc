#include "widgets/rows/parameter_slider.h"

#include <QAccessibleWidget>
#include <QFontMetrics>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScopedValueRollback>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "scenario/domain.h"
#include "widgets/theme/theme.h"

namespace shardscope {
namespace {

constexpr int kKeyStep = 4;  // positions an arrow key moves on a continuous groove: 1 % of it
constexpr double kInset = 6;
constexpr double kGroove = 12;
constexpr double kTick = 3;
constexpr double kTicksApart = 7;  // least distance, px
constexpr double kHandleWidth = 9;
constexpr double kHandleHeight = 19;

// Qt has no accessible interface for a QAbstractSlider that is not a QSlider.
class SliderAccess : public QAccessibleWidget, public QAccessibleValueInterface {
  public:
    explicit SliderAccess(ParameterSlider* slider) : QAccessibleWidget(slider, QAccessible::Slider) {}

    void* interface_cast(QAccessible::InterfaceType type) override {
        if (type == QAccessible::ValueInterface) return static_cast<QAccessibleValueInterface*>(this);
        return QAccessibleWidget::interface_cast(type);
    }
    QString text(QAccessible::Text kind) const override {
        if (kind == QAccessible::Value) return slider().valueText();
        QString words = QAccessibleWidget::text(kind);
        const QString track = kind == QAccessible::Description ? slider().track_text() : QString();
        if (!words.isEmpty() && !track.isEmpty()) words += QLatin1Char(' ');
        return words + track;
    }
    QVariant currentValue() const override { return slider().current(); }
    void setCurrentValue(const QVariant& value) override {
        QAbstractSlider& base = slider();
        base.setValue(slider().scale().position(value.toDouble()));
    }
    QVariant maximumValue() const override { return slider().scale().high(); }
    QVariant minimumValue() const override { return slider().scale().low(); }
    QVariant minimumStepSize() const override {
        return (slider().scale().high() - slider().scale().low()) / slider().scale().last();
    }

  private:
    ParameterSlider& slider() const { return *static_cast<ParameterSlider*>(object()); }
};

QAccessibleInterface* access(const QString&, QObject* object) {
    auto* slider = qobject_cast<ParameterSlider*>(object);
    return slider ? new SliderAccess(slider) : nullptr;
}

}  // namespace

ParameterSlider::ParameterSlider(QWidget* parent) : QAbstractSlider(parent) {
    static const bool installed = [] {
        QAccessible::installFactory(access);
        return true;
    }();
    Q_UNUSED(installed)
    setOrientation(Qt::Horizontal);
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    connect(&ThemeManager::instance(), &ThemeManager::changed, this, qOverload<>(&QWidget::update));
}

void ParameterSlider::setDomain(const Domain& domain, bool logarithmic, const Parameter& parameter) {
    domain_ = domain;
    logarithmic_ = logarithmic;
    parameter_ = &parameter;
    rescale();
}

void ParameterSlider::setValue(double value) {
    if (isSliderDown()) return;
    value_ = value;
    rescale();
}

QString ParameterSlider::valueText() const {
    if (!parameter_) return {};
    const P id = static_cast<P>(parameter_ - parameters().data());
    return QString::fromStdString(format(id, value_));
}

void ParameterSlider::rescale() {
    if (!parameter_) return;
    const QScopedValueRollback guard(syncing_, true);
    scale_ = SliderScale(domain_, logarithmic_, *parameter_, value_);
    setRange(0, scale_.last());
    setSingleStep(scale_.is_list() ? 1 : kKeyStep);
    setPageStep(scale_.is_list() ? std::max(2, scale_.last() / 5) : scale_.last() / 10);
    QAbstractSlider::setValue(scale_.position(value_));
    update();
}

// All changes by the user end here. During a drag the value is one of the drag's values; otherwise it is a
// separate gesture.
void ParameterSlider::take(double value) {
    value_ = value;
    {
        const QScopedValueRollback guard(syncing_, true);
        QAbstractSlider::setValue(scale_.position(value_));
    }
    update();
    if (isSliderDown()) {
        Q_EMIT dragged(value);
        return;
    }
    Q_EMIT pressed();
    Q_EMIT dragged(value);
    Q_EMIT released();
}

void ParameterSlider::sliderChange(SliderChange change) {
    QAbstractSlider::sliderChange(change);
    if (change == SliderValueChange && !syncing_) take(scale_.at(value()));
}

// Moves far enough that the value changes, since neighbouring positions may share a value.
void ParameterSlider::step(int positions) {
    if (positions == 0) return;
    const int direction = positions > 0 ? 1 : -1;
    // If the value is between two positions, a step up starts at the lower one and a step down at the higher
    // one.
    const double place = scale_.place(value_);
    constexpr double kRounding = 1e-9;
    const int start = scale_.has_cells() ? scale_.position(value_)
                      : direction > 0    ? static_cast<int>(std::floor(place + kRounding))
                                         : static_cast<int>(std::ceil(place - kRounding));
    int position = std::clamp(start + positions, 0, scale_.last());
    const auto passed = [&] {
        if (scale_.is_list()) return scale_.at(position) != value_;
        return direction > 0 ? scale_.at(position) > value_ : scale_.at(position) < value_;
    };
    while (!passed() && position + direction >= 0 && position + direction <= scale_.last())
        position += direction;
    if (passed()) take(scale_.at(position));
}

void ParameterSlider::keyPressEvent(QKeyEvent* event) {
    const bool mirrored = isRightToLeft();
    switch (event->key()) {
        case Qt::Key_Right: step(mirrored ? -singleStep() : singleStep()); break;
        case Qt::Key_Left: step(mirrored ? singleStep() : -singleStep()); break;
        case Qt::Key_Up: step(singleStep()); break;
        case Qt::Key_Down: step(-singleStep()); break;
        case Qt::Key_PageUp: step(pageStep()); break;
        case Qt::Key_PageDown: step(-pageStep()); break;
        case Qt::Key_Home: step(-scale_.last()); break;
        case Qt::Key_End: step(scale_.last()); break;
        default: event->ignore(); return;
    }
    event->accept();
}

void ParameterSlider::wheelEvent(QWheelEvent* event) {
    // Scrolling the panel must not change a slider that happens to be under the pointer.
    const int turns = event->angleDelta().y();
    if (!hasFocus() || turns == 0) {
        event->ignore();
        return;
    }
    step(turns > 0 ? singleStep() : -singleStep());
    event->accept();
}

void ParameterSlider::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || !parameter_) {
        event->ignore();
        return;
    }
    const double x = event->position().x();
    const bool on_handle = handle().contains(event->position());
    grab_ = on_handle ? x - handle().center().x() : 0;
    setSliderDown(true);
    Q_EMIT pressed();
    if (!on_handle) drag_to(x);
    update();
}

void ParameterSlider::mouseMoveEvent(QMouseEvent* event) {
    if (isSliderDown()) drag_to(event->position().x());
}

void ParameterSlider::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton) end_drag();
}

void ParameterSlider::drag_to(double x) {
    const QRectF area = groove();
    double part = (x - grab_ - area.left()) / area.width();
    if (isRightToLeft()) part = 1 - part;
    // A pixel covers several values; the roundest of them is chosen.
    const double value = scale_.roundest(part, 0.5 / area.width());
    if (value != value_) take(value);
}

void ParameterSlider::end_drag() {
    if (!isSliderDown()) return;
    setSliderDown(false);
    Q_EMIT released();
    update();
}

// Ends a drag when the slider is hidden, because its release event may not arrive.
void ParameterSlider::hideEvent(QHideEvent* event) {
    end_drag();
    QAbstractSlider::hideEvent(event);
}

void ParameterSlider::changeEvent(QEvent* event) {
    if (event->type() == QEvent::EnabledChange && !isEnabled()) end_drag();
    if (event->type() == QEvent::FontChange) updateGeometry();
    QAbstractSlider::changeEvent(event);
}

double ParameterSlider::zoom() const { return zoom_of(font()); }

QRectF ParameterSlider::groove() const {
    const double height = std::round(kGroove * zoom());
    // The groove starts on a whole pixel, because the columns of a track are whole pixels.
    const double inset = std::round(kInset * zoom());
    return {inset, std::floor((this->height() - height) / 2), std::max(1.0, width() - 2 * inset), height};
}

QPointF ParameterSlider::pointOf(double value) const {
    const QRectF area = groove();
    double part = scale_.fraction(value);
    if (isRightToLeft()) part = 1 - part;
    return {area.left() + part * area.width(), area.center().y()};
}

QRectF ParameterSlider::handle() const {
    const double height = std::min(kHandleHeight * zoom(), this->height() - 2.0);
    const double width = kHandleWidth * zoom();
    const QPointF at = pointOf(value_);
    return {at.x() - width / 2, at.y() - height / 2, width, height};
}

QSize ParameterSlider::sizeHint() const {
    return {static_cast<int>(116 * zoom()), std::max(22, static_cast<int>(22 * zoom()))};
}

QSize ParameterSlider::minimumSizeHint() const { return {60, sizeHint().height()}; }

void ParameterSlider::paint_track(QPainter& painter, const QRectF& groove) {
    const Theme& theme = current_theme();
    const QRectF frame = groove.adjusted(0.5, 0.5, -0.5, -0.5);
    painter.setPen(Qt::NoPen);
    painter.setBrush(isEnabled() ? theme.raised : theme.window);
    painter.drawRoundedRect(frame, 2, 2);
    QColor edge = theme.kind == Theme::Kind::dark ? theme.border : QColor(0, 0, 0, 71);
    if (!isEnabled()) edge = theme.line;
    painter.setPen(QPen(edge, 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(frame, 2, 2);
    if (!scale_.has_cells()) return;
    const auto cells = static_cast<int>(scale_.last()) + 1;
    for (int i = 1; i < cells; ++i) {
        const double x = groove.left() + groove.width() * i / cells;
        painter.drawLine(QPointF(x, frame.top()), QPointF(x, frame.bottom()));
    }
}

void ParameterSlider::paint_ticks(QPainter& painter) const {
    const QRectF area = groove();
    QRectF tick(0, area.bottom() + 1, 1, std::round(kTick * zoom()));
    for (const double value : scale_.ticks(std::min(1.0, kTicksApart * zoom() / area.width()))) {
        // A tick covers one whole pixel, which must be within the groove.
        tick.moveLeft(std::min(std::floor(pointOf(value).x()), area.right() - 1));
        painter.fillRect(tick, current_theme().border);
    }
}

void ParameterSlider::paintEvent(QPaintEvent*) {
    const Theme& theme = current_theme();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    paint_ticks(painter);
    paint_track(painter, groove());

    const QColor ink = Theme::light().text;  // the handle is the same on every track and in both themes
    const QRectF knob = handle().adjusted(0.6, 0.6, -0.6, -0.6);
    painter.setPen(QPen(isEnabled() ? ink : theme.border, 1.2));
    painter.setBrush(isEnabled() ? QColor(Qt::white) : theme.window);
    painter.drawRoundedRect(knob, 2.5, 2.5);
    if (isEnabled()) {
        const double quarter = knob.height() / 4;
        painter.setPen(
            QPen(theme.kind == Theme::Kind::dark ? Theme::light().muted : Theme::light().border, 1));
        painter.drawLine(QPointF(knob.center().x(), knob.top() + quarter),
                         QPointF(knob.center().x(), knob.bottom() - quarter));
    }
    if (hasFocus()) {
        painter.setPen(QPen(theme.accent, 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 3, 3);
    }
}

}  // namespace shardscope
