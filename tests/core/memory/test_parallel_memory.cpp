// Tests E3–E8 under tensor, pipeline and expert parallelism against published numbers.
#include <catch2/catch.hpp>
#include <limits>

#include "compile/stage_parameters.h"
#include "memory/memory.h"
#include "scenario/gpu_groups.h"
#include "support/scenarios.h"

using namespace shardscope;
using namespace shardscope::testing;

namespace {

double term(const MemoryUse& use, MemoryTerm which, Moment moment = Moment::forward_end) {
    return use.by_moment[static_cast<std::size_t>(moment)][static_cast<std::size_t>(which)];
}

double states(const MemoryUse& use) {
    return term(use, MemoryTerm::weights) + term(use, MemoryTerm::gradients) +
           term(use, MemoryTerm::optimizer);
}

struct Figure {
    const char* model;
    double pipeline, virtual_stages, micro_batch;
    double parameters, none, sequence_selective;  // GiB
};

// The transformer layers of the first GPU, without embedding and head.
struct LayersOfStage {
    double states, activations;
};
LayersOfStage layers_of(const Figure& f, double sequence_parallel, double recompute) {
    const Compiled c = compile(resolve(of_model(f.model, {{P::gpus, 8 * f.pipeline},
                                                          {P::tensor_parallel, 8},
                                                          {P::pipeline_parallel, f.pipeline},
                                                          {P::virtual_stages, f.virtual_stages},
                                                          {P::schedule, ScheduleKind::interleaved},
                                                          {P::micro_batch, f.micro_batch},
                                                          {P::accumulation, 8 * f.pipeline},
                                                          {P::precision, Precision::fp16},
                                                          {P::gradient_precision, Precision::fp32},
                                                          {P::sharding, Sharding::ddp},
                                                          {P::attention, AttentionKernel::naive},
                                                          {P::sequence_parallel, sequence_parallel},
                                                          {P::recompute, recompute}})));
    const MemoryUse use = memory_use(c);
    CHECK(use.stage == 0);
    const double in_flight = f.pipeline > 1 ? c.schedule->in_flight(c.pipeline, 0) : 1;
    double ends = c.operators.embedding.saved();
    if (f.pipeline == 1) ends += c.operators.head.saved();
    return {states(use) - 18 * end_parameters(c.stages.first, c).non_expert, use.resident - in_flight * ends};
}

}  // namespace

TEST_CASE("memory: the transformer layers of Korthikanti et al. 2022, figure 1, are met", "[memory]") {
    // Source: arXiv 2205.05198: 18 B a parameter; “none” is tensor parallelism alone.
    for (const Figure& f :
         {Figure{"gpt-22b", 1, 1, 4, 45.56, 59.25, 9.56}, Figure{"gpt-3-175b", 8, 3, 1, 45.56, 66.84, 12.35},
          Figure{"gpt-530b", 35, 3, 1, 31.64, 114.02, 23.08},
          Figure{"gpt-1t", 64, 1, 1, 32.96, 131.25, 26.56}}) {
        INFO(f.model);
        const LayersOfStage none = layers_of(f, 0, 0);
        CHECK(none.states / kGiB == Approx(f.parameters).epsilon(1e-3));
        CHECK(none.activations / kGiB == Approx(f.none).epsilon(1e-3));
        CHECK(layers_of(f, 1, kRecomputeSelective).activations / kGiB ==
              Approx(f.sequence_selective).epsilon(1e-3));
    }
}

TEST_CASE("memory: ZeRO-1 shards the optimizer within its group", "[memory]") {
    const auto optimizer_bytes = [](std::initializer_list<std::pair<P, Value>> plan) {
        Scenario scenario = of_model("llama-3-70b", {{P::gpus, 256},
                                                     {P::tensor_parallel, 8},
                                                     {P::pipeline_parallel, 4},
                                                     {P::sharding, Sharding::zero1},
                                                     {P::accumulation, 16}});
        for (const auto& [id, value] : plan) scenario.give(id, value);
        const Compiled c = compile(resolve(scenario));
        const MemoryUse use = memory_use(c);
        // Bytes per parameter of the fullest stage.
        return term(use, MemoryTerm::optimizer) / (term(use, MemoryTerm::weights) / 2);
    };
    // The master weights and moments, 12 B, are sharded over the 8 data-parallel GPUs or over 2 of them; with
    // context parallelism still over 8.
    CHECK(optimizer_bytes({}) == Approx(12.0 / 8).epsilon(1e-12));
    CHECK(optimizer_bytes({{P::shard_group, 2}}) == Approx(12.0 / 2).epsilon(1e-12));
    CHECK(optimizer_bytes({{P::context_parallel, 4}, {P::sequence_length, 8192}}) ==
          Approx(12.0 / 8).epsilon(1e-12));
}

