#include "widgets/live_model.h"
#include "planner/planner.h"
#include "widgets/text.h"

#include <QStringList>
#include <QUndoCommand>
#include <QUndoStack>
#include <algorithm>
#include <functional>
#include <memory>

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

// A step that changes more than the scenario.
class Step : public QUndoCommand {
  public:
    Step(const QString& text, std::function<void()> redo, std::function<void()> undo)
        : QUndoCommand(text), redo_(std::move(redo)), undo_(std::move(undo)) {}
    void undo() override { undo_(); }
    void redo() override { redo_(); }

  private:
    std::function<void()> redo_;
    std::function<void()> undo_;
};

QString letter_text(char letter) { return {QLatin1Char(letter)}; }

// "Micro-batch 2 → 4"
QString step_text(P id, const Settings& before, const Settings& after) {
    return text_of(label_of(id)) + QLatin1Char(' ') + QString::fromStdString(format(id, before[id])) +
           QStringLiteral(" → ") + QString::fromStdString(format(id, after[id]));
}

}  // namespace

LiveModel::LiveModel(const Catalogue& catalogue, QObject* parent)
    : QObject(parent), catalogue_(&catalogue), undo_(new QUndoStack(this)) {
    start_with(Scenario::first_launch(catalogue));
}

void LiveModel::show(const Scenario& scenario) {
    scenario_ = scenario;
    planning_.forget();
    // A drag that has left the frame stays out of it: even to count its plans takes part of one.
    plans_beside_ = (in_gesture() && plans_beside_) || !plans_at_once(scenario);
    if (!plans_beside_) {
        answer_ = shardscope::answer(scenario);
    } else {
        answer_ = with_last_plan(scenario);
        planning_.ask(
            [scenario,
             last = plan_of(answer_.settings)](const std::stop_token& stop) -> std::optional<Answer> {
                // One processor is left to the window.
                const auto found = planned(scenario, std::max(2U, usable_threads()) - 1, stop, &last);
                if (!found) return std::nullopt;
                Answer answer = shardscope::answer(locked(*found));
                answer.scenario.automatic = scenario.automatic;
                return answer;
            },
            [this](std::optional<Answer> found) {
                if (!found) return;
                answer_ = std::move(*found);
                Q_EMIT changed();
            });
    }
    Q_EMIT changed();
}

Answer LiveModel::with_last_plan(const Scenario& scenario) const {
    Scenario last = with_plan(locked(scenario), plan_of(answer_.settings), scenario.automatic);
    if (!answer_.valid() || !is_valid(resolve(last))) last = locked(scenario);
    Answer out = shardscope::answer(last);
    out.scenario.automatic = scenario.automatic;
    return out;
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
    push(std::move(after), tr("Reset %1").arg(text_of(label_of(id))));
}

void LiveModel::set_automatic(P id, bool automatic) {
    Scenario after = with_auto(scenario_, id, automatic);
    // Locking keeps what the planner had found.
    if (!automatic) after.give(id, answer_.settings[id]);
    push(std::move(after), automatic ? tr("%1 automatic").arg(text_of(label_of(id)))
                                     : tr("Lock %1").arg(text_of(label_of(id))));
}

void LiveModel::doubt(P id, bool unread) {
    const bool before = doubted();
    doubted_.set(index(id), unread);
    if (doubted() != before) Q_EMIT doubt_changed();
}

