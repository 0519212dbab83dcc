// Background work of which only the newest matters: maps, searches, tracks while a slider moves.
//
// A queue has one worker thread and one waiting place. A new job asks the running one to stop and takes the
// waiting one's place; jobs look at their stop token often enough (every millisecond or so) and return.
// Standard threads only, so that the thread sanitizer can judge it.
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
    // Asks the running job to stop, waits for it; the waiting one is never begun.
    ~JobQueue();
    JobQueue(const JobQueue&) = delete;
    JobQueue& operator=(const JobQueue&) = delete;

    // Returns at once. A job must not throw.
    void run(Job job);
    // Asks the running job to stop and forgets the waiting one.
    void cancel();
    // Blocks until nothing runs or waits.
    void wait();

  private:
    void work(const std::stop_token& closing);

    std::mutex mutex_;
    std::condition_variable_any changed_;
    Job waiting_;
    std::stop_source running_;
    bool busy_ = false;
    std::jthread worker_;  // last: it uses all of the above
};

// Calls `work(i)` for i = 0 … count − 1 on up to `threads` threads, this one among them; which thread takes
// which index is not defined. Returns when all are done. When a call throws, for want of memory for instance,
// those that have not begun are left out, and the first exception is thrown again.
void parallel_for(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& work);
// Threads worth using on this machine, at least one.
unsigned usable_threads();
// For work beside a window: one stays free for it, as long as there are two.
unsigned background_threads();

}  // namespace shardscope
