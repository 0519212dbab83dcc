// Logs of NeMo and PyTorch Lightning: the progress bar and NeMo's progress lines.
//
// Source: NVIDIA/NeMo, nemo/utils/callbacks and nemo/lightning/pytorch/callbacks/progress_printer.py; PyTorch
// Lightning, fabric/utilities/distributed.py. The numbers of the bar are rounded to three digits.
#include "logs/log_format.h"

namespace shardscope::logs {
namespace {

class NemoReader : public LineReader {
  public:
    void read(const LogLine& line, LogContents& contents) override {
        if (read_step(line, contents)) return;
        // "Initializing distributed: GLOBAL_RANK: 0, MEMBER: 1/64"
        if (!line.has("GLOBAL_RANK:") || !line.has("MEMBER:")) return;
        const std::string_view member = word_after(line, "MEMBER");
        const std::size_t slash = member.find('/');
        if (slash == std::string_view::npos) return;
        if (const auto size = leading_number(member.substr(slash + 1)); size && *size >= 1)
            contents.set(P::gpus, *size, line.number);
    }

  private:
    bool read_step(const LogLine& line, LogContents& contents) {
        if (!line.has("train_step_timing in s")) return false;
        const auto seconds = number_after(line, "train_step_timing in s");
        if (!seconds || *seconds <= 0) return false;
        LoggedStep step;
        // Steps are counted from 0.
        step.number = number_after(line, "global_step").value_or(-1) + 1;
        step.seconds = *seconds;
        step.global_batch = number_after(line, "global_batch_size").value_or(0);
        step.model_tflops = number_after(line, "TFLOPS_per_GPU").value_or(0);
        add(step, line);
        if (step.global_batch > 0) contents.set(P::global_batch, step.global_batch, line.number);
        return true;
    }
};

}  // namespace

const LogFormat kNemoLog{
    .label = "NeMo",
    .software = "nemo",
    .make = [] { return std::unique_ptr<LineReader>(std::make_unique<NemoReader>()); },
};

}  // namespace shardscope::logs
