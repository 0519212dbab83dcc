// The rules that the values of several parameters must satisfy together, such as "tensor parallelism divides
// the heads".
//
// All such rules are in this list: it provides the messages of `check`, the result of `is_valid`, and the
// values that sliders and `nearest_valid` offer. Ranges of single parameters are in the parameter table. To
// add a rule, add a Constraint to the list of its subject (constraints_of_*.cpp). An edit moves the
// parameters of a broken rule to their nearest valid values (repair_others in edit.cpp); the plan space
// (planner/space.cpp) leaves out plans that break it.
#pragma once

#include <array>
#include <span>

#include "parameters/settings.h"
#include "scenario/valid_values.h"
#include "text/problem.h"

namespace shardscope {

struct Constraint {
    // If a constraint that `blocks` is broken, those of later levels are not checked.
    enum class Level : unsigned char { node, operators, gpus, parallelism, schedule, partition, batch };
    Level level = Level::parallelism;
    bool blocks = true;  // later levels depend on the values that it reports
    // The parameters whose valid values the rule narrows. `valid_values` of other parameters ignores the
    // rule.
    std::span<const P> parameters{};
    // Returns whether the settings satisfy the rule; true if it does not apply. Must not allocate memory.
    bool (*holds)(const Settings&) = nullptr;
    // Returns the message for a broken rule: the error, the reason and a suggestion.
    Problem (*problem)(const Settings&) = nullptr;
    // Removes the values of one of `parameters` that break the rule while all other parameters stay the same.
    void (*narrow)(P id, const Settings&, ValidValues&) = nullptr;
};

std::span<const Constraint> machine_constraints();      // GPUs and nodes
std::span<const Constraint> shape_constraints();        // the model: heads, layers, experts
std::span<const Constraint> parallelism_constraints();  // how GPUs are split
std::span<const Constraint> schedule_constraints();     // pipelines and their schedules
std::span<const Constraint> batch_constraints();        // how the batch is split

// Returns whether the settings satisfy all of these constraints.
bool all_hold(std::span<const Constraint> constraints, const Settings& settings);

// Returns the five lists in the order in which `check` reports broken rules.
std::array<std::span<const Constraint>, 5> constraint_lists();

// Rules that an edit repairs in its own way.
bool heads_are_whole(const Settings& settings);
bool stages_have_layers(const Settings& settings);
bool layout_matches(const Settings& settings);  // the layout by hand has the layers and the stages
bool schedule_has_virtual_stages(const Settings& settings);
bool schedule_splits_layers(const Settings& settings);

// Returns whether a rule reads the parameter. None reads rates, capacities and constants, except that the
// precision requires a peak: a finite value of such a parameter, in place of another, breaks no rule.
bool is_constrained(P id);

// Returns the values of a parameter that break no rule while all others stay the same. Lists contain no value
// above `most`.
ValidValues valid_values(P id, const Settings& settings, double most);

}  // namespace shardscope
