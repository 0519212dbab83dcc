#include "widgets/live_model.h"
#include "planner/planner.h"
#include "scenario/domain.h"
#include "text/encode.h"
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
    ScenarioCommand(LiveModel& model, SavedScenario before, SavedScenario after, const QString& text)
        : QUndoCommand(text), model_(model), before_(std::move(before)), after_(std::move(after)) {}
    void undo() override { model_.show(before_); }
    void redo() override { model_.show(after_); }

  private:
    LiveModel& model_;
    SavedScenario before_;
    SavedScenario after_;
};

namespace {

// An undo step that changes more than the scenario.
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

// Returns the answer with the automatic parameters planned, or nothing if the search was stopped.
std::optional<Answer> planned_answer(const Scenario& scenario, const std::stop_token& stop,
                                     const Plan* likely = nullptr) {
    const auto found = planned(scenario, background_threads(), stop, likely);
    if (!found) return std::nullopt;
    Answer out = answer(locked(*found));
    out.scenario.automatic = scenario.automatic;
    return out;
}

// Returns the answer with this plan, or with the scenario's typed plan if this one is not valid.
Answer with_plan_or_typed(const Plan& plan, const Scenario& scenario) {
    Scenario last = with_plan(locked(scenario), plan, scenario.automatic);
    if (!is_valid(resolve(last))) last = locked(scenario);
    Answer out = shardscope::answer(last);
    out.scenario.automatic = scenario.automatic;
    return out;
}

Scenario unnamed(Scenario scenario) {
    scenario.name.clear();
    return scenario;
}

// The pin keeps its name, which may have been set while its plan was searched.
void set_plan(Pin& pin, Answer found) {
    found.scenario.name = std::move(pin.answer.scenario.name);
    pin.answer = std::move(found);
    pin.unplanned = false;
}

QString letter_text(char letter) { return {QLatin1Char(letter)}; }

// Returns "Micro-batch 2 → 4".
QString step_text(P id, const Settings& before, const Settings& after) {
    return text_of(label_of(id)) + QLatin1Char(' ') + QString::fromStdString(format(id, before[id])) +
           QStringLiteral(" → ") + QString::fromStdString(format(id, after[id]));
}

}  // namespace

LiveModel::LiveModel(const Catalogue& catalogue, QObject* parent)
    : QObject(parent), catalogue_(&catalogue), undo_(new QUndoStack(this)) {
    // Several frames, so that a plan that is found during a long frame does not need a second one.
    constexpr int kWaitForFrame = 60;  // ms
    no_frame_.setSingleShot(true);
    no_frame_.setInterval(kWaitForFrame);
    connect(&no_frame_, &QTimer::timeout, this, [this] {
        take_found_plan();
        Q_EMIT changed();
    });
    start_with(Scenario::first_launch(catalogue));
}

void LiveModel::show(const SavedScenario& scenario) {
    const Scenario& without_view = scenario;
    if (found_) take_found_plan();
    scenario_ = scenario;
    // Once a drag needs a background search it continues with one: even counting the plans takes part of a
    // frame.
    plans_in_background_ = (in_gesture() && plans_in_background_) || !plans_within_a_frame(without_view);
    if (!plans_in_background_) {
        planning_.cancel();
        answer_ = shardscope::answer(without_view);
    } else {
        answer_ = with_last_plan(without_view);
        // A search that is running may finish during a gesture, so that plans also follow a drag whose frames
        // are shorter than a search.
        if (in_gesture() && planning_.pending()) outdated_ = true;
        else search_plan();
    }
    plan_pins();
    Q_EMIT changed();
}

void LiveModel::search_plan() {
    outdated_ = false;
    planning_.ask([scenario = Scenario(scenario_), last = plan_of(answer_.settings)](
                      const std::stop_token& stop) { return planned_answer(scenario, stop, &last); },
                  [this](std::optional<Answer> found) {
                      if (!found) return;
                      if (outdated_) {
                          found_ = with_plan_or_typed(plan_of(found->settings), scenario_);
                          no_frame_.start();
                          search_plan();
                          return;
                      }
                      // Pins made meanwhile get the plan of their scenario instead of the last plan.
                      bool pinned = false;
                      for (Pin& pin : pins_) {
                          if (!awaits_this_plan(pin)) continue;
                          set_plan(pin, *found);
                          pinned = true;
                      }
                      found_ = std::move(found);
                      if (in_gesture()) {
                          no_frame_.start();
                      } else {
                          take_found_plan();
                          Q_EMIT changed();
                      }
                      if (pinned) Q_EMIT pins_changed();
                  });
}

void LiveModel::take_found_plan() {
    answer_ = std::move(*found_);
    found_.reset();
    no_frame_.stop();
}

