#include "app/commands/progress.h"

#include <unistd.h>
#include <cmath>
#include <cstdio>
#include <utility>

namespace shardscope::commands {

Progress::Progress(std::string what, bool prints)
    : what_(std::move(what)),
      on_terminal_(::isatty(STDERR_FILENO) == 1 && !(prints && ::isatty(STDOUT_FILENO) == 1)),
      next_(Clock::now() + std::chrono::milliseconds(300)) {}

Progress::~Progress() {
    if (shown_ >= 0) std::fputs("\r\033[K", stderr);  // clears the line
}

std::function<void(double)> Progress::take() {
    if (!on_terminal_) return {};
    return [this](double share) { show(share); };
}

void Progress::show(double share) {
    const std::lock_guard lock(mutex_);
    const Clock::time_point now = Clock::now();
    // Threads may report in any order.
    if (now < next_ || share <= shown_) return;
    next_ = now + std::chrono::milliseconds(100);
    shown_ = share;
    std::fprintf(stderr, "\rshardscope: %s, %.0f %% done\033[K", what_.c_str(), std::floor(100 * share));
    std::fflush(stderr);
}

}  // namespace shardscope::commands
