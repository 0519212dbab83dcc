#include "widgets/rows/parameter_row.h"

#include <QAbstractButton>
#include <QApplication>
#include <QEvent>
#include <QFontMetrics>
#include <QKeyEvent>
#include <QLabel>
#include <QMouseEvent>
#include <QSinglePointEvent>
#include <QStyle>
#include <QUndoStack>
#include <algorithm>
#include <array>
#include <cmath>

#include "explain/output.h"
#include "parameters/matrix_format.h"
#include "scenario/domain.h"
#include "scenario/known_values.h"
#include "text/translate.h"
#include "widgets/encode.h"
#include "widgets/rows/parameter_field.h"
#include "widgets/rows/row_buttons.h"
#include "widgets/rows/track_legend.h"
#include "widgets/rows/track_lens.h"
#include "widgets/rows/track_slider.h"
#include "widgets/text.h"
#include "widgets/theme/theme.h"

namespace shardscope {
namespace {

constexpr int kFlash = 400;        // ms
constexpr int kCorrection = 8000;  // ms, that the message about a corrected value stays
constexpr int kFieldMargins = 10;  // px, of the text in a field

bool same(const Domain& a, const Domain& b) {
    return a.low == b.low && a.high == b.high && a.step == b.step && a.stops == b.stops;
}

// Returns the parameter that a scenario overrides. For `peak_flops` that is the peak of the precision in use.
P stored_as(P id, const Settings& settings) { return id == P::peak_flops ? peak_of(settings) : id; }

QString pointer_of(P id) {
    return QLatin1Char('/') + text_of(parameter(id).key).replace(QLatin1Char('.'), QLatin1Char('/'));
}

using AccessKeys = std::array<QChar, kParameters>;

AccessKeys assign_access_keys() {
    AccessKeys keys{};
    QString used;  // first by the window's menus
    for (const char* menu : {translatable("&File"), translatable("&Edit"), translatable("&View"),
                             translatable("&Scenario"), translatable("&Help")})
        used += tr(menu).section(QLatin1Char('&'), 1).left(1).toLower();
    for (const Prominence prominence : {Prominence::row, Prominence::advanced}) {
        for (std::size_t i = 0; i < kParameters; ++i) {
            const Parameter& row = parameters()[i];
            if (row.prominence != prominence) continue;
            const QString label = text_of(translate(row.label));
            for (const bool initials : {true, false}) {
                for (qsizetype at = 0; at < label.size() && keys[i].isNull(); ++at) {
                    const QChar letter = label[at].toLower();
                    const bool initial =
                        at == 0 || label[at - 1] == QLatin1Char(' ') || label[at - 1] == QLatin1Char('-');
                    if (letter < QLatin1Char('a') || letter > QLatin1Char('z') || initial != initials)
                        continue;
                    if (used.contains(letter)) continue;
                    used += letter;
                    keys[i] = letter;
                }
            }
        }
    }
    return keys;
}

// Returns the row that is or contains the widget; nullptr if none does.
const ParameterRow* row_with(const QObject* widget) {
    while (widget && !qobject_cast<const ParameterRow*>(widget)) widget = widget->parent();
    return qobject_cast<const ParameterRow*>(widget);
}

// Returns the height of the first line of a prominent row.
int prominent_line_height(RowHeight height, const QFont& font) {
    const int wanted = static_cast<int>(std::lround((height == RowHeight::high ? 22 : 20) * zoom_of(font)));
    return std::max(wanted, QFontMetrics(font).height() + 4);
}

}  // namespace

QString with_access_key(P id, const QString& label) {
    static const AccessKeys keys = assign_access_keys();
    const QChar key = keys[index(id)];
    if (key.isNull()) return label;
    // The key is marked at the start of a word if possible.
    qsizetype found = -1;
    for (qsizetype at = 0; at < label.size(); ++at) {
        if (label[at].toLower() != key) continue;
        const bool initial =
            at == 0 || label[at - 1] == QLatin1Char(' ') || label[at - 1] == QLatin1Char('-');
        if (found < 0 || initial) found = at;
        if (initial) break;
    }
    QString out = label;
    if (found >= 0) out.insert(found, QLatin1Char('&'));
    return out;
}

RowGeometry RowGeometry::of(const QFont& font, int width) {
    const QFontMetrics metrics(font);
    const QFontMetrics small(scaled_font(font, kSmall));
    const double zoom = zoom_of(font);
    const auto zoomed = [&](int px) { return static_cast<int>(std::lround(px * zoom)); };
    const bool narrow = is_narrow(width, font);
    constexpr int kScrollBar = 6;
    RowGeometry g;
    g.label = zoomed(104);
    g.field = std::max(zoomed(narrow ? 76 : 92),
                       metrics.horizontalAdvance(QStringLiteral("900.0 GB/s")) + kFieldMargins);
    g.automatic = std::max(narrow ? 28 : 32, small.horizontalAdvance(ParameterRow::tr("auto")) + 6);
    g.inset = zoomed(6);
    g.control = std::max(22, metrics.height() + 6);
    g.height = std::max(g.control + 4, 2 * metrics.height() + 2);
    const int others = g.dot_x() - g.slider + g.dot + kScrollBar;
    g.slider = std::max(zoomed(36), width - others);
    return g;
}

bool is_narrow(int width, const QFont& font) {
    constexpr int kNarrow = 320;
    return width < kNarrow * zoom_of(font);
}

int panel_padding(int width, const QFont& font) {
    return static_cast<int>(std::lround((is_narrow(width, font) ? 12 : 16) * zoom_of(font)));
}

int prominent_row_height(RowHeight height, const QFont& font) {
    constexpr std::array kHeights{70, 58, 54, 46};  // as in RowHeight
    const int wanted =
        static_cast<int>(std::lround(kHeights[static_cast<std::size_t>(height)] * zoom_of(font)));
    // A large font needs more than its part of the row.
    return std::max(wanted, prominent_line_height(height, font) +
                                ParameterSlider::prominent_height(height != RowHeight::lowest, font));
}

ParameterRow::ParameterRow(P id, LiveModel& model, QWidget* parent, RowForm form)
    : QWidget(parent), id_(id), model_(model), form_(form) {
    const Parameter& row = parameter(id);
    const QString key = text_of(row.key);
    const QString help = text_of(translate(row.help));
    setObjectName(key);

    label_ = new QLabel(this);
    slider_ = new TrackSlider(id, model_, this);
    slider_->setObjectName(key + QStringLiteral("/slider"));
    if (form_ == RowForm::prominent) slider_->setProminent(true);
    connect(slider_, &ParameterSlider::pressed, this, [this] { model_.begin_gesture(id_); });
    connect(slider_, &ParameterSlider::dragged, this, [this](double value) { model_.drag(id_, value); });
    connect(slider_, &ParameterSlider::released, this, [this] {
        model_.end_gesture();
        fresh_ = true;  // the slider is still at the pointer, not at the nearest valid value
        refresh();
    });
    // Another change may end the gesture while the slider is pressed.
    connect(&model_, &LiveModel::gesture_ended, slider_, &ParameterSlider::endDrag);
    connect(slider_, &ParameterSlider::fineChanged, this, [this] {
        if (!lens_ && slider_->is_fine()) lens_ = new TrackLens(*slider_);
        if (lens_) lens_->refresh(label_text_);
    });
    make_editor();
    editor()->setObjectName(key + QStringLiteral("/field"));
    editor()->setAccessibleDescription(help);
    label_->setBuddy(editor());
    label_->setCursor(Qt::PointingHandCursor);
    label_->installEventFilter(this);
    make_buttons();

    message_ = new QLabel(this);
    message_->setTextFormat(Qt::PlainText);  // it repeats the typed text
    message_->setObjectName(key + QStringLiteral("/message"));
    message_->setWordWrap(true);
    if (form_ == RowForm::prominent) {
        message_->setAutoFillBackground(true);
        message_->setBackgroundRole(QPalette::ToolTipBase);
        message_->setFrameShape(QFrame::Box);
        message_->setMargin(4);
        // It covers the next row, which must stay usable.
        message_->setAttribute(Qt::WA_TransparentForMouseEvents);
        message_end_.setSingleShot(true);
        connect(&message_end_, &QTimer::timeout, this, &ParameterRow::end_message);
        connect(model_.undo_stack(), &QUndoStack::indexChanged, this, [this] {
            if (!refused_) end_message();
        });
        editor()->installEventFilter(this);
    }
    message_->hide();

    connect(&model_, &LiveModel::changed, this, &ParameterRow::refresh);
    connect(&model_, &LiveModel::preset_applied, this, [this] {
        preset_coming_ = true;
        // If the preset is already in use no change follows, and a later change has another cause.
        QTimer::singleShot(0, this, [this] { preset_coming_ = false; });
    });
    place();
    refresh();
}

ParameterRow::~ParameterRow() {
    slider_->disconnect(
        this);  // its drag ends when it is hidden, which must not reach a row without its parts
    // These may be children of other widgets.
    delete lens_;
    delete message_;
}

ParameterSlider* ParameterRow::slider() const { return slider_; }

QWidget* ParameterRow::editor() const {
    if (choice_) return choice_;
    return field_;
}

void ParameterRow::make_editor() {
    if (parameter(id_).named_only) {
        choice_ = new ParameterChoice(id_, this);
        connect(choice_, &ParameterChoice::committed, this, &ParameterRow::commit_typed);
        return;
    }
    field_ = new ParameterField(id_, this);
    connect(field_, &ParameterField::committed, this, &ParameterRow::commit_typed);
    connect(field_, &ParameterField::refused, this, [this](const QString& message) {
        tell(message, true);
        model_.mark_unparsed(id_, true);
    });
    connect(field_, &ParameterField::restored, this, [this] {
        tell({}, false);
        fresh_ = true;
        refresh();
    });
}

void ParameterRow::make_buttons() {
    const QString key = text_of(parameter(id_).key);
    if (parameter(id_).of_plan()) {
        automatic_ = new AutoButton(
            form_ == RowForm::prominent ? AutoButton::Look::chip : AutoButton::Look::padlock, this);
        automatic_->setObjectName(key + QStringLiteral("/auto"));
        automatic_->setText(tr("auto"));
        connect(automatic_, &QAbstractButton::clicked, this,
                [this](bool on) { model_.set_automatic(id_, on); });
    }
    reset_ = new ResetDot(this);
    reset_->setObjectName(key + QStringLiteral("/reset"));
    reset_->hide();
    connect(reset_, &QAbstractButton::clicked, this, [this] {
        // The button will be hidden, so the focus moves to the editor of the row.
        if (reset_->hasFocus()) editor()->setFocus();
        model_.reset(id_);
    });
}

// Returns the reason why this value is not possible, in the words of the rule that it breaks; empty if it is.
QString ParameterRow::objection_to(double value) const {
    Scenario other = model_.answer().scenario;
    other.give(id_, value);
    const Problems problems = check(other, resolve(other));
    if (problems.empty()) return {};
    const Problem& first = problems.front();
    QString why = QString::fromStdString(first.why);
    if (QString::fromStdString(first.where) == pointer_of(id_)) return why;
    return QString::fromStdString(first.what) + QStringLiteral(", ") + why;
}

QString ParameterRow::reason_of_end(const Domain& range) const {
    const Parameter& row = parameter(id_);
    const bool ends_early = row.whole && !row.named_only && range.high < row.slider_high;
    // With automatic parameters other plans are tried, so that no rule of the present one is the reason.
    if (!ends_early || model_.answer().scenario.automatic.any()) return {};
    const QString why = objection_to(row.logarithmic ? 2 * range.high : range.high + 1);
    if (why.isEmpty()) return {};
    return tr("At most %1 is possible: %2.").arg(QString::fromStdString(format(id_, range.high)), why);
}

void ParameterRow::explain_range(bool settled, const Domain& range) {
    explained_end_ = range.high;
    QStringList words{text_of(help_of(id_))};
    if (settled) {
        const double value = model_.answer().settings[id_];
        const QString only = QString::fromStdString(format(id_, value));
        const QString why = objection_to(value + std::max(1.0, range.step));
        words += why.isEmpty() ? tr("Only %1 is possible with the other values as they are.").arg(only)
                               : tr("Only %1 is possible: %2.").arg(only, why);
    } else if (const QString end = reason_of_end(range); !end.isEmpty()) {
        words += end;
    }
    slider_->setAccessibleDescription(words.join(QLatin1Char(' ')));
    setToolTip(wrapped_tool_tip(words.join(QLatin1Char('\n'))));
    // A slider without a choice has no coloured track.
    slider_->setToolTip(settled ? QString() : track_legend());
}

void ParameterRow::commit_typed(double value) {
    const double nearest = nearest_valid(id_, value, model_.answer().settings);
    const QString why = same_value(nearest, value) ? QString() : objection_to(value);
    tell({}, false);
    model_.edit(id_, value);
    fresh_ = true;
    refresh();
    if (!same_value(nearest, value)) {
        const QString typed = QString::fromStdString(format(id_, value));
        const QString taken = QString::fromStdString(format(id_, model_.answer().settings[id_]));
        if (typed == taken) return;
        tell(why.isEmpty()
                 ? tr("%1 is not possible here; the nearest value, %2, is set.").arg(typed, taken)
                 : tr("%1 is not possible: %2. The nearest value, %3, is set.").arg(typed, why, taken),
             false);
    }
}

void ParameterRow::tell(const QString& message, bool refused) {
    if (field_) field_->setRefused(refused);
    if (choice_) choice_->setRefused(refused);
    if (!refused) model_.mark_unparsed(id_, false);
    refused_ = refused;
    if (message == message_text_) return;
    message_text_ = message;
    message_ended_ = false;
    told_at_ = QApplication::focusWidget();
    message_->setText(message);
    message_->setVisible(!message.isEmpty());
    editor()->setAccessibleDescription(message.isEmpty() ? text_of(help_of(id_)) : message);
    message_end_.stop();
    if (message.isEmpty() && form_ == RowForm::prominent) qApp->removeEventFilter(this);
    place();
    updateGeometry();
}

void ParameterRow::refresh() {
    const Answer& answer = model_.answer();
    const double value = answer.settings[id_];
    const bool changed = fresh_ || !same_value(value, value_);
    if (changed && !fresh_) tell({}, false);
    refresh_domain();
    if (changed) {
        show_value(value);
        if (preset_coming_ && !fresh_ &&
            style()->styleHint(QStyle::SH_Widget_Animation_Duration, nullptr, this) > 0) {
            if (field_) field_->flash(kFlash);
            if (choice_) choice_->flash(kFlash);
        }
    }
    preset_coming_ = false;
    fresh_ = false;

    const P stored = stored_as(id_, answer.settings);
    if (stored != known_for_) {
        known_for_ = stored;
        slider_->setKnownValues(known_values(stored, model_.catalogue()));
    }
    const bool changed_preset = is_changed(model_.scenario(), stored);
    if (changed_preset) {
        Scenario without = model_.scenario();
        without.withdraw(id_);
        const QString text = QString::fromStdString(format(id_, resolve(without)[id_]));
        reset_->setToolTip(tr("Back to %1").arg(text));
    }
    reset_->setVisible(changed_preset);
    if (automatic_) {
        const bool on = model_.scenario().automatic[index(id_)];
        automatic_->setChecked(on);
        automatic_->setToolTip(on ? tr("Planned: the value that trains fastest and fits. Click to lock it.")
                                  : tr("Locked. Click to let the planner choose."));
    }
    if (label_text_.isEmpty()) refresh_label();

    // A value that makes the whole scenario invalid is reported here, beside the value.
    if (answer.valid() && !shows_problem_) return;
    const QString pointer = pointer_of(id_);
    const auto blame = std::ranges::find_if(answer.problems, [&](const Problem& problem) {
        return QString::fromStdString(problem.where) == pointer;
    });
    if (blame != answer.problems.end()) {
        Problem words = *blame;
        words.where.clear();
        tell(QString::fromStdString(words.text()), true);
        shows_problem_ = true;
    } else if (shows_problem_) {
        tell({}, false);
        shows_problem_ = false;
    }
}

void ParameterRow::show_value(double value) {
    value_ = value;
    slider_->setValue(value);
    if (field_) field_->setValue(value);
    if (choice_) choice_->setValue(value);
}

void ParameterRow::refresh_domain() {
    if (slider_->isSliderDown()) return;
    const Answer& answer = model_.answer();
    Domain now = answer.scenario.automatic.none() ? domain(id_, answer.settings)
                                                  : domain(id_, settings_for_edit(answer.scenario, id_));
    const bool missing = std::isnan(model_.answer().settings[id_]);
    const bool settled = now.stops.size() == 1 || (parameter(id_).named_only && now.stops.empty());
    slider_->setEnabled(!missing && !settled);
    if (choice_) choice_->setEnabled(!settled);
    if (fresh_ || (!model_.in_gesture() && (settled || settled_ || now.high != explained_end_))) {
        explain_range(settled, now);
        settled_ = settled;
    }
    if (!fresh_ && same(now, domain_)) return;
    domain_ = std::move(now);
    slider_->setDomain(domain_, parameter(id_).logarithmic, parameter(id_));
    if (field_) field_->setDomain(domain_);
    if (choice_) choice_->setDomain(domain_);
}

void ParameterRow::refresh_label() {
    const QString label = text_of(label_of(id_));
    if (label == label_text_) return;
    label_text_ = label;
    slider_->setAccessibleName(label);
    editor()->setAccessibleName(label);
    reset_->setAccessibleName(tr("Reset %1").arg(label));
    if (automatic_) automatic_->setAccessibleName(tr("%1 automatic").arg(label));
    fit_label();
}

// Sets the label on one line or two; a longer one ends with an ellipsis.
void ParameterRow::fit_label() {
    const QFontMetrics metrics(font());
    const QRect area(QPoint(0, 0), label_->size());
    const bool one_line = metrics.horizontalAdvance(label_text_) <= area.width();
    label_->setWordWrap(!one_line);
    QString text = label_text_;
    const auto cut = [&] {
        const QRect needed = metrics.boundingRect(area, Qt::TextWordWrap, text);
        return needed.height() > area.height() || needed.width() > area.width();
    };
    while (!one_line && area.width() > 0 && cut() && text.size() > 2) text = text.chopped(2) + QChar(0x2026);
    label_->setText(with_access_key(id_, text));
}

void ParameterRow::set_height(RowHeight height) {
    row_height_ = height;
    slider_->setProminent(height != RowHeight::lowest);
    place();
    updateGeometry();
}

int ParameterRow::place_compact() {
    const RowGeometry g = RowGeometry::of(font(), width());
    const auto put = [&](QWidget* widget, int x, int width, int height) {
        if (widget)
            widget->setGeometry(QStyle::visualRect(layoutDirection(), QRect(0, 0, this->width(), g.height),
                                                   QRect(x, (g.height - height) / 2, width, height)));
    };
    put(label_, g.left, g.label, g.height);
    int field = g.field;
    int taken = 0;  // by the field from the slider
    // An editor with long texts also uses the space of a missing auto button, and some of the slider's.
    if (const int needed = choice_ ? choice_->neededWidth() : field_->neededWidth(); needed > field) {
        constexpr int kLeastSlider = 30;
        if (!automatic_) field = g.automatic_x() + g.automatic - g.field_x();
        taken = std::max(0, std::min(g.slider - kLeastSlider, needed - field));
    }
    put(slider_, g.slider_x(), g.slider - taken, g.control);
    put(editor(), g.field_x() - taken, field + taken, g.control);
    put(automatic_, g.automatic_x(), g.automatic, g.control - 4);
    put(reset_, g.dot_x() - 3, g.dot + 6, g.dot + 6);
    return g.height;
}

int ParameterRow::place_prominent() {
    const double zoom = zoom_of(font());
    const auto zoomed = [&](int px) { return static_cast<int>(std::lround(px * zoom)); };
    const int padding = panel_padding(width(), font());
    const int inset = zoomed(6);  // of the groove in the slider
    const int height = prominent_row_height(row_height_, font());
    const int line = prominent_line_height(row_height_, font());
    const int below = slider_->sizeHint().height();
    const int top = (height - line - below) / 2;
    const auto put = [&](QWidget* widget, int x, int width, int y, int high) {
        if (widget)
            widget->setGeometry(QStyle::visualRect(layoutDirection(), QRect(0, 0, this->width(), height),
                                                   QRect(x, y, width, high)));
    };
    int right = width() - padding;
    const int field =
        std::max(zoomed(is_narrow(width(), font()) ? 100 : 122),
                 QFontMetrics(font()).horizontalAdvance(QStringLiteral("989.5 TFLOP/s")) + kFieldMargins);
    put(editor(), right - field, field, top, line);
    right -= field + 8;
    if (automatic_) {
        const int chip = QFontMetrics(scaled_font(font(), kSmall)).horizontalAdvance(tr("auto")) + 16;
        put(automatic_, right - chip, chip, top + (line - zoomed(18)) / 2, zoomed(18));
        right -= chip + 6;
    }
    constexpr int kDot = 14;
    put(reset_, right - kDot, kDot, top + (line - kDot) / 2, kDot);
    put(label_, padding, right - kDot - 4 - padding, top, line);
    put(slider_, padding - inset, width() - 2 * (padding - inset), top + line, below);
    return height;
}

// The message of a prominent row covers the next row, so that no other row moves. The mouse reaches that row
// through it, and it leaves when the pointer enters that row or another row gets the focus, with the next
// click, edit or Escape, or after some seconds.
void ParameterRow::place_message_over(int height) {
    message_->setParent(parentWidget() ? parentWidget() : this);
    const int width = this->width() - 2 * label_->x();
    message_->setGeometry(
        QRect(mapToParent(QPoint(label_->x(), height)), QSize(width, message_->heightForWidth(width))));
    message_->raise();
    message_->setVisible(!message_ended_);
    if (message_ended_) return;
    qApp->installEventFilter(this);
    if (!refused_ && !message_end_.isActive()) message_end_.start(kCorrection);
}

void ParameterRow::end_message() {
    if (form_ != RowForm::prominent || message_text_.isEmpty()) return;
    if (!refused_) {
        tell({}, false);
        return;
    }
    message_ended_ = true;
    place();
    qApp->removeEventFilter(this);
}

void ParameterRow::place() {
    int height = form_ == RowForm::compact ? place_compact() : place_prominent();
    message_->setFont(scaled_font(font(), kSmall));
    if (!message_text_.isEmpty() && form_ == RowForm::prominent) {
        place_message_over(height);
    } else if (!message_text_.isEmpty()) {
        const int left = RowGeometry::of(font(), width()).groove_x();
        const int width = this->width() - 12 - left;
        const int lines = message_->heightForWidth(width);
        message_->setGeometry(QStyle::visualRect(layoutDirection(), QRect(0, 0, this->width(), lines),
                                                 QRect(left, 0, width, lines))
                                  .translated(0, height));
        height += lines + 4;
    }
    setFixedHeight(height);
    if (!label_text_.isEmpty()) fit_label();
}

std::optional<Subject> ParameterRow::focused_subject() const {
    return Subject::of(stored_as(id_, model_.answer().settings));
}

bool ParameterRow::eventFilter(QObject* watched, QEvent* event) {
    if (watched == label_ && event->type() == QEvent::MouseButtonRelease) {
        const auto* mouse = static_cast<QMouseEvent*>(event);
        if (mouse->button() == Qt::LeftButton && label_->rect().contains(mouse->pos()))
            model_.explain(*focused_subject());
    }
    if (form_ != RowForm::prominent || message_text_.isEmpty()) return QWidget::eventFilter(watched, event);
    switch (event->type()) {
        case QEvent::FocusIn:
            if (watched == editor() && message_ended_) {
                message_ended_ = false;
                place();
            } else if (const ParameterRow* row = row_with(watched); row && row != this) {
                if (watched != told_at_) end_message();
                told_at_ = nullptr;
            }
            break;
        case QEvent::Enter:
            if (const ParameterRow* row = row_with(watched); row && row != this &&
                                                             row->parentWidget() == parentWidget() &&
                                                             row->geometry().intersects(message_->geometry()))
                end_message();
            break;
        case QEvent::MouseButtonPress:
        case QEvent::Wheel: {
            const QPointF at = static_cast<QSinglePointEvent*>(event)->globalPosition();
            if (!rect().contains(mapFromGlobal(at).toPoint())) end_message();
            break;
        }
        case QEvent::ShortcutOverride:
        case QEvent::KeyPress:
            if (static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) end_message();
            break;
        default: break;
    }
    return QWidget::eventFilter(watched, event);
}

QSize ParameterRow::sizeHint() const {
    constexpr int kDesignWidth = 372;
    return {static_cast<int>(kDesignWidth * zoom_of(font())), height()};
}

void ParameterRow::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    place();
}

void ParameterRow::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange && message_) place();
}

}  // namespace shardscope
