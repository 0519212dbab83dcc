#include "widgets/panels/solve_panel.h"

#include <QComboBox>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalBlocker>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <utility>

#include "explore/change_text.h"
#include "text/translate.h"
#include "widgets/drawing.h"
#include "widgets/encode.h"
#include "widgets/live_model.h"
#include "widgets/plots/table_choices.h"

namespace shardscope {
namespace {

constexpr int kPadding = 12;
constexpr int kGap = 8;
constexpr int kLetters = 13;
constexpr std::size_t kMostOffers = 4;

// Returns whether less of this quantity is better, so that the target is an upper limit.
bool is_limit(Quantity quantity) {
    switch (quantity) {
        case Quantity::bytes:
        case Quantity::seconds:
        case Quantity::days:
        case Quantity::hours:
        case Quantity::money:
        case Quantity::joules:
        case Quantity::watts: return true;
        default: return false;
    }
}

QString words_of(P id, double value) {
    return text_of(label_of(id)) + QLatin1Char(' ') + QString::fromStdString(format(id, value));
}

}  // namespace

SolvePanel::SolvePanel(LiveModel& model, QWidget* parent) : QWidget(parent), model_(model) {
    setObjectName(QStringLiteral("solve"));
    auto* rows = new QVBoxLayout(this);
    rows->setContentsMargins(kPadding, 4, kPadding, 4);
    rows->setSpacing(4);
    build_question();
    build_chips();
    offers_row_ = new QHBoxLayout;
    offers_row_->setSpacing(kGap);
    result_ = new QLabel;
    result_->setObjectName(QStringLiteral("solve/result"));
    result_->setWordWrap(true);
    result_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    offers_row_->addWidget(result_, 1);
    cancel_ = new QToolButton;
    cancel_->setObjectName(QStringLiteral("solve/cancel"));
    cancel_->setText(tr("Cancel"));
    cancel_->setToolTip(tr("Stops the search"));
    cancel_->hide();
    offers_row_->addWidget(cancel_);
    rows->addLayout(offers_row_);

    connect(&background_, &Background::waiting, this, &SolvePanel::show_progress);
    connect(cancel_, &QToolButton::clicked, this, [this] {
        apply_when_found_ = false;
        background_.cancel();
        stop_waiting();
        tell(tr("Cancelled."));
    });
    connect(&model_, &LiveModel::changed, this, &SolvePanel::solve_again);
    connect(&model_, &LiveModel::gesture_began, this, [this] { apply_when_found_ = false; });
    connect(&model_, &LiveModel::gesture_ended, this, &SolvePanel::solve_again);
    hide();
}

void SolvePanel::build_question() {
    auto* line = new QHBoxLayout;
    line->setSpacing(kGap);
    output_ = new QComboBox;
    output_->setObjectName(QStringLiteral("solve/output"));
    output_->setAccessibleName(tr("Quantity of the target"));
    fill_outputs(*output_, tr("it fits"));
    narrow(*output_, kLetters);
    comparison_ = new QComboBox;
    comparison_->setObjectName(QStringLiteral("solve/comparison"));
    comparison_->setAccessibleName(tr("At least or at most"));
    // The items are in the order of Comparison.
    comparison_->addItems({QStringLiteral("≥"), QStringLiteral("≤")});
    value_ = new QLineEdit;
    value_->setObjectName(QStringLiteral("solve/value"));
    value_->setAccessibleName(tr("The value to reach, or a share: 95 % of best"));
    value_->setToolTip(tr("A value with or without its unit, or a share of the ceiling: 95 % of best"));
    value_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    value_->setFixedWidth(104);
    input_ = new QComboBox;
    input_->setObjectName(QStringLiteral("solve/input"));
    input_->setAccessibleName(tr("The input that is changed"));
    fill_inputs(*input_);
    narrow(*input_, kLetters);
    auto* close = new QToolButton;
    close->setObjectName(QStringLiteral("solve/close"));
    close->setAutoRaise(true);
    close->setText(QStringLiteral("×"));
    close->setToolTip(tr("Close"));
    close->setAccessibleName(tr("Close Solve for"));
    for (QComboBox* box : {output_, comparison_, input_}) box->setToolTip(box->accessibleName());
    line->addWidget(new QLabel(QStringLiteral("<b>%1</b>").arg(tr("Solve for"))));
    line->addWidget(output_);
    line->addWidget(comparison_);
    line->addWidget(value_);
    line->addWidget(new QLabel(tr("by changing")));
    line->addWidget(input_);
    line->addStretch(1);
    line->addWidget(close);
    static_cast<QVBoxLayout*>(layout())->addLayout(line);

    choose(*output_, std::optional<Output>());
    choose(*input_, P::gpus);
    show_target({});
    connect(output_, &QComboBox::currentIndexChanged, this, [this] {
        Target start;
        start.output = output_of(*output_);
        if (!start.is_fit()) {
            // The target starts at the current value.
            const Quantity quantity = output(*start.output).quantity;
            start.comparison = is_limit(quantity) ? Comparison::at_most : Comparison::at_least;
            start.value = value_of(*start.output, model_.answer(), true);
        }
        show_target(start);
        ask_anew();
    });
    connect(comparison_, &QComboBox::currentIndexChanged, this, &SolvePanel::ask_anew);
    connect(input_, &QComboBox::currentIndexChanged, this, &SolvePanel::ask_anew);
    connect(value_, &QLineEdit::textEdited, this, [this] { apply_when_found_ = false; });
    connect(value_, &QLineEdit::editingFinished, this, &SolvePanel::solve_again);
    connect(close, &QToolButton::clicked, this, &SolvePanel::close_panel);
}

void SolvePanel::build_chips() {
    auto* box = new QWidget;
    grid_ = new QGridLayout(box);
    grid_->setContentsMargins(0, 0, 0, 0);
    grid_->setHorizontalSpacing(kGap);
    grid_->setVerticalSpacing(2);
    for (const PredefinedQuestion& question : predefined_questions()) {
        auto* chip =
            new QPushButton(text_of(translate(question.label)), box);  // placed when the width is known
        chip->setObjectName(QStringLiteral("solve/chip/") + text_of(question.name));
        chip->setAccessibleDescription(tr("Asks this question"));
        connect(chip, &QPushButton::clicked, this, [this, &question] { ask_predefined(question); });
        chips_.push_back(chip);
    }
    static_cast<QVBoxLayout*>(layout())->addWidget(box);
}

void SolvePanel::arrange_chips() {
    int widest = 1;
    for (const QPushButton* chip : chips_) widest = std::max(widest, chip->sizeHint().width());
    const int count = static_cast<int>(chips_.size());
    int in_a_row = -kGap;
    for (const QPushButton* chip : chips_) in_a_row += chip->sizeHint().width() + kGap;
    const int available = width() - 2 * kPadding;
    const int columns =
        in_a_row <= available ? count : std::clamp((available + kGap) / (widest + kGap), 1, count);
    for (int i = 0; i < count; ++i)
        grid_->addWidget(chips_[static_cast<std::size_t>(i)], i / columns, i % columns);
    for (int c = 0; c < count; ++c) grid_->setColumnStretch(c, c < columns ? 1 : 0);
}

void SolvePanel::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    arrange_chips();
}

