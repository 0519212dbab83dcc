// Tests the logs of Megatron-LM and of Megatron-Bridge.
#include <catch2/catch.hpp>

#include "support/read_logs.h"

using namespace shardscope;
using namespace shardscope::testing;
using logs::Peak;

TEST_CASE("logs: Megatron-LM's steps, memory and arguments", "[logs]") {
    const TrainingLog log = read_log(megatron_log());
    CHECK(log.tool == "Megatron-LM");
    CHECK(log.unit == StepUnit::seconds);
    CHECK(log.steady.logged == 12);
    CHECK(log.steady.left_out.warm_up == 1);
    CHECK(log.steady.left_out.evaluation == 1);
    CHECK(log.steady.left_out.checkpoint == 1);
    CHECK(log.steady.left_out.outliers == 1);
    CHECK(log.steady.median == Approx(4));
    CHECK(log.model_tflops == Approx(400));
    CHECK(log.quality() == RunQuality::good);
    // The larger of two ranks, in MiB.
    CHECK(peak(log, Peak::allocated) == Approx(40960 * kMebi));
    CHECK(peak(log, Peak::reserved) == Approx(46080 * kMebi));

    const LogScenario found = log_scenario_of(log);
    const Settings s = resolve(found.scenario);
    REQUIRE(found.scenario.model);
    CHECK(found.scenario.model->name == "llama-3-8b");
    CHECK(s[P::gpus] == 64);
    CHECK(s[P::tensor_parallel] == 2);
    CHECK(s[P::global_batch] == 256);
    CHECK(s[P::micro_batch] == 1);
    CHECK(s[P::sequence_length] == 8192);
    CHECK(s.choice<Sharding>(P::sharding) == Sharding::zero1);
    CHECK(s.choice<Precision>(P::precision) == Precision::bf16);
    CHECK(s[P::sequence_parallel] == 1);
    CHECK(written(P::software, s[P::software]) == "megatron-core");
    // The log names no GPU.
    CHECK(missing_inputs(found.scenario).size() == 1);
    CHECK(is_missing(found.scenario, "the GPU"));
    // "num_layers" is on the 21st line: two lines before the list, and the 19th argument.
    CHECK(log.contents.line_of(P::layers) == 21);
}

TEST_CASE("logs: a Megatron-LM log that was started again and ramps its batch", "[logs]") {
    std::string text = lines(6, [](int i) { return megatron_step(i, 2000, 128); });
    text += lines(8, [](int i) { return megatron_step(6 + i, 4000); });
    // The second start repeats steps 11 to 14.
    text += lines(8, [](int i) { return megatron_step(10 + i, i == 1 ? 30000 : 4000); });
    const TrainingLog log = read_log(text);
    CHECK(log.steady.left_out.other_batch == 6);
    CHECK(log.steady.left_out.restart == 1);
    CHECK(log.steady.median == Approx(4));
}

TEST_CASE("logs: Megatron-Bridge states its configuration as YAML", "[logs]") {
    const std::string yaml =
        "model:\n  num_layers: 32\n  hidden_size: 4096\n  ffn_hidden_size: 14336\n  num_attention_heads: 32\n"
        "  num_query_groups: 8\n  gated_linear_unit: true\n  normalization: RMSNorm\n  add_bias_linear: "
        "false\n"
        "  share_embeddings_and_output_weights: false\n  position_embedding_type: rope\n  hidden_dropout: "
        "0.0\n"
        "  attention_dropout: 0.0\n  vocab_size: 128256\n  seq_length: 8192\n  bf16: true\n"
        "  tensor_model_parallel_size: 1\n  pipeline_model_parallel_size: 4\n  context_parallel_size: 2\n"
        "  num_moe_experts: null\ntrain:\n  micro_batch_size: 1\n  global_batch_size: 128\n";
    std::string text = yaml;
    for (int i = 1; i <= 6; ++i) {
        text += "Step Time : 5.50s GPU utilization: 663.5MODEL_TFLOP/s/GPU\n";
        text += megatron_step(i, 5480, 128);
    }
    const TrainingLog log = read_log(text);
    CHECK(log.tool == "Megatron-Bridge");
    CHECK(log.steady.median == Approx(5.48));
    CHECK(log.steady.logged == 6);
    const LogScenario found = log_scenario_of(log);
    const Settings s = resolve(found.scenario);
    REQUIRE(found.scenario.model);
    CHECK(found.scenario.model->name == "llama-3-8b");
    CHECK(s[P::pipeline_parallel] == 4);
    CHECK(s[P::context_parallel] == 2);
    CHECK(written(P::software, s[P::software]) == "megatron-bridge");
    // Without the lines of Megatron-LM's loop, its own line states the time.
    const std::string own = lines(
        6, [](int) { return std::string("Step Time : 5.50s GPU utilization: 663.5MODEL_TFLOP/s/GPU\n"); });
    CHECK(read_log(own).steady.median == Approx(5.5));
    CHECK(read_log(own).model_tflops == Approx(663.5));
}