Answer LiveModel::with_last_plan(const Scenario& scenario) const {
    if (answer_.valid()) return with_plan_or_typed(plan_of(answer_.settings), scenario);
    Answer out = shardscope::answer(locked(scenario));
    out.scenario.automatic = scenario.automatic;
    return out;
}

// A change during a gesture (a drop or a shortcut while a slider is pressed) follows the gesture in the
// history.
void LiveModel::push_step(QUndoCommand* step) {
    end_gesture();
    undo_->push(step);
}

void LiveModel::push(SavedScenario scenario, const QString& text) {
    if (scenario == scenario_) return;
    push_step(new ScenarioCommand(*this, scenario_, std::move(scenario), text));
}

void LiveModel::push_edit(Scenario scenario, const QString& text) {
    push(SavedScenario(std::move(scenario), scenario_.view), text);
}

void LiveModel::edit(P id, Value value) {
    Scenario after = edited(base(), id, value);
    const QString text = step_text(id, answer_.settings, resolve(after));
    push_edit(std::move(after), text);
}

void LiveModel::reset(P id) {
    Scenario after = scenario_;
    after.withdraw(id);
    // Without the override of this batch size, the other one may no longer be a whole number.
    if (!is_valid(resolve(after))) after = edited(scenario_, id, resolve(after)[id]);
    push_edit(std::move(after), tr("Reset %1").arg(text_of(label_of(id))));
}

void LiveModel::set_automatic(P id, bool automatic) {
    Scenario after = with_auto(automatic ? holding_batch() : scenario_, id, automatic);
    // Locking keeps the values that the planner found.
    if (!automatic) after.give(id, answer_.settings[id]);
    push_edit(std::move(after), automatic ? tr("%1 automatic").arg(text_of(label_of(id)))
                                          : tr("Lock %1").arg(text_of(label_of(id))));
}

// From the first automatic parameter on the global batch is held, because a planner that may change the batch
// would compare different jobs.
Scenario LiveModel::holding_batch() const {
    return scenario_.automatic.none() ? with_hold(scenario_, Hold::global_batch) : Scenario(scenario_);
}

void LiveModel::mark_unparsed(P id, bool unparsed) {
    const bool before = has_unparsed_field();
    unparsed_.set(index(id), unparsed);
    if (has_unparsed_field() != before) Q_EMIT unparsed_changed();
}

void LiveModel::set_all_automatic(bool automatic) {
    Scenario after = automatic ? holding_batch() : Scenario(scenario_);
    if (automatic) {
        after.automatic |= default_free_parameters();
    } else {
        // Locking keeps the values that the planner found.
        after = locked(with_plan(scenario_, plan_of(answer_.settings), scenario_.automatic));
    }
    push_edit(std::move(after), automatic ? tr("Plan automatic") : tr("Lock the plan"));
}

void LiveModel::hold(Hold hold) {
    push_edit(with_hold(scenario_, hold),
              hold == Hold::global_batch ? tr("Hold global batch") : tr("Hold per-GPU batch"));
}

void LiveModel::apply_cluster(const Preset& cluster) {
    Q_EMIT preset_applied();
    push_edit(with_cluster(scenario_, cluster), tr("Cluster %1").arg(QString::fromStdString(cluster.title)));
}

void LiveModel::apply_gpu(const Preset& gpu) {
    Q_EMIT preset_applied();
    push_edit(with_gpu(scenario_, gpu), tr("GPU %1").arg(QString::fromStdString(gpu.title)));
}

void LiveModel::apply_model(const Preset& model) {
    Q_EMIT preset_applied();
    push_edit(with_model(scenario_, model), tr("Model %1").arg(QString::fromStdString(model.title)));
}

void LiveModel::replace(const Scenario& scenario, const QString& text) { push_edit(scenario, text); }

void LiveModel::replace_view(SavedView view, const QString& text) {
    push(SavedScenario(scenario_, std::move(view)), text);
}

void LiveModel::load(const SavedScenario& scenario, const QString& text) {
    if (scenario == scenario_) return;
    const auto go = [this](const SavedScenario& to, unsigned origin) {
        origin_ = origin;
        show(to);
    };
    push_step(new Step(
        text, [go, scenario, origin = ++last_origin_] { go(scenario, origin); },
        [go, before = scenario_, origin = origin_] { go(before, origin); }));
}

