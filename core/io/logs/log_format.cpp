#include "logs/log_format.h"

#include <array>

namespace shardscope::logs {

void LineReader::add(LoggedStep step, const LogLine& line) {
    if (steps_.size() >= kMostSteps) return;
    if (const auto rank = rank_of(line.text)) {
        if (!rank_) rank_ = rank;
        if (rank != rank_) return;
    }
    const double last = steps_.empty() ? 0 : steps_.back().number;
    if (step.number <= 0) step.number = last + 1;
    if (!steps_.empty() && step.number == last) return;
    step.interruption = step.number < last ? Interruption::restart : interruption_;
    step.line = line.number;
    interruption_ = Interruption::none;
    steps_.push_back(step);
}

void LineReader::start_again() {
    earlier_steps_ += steps_.size();
    steps_.clear();
    rank_.reset();
    interruption_ = Interruption::none;
}

std::span<const LogFormat* const> log_formats() {
    static constexpr std::array kAll{&kMegatronLog,  &kTorchtitanLog, &kNemoLog,    &kNanotronLog,
                                     &kDeepspeedLog, &kMlperfLog,     &kTrainerLog, &kLightningLog};
    return kAll;
}

}  // namespace shardscope::logs
