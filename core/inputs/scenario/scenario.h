// What a person asked for: presets and the values that override them, kept apart.
#pragma once

#include <array>
#include <string>

#include "parameters/settings.h"
#include "scenario/catalogue.h"
#include "text/problem.h"

namespace shardscope {

// Which batch stays when the GPU count changes.
enum class Hold { per_gpu_batch, global_batch };

struct Scenario {      // presets and what overrides them
    std::string name;  // "": named after what it holds, see title()
    const Catalogue* catalogue = nullptr;
    const Preset* model = nullptr;
    const Preset* cluster = nullptr;      // nullptr: none, the GPU's usual node
    const Preset* gpu = nullptr;          // nullptr: the cluster's
    const Preset* calibration = nullptr;  // constants in place of those of GPU, fabric and stack
    ParameterSet given;                   // which parameters override
    std::array<double, kParameters> value{};
    ParameterSet automatic;  // plan parameters the planner chooses
    std::string view;        // the `view` object of the file, as JSON text; "" when absent

    // The scenario `{}`: first launch.
    static Scenario first_launch(const Catalogue& catalogue = Catalogue::shipped());

    // Plain assignment of an override, without repair of other parameters. `peak_flops` goes to the peak of
    // the precision in use; of `accumulation` and `global_batch` the later one given counts.
    void give(P id, Value value);
    void withdraw(P id);
    // Its name on one line, or "MPT-13B on 64 H100 SXM 80 GB".
    [[nodiscard]] std::string title() const;
    [[nodiscard]] bool is_given(P id) const { return given[index(id)]; }
    [[nodiscard]] const Preset* gpu_preset() const { return gpu ? gpu : cluster ? cluster->gpu : nullptr; }
    [[nodiscard]] Hold hold() const {
        return is_given(P::global_batch) ? Hold::global_batch : Hold::per_gpu_batch;
    }
    bool operator==(const Scenario& other) const;
};

// Every parameter's value. Never fails: values that make no sense are reported by `check`. No heap.
Settings resolve(const Scenario& scenario);

// Everything wrong with the values, each with what to do; empty when all is well.
Problems check(const Scenario& scenario, const Settings& settings);
// The same question without the words, for inner loops. No heap.
bool is_valid(const Settings& settings);
// `valid_before`: settings that were valid, so that only the values that differ from theirs are compared with
// their ranges; nullptr: none are known.
bool is_valid(const Scenario& scenario, const Settings& settings, const Settings* valid_before = nullptr);

// The parameter has this value and is no longer automatic, as --set and a point of a sweep mean it. Nothing
// else is changed, so that the values may not be valid together.
Scenario assigned(const Scenario& scenario, P id, Value value);
// One edit as a person makes it in the window: the value is moved to the nearest valid one, and parameters
// that must follow do (the batch that is not held, heads, the shard group).
Scenario edited(const Scenario& scenario, P id, Value value);
// Whether an edit of this parameter may make others follow; one of a rate or an assumption never does.
bool others_may_follow(P id);
// What an edit of `id` starts from, and what its valid values depend on: automatic degrees stand at one, if
// that is valid, for the planner will choose them anew; else a GPU count had to be a multiple of theirs.
Scenario making_room(const Scenario& scenario, P id);
// Which batch is held from now on; the numbers stay as they are.
Scenario holding(const Scenario& scenario, Hold hold);
// A preset taken: its fields' overrides are dropped.
Scenario with_cluster(const Scenario& scenario, const Preset& cluster);
Scenario with_model(const Scenario& scenario, const Preset& model);
// A plan parameter handed to the planner or taken back.
Scenario with_auto(const Scenario& scenario, P id, bool automatic);
// Without an MFU set by hand: what plans are compared by.
Scenario as_predicted(const Scenario& scenario);
// Nothing automatic: every plan parameter keeps the value it has. Of an answer's scenario: the plan held.
Scenario locked(const Scenario& scenario);

// Source text of a parameter's value: a preset's source, the table's, or who derived it.
std::string source_of(const Scenario& scenario, const Settings& settings, P id);
// Overrides a group holds over its preset, for "(modified)".
bool is_modified(const Scenario& scenario, Group group);

}  // namespace shardscope
