// Logs of Hugging Face's Trainer: its console output, and trainer_state.json.
//
// Source: huggingface/transformers, src/transformers/trainer.py ("***** Running training *****"),
// trainer_utils.py (speed_metrics) and trainer_callback.py (TrainerState, the progress bar). The Trainer
// states the mean over the whole run; single steps are in its progress bar (tqdm), whose rate is a moving
// average.
#include <cmath>

#include "logs/log_format.h"
#include "text/text.h"

namespace shardscope::logs {
namespace {

class TrainerReader : public LineReader {
  public:
    void read(const LogLine& line, LogContents& contents) override {
        if (read_bar(line)) return;
        read_summary(line);
        read_batch(line, contents);
    }

    void finish(LogContents& contents) override {
        // Without model parallelism, which the Trainer does not log.
        if (batch_ > 0 && whole_ > 0 && accumulation_ > 0 && std::fmod(whole_, batch_ * accumulation_) == 0)
            contents.set(P::gpus, whole_ / batch_ / accumulation_, batch_line_);
        if (steps_per_second_ <= 0) return;
        contents.whole_run.seconds = 1 / steps_per_second_;
        contents.whole_run.line = summary_line_;
    }

  private:
    // "  5%|▌         | 100/2000 [05:00<1:35:00,  3.00s/it]"
    bool read_bar(const LogLine& line) {
        const bool slow = line.has("s/it");
        if (total_ <= 0 || (!slow && !line.has("it/s")) || line.has("train_step_timing")) return false;
        const std::size_t bar = line.text.rfind("| ");
        const std::size_t bracket = line.text.find('[', bar == std::string_view::npos ? 0 : bar);
        if (bar == std::string_view::npos || bracket == std::string_view::npos) return false;
        const std::string_view counts = line.text.substr(bar + 2, bracket - bar - 2);
        const std::size_t slash = counts.find('/');
        const std::size_t comma = line.text.find(',', bracket);
        if (slash == std::string_view::npos || comma == std::string_view::npos) return false;
        const auto done = leading_number(counts);
        const auto total = leading_number(counts.substr(slash + 1));
        const auto rate = leading_number(trim(line.text.substr(comma + 1)));
        if (!done || !total || !rate || *rate <= 0 || *total != total_) return false;
        LoggedStep step;
        step.number = *done;
        step.seconds = slow ? *rate : 1 / *rate;
        add(step, line);
        return true;
    }

    void read_summary(const LogLine& line) {
        if (!line.has("train_") && !line.has("global_step")) return;
        if (const auto rate = number_after(line, "train_steps_per_second"); rate && *rate > 0) {
            steps_per_second_ = *rate;
            summary_line_ = line.number;
        }
        if (const auto runtime = number_after(line, "train_runtime")) runtime_ = *runtime;
        // The rate is rounded to three decimals; runtime and steps give it exactly.
        const auto steps = number_after(line, "global_step");
        if (steps && *steps > 0) total_steps_ = *steps;
        if (runtime_ > 0 && total_steps_ > 0 && steps_per_second_ > 0 &&
            std::fabs(total_steps_ / runtime_ - steps_per_second_) < 1e-3)
            steps_per_second_ = total_steps_ / runtime_;
    }

    void read_batch(const LogLine& line, LogContents& contents) {
        if (!line.has(" = ") && !line.has("max_steps")) return;
        if (const auto steps = number_after(line, "Total optimization steps")) total_ = *steps;
        if (const auto steps = number_after(line, "max_steps"); steps && total_ <= 0) total_ = *steps;
        const auto batch = number_after(line, "Instantaneous batch size per device");
        if (batch && *batch >= 1) {
            batch_ = *batch;
            contents.set(P::micro_batch, *batch, line.number);
        }
        const auto whole =
            number_after(line, "Total train batch size (w. parallel, distributed & accumulation)");
        if (whole && *whole >= 1) {
            whole_ = *whole;
            batch_line_ = line.number;
            contents.set(P::global_batch, *whole, line.number);
        }
        if (const auto steps = number_after(line, "Gradient Accumulation steps"); steps && *steps >= 1)
            accumulation_ = *steps;
        if (const auto count = number_after(line, "Number of trainable parameters"))
            contents.parameters = {*count, line.number};
    }

    double total_ = 0;  // optimizer steps of the run
    double total_steps_ = 0, runtime_ = 0, steps_per_second_ = 0;
    double batch_ = 0, whole_ = 0, accumulation_ = 0;
    int summary_line_ = 0;
    int batch_line_ = 0;
};

}  // namespace

const LogFormat kTrainerLog{
    .label = "Hugging Face Trainer",
    .software = "",
    .exact_steps = false,
    .make = [] { return std::unique_ptr<LineReader>(std::make_unique<TrainerReader>()); },
};

}  // namespace shardscope::logs
