#include "widgets/panels/measured_panel.h"

#include <QComboBox>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalBlocker>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "widgets/drawing.h"
#include "widgets/live_model.h"
#include "widgets/plots/validation/validation_words.h"

namespace shardscope {
namespace {

constexpr int kDragPause = 150;  // ms between two explanations during a drag
constexpr int kPadding = 12;
constexpr int kGap = 8;

// "1,039 tokens/s/GPU"
QString words_of(const Measurement& measurement) {
    const QString value = shown(measurement.value, quantity_of(measurement.kind));
    return measurement.kind == MeasuredKind::tokens_per_s_per_gpu ? MeasuredPanel::tr("%1/GPU").arg(value)
                                                                  : value;
}

// "Network efficiency 0.84 → 0.61, effective 336 → 244 Gbit/s"
QString words_of(const Cause& cause) {
    const QString label = text_of(label_of(cause.id));
    if (!cause.value) return MeasuredPanel::tr("%1: cannot explain it").arg(label);
    QString out = QStringLiteral("%1 %2 → %3")
                      .arg(label, QString::fromStdString(format(cause.id, cause.now)),
                           QString::fromStdString(format(cause.id, *cause.value)));
    if (cause.rate) {
        const Quantity quantity = parameter(*cause.rate).quantity;
        const bool one_unit =
            show(cause.effective_now, quantity).unit == show(cause.effective, quantity).unit;
        out += MeasuredPanel::tr(", effective %1 → %2")
                   .arg(shown(cause.effective_now, quantity, !one_unit), shown(cause.effective, quantity));
    }
    return out;
}

}  // namespace

MeasuredPanel::MeasuredPanel(LiveModel& model, QWidget* parent) : QWidget(parent), model_(model) {
    setObjectName(QStringLiteral("measured"));
    auto* rows = new QVBoxLayout(this);
    rows->setContentsMargins(kPadding, 4, kPadding, 4);
    rows->setSpacing(4);
    build_line();

    doubt_ = new QWidget;
    auto* doubt_row = new QHBoxLayout(doubt_);
    doubt_row->setContentsMargins(0, 0, 0, 0);
    doubt_row->setSpacing(kGap);
    warning_ = new QLabel;
    warning_->setTextFormat(Qt::PlainText);  // it repeats the typed text
    warning_->setObjectName(QStringLiteral("measured/warning"));
    warning_->setWordWrap(true);
    meant_ = new QPushButton;
    meant_->setObjectName(QStringLiteral("measured/meant"));
    meant_->setAccessibleName(tr("Read it as the other unit"));
    meant_->setToolTip(meant_->accessibleName());
    doubt_row->addWidget(warning_, 1);
    doubt_row->addWidget(meant_);
    rows->addWidget(doubt_);

    explained_ = new QWidget;
    grid_ = new QGridLayout(explained_);
    grid_->setContentsMargins(0, 0, 0, 0);
    grid_->setHorizontalSpacing(kGap);
    grid_->setVerticalSpacing(2);
    rows->addWidget(explained_);

    connect(meant_, &QPushButton::clicked, this, [this] {
        if (!shown_ || !meant_kind_) return;
        Measurement corrected = *shown_;
        corrected.kind = *meant_kind_;
        take(corrected);
    });
    slow_.setSingleShot(true);
    connect(&slow_, &QTimer::timeout, this, &MeasuredPanel::refresh_causes);
    connect(&model_, &LiveModel::changed, this, &MeasuredPanel::refresh);
    refresh();
}

void MeasuredPanel::build_line() {
    auto* line = new QHBoxLayout;
    line->setSpacing(kGap);
    auto* title = new QLabel(QStringLiteral("<b>%1</b>").arg(tr("My run")));
    field_ = new QLineEdit;
    field_->setObjectName(QStringLiteral("measured/field"));
    field_->setAccessibleName(tr("Measured value of my run"));
    field_->setToolTip(field_->accessibleName());
    field_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    field_->setFixedWidth(92);
    kind_ = new QComboBox;
    kind_->setObjectName(QStringLiteral("measured/kind"));
    kind_->setAccessibleName(tr("Unit of the measured value"));
    kind_->setToolTip(kind_->accessibleName());
    // The items are in the order of MeasuredKind.
    kind_->addItems({tr("tokens/s per GPU"), tr("tokens/s in total"), tr("step time")});
    result_ = new QLabel;
    result_->setObjectName(QStringLiteral("measured/result"));
    result_->setWordWrap(true);
    result_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    explain_ = new QToolButton;
    explain_->setObjectName(QStringLiteral("measured/explain"));
    explain_->setAutoRaise(true);
    explain_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    explain_->setText(tr("What would explain it"));
    explain_->setToolTip(
        tr("Constants of which each alone would explain it, most plausible first; a click applies one"));
    auto* remove = new QToolButton;
    remove->setObjectName(QStringLiteral("measured/remove"));
    remove->setAutoRaise(true);
    remove->setText(QStringLiteral("×"));
    remove->setToolTip(tr("Remove my run"));
    remove->setAccessibleName(tr("Remove my run"));
    line->addWidget(title);
    line->addWidget(field_);
    line->addWidget(kind_);
    line->addWidget(result_, 1);
    line->addWidget(explain_);
    line->addWidget(remove);
    static_cast<QVBoxLayout*>(layout())->addLayout(line);

    connect(field_, &QLineEdit::editingFinished, this, &MeasuredPanel::commit_typed);
    connect(kind_, &QComboBox::activated, this, [this](int kind) {
        // The number stays, because only its unit was wrong.
        if (refused_) {
            field_text_.clear();  // the refused text may be valid in the new unit
            commit_typed();
        } else if (shown_) {
            Measurement corrected = *shown_;
            corrected.kind = static_cast<MeasuredKind>(kind);
            take(corrected);
        }
    });
    connect(explain_, &QToolButton::clicked, this, [this] { explain(!explaining_); });
    connect(remove, &QToolButton::clicked, this, [this] {
        asked_ = false;
        refused_ = false;
        take(std::nullopt);
        refresh();
    });
}

void MeasuredPanel::ask() {
    asked_ = true;
    refresh();
    field_->setFocus(Qt::ShortcutFocusReason);
    field_->selectAll();
}

void MeasuredPanel::set_compact(bool compact) {
    if (compact == compact_) return;
    compact_ = compact;
    explain(!compact);
}

void MeasuredPanel::explain(bool on) {
    explaining_ = on;
    arrange_causes();
}

// ---- input from the user ---------------------------------------------------------------------------------

void MeasuredPanel::commit_typed() {
    const QString typed = field_->text();
    if (typed == field_text_) return;
    field_text_ = typed;
    if (typed.trimmed().isEmpty()) {
        refused_ = false;
        take(std::nullopt);
        refresh();
        return;
    }
    auto kind = static_cast<MeasuredKind>(kind_->currentIndex());
    Parsed parsed = parse(typed.toStdString(), quantity_of(kind), true);
    if (!parsed.ok && kind != MeasuredKind::step_time) {
        // "843 ms" contains its unit, so it is a step time.
        const Parsed time = parse(typed.toStdString(), Quantity::seconds, true);
        if (time.ok) {
            parsed = time;
            kind = MeasuredKind::step_time;
        }
    }
    refused_ = !parsed.ok || !(parsed.value > 0) || !std::isfinite(parsed.value);
    if (refused_) {
        refresh();
        QString message = parsed.ok ? tr("It must be above zero") : QString::fromStdString(parsed.problem);
        if (!parsed.suggestion.empty())
            message += QStringLiteral("; ") + QString::fromStdString(parsed.suggestion);
        tell(message);
        return;
    }
    take(Measurement{kind, parsed.value, model_.answer().settings[P::gpus]});
    refresh();
}

void MeasuredPanel::take(const std::optional<Measurement>& measurement) {
    SavedView view = model_.scenario().view;
    view.measured = measurement;
    model_.replace_view(std::move(view),
                        measurement ? tr("Measured %1").arg(words_of(*measurement)) : tr("Remove my run"));
}

void MeasuredPanel::use(std::size_t cause) {
    if (cause >= causes_.size() || !causes_[cause].value) return;
    model_.edit(causes_[cause].id, *causes_[cause].value);
}

// ---- output to the user ----------------------------------------------------------------------------------

void MeasuredPanel::refresh() {
    const auto measurement = model_.scenario().view.measured;
    const bool wanted = asked_ || refused_ || measurement.has_value();
    if (!wanted) {
        // The field is cleared before it is hidden, because hiding moves the focus away and the field would
        // then commit its text.
        shown_.reset();
        field_->clear();
        field_text_.clear();
    }
    setVisible(wanted);
    if (!wanted) return;
    if (measurement != shown_ || !refused_) {
        if (measurement != shown_) refused_ = false;  // undone, or another scenario
        shown_ = measurement;
        show_measurement();
    }
    field_->setProperty("refused", refused_);
    field_->update();
    if (!slow_.isActive()) slow_.start(model_.in_gesture() ? kDragPause : 0);
    if (refused_) return;

    meant_kind_.reset();
    if (!shown_ || !model_.answer().valid()) {
        result_->setText(
            tr("Compares the estimate with a measured run of this scenario and shows what would explain the "
               "difference."));
        tell({});
        return;
    }
    const Residual found = residual(model_.answer(), *shown_);
    result_->setText(result_words(found));
    meant_kind_ = found.likely_kind;
    QString doubt;
    if (found.exceeded_limit == ExceededLimit::model_flops) {
        doubt = tr("%1 would be %2 MFU, more than the GPUs' peak.")
                    .arg(words_of(*shown_), shown(found.mfu, Quantity::percent));
    } else if (found.exceeded_limit == ExceededLimit::hardware) {
        doubt = tr("%1 would be %2 HFU, recomputation included: more than the GPUs' peak.")
                    .arg(words_of(*shown_), shown(found.hfu, Quantity::percent));
    } else if (found.exceeded_limit == ExceededLimit::ideal) {
        doubt = tr("%1 is above what even perfect overlap allows here, %2 tokens/s/GPU.")
                    .arg(words_of(*shown_), shown(found.ideal_rate, Quantity::rate, false));
    } else if (found.likely_kind) {
        doubt = tr("That is far from the prediction of %1 tokens/s/GPU.")
                    .arg(shown(found.predicted_rate, Quantity::rate, false));
    }
    if (found.exceeded_limit != ExceededLimit::none && !found.likely_kind)
        doubt += QLatin1Char(' ') + tr("Is it per GPU or in total, and for this model and sequence?");
    QString offer;
    if (found.likely_kind) {
        doubt += QLatin1Char(' ') + tr("Per GPU or in total?");
        offer =
            *found.likely_kind == MeasuredKind::tokens_per_s ? tr("It is the total") : tr("It is per GPU");
    }
    tell(doubt, offer);
}

QString MeasuredPanel::result_words(const Residual& found) const {
    const auto percent = [](double value) { return shown(value, Quantity::percent); };
    QString out = QStringLiteral("<b>%1</b>").arg(measured_text(found.mfu, ValidationQuantity::mfu));
    // The measurement keeps the number of GPUs on which it was made.
    if (found.gpus != model_.answer().settings[P::gpus])
        out += tr(" on %1 GPUs").arg(shown(found.gpus, Quantity::count));
    out += tr(", predicted %1: the run is %2, %3.")
               .arg(percent(found.predicted_mfu), error_words(found.error),
                    found.inside_band() ? tr("inside the band") : tr("outside the band"));
    if (found.verdict == Verdict::does_not_fit)
        out += QLatin1Char(' ') + tr("By the prediction it does not fit; the times are as if it did.");
    return out;
}

void MeasuredPanel::show_measurement() {
    const QSignalBlocker no_signals(kind_);
    if (shown_) kind_->setCurrentIndex(static_cast<int>(shown_->kind));
    QString text;
    if (shown_) {
        text = shown(shown_->value, quantity_of(shown_->kind), shown_->kind == MeasuredKind::step_time);
        if (field_->hasFocus()) text.remove(QLatin1Char(','));  // a typed "1,024" is ambiguous
    }
    if (text == field_text_ && field_->text() == text) return;
    field_text_ = text;
    field_->setText(text);
}

void MeasuredPanel::tell(const QString& message, const QString& offer) {
    if (warning_->text() != message) warning_->setText(message);
    if (meant_->text() != offer) meant_->setText(offer);
    meant_->setVisible(!offer.isEmpty());
    doubt_->setVisible(!message.isEmpty());
}

void MeasuredPanel::refresh_causes() {
    constexpr double kNothing = 0.0005;  // shown as 0.0 %
    const bool wanted = isVisible() && shown_ && !refused_ && !meant_kind_ && model_.answer().valid() &&
                        std::fabs(residual(model_.answer(), *shown_).error) >= kNothing;
    causes_ = wanted ? causes(model_.answer(), *shown_) : std::vector<Cause>();
    while (buttons_.size() < causes_.size()) {
        auto* button = new QPushButton;
        const std::size_t i = buttons_.size();
        connect(button, &QPushButton::clicked, this, [this, i] { use(i); });
        buttons_.push_back(button);
    }
    for (std::size_t i = 0; i < causes_.size(); ++i) {
        const Cause& cause = causes_[i];
        QPushButton& button = *buttons_[i];
        const QString label = text_of(label_of(cause.id));
        button.setObjectName(QStringLiteral("measured/cause/") + text_of(field_of(cause.id)));
        button.setText(words_of(cause));
        button.setEnabled(cause.value.has_value());
        button.setToolTip(cause.value ? tr("Sets %1 so that the prediction equals the measurement").arg(label)
                                      : tr("No value of %1 gives it; the nearest gives %2 tokens/s/GPU")
                                            .arg(label, shown(cause.best_rate, Quantity::rate, false)));
    }
    arrange_causes();
}

void MeasuredPanel::arrange_causes() {
    explain_->setVisible(!causes_.empty());
    explain_->setArrowType(explaining_ ? Qt::DownArrow : Qt::RightArrow);
    explained_->setVisible(!causes_.empty() && explaining_);
    if (explained_->isHidden()) return;
    int widest = 1;
    for (std::size_t i = 0; i < causes_.size(); ++i)
        widest = std::max(widest, buttons_[i]->sizeHint().width());
    const int available = width() - 2 * kPadding;
    const int count = static_cast<int>(causes_.size());
    const int columns = std::clamp((available + kGap) / (widest + kGap), 1, count);
    for (int i = 0; i < count; ++i)
        grid_->addWidget(buttons_[static_cast<std::size_t>(i)], i / columns, i % columns);
    for (int c = 0; c < count; ++c) grid_->setColumnStretch(c, c < columns ? 1 : 0);
}

void MeasuredPanel::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    arrange_causes();
}

}  // namespace shardscope
