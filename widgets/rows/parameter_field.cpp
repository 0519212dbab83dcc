#include "widgets/rows/parameter_field.h"
#include "scenario/domain.h"
#include "widgets/encode.h"
#include "widgets/text.h"

#include <QFocusEvent>
#include <QFontMetrics>
#include <QKeyEvent>
#include <QSignalBlocker>
#include <QStandardItemModel>
#include <QStyleOptionComboBox>
#include <QStyleOptionFrame>
#include <QStylePainter>
#include <QTimer>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

namespace shardscope {
namespace {

// Sets a property that the style reads when it paints a field ("refused", "flash").
void set_look(QWidget& widget, const char* name, bool on) {
    widget.setProperty(name, on);
    widget.update();
}

void flash_look(QWidget& widget, int milliseconds) {
    set_look(widget, "flash", true);
    QTimer::singleShot(milliseconds, &widget, [&widget] { set_look(widget, "flash", false); });
}

// Returns the width of the longest of the texts in an editor that is `around` wider than a text.
int width_with(const QStringList& texts, const QFontMetrics& metrics, int around) {
    int widest = 0;
    for (const QString& text : texts) widest = std::max(widest, metrics.horizontalAdvance(text));
    return widest + around;
}

int decimals_of(const std::string& number) {
    const std::size_t point = number.find('.');
    return point == std::string::npos ? 0 : static_cast<int>(number.size() - point - 1);
}

}  // namespace

ParameterField::ParameterField(P id, QWidget* parent) : QLineEdit(parent), id_(id) {
    setAlignment(Qt::AlignRight | Qt::AlignVCenter);
}

QString ParameterField::text_for_now() const {
    QString text = QString::fromStdString(format(id_, value_));
    if (hasFocus()) text.remove(QLatin1Char(','));
    return text;
}

void ParameterField::show_value() {
    shown_ = text_for_now();
    setText(shown_);
    setCursorPosition(hasFocus() ? static_cast<int>(shown_.size()) : 0);
}

void ParameterField::setValue(double value) {
    value_ = value;
    setRefused(false);
    show_value();
}

void ParameterField::setRefused(bool refused) {
    if (refused == refused_) return;
    refused_ = refused;
    set_look(*this, "refused", refused);
}

void ParameterField::flash(int milliseconds) { flash_look(*this, milliseconds); }

int ParameterField::neededWidth() const {
    const Parameter& row = parameter(id_);
    QStringList texts;
    for (const double value : {0.0, row.slider_low, row.slider_high}) texts << text_of(format(id_, value));
    for (const Named& named : row.names) texts << text_of(label_of(named));
    QStyleOptionFrame option;
    initStyleOption(&option);
    const int room = style()->subElementRect(QStyle::SE_LineEditContents, &option, this).width();
    constexpr int kMargins = 6;  // of the text and for the cursor
    return width_with(texts, fontMetrics(), width() - room + kMargins);
}

void ParameterField::commit() {
    if (text() == shown_) return;
    const Parsed parsed = parse(id_, text().toStdString(), true);
    if (!parsed.ok) {
        shown_ = text();  // reported once, not again when the focus leaves
        setRefused(true);
        QString message = QString::fromStdString(parsed.problem);
        if (!parsed.suggestion.empty())
            message += QStringLiteral("; ") + QString::fromStdString(parsed.suggestion);
        Q_EMIT refused(message);
        return;
    }
    const bool was_refused = refused_;
    setRefused(false);
    if (parsed.value == value_) {
        show_value();
        if (was_refused) Q_EMIT restored();
        return;
    }
    value_ = parsed.value;
    show_value();
    Q_EMIT committed(parsed.value);
}

double ParameterField::stepped(double from, int steps) const {
    if (steps == 0) return from;
    const Parameter& row = parameter(id_);
    if (!domain_.stops.empty()) {
        const auto& stops = domain_.stops;
        const auto count = static_cast<std::ptrdiff_t>(stops.size());
        std::ptrdiff_t place = std::ranges::find(stops, from) - stops.begin();
        if (place == count) {  // between two stops: up leads to the higher one, down to the lower one
            const auto above = std::ranges::find_if(stops, [&](double stop) { return stop > from; });
            place = above - stops.begin() - (steps > 0 ? 1 : 0);
        }
        return stops[static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(place + steps, 0, count - 1))];
    }
    if (domain_.step > 0) {
        const double place = from / domain_.step;
        const double next = steps > 0 ? std::floor(place + 1e-9) + steps : std::ceil(place - 1e-9) + steps;
        return std::clamp(next * domain_.step, row.minimum, row.maximum);
    }
    const Shown shown = shardscope::show(from, row.quantity);
    // The parser gives the size of the unit, also for multipliers of counts ("15 T") and units in another
    // language.
    double unit = 1;
    if (const Parsed one = parse("1 " + shown.unit, row.quantity); one.ok && !shown.unit.empty())
        unit = one.value;
    double digit = (domain_.high - domain_.low) / 100;
    if (from != 0) {
        // A step is the last digit shown, or a tenth of the first digit where trailing zeros were dropped
        // ("0.7").
        digit = std::min(std::pow(10.0, -decimals_of(shown.number)),
                         std::pow(10.0, std::floor(std::log10(std::fabs(from / unit))) - 1)) *
                unit;
    }
    if (!(digit > 0)) return from;
    // This counts in whole digits of the shown unit, so that ten steps of 0.1 end on a round number.
    const double next = std::round((std::round(from / digit) + steps) * (digit / unit) * 1e6) / 1e6 * unit;
    return std::clamp(next, row.minimum, row.maximum);
}

