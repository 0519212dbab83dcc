#include "logs/training_log.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "evidence/validation.h"
#include "logs/log_format.h"
#include "logs/log_lines.h"
#include "system/file_io.h"
#include "text/text.h"
#include "text/translate.h"

namespace shardscope {
namespace {

using logs::LineReader;
using logs::LoggedStep;
using logs::LogLine;

// The longest line that is read; longer ones are cut. Progress bars are split at their carriage returns.
constexpr std::size_t kLongestLine = std::size_t{64} << 10;

// Splits the pieces of a file into lines and passes them to all readers.
class LogReader {
  public:
    LogReader() : device_(logs::make_device_reader()) {
        for (const logs::LogFormat* format : logs::log_formats()) readers_.push_back(format->make());
    }

    void take(std::string_view piece) {
        if (!is_begun_) {
            is_begun_ = true;
            for (const std::string_view mark : {"\xff\xfe", "\xfe\xff"})
                if (piece.starts_with(mark)) utf16_ = mark[0] == '\xff' ? Utf16::little : Utf16::big;
            if (utf16_ != Utf16::no) piece.remove_prefix(2);
        }
        if (utf16_ == Utf16::no) take_text(piece);
        else take_utf16(piece);
    }

    void take_text(std::string_view piece) {
        while (!piece.empty()) {
            const std::size_t end = piece.find_first_of("\n\r");
            const std::string_view part = piece.substr(0, end);
            line_.append(part.substr(0, kLongestLine - line_.size()));
            if (end == std::string_view::npos) return;
            end_line();
            if (piece[end] == '\n') ++number_;
            piece.remove_prefix(end + 1);
        }
    }

    TrainingLog finish() {
        end_line();
        TrainingLog out;
        for (const auto& reader : readers_) reader->finish(contents_);
        for (std::size_t i = 0; i < logs::kPeaks && !contents_.has_steps; ++i) {
            const logs::StatedNumber& early = contents_.early_peaks[i];
            contents_.update_peak(static_cast<logs::Peak>(i), early.value, early.line);
        }
        device_->finish(contents_);
        out.contents = std::move(contents_);
        const std::size_t best = best_reader();
        const std::vector<LoggedStep>& steps = readers_[best]->steps();
        set_tool(steps.empty() ? format_of_settings(out.contents) : logs::log_formats()[best], out);
        if (!steps.empty()) measure(steps, logs::log_formats()[best]->counts_batches, out);
        else use_whole_run(out);
        std::size_t earlier = 0;
        for (const auto& reader : readers_) earlier = std::max(earlier, reader->earlier_steps());
        if (!steps.empty()) earlier = readers_[best]->earlier_steps();
        if (out.steady.logged > 0) {
            out.steady.logged += earlier;
            out.steady.left_out.earlier_start = earlier;
        } else {
            out.earlier_steps = earlier;
        }
        return out;
    }

  private:
    // PowerShell writes redirected output in UTF-16. What is read of a log is ASCII, except for what
    // separates the parts of progress bars, which is not read.
    void take_utf16(std::string_view bytes) {
        std::string text;
        for (const char byte : bytes) {
            if (!half_) {
                half_ = byte;
                continue;
            }
            const char high = utf16_ == Utf16::big ? *half_ : byte;
            const char low = utf16_ == Utf16::big ? byte : *half_;
            text += high == '\0' && static_cast<unsigned char>(low) < 0x80 ? low : '?';
            half_.reset();
        }
        take_text(text);
    }

    // Returns the reader with the most steps. A reader of moving averages is used only where
    // no other reads steps.
    [[nodiscard]] std::size_t best_reader() const {
        const auto rank = [&](std::size_t i) {
            const std::size_t steps = readers_[i]->steps().size();
            return std::pair(steps > 0 && logs::log_formats()[i]->exact_steps, steps);
        };
        std::size_t best = 0;
        for (std::size_t i = 1; i < readers_.size(); ++i)
            if (rank(i) > rank(best)) best = i;
        return best;
    }

    // Returns the format whose settings the log states; nullptr where it states none.
    static const logs::LogFormat* format_of_settings(const logs::LogContents& contents) {
        if (!contents.torchtitan.empty()) return &logs::kTorchtitanLog;
        return contents.megatron.empty() ? nullptr : &logs::kMegatronLog;
    }

    static void set_tool(const logs::LogFormat* format, TrainingLog& out) {
        out.tool = format ? format->label : "PyTorch";
        out.software = format ? format->software : "";
        if (!out.contents.is_bridge) return;
        out.tool = "Megatron-Bridge";
        out.software = "megatron-bridge";
    }

    void end_line() {
        if (line_.empty()) return;
        const bool coloured = line_.find('\x1b') != std::string::npos;
        const std::string plain = coloured ? logs::without_colours(line_) : std::string();
        const LogLine line{coloured ? std::string_view(plain) : std::string_view(line_), number_};
        const logs::Interruption interruption = logs::interruption_of(line);
        for (const auto& reader : readers_) {
            if (interruption != logs::Interruption::none) reader->interrupt(interruption);
            reader->read(line, contents_);
            contents_.has_steps = contents_.has_steps || !reader->steps().empty();
        }
        device_->read(line, contents_);
        if (contents_.other_settings) start_again();
        line_.clear();
    }

