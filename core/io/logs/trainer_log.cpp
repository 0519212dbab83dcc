// Logs of Hugging Face's Trainer: its console output, trainer_state.json and train_results.json. Logs of
// PyTorch Lightning, of which only the progress bar is read.
//
// Source: huggingface/transformers, src/transformers/trainer.py ("***** Running training *****"),
// trainer_utils.py (speed_metrics) and trainer_callback.py (TrainerState, the progress bar);
// Lightning-AI/pytorch-lightning, src/lightning/pytorch/callbacks/progress/tqdm_progress.py. The Trainer
// states the mean over the whole run; single steps are in the progress bars (tqdm), whose rate is a moving
// average. The bar of Lightning counts batches of the data loader, of which an optimizer step accumulates
// several.
#include <cctype>
#include <cmath>

#include "logs/log_format.h"
#include "text/text.h"

namespace shardscope::logs {
namespace {

// A state of a progress bar.
struct Bar {
    double done = 0;
    double total = 0;
    double seconds = 0;  // of a step, a moving average
};

// Reads "  5%|▌         | 100/2000 [05:00<1:35:00,  3.00s/it]".
std::optional<Bar> read_bar(const LogLine& line) {
    const bool slow = line.has("s/it");
    if ((!slow && !line.has("it/s")) || line.has("train_step_timing")) return std::nullopt;
    const std::size_t bar = line.text.rfind("| ");
    const std::size_t bracket = line.text.find('[', bar == std::string_view::npos ? 0 : bar);
    if (bar == std::string_view::npos || bracket == std::string_view::npos) return std::nullopt;
    const std::string_view counts = line.text.substr(bar + 2, bracket - bar - 2);
    const std::size_t slash = counts.find('/');
    const std::size_t comma = line.text.find(',', bracket);
    if (slash == std::string_view::npos || comma == std::string_view::npos) return std::nullopt;
    const auto done = leading_number(counts);
    const auto total = leading_number(counts.substr(slash + 1));
    const auto rate = leading_number(trim(line.text.substr(comma + 1)));
    if (!done || !total || !rate || *rate <= 0) return std::nullopt;
    return Bar{*done, *total, slow ? *rate : 1 / *rate};
}

// Reads "Epoch 0:   5%|▌         | 59/1000 [00:59<16:12,  1.02it/s, v_num=0]". Bars of the validation have
// other words in front.
class LightningReader : public LineReader {
  public:
    void read(const LogLine& line, LogContents& /*contents*/) override {
        const auto count = number_after(line, "accumulate_grad_batches");
        if (count && *count >= 1) accumulation_ = {*count, line.number};
        constexpr std::string_view kBegin = "Epoch ";
        const std::string text = trim(without_rank(line.text));
        std::size_t end = kBegin.size();
        while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end]))) ++end;
        if (!text.starts_with(kBegin) || end == kBegin.size() || text.substr(end, 1) != ":") return;
        const auto bar = read_bar(line);
        if (!bar || bar->done <= 0) return;
        LoggedStep step;
        step.number = bar->done;
        step.seconds = bar->seconds;
        add(step, line);
    }

    // NeMo's trainer states 1, and its batch elsewhere.
    void finish(LogContents& contents) override {
        if (has_steps() && accumulation_.value > 1)
            contents.set(P::accumulation, accumulation_.value, accumulation_.line);
    }

  private:
    StatedNumber accumulation_;  // batches of an optimizer step
};

class TrainerReader : public LineReader {
  public:
    void read(const LogLine& line, LogContents& contents) override {
        if (read_step(line)) return;
        read_summary(line);
        read_state(line);
        read_batch(line, contents);
    }

    void finish(LogContents& contents) override {
        // Without model parallelism, which the Trainer does not log.
        if (batch_ > 0 && whole_ > 0 && accumulation_ > 0 && std::fmod(whole_, batch_ * accumulation_) == 0)
            contents.set(P::gpus, whole_ / batch_ / accumulation_, batch_line_);
        set_batch(contents);
        if (steps_per_second_ <= 0) return;
        contents.whole_run.seconds = 1 / steps_per_second_;
        contents.whole_run.line = summary_line_;
    }

  private:
    bool read_step(const LogLine& line) {
        if (total_ <= 0) return false;
        const auto bar = read_bar(line);
        if (!bar || bar->total != total_) return false;
        LoggedStep step;
        step.number = bar->done;
        step.seconds = bar->seconds;
        add(step, line);
        return true;
    }

    void read_summary(const LogLine& line) {
        if (!line.has("train_") && !line.has("global_step")) return;
        if (const auto rate = number_after(line, "train_steps_per_second"); rate && *rate > 0) {
            steps_per_second_ = *rate;
            summary_line_ = line.number;
        }
        if (const auto rate = number_after(line, "train_samples_per_second"); rate && *rate > 0)
            samples_per_second_ = {*rate, line.number};
        if (const auto runtime = number_after(line, "train_runtime")) runtime_ = *runtime;
        // The rate is rounded to three decimals; runtime and steps give it exactly.
        const auto steps = number_after(line, "global_step");
        if (steps && *steps > 0) total_steps_ = *steps;
        if (runtime_ > 0 && total_steps_ > 0 && steps_per_second_ > 0 &&
            std::fabs(total_steps_ / runtime_ - steps_per_second_) < 1e-3)
            steps_per_second_ = total_steps_ / runtime_;
    }

    // trainer_state.json has the batch of one process. DeepSpeed's configuration has the batch of all
    // processes under the same name, in files without a history.
    void read_state(const LogLine& line) {
        if (line.has("\"log_history\"")) is_state_ = true;
        const auto batch =
            line.has("\"train_batch_size\":") ? number_after(line, "train_batch_size") : std::nullopt;
        if (batch && *batch >= 1) state_batch_ = {*batch, line.number};
    }

    // The files state the batch only by two rates, which are rounded to three decimals. It is a multiple of
    // the micro-batch, and is set where the rates leave one choice.
    void set_batch(LogContents& contents) const {
        const double micro_batch = is_state_ ? state_batch_.value : 0;
        if (micro_batch > 0 && contents.line_of(P::micro_batch) == 0)
            contents.set(P::micro_batch, micro_batch, state_batch_.line);
        if (samples_per_second_.value <= 0 || steps_per_second_ <= 0) return;
        constexpr double kRounded = 0.5e-3;
        const double unit = std::fmax(1, micro_batch);
        const double batch = samples_per_second_.value / steps_per_second_;
        const double error = kRounded * (1 / samples_per_second_.value + 1 / steps_per_second_) * batch;
        const double nearest = std::round(batch / unit) * unit;
        if (nearest >= 1 && error < unit / 2 && contents.line_of(P::global_batch) == 0)
            contents.set(P::global_batch, nearest, samples_per_second_.line);
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
    StatedNumber samples_per_second_;
    StatedNumber state_batch_;  // of one process in trainer_state.json
    bool is_state_ = false;
    double batch_ = 0, whole_ = 0, accumulation_ = 0;
    int summary_line_ = 0;
    int batch_line_ = 0;
};

}  // namespace

const LogFormat kLightningLog{
    .label = "PyTorch Lightning",
    .software = "",
    .exact_steps = false,
    .counts_batches = true,
    .make = [] { return std::unique_ptr<LineReader>(std::make_unique<LightningReader>()); },
};

const LogFormat kTrainerLog{
    .label = "Hugging Face Trainer",
    .software = "",
    .exact_steps = false,
    .make = [] { return std::unique_ptr<LineReader>(std::make_unique<TrainerReader>()); },
};

}  // namespace shardscope::logs
