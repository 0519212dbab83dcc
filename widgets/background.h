// Computes a result on a background thread. Only the result of the newest request is delivered, and the
// object may be destroyed at any time.
//
// Work that accepts a second argument, `progress(share)`, can report from any thread how much is done: 0 to 1
// in the first stage, 1 to 2 in a second stage. The signal `waiting` repeats the share at regular intervals
// while such work runs; short work ends before the first signal.
#pragma once

#include <QObject>
#include <QTimer>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

#include "system/jobs.h"

namespace shardscope {

using Progress = std::function<void(double)>;

class Background : public QObject {
    Q_OBJECT
  public:
    explicit Background(QObject* parent = nullptr) : QObject(parent) {
        constexpr int kWaitingInterval = 120;  // ms
        timer_.setInterval(kWaitingInterval);
        connect(&timer_, &QTimer::timeout, this, [this] { Q_EMIT waiting(done_->load()); });
    }

    // Runs `work(stop)` or `work(stop, progress)` in the background. Then calls `done(result)` in this
    // object's thread, unless a newer request has been made meanwhile. `work` must own all data that it
    // uses; the result of stopped work is discarded.
    template <typename Work, typename Done>
    void ask(Work work, Done done) {
        const std::uint64_t request = ++newest_;
        end();
        pending_ = true;
        queue_.run([this, request, work = reporting(std::move(work)),
                    done = std::move(done)](const std::stop_token& stop) {
            auto result = std::make_shared<decltype(work(stop))>(work(stop));
            if (stop.stop_requested()) return;
            QMetaObject::invokeMethod(
                this,
                [this, request, result, done] {
                    if (request != newest_) return;
                    end();
                    done(std::move(*result));
                },
                Qt::QueuedConnection);
        });
    }
    // Cancels the current request; its result is not delivered.
    void cancel() {
        ++newest_;
        end();
        queue_.cancel();
    }
    // Cancels the current request and waits until no work runs any more.
    void cancel_and_wait() {
        cancel();
        queue_.wait();
    }
    // Returns whether a requested result has not been delivered yet.
    [[nodiscard]] bool pending() const { return pending_; }

  Q_SIGNALS:
    void waiting(double done);

  private:
    void end() {
        pending_ = false;
        timer_.stop();
    }
    // Wraps the work as a function of the stop token only.
    template <typename Work>
    auto reporting(Work work) {
        if constexpr (std::is_invocable_v<Work&, const std::stop_token&, const Progress&>) {
            // Each job has its own share, because a stopped job may still report progress for a while.
            done_ = std::make_shared<std::atomic<double>>(0);
            timer_.start();
            return [work = std::move(work), share = done_](const std::stop_token& stop) {
                return work(stop, [share](double done) { share->store(done); });
            };
        } else {
            return work;
        }
    }

    std::uint64_t newest_ = 0;
    bool pending_ = false;
    QTimer timer_;
    std::shared_ptr<std::atomic<double>> done_ = std::make_shared<std::atomic<double>>(0);
    JobQueue queue_;  // declared last: its thread uses the other members
};

}  // namespace shardscope
