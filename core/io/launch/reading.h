// The parts that all readers of launch settings share.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "launch/launch.h"
#include "launch/stage_layers.h"

namespace shardscope::launch {

// Builds the scenario of a file. It starts with the hardware and the assumptions of another scenario, without
// that scenario's training parameters.
class ScenarioBuilder {
  public:
    // `keep_model` is whether the model of `base` is kept, too.
    ScenarioBuilder(const Scenario& base, bool keep_model);

    void give(P id, double value) { out_.scenario.give(id, value); }
    void give(P id, std::string_view name);  // a choice by its name
    [[nodiscard]] const Preset* model() const { return out_.scenario.model; }
    void take_model(const Preset& model) {
        out_.scenario.model = &model;
        out_.scenario.model_name.clear();
    }
    // Sets the model nearest in shape, see shapes.h.
    void set_model_of_shape(const Settings& wanted);
    void note(std::string sentence) { out_.notes.push_back(std::move(sentence)); }
    void note_missing_model(const std::string& sentence) { note(out_.model_note = sentence); }
    // Adds the note "These options change time or memory but are not modelled: …".
    void note_unmodelled(const std::string& options);
    // Adds that note for the options that change time or memory, and "Not used: …" for the others.
    void note_unused_options(const std::vector<std::string>& options,
                             const std::function<bool(const std::string&)>& is_unmodelled);
    [[nodiscard]] Settings settings() const { return resolve(out_.scenario); }

    // Sets the number of GPUs. 0 means that the file does not state it: the valid number nearest to that of
    // the base is then kept, with a note.
    // `is_default` is whether the number is the file's default for one that the shell gives.
    void set_gpus(double gpus, bool is_default = false);
    // Sets how many layers the first and the last stage have in the file, unless the engine's rule gives them
    // as many.
    void set_partition(double layers, double stages, Partition partition);
    // Sets how many layers every stage has in the file. A scenario stores only the first and the last stage;
    // a note reports where the stages in between differ.
    void set_stages(const StageLayers& stages);
    // Adds a note where the scenario's stages have other numbers of layers than the file's.
    void note_stages(const StageLayers& stages);
    // Returns the result and adds the problems of the scenario as a whole.
    LaunchRead done(Problems& problems) &&;

  private:
    // Returns a number of GPUs with which the scenario is valid; 0 where there is none.
    [[nodiscard]] double fitting_gpus() const;

    LaunchRead out_;
    bool gpus_are_given_ = true;
};

}  // namespace shardscope::launch