    // The scenario of the log has the settings of the last start, and only its steps belong to them.
    void start_again() {
        for (const auto& reader : readers_) reader->start_again();
        contents_.start_again();
    }

    // Takes the unit that the last step has. Steps without it are not used.
    static void measure(const std::vector<LoggedStep>& steps, bool counts_batches, TrainingLog& out) {
        const LoggedStep& last = steps.back();
        out.unit = last.seconds > 0 ? (counts_batches ? StepUnit::seconds_per_batch : StepUnit::seconds)
                   : last.tokens_per_s_per_gpu > 0 ? StepUnit::seconds_per_token
                                                   : StepUnit::seconds_per_sample;
        std::vector<logs::StepSample> samples;
        std::vector<double> tflops;
        for (const LoggedStep& step : steps) {
            const double rate =
                out.unit == StepUnit::seconds_per_token ? step.tokens_per_s_per_gpu : step.samples_per_s;
            const double value = last.seconds > 0 ? step.seconds : rate > 0 ? 1 / rate : 0;
            if (value > 0) samples.push_back({value, step.global_batch, step.interruption});
            if (step.model_tflops > 0) tflops.push_back(step.model_tflops);
        }
        out.steady = logs::steady_state(samples);
        out.model_tflops = quantile(tflops, 0.5);
    }

    static void use_whole_run(TrainingLog& out) {
        const double seconds = out.contents.whole_run.seconds;
        if (seconds <= 0) return;
        out.whole_run = true;
        out.steady.median = out.steady.low = out.steady.high = seconds;
        set_tool(&logs::kTrainerLog, out);  // only the Trainer states such a mean
    }

    std::vector<std::unique_ptr<LineReader>> readers_;  // in the order of the formats
    std::unique_ptr<LineReader> device_;
    logs::LogContents contents_;
    enum class Utf16 : unsigned char { no, little, big };
    bool is_begun_ = false;
    Utf16 utf16_ = Utf16::no;
    std::optional<char> half_;  // of a code unit
    std::string line_;
    int number_ = 1;
};

void check_contents(const TrainingLog& log, Problems& problems) {
    const auto stated = [](const logs::StatedNumber& peak) { return peak.value > 0; };
    if (log.steady.median > 0 || std::ranges::any_of(log.contents.peaks, stated)) return;
    if (log.contents.out_of_memory_line > 0) return;
    const std::string tools =
        joined(logs::log_formats(), ", ", [](const logs::LogFormat* format) { return format->label; });
    problems.push_back({"", translate("the log states no step time, no throughput and no memory peak"),
                        log.earlier_steps > 0
                            ? translate("its {1} steps are of an earlier start with other settings",
                                        {std::to_string(log.earlier_steps)})
                            : translate("logs of {1} are read", {tools}),
                        translate("give the output of the process that prints the progress")});
}

}  // namespace

double TrainingLog::seconds(const Settings& s) const {
    switch (unit) {
        case StepUnit::seconds: break;
        case StepUnit::seconds_per_token: return s[P::global_batch] * s[P::sequence_length] / s[P::gpus];
        case StepUnit::seconds_per_sample: return s[P::global_batch];
        case StepUnit::seconds_per_batch: return s[P::accumulation];
    }
    return 1;
}

double TrainingLog::step_time(const Settings& settings) const { return steady.median * seconds(settings); }

RunQuality TrainingLog::quality() const {
    constexpr double kNoisy = 0.1;           // spread of 80 % of the steps
    constexpr std::size_t kFewestSteps = 3;  // fewer do not show the spread
    if (steady.median <= 0) return RunQuality::none;
    if (whole_run) return RunQuality::ambiguous;  // evaluation and checkpoints are in it
    const bool noisy = steady.high - steady.low > kNoisy * steady.median;
    return noisy || steady.used() < kFewestSteps ? RunQuality::noisy : RunQuality::good;
}

bool is_training_log(std::string_view text) {
    // Logs of gigabytes have steps early on.
    constexpr std::size_t kBegin = std::size_t{4} << 20;
    const std::string_view begin = text.substr(0, kBegin);
    const std::size_t first = begin.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) return false;
    // Hugging Face's Trainer prints dictionaries of Python, whose names have single quotes.
    const std::size_t second = begin.find_first_not_of(" \t\r\n", first + 1);
    const bool is_json = begin[first] == '{' && second != std::string_view::npos && begin[second] != '\'';
    if (is_json && begin.find("\"log_history\"") == std::string_view::npos) return false;
    Problems problems;
    const TrainingLog log = read_training_log(begin, problems);
    return log.steady.median > 0;
}

TrainingLog read_training_log(std::string_view text, Problems& problems) {
    LogReader reader;
    reader.take(text);
    TrainingLog out = reader.finish();
    check_contents(out, problems);
    return out;
}

TrainingLog read_training_log_file(const std::string& path, Problems& problems) {
    LogReader reader;
    if (!read_pieces(
            path, [&](std::string_view piece) { reader.take(piece); }, problems))
        return {};
    TrainingLog out = reader.finish();
    check_contents(out, problems);
    return out;
}

}  // namespace shardscope