TEST_CASE("memory: the stage with the highest peak is named", "[memory]") {
    // With many micro-batches in flight it is the first stage; with one it is the last, which has the logits.
    const auto fullest = [](double accumulation, double schedule) {
        return memory_use(compile(resolve(of_model("llama-3-8b", {{P::gpus, 32},
                                                                  {P::pipeline_parallel, 4},
                                                                  {P::sharding, Sharding::zero1},
                                                                  {P::micro_batch, 4},
                                                                  {P::schedule, schedule},
                                                                  {P::accumulation, accumulation}}))))
            .stage;
    };
    CHECK(fullest(16, 0) == 0);
    CHECK(fullest(1, 0) == 3);
    // Under GPipe every stage has all micro-batches in flight, and the last stage also has the logits.
    CHECK(fullest(16, 1) == 3);
}

TEST_CASE("memory: the activations in flight are those of the schedule", "[memory]") {
    const auto activations = [](double schedule, double virtual_stages, double accumulation) {
        const Compiled c = compile(resolve(of_model("gpt-3-175b", {{P::gpus, 64},
                                                                   {P::tensor_parallel, 8},
                                                                   {P::pipeline_parallel, 8},
                                                                   {P::virtual_stages, virtual_stages},
                                                                   {P::schedule, schedule},
                                                                   {P::accumulation, accumulation}})));
        return memory_use(c).resident;
    };
    const double plain = activations(0, 1, 64);
    CHECK(activations(0, 1, 512) == plain);
    CHECK(activations(1, 1, 64) == Approx(plain * 64 / 8).epsilon(0.02));  // the last stage's head differs
    CHECK(activations(2, 3, 64) == Approx(plain * (1 + 7.0 / 24)).epsilon(1e-12));
    CHECK(activations(6, 1, 64) > 1.7 * plain);
    // Breadth-first and modular pipelines have all micro-batches in flight, DualPipe has p + 1, and its end
    // stages have the logits and the embedding at half size.
    CHECK(activations(3, 3, 64) == Approx(plain * 64 / 8).epsilon(0.02));
    CHECK(activations(4, 1, 64) == Approx(plain * 64 / 8).epsilon(0.02));
    CHECK(activations(7, 1, 64) == Approx(plain * 9 / 8).epsilon(0.02));
    CHECK(activations(8, 1, 64) == Approx(plain).epsilon(0.02));
    // With four chunks of each sequence the factor is (8 + 3) ÷ 4.
    CHECK(activations(9, 1, 64) == Approx(plain * 11 / 32).epsilon(1e-9));
}

TEST_CASE("memory: layered accumulation holds every micro-batch and the weights of two layers", "[memory]") {
    const auto use = [](double schedule, double micro_batches) {
        return memory_use(compile(
            resolve(with({{P::schedule, schedule}, {P::micro_batch, 1}, {P::accumulation, micro_batches}}))));
    };
    const MemoryUse one = use(0, 8);
    const MemoryUse all = use(3, 8);
    CHECK(all.resident == Approx(8 * one.resident).epsilon(1e-9));
    CHECK(term(all, MemoryTerm::gathered) == term(one, MemoryTerm::gathered));
    CHECK(term(use(4, 8), MemoryTerm::activations) == term(all, MemoryTerm::activations));
}

TEST_CASE("memory: a breadth-first pipeline keeps two virtual stages gathered", "[memory]") {
    const auto gathered = [](double schedule, double virtual_stages) {
        const Compiled c = compile(resolve(of_model("gpt-3-175b", {{P::gpus, 512},
                                                                   {P::tensor_parallel, 8},
                                                                   {P::pipeline_parallel, 8},
                                                                   {P::virtual_stages, virtual_stages},
                                                                   {P::schedule, schedule},
                                                                   {P::sharding, Sharding::zero3},
                                                                   {P::micro_batch, 1},
                                                                   {P::accumulation, 16}})));
        return term(memory_use(c.stages[1], c), MemoryTerm::gathered);
    };
    // A GPU has 12 layers. The buffers are the bf16 weights of two virtual stages and the gradients of one,
    // in fp32 or bf16, layer by layer.
    const double layer = gathered(4, 1);
    CHECK(gathered(3, 12) == Approx(layer).epsilon(1e-12));
    CHECK(gathered(3, 4) == Approx(3 * layer).epsilon(1e-12));
    CHECK(gathered(3, 2) == Approx(6 * layer).epsilon(1e-12));
    CHECK(gathered(2, 4) == Approx(layer).epsilon(1e-12));
}

