// Tests E20: bubbles and micro-batches in flight, by the papers' formulas.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <set>
#include <tuple>
#include <utility>

#include "layout/pipeline_run.h"
#include "schedules/schedule.h"

using namespace shardscope;

namespace {

// One micro-batch takes 2 ms forward and 4 ms backward, of which 1.9 ms are weight gradients; two rates limit
// them.
StageTimes times() {
    StageTimes t;
    t.forward = Time{Rate::compute, 1.5e-3} + Time{Rate::intra_node, 0.5e-3};
    t.backward = Time{Rate::compute, 3.5e-3} + Time{Rate::intra_node, 0.5e-3};
    t.weight_gradient = Time{Rate::compute, 1.9e-3};
    return t;
}

constexpr double kWork = 6e-3;

}  // namespace

TEST_CASE("schedules: each has its own name, rule and source, and is found by its kind", "[plan]") {
    std::set<std::string_view> titles;
    for (const Schedule* schedule : schedules()) {
        CHECK(titles.insert(schedule->title).second);
        CHECK_FALSE(schedule->rule.empty());
        CHECK_FALSE(schedule->source.empty());
        CHECK(&schedule_of(schedule->kind) == schedule);
    }
    CHECK(titles.size() == 14);
}

TEST_CASE("schedules: only GPipe and layered ones run all micro-batches forward first", "[plan]") {
    constexpr int kMicroBatches = 64;
    for (const Schedule* schedule : schedules()) {
        INFO(schedule->title);
        const double virtual_stages = schedule->interleaves            ? 2
                                      : schedule->fixed_virtual_stages ? schedule->fixed_virtual_stages(2)
                                                                       : 1;
        const std::vector<Pass> order = schedule->order({4, virtual_stages, kMicroBatches}, 0);
        REQUIRE(order.size() > kMicroBatches);
        bool forward = true;
        for (std::size_t i = 0; i < kMicroBatches; ++i) {
            forward = forward && order[i].kind == PassKind::forward &&
                      order[i].virtual_stage == order[0].virtual_stage;
        }
        CHECK(forward == (schedule->layered || schedule->all_forward_first));
    }
}

TEST_CASE("schedules: the bubble over ideal time is (p − 1)/m, and (p − 1)/(v·m) if interleaved", "[plan]") {
    // Source: Narayanan et al. 2021, arXiv 2104.04473, section 2.2.
    for (const double p : {2.0, 8.0, 64.0}) {
        for (const double m : {8.0, 64.0, 512.0}) {
            for (const double v : {1.0, 2.0, 6.0}) {
                const PipelineShape shape{p, v, m};
                const double ideal = m * kWork;
                CHECK(kOneFOneB.bubble(shape, times(), times()).total() / ideal ==
                      Approx((p - 1) / m).epsilon(1e-12));
                CHECK(kGpipe.bubble(shape, times(), times()).total() / ideal ==
                      Approx((p - 1) / m).epsilon(1e-12));
                CHECK(kInterleaved.bubble(shape, times(), times()).total() / ideal ==
                      Approx((p - 1) / (v * m)).epsilon(1e-12));
            }
        }
    }
}

TEST_CASE("schedules: zero-bubble pipelines have the published bubble", "[plan]") {
    // Source: Qi et al. 2023, arXiv 2401.10241: (p − 1)(T_F + T_B − T_W) and (p − 1)(T_F + T_B − 2·T_W), T_B
    // = 2.1 ms.
    const PipelineShape shape{8, 1, 32};
    CHECK(kZbH1.bubble(shape, times(), times()).total() ==
          Approx(7 * (2e-3 + 2.1e-3 - 1.9e-3)).epsilon(1e-12));
    CHECK(kZbH2.bubble(shape, times(), times()).total() ==
          Approx(7 * (2e-3 + 2.1e-3 - 2 * 1.9e-3)).epsilon(1e-12));
    // Time limited by the link inside the node is no weight gradient, so it stays in the bubble completely.
    CHECK(kZbH1.bubble(shape, times(), times())[Rate::intra_node] == Approx(7 * 1e-3).epsilon(1e-12));
    // With a weight gradient of 3 ms, 1 ms of input gradient is left: weight gradients fill at most the gap
    // of either pass.
    StageTimes heavy = times();
    heavy.weight_gradient = Time{Rate::compute, 3e-3};
    CHECK(kZbH1.bubble(shape, heavy, heavy).total() == Approx(7 * (2e-3 + 1e-3 - 1e-3)).epsilon(1e-12));
    CHECK(kZbH2.bubble(shape, heavy, heavy).total() == Approx(0).margin(1e-15));
}