void SolvePanel::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape) close_panel();
    else QWidget::keyPressEvent(event);
}

void SolvePanel::ask() {
    setVisible(true);
    output_->setFocus(Qt::ShortcutFocusReason);
    solve_again();
}

void SolvePanel::apply_answer(const Target& target, P input) {
    {
        const QSignalBlocker quiet(input_);
        choose(*input_, std::optional(input));
    }
    show_target(target);
    setVisible(true);
    apply_when_found_ = true;
    solve_again();
}

void SolvePanel::close_panel() {
    apply_when_found_ = false;
    background_.cancel();
    hide();
}

// ---- the question ----------------------------------------------------------------------------------------

void SolvePanel::ask_predefined(const PredefinedQuestion& question) {
    if (question.id) {
        const QSignalBlocker quiet(input_);
        choose(*input_, question.id);
    }
    show_target(question.target);
    ask_anew();
}

void SolvePanel::ask_anew() {
    apply_when_found_ = false;
    solve_again();
}

void SolvePanel::show_target(const Target& target) {
    const QSignalBlocker quiet_output(output_);
    const QSignalBlocker quiet_comparison(comparison_);
    choose(*output_, target.output);
    shown_target_ = target;
    comparison_->setVisible(!target.is_fit());
    value_->setVisible(!target.is_fit());
    if (target.is_fit()) return;
    comparison_->setCurrentIndex(static_cast<int>(target.comparison));
    QString text = shown(target.value, target.of_best ? Quantity::percent : output(*target.output).quantity);
    text.remove(QLatin1Char(','));  // a typed "1,024" is ambiguous
    shown_text_ = target.of_best ? tr("%1 of best").arg(text) : text;
    value_->setText(shown_text_);
}