TEST_CASE("memory: two weight copies double the states that are not sharded", "[memory]") {
    const auto use = [](double schedule, double sharding) {
        const Compiled c = compile(resolve(of_model("gpt-3-175b", {{P::gpus, 512},
                                                                   {P::tensor_parallel, 8},
                                                                   {P::pipeline_parallel, 8},
                                                                   {P::schedule, schedule},
                                                                   {P::sharding, sharding},
                                                                   {P::micro_batch, 1},
                                                                   {P::accumulation, 16}})));
        return memory_use(c.stages[1], c);
    };
    for (const double schedule : {7.0, 8.0}) {
        for (const MemoryTerm which : {MemoryTerm::weights, MemoryTerm::gradients, MemoryTerm::optimizer}) {
            CHECK(term(use(schedule, 0), which) == Approx(2 * term(use(0, 0), which)).epsilon(1e-12));
            // ZeRO-3 shards both copies over twice as many GPUs.
            CHECK(term(use(schedule, 3), which) == Approx(term(use(0, 3), which)).epsilon(1e-12));
        }
        CHECK(term(use(schedule, 1), MemoryTerm::weights) ==
              Approx(2 * term(use(0, 1), MemoryTerm::weights)).epsilon(1e-12));
        CHECK(term(use(schedule, 1), MemoryTerm::optimizer) ==
              Approx(term(use(0, 1), MemoryTerm::optimizer)).epsilon(1e-12));
    }
}

TEST_CASE("memory: offload moves the optimizer, then the weights, off the GPU", "[memory]") {
    const auto use = [](double offload, double sharding, double gpus) {
        return memory_use(
            compile(resolve(with({{P::offload, offload}, {P::sharding, sharding}, {P::gpus, gpus}}))));
    };
    CHECK(term(use(0, 3, 64), MemoryTerm::optimizer) > 0);
    CHECK(term(use(1, 3, 64), MemoryTerm::optimizer) == 0);
    // The sharded master copy is on the host, so a shard in 16 bits remains on the GPU.
    CHECK(term(use(0, 3, 64), MemoryTerm::weights) == 0);
    CHECK(term(use(1, 3, 64), MemoryTerm::weights) > 0);
    CHECK(term(use(2, 3, 64), MemoryTerm::weights) == 0);
    // LayersOfStage are still gathered on the GPU to be computed, even with one GPU.
    CHECK(term(use(2, 3, 64), MemoryTerm::gathered) == term(use(0, 3, 64), MemoryTerm::gathered));
    CHECK(term(use(2, 3, 1), MemoryTerm::gathered) == term(use(0, 3, 64), MemoryTerm::gathered));
    // Without FSDP nothing would gather the weights, so they stay on the GPU.
    CHECK(term(use(2, 1, 64), MemoryTerm::weights) == term(use(0, 1, 64), MemoryTerm::weights));
}

TEST_CASE("memory: with offload the GPU holds the states that DeepSpeed estimates", "[memory]") {
    // Source: deepspeed/runtime/zero/stage_1_and_2.py and stage3.py, estimate_zero2_ and
    // estimate_zero3_model_states_mem_needs: 2 bytes per parameter with ZeRO-2; with ZeRO-3 the same divided
    // by the GPUs, or nothing where the weights are offloaded, beside the largest layer.
    const auto bytes_per_parameter = [](Sharding sharding, Offload offload) {
        const Compiled c =
            compile(resolve(with({{P::gpus, 64}, {P::sharding, sharding}, {P::offload, offload}})));
        return states(memory_use(c)) / c.operators.parameters();
    };
    CHECK(bytes_per_parameter(Sharding::zero2, Offload::optimizer) == Approx(2));
    CHECK(bytes_per_parameter(Sharding::zero3, Offload::optimizer) == Approx(2.0 / 64));
    CHECK(bytes_per_parameter(Sharding::zero3, Offload::optimizer_and_parameters) == 0);
    // Whole gradients, which ZeRO-1 reduces at the end of the step, stay on the GPU.
    CHECK(bytes_per_parameter(Sharding::zero1, Offload::optimizer) > 2 + 2 - 1e-9);
}