TEST_CASE("schedules: breadth-first and modular pipelines divide the bubble by the number of virtual stages",
          "[plan]") {
    // E27: the bubble over ideal time is (p − 1)·p ÷ (m·L) if every layer is a virtual stage.
    const double p = 8;
    const double m = 32;
    const double layers = 96;
    const double v = kModular.fixed_virtual_stages(layers / p);
    CHECK(v == 12);
    CHECK(kModular.bubble({p, v, m}, times(), times()).total() / (m * kWork) ==
          Approx((p - 1) * p / (m * layers)).epsilon(1e-12));
    CHECK(kBreadthFirst.bubble({p, 4, m}, times(), times()).total() ==
          Approx(kInterleaved.bubble({p, 4, m}, times(), times()).total()).epsilon(1e-12));
    CHECK(kBreadthFirst.in_flight({p, 4, m}, 3) == m);
    CHECK(kModular.micro_batches({p, v, m}).least == p);
}

TEST_CASE("schedules: sequence chunks divide the bubble and the micro-batches in flight", "[plan]") {
    // Sources: Sun et al. 2024, arXiv 2406.03488: (p − 1) ÷ (m·k); MindSpeed: (p + k − 1) ÷ k on the first
    // stage.
    const PipelineShape shape{8, 1, 32, 4};
    CHECK(kSeq1f1b.bubble(shape, times(), times()).total() / (32 * kWork) ==
          Approx(7.0 / (32 * 4)).epsilon(1e-12));
    CHECK(kSeq1f1b.in_flight(shape, 0) == Approx((8.0 + 4 - 1) / 4).epsilon(1e-12));
    // With one chunk it is 1F1B.
    CHECK(kSeq1f1b.in_flight({8, 1, 32, 1}, 3) == kOneFOneB.in_flight({8, 1, 32}, 3));
    CHECK(kSeq1f1b.order({8, 1, 32, 1}, 3) == kOneFOneB.order({8, 1, 32}, 3));
}

TEST_CASE("schedules: bidirectional pipelines have the published bubble for equal passes", "[plan]") {
    // The forward pass and the input and weight gradients take 2 ms each. Source: DeepSeek-AI 2024, arXiv
    // 2412.19437: (p/2 − 1)·(F&B + B − 3·W), p + 1 micro-batches.
    StageTimes equal;
    equal.forward = Time{Rate::compute, 2e-3};
    equal.backward = Time{Rate::compute, 4e-3};
    equal.weight_gradient = Time{Rate::compute, 2e-3};
    for (const double p : {2.0, 4.0, 8.0, 16.0}) {
        CHECK(kDualPipe.bubble({p, 1, 4 * p}, equal, equal).total() ==
              Approx((p / 2 - 1) * (6e-3 + 4e-3 - 3 * 2e-3)).epsilon(1e-12));
        CHECK(kDualPipe.in_flight({p, 1, 4 * p}, 0) == p + 1);
    }
    // Source: Wu et al. 2024, arXiv 2410.19367: the bubble is (p − 2) ÷ (4·m + p − 2) of the step if the
    // forward and backward pass take equally long, and (p − 2) ÷ (3·m + p − 2) if the backward pass takes
    // twice as long and m is p.
    for (const double p : {2.0, 4.0, 8.0, 16.0}) {
        StageTimes even = equal;
        even.backward = even.forward;
        for (const double units : {1.0, 2.0, 5.0}) {
            const double m = units * p;
            const double bubble = kBitPipe.bubble({p, 2, m}, even, even).total();
            CHECK(bubble / (m * 4e-3 + bubble) == Approx((p - 2) / (4 * m + p - 2)).epsilon(1e-12));
        }
        const double bubble = kBitPipe.bubble({p, 2, p}, equal, equal).total();
        CHECK(bubble / (p * 6e-3 + bubble) == Approx((p - 2) / (3 * p + p - 2)).epsilon(1e-12));
    }
}

