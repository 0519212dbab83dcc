// What torchtitan's two forms of settings share: its models, and the plan that both write.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "launch/launch.h"

namespace shardscope::launch {

// A flavor of torchtitan's models, with the function of torchtitan's registry that configures its training;
// "" where the registry has none. Source: torchtitan/models/{llama3,qwen3,deepseek_v3} at commit b5bcd76,
// gpt_oss at 004616c and llama4 at 0310b49, __init__.py and config_registry.py.
struct TorchtitanFlavor {
    std::string_view model, flavor, preset, function;
    bool has_python_form = true;  // false: torchtitan removed the model before it had these functions
};
inline constexpr std::array kTorchtitanFlavors{
    TorchtitanFlavor{"llama3", "8B", "llama-3-8b", "llama3_8b"},
    TorchtitanFlavor{"llama3", "70B", "llama-3-70b", "llama3_70b"},
    TorchtitanFlavor{"llama3", "405B", "llama-3.1-405b", "llama3_405b"},
    TorchtitanFlavor{"qwen3", "8B", "qwen3-8b", ""},
    TorchtitanFlavor{"qwen3", "32B", "qwen3-32b", "qwen3_32b"},
    TorchtitanFlavor{"qwen3", "30B-A3B", "qwen3-30b-a3b", "qwen3_30b_a3b"},
    TorchtitanFlavor{"qwen3", "235B-A22B", "qwen3-235b-a22b", ""},
    TorchtitanFlavor{"llama4", "17bx16e", "llama-4-scout", "", false},
    TorchtitanFlavor{"llama4", "17bx128e", "llama-4-maverick", "", false},
    TorchtitanFlavor{"gpt_oss", "20b", "gpt-oss-20b", "gpt_oss_20b"},
    TorchtitanFlavor{"gpt_oss", "120b", "gpt-oss-120b", "gpt_oss_120b"},
    TorchtitanFlavor{"deepseek_v3", "236B", "deepseek-v2", ""},
    TorchtitanFlavor{"deepseek_v3", "671B", "deepseek-v3", "deepseek_v3_671b"},
};

// Selective activation checkpointing of single operators.
inline constexpr std::string_view kSelectivePerOperator = "op";

// The forms of the configuration. Each has options that the other does not have.
enum class TorchtitanForm { toml, python };

// Returns whether experts exchange tokens through DeepEP, for which the registry of a model has an argument.
bool writes_deepep(const Settings& settings);
// Return whether a text is a job config, and the scenario that it describes.
bool recognises_torchtitan(std::string_view text);
LaunchRead read_torchtitan(std::string_view text, const Scenario& base, Problems& problems);
// Returns the plan as TOML, with the notes that hold for a form.
LaunchText write_torchtitan(const Answer& answer, const std::string& file, TorchtitanForm form);

}  // namespace shardscope::launch