std::optional<Target> SolvePanel::target() {
    Target out;
    out.output = output_of(*output_);
    value_->setProperty("refused", false);
    if (out.is_fit()) return out;
    out.comparison = static_cast<Comparison>(comparison_->currentIndex());
    if (value_->text() == shown_text_ && !std::isnan(shown_target_.value)) {
        out.value = shown_target_.value;
        out.of_best = shown_target_.of_best;
        return out;
    }
    QString text = value_->text().trimmed();
    for (const QString& share : {tr("of best"), QStringLiteral("of best")}) {
        if (out.of_best || !text.endsWith(share)) continue;
        out.of_best = true;
        text.chop(share.size());
    }
    const Parsed parsed = parse(text.trimmed().toStdString(),
                                out.of_best ? Quantity::percent : output(*out.output).quantity, true);
    if (!parsed.ok || (out.of_best && !(parsed.value > 0 && parsed.value <= 1))) {
        value_->setProperty("refused", true);
        QString message = parsed.ok ? tr("A share of the best lies between 0 and 100 %")
                                    : QString::fromStdString(parsed.problem);
        if (!parsed.suggestion.empty())
            message += QStringLiteral("; ") + QString::fromStdString(parsed.suggestion);
        tell(message);
        return std::nullopt;
    }
    out.value = parsed.value;
    return out;
}

// ---- the answer ------------------------------------------------------------------------------------------

void SolvePanel::solve_again() {
    if (isHidden()) return;
    background_.cancel();
    stop_waiting();
    clear_offers();
    const auto wanted = target();
    value_->update();
    if (!wanted) return;
    if (!model_.answer().valid()) {
        tell(tr("The scenario is not valid."));
        return;
    }
    // Plans are not searched in every frame of a drag.
    if (model_.in_gesture() && model_.scenario().automatic.any()) return;
    Question question{model_.answer().scenario, *input_of(*input_), *wanted};
    question.threads = background_threads();
    background_.ask(
        [question](const std::stop_token& stop, const Progress& progress) {
            // A global batch that is not held follows the plan.
            const auto batch_of = [](const Scenario& scenario) {
                const bool held = scenario.automatic.none() || scenario.hold() == Hold::global_batch;
                return (held ? resolve(scenario) : answer(scenario).settings)[P::global_batch];
            };
            Found found{question, solve(question, stop, progress), {}};
            if (found.solution.found() && !stop.stop_requested())
                found.batch = batch_of(found.solution.scenario);
            if (!found.solution.found() && !stop.stop_requested())
                found.ways = alternatives(question, stop, [&](double done) { progress(1 + done); });
            for (const Alternative& way : found.ways)
                found.way_batch.push_back(stop.stop_requested() ? 0 : batch_of(way.solution.scenario));
            return found;
        },
        [this](const Found& found) {
            stop_waiting();
            show(found);
        });
}

void SolvePanel::tell(const QString& plain) {
    result_->setTextFormat(Qt::PlainText);
    result_->setText(plain);
}

// Shows the progress of the search, or from 1 on that of the search for alternatives.
void SolvePanel::show_progress(double done) {
    cancel_->show();
    tell(done <= 1
             ? tr("Searching: %1").arg(shown(done, Quantity::percent))
             : tr("No such value. Searching for alternatives: %1").arg(shown(done - 1, Quantity::percent)));
}

void SolvePanel::stop_waiting() {
    if (cancel_->hasFocus()) input_->setFocus();
    cancel_->hide();
}

