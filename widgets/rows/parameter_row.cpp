#include "widgets/rows/parameter_row.h"

#include <QAbstractButton>
#include <QEvent>
#include <QFontMetrics>
#include <QLabel>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QStyle>
#include <QTimer>
#include <algorithm>
#include <array>
#include <cmath>

#include "explain/output.h"
#include "scenario/domain.h"
#include "text/translate.h"
#include "widgets/encode.h"
#include "widgets/rows/parameter_field.h"
#include "widgets/rows/track_slider.h"
#include "widgets/text.h"
#include "widgets/theme/theme.h"

namespace shardscope {
namespace {

constexpr int kFlash = 400;  // ms

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

bool same(const Domain& a, const Domain& b) {
    return a.low == b.low && a.high == b.high && a.step == b.step && a.stops == b.stops;
}

// Returns the parameter that a scenario overrides. For `peak_flops` that is the peak of the precision in use.
P stored_as(P id, const Settings& settings) {
    return id == P::peak_flops ? peak_of(settings.choice<Precision>(P::precision)) : id;
}

QString pointer_of(P id) {
    return QLatin1Char('/') + text_of(parameter(id).key).replace(QLatin1Char('.'), QLatin1Char('/'));
}

// The base of a row's buttons. They paint themselves, because none of them is a box with a text.
class PaintedButton : public QAbstractButton {
  public:
    explicit PaintedButton(QWidget* parent) : QAbstractButton(parent) {
        setFocusPolicy(Qt::TabFocus);
        setAttribute(Qt::WA_Hover);
        QObject::connect(&ThemeManager::instance(), &ThemeManager::changed, this,
                         qOverload<>(&QWidget::update));
    }

  protected:
    void paint_focus(QPainter& painter) const {
        if (!hasFocus()) return;
        painter.setPen(QPen(current_theme().accent, 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 3, 3);
    }
};

// Shows a padlock if the user sets the value, or a filled "auto" if the planner chooses it.
class AutoButton : public PaintedButton {
  public:
    explicit AutoButton(QWidget* parent) : PaintedButton(parent) { setCheckable(true); }

  protected:
    void paintEvent(QPaintEvent*) override {
        const Theme& theme = current_theme();
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        const bool on = isChecked();
        painter.setPen(QPen(on ? theme.accent : underMouse() ? theme.border : theme.line, 1));
        painter.setBrush(on ? theme.accent : theme.raised);
        painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
        if (on) {
            painter.setPen(theme.on_accent);
            painter.setFont(scaled_font(font(), kSmall));
            painter.drawText(rect(), Qt::AlignCenter, text());
        } else {
            paint_padlock(painter, theme.muted);
        }
        if (hasFocus() && on) {
            painter.setPen(QPen(theme.on_accent, 1));
            painter.setBrush(Qt::NoBrush);
            painter.drawRoundedRect(QRectF(rect()).adjusted(2.5, 2.5, -2.5, -2.5), 2, 2);
        } else {
            paint_focus(painter);
        }
    }

  private:
    void paint_padlock(QPainter& painter, const QColor& colour) const {
        const double size = height() * 0.5;
        const QPointF c = QRectF(rect()).center();
        const QRectF body(c.x() - size * 0.42, c.y() - size * 0.05, size * 0.84, size * 0.58);
        QPainterPath shackle;
        const QRectF arc(c.x() - size * 0.26, c.y() - size * 0.52, size * 0.52, size * 0.52);
        shackle.moveTo(arc.left(), body.top());
        shackle.lineTo(arc.left(), arc.center().y());
        shackle.arcTo(arc, 180, -180);
        shackle.lineTo(arc.right(), body.top());
        painter.setPen(QPen(colour, 1.2));
        painter.setBrush(Qt::NoBrush);
        painter.drawPath(shackle);
        painter.drawRoundedRect(body, 1, 1);
    }
};

// Shows a dot of 8 px in a larger clickable area.
class ResetDot : public PaintedButton {
  public:
    using PaintedButton::PaintedButton;

