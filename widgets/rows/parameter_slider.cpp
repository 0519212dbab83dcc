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
#include "widgets/drawing.h"
#include "widgets/theme/theme.h"
#include "widgets/wall_mark.h"

namespace shardscope {
namespace {

constexpr int kKeyStep = 4;  // positions that assistive technology moves on a continuous groove: 1 % of it
constexpr double kInset = 6;
constexpr double kGroove = 12;
constexpr double kProminentGroove = 14;
constexpr double kTick = 3;
constexpr double kTicksApart = 7;  // least distance, px
constexpr double kHandleWidth = 9;
constexpr double kHandleHeight = 19;
constexpr double kProminentHandleWidth = 18;
constexpr double kProminentHandleHeight = 22;
constexpr double kReach = 3;         // px from the pointer to a known value at which a drag stops
constexpr double kFine = 10;         // a fine drag moves the value this many times less than the pointer
constexpr double kLabelsApart = 18;  // px
constexpr std::size_t kMostLabels = 5;

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

QString ParameterSlider::textOf(double value) const {
    if (!parameter_) return {};
    const P id = static_cast<P>(parameter_ - parameters().data());
    // Where the two ends have different units, each number needs its own.
    const Quantity quantity = parameter_->quantity;
    const auto unit = [&](double end) { return shardscope::show(end, quantity).unit; };
    if (scale_.low() > 0 && unit(scale_.low()) != unit(scale_.high()))
        return QString::fromStdString(format(id, value));
    QString text = QString::fromStdString(format(id, value, false));
    if (text.contains(QLatin1Char('.'))) {
        while (text.endsWith(QLatin1Char('0'))) text.chop(1);
        if (text.endsWith(QLatin1Char('.'))) text.chop(1);
    }
    return text;
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

void ParameterSlider::setProminent(bool labelled) {
    prominent_ = true;
    labelled_ = labelled;
    updateGeometry();
    update();
}

void ParameterSlider::step(bool up, bool fine) {
    // The value has changed in another way since the last step.
    if (value_ != steps_to_) steps_from_ = value_;
    std::vector<double> also = known_;
    also.push_back(steps_from_);
    double next = scale_.next(value_, up, fine, also);
    if (scale_.is_list() && !scale_.has_cells() && fine) next = next_valid(next);
    if (next == value_) return;
    take(next);
    steps_to_ = value_;
}

// Returns the first valid value from `next` on, in the direction from the current value to it; the current
// value if there is none. Values between the stops of a list need not be valid.
double ParameterSlider::next_valid(double next) const {
    const double length = scale_.high() - scale_.low();
    for (double ahead = next - value_; ahead != 0 && std::abs(ahead) <= length; ahead *= 2) {
        const double found = nearest(value_ + ahead);
        if (ahead > 0 ? found > value_ : found < value_) return found;
    }
    return value_;
}

void ParameterSlider::page(bool up) {
    const double next = scale_.next_page(value_, up);
    if (next != value_) take(next);
}

void ParameterSlider::keyPressEvent(QKeyEvent* event) {
    const bool mirrored = isRightToLeft();
    const bool fine = event->modifiers() & Qt::ShiftModifier;
    switch (event->key()) {
        case Qt::Key_Right: step(!mirrored, fine); break;
        case Qt::Key_Left: step(mirrored, fine); break;
        case Qt::Key_Up: step(true, fine); break;
        case Qt::Key_Down: step(false, fine); break;
        case Qt::Key_PageUp: page(true); break;
        case Qt::Key_PageDown: page(false); break;
        case Qt::Key_Home:
            if (value_ != scale_.at(0)) take(scale_.at(0));
            break;
        case Qt::Key_End:
            if (value_ != scale_.at(scale_.last())) take(scale_.at(scale_.last()));
            break;
        case Qt::Key_Shift:
            if (isSliderDown()) drag_to(last_x_, event->modifiers() | Qt::ShiftModifier);
            break;
        default: event->ignore(); return;
    }
    event->accept();
}

void ParameterSlider::keyReleaseEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Shift && isSliderDown())
        drag_to(last_x_, event->modifiers() & ~Qt::ShiftModifier);
    else QAbstractSlider::keyReleaseEvent(event);
}

void ParameterSlider::wheelEvent(QWheelEvent* event) {
    // Scrolling the panel must not change a slider that happens to be under the pointer. Some desktops turn
    // Alt or Shift with the wheel into horizontal scrolling.
    const int turns = event->angleDelta().y() != 0 ? event->angleDelta().y() : event->angleDelta().x();
    if (!hasFocus() || turns == 0) {
        event->ignore();
        return;
    }
    step(turns > 0, event->modifiers() & Qt::ShiftModifier);
    event->accept();
}

void ParameterSlider::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || !parameter_) {
        event->ignore();
        return;
    }
    const double x = event->position().x();
    const bool on_handle = handle().contains(event->position());
    grab_ = on_handle ? x - pointOf(value_).x() : 0;
    last_x_ = x;
    // A gesture that is still open ends here; this must not end the new drag.
    Q_EMIT pressed();
    setSliderDown(true);
    if (!on_handle) drag_to(x, event->modifiers() & ~Qt::ShiftModifier);
    if (event->modifiers() & Qt::ShiftModifier) drag_to(x, event->modifiers());
    update();
}