void ParameterField::step(int steps) {
    double from = value_;
    if (text() != shown_) {
        const Parsed parsed = parse(id_, text().toStdString(), true);
        if (parsed.ok) from = parsed.value;
    }
    const double next = stepped(from, steps);
    if (next == value_) {
        setValue(value_);
        return;
    }
    setValue(next);
    Q_EMIT committed(next);
    selectAll();
}

bool ParameterField::event(QEvent* event) {
    // Without typed text, undo and redo belong to the window. So do letters while the whole text is selected,
    // because no value begins with a letter; behind a value a letter may belong to its unit.
    if (event->type() == QEvent::ShortcutOverride && text() == shown_) {
        const auto* key = static_cast<QKeyEvent*>(event);
        const bool letter = key->modifiers() == Qt::NoModifier && key->text().size() == 1 &&
                            key->text().front().isLetter() && selectedText() == text();
        if (letter || key->matches(QKeySequence::Undo) || key->matches(QKeySequence::Redo)) {
            event->ignore();
            return false;
        }
    }
    return QLineEdit::event(event);
}

void ParameterField::keyPressEvent(QKeyEvent* event) {
    const int steps = event->modifiers() & Qt::ShiftModifier ? 10 : 1;
    switch (event->key()) {
        case Qt::Key_Up: step(steps); break;
        case Qt::Key_Down: step(-steps); break;
        case Qt::Key_Return:
        case Qt::Key_Enter:
            commit();
            selectAll();
            break;
        case Qt::Key_Escape:
            if (text() == shown_ && !refused_) {
                event->ignore();
                return;
            }
            setValue(value_);
            selectAll();
            Q_EMIT restored();
            break;
        default: QLineEdit::keyPressEvent(event); return;
    }
    event->accept();
}

void ParameterField::wheelEvent(QWheelEvent* event) {
    const int turns = event->angleDelta().y();
    if (!hasFocus() || turns == 0) {
        event->ignore();
        return;
    }
    step(turns > 0 ? 1 : -1);
    event->accept();
}

void ParameterField::focusInEvent(QFocusEvent* event) {
    QLineEdit::focusInEvent(event);
    if (!refused_ && text() == shown_) show_value();
    const auto reason = event->reason();
    if (reason == Qt::TabFocusReason || reason == Qt::BacktabFocusReason ||
        reason == Qt::ShortcutFocusReason) {
        selectAll();
    }
}

void ParameterField::focusOutEvent(QFocusEvent* event) {
    QLineEdit::focusOutEvent(event);
    if (event->reason() == Qt::PopupFocusReason) return;  // the focus went to the field's context menu
    commit();
    if (!refused_) show_value();
}

ParameterChoice::ParameterChoice(P id, QWidget* parent) : QComboBox(parent) {
    setFocusPolicy(Qt::StrongFocus);
    setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    setMinimumContentsLength(3);
    for (const Named& named : parameter(id).names) {
        addItem(text_of(label_of(named)), named.value);
    }
    connect(this, &QComboBox::activated, this,
            [this](int place) { Q_EMIT committed(itemData(place).toDouble()); });
}

void ParameterChoice::setValue(double value) {
    for (int i = 0; i < count(); ++i) {
        if (itemData(i).toDouble() == value) setCurrentIndex(i);
    }
}

void ParameterChoice::setDomain(const Domain& domain) {
    auto* items = qobject_cast<QStandardItemModel*>(model());
    if (!items) return;
    for (int i = 0; i < count(); ++i) {
        const bool possible = std::ranges::find(domain.stops, itemData(i).toDouble()) != domain.stops.end();
        items->item(i)->setEnabled(possible);
    }
}

void ParameterChoice::setRefused(bool refused) { set_look(*this, "refused", refused); }

void ParameterChoice::flash(int milliseconds) { flash_look(*this, milliseconds); }

int ParameterChoice::neededWidth() const {
    QStringList names;
    for (int i = 0; i < count(); ++i) names << itemText(i);
    return width_with(names, fontMetrics(), width() - roomForText());
}

int ParameterChoice::roomForText() const {
    QStyleOptionComboBox option;
    initStyleOption(&option);
    constexpr int kMargins = 2;  // of the text
    return style()->subControlRect(QStyle::CC_ComboBox, &option, QStyle::SC_ComboBoxEditField, this).width() -
           kMargins;
}

QString ParameterChoice::fittingText() const {
    return fontMetrics().elidedText(currentText(), Qt::ElideRight, roomForText());
}

bool ParameterChoice::event(QEvent* event) {
    // Without a tool tip of its own, that of the row is shown.
    if (event->type() == QEvent::ToolTip)
        setToolTip(fittingText() == currentText() ? QString() : tool_tip(currentText()));
    return QComboBox::event(event);
}

void ParameterChoice::paintEvent(QPaintEvent*) {
    QStylePainter painter(this);
    painter.setPen(palette().color(QPalette::Text));
    QStyleOptionComboBox option;
    initStyleOption(&option);
    option.currentText = fittingText();
    painter.drawComplexControl(QStyle::CC_ComboBox, option);
    painter.drawControl(QStyle::CE_ComboBoxLabel, option);
}

void ParameterChoice::wheelEvent(QWheelEvent* event) {
    if (hasFocus()) {
        QComboBox::wheelEvent(event);
    } else {
        event->ignore();
    }
}

}  // namespace shardscope