void LiveModel::set_all_automatic(bool automatic) {
    Scenario after = scenario_;
    if (automatic) {
        after.automatic |= usually_free();
    } else {
        // Locking keeps what the planner had found.
        after = locked(with_plan(scenario_, plan_of(answer_.settings), scenario_.automatic));
    }
    push(std::move(after), automatic ? tr("Plan automatic") : tr("Lock the plan"));
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
    Scenario next = gesture_->base;
    bool returned = true;
    for (const Change& change : changes) {
        const Settings before = resolve(making_room(gesture_->base, change.id));
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

const Pin* LiveModel::pin_of(char letter) const {
    const auto found = std::ranges::find(pins_, letter, &Pin::letter);
    return found == pins_.end() ? nullptr : &*found;
}

void LiveModel::add_pin(Pin pin) {
    if (pins_.size() >= kMostPins) return;
    // Its own letter, or the first that is free.
    if (pin_of(pin.letter)) pin.letter = kFirstPin;
    while (pin_of(pin.letter)) ++pin.letter;
    if (pins_.empty()) compared_ = pin.letter;
    pins_.insert(std::ranges::lower_bound(pins_, pin.letter, {}, &Pin::letter), std::move(pin));
    Q_EMIT pins_changed();
}

void LiveModel::remove_pin(char letter) {
    if (std::erase_if(pins_, [&](const Pin& pin) { return pin.letter == letter; }) == 0) return;
    if (compared_ == letter) compared_ = pins_.empty() ? char(0) : pins_.front().letter;
    Q_EMIT pins_changed();
}

void LiveModel::set_pins(Pins pins) {
    pins_ = std::move(pins.pins);
    compared_ = pins.compared;
    Q_EMIT pins_changed();
}

void LiveModel::pin() { add_pin({kFirstPin, answer_}); }

void LiveModel::unpin(char letter) {
    const Pin* found = pin_of(letter);
    if (!found) return;
    undo_->push(new Step(
        tr("Unpin %1").arg(letter_text(letter)), [this, letter] { remove_pin(letter); },
        [this, pin = *found, chosen = compared_] {
            add_pin(pin);
            compare_with(chosen);
        }));
}

void LiveModel::unpin_all() {
    if (pins_.empty()) return;
    undo_->beginMacro(tr("Unpin all"));
    while (!pins_.empty()) unpin(pins_.back().letter);
    undo_->endMacro();
}

void LiveModel::compare_with(char letter) {
    if (letter == compared_ || !pin_of(letter)) return;
    compared_ = letter;
    Q_EMIT pins_changed();
}

void LiveModel::take_up(char letter) {
    if (const Pin* pin = pin_of(letter))
        replace(Scenario(pin->answer.scenario), tr("Take up %1").arg(letter_text(letter)));
}

void LiveModel::exchange(char pinned) {
    const auto found = std::ranges::find(pins_, pinned, &Pin::letter);
    if (found == pins_.end()) return;
    const Scenario next = found->answer.scenario;
    found->answer = answer_;
    Q_EMIT pins_changed();
    show(next);
}

void LiveModel::swap(char one, char other) {
    if (one > other) std::swap(one, other);
    if (one == other || !pin_of(other)) return;
    if (one != 'A' && !pin_of(one)) return;
    const QString text = tr("Swap %1 and %2").arg(letter_text(one), letter_text(other));
    if (one == 'A') {
        const auto exchanged = [this, other] { exchange(other); };
        undo_->push(new Step(text, exchanged, exchanged));
        return;
    }
    // Letters are given anew: where others hold them by now, there is nothing to swap.
    const auto swapped = [this, one, other](const Scenario& at_one, const Scenario& at_other) {
        const auto a = std::ranges::find(pins_, one, &Pin::letter);
        const auto b = std::ranges::find(pins_, other, &Pin::letter);
        if (a == pins_.end() || b == pins_.end()) return;
        if (!(a->answer.scenario == at_one && b->answer.scenario == at_other)) return;
        std::swap(a->answer, b->answer);
        Q_EMIT pins_changed();
    };
    const Scenario first = pin_of(one)->answer.scenario;
    const Scenario second = pin_of(other)->answer.scenario;
    undo_->push(new Step(
        text, [swapped, first, second] { swapped(first, second); },
        [swapped, first, second] { swapped(second, first); }));
}

void LiveModel::rename(char letter, const QString& name) {
    const std::string text = name.trimmed().toStdString();
    if (letter == 'A') {
        Scenario after = scenario_;
        after.name = text;
        push(std::move(after), tr("Rename the scenario"));
        return;
    }
    const Pin* pin = pin_of(letter);
    if (!pin || pin->answer.scenario.name == text) return;
    // Letters are given anew: a pin that has another name by now is another.
    const auto name_it = [this, letter](const std::string& from, const std::string& to) {
        const auto found = std::ranges::find(pins_, letter, &Pin::letter);
        if (found == pins_.end() || found->answer.scenario.name != from) return;
        found->answer.scenario.name = to;
        Q_EMIT pins_changed();
    };
    const std::string before = pin->answer.scenario.name;
    undo_->push(new Step(
        tr("Rename %1").arg(letter_text(letter)), [name_it, before, text] { name_it(before, text); },
        [name_it, before, text] { name_it(text, before); }));
}

SavedSession LiveModel::session() const {
    SavedSession out{scenario_, {}, compared_};
    for (const Pin& pin : pins_) out.pins.push_back({pin.letter, pin.answer.scenario});
    return out;
}

LiveModel::Pins LiveModel::pins_from(const SavedSession& session) {
    Pins out{{}, session.compared};
    for (const SavedPin& pin : session.pins)
        out.pins.push_back({pin.letter, shardscope::answer(pin.scenario)});
    return out;
}

void LiveModel::open_session(const SavedSession& session, const QString& text) {
    // Each way the pins of the moment change places with those kept here, so that none is lost.
    const auto kept = std::make_shared<Pins>(pins_from(session));
    const auto turn = [this, kept](const Scenario& scenario) {
        Pins now{pins_, compared_};
        set_pins(std::move(*kept));
        *kept = std::move(now);
        show(scenario);
    };
    undo_->push(new Step(
        text, [turn, after = session.current] { turn(after); },
        [turn, before = scenario_] { turn(before); }));
}

void LiveModel::start_with(const SavedSession& session) {
    start_with(session.current);
    set_pins(pins_from(session));
}

}  // namespace shardscope
