// Tests the memory of the logits and the loss.
#include "effects/loss.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "evidence/validation.h"
#include "explain/symbols.h"
#include "memory/memory.h"
#include "support/scenarios.h"

using namespace shardscope;
using namespace shardscope::testing;

TEST_CASE("loss: bytes of an entry, for each kind of loss", "[effects]") {
    Logits logits{
        .tokens = 4096, .vocabulary = 50304, .bytes_per_logit = 6, .in_place = true, .parallel_loss = true};
    CHECK(logits_memory(logits) == 6.0 * 4096 * 50304);
    logits.tensor = 4;
    CHECK(logits_memory(logits) == 6.0 * 4096 * 50304 / 4);
    logits.parallel_loss = false;  // every GPU gathers all logits
    CHECK(logits_memory(logits) == 6.0 * 4096 * 50304);
    // So it does with the other kinds, whose kernels are another choice.
    logits.loss = Loss::fused;
    CHECK(logits_memory(logits) == 2.0 * 4096 * 50304);
    logits.in_place = false;
    CHECK(logits_memory(logits) == 4.0 * 4096 * 50304);
    logits.bytes_per_logit = 3;
    CHECK(logits_memory(logits) == 3.0 * 4096 * 50304);
    logits.bytes_per_logit = 12;
    logits.loss = Loss::chunked;
    CHECK(logits_memory(logits) == 0.5 * 4096 * 50304);
    logits.parallel_loss = true;
    CHECK(logits_memory(logits) == 0.5 * 4096 * 50304 / 4);
}

TEST_CASE("loss: a fused loss keeps no more than a plain one, or than the LM head's gradients need",
          "[effects]") {
    const auto logits = [](const char* software, Loss loss) {
        Scenario scenario = of_model("llama-3-8b", {{P::loss, loss}, {P::sequence_length, 8192}});
        scenario.give(P::software, parse(P::software, software).value);
        scenario.give(P::micro_batch, 1);
        const Compiled c = compile(resolve(scenario));
        return schedule_memory(c.stages.first, c).logits / (8192.0 * 128256);
    };
    // The gradients of the logits, of their input and of the weights.
    const double head = 2 + 2 * 4096.0 / 128256 + 2 * 4096.0 / 8192;
    CHECK(logits("maxtext", Loss::plain) == Approx(head));
    CHECK(logits("maxtext", Loss::fused) == Approx(head));
    CHECK(logits("maxtext", Loss::chunked) == Approx(0.5));
    CHECK(logits("fsdp1", Loss::fused) == Approx(4));  // of 6
    CHECK(logits("fsdp2", Loss::fused) == Approx(4));  // of 12
    CHECK(logits("megatron-core", Loss::fused) == Approx(head));
    CHECK(logits("megatron-core", Loss::plain) == Approx(6));
}

TEST_CASE("loss: fused kernels move fewer bytes than separate ones", "[effects]") {
    CHECK(loss_traffic(Loss::plain, 24) == 12);  // of one pass
    CHECK(loss_traffic(Loss::fused, 24) == 5);
    CHECK(loss_traffic(Loss::chunked, 24) == 5);
    CHECK(loss_traffic(Loss::fused, 6) == 3);  // no kind moves more than the stack's own kernels
    // 4,096 tokens and Llama 3's 128,256 entries, on two tensor-parallel GPUs.
    const auto bytes = [](Loss loss) {
        const Compiled c = compile(resolve(of_model(
            "llama-3-8b",
            {{P::sequence_length, 4096}, {P::micro_batch, 1}, {P::tensor_parallel, 2}, {P::loss, loss}})));
        return c.operators.head.operators.back().bytes;
    };
    constexpr double kEntries = 4096.0 * 128256 / 2;
    CHECK(bytes(Loss::plain) == 12 * kEntries);
    CHECK(bytes(Loss::fused) == 5 * kEntries);
    CHECK(bytes(Loss::chunked) == 5 * kEntries);
}