void SolvePanel::show(const Found& found) {
    const P id = found.question.id;
    const Solution& solution = found.solution;
    const bool apply = std::exchange(apply_when_found_, false) && solution.found() &&
                       solution.value != model_.answer().settings[id];
    if (apply) {
        const QString words = words_of(id, solution.value);
        model_.replace(edited(found.question.scenario, id, solution.value), tr("Solve: %1").arg(words));
        return;  // the answer to the changed scenario follows
    }
    if (!solution.found()) {
        tell(text_of(std::string_view(solution.reason)));
        for (std::size_t i = 0; i < found.ways.size(); ++i) {
            const Alternative& way = found.ways[i];
            QString words = tr("%1 %2").arg(words_of(id, way.solution.value), text_of(way.label));
            if (const QString batch = batch_change(id, found.way_batch[i]); !batch.isEmpty())
                words += QStringLiteral(", ") + batch;
            offer(QStringLiteral("solve/way/%1").arg(i), words, tr("Solve: %1").arg(words),
                  way.solution.scenario);
        }
        return;
    }
    QStringList stretches;
    for (const MetRange& stretch : solution.met)
        stretches += text_of(text_of(id, stretch, found.question.target));
    QString target = QString::fromStdString(text_of(found.question.target));
    if (found.question.target.of_best) target += QStringLiteral(", ") + text_of(text_of(solution.target));
    result_->setTextFormat(Qt::RichText);
    result_->setText(tr("<b>%1</b> is the %2 value at which %3. %4.")
                         .arg(html_text(words_of(id, solution.value)),
                              solution.largest ? tr("largest") : tr("smallest"), html_text(target),
                              html_text(stretches.join(tr("; ")))));
    if (const QString batch = batch_change(id, found.batch); !batch.isEmpty())
        result_->setText(result_->text() + QLatin1Char(' ') + html_text(batch) + QLatin1Char('.'));

    // The solution comes first, then the other ends of the stretches.
    std::vector<double> values{solution.value};
    for (const MetRange& stretch : solution.met) {
        if (!std::isnan(stretch.below)) values.push_back(stretch.from);
        if (!std::isnan(stretch.above)) values.push_back(stretch.to);
    }
    for (std::size_t i = 1; i < values.size();) {
        const bool again = std::find(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(i),
                                     values[i]) != values.begin() + static_cast<std::ptrdiff_t>(i);
        if (again) values.erase(values.begin() + static_cast<std::ptrdiff_t>(i));
        else ++i;
    }
    if (values.size() > kMostOffers) values.resize(kMostOffers);
    // The value that is set already needs no button.
    const double now = model_.answer().settings[id];
    if (solution.value == now) result_->setText(result_->text() + QLatin1Char(' ') + tr("Already met."));
    std::erase(values, now);
    for (std::size_t i = 0; i < values.size(); ++i) {
        offer(QStringLiteral("solve/apply/%1").arg(i), tr("Set %1").arg(words_of(id, values[i])),
              tr("Solve: %1").arg(words_of(id, values[i])), edited(found.question.scenario, id, values[i]));
    }
}

// "Global batch 128 → 32"; empty if the batch stays, or is itself what is solved for.
QString SolvePanel::batch_change(P id, double batch) const {
    const double now = model_.answer().settings[P::global_batch];
    if (id == P::global_batch || batch == now) return {};
    return text_of(change_text(P::global_batch, now, batch));
}

void SolvePanel::clear_offers() {
    for (QPushButton* button : offers_) {
        // The button will be deleted, so the focus moves to the question.
        if (button->hasFocus()) input_->setFocus();
        offers_row_->removeWidget(button);
        button->hide();
        button->deleteLater();
    }
    offers_.clear();
}

void SolvePanel::offer(const QString& name, const QString& text, const QString& undo_text,
                       const Scenario& scenario) {
    auto* button = new QPushButton(text, this);
    button->setObjectName(name);
    button->setAccessibleDescription(tr("Changes the scenario, as one step that can be undone"));
    connect(button, &QPushButton::clicked, this,
            [this, scenario, undo_text] { model_.replace(scenario, undo_text); });
    offers_row_->addWidget(button);
    setTabOrder(offers_.empty() ? static_cast<QWidget*>(chips_.back()) : offers_.back(), button);
    offers_.push_back(button);
}

}  // namespace shardscope