TEST_CASE("memory: state for which the host has no memory stays on the GPU", "[memory]") {
    const auto optimizer_bytes = [](double gpus, double host_memory) {
        return term(memory_use(compile(resolve(of_model("gpt-3-175b", {{P::gpus, gpus},
                                                                       {P::gpus_per_node, 8},
                                                                       {P::sharding, Sharding::zero3},
                                                                       {P::offload, Offload::optimizer},
                                                                       {P::host_memory, host_memory}})))),
                    MemoryTerm::optimizer);
    };
    const Compiled c = compile(resolve(of_model(
        "gpt-3-175b", {{P::gpus, 8}, {P::sharding, Sharding::zero3}, {P::offload, Offload::optimizer}})));
    // AdamW in fp32 and fp32 gradients: 16 bytes per parameter, an eighth of them on each GPU.
    const double state = offloaded_state_bytes(c.stages.first, c);
    CHECK(state == Approx(16 * c.operators.parameters() / 8));
    CHECK(optimizer_bytes(8, 2 * state) == 0);
    CHECK(optimizer_bytes(8, state - 1e9) == Approx(1e9));
    CHECK(optimizer_bytes(8, 1e9) == Approx(state - 1e9));
    // A job with one GPU of a node has the memory of the whole node.
    CHECK(optimizer_bytes(1, state + 1) == 0);
    CHECK(optimizer_bytes(1, state - 1e9) == Approx(8e9));
    // With more nodes less state remains.
    CHECK(optimizer_bytes(16, state - 1e9) == 0);
    // The hosts of a rack do not share their memory.
    // Drives have room for all of the optimizer, however little memory the host has.
    const auto weights = [](double host_memory) {
        return answer(of_model("llama-3-70b", {{P::gpus, 64},
                                               {P::sharding, Sharding::zero3},
                                               {P::offload, Offload::optimizer_nvme},
                                               {P::host_memory, host_memory}}))
            .estimate.memory.term(MemoryTerm::weights);
    };
    CHECK(weights(1e9) == Approx(weights(4e12)));
    const Settings rack = resolve(with({{P::gpus_per_node, 72}, {P::gpus, 8}, {P::host_memory, 240e9}}));
    CHECK(host_memory_share(rack) == 240e9);
}

TEST_CASE("memory: a host without memory leaves the memory of a GPU as it is without offload", "[memory]") {
    const auto peak = [](Offload offload, Sharding sharding) {
        return memory_use(compile(resolve(
                              with({{P::offload, offload}, {P::sharding, sharding}, {P::host_memory, 1}}))))
            .peak;
    };
    for (const Sharding sharding : {Sharding::zero1, Sharding::zero2, Sharding::zero3}) {
        const double without = peak(Offload::none, sharding);
        CHECK(peak(Offload::optimizer, sharding) == Approx(without).epsilon(1e-9));
        CHECK(peak(Offload::optimizer_and_parameters, sharding) == Approx(without).epsilon(1e-9));
    }
}

TEST_CASE("memory: offloaded activations for which the host has no memory stay on the GPU", "[memory]") {
    const auto activations = [](double offload, double host_memory) {
        return term(memory_use(compile(resolve(of_model("llama-3-70b", {{P::sequence_length, 131072},
                                                                        {P::gpus, 8},
                                                                        {P::gpus_per_node, 8},
                                                                        {P::micro_batch, 1},
                                                                        {P::activation_offload, offload},
                                                                        {P::host_memory, host_memory}})))),
                    MemoryTerm::activations);
    };
    const double all = activations(0, 1e15);
    const double least = activations(1, 1e15);
    const Compiled c = compile(resolve(of_model(
        "llama-3-70b",
        {{P::sequence_length, 131072}, {P::gpus, 8}, {P::micro_batch, 1}, {P::activation_offload, 1}})));
    const double offloaded = offloaded_activation_bytes(c.stages.first, c);
    // Without offload the embedding's output and the like are on the GPU as well.
    CHECK(offloaded < all);
    CHECK(offloaded > 0.9 * all);
    CHECK(activations(1, offloaded + 1) == least);
    CHECK(activations(1, offloaded - 1e9) == Approx(least + 1e9));
    CHECK(activations(1, 1e6) == Approx(least + offloaded - 1e6));
    CHECK(activations(0, 1e6) == all);
}

