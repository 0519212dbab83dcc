// Provides the files of presets/ that are compiled into the program (presets/embed.cmake generates them).
#pragma once

#include <span>
#include <string_view>

namespace shardscope {

struct EmbeddedFile {
    std::string_view path;  // relative to presets/: "gpus/h100-sxm-80gb.json"
    std::string_view text;
};
std::span<const EmbeddedFile> embedded_files();

}  // namespace shardscope