void ParameterSlider::mouseMoveEvent(QMouseEvent* event) {
    if (isSliderDown()) drag_to(event->position().x(), event->modifiers());
}

void ParameterSlider::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton) endDrag();
}

void ParameterSlider::drag_to(double x, Qt::KeyboardModifiers modifiers) {
    const QRectF area = groove();
    last_x_ = x;
    const bool fine = (modifiers & Qt::ShiftModifier) && !scale_.has_cells();
    if (fine && !fine_) {
        // The value stays where it is until the pointer moves.
        const double place = scale_.fraction(value_);
        fine_ = Fine{x, place, std::clamp(place - 0.5 / kFine, 0.0, 1 - 1 / kFine)};
        Q_EMIT fineChanged();
        update();
        return;
    }
    if (!fine && fine_) {
        // The fine drag has left the pointer beside the handle; the drag continues at this distance.
        fine_.reset();
        grab_ = x - pointOf(value_).x();
        Q_EMIT fineChanged();
        update();
    }
    const double along = (isRightToLeft() ? -1 : 1) / area.width();
    double place = 0;
    if (fine_) {
        place = std::clamp(fine_->place + (x - fine_->x) * along / kFine, 0.0, 1.0);
        if (place < fine_->from || place > fine_->from + 1 / kFine)
            fine_->from = std::clamp(place - 0.5 / kFine, 0.0, 1 - 1 / kFine);
    } else {
        place = (x - grab_ - area.left()) / area.width();
        if (isRightToLeft()) place = 1 - place;
    }
    const double value = dragged_value(place, modifiers);
    if (value != value_) take(value);
    if (fine_) Q_EMIT fineChanged();
}

double ParameterSlider::dragged_value(double place, Qt::KeyboardModifiers modifiers) const {
    const double pixel = (fine_ ? 1 / kFine : 1) / groove().width();
    const auto between = [&](double tolerance) {
        return scale_.is_list() ? nearest(scale_.roundest_between(place, tolerance))
                                : scale_.roundest_between(place, tolerance);
    };
    constexpr double kExact = 1e-3;  // of a pixel
    if (modifiers & Qt::AltModifier) return between(kExact * pixel);
    double best = kReach * zoom() * pixel;
    std::optional<double> found;
    for (const double known : known_) {
        if (known < scale_.low() || known > scale_.high()) continue;
        const double distance = std::abs(scale_.fraction(known) - place);
        // Neighbours of a known value that have pixels of their own can be reached, too.
        const double apart = scale_.fraction(known + scale_.step()) - scale_.fraction(known);
        if (distance > best || (apart >= pixel && distance > apart / 2)) continue;
        best = distance;
        found = known;
    }
    if (found) return nearest(*found);
    // A pixel covers several values; the roundest of them is chosen.
    return fine_ ? between(0.5 * pixel) : scale_.roundest(place, 0.5 * pixel);
}

ParameterSlider::Stretch ParameterSlider::magnified() const {
    if (!fine_) return {};
    return {fine_->from, fine_->from + 1 / kFine};
}

void ParameterSlider::endDrag() {
    if (!isSliderDown()) return;
    setSliderDown(false);
    if (fine_) {
        fine_.reset();
        Q_EMIT fineChanged();
    }
    Q_EMIT released();
    update();
}

// Ends a drag when the slider is hidden, because its release event may not arrive.
void ParameterSlider::hideEvent(QHideEvent* event) {
    endDrag();
    QAbstractSlider::hideEvent(event);
}

void ParameterSlider::changeEvent(QEvent* event) {
    if (event->type() == QEvent::EnabledChange && !isEnabled()) endDrag();
    if (event->type() == QEvent::FontChange) updateGeometry();
    QAbstractSlider::changeEvent(event);
}

double ParameterSlider::zoom() const { return zoom_of(font()); }

QRectF ParameterSlider::groove() const {
    const double height = std::round((prominent_ ? kProminentGroove : kGroove) * zoom());
    // The groove starts on a whole pixel, because the columns of a track are whole pixels.
    const double inset = std::round(kInset * zoom());
    const double top = prominent_ ? std::ceil((kProminentHandleHeight * zoom() - height) / 2)
                                  : std::floor((this->height() - height) / 2);
    return {inset, top, std::max(1.0, width() - 2 * inset), height};
}

