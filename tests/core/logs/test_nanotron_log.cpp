// Tests the reader of nanotron's logs: its rounded numbers and its printed configuration.
#include <catch2/catch.hpp>

#include "support/read_logs.h"

using namespace shardscope;
using namespace shardscope::testing;
using logs::Peak;

TEST_CASE("logs: nanotron's rounded numbers and its printed configuration", "[logs]") {
    const std::string head =
        "08/31/2026 14:37:01 [INFO|DP=0|PP=0|TP=0]: Config(general=GeneralArgs(project='debug',\n"
        "   parallelism=ParallelismArgs(dp=16,\n      pp=2,\n      tp=4,\n"
        "      pp_engine=<nanotron.parallel.pipeline_parallel.engine.AllForwardAllBackwardPipelineEngine "
        "object>,\n"
        "      tp_mode=<TensorParallelLinearMode.REDUCE_SCATTER: 2>,\n"
        "      tp_linear_async_communication=True,\n      recompute_layer=True,\n"
        "      expert_parallel_size=1),\n"
        "   model=ModelArgs(model_config=LlamaConfig(bos_token_id=1,\n     hidden_size=4096,\n"
        "     intermediate_size=14336,\n     num_attention_heads=32,\n     num_hidden_layers=32,\n"
        "     num_key_value_heads=8,\n     tie_word_embeddings=False,\n     vocab_size=128256),\n"
        "   dtype=torch.bfloat16),\n   tokens=TokensArgs(sequence_length=4096,\n      micro_batch_size=2,\n"
        "      batch_accumulation_per_replica=8),\n   optimizer=OptimizerArgs(zero_stage=1))\n";
    const std::string steps = lines(5, [](int i) {
        return written(
            "08/31/2026 14:37:31 [INFO|DP=0|PP=0|TP=0]:  Memory usage: 640.00MiB. Peak allocated "
            "30720.00MiB. Peak reserved: 40960.00MiB\n"
            "08/31/2026 14:37:31 [INFO|DP=0|PP=0|TP=0]: iteration: %d / 15 | consumed_tokens: %d.1M | "
            "elapsed_time_per_iteration_ms: %s | tokens_per_sec: 1.07M | tokens_per_sec_per_gpu: 8.4K | "
            "global_batch_size: 256 | lm_loss: 5.32 | lr: 0.00015 | model_tflops_per_gpu: 390 | "
            "hardware_tflops_per_gpu: 390 | grad_norm: 2.96\n",
            i, i, i == 1 ? "9.71K" : "980");
    });
    const TrainingLog log = read_log(head + steps);
    CHECK(log.tool == "nanotron");
    CHECK(log.steady.median == Approx(0.98));
    CHECK(peak(log, Peak::allocated) == Approx(30720 * kMebi));
    CHECK(peak(log, Peak::reserved) == Approx(40960 * kMebi));
    const LogScenario found = log_scenario_of(log);
    const Settings s = resolve(found.scenario);
    REQUIRE(found.scenario.model);
    CHECK(found.scenario.model->name == "llama-3-8b");
    CHECK(s[P::gpus] == 128);
    CHECK(s[P::global_batch] == 256);
    CHECK(s[P::sequence_length] == 4096);
    CHECK(s.choice<Sharding>(P::sharding) == Sharding::zero1);
    CHECK(s.choice<ScheduleKind>(P::schedule) == ScheduleKind::gpipe);
    CHECK(s.on(P::sequence_parallel));
    CHECK(s.on(P::async_tensor_parallel));
    CHECK(s[P::recompute] == 1);
    CHECK(missing_inputs(found.scenario).size() == 1);
}

TEST_CASE("logs: nanotron's experts", "[logs]") {
    const auto found = [](const std::string& experts) {
        const std::string head =
            "08/31/2026 14:37:01 [INFO|DP=0|PP=0|TP=0]: Config(parallelism=ParallelismArgs(dp=8, pp=1, tp=1, "
            "expert_parallel_size=4),\n   model_config=Qwen2Config(hidden_size=2048,\n"
            "     intermediate_size=6144,\n     " +
            experts +
            "     num_attention_heads=16,\n     num_hidden_layers=24,\n     vocab_size=49152),\n"
            "   tokens=TokensArgs(sequence_length=4096, micro_batch_size=4,\n"
            "     batch_accumulation_per_replica=8))\n";
        return log_scenario_of(read_log(
            head + lines(4, [](int i) {
                return written("[INFO|DP=0|PP=0|TP=0]: iteration: %d / 15 | time_per_iteration_ms: 2.1K |\n",
                               i);
            })));
    };
    const LogScenario all = found(
        "moe_config=MoEConfig(num_experts=64,\n        top_k=8,\n        layers=[-1],\n"
        "        enable_shared_expert=True,\n        token_dispatcher_type='alltoall',\n"
        "        moe_intermediate_size=1024,\n        shared_expert_intermediate_size=2048),\n");
    const Settings s = resolve(all.scenario);
    CHECK(s[P::experts] == 64);
    CHECK(s[P::experts_per_token] == 8);
    CHECK(s[P::expert_ffn_size] == 1024);
    CHECK(s[P::shared_expert_ffn_size] == 2048);
    CHECK(s[P::ffn_size] == 6144);
    CHECK(s[P::dense_layers] == 0);
    CHECK(s[P::expert_parallel] == 4);
    CHECK(all.notes.size() == 1);
    // In one line and without widths, with a list of layers that is written over several lines.
    const LogScenario some = found(
        "moe_config=MoEConfig(num_experts=8, top_k=2, enable_shared_expert=False, layers=[0,\n"
        "        2,\n        23]),\n");
    const Settings few = resolve(some.scenario);
    CHECK(few[P::expert_ffn_size] == 6144);
    CHECK(few[P::shared_expert_ffn_size] == 0);
    CHECK(few[P::dense_layers] == 21);
    CHECK(some.notes.size() == 3);
    CHECK(resolve(found("moe_config=None,\n").scenario)[P::experts] == 0);
}
