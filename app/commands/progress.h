// Shows the progress of a long command on the terminal.
#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <string>

namespace shardscope::commands {

// A line on standard error with the fraction of the work that is done. It appears only on a terminal, only
// after a third of a second, and is removed when the work is done. Nothing is written if standard error is a
// file or a pipe.
class Progress {
  public:
    // `prints` is whether the command prints to standard output meanwhile, which shows its progress as well.
    explicit Progress(std::string what, bool prints = false);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    // Returns the function to call with the fraction that is done, 0 to 1, from any thread; empty where
    // nothing is shown. It must not outlive this object.
    [[nodiscard]] std::function<void(double)> take();

  private:
    using Clock = std::chrono::steady_clock;
    void show(double share);

    std::string what_;
    bool on_terminal_;
    std::mutex mutex_;
    Clock::time_point next_;  // when a line may be shown
    double shown_ = -1;       // the fraction that the line shows; negative: there is no line
};

}  // namespace shardscope::commands