void LiveModel::start_with(const Scenario& scenario) {
    gesture_.reset();
    undo_->clear();
    origin_ = ++last_origin_;
    show(SavedScenario(scenario));
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
    // A drag that returns to its start changes nothing: it leaves no override and no undo step.
    Scenario next = gesture_->base;
    bool returned = true;
    for (const Change& change : changes) {
        const Settings before = settings_for_edit(gesture_->base, change.id);
        if (nearest_valid(change.id, change.value, before) == before[change.id]) continue;
        next = edited(next, change.id, change.value);
        returned = false;
    }
    if (returned) next = gesture_->start;
    if (next != static_cast<const Scenario&>(scenario_)) show(SavedScenario(next, scenario_.view));
}

void LiveModel::end_gesture() {
    if (!gesture_) return;
    const Gesture done = *gesture_;
    gesture_.reset();
    const SavedScenario after = scenario_;
    const SavedScenario start(done.start, after.view);
    if (after != start) {
        const Settings before = resolve(done.start);
        QStringList steps;
        for (const P id : done.ids) {
            if (done.ids.size() == 1 || before[id] != answer_.settings[id])
                steps << step_text(id, before, answer_.settings);
        }
        push_step(new ScenarioCommand(*this, start, after, steps.join(QStringLiteral(", "))));
    }
    Q_EMIT gesture_ended();
}

const Pin* LiveModel::pin_of(char letter) const {
    const auto found = std::ranges::find(pins_, letter, &Pin::letter);
    return found == pins_.end() ? nullptr : &*found;
}

std::vector<Pin>::iterator LiveModel::find_pin(unsigned id) { return std::ranges::find(pins_, id, &Pin::id); }

bool LiveModel::awaits_this_plan(const Pin& pin) const {
    return pin.unplanned && unnamed(pin.answer.scenario) == unnamed(answer_.scenario);
}

// Searches the plans of pins that were made before their plan was found. Pins of the current scenario are
// left out, because `planning_` searches their plan.
void LiveModel::plan_pins() {
    std::vector<Scenario> scenarios;
    for (const Pin& pin : pins_) {
        if (!pin.unplanned || (planning() && awaits_this_plan(pin))) continue;
        scenarios.push_back(unnamed(pin.answer.scenario));
    }
    if (scenarios.empty()) {
        planning_pins_.cancel();
        return;
    }
    // The same search is not restarted in every frame of a drag.
    if (planning_pins_.pending() && scenarios == planned_pins_) return;
    planned_pins_ = scenarios;
    planning_pins_.ask(
        [scenarios](const std::stop_token& stop) {
            std::vector<std::optional<Answer>> out;
            out.reserve(scenarios.size());
            for (const Scenario& scenario : scenarios) out.push_back(planned_answer(scenario, stop));
            return out;
        },
        [this, scenarios](const std::vector<std::optional<Answer>>& found) {
            for (Pin& pin : pins_) {
                if (!pin.unplanned) continue;
                const auto its = std::ranges::find(scenarios, unnamed(pin.answer.scenario));
                if (its == scenarios.end()) continue;
                const auto& plan = found[static_cast<std::size_t>(its - scenarios.begin())];
                if (plan) set_plan(pin, *plan);
            }
            Q_EMIT pins_changed();
        });
}

char LiveModel::add_pin(Pin pin) {
    if (pins_.size() >= kMostPins) return 0;
    // The pin gets its own letter, or the first free one if that is in use.
    if (pin_of(pin.letter)) pin.letter = kFirstPin;
    while (pin_of(pin.letter)) ++pin.letter;
    if (pins_.empty()) compared_ = pin.letter;
    const char letter = pin.letter;
    pins_.insert(std::ranges::lower_bound(pins_, pin.letter, {}, &Pin::letter), std::move(pin));
    plan_pins();
    Q_EMIT pins_changed();
    return letter;
}

void LiveModel::remove_pin(unsigned id) {
    const auto found = find_pin(id);
    if (found == pins_.end()) return;
    const char letter = found->letter;
    pins_.erase(found);
    if (compared_ == letter) compared_ = pins_.empty() ? char(0) : pins_.front().letter;
    plan_pins();
    Q_EMIT pins_changed();
}

void LiveModel::set_pins(Pins pins) {
    pins_ = std::move(pins.pins);
    compared_ = pins.compared;
    for (Pin& pin : pins_) {
        if (pin.id == 0) pin.id = ++last_id_;
    }
    plan_pins();
    Q_EMIT pins_changed();
}

void LiveModel::pin() { add_pin({kFirstPin, answer_, scenario_.view, ++last_id_, planning()}); }

char LiveModel::pin(const SavedScenario& scenario) {
    const bool at_once = plans_within_a_frame(scenario);
    return add_pin({kFirstPin, at_once ? shardscope::answer(scenario) : with_last_plan(scenario),
                    scenario.view, ++last_id_, !at_once});
}

