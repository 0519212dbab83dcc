#include "system/jobs.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <utility>
#include <vector>

#ifdef __linux__
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace shardscope {
namespace {

// Lowers the priority of this thread and of the threads that it starts, so that the window's thread comes
// first when processors are scarce.
void lower_priority() {
#ifdef __linux__
    // On Linux each thread has its own niceness. A failure to set it is ignored.
    constexpr int kNice = 19;
    ::setpriority(PRIO_PROCESS, static_cast<id_t>(::syscall(SYS_gettid)), kNice);
#endif
}

// The threads that jobs use now, and whether this thread runs a job.
std::atomic<unsigned> used_by_jobs{0};
thread_local bool runs_job = false;

// Counts threads as used by jobs during its lifetime.
class JobThreads {
  public:
    explicit JobThreads(unsigned threads) : threads_(threads) { used_by_jobs += threads_; }
    ~JobThreads() { used_by_jobs -= threads_; }
    JobThreads(const JobThreads&) = delete;
    JobThreads& operator=(const JobThreads&) = delete;

  private:
    unsigned threads_;
};

}  // namespace

JobQueue::JobQueue() : worker_([this](const std::stop_token& closing) { work(closing); }) {}

JobQueue::~JobQueue() {
    cancel();
    worker_.request_stop();
    changed_.notify_all();
}

void JobQueue::run(Job job) {
    const std::scoped_lock lock(mutex_);
    running_.request_stop();
    waiting_ = std::move(job);
    changed_.notify_all();
}

void JobQueue::cancel() {
    const std::scoped_lock lock(mutex_);
    running_.request_stop();
    waiting_ = nullptr;
    changed_.notify_all();
}

void JobQueue::wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !busy_ && !waiting_; });
}

void JobQueue::work(const std::stop_token& closing) {
    lower_priority();
    runs_job = true;
    std::unique_lock lock(mutex_);
    while (changed_.wait(lock, closing, [this] { return static_cast<bool>(waiting_); })) {
        const Job job = std::exchange(waiting_, nullptr);
        running_ = std::stop_source();
        const std::stop_token stop = running_.get_token();
        busy_ = true;
        lock.unlock();
        {
            const JobThreads used(1);
            job(stop);
        }
        lock.lock();
        busy_ = false;
        changed_.notify_all();
    }
}

void parallel_for(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& work) {
    std::atomic<std::size_t> next{0};
    std::exception_ptr failure;
    std::once_flag failed;
    const auto make_calls = [&] {
        try {
            for (std::size_t i = next++; i < count; i = next++) work(i);
        } catch (...) {
            std::call_once(failed, [&] { failure = std::current_exception(); });
            next = count;
        }
    };
    const std::size_t helpers =
        std::min<std::size_t>(std::max(1U, threads), std::max<std::size_t>(count, 1)) - 1;
    {
        const JobThreads used(runs_job ? static_cast<unsigned>(helpers) : 0);
        std::vector<std::jthread> others;
        others.reserve(helpers);
        for (std::size_t i = 0; i < helpers; ++i) others.emplace_back(make_calls);
        make_calls();
    }
    if (failure) std::rethrow_exception(failure);
}

unsigned usable_threads() {
    // The value is cached because the system reads a file for each query and the window needs it every frame.
    static const unsigned threads = std::max(1U, std::thread::hardware_concurrency());
    return threads;
}
unsigned background_threads() { return std::max(1U, usable_threads() - 1); }
unsigned spare_threads() {
    const unsigned used = used_by_jobs;
    return used < usable_threads() ? usable_threads() - used : 1;
}

}  // namespace shardscope
