// Tests E20: every layer is on exactly one stage for any number of stages.
#include <catch2/catch.hpp>
#include <cmath>

#include "schedules/stages.h"

using namespace shardscope;

namespace {

struct Expected {
    double layers, gpus;
    double first, middle, last;
    double predictions = 0;
};

}  // namespace

TEST_CASE("stages: one GPU has the whole model", "[plan]") {
    const Stages one = partition_layers({3, 58}, 1);
    CHECK(one.first.counts[0] == 3);
    CHECK(one.first.counts[1] == 58);
    CHECK(one.first.embedding);
    CHECK(one.first.head);
}

TEST_CASE("stages: even and uneven splits have the expected layers", "[plan]") {
    for (const Expected& e : {Expected{96, 8, 12, 12, 12},    // the stages divide the layers
                              Expected{126, 16, 7, 8, 7},     // they divide layers + 2: Llama 3.1 405B
                              Expected{30, 4, 7, 8, 7},       //
                              Expected{29, 4, 7, 8, 7},       // remainder 1: on a middle stage
                              Expected{41, 2, 21, 20, 20},    // two stages, odd: the head's has fewer
                              Expected{31, 4, 8, 8, 7},       // remainder p − 1: all but the last
                              Expected{17, 3, 6, 6, 5},       //
                              Expected{61, 16, 3, 4, 3},      // DeepSeek-V3 without its prediction layer …
                              Expected{61, 16, 3, 4, 2, 1},   // … and with it: it counts as a layer
                              Expected{60, 4, 15, 15, 15, 1},  // the stages divide the layers
                              Expected{70, 12, 5, 6, 5},      // BLOOM
                              Expected{105, 35, 3, 3, 3}}) {  // GPT 530B
        INFO(e.layers << " layers on " << e.gpus);
        const Stages stages = partition_layers({e.layers, 0, e.predictions}, e.gpus);
        CHECK(stages.first.layers() == e.first);
        CHECK(stages[1].layers() == e.middle);
        CHECK(stages.last.layers() == e.last);
        CHECK(stages.count == e.gpus);
    }
}

TEST_CASE(
    "stages: every layer occurs once, embedding first, head last, and sizes differ by less than two layers",
    "[plan]") {
    for (double layers = 2; layers <= 130; ++layers) {
        for (double gpus = 2; gpus <= std::min(layers, 66.0); ++gpus) {
            for (const double dense : {0.0, 1.0, 3.0, layers}) {
                if (dense > layers) continue;
                INFO(layers << " layers, " << dense << " dense, on " << gpus);
                const Stages stages = partition_layers({dense, layers - dense}, gpus);
                // The middle stages have the rest, with `middle` layers each or one fewer.
                const double between = layers - stages.first.layers() - stages.last.layers();
                if (gpus == 2) {
                    CHECK(between == 0);
                } else {
                    CHECK(between <= stages[1].layers() * (gpus - 2));
                    CHECK(between >= (stages[1].layers() - 1) * (gpus - 2) + 1);
                }
                CHECK(stages[1].layers() - stages.last.layers() <= 1);
                CHECK(stages.first.layers() >= stages.last.layers());
                CHECK(stages.last.layers() >= 1);
                for (const Stage* stage : {&stages.first, &stages[1], &stages.last}) {
                    CHECK(stage->layers() == std::floor(stage->layers()));
                    CHECK(stage->counts[0] >= 0);
                    CHECK(stage->counts[1] >= 0);
                }
                // Dense layers come first.
                CHECK(stages.first.counts[0] == std::min(dense, stages.first.layers()));
                CHECK(stages.last.counts[1] == std::min(layers - dense, stages.last.layers()));
                CHECK(stages.first.embedding);
                CHECK_FALSE(stages.first.head);
                CHECK(stages.last.head);
                CHECK_FALSE(stages.last.embedding);
                CHECK(stages.first.position == 0);
                CHECK(stages.last.position == gpus - 1);
            }
        }
    }
}

TEST_CASE("stages: the ends get the layers that are given, and the other stages split the rest", "[plan]") {
    struct Given {
        double layers, gpus;
        Partition partition;
        double first, middle, last;
    };
    for (const Given& g : {Given{32, 4, {14, 0}, 14, 6, 6},     // the rest divides evenly
                           Given{32, 4, {11, 0}, 11, 7, 7},     //
                           Given{32, 4, {0, 5}, 9, 9, 5},       //
                           Given{61, 16, {3, 2}, 3, 4, 2},      // 56 on 14
                           Given{61, 8, {4, 0}, 4, 9, 8},       // 57 on 7: one more in the middle
                           Given{32, 2, {30, 0}, 30, 2, 2},     // two stages
                           Given{32, 2, {12, 20}, 12, 20, 20},  //
                           Given{32, 3, {1, 1}, 1, 30, 1}}) {
        INFO(g.layers << " layers on " << g.gpus << ": " << g.partition.first << ", " << g.partition.last);
        REQUIRE(g.partition.is_feasible(g.layers, g.gpus));
        const Stages stages = partition_layers({2, g.layers - 2}, g.gpus, 1, g.partition);
        CHECK(stages.first.layers() == g.first);
        CHECK(stages[1].layers() == g.middle);
        CHECK(stages.last.layers() == g.last);
        double dense = 0;
        double all = 0;
        for (const Stage& stage : every_stage(stages, {2, g.layers - 2})) {
            dense += stage.counts[0];
            all += stage.layers();
            CHECK(stage.layers() >= 1);
            if (stage.position > 0 && stage.position < g.gpus - 1) CHECK(stage.layers() >= g.middle - 1);
        }
        // The longest middle stages come first, where the most micro-batches are in flight.
        if (g.gpus > 2) CHECK(every_stage(stages, {2, g.layers - 2})[1].layers() == g.middle);
        CHECK(dense == 2);
        CHECK(all == g.layers);
    }
    CHECK_FALSE(Partition{30, 0}.is_feasible(32, 4));
    CHECK_FALSE(Partition{12, 10}.is_feasible(32, 2));
    CHECK(Partition{29, 0}.is_feasible(32, 4));
}

TEST_CASE("stages: a folded pipeline has both ends on the first GPU and the middle layers on the last",
          "[plan]") {
    Partition folded;
    folded.folded = true;
    const Stages stages = partition_layers({2, 30}, 4, 1, folded);
    CHECK(stages.first.counts[0] == 2);
    CHECK(stages.first.layers() == 8);
    CHECK(stages.first.embedding);
    CHECK(stages.first.head);
    CHECK(stages.last.counts[0] == 0);
    CHECK_FALSE(stages.last.embedding);
    CHECK_FALSE(stages.last.head);
    double layers = 0;
    for (const Stage& stage : every_stage(stages, {2, 30})) layers += stage.layers();
    CHECK(layers == 32);
}
