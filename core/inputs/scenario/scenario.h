// A scenario: the chosen presets and, separately, the values that override them.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "parameters/settings.h"
#include "scenario/catalogue.h"
#include "text/problem.h"

namespace shardscope {

// The batch that stays constant when the GPU count changes.
enum class Hold { per_gpu_batch, global_batch };

// Presets, and the values that replace theirs; `resolve` gives the settings.
struct Scenario {
    std::string name;  // "": the title is made from the presets, see title()
    // The name of a model that was imported from a file. `model` is then the preset with the nearest shape,
    // and `given` has the values that differ. "": the model is named after its preset.
    std::string model_name;
    // The name of a software stack that is not known; `software` is then `other`. "": it is known.
    std::string software_name;
    const Catalogue* catalogue = nullptr;
    const Preset* model = nullptr;
    const Preset* cluster = nullptr;      // nullptr: the GPU's usual node
    const Preset* gpu = nullptr;          // nullptr: the GPU of the cluster
    const Preset* calibration = nullptr;  // replaces constants of GPU, fabric and stack
    ParameterSet given;                   // the parameters that override presets
    std::array<double, kParameters> value{};
    ParameterSet automatic;  // plan parameters that the planner chooses

    // Returns the scenario of the first launch, which is also that of the file `{}`.
    static Scenario first_launch(const Catalogue& catalogue = Catalogue::shipped());

    // Sets an override without adapting other parameters. `peak_flops` sets the peak of the precision in use;
    // `accumulation` and `global_batch` remove each other's override.
    void give(P id, Value value);
    // Sets the stack that a program trains with. A program that is not known is predicted as `other`, and
    // `software_name` keeps its name.
    void give_software(const std::string& program);
    // Removes an override.
    void withdraw(P id);
    // Returns the name, or a title such as "MPT-13B on 64 H100 SXM 80 GB" or "MPT-13B (modified) on …".
    [[nodiscard]] std::string title() const;
    // Returns the model's own name or the title of its preset; "" where it has neither.
    [[nodiscard]] std::string model_title() const;
    [[nodiscard]] bool is_given(P id) const { return given[index(id)]; }
    [[nodiscard]] const Preset* gpu_preset() const { return gpu ? gpu : cluster ? cluster->gpu : nullptr; }
    [[nodiscard]] Hold hold() const {
        return is_given(P::global_batch) ? Hold::global_batch : Hold::per_gpu_batch;
    }
    bool operator==(const Scenario& other) const;
};

// Returns the stack that a program trains with: "megatron-lm" is megatron-core; none for an unknown program.
std::optional<Value> software_of(std::string_view program);

// The values that presets and calibrations give, without those that the scenario sets itself. A loop over
// scenarios keeps it between calls, so that it is computed again only for other presets. Nobody may change
// the presets meanwhile.
class PresetSettings {
  public:
    const Settings& of(const Scenario& scenario);

  private:
    // The parts of a scenario on which the values depend.
    struct Inputs {
        explicit Inputs(const Scenario& scenario);
        const Catalogue* catalogue;
        const Preset *model, *cluster, *gpu, *calibration;
        std::optional<double> software, version;  // that the scenario sets
        bool operator==(const Inputs&) const = default;
    };
    std::optional<Inputs> inputs_;
    Settings settings_;
};

// Return the value of every parameter. They never fail, because `check` reports invalid values, and do not
// allocate memory. The second one reuses the values of the presets.
Settings resolve(const Scenario& scenario);
Settings resolve(const Scenario& scenario, PresetSettings& presets);

// Returns all problems with the values, each with a suggestion; empty if the scenario is valid.
Problems check(const Scenario& scenario, const Settings& settings);
// Return whether `check` finds no problem, without allocating memory; for inner loops. The first overload
// checks only the settings.
bool is_valid(const Settings& settings);
bool is_valid(const Scenario& scenario, const Settings& settings);

// Returns the scenario with this value, which is no longer automatic, as for --set and for a point of a
// sweep. Nothing else is changed, so that the values may not be valid together.
Scenario assigned(const Scenario& scenario, P id, Value value);
// Returns the scenario after an edit in the window: the value is moved to the nearest valid one, and
// parameters that depend on it are adapted (the batch that is not held, heads, the shard group). A change of
// the tensor-, context- or pipeline-parallel degree keeps the global batch if the accumulation can follow.
Scenario edited(const Scenario& scenario, P id, Value value);
// Returns whether an edit of this parameter may change others; an edit of a rate or an assumption never does.
bool may_change_others(P id);
// Returns the settings that decide which values an edit of `id` may give it. All other automatic degrees of
// parallelism are set to 1 where 1 is valid, and so is an automatic micro-batch if the global batch is held:
// the planner re-plans them after the edit. Without this a new GPU count would have to be a multiple of their
// current values. A held batch may have fewer sequences than GPUs, because the planner can split the model.
Settings settings_for_edit(const Scenario& scenario, P id);
// Returns the scenario that holds this batch from now on; the values do not change.
Scenario with_hold(const Scenario& scenario, Hold hold);
// Return the scenario with another preset; overrides of the fields of that preset are removed.
Scenario with_cluster(const Scenario& scenario, const Preset& cluster);
Scenario with_model(const Scenario& scenario, const Preset& model);
// Returns the scenario on this GPU in its usual node.
Scenario with_gpu(const Scenario& scenario, const Preset& gpu);
// Returns the scenario in which the planner chooses this plan parameter, or no longer does.
Scenario with_auto(const Scenario& scenario, P id, bool automatic);
// Returns the scenario without the MFU that was set by hand, so that plans can be compared.
Scenario without_mfu_override(const Scenario& scenario);
// Returns the scenario without automatic parameters: every plan parameter keeps its value. The scenario of an
// answer then keeps the plan that was found.
Scenario locked(const Scenario& scenario);

// Returns the source of a parameter's value as text: that of its preset or of the table, or how it was
// derived.
std::string source_of(const Scenario& scenario, const Settings& settings, P id);
// Returns whether the scenario sets the parameter, and to another value than it would have otherwise.
bool is_changed(const Scenario& scenario, P id);
// Returns whether a parameter of the group is changed, which is shown as "(modified)".
// A model with a name of its own is not modified, nor is the GPU if there is no cluster that has another one.
bool is_modified(const Scenario& scenario, Group group);
// Returns the name of a model that has none: "32 layers of 4,096".
std::string name_of_shape(const Settings& settings);

}  // namespace shardscope