TEST_CASE("loss: time and memory are those of the entries on one GPU", "[effects]") {
    // 8,192 tokens and Llama 3's 128,256 entries on eight tensor-parallel GPUs, 12 bytes an entry and pass.
    const auto compiled = [](Loss loss, bool parallel) {
        return compile(resolve(of_model("llama-3-8b", {{P::sequence_length, 8192},
                                                       {P::micro_batch, 1},
                                                       {P::tensor_parallel, 8},
                                                       {P::parallel_loss, parallel},
                                                       {P::loss, loss}})));
    };
    for (const Loss loss : {Loss::plain, Loss::fused, Loss::chunked}) {
        const Compiled parallel = compiled(loss, true);
        const Compiled whole = compiled(loss, false);
        const auto traffic = [](const Compiled& c) { return c.operators.head.operators.back().bytes; };
        const auto memory = [](const Compiled& c) { return schedule_memory(c.stages.first, c).logits; };
        CHECK(traffic(whole) == Approx((loss == Loss::plain ? 12.0 : 5.0) * 8192 * 128256));
        CHECK(traffic(whole) == Approx(8 * traffic(parallel)));
        CHECK(memory(whole) == Approx(8 * memory(parallel)));
    }
}

TEST_CASE("loss: the explanation's formula gives the memory of every kind of loss", "[effects]") {
    for (const Loss loss : {Loss::plain, Loss::fused, Loss::chunked}) {
        const Answer now = answer(with({{P::loss, loss},
                                        {P::tensor_parallel, 2},
                                        {P::sharding, Sharding::zero1},
                                        {P::mtp_layers, loss == Loss::fused ? 1 : 0}}));
        const auto value = [&](const char* symbol) { return value_of(*find_symbol(symbol), now); };
        const auto& end = now.estimate.memory.by_moment[static_cast<std::size_t>(Moment::forward_end)];
        CHECK(value("q_l") * value("E") * value("V") / value("t_l") ==
              Approx(end[static_cast<std::size_t>(MemoryTerm::logits)]));
    }
}

TEST_CASE("loss: the explanation's formula holds in pipelines of every shape", "[effects]") {
    // The first stage of a folded pipeline holds the head, and Seq1F1B has the logits of one chunk at a time.
    for (const ScheduleKind schedule :
         {ScheduleKind::one_f_one_b, ScheduleKind::zb_v, ScheduleKind::seq1f1b}) {
        const Answer now =
            answer(with({{P::pipeline_parallel, 4}, {P::schedule, schedule}, {P::accumulation, 8}}));
        REQUIRE(now.valid());
        const Stages& stages = now.compiled.stages;
        const MemoryUse use = memory_use(stages.folded ? stages.first : stages.last, now.compiled);
        const auto value = [&](const char* symbol) { return value_of(*find_symbol(symbol), now); };
        const double logits = use.by_moment[static_cast<std::size_t>(Moment::forward_end)]
                                           [static_cast<std::size_t>(MemoryTerm::logits)];
        CHECK(logits > 0);
        CHECK(value("q_l") * value("E") * value("V") / value("t_l") == Approx(logits));
    }
}

TEST_CASE("loss: a list of operators, which has no vocabulary, has no logits", "[effects]") {
    const Compiled c = compile(resolve(of_model("resnet-50", {{P::micro_batch, 32}})));
    REQUIRE(c.stages.first.head);
    CHECK(schedule_memory(c.stages.first, c).logits == 0);
}

TEST_CASE("loss: Megatron's plain loss works in place, that of PyTorch does not", "[effects]") {
    const auto bytes = [](const char* software) {
        Scenario scenario = first();
        scenario.give(P::software, parse(P::software, software).value);
        return resolve(scenario)[P::logits_bytes];
    };
    CHECK(bytes("megatron-core") == 6);
    CHECK(bytes("nemo") == 6);
    CHECK(bytes("nanotron") == 10);
    CHECK(bytes("fsdp2") == 12);
}

TEST_CASE("loss: the last stage of Megatron's functional tests allocates what was measured", "[effects]") {
    // Two thirds of the memory of these small models are logits. The layouts of the tests that count the loss
    // as a layer, and of those with uneven stages, are not in their rows. The tests on A100 set larger
    // workspaces.
    std::vector<MeasuredRun> runs;
    for (const MeasuredRun& run : shipped_runs()) {
        const auto named = [&](const char* part) { return run.model.find(part) != std::string::npos; };
        if (run.family == "mlm_golden" && named("gpt3_mcore_te_tp1_pp") && !named("account_for_embedding") &&
            !named("uneven_pipeline"))
            runs.push_back(run);
    }
    const Validation validation = validate(runs, Catalogue::shipped());
    int compared = 0;
    for (const ValidationRow& row : validation.rows) {
        if (row.measured_peak() <= 0) continue;
        INFO(row.run->id << " " << row.run->model);
        const double most = row.run->gpu == "h100-sxm-80gb" ? 0.01 : 0.04;
        CHECK(std::abs(row.predicted_peak / row.measured_peak() - 1) < most);
        ++compared;
    }
    CHECK(compared > 30);
}
