// The rules that the values of several parameters keep together, such as "tensor parallelism divides the
// heads".
//
// This list is the only place that knows them: `check` takes its messages from it, `is_valid` its verdict,
// the sliders and `nearest_valid` the values they offer, and the plan space the plans it leaves out. Ranges
// of single parameters are in the parameter table. To add a rule: add a Constraint to the list of its subject
// (constraints_of_*.cpp).
#pragma once

#include <span>

#include "parameters/settings.h"
#include "scenario/valid_values.h"
#include "text/problem.h"

namespace shardscope {

struct Constraint {
    // Where a constraint is broken, those of later levels are not judged, because they count with the values
    // that it complains about.
    enum class Level : unsigned char {
        heads,
        node,
        operators,
        gpus,
        parallelism,
        schedule,
        partition,
        batch
    };
    Level level = Level::parallelism;
    // The parameters whose valid values the rule narrows. Other parameters that it reads follow an edit, see
    // `edited`.
    std::span<const P> parameters{};
    // Whether the settings keep the rule; true where it does not apply. No heap.
    bool (*holds)(const Settings&) = nullptr;
    // What is wrong, why, and what to do. Called where the rule is broken.
    Problem (*problem)(const Settings&) = nullptr;
    // Leaves out the values of one of `parameters` that break the rule while all other values stay.
    void (*narrow)(P id, const Settings&, ValidValues&) = nullptr;
};

std::span<const Constraint> shape_constraints();        // the model: heads, layers, experts
std::span<const Constraint> machine_constraints();      // GPUs and nodes
std::span<const Constraint> parallelism_constraints();  // how GPUs are split
std::span<const Constraint> schedule_constraints();     // how a pipeline works
std::span<const Constraint> batch_constraints();        // how the batch is split

// Whether the settings keep every one of them.
bool keeps_all(std::span<const Constraint> constraints, const Settings& settings);

// All of them, in the order of their messages.
std::span<const Constraint> constraints();

// The values of a parameter that break no rule while all others stay. `most`: lists end there.
ValidValues valid_values(P id, const Settings& settings, double most);

}  // namespace shardscope