TEST_CASE("logs: Megatron-Bridge's lists, renamed settings and low precisions", "[logs]") {
    // A DeepSeek-like model in the form of PyYAML's block lists.
    std::string yaml =
        "  num_layers: 8\n  hidden_size: 2048\n  ffn_hidden_size: 8192\n  num_attention_heads: 16\n"
        "  kv_channels: 128\n  gated_linear_unit: true\n  normalization: RMSNorm\n  add_bias_linear: false\n"
        "  position_embedding_type: rope\n  vocab_size: 32768\n  seq_length: 4096\n  bf16: true\n"
        "  num_moe_experts: 16\n  moe_router_topk: 2\n  moe_ffn_hidden_size: 1024\n"
        "  moe_token_dispatcher_type: flex\n  moe_enable_deepep: true\n"
        "  moe_layer_freq:\n  - 0\n  - 0\n  - 1\n  - 1\n  - 1\n  - 1\n  - 1\n  - 1\n"
        "  mtp_num_layers: 1\n  window_size:\n  - 1023\n  - 0\n"
        "  fp8: hybrid\n  fp8_recipe: blockwise\n  cp_comm_type: a2a\n  context_parallel_size: 2\n"
        "  pipeline_model_parallel_size: 2\n  virtual_pipeline_model_parallel_size: 2\n"
        "  recompute_granularity: selective\n  recompute_modules:\n  - mlp\n  - moe_act\n"
        "  micro_batch_size: 1\n  global_batch_size: 64\n";
    yaml += lines(4, [](int i) { return megatron_step(i, 5480, 64); });
    const Scenario found = log_scenario_of(read_log(yaml)).scenario;
    const Settings s = resolve(found);
    CHECK(s[P::dense_layers] == 2);
    CHECK(s[P::mtp_layers] == 1);
    CHECK(s[P::attention_window] == 1024);
    CHECK(s.choice<Precision>(P::precision) == Precision::fp8);
    CHECK(s.choice<Fp8Recipe>(P::fp8_recipe) == Fp8Recipe::blockwise);
    CHECK(s.choice<ContextParallelKind>(P::context_parallel_kind) == ContextParallelKind::a2a);
    CHECK(s.choice<MoeDispatcher>(P::moe_dispatcher) == MoeDispatcher::deepep);
    CHECK(s[P::virtual_stages] == 2);
    CHECK(s[P::recompute] == kRecomputeSelective);
    CHECK(s[P::recompute_modules] ==
          static_cast<double>(RecomputeModule::mlp) + static_cast<double>(RecomputeModule::moe_activation));
}

TEST_CASE("logs: a window and fp4 in Megatron-LM's list of arguments", "[logs]") {
    std::string text = megatron_arguments();
    text.insert(text.find("-------------------- end of"),
                argument("window_size", "(127, 0)") + argument("fp4", "e2m1") +
                    argument("hierarchical_context_parallel_sizes", "[2, 4]"));
    const Settings s = resolve(log_scenario_of(read_log(text + megatron_step(1, 4000))).scenario);
    CHECK(s[P::attention_window] == 128);
    CHECK(s.choice<Precision>(P::precision) == Precision::nvfp4);
    // The other settings of the list are read, too.
    CHECK(s[P::tensor_parallel] == 2);
}

TEST_CASE("megatron log: a log without the list of arguments states GPUs and degrees in one line", "[logs]") {
    std::string text =
        "using world size: 64, data-parallel size: 8, context-parallel size: 2, hierarchical "
        "context-parallel "
        "sizes: None, tensor-model-parallel size: 4, pipeline-model-parallel size: 1\n";
    for (int i = 1; i <= 12; ++i) text += megatron_step(i, 5210);
    const LogScenario found = log_scenario_of(read_log(text));
    CHECK(resolve(found.scenario)[P::gpus] == 64);
    CHECK(resolve(found.scenario)[P::tensor_parallel] == 4);
    CHECK(resolve(found.scenario)[P::context_parallel] == 2);
    CHECK_FALSE(is_missing(found.scenario, "the number of GPUs"));
    CHECK(is_missing(found.scenario, "the model"));
}

TEST_CASE("megatron log: the list of arguments behind the times of Kubernetes", "[logs]") {
    const std::string plain = megatron_log();
    std::string timed;
    for (std::size_t from = 0; from < plain.size();) {
        const std::size_t end = plain.find('\n', from) + 1;
        timed += "2026-03-02T10:20:30.123456Z " + plain.substr(from, end - from);
        from = end;
    }
    const TrainingLog log = read_log(timed);
    CHECK(log.contents.megatron.size() == read_log(plain).contents.megatron.size());
    CHECK(resolve(log_scenario_of(log).scenario)[P::gpus] == 64);
}

TEST_CASE("megatron log: a file in UTF-16 is read", "[logs]") {
    for (const bool big : {false, true}) {
        std::string wide = big ? "\xfe\xff" : "\xff\xfe";
        for (const char c : megatron_log()) wide += big ? std::string{'\0', c} : std::string{c, '\0'};
        const TrainingLog log = read_log(wide);
        CHECK(log.steady.logged == 12);
        CHECK(resolve(log_scenario_of(log).scenario)[P::gpus] == 64);
    }
}