QPointF ParameterSlider::pointOf(double value) const {
    const QRectF area = groove();
    double part = scale_.fraction(value);
    if (isRightToLeft()) part = 1 - part;
    return {area.left() + part * area.width(), area.center().y()};
}

QRectF ParameterSlider::handle() const {
    const double height =
        std::min((prominent_ ? kProminentHandleHeight : kHandleHeight) * zoom(), this->height() - 2.0);
    const double width = (prominent_ ? kProminentHandleWidth : kHandleWidth) * zoom();
    const QPointF at = pointOf(value_);
    // At an end of the groove the handle stays on it.
    const QRectF area = groove();
    const double left =
        std::clamp(at.x() - width / 2, area.left(), std::max(area.left(), area.right() - width));
    return {left, at.y() - height / 2, width, height};
}

int ParameterSlider::prominent_height(bool labelled, const QFont& font) {
    // The labels begin below the groove, beside the lower end of the handle.
    const int labels = labelled ? QFontMetrics(scaled_font(font, kSmall)).height() - 2 : 0;
    return static_cast<int>(std::ceil(kProminentHandleHeight * zoom_of(font))) + labels;
}

QSize ParameterSlider::sizeHint() const {
    if (prominent_) return {static_cast<int>(328 * zoom()), prominent_height(labelled_, font())};
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

// Labels the ends of the scale and, between them, ticks that have enough space.
void ParameterSlider::paint_tick_labels(QPainter& painter) const {
    if (!labelled_ || scale_.has_cells() || !parameter_) return;
    const QFont face = scaled_font(font(), kSmall);
    const QFontMetricsF metrics(face);
    const QRectF area = groove();
    struct Label {
        QString text;
        QRectF place;
    };
    std::vector<Label> labels;
    const auto add = [&](double value) {
        const QString text = textOf(value);
        const double width = text_width(face, text);
        const double left = std::clamp(pointOf(value).x() - width / 2, area.left(), area.right() - width);
        const QRectF place(left, area.bottom() + kTick * zoom(), width, metrics.height());
        const double apart = kLabelsApart * zoom() / 2;
        for (const Label& other : labels) {
            if (other.place.adjusted(-apart, 0, apart, 0).intersects(place)) return;
        }
        labels.push_back({text, place});
    };
    add(scale_.low());
    add(scale_.high());
    const double spacing = 1.0 / static_cast<double>(kMostLabels - 1);
    for (const double value : scale_.ticks(std::min(1.0, spacing * 0.75))) {
        if (labels.size() < kMostLabels) add(value);
    }
    painter.setFont(face);
    painter.setPen(current_theme().muted);
    for (const Label& label : labels)
        painter.drawText(label.place, Qt::AlignCenter | Qt::TextDontClip, label.text);
}

void ParameterSlider::paint_handle(QPainter& painter) const {
    const Theme& theme = current_theme();
    const QColor ink = Theme::light().text;  // the handle is the same on every track and in both themes
    const QRectF knob = handle().adjusted(0.6, 0.6, -0.6, -0.6);
    painter.setPen(QPen(isEnabled() ? ink : theme.border, 1.2));
    painter.setBrush(isEnabled() ? QColor(Qt::white) : theme.window);
    painter.drawRoundedRect(knob, 2.5, 2.5);
    if (!isEnabled()) return;
    if (const std::optional<Wall> wall = this->wall(); wall && prominent_) {
        constexpr double kCasing = 3;
        paint_wall_mark(painter, knob.adjusted(kCasing, kCasing, -kCasing, -kCasing), *wall, Theme::light());
        return;
    }
    const double quarter = knob.height() / 4;
    painter.setPen(QPen(theme.kind == Theme::Kind::dark ? Theme::light().muted : Theme::light().border, 1));
    painter.drawLine(QPointF(knob.center().x(), knob.top() + quarter),
                     QPointF(knob.center().x(), knob.bottom() - quarter));
}

void ParameterSlider::paintEvent(QPaintEvent*) {
    const Theme& theme = current_theme();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    paint_ticks(painter);
    paint_tick_labels(painter);
    paint_track(painter, groove());
    if (fine_) {
        // The frame shows which part of the groove is magnified.
        const QRectF area = groove();
        const Stretch part = magnified();
        const double from = isRightToLeft() ? 1 - part.to : part.from;
        painter.setPen(QPen(theme.text, 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(QRectF(area.left() + from * area.width(), area.top() - 3, area.width() / kFine,
                                area.height() + 6));
    }
    paint_handle(painter);
    if (hasFocus()) {
        painter.setPen(QPen(theme.accent, 2));
        painter.setBrush(Qt::NoBrush);
        // Around the groove, because labels need no frame.
        const QRectF around = prominent_ ? groove().adjusted(-5, -4, 5, 4) : QRectF(rect());
        painter.drawRoundedRect(around.intersected(rect()).adjusted(1, 1, -1, -1), 3, 3);
    }
}

}  // namespace shardscope
