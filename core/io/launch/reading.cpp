#include "launch/reading.h"

#include <algorithm>

#include "launch/shapes.h"
#include "parameters/interned_text.h"
#include "scenario/domain.h"
#include "schedules/schedule.h"
#include "text/encode.h"
#include "text/text.h"
#include "text/translate.h"

namespace shardscope::launch {

ScenarioBuilder::ScenarioBuilder(const Scenario& base, bool keep_model) {
    Scenario& scenario = out_.scenario;
    scenario = base;
    scenario.name.clear();
    scenario.automatic.reset();
    if (!keep_model) scenario.model_name.clear();
    for (std::size_t i = 0; i < kParameters; ++i) {
        const P id = static_cast<P>(i);
        const Group group = parameter(id).group;
        // The critical batch is a property of the model, so it is kept for any training.
        if (id == P::critical_batch_law) continue;
        const bool training = group == Group::training || group == Group::plan;
        if (training || (group == Group::model && !keep_model)) scenario.withdraw(id);
    }
    // An MFU that was set by hand belongs to the run of `base`.
    scenario.withdraw(P::mfu_override);
}

void ScenarioBuilder::give(P id, std::string_view name) { give(id, parse(id, name).value); }

void ScenarioBuilder::set_model_of_shape(const Settings& wanted) {
    launch::set_model_of_shape(out_.scenario, wanted);
}

void ScenarioBuilder::note_unmodelled(const std::string& options) {
    note(translate("These options change time or memory but are not modelled: {1}.", {options}));
}

void ScenarioBuilder::note_unused_options(const std::vector<std::string>& options,
                                          const std::function<bool(const std::string&)>& is_unmodelled) {
    std::vector<std::string> without_effect, with_effect;
    for (const std::string& option : options)
        (is_unmodelled(option) ? with_effect : without_effect).push_back(option);
    if (!with_effect.empty()) note_unmodelled(joined(with_effect, ", "));
    if (!without_effect.empty()) note(translate("Not used: {1}.", {joined(without_effect, ", ")}));
}

void ScenarioBuilder::set_gpus(double gpus, bool is_default) {
    gpus_are_given_ = gpus > 0 && !is_default;
    if (gpus > 0) {
        give(P::gpus, gpus);
        return;
    }
    const Settings s = settings();
    const double kept = nearest_valid(P::gpus, s[P::gpus], s);
    if (kept != s[P::gpus]) give(P::gpus, kept);
    out_.gpus_note =
        translate("The file does not give the number of GPUs; {1} are assumed.", {format(P::gpus, kept)});
    note(out_.gpus_note);
}

void ScenarioBuilder::set_partition(double layers, double stages, Partition partition) {
    if (stages <= 1 || partition.even() || layers < stages) return;
    const Stages by_rule = partition_layers({layers, 0, settings()[P::mtp_layers]}, stages);
    const auto differs = [](double given, const Stage& of_rule) {
        return given != 0 && given != of_rule.layers();
    };
    if (!differs(partition.first, by_rule.first) && !differs(partition.last, by_rule.last)) return;
    give(P::first_stage_layers, std::max(0.0, partition.first));
    give(P::last_stage_layers, std::max(0.0, partition.last));
}

void ScenarioBuilder::set_stages(const StageLayers& stages) {
    if (stages.size() < 2) return;
    const double layers = total_layers(stages);
    const auto count = static_cast<double>(stages.size());
    const Partition partition{stages.front(), stages.back()};
    if (partition.first < 1 || partition.last < 1 || !partition.is_feasible(layers, count)) {
        // Only a layout has stages without layers.
        give(P::pipeline_layout, intern_text(layout_text(stages, settings()[P::mtp_layers])));
        return;
    }
    set_partition(layers, count, partition);
    note_stages(stages);
}

void ScenarioBuilder::note_stages(const StageLayers& stages) {
    const auto count = static_cast<double>(stages.size());
    const double layers = total_layers(stages);
    if (layers < count) return;
    const StageLayers engine_stages =
        engine_stage_layers(layers, settings()[P::mtp_layers], count, partition_of(settings()));
    if (engine_stages != stages)
        note(translate("The stages of the file have {1} layers; those of the scenario have {2}.",
                       {format_stage_layers(stages), format_stage_layers(engine_stages)}));
}

double ScenarioBuilder::fitting_gpus() const {
    constexpr double kMostCopies = 1 << 16;
    const Settings s = settings();
    const double copy = s[P::tensor_parallel] * s[P::pipeline_parallel] * s[P::context_parallel];
    Scenario tried = out_.scenario;
    for (double copies = 1; copies <= kMostCopies; copies *= 2) {
        if (copy * copies > parameter(P::gpus).maximum) break;
        tried.give(P::gpus, copy * copies);
        if (check(tried, resolve(tried)).empty()) return copy * copies;
    }
    return 0;
}

LaunchRead ScenarioBuilder::done(Problems& problems) && {
    if (problems.empty()) {
        out_.complete = true;
        Problems found = check(out_.scenario, settings());
        // What the file trains is right; only the assumed number of GPUs is not.
        const double gpus = found.empty() || gpus_are_given_ ? 0 : fitting_gpus();
        if (gpus > 0)
            found = {
                {"/cluster/gpus", translate("the file does not give the number of GPUs"),
                 translate("with {1} the training is not possible", {format(P::gpus, settings()[P::gpus])}),
                 translate("add --set cluster.gpus=… with the number of the run, such as {1}",
                           {exact(gpus)})}};
        problems.insert(problems.end(), found.begin(), found.end());
    }
    return std::move(out_);
}

}  // namespace shardscope::launch