TEST_CASE("memory: offloaded state and activations share the memory of the host, state first", "[memory]") {
    const auto compiled = [](Offload offload, double share, double host_memory) {
        return compile(resolve(of_model("llama-3-70b", {{P::sequence_length, 131072},
                                                        {P::gpus, 8},
                                                        {P::gpus_per_node, 8},
                                                        {P::micro_batch, 1},
                                                        {P::sharding, Sharding::zero3},
                                                        {P::offload, offload},
                                                        {P::activation_offload, share},
                                                        {P::host_memory, host_memory}})));
    };
    const Compiled enough = compiled(Offload::optimizer, 1, 1e15);
    const double state = offloaded_state_bytes(enough.stages.first, enough);
    const double copied = offloaded_activation_bytes(enough.stages.first, enough);
    const auto used = [&](double host_memory) {
        return memory_use(compiled(Offload::optimizer, 1, host_memory));
    };
    const double least = term(used(1e15), MemoryTerm::activations);
    // Host memory for all of the state and half of the activations.
    CHECK(term(used(state + copied / 2), MemoryTerm::optimizer) == 0);
    CHECK(term(used(state + copied / 2), MemoryTerm::activations) == Approx(least + copied / 2));
    // Host memory for half of the state: no activations leave the GPU.
    CHECK(term(used(state / 2), MemoryTerm::optimizer) == Approx(state / 2));
    CHECK(term(used(state / 2), MemoryTerm::activations) == Approx(least + copied));
    // Without offloaded state, activations have all of it.
    CHECK(term(memory_use(compiled(Offload::none, 1, copied)), MemoryTerm::activations) ==
          Approx(term(memory_use(compiled(Offload::none, 1, 1e15)), MemoryTerm::activations)));

    for (const Offload offload :
         {Offload::none, Offload::optimizer, Offload::optimizer_and_parameters, Offload::optimizer_nvme}) {
        for (const double share : {0.0, 0.25, 1.0}) {
            double last = std::numeric_limits<double>::infinity();
            for (const double host_memory : {1e9, 30e9, 100e9, 250e9, 500e9, 1e12, 4e12}) {
                const Compiled c = compiled(offload, share, host_memory);
                const Stage& stage = c.stages.first;
                const double on_host =
                    state_share_on_host(stage, c) * offloaded_state_bytes(stage, c) +
                    activation_share_on_host(stage, c) * offloaded_activation_bytes(stage, c);
                CHECK(on_host <= host_memory_share(c.settings) * (1 + 1e-12));
                // More host memory never leaves more on the GPU.
                const MemoryUse use = memory_use(c);
                const double on_gpu = states(use) + term(use, MemoryTerm::activations);
                CHECK(on_gpu <= last * (1 + 1e-12));
                last = on_gpu;
                CHECK(peak_memory(state_memory(stage, c), activation_memory(stage, c), c) == use.peak);
            }
        }
    }
}

TEST_CASE("memory: experts are sharded over the GPUs that hold the same ones", "[memory]") {
    // Mixtral 8x7B on 64 GPUs has 16 B for each parameter over all GPUs, with and without expert parallelism.
    const auto all = [](double experts) {
        return states(
            memory_use(compile(resolve(of_model("mixtral-8x7b", {{P::expert_parallel, experts}})))));
    };
    CHECK(all(1) == Approx(16 * 46702792704.0 / 64).epsilon(1e-12));
    CHECK(all(8) == Approx(16 * 46702792704.0 / 64).epsilon(1e-12));
    // Without sharding each GPU has one expert instead of eight.
    const auto ddp = [](double experts) {
        return states(memory_use(compile(resolve(
            of_model("mixtral-8x7b", {{P::expert_parallel, experts}, {P::sharding, Sharding::ddp}})))));
    };
    CHECK(ddp(1) - ddp(8) == Approx(16 * 7.0 * 32 * 3 * 4096 * 14336).epsilon(1e-12));
}

