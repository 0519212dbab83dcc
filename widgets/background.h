// A result worked out beside the window: the newest question wins, an answer to an older one is never
// delivered, and whoever asked may be destroyed at any moment.
#pragma once

#include <QObject>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "explore/jobs.h"

namespace shardscope {

class Background : public QObject {
    Q_OBJECT
  public:
    explicit Background(QObject* parent = nullptr) : QObject(parent) {}

    // Runs `work(stop)` in the background and, if nothing newer has been asked for meanwhile, `done(result)`
    // in this object's thread. `work` holds copies of all it needs; once stopped, what it returns is dropped.
    template <typename Work, typename Done>
    void ask(Work work, Done done) {
        const std::uint64_t mine = ++newest_;
        pending_ = true;
        queue_.run([this, mine, work = std::move(work), done = std::move(done)](const std::stop_token& stop) {
            auto result = std::make_shared<decltype(work(stop))>(work(stop));
            if (stop.stop_requested()) return;
            QMetaObject::invokeMethod(
                this,
                [this, mine, result, done] {
                    if (mine != newest_) return;
                    pending_ = false;
                    done(std::move(*result));
                },
                Qt::QueuedConnection);
        });
    }
    // What has been asked for is no longer wanted.
    void forget() {
        ++newest_;
        pending_ = false;
        queue_.cancel();
    }
    // Asked for and not delivered yet.
    [[nodiscard]] bool pending() const { return pending_; }

  private:
    std::uint64_t newest_ = 0;
    bool pending_ = false;
    JobQueue queue_;  // last: its thread uses the rest
};

}  // namespace shardscope
