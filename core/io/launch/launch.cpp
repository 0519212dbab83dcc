#include "launch/launch.h"

#include <algorithm>
#include <array>

namespace shardscope {

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