TEST_CASE("memory: a vocabulary-parallel loss shards the logits", "[memory]") {
    const auto logits = [](double parallel) {
        return term(memory_use(compile(resolve(
                        of_model("llama-3-8b", {{P::tensor_parallel, 8}, {P::parallel_loss, parallel}})))),
                    MemoryTerm::logits);
    };
    const Settings s = resolve(of_model("llama-3-8b", {{P::tensor_parallel, 8}}));
    CHECK(logits(0) == s[P::logits_bytes] * s[P::sequence_length] * s[P::micro_batch] * s[P::vocab_size]);
    CHECK(logits(1) == logits(0) / 8);
}

TEST_CASE("memory: the total of all GPUs follows from every stage, and layers moved to the front increase it",
          "[memory]") {
    const auto total = [](double pipeline, double first) {
        return compile(resolve(of_model("gpt-22b", {{P::gpus, 32},
                                                    {P::pipeline_parallel, pipeline},
                                                    {P::first_stage_layers, first},
                                                    {P::accumulation, 8},
                                                    {P::sharding, Sharding::ddp},
                                                    {P::recompute, 0}})));
    };
    // Without a pipeline all GPUs need the same memory.
    const Compiled flat = total(1, 0);
    CHECK(total_memory(flat) == Approx(32 * memory_use(flat).peak));
    // There are 48 layers on 4 stages and eight pipelines. A layer moved from the other stages to the first
    // has four micro-batches in flight there, where stages 1, 2 and 3 had three, two and one.
    const Compiled even = total(4, 12);
    CHECK(total_memory(even) == Approx(total_memory(total(4, 0))));
    const Compiled front = total(4, 15);
    const double kept = (activation_memory(front.stages.first, front).resident() -
                         activation_memory(even.stages.first, even).resident()) /
                        (3 * 4);  // a layer and micro-batch
    REQUIRE(kept > 0);
    const double factor = (total_memory(front) - total_memory(even)) / (8 * kept);
    // The difference is 3 · 4 − (3 + 2 + 1) = 6 layer-micro-batches, times the allocator's fragmentation.
    CHECK(factor == Approx(6 * (1 + even.settings[P::fragmentation])).epsilon(0.02));
    double last = 0;
    for (double first = 12; first <= 45; first += 3) {
        const double now = total_memory(total(4, first));
        CHECK(now > last);
        last = now;
    }
}

TEST_CASE("memory: the peak is that of the fullest of all stages for every split of the layers", "[memory]") {
    for (const double first : {0.0, 1.0, 3.0, 5.0, 7.0, 9.0, 20.0}) {
        for (const double last : {0.0, 2.0, 11.0}) {
            INFO(first << " and " << last);
            const Compiled c = compile(resolve(of_model("gpt-3-175b", {{P::gpus, 512},
                                                                       {P::tensor_parallel, 8},
                                                                       {P::pipeline_parallel, 8},
                                                                       {P::first_stage_layers, first},
                                                                       {P::last_stage_layers, last},
                                                                       {P::accumulation, 64},
                                                                       {P::sharding, Sharding::zero1}})));
            double most = 0;
            for (const Stage& stage : every_stage(c.stages, LayerSequence(c.settings)))
                most = std::max(most, memory_use(stage, c).peak);
            CHECK(memory_use(c).peak == most);
        }
    }
}

TEST_CASE("memory: the peak is that of the fullest of all stages where the layers are of different kinds",
          "[memory]") {
    struct Piped {
        const char* model;
        double pipeline, schedule;
    };
    for (const Piped& p : {Piped{"nemotron-3-super-120b-a12b", 11, Value(ScheduleKind::one_f_one_b)},
                           Piped{"nemotron-3-super-120b-a12b", 8, Value(ScheduleKind::zb_v)},
                           Piped{"nemotron-h-56b", 16, Value(ScheduleKind::one_f_one_b)},
                           Piped{"nemotron-h-56b", 59, Value(ScheduleKind::one_f_one_b)},
                           Piped{"qwen3-next-80b-a3b", 12, Value(ScheduleKind::dualpipe)},
                           Piped{"qwen3-next-80b-a3b", 12, Value(ScheduleKind::bitpipe)},
                           Piped{"nemotron-3-nano-30b-a3b", 13, Value(ScheduleKind::dualpipe_v)}}) {
        INFO(p.model << " on " << p.pipeline << " stages, schedule " << p.schedule);
        const Compiled c = compile(resolve(of_model(p.model, {{P::gpus, 8 * p.pipeline},
                                                              {P::tensor_parallel, 8},
                                                              {P::pipeline_parallel, p.pipeline},
                                                              {P::schedule, p.schedule},
                                                              {P::accumulation, 4 * p.pipeline},
                                                              {P::sharding, Sharding::zero1}})));
        const std::vector<double> allocated = allocated_by_stage(c);
        CHECK(memory_use(c).allocated() == *std::ranges::max_element(allocated));
        double most = 0;
        for (const Stage& stage : every_stage(c.stages, LayerSequence(c.settings))) {
            most = std::max(most, memory_use(stage, c).peak);
            // Every stage is like one of those that are kept.
            bool stands_for_it = false;
            for (std::size_t i = 0; i < c.stages.size(); ++i)
                stands_for_it = stands_for_it || c.stages[i].has_same_content(stage);
            CHECK(stands_for_it);
        }
        CHECK(memory_use(c).peak == most);
    }
}