void LiveModel::unpin(char letter) {
    const Pin* found = pin_of(letter);
    if (!found) return;
    // The step stores the id, because between undo and redo another pin may have got the same letter.
    push_step(new Step(
        tr("Unpin %1").arg(letter_text(letter)), [this, id = found->id] { remove_pin(id); },
        [this, pin = *found, chosen = compared() ? compared()->id : 0] {
            add_pin(pin);
            if (const auto again = find_pin(chosen); again != pins_.end()) compare_with(again->letter);
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

void LiveModel::make_current(char letter) {
    if (const Pin* pin = pin_of(letter))
        load(SavedScenario(pin->answer.scenario, pin->view), tr("Make %1 current").arg(letter_text(letter)));
}

void LiveModel::exchange(unsigned id, unsigned origin) {
    const auto found = find_pin(id);
    if (found == pins_.end()) return;
    const SavedScenario next(found->answer.scenario, found->view);
    found->answer = answer_;
    found->view = scenario_.view;
    found->unplanned = planning();
    origin_ = origin;
    Q_EMIT pins_changed();
    show(next);
}

void LiveModel::swap(char one, char other) {
    if (one > other) std::swap(one, other);
    if (one == other || !pin_of(other)) return;
    if (one != 'A' && !pin_of(one)) return;
    const QString text = tr("Swap %1 and %2").arg(letter_text(one), letter_text(other));
    if (one == 'A') {
        const unsigned id = pin_of(other)->id;
        push_step(new Step(
            text, [this, id, origin = ++last_origin_] { exchange(id, origin); },
            [this, id, origin = origin_] { exchange(id, origin); }));
        return;
    }
    const auto swapped = [this, first = pin_of(one)->id, second = pin_of(other)->id] {
        const auto a = find_pin(first);
        const auto b = find_pin(second);
        if (a == pins_.end() || b == pins_.end()) return;
        std::swap(*a, *b);
        std::swap(a->letter, b->letter);  // the pins stay in the order of their letters
        Q_EMIT pins_changed();
    };
    push_step(new Step(text, swapped, swapped));
}

void LiveModel::rename(char letter, const QString& name) {
    const std::string text = clean_title(name.trimmed().toStdString());
    if (letter == 'A') {
        Scenario after = scenario_;
        after.name = text;
        push_edit(std::move(after), tr("Rename the scenario"));
        return;
    }
    const Pin* pin = pin_of(letter);
    if (!pin || pin->answer.scenario.name == text) return;
    const auto name_it = [this, id = pin->id](const std::string& to) {
        const auto found = find_pin(id);
        if (found == pins_.end()) return;
        found->answer.scenario.name = to;
        Q_EMIT pins_changed();
    };
    push_step(new Step(
        tr("Rename %1").arg(letter_text(letter)), [name_it, text] { name_it(text); },
        [name_it, before = pin->answer.scenario.name] { name_it(before); }));
}

SavedSession LiveModel::session() const {
    SavedSession out{scenario_, {}, compared_};
    for (const Pin& pin : pins_)
        out.pins.push_back({pin.letter, SavedScenario(pin.answer.scenario, pin.view)});
    return out;
}

LiveModel::Pins LiveModel::pins_from(const SavedSession& session) {
    Pins out{{}, session.compared};
    for (const SavedPin& pin : session.pins) {
        const Scenario& scenario = pin.scenario;
        const bool at_once = plans_within_a_frame(scenario);
        Answer answer = shardscope::answer(at_once ? scenario : locked(scenario));
        answer.scenario.automatic = scenario.automatic;
        out.pins.push_back({pin.letter, std::move(answer), pin.scenario.view, 0, !at_once});
    }
    return out;
}

void LiveModel::open_session(const SavedSession& session, const QString& text) {
    // Undo and redo both exchange the current pins with those kept here, so that none is lost.
    const auto kept = std::make_shared<Pins>(pins_from(session));
    const auto exchange_with_kept = [this, kept](const SavedScenario& scenario, unsigned origin) {
        Pins now{pins_, compared_};
        set_pins(std::move(*kept));
        *kept = std::move(now);
        origin_ = origin;
        show(scenario);
    };
    push_step(new Step(
        text,
        [exchange_with_kept, after = session.current, origin = ++last_origin_] {
            exchange_with_kept(after, origin);
        },
        [exchange_with_kept, before = scenario_, origin = origin_] { exchange_with_kept(before, origin); }));
}

void LiveModel::start_with(const SavedSession& session) {
    gesture_.reset();
    undo_->clear();
    origin_ = ++last_origin_;
    show(session.current);
    set_pins(pins_from(session));
}

}  // namespace shardscope