TEST_CASE("schedules: folded pipelines have the published bubble and memory", "[plan]") {
    // Source: Qi et al. 2023, arXiv 2401.10241, section 6: ZB-V has no bubble if all passes take equally
    // long, and the activations of 1F1B on every GPU.
    StageTimes equal;
    equal.forward = Time{Rate::compute, 2e-3};
    equal.backward = Time{Rate::compute, 4e-3};
    equal.weight_gradient = Time{Rate::compute, 2e-3};
    for (const double p : {2.0, 4.0, 8.0, 16.0}) {
        CHECK(kZbV.bubble({p, 2, 4 * p}, equal, equal).total() == Approx(0).margin(1e-15));
        for (const double position : {0.0, p - 1}) CHECK(kZbV.in_flight({p, 2, 4 * p}, position) == p);
        // Source: deepseek-ai/DualPipe: (p/2 − 1)·(F&B + B − 3·W) for p virtual stages, p + 1 of them held.
        CHECK(kDualPipeV.bubble({p, 2, 4 * p}, equal, equal).total() ==
              Approx((p - 1) * (3e-3 + 2e-3 - 3 * 1e-3)).epsilon(1e-12));
        CHECK(kDualPipeV.in_flight({p, 2, 4 * p}, 0) == p + 0.5);
    }
}

TEST_CASE("schedules: V-Half and V-Min have the published memory and about the published bubble", "[plan]") {
    // Source: Qi et al. 2024, arXiv 2405.15362: with passes of equal length the bubbles of V-Half and V-Min
    // are about p/2 and 2·p/3 micro-batches and GPUs hold ⌊(p + 2) ÷ 2⌋ and ⌊(p + 4) ÷ 3⌋ micro-batches.
    // The published scheduler without its optional reordering has the bubbles listed here, in passes of a
    // virtual stage (sail-sg/zero-bubble-pipeline-parallelism, zbv_greedy.py at 39f2c186).
    constexpr double kUnit = 1e-3;
    StageTimes equal;
    equal.forward = Time{Rate::compute, 2 * kUnit};
    equal.backward = Time{Rate::compute, 4 * kUnit};
    equal.weight_gradient = Time{Rate::compute, 2 * kUnit};
    const auto units = [&](const Schedule& schedule, double p) {
        return schedule.bubble({p, 2, 4 * p}, equal, equal).total() / kUnit;
    };
    const std::vector<std::pair<double, double>> half{{2, 5}, {3, 7}, {4, 12}, {5, 14}, {6, 19}, {8, 26}};
    const std::vector<std::pair<double, double>> least{{3, 9}, {4, 11}, {6, 21}};
    for (const auto& [p, expected] : half) CHECK(units(kVHalf, p) == Approx(expected).epsilon(1e-12));
    for (const auto& [p, expected] : least) CHECK(units(kVMin, p) == Approx(expected).epsilon(1e-12));
    for (double p = 2; p <= 64; ++p) {
        for (const double position : {0.0, p - 1}) {
            CHECK(kVHalf.in_flight({p, 2, 4 * p}, position) == std::floor((p + 2) / 2));
            CHECK(kVMin.in_flight({p, 2, 4 * p}, position) == std::floor((p + 4) / 3));
        }
        if (p < 8) continue;
        CHECK(units(kVMin, p) / 6 == Approx(2 * p / 3).margin(1));
        CHECK(units(kVHalf, p) / 6 == Approx(7 * p / 12).margin(1));
        // The authors' condition for a bubble that does not grow with m: W + 2·B ≥ 2·F and W + 2·F ≥ 2·B.
        const auto growth = [&](const Schedule& schedule, double forward, double input, double weights) {
            StageTimes t;
            t.forward = Time{Rate::compute, forward};
            t.backward = Time{Rate::compute, input + weights};
            t.weight_gradient = Time{Rate::compute, weights};
            return (schedule.bubble({p, 2, 80 * p}, t, t) + -1.0 * schedule.bubble({p, 2, 40 * p}, t, t))
                       .total() /
                   (40 * p);
        };
        CHECK(growth(kVHalf, 1, 1.4, 0.8) == Approx(0).margin(1e-12));
        CHECK(growth(kVHalf, 1.4, 1, 0.8) == Approx(0).margin(1e-12));
        CHECK(growth(kVHalf, 1, 1.5, 0.8) == Approx((2 * 1.5 - 2 - 0.8) / 2).epsilon(1e-9));
        CHECK(growth(kVMin, 1, 1.1, 0.9) == Approx(2 * 1.1 - 1 - 0.9).epsilon(1e-9));
    }
}

TEST_CASE("schedules: a single stage has no bubble", "[plan]") {
    // Schedules with two weight copies need at least two stages.
    for (const Schedule* schedule : schedules()) {
        const double stages = schedule->weight_copies;
        CHECK(schedule->bubble({stages, 1, 16}, times(), times()).total() == 0);
    }
}