  protected:
    void paintEvent(QPaintEvent*) override {
        const Theme& theme = current_theme();
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        painter.setBrush(underMouse() ? theme.text : theme.accent);
        painter.drawEllipse(QRectF(rect()).center(), 4, 4);
        paint_focus(painter);
    }
};

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
            // In "Peak, bf16" the key must be in the part that does not change with the precision.
            const QString label =
                static_cast<P>(i) == P::peak_flops ? tr("Peak") : text_of(translate(row.label));
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

QString abbreviated(const QString& text, const QFont& font, int width) {
    static const std::array<std::pair<const char*, const char*>, 3> shorter{
        {{translatable("bandwidth"), translatable("bandw.")},
         {translatable("efficiency"), translatable("effic.")},
         {translatable("accumulation"), translatable("accum.")}}};
    const QFontMetrics metrics(font);
    QString out = text;
    for (const auto& [word, abbreviation] : shorter) {
        if (metrics.horizontalAdvance(out) > width) out.replace(tr(word), tr(abbreviation));
    }
    return out;
}

RowGeometry RowGeometry::of(const QFont& font, bool compact) {
    const QFontMetrics metrics(font);
    const QFontMetrics small(scaled_font(font, kSmall));
    const double zoom = zoom_of(font);
    const auto zoomed = [&](int px) { return static_cast<int>(std::lround(px * zoom)); };
    int widest = 0;
    for (const P id : {P::inter_node_bandwidth, P::memory_bandwidth, P::memory})
        widest = std::max(widest, metrics.horizontalAdvance(abbreviated(text_of(label_of(id)), font, 0)));
    constexpr int kFieldMargins = 10;
    constexpr int kScrollBar = 6;
    RowGeometry g;
    g.label = std::max(compact ? 90 : 94, widest + 2);
    g.slider = zoomed(compact ? 76 : 116);
    g.field = std::max(compact ? 84 : 92,
                       metrics.horizontalAdvance(QStringLiteral("989.5 TFLOP/s")) + kFieldMargins);
    g.automatic = std::max(compact ? 28 : 32, small.horizontalAdvance(tr("auto")) + 6);
    g.inset = zoomed(6);
    g.control = std::max(22, metrics.height() + 6);
    g.height = g.control + 4;
    const int wanted = compact ? 312 : 372;
    const int excess = g.dot_x() + g.dot + kScrollBar - wanted;
    if (excess > 0) g.slider -= std::min(excess, g.slider / 7);
    g.width = std::max(wanted, g.dot_x() + g.dot + kScrollBar);
    return g;
}

ParameterRow::ParameterRow(P id, LiveModel& model, QWidget* parent)
    : QWidget(parent), id_(id), model_(model), geometry_(RowGeometry::of(font(), false)) {
    const Parameter& row = parameter(id);
    const QString key = text_of(row.key);
    const QString help = text_of(translate(row.help));
    setObjectName(key);

    label_ = new QLabel(this);
    slider_ = new TrackSlider(id, model_, this);
    slider_->setObjectName(key + QStringLiteral("/slider"));
    connect(slider_, &ParameterSlider::pressed, this, [this] { model_.begin_gesture(id_); });
    connect(slider_, &ParameterSlider::dragged, this, [this](double value) { model_.drag(id_, value); });
    connect(slider_, &ParameterSlider::released, this, [this] {
        model_.end_gesture();
        fresh_ = true;  // the slider is still at the pointer, not at the nearest valid value
        refresh();
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
    message_->hide();

    connect(&model_, &LiveModel::changed, this, &ParameterRow::refresh);
    connect(&model_, &LiveModel::preset_applied, this, [this] {
        preset_coming_ = true;
        // If the preset is already in use no change follows, and a later change has another cause.
        QTimer::singleShot(0, this, [this] { preset_coming_ = false; });
    });
    set_compact(false);
    refresh();
}

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
    if (parameter(id_).plan) {
        automatic_ = new AutoButton(this);
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

void ParameterRow::explain_range(bool settled) {
    QStringList words{text_of(help_of(id_))};
    if (settled) {
        const double value = model_.answer().settings[id_];
        const QString only = QString::fromStdString(format(id_, value));
        const QString why = objection_to(value + 1);
        words += why.isEmpty() ? tr("Only %1 is possible with the other values as they are.").arg(only)
                               : tr("Only %1 is possible: %2.").arg(only, why);
    }
    slider_->setAccessibleDescription(words.join(QLatin1Char(' ')));
    setToolTip(wrapped_tool_tip(words.join(QLatin1Char('\n'))));
}

void ParameterRow::commit_typed(double value) {
    const double nearest = nearest_valid(id_, value, model_.answer().settings);
    const QString why = same(nearest, value) ? QString() : objection_to(value);
    tell({}, false);
    model_.edit(id_, value);
    fresh_ = true;
    refresh();
    if (!same(nearest, value)) {
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
    if (message == message_text_) return;
    message_text_ = message;
    message_->setText(message);
    message_->setVisible(!message.isEmpty());
    editor()->setAccessibleDescription(message.isEmpty() ? text_of(help_of(id_)) : message);
    place();
    updateGeometry();
}

void ParameterRow::refresh() {
    const Answer& answer = model_.answer();
    const double value = answer.settings[id_];
    const bool changed = fresh_ || !same(value, value_);
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

    const bool given = model_.scenario().is_given(stored_as(id_, answer.settings));
    if (given) {
        Scenario without = model_.scenario();
        without.withdraw(id_);
        const QString text = QString::fromStdString(format(id_, resolve(without)[id_]));
        reset_->setToolTip(tr("Back to %1").arg(text));
    }
    reset_->setVisible(given);
    if (automatic_) {
        const bool on = model_.scenario().automatic[index(id_)];
        automatic_->setChecked(on);
        automatic_->setToolTip(on ? tr("Planned: the value that trains fastest and fits. Click to lock it.")
                                  : tr("Locked. Click to let the planner choose."));
    }
    if (id_ == P::peak_flops || label_text_.isEmpty()) refresh_label();

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
                                                  : domain(id_, resolve(basis_of_edit(answer.scenario, id_)));
    const bool missing = std::isnan(model_.answer().settings[id_]);
    const bool settled = now.stops.size() == 1 || (parameter(id_).named_only && now.stops.empty());
    slider_->setEnabled(!missing && !settled);
    if (choice_) choice_->setEnabled(!settled);
    if (fresh_ || (!model_.in_gesture() && (settled || settled_))) {
        explain_range(settled);
        settled_ = settled;
    }
    if (!fresh_ && same(now, domain_)) return;
    domain_ = std::move(now);
    slider_->setDomain(domain_, parameter(id_).logarithmic, parameter(id_));
    if (field_) field_->setDomain(domain_);
    if (choice_) choice_->setDomain(domain_);
}

void ParameterRow::refresh_label() {
    const QString label = text_of(label_of(stored_as(id_, model_.answer().settings)));
    if (label == label_text_) return;
    label_text_ = label;
    slider_->setAccessibleName(label);
    editor()->setAccessibleName(label);
    reset_->setAccessibleName(tr("Reset %1").arg(label));
    if (automatic_) automatic_->setAccessibleName(tr("%1 automatic").arg(label));
    fit_label();
}

// Sets the label on one line if that is possible, else on two lines in a smaller font.
void ParameterRow::fit_label() {
    const QString text = abbreviated(label_text_, font(), geometry_.label);
    const bool one_line = QFontMetrics(font()).horizontalAdvance(text) <= geometry_.label;
    constexpr double kTwoLines = 0.85;
    label_->setWordWrap(!one_line);
    label_->setFont(one_line ? font() : scaled_font(font(), kTwoLines));
    const QRect area(0, 0, geometry_.label, geometry_.height);
    const QRect whole = label_->fontMetrics().boundingRect(area, Qt::TextWordWrap, label_text_);
    label_->setText(with_access_key(id_, one_line || whole.height() > area.height() ? text : label_text_));
}

ParameterRow::Match ParameterRow::match(const QString& words) const {
    const Parameter& row = parameter(id_);
    const QString label = text_of(translate(row.label));
    QString initials;  // "TP" finds tensor parallel
    for (const QString& word : label.split(QLatin1Char(' '))) initials += word.at(0);
    const QStringList wanted = words.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    const auto all_in = [&](const QStringList& texts) {
        const QString text = texts.join(QLatin1Char(' '));
        return std::ranges::all_of(
            wanted, [&](const QString& word) { return text.contains(word, Qt::CaseInsensitive); });
    };
    const QString whole = wanted.join(QLatin1Char(' '));
    for (const QString& name : {label_text_, label, initials}) {
        if (name.compare(whole, Qt::CaseInsensitive) == 0) return Match::whole;
    }
    if (all_in({label_text_, label})) return Match::label;
    return all_in({label_text_, label, text_of(row.key), text_of(translate(row.help)), initials})
               ? Match::help
               : Match::none;
}

void ParameterRow::set_compact(bool compact) {
    compact_ = compact;
    geometry_ = RowGeometry::of(font(), compact);
    message_->setFont(scaled_font(font(), kSmall));
    label_text_.clear();
    refresh_label();
    place();
    updateGeometry();
}

void ParameterRow::place() {
    const RowGeometry& g = geometry_;
    const auto put = [&](QWidget* widget, int x, int width, int height) {
        if (widget)
            widget->setGeometry(QStyle::visualRect(layoutDirection(), QRect(0, 0, this->width(), g.height),
                                                   QRect(x, (g.height - height) / 2, width, height)));
    };
    put(label_, g.left, g.label, g.height);
    put(slider_, g.slider_x(), g.slider, g.control);
    int field = g.field;
    // A choice with long names also uses the space of the missing auto button.
    if (choice_ && !automatic_ && choice_->neededWidth() > field) {
        field = g.automatic_x() + g.automatic - g.field_x();
    }
    put(editor(), g.field_x(), field, g.control);
    put(automatic_, g.automatic_x(), g.automatic, g.control - 4);
    put(reset_, g.dot_x() - 3, g.dot + 6, g.dot + 6);
    int height = g.height;
    if (!message_text_.isEmpty()) {
        const int left = g.groove_x();
        const int width = g.width - g.left - left;
        const int lines = message_->heightForWidth(width);
        message_->setGeometry(QStyle::visualRect(layoutDirection(), QRect(0, 0, this->width(), lines),
                                                 QRect(left, 0, width, lines))
                                  .translated(0, g.height));
        height += lines + 4;
    }
    setFixedHeight(height);
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
    return QWidget::eventFilter(watched, event);
}

QSize ParameterRow::sizeHint() const { return {geometry_.width, height()}; }

void ParameterRow::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    place();
}

void ParameterRow::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange && message_) set_compact(compact_);
}

}  // namespace shardscope
