#include "launch/megatron_programs.h"

#include <array>

#include "text/translate.h"

namespace shardscope::launch {
namespace {

// A program, or an option that only such a program has, whose run is no training of a GPT.
struct OtherRun {
    std::string_view name;
    const char* reason;
};
constexpr const char* kEncoder = translatable("it trains a model with an encoder");
constexpr const char* kImages = translatable("it trains a model of images");
constexpr const char* kServes = translatable("it generates text and does not train");
constexpr std::array kOtherPrograms{
    OtherRun{"pretrain_bert", kEncoder},  OtherRun{"pretrain_t5", kEncoder},
    OtherRun{"pretrain_ict", kEncoder},   OtherRun{"pretrain_vision", kImages},
    OtherRun{"pretrain_vlm", kImages},    OtherRun{"multimodal/", kImages},
    OtherRun{"pretrain_retro", kEncoder}, OtherRun{"inference", kServes},
    OtherRun{"server", kServes},          OtherRun{"generate", kServes},
    OtherRun{"text_generation", kServes},
};
constexpr std::array kOtherOptions{
    OtherRun{"--img-h", kImages},
    OtherRun{"--freeze-LM", kImages},
    OtherRun{"--language-model-type", kImages},
    OtherRun{"--decoder-seq-length", kEncoder},
};

}  // namespace

void refuse_other_runs(MegatronCommand& command, Problems& problems) {
    const std::string& path = command.program().text;
    // Only the folder that contains the program counts.
    const std::size_t slash = path.rfind('/');
    const std::size_t folder =
        slash == std::string::npos || slash == 0 ? std::string::npos : path.rfind('/', slash - 1);
    const std::string program = folder == std::string::npos ? path : path.substr(folder + 1);
    for (const OtherRun& other : kOtherPrograms) {
        if (program.find(other.name) == std::string::npos) continue;
        problems.push_back({program, translate("is not read"), translate(other.reason),
                            translate("give the script of a GPT's training"), command.program().line});
        return;
    }
    for (const OtherRun& other : kOtherOptions) {
        if (!command.has(other.name)) continue;
        command.problem(other.name, translate("is not read"), translate(other.reason),
                        translate("give the script of a GPT's training"));
        return;
    }
}

}  // namespace shardscope::launch