TEST_CASE("schedules: the micro-batches in flight are those of the papers", "[plan]") {
    const PipelineShape shape{8, 1, 32};
    CHECK(kOneFOneB.in_flight(shape, 0) == 8);
    CHECK(kOneFOneB.in_flight(shape, 3) == 5);
    CHECK(kOneFOneB.in_flight(shape, 7) == 1);
    for (const double position : {0.0, 3.0, 7.0}) {
        CHECK(kGpipe.in_flight(shape, position) == 32);
        CHECK(kZbH1.in_flight(shape, position) == 8);
        CHECK(kZbH2.in_flight(shape, position) == 15);
    }
    // There are never more in flight than micro-batches in the step.
    const PipelineShape few{8, 1, 3};
    for (const Schedule* schedule : schedules()) {
        if (schedule->weight_copies > 1) continue;  // needs more stages
        CHECK(schedule->in_flight(few, 0) == 3);
        CHECK(schedule->in_flight(few, 7) <= 3);
        CHECK(schedule->in_flight(few, 7) >= 1);
    }
}

TEST_CASE("schedules: interleaving holds 1 + (p − 1)/(p·v) times the activations on the first GPU",
          "[plan]") {
    // Source: Korthikanti et al. 2022, arXiv 2205.05198, section 4.2.3.
    for (const double p : {2.0, 8.0, 35.0}) {
        for (const double v : {2.0, 3.0, 6.0}) {
            CHECK(kInterleaved.in_flight({p, v, 32 * p}, 0) ==
                  Approx(p * (1 + (p - 1) / (p * v))).epsilon(1e-12));
            // The last stage has started (v − 1)·p + 1 of its p·v forward passes.
            CHECK(kInterleaved.in_flight({p, v, 32 * p}, p - 1) ==
                  Approx(((v - 1) * p + 1) / v).epsilon(1e-12));
        }
        // With one virtual stage per GPU it is plain 1F1B.
        CHECK(kInterleaved.in_flight({p, 1, 1024}, 0) == p);
        CHECK(kInterleaved.in_flight({p, 1, 1024}, p - 1) == 1);
    }
}

// ---- simulated schedules ---------------------------------------------------------------------------------

namespace {

// Returns equal stages whose passes take `t` for all their parts together, without communication.
std::vector<StageSeconds> equal_stages(const Schedule& schedule, const PipelineShape& shape,
                                       const StageTimes& t) {
    const double weight = schedule.splits_backward ? t.weight_gradient.total() : 0;
    const double passes = shape.virtual_stages * shape.sequence_chunks;
    StageSeconds stage;
    stage.pass[static_cast<std::size_t>(PassKind::forward)].chain = t.forward.total() / passes;
    stage.pass[static_cast<std::size_t>(PassKind::backward)].chain = (t.backward.total() - weight) / passes;
    stage.pass[static_cast<std::size_t>(PassKind::weight_gradient)].chain = weight / passes;
    stage.first_forward = stage.pass[static_cast<std::size_t>(PassKind::forward)];
    stage.last_gradient = stage.pass[static_cast<std::size_t>(
        schedule.splits_backward ? PassKind::weight_gradient : PassKind::backward)];
    return std::vector<StageSeconds>(static_cast<std::size_t>(shape.stages), stage);
}

std::vector<PipelineShape> shapes_of(const Schedule& schedule) {
    std::vector<PipelineShape> out;
    for (const double p : {2.0, 3.0, 4.0, 8.0, 16.0}) {
        for (const double m : {1.0, 2.0, 5.0, p - 1, p, p + 1, 2 * p - 1, 2 * p, 8 * p}) {
            const bool one = !schedule.interleaves && !schedule.fixed_virtual_stages;
            for (const double v : one ? std::vector{1.0} : std::vector{1.0, 2.0, 3.0, 6.0}) {
                if (schedule.weight_copies > 1 && std::fmod(p, 2) != 0) continue;
                if (schedule.fixed_virtual_stages && v != schedule.fixed_virtual_stages(v)) continue;
                for (const double k :
                     schedule.splits_sequences ? std::vector{1.0, 2.0, 3.0, 8.0} : std::vector{1.0}) {
                    const PipelineShape shape{p, v, m, k};
                    const MicroBatchRule rule =
                        schedule.micro_batches ? schedule.micro_batches(shape) : MicroBatchRule{};
                    if (m >= rule.least && std::fmod(m, rule.multiple) == 0) out.push_back(shape);
                }
            }
        }
    }
    return out;
}

// One forward pass with backward passes from short to long, and the same for weight gradients.
std::vector<StageTimes> kinds_of_times() {
    std::vector<StageTimes> out{times()};
    for (const double backward : {2.5e-3, 4e-3, 7e-3, 9e-3}) {
        for (const double weights : {0.2, 0.35, 0.5, 0.7, 0.9}) {
            StageTimes t = times();
            t.backward = Time{Rate::compute, backward};
            t.weight_gradient = Time{Rate::compute, weights * backward};
            out.push_back(t);
        }
    }
    return out;
}

}  // namespace

