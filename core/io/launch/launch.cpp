#include "launch/launch.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "launch/toml.h"
#include "launch/writing.h"
#include "presets/json_values.h"
#include "text/translate.h"

namespace shardscope {

namespace {

// Predicts the file instead of the scenario where the tool cannot run the scenario's plan. That is known only
// of files that can be read back, or whose plan another format contains that can.
void predict_file(const LaunchFormat& tool, const Answer& answer, LaunchText& out) {
    const LaunchFormat* readable = tool.read ? &tool : tool.same_plan;
    if (!readable) return;
    const std::string text =
        tool.read ? out.text : readable->write_file(answer, std::string(readable->file_name)).text;
    if (text.empty()) return;
    Problems problems;
    const LaunchRead back = readable->read(text, answer.scenario, problems);
    if (!problems.empty()) return;
    const Answer of_file = shardscope::answer(back.scenario);
    const std::string file = launch::prediction(of_file);
    const std::string scenario = launch::prediction(answer);
    const std::size_t at = out.text.find(scenario);
    if (!of_file.valid() || file == scenario || at == std::string::npos) return;
    out.text.replace(at, scenario.size(), file + "; the scenario's own plan: " + scenario);
}

}  // namespace

LaunchText LaunchFormat::write_as(const Answer& answer, const std::string& file) const {
    const Preset* device = answer.scenario.gpu_preset();
    const bool foreign = device && !launch::is_of_nvidia_or_amd(*device) &&
                         !(this == &kMaxText && launch::has_tpus(answer.scenario));
    if (foreign && gpus_only)
        return {
            "", "", {translate("{1} runs on GPUs of NVIDIA and AMD, not on {2}.", {label, device->title})}};
    LaunchText out = write_file(answer, file);
    if (out.text.empty()) return out;
    if (foreign)
        out.notes.push_back(
            translate("The file is for GPUs of NVIDIA and AMD; for {2} use its vendor's version of {1}.",
                      {label, device->title}));
    launch::note_unset(*this, answer, file, out);
    predict_file(*this, answer, out);
    return out;
}

std::span<const LaunchFormat* const> launch_formats() {
    static constexpr std::array kAll{
        &kTorchtitan, &kTorchtitanPython, &kMegatronBridge, &kMegatron, &kDeepspeed,
        &kFsdp2,      &kAccelerate,       &kPrimus,         &kAxolotl,  &kMaxText};
    return kAll;
}

const LaunchFormat* launch_format(std::string_view name) {
    const auto found = std::ranges::find(launch_formats(), name, &LaunchFormat::name);
    return found == launch_formats().end() ? nullptr : *found;
}

const LaunchFormat* launch_format_of(std::string_view text) {
    const auto found = std::ranges::find_if(launch_formats(), [&](const LaunchFormat* format) {
        return format->recognises && format->recognises(text);
    });
    return found == launch_formats().end() ? nullptr : *found;
}

Problems unread_launch_file(std::string_view text) {
    Problems out;
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    const bool is_json = first != std::string_view::npos && text[first] == '{';
    const auto has_section = [&](std::string_view name) {
        return text.starts_with(name) || text.find("\n" + std::string(name)) != std::string_view::npos;
    };
    const bool is_toml = has_section("[training]") || has_section("[model]") || has_section("[parallelism]");
    if (is_json) parse_json(text, out);
    else if (is_toml) launch::Toml(text, out);
    if (out.empty())
        out.push_back({"", translate("is not a file of launch settings"),
                       translate("it contains neither torchtitan's TOML nor Megatron-LM's arguments nor "
                                 "DeepSpeed's JSON"),
                       translate("give the file that starts the training")});
    return out;
}

const LaunchFormat* launch_format_for(const Settings& settings) {
    const std::string software = written(P::software, settings[P::software]);
    // torchtitan is FSDP's own trainer; since February 2026 it reads no TOML.
    if (software.starts_with("fsdp") || software == "torchtitan") return &kTorchtitanPython;
    if (software == "jax") return &kMaxText;
    const auto found = std::ranges::find_if(launch_formats(), [&](const LaunchFormat* format) {
        return software.starts_with(format->name) || software.starts_with(format->stack);
    });
    return found == launch_formats().end() ? nullptr : *found;
}

}  // namespace shardscope