namespace {

// Llama 2 7B with a million tokens on 16 context-parallel GPUs: 65,536 tokens of 4,096 values a GPU. The
// queries and the output of attention have 0.5 GiB each, keys and values 1 GiB together.
Compiled million_tokens(ContextParallelKind kind) {
    return compile(resolve(of_model("llama-2-7b", {{P::gpus, 16},
                                                   {P::sequence_length, 1 << 20},
                                                   {P::micro_batch, 1},
                                                   {P::context_parallel, 16},
                                                   {P::context_parallel_kind, kind},
                                                   {P::recompute, 1}})));
}

}  // namespace

TEST_CASE("memory: context parallelism has the buffers of Transformer Engine while attention runs",
          "[memory]") {
    struct Case {
        ContextParallelKind kind;
        double forward, backward;  // GiB
    };
    // p2p: 15 messages and 16 outputs; two pairs of messages and gradients, the gradients of keys and values,
    // and two of the queries. all-gather: 16 GiB, half of it twice; with the gradients of both halves of the
    // queries. a2a: the inputs in both layouts and one on its way.
    for (const Case& of : {Case{ContextParallelKind::p2p, 15 + 8, 4 + 1 + 1},
                           Case{ContextParallelKind::all_gather, 24, 48 + 1},
                           Case{ContextParallelKind::a2a, 1.5 + 0.5, 0.5 + 3}}) {
        const Compiled c = million_tokens(of.kind);
        CHECK(c.work.layers[0].buffers.forward / kGiB == Approx(of.forward));
        CHECK(c.work.layers[0].buffers.backward / kGiB == Approx(of.backward));
    }
    CHECK(
        compile(resolve(of_model("llama-2-7b", {{P::context_parallel, 1}}))).work.layers[0].buffers.forward ==
        0);
}

TEST_CASE("memory: the buffers of attention replace the tensors of the operators after it", "[memory]") {
    const Compiled ring = million_tokens(ContextParallelKind::p2p);
    const Compiled exchange = million_tokens(ContextParallelKind::a2a);
    const ActivationMemory of_ring = activation_memory(ring.stages.first, ring);
    const ActivationMemory of_exchange = activation_memory(exchange.stages.first, exchange);
    const double after = ring.work.layers[0].saved_after_attention;
    // The output of attention, the input of the feed-forward's norm, and that of its matrices of 11,008
    // columns.
    CHECK(after / kGiB > 0.5 + 0.5 + 2 * 11008.0 / 4096 * 0.5);
    // With a2a the gradients of the feed-forward are larger: those of the product of 2·11,008 columns,
    // because the gradient of the activation replaces the activation. With p2p the forward pass, which is
    // repeated, needs more.
    const double gradients = 2 * 11008.0 / 4096 * 0.5 * kGiB;
    CHECK(of_ring.working - of_exchange.working ==
          Approx(23 * kGiB - after - gradients - 0.5 * kGiB));  // a2a keeps the output in both layouts
    // At the end of forward the last layer keeps its input only.
    const BlockWork& layer = exchange.work.layers[0];
    CHECK(of_exchange.attention == Approx(2 * kGiB - layer.saved_after_attention * 0.5 * kGiB / layer.saved));
    const MemoryUse use = memory_use(ring);
    CHECK(use.peak_moment == Moment::backward);
    CHECK(term(use, MemoryTerm::activations, Moment::backward) ==
          Approx(of_ring.resident() + of_ring.working + state_memory(ring.stages.first, ring).buffers));
}