TEST_CASE("schedules: every stage runs every pass once, weight gradients after their backward pass",
          "[plan]") {
    for (const Schedule* schedule : schedules()) {
        INFO(schedule->title);
        for (const PipelineShape& shape : shapes_of(*schedule)) {
            for (int stage = 0; stage < shape.stages; ++stage) {
                const std::vector<Pass> order = schedule->order(shape, stage);
                std::set<std::tuple<PassKind, int, int>> seen;
                for (const Pass& pass : order) {
                    CHECK(seen.insert({pass.kind, pass.micro_batch, pass.virtual_stage}).second);
                    if (pass.kind == PassKind::backward)
                        CHECK(seen.contains({PassKind::forward, pass.micro_batch, pass.virtual_stage}));
                    if (pass.kind == PassKind::weight_gradient)
                        CHECK(seen.contains({PassKind::backward, pass.micro_batch, pass.virtual_stage}));
                }
                const double kinds = schedule->splits_backward ? 3 : 2;
                CHECK(static_cast<double>(order.size()) ==
                      kinds * shape.micro_batches * shape.virtual_stages * shape.sequence_chunks);
                CHECK_FALSE(order.back().joined_with_next);
            }
        }
    }
}

TEST_CASE("schedules: a simulation with equal stages has the published bubble", "[plan]") {
    for (const Schedule* schedule : schedules()) {
        for (const PipelineShape& shape : shapes_of(*schedule)) {
            INFO(schedule->title << ": p " << shape.stages << ", v " << shape.virtual_stages << ", m "
                                 << shape.micro_batches);
            const PipelineRun run =
                simulate_pipeline(*schedule, shape, equal_stages(*schedule, shape, times()), 0);
            CHECK(run.span - shape.micro_batches * kWork ==
                  Approx(schedule->bubble(shape, times(), times()).total()).epsilon(1e-9).margin(1e-12));
        }
    }
}

TEST_CASE("schedules: a simulation has the bubble of the formula, whichever pass is the longest", "[plan]") {
    for (const Schedule* schedule : schedules()) {
        for (const PipelineShape& shape : shapes_of(*schedule)) {
            // For fewer micro-batches than fill its bubble, ZB-H2's formula only applies to short weight
            // gradients.
            if (schedule == &kZbH2 && shape.micro_batches < 2 * shape.stages - 1) continue;
            if (shape.micro_batches > 4 * shape.stages) continue;  // takes long and tests nothing new
            for (const StageTimes& t : kinds_of_times()) {
                INFO(schedule->title << ": p " << shape.stages << ", v " << shape.virtual_stages << ", m "
                                     << shape.micro_batches << ", k " << shape.sequence_chunks << ", F "
                                     << t.forward.total() << ", B " << t.backward.total() << ", W "
                                     << t.weight_gradient.total());
                const PipelineRun run =
                    simulate_pipeline(*schedule, shape, equal_stages(*schedule, shape, t), 0);
                const double work = (t.forward + t.backward).total();
                CHECK(run.span - shape.micro_batches * work ==
                      Approx(schedule->bubble(shape, t, t).total()).epsilon(1e-9).margin(1e-12));
            }
        }
    }
}

TEST_CASE(
    "schedules: in a simulation the stages have as many micro-batches in flight as the memory model assumes",
    "[plan]") {
    for (const Schedule* schedule : schedules()) {
        for (const PipelineShape& shape : shapes_of(*schedule)) {
            const PipelineRun run =
                simulate_pipeline(*schedule, shape, equal_stages(*schedule, shape, times()), 0);
            for (std::size_t i = 0; i < run.stages.size(); ++i) {
                INFO(schedule->title << ": p " << shape.stages << ", v " << shape.virtual_stages << ", m "
                                     << shape.micro_batches << ", stage " << i);
                CHECK(max_in_flight(run.stages[i], shape, schedule->splits_backward) ==
                      Approx(schedule->in_flight(shape, static_cast<double>(i))).epsilon(1e-12));
            }
        }
    }
}
