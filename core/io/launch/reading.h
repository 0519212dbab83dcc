// What every reader of launch settings needs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "launch/launch.h"
#include "launch/stage_layers.h"

namespace shardscope::launch {

// The scenario as it is put together: hardware and assumptions of another one, nothing of its training.
class Building {
  public:
    // Without its model unless `keep_model`.
    Building(const Scenario& base, bool keep_model);

    void give(P id, double value) { out_.scenario.give(id, value); }
    void give(P id, std::string_view name);  // a choice by its name
    void take_model(const Preset& model) { out_.scenario.model = &model; }
    // The model nearest in shape, see shapes.h. Named after itself where it is none of the catalogue's.
    void take_shape(const Settings& wanted);
    void note(std::string sentence) { out_.notes.push_back(std::move(sentence)); }
    // Not used: job.description, …
    void not_used(const std::vector<std::string>& options);
    [[nodiscard]] Settings settings() const { return resolve(out_.scenario); }

    // GPUs that the file tells, 0: it does not; then those of the base stay, as near as the plan allows.
    void give_gpus(double gpus);
    // Layers that the file gives the ends of the pipeline; nothing is said where that is how they are dealt
    // out anyway.
    void give_partition(double layers, double stages, Partition partition);
    // Layers of every stage as the file deals them: a scenario holds those of the ends, and a note says what
    // becomes of the others.
    void give_stages(const StageLayers& stages);
    // Says so where a scenario deals the layers otherwise than the file.
    void note_stages(const StageLayers& stages);
    // What is wrong with the whole is added to the problems.
    LaunchRead done(Problems& problems) &&;

  private:
    LaunchRead out_;
};

}  // namespace shardscope::launch
