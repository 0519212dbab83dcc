#include <atomic>
#include <catch2/catch.hpp>
#include <set>
#include <vector>

#include "system/jobs.h"

using namespace shardscope;

TEST_CASE("a newer job stops the running one and replaces the waiting one", "[jobs]") {
    std::atomic<bool> started{false};
    std::atomic<bool> stopped{false};
    std::atomic<int> second{0};
    std::atomic<int> third{0};
    JobQueue queue;
    queue.run([&](const std::stop_token& stop) {
        started = true;
        while (!stop.stop_requested()) std::this_thread::yield();
        stopped = true;
    });
    while (!started) std::this_thread::yield();
    {
        // Both arrive while the first one runs or has just been asked to stop; only the newer one must run.
        queue.run([&](const std::stop_token&) { ++second; });
        queue.run([&](const std::stop_token& stop) {
            if (!stop.stop_requested()) ++third;
        });
    }
    queue.wait();
    CHECK(stopped);
    CHECK(third == 1);
    CHECK(second <= 1);
}

TEST_CASE("a queue can be destroyed while its job runs", "[jobs]") {
    std::atomic<bool> started{false};
    std::atomic<bool> left{false};
    {
        JobQueue queue;
        queue.run([&](const std::stop_token& stop) {
            started = true;
            while (!stop.stop_requested()) std::this_thread::yield();
            left = true;
        });
        while (!started) std::this_thread::yield();
    }
    CHECK(left);
}

TEST_CASE("a cancelled job that has not started never runs, and a running one is asked to stop", "[jobs]") {
    JobQueue queue;
    std::atomic<bool> started{false};
    std::atomic<bool> begun{false};
    queue.run([&](const std::stop_token& stop) {
        started = true;
        while (!stop.stop_requested()) std::this_thread::yield();
    });
    while (!started) std::this_thread::yield();
    queue.cancel();
    queue.wait();
    CHECK_FALSE(begun);
    queue.run([&](const std::stop_token&) { begun = true; });
    queue.wait();
    CHECK(begun);
}

TEST_CASE("a parallel loop visits every index once, on one thread or many", "[jobs]") {
    for (const unsigned threads : {0U, 1U, 2U, 7U}) {
        std::vector<std::atomic<int>> seen(1000);
        parallel_for(seen.size(), threads, [&](std::size_t i) { ++seen[i]; });
        for (const auto& count : seen) CHECK(count == 1);
    }
    parallel_for(0, 4, [](std::size_t) { FAIL("nothing to do"); });
}

TEST_CASE("the threads that jobs use are not spare", "[jobs]") {
    CHECK(spare_threads() == usable_threads());
    // A job uses its own thread, and all threads of a loop that it runs in parallel.
    for (const unsigned used : {1U, 3U}) {
        JobQueue queue;
        std::atomic<unsigned> started{0};
        std::atomic<bool> ends{false};
        queue.run([&](const std::stop_token&) {
            parallel_for(used, used, [&](std::size_t) {
                ++started;
                while (!ends) std::this_thread::yield();
            });
        });
        while (started < used) std::this_thread::yield();
        CHECK(spare_threads() == (usable_threads() > used ? usable_threads() - used : 1U));
        ends = true;
        queue.wait();
        CHECK(spare_threads() == usable_threads());
    }
}
