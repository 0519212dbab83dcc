// How far a long command is, shown to whoever waits for it.
#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <string>

namespace shardscope::commands {

// A line on standard error that says what share of the work is done: only on a terminal, only after a third
// of a second, and gone when the work is. A file or another program that gets standard error sees none of it.
class Progress {
  public:
    // `prints` is whether the command prints to standard output meanwhile, which shows how far it is.
    explicit Progress(std::string what, bool prints = false);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    // To be called with the share that is done, 0 to 1, from any thread. It must not outlive this object.
    [[nodiscard]] std::function<void(double)> take();

  private:
    using Clock = std::chrono::steady_clock;
    void show(double share);

    std::string what_;
    bool on_terminal_;
    std::mutex mutex_;
    Clock::time_point next_;  // when a line may be shown
    double shown_ = -1;       // the share that the line says; negative: there is no line
};

}  // namespace shardscope::commands
