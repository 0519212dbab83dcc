// A result worked out beside the window: the newest question wins, an answer to an older one is never
// delivered, and whoever asked may be destroyed at any moment.
//
// Work that takes a second argument, `progress(share)`, says from any thread how much is done: up to 1, of a
// second stage from 1 to 2. `waiting` is emitted now and then, not before it takes noticeably long.
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
        constexpr int kPatience = 120;  // ms
        timer_.setInterval(kPatience);
        connect(&timer_, &QTimer::timeout, this, [this] { Q_EMIT waiting(done_->load()); });
    }

    // Runs `work(stop)` or `work(stop, progress)` in the background and, if nothing newer has been asked for
    // meanwhile, `done(result)` in this object's thread. `work` holds copies of all it needs; once stopped,
    // what it returns is dropped.
    template <typename Work, typename Done>
    void ask(Work work, Done done) {
        const std::uint64_t mine = ++newest_;
        end();
        pending_ = true;
        queue_.run([this, mine, work = reporting(std::move(work)),
                    done = std::move(done)](const std::stop_token& stop) {
            auto result = std::make_shared<decltype(work(stop))>(work(stop));
            if (stop.stop_requested()) return;
            QMetaObject::invokeMethod(
                this,
                [this, mine, result, done] {
                    if (mine != newest_) return;
                    end();
                    done(std::move(*result));
                },
                Qt::QueuedConnection);
        });
    }
    // What has been asked for is no longer wanted.
    void forget() {
        ++newest_;
        end();
        queue_.cancel();
    }
    // Asked for and not delivered yet.
    [[nodiscard]] bool pending() const { return pending_; }

  Q_SIGNALS:
    void waiting(double done);

  private:
    void end() {
        pending_ = false;
        timer_.stop();
    }
    // As work of the stop token alone.
    template <typename Work>
    auto reporting(Work work) {
        if constexpr (std::is_invocable_v<Work&, const std::stop_token&, const Progress&>) {
            // Its own share: what is stopped may still speak for a while.
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
    JobQueue queue_;  // last: its thread uses the rest
};

}  // namespace shardscope
