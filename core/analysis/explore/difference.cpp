#include "explore/difference.h"

#include <cctype>

#include "parameters/matrix_format.h"
#include "text/translate.h"

namespace shardscope {
namespace {

// The label as it is written within a sentence: "Inter-node link" loses its capital, "GPUs" and "MFU
// convention" do not.
std::string in_sentence(std::string_view label) {
    std::string out = translate(label);
    if (!is_english()) return out;
    const auto is_upper = [&](std::size_t i) {
        return i < out.size() && std::isupper(static_cast<unsigned char>(out[i])) != 0;
    };
    if (is_upper(0) && !is_upper(1))
        out[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(out[0])));
    return out;
}

std::string title_of(const Preset* preset) {
    if (!preset) return translate("no preset");
    if (!preset->title.empty()) return translate(preset->title);
    return preset->name.empty() ? translate("own values") : preset->name;
}

std::string model_of(const Scenario& scenario) {
    return scenario.model_name.empty() ? title_of(scenario.model) : scenario.model_name;
}

// The preset that sets a parameter which the scenario does not give. Presets of clusters contain a GPU count
// and a software stack, but these are no properties of the cluster and are compared by value.
const Preset* preset_behind(const Scenario& scenario, P id) {
    if (id == P::gpus || id == P::software) return nullptr;
    switch (parameter(id).group) {
        case Group::cluster: return scenario.cluster ? scenario.cluster : scenario.gpu_preset();
        case Group::gpu: return scenario.gpu_preset();
        case Group::model: return scenario.model;
        case Group::assumptions: return scenario.calibration;
        case Group::training:
        case Group::plan: break;
    }
    return nullptr;
}

// Returns whether the scenario sets the parameter, or has it planned, so that no preset and no other value
// does.
bool is_set(const Answer& answer, P id) {
    return answer.settings.origin(id) == Origin::given || answer.scenario.automatic[index(id)];
}

bool is_compared(const Answer& from, const Answer& to, P id) {
    // Of the peaks, only that of the format in use is compared.
    if (parameter(id).key.starts_with("cluster.gpu.peak_flops.")) return id == peak_of(to.settings);
    switch (id) {
        // It is an alias of the peak of the precision in use.
        case P::peak_flops: return false;
        case P::accumulation:
            return from.scenario.hold() == Hold::per_gpu_batch && to.scenario.hold() == Hold::per_gpu_batch;
        case P::global_batch:
            return from.scenario.hold() == Hold::global_batch || to.scenario.hold() == Hold::global_batch;
        default: return true;
    }
}

bool differs(const Answer& from, const Answer& to, P id) {
    if (!is_compared(from, to, id)) return false;
    if (preset_behind(from.scenario, id) != preset_behind(to.scenario, id)) {
        // The difference between the presets implies all values but the overridden ones.
        return to.settings.origin(id) == Origin::given;
    }
    if (same_value(from.settings[id], to.settings[id])) return false;
    // A difference in these is always listed, wherever the values come from.
    if (id == P::gpus || id == P::software || id == P::global_batch) return true;
    return is_set(to, id) || is_set(from, id);
}

std::string words_of(P id, const std::string& value) {
    // A count comes before its noun.
    if (id == P::gpus) return translate("{1} GPUs", {value});
    if (id == P::layers) return translate("{1} layers", {value});
    return in_sentence(parameter(id).label) + " " + value;
}

}  // namespace

std::vector<Difference> differences(const Answer& from, const Answer& to) {
    std::vector<Difference> out;
    const auto preset = [&](const char* label, const Preset* a, const Preset* b, bool name_alone) {
        if (a == b) return;
        std::string words = title_of(b);
        if (!name_alone) words = in_sentence(label) + " " + words;
        out.push_back({std::nullopt, words, translate(label), title_of(a), title_of(b)});
    };
    const Scenario& a = from.scenario;
    const Scenario& b = to.scenario;
    if (a.model_name.empty() && b.model_name.empty()) {
        preset(translatable("Model"), a.model, b.model, b.model != nullptr);
    } else if (a.model != b.model || a.model_name != b.model_name) {
        out.push_back({std::nullopt, model_of(b), translate("Model"), model_of(a), model_of(b)});
    }
    preset(translatable("Cluster"), a.cluster, b.cluster, b.cluster != nullptr);
    // A cluster implies its GPU, so that the GPU is compared only if a scenario sets it.
    const bool own_gpu = a.gpu || b.gpu || a.cluster == b.cluster || !b.cluster;
    if (own_gpu) preset(translatable("GPU"), a.gpu_preset(), b.gpu_preset(), b.gpu_preset() != nullptr);
    preset(translatable("Calibration"), a.calibration, b.calibration, false);
    for (std::size_t i = 0; i < kParameters; ++i) {
        const P id = static_cast<P>(i);
        if (!differs(from, to, id)) continue;
        const std::string value = format(id, to.settings[id]);
        out.push_back({id, words_of(id, value), label_of(id), format(id, from.settings[id]), value});
    }
    return out;
}

std::string in_words(const std::vector<Difference>& differences) {
    if (differences.empty()) return translate("same settings");
    std::string out;
    for (const Difference& difference : differences) {
        if (!out.empty()) out += " · ";
        out += difference.words;
    }
    return out;
}

}  // namespace shardscope
