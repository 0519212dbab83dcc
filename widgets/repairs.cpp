#include "widgets/repairs.h"

#include "planner/plan.h"
#include "planner/planner.h"

namespace shardscope {

Repairs& Repairs::of(LiveModel& model) {
    auto* found = model.findChild<Repairs*>(QString(), Qt::FindDirectChildrenOnly);
    return found ? *found : *new Repairs(model);
}

Repairs::Repairs(LiveModel& model) : QObject(&model), model_(model) {
    connect(&model_, &LiveModel::changed, this, &Repairs::expire);
    connect(&model_, &LiveModel::gesture_ended, this, &Repairs::expire);
    expire();
}

void Repairs::expire() {
    current_ = false;
    search_.cancel();
    previewed_.reset();
    previews_none_ = false;
    if (due_) return;
    // Once before the next frame, however many changes an event makes.
    due_ = true;
    QMetaObject::invokeMethod(this, &Repairs::search, Qt::QueuedConnection);
}

const std::vector<Repair>& Repairs::all() {
    if (current_) return found_;
    current_ = true;
    found_.clear();
    const Answer& answer = model_.answer();
    if (!answer.valid()) return found_;
    // Each change needs a plan. Where planning is slow, the changes of the current plan come first.
    const Scenario& scenario = model_.scenario();
    if (!needs_repair(answer)) {
        if (scenario.automatic.any()) return found_;  // a change needs a search, in the background
        if (auto fix = best_fix(answer)) found_.push_back(std::move(*fix));
        return found_;
    }
    found_ = repairs(plans_within_a_frame(scenario) ? scenario : locked(answer.scenario));
    return found_;
}

void Repairs::search() {
    due_ = false;
    const Answer& answer = model_.answer();
    const Scenario& scenario = model_.scenario();
    const bool at_once = plans_within_a_frame(scenario);
    awaits_plan_ = (scenario.automatic | default_free_parameters()) != scenario.automatic;
    if (needs_repair(answer) && !model_.in_gesture() && (awaits_plan_ || !at_once)) {
        search_.ask(
            [scenario = Scenario(scenario), known = at_once ? all() : std::vector<Repair>{},
             at_once](const std::stop_token& stop) {
                std::vector<Repair> single = at_once ? known : repairs(scenario, stop);
                return with_other_plan(std::move(single), other_plan(scenario, background_threads(), stop));
            },
            [this](std::vector<Repair> found) {
                found_ = std::move(found);
                Q_EMIT changed();
            });
    }
    if (answer.valid() && !needs_repair(answer) && scenario.automatic.any() && !model_.in_gesture()) {
        Answer held = answer;
        if (!at_once) held.scenario = locked(answer.scenario);
        search_.ask([held = std::move(held)](const std::stop_token&) { return best_fix(held); },
                    [this](std::optional<Repair> fix) {
                        found_.clear();
                        if (fix) found_.push_back(std::move(*fix));
                        Q_EMIT changed();
                    });
    }
    Q_EMIT changed();
}

void Repairs::preview(const Repair* repair) {
    if (!repair && !previewed_ && !previews_none_) return;
    previewed_ = repair && repair->works ? std::optional(*repair) : std::nullopt;
    previews_none_ = repair && !repair->works;
    Q_EMIT preview_changed();
}

const Repair* Repairs::shown() {
    if (previews_none_) return nullptr;
    return previewed_ ? &*previewed_ : best_of(all());
}

}  // namespace shardscope
