#include "widgets/live_model.h"
#include "widgets/text.h"

#include <QStringList>
#include <QUndoCommand>
#include <QUndoStack>
#include <algorithm>

namespace shardscope {

class ScenarioCommand : public QUndoCommand {
  public:
    ScenarioCommand(LiveModel& model, Scenario before, Scenario after, const QString& text)
        : QUndoCommand(text), model_(model), before_(std::move(before)), after_(std::move(after)) {}
    void undo() override { model_.show(before_); }
    void redo() override { model_.show(after_); }

  private:
    LiveModel& model_;
    Scenario before_;
    Scenario after_;
};

namespace {

// "Micro-batch 2 → 4"
QString step_text(P id, const Settings& before, const Settings& after) {
    return text_of(parameter(id).label) + QLatin1Char(' ') + QString::fromStdString(format(id, before[id])) +
           QStringLiteral(" → ") + QString::fromStdString(format(id, after[id]));
}

}  // namespace

LiveModel::LiveModel(const Catalogue& catalogue, QObject* parent)
    : QObject(parent), catalogue_(&catalogue), undo_(new QUndoStack(this)) {
    start_with(Scenario::first_launch(catalogue));
}

void LiveModel::show(const Scenario& scenario) {
    scenario_ = scenario;
    answer_ = shardscope::answer(scenario);
    Q_EMIT changed();
}

void LiveModel::push(Scenario scenario, const QString& text) {
    if (scenario == scenario_) return;
    undo_->push(new ScenarioCommand(*this, scenario_, std::move(scenario), text));
}

void LiveModel::edit(P id, double value) {
    Scenario after = edited(base(), id, value);
    const QString text = step_text(id, answer_.settings, resolve(after));
    push(std::move(after), text);
}

void LiveModel::reset(P id) {
    Scenario after = scenario_;
    after.withdraw(id);
    // A batch that loses its override may leave the other one without a whole number.
    if (!is_valid(resolve(after))) after = edited(scenario_, id, resolve(after)[id]);
    push(std::move(after), tr("Reset %1").arg(text_of(parameter(id).label)));
}

void LiveModel::set_automatic(P id, bool automatic) {
    Scenario after = with_auto(scenario_, id, automatic);
    // Locking keeps what the planner had found.
    if (!automatic) after.give(id, answer_.settings[id]);
    push(std::move(after), automatic ? tr("%1 automatic").arg(text_of(parameter(id).label))
                                     : tr("Lock %1").arg(text_of(parameter(id).label)));
}

void LiveModel::hold(Hold hold) {
    push(holding(scenario_, hold),
         hold == Hold::global_batch ? tr("Hold global batch") : tr("Hold per-GPU batch"));
}

void LiveModel::take_cluster(const Preset& cluster) {
    Q_EMIT preset_taken();
    push(with_cluster(scenario_, cluster), tr("Cluster %1").arg(QString::fromStdString(cluster.title)));
}

void LiveModel::take_model(const Preset& model) {
    Q_EMIT preset_taken();
    push(with_model(scenario_, model), tr("Model %1").arg(QString::fromStdString(model.title)));
}

void LiveModel::replace(const Scenario& scenario, const QString& text) { push(scenario, text); }

void LiveModel::start_with(const Scenario& scenario) {
    gesture_.reset();
    undo_->clear();
    show(scenario);
}

void LiveModel::begin_gesture(std::initializer_list<P> ids) {
    if (gesture_) end_gesture();
    gesture_ = Gesture{ids, scenario_, base()};
    Q_EMIT gesture_began();
}

void LiveModel::drag(std::initializer_list<Change> changes) {
    if (!gesture_) {
        for (const Change& change : changes) edit(change.id, change.value);
        return;
    }
    // Back where it began, nothing has been changed: no override, no step to undo.
    const Settings before = resolve(gesture_->base);
    Scenario next = gesture_->base;
    bool returned = true;
    for (const Change& change : changes) {
        if (nearest_valid(change.id, change.value, before) == before[change.id]) continue;
        next = edited(next, change.id, change.value);
        returned = false;
    }
    if (returned) next = gesture_->start;
    if (!(next == scenario_)) show(next);
}

void LiveModel::end_gesture() {
    if (!gesture_) return;
    const Gesture done = *gesture_;
    gesture_.reset();
    const Scenario after = scenario_;
    if (!(after == done.start)) {
        const Settings before = resolve(done.start);
        QStringList steps;
        for (const P id : done.ids) {
            if (done.ids.size() == 1 || before[id] != answer_.settings[id])
                steps << step_text(id, before, answer_.settings);
        }
        undo_->push(new ScenarioCommand(*this, done.start, after, steps.join(QStringLiteral(", "))));
    }
    Q_EMIT gesture_ended();
}

void LiveModel::pin() {
    constexpr std::size_t kMost = 6;
    if (pins_.size() >= kMost) return;
    char letter = 'B';
    while (std::ranges::any_of(pins_, [&](const Pin& pin) { return pin.letter == letter; })) ++letter;
    pins_.push_back({letter, answer_});
    Q_EMIT pins_changed();
}

void LiveModel::unpin(char letter) {
    if (std::erase_if(pins_, [&](const Pin& pin) { return pin.letter == letter; }) > 0) Q_EMIT pins_changed();
}

}  // namespace shardscope
