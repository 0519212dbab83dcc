// Runs background work of which only the newest job matters: maps, searches and tracks while a slider moves.
//
// A queue has one worker thread and holds at most one waiting job. A new job replaces the waiting one and
// requests the running one to stop; jobs check their stop token about every millisecond and return. The queue
// uses standard threads only, so that the thread sanitizer can check it.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>

namespace shardscope {

class JobQueue {
  public:
    using Job = std::function<void(const std::stop_token&)>;

    JobQueue();
    // Requests the running job to stop and waits for its end. A waiting job is not started.
    ~JobQueue();
    JobQueue(const JobQueue&) = delete;
    JobQueue& operator=(const JobQueue&) = delete;

    // Queues the job and returns at once. A job must not throw.
    void run(Job job);
    // Requests the running job to stop and drops the waiting one.
    void cancel();
    // Blocks until no job is running or waiting.
    void wait();

  private:
    void work(const std::stop_token& closing);

    std::mutex mutex_;
    std::condition_variable_any changed_;
    Job waiting_;
    std::stop_source running_;
    bool busy_ = false;
    std::jthread worker_;  // is the last member because it uses all of the above
};

// Calls `work(i)` for i = 0 … count − 1 on up to `threads` threads, including the calling thread; which
// thread handles which index is not defined. Returns when all calls are done. If a call throws, for instance
// because memory is short, no further calls are started and the first exception is rethrown.
void parallel_for(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& work);
// Returns the number of hardware threads of this machine, at least one.
unsigned usable_threads();
// Returns the number of threads for work in the background of a window: one thread is left to the window if
// there are at least two.
unsigned background_threads();
// Returns the number of threads for work that the window's thread waits for: those that no job in the
// background uses. A thread that shares its processor with a job waits for its turn, which takes longer than
// the work of a frame.
unsigned spare_threads();

}  // namespace shardscope
