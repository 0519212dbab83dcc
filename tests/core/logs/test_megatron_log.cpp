// Tests the logs of Megatron-LM and of Megatron-Bridge.
#include <catch2/catch.hpp>

#include "parameters/interned_text.h"
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

    // Every second layer has experts.
    std::string mixed = yaml;
    const std::string leading = "  - 0\n  - 0\n  - 1\n  - 1\n  - 1\n  - 1\n  - 1\n  - 1\n";
    mixed.replace(mixed.find(leading), leading.size(),
                  "  - 0\n  - 1\n  - 0\n  - 1\n  - 0\n  - 1\n  - 0\n  - 1\n");
    const Settings alternating = resolve(log_scenario_of(read_log(mixed)).scenario);
    CHECK(format(P::layer_pattern, alternating[P::layer_pattern]) == "sliding/dense,sliding/experts");
    CHECK(alternating[P::dense_layers] == 0);

    // A list of lists, which is empty where PyYAML writes [].
    const Settings staged = resolve(
        log_scenario_of(
            read_log(
                "  offload_modules: []\n  pipeline_model_parallel_layout:\n  - - embedding\n    - decoder\n"
                "    - decoder\n    - decoder\n  - - decoder\n    - decoder\n    - decoder\n"
                "    - decoder\n  - - decoder\n  - - mtp\n    - loss\n" +
                yaml))
            .scenario);
    CHECK(interned_text(staged[P::pipeline_layout]) == "Ettt|tttt|t|mL");
}

TEST_CASE("logs: None and False in Megatron-LM's list of arguments state settings", "[logs]") {
    MegatronArguments arguments = dense_arguments();
    arguments.merge(MegatronArguments{{"cross_entropy_loss_fusion", "False"},
                                      {"cuda_graph_impl", "none"},
                                      {"optimizer_cpu_offload", "False"},
                                      {"tp_comm_overlap", "False"}});
    arguments["overlap_grad_reduce"] = "False";
    const Scenario found = log_scenario_of(read_log(megatron_log(megatron_arguments(arguments)))).scenario;
    const Settings s = resolve(found);
    for (const P id : {P::recompute, P::offload, P::async_tensor_parallel, P::overlap_grad_reduce, P::loss,
                       P::cuda_graphs}) {
        INFO(field_of(id));
        CHECK(found.is_given(id));
        CHECK(s[id] == 0);
    }
    // What the list does not have is not stated.
    CHECK_FALSE(found.is_given(P::moe_overlap));
    CHECK_FALSE(log_scenario_of(read_log(megatron_log())).scenario.is_given(P::offload));

    arguments["optimizer_cpu_offload"] = "True";
    arguments["recompute_granularity"] = "full";
    arguments["recompute_method"] = "uniform";
    const Settings on =
        resolve(log_scenario_of(read_log(megatron_log(megatron_arguments(arguments)))).scenario);
    CHECK(on.choice<Offload>(P::offload) == Offload::optimizer);
    CHECK(on[P::recompute] == 1);
}

TEST_CASE("logs: Megatron-Bridge's summary of what differs from Megatron-Core", "[logs]") {
    // The form of log_non_default_values in src/megatron/bridge/training/config.py.
    const auto summary = [](const std::string& model, const std::string& kind = "TransformerConfig") {
        const std::string rule(70, '=');
        const std::string dashes(70, '-');
        return "\n" + rule + "\nConfiguration Summary (Non-Default Values vs Megatron Core)\n" + rule +
               "\n\n[optimizer] Non-default values (vs Mcore OptimizerConfig):\n"
               "  bf16: True  (Mcore default: False)\n"
               "  lr: 0.0003  (Mcore default: None)\n"
               "  use_distributed_optimizer: True  (Mcore default: False)\n"
               "\n[ddp] Non-default values (vs Mcore DistributedDataParallelConfig):\n"
               "  overlap_grad_reduce: True  (Mcore default: False)\n"
               "  use_distributed_optimizer: True  (Mcore default: False)\n"
               "\n[model] Non-default values (vs Mcore " +
               kind +
               "):\n"
               "  add_bias_linear: False  (Mcore default: True)\n"
               "  attention_dropout: 0.0  (Mcore default: 0.1)\n"
               "  bf16: True  (Mcore default: False)\n"
               "  gated_linear_unit: True  (Mcore default: False)\n"
               "  hidden_dropout: 0.0  (Mcore default: 0.1)\n" +
               model + "\n" + dashes + "\nOther Configuration Values:\n" + dashes +
               "\n\n[train]:\n  global_batch_size: 128\n  micro_batch_size: 1\n  train_iters: 100\n"
               "\n[dataset]:\n  seq_length: 8192\n\n[logger]:\n  log_interval: 1\n\n" +
               rule + "\n" + " > padded vocab (size: 128256) with 0 dummy tokens (new size: 128256)\n" +
               lines(6, [](int i) { return megatron_step(i, 5480, 128); });
    };
    const std::string llama =
        "  ffn_hidden_size: 14336  (Mcore default: None)\n"
        "  hidden_size: 4096  (Mcore default: 0)\n"
        "  kv_channels: 128  (Mcore default: None)\n"
        "  normalization: 'RMSNorm'  (Mcore default: 'LayerNorm')\n"
        "  num_attention_heads: 32  (Mcore default: 0)\n"
        "  num_layers: 32  (Mcore default: 0)\n"
        "  num_query_groups: 8  (Mcore default: None)\n"
        "  tensor_model_parallel_size: 2  (Mcore default: 1)\n";
    const TrainingLog log = read_log(summary(llama));
    CHECK(log.tool == "Megatron-Bridge");
    const LogScenario found = log_scenario_of(log);
    const Settings s = resolve(found.scenario);
    REQUIRE(found.scenario.model);
    CHECK(found.scenario.model->name == "llama-3-8b");
    CHECK(s[P::tensor_parallel] == 2);
    CHECK(s[P::micro_batch] == 1);
    CHECK(s[P::global_batch] == 128);
    CHECK(s[P::sequence_length] == 8192);
    CHECK(s.choice<Sharding>(P::sharding) == Sharding::zero1);
    CHECK(s.choice<Precision>(P::precision) == Precision::bf16);
    CHECK_FALSE(s.on(P::dropout));
    // The defaults of Megatron-Core: gradients are reduced in bf16, and only what is listed overlaps.
    CHECK(s.choice<Precision>(P::gradient_precision) == Precision::bf16);
    CHECK(s.on(P::overlap_grad_reduce));
    for (const P id : {P::recompute, P::offload, P::sequence_parallel, P::async_tensor_parallel,
                       P::overlap_param_gather, P::loss, P::cuda_graphs}) {
        INFO(field_of(id));
        CHECK(found.scenario.is_given(id));
        CHECK(s[id] == 0);
    }
    // The log does not state the number of GPUs.
    CHECK(is_missing(found.scenario, "the number of GPUs"));
    REQUIRE_FALSE(found.notes.empty());
    CHECK(found.notes.back() ==
          "The log states neither the positions of the model nor whether its embeddings are tied; rotary "
          "positions and two matrices are assumed.");

    const Settings more = resolve(
        log_scenario_of(
            read_log(summary(llama + "  optimizer: 'dist_muon'  (Mcore default: 'adam')\n"
                                     "  recompute_granularity: 'selective'  (Mcore default: None)\n"
                                     "  recompute_modules: ['mlp', 'layernorm']  (Mcore default: None)\n"
                                     "  sequence_parallel: True  (Mcore default: False)\n")))
            .scenario);
    CHECK(more.choice<Optimizer>(P::optimizer) == Optimizer::muon);
    CHECK(more[P::recompute] == kRecomputeSelective);
    CHECK(more[P::recompute_modules] ==
          static_cast<double>(RecomputeModule::mlp) + static_cast<double>(RecomputeModule::layernorm));
    CHECK(more.on(P::sequence_parallel));

    // The stages of a pipeline are lists of layers, and the tokenizer gives the vocabulary.
    std::string staged = summary(
        llama +
        "  delay_wgrad_compute: True  (Mcore default: False)\n"
        "  fine_grained_activation_offloading: True  (Mcore default: False)\n"
        "  offload_modules: ['moe_act']  (Mcore default: [])\n"
        "  pipeline_model_parallel_layout: [['embedding', 'decoder', 'decoder'], ['decoder'], ['decoder', "
        "'decoder'], ['decoder', 'loss']]  (Mcore default: None)\n"
        "  pipeline_model_parallel_size: 2  (Mcore default: 1)\n");
    const auto replace = [&](std::string_view words, const std::string& by) {
        staged.replace(staged.find(words), words.size(), by);
    };
    replace("num_layers: 32", "num_layers: 6");
    replace("[logger]:", "[tokenizer]:\n  tokenizer_model: 'meta-llama/Meta-Llama-3-8B'\n\n[logger]:");
    replace(" > padded vocab (size: 128256) with 0 dummy tokens (new size: 128256)\n", "");
    const LogScenario stages = log_scenario_of(read_log(staged));
    const Settings pipeline = resolve(stages.scenario);
    CHECK(pipeline[P::virtual_stages] == 2);
    CHECK(interned_text(pipeline[P::pipeline_layout]) == "Ett|t|tt|tL");
    CHECK(pipeline[P::vocab_size] == 128256);
    const auto is_noted = [&](const std::string& words) {
        return std::ranges::any_of(
            stages.notes, [&](const std::string& note) { return note.find(words) != std::string::npos; });
    };
    CHECK(is_noted("not modelled: --delay-wgrad-compute, --fine-grained-activation-offloading"));
    CHECK(is_noted("tokenizer llama-3"));

    // The ranks of latent attention are not listed where they have Megatron-Core's defaults.
    const Settings latent =
        resolve(log_scenario_of(read_log(summary("  ffn_hidden_size: 18432  (Mcore default: None)\n"
                                                 "  hidden_size: 7168  (Mcore default: 0)\n"
                                                 "  num_attention_heads: 128  (Mcore default: 0)\n"
                                                 "  num_layers: 4  (Mcore default: 0)\n"
                                                 "  q_lora_rank: 1536  (Mcore default: 512)\n",
                                                 "MLATransformerConfig")))
                    .scenario);
    CHECK(latent[P::q_lora_rank] == 1536);
    CHECK(latent[P::kv_lora_rank] == 512);
    CHECK(latent[P::rope_head_size] == 64);
    CHECK(latent[P::head_size] == 128);
    CHECK(latent.choice<Norm>(P::norm) == Norm::rmsnorm);
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

TEST_CASE("megatron log: Primus's prefix, means over the run and memory of the GPU", "[logs]") {
    const auto prefix = [](int rank) {
        return written("[20260601 10:00:00][rank-%d/8][INFO ] [--------trainer.py:100] : ", rank);
    };
    std::string text;
    const std::string arguments = megatron_arguments();
    for (std::size_t at = 0; at < arguments.size(); at = arguments.find('\n', at) + 1)
        text += prefix(0) + arguments.substr(at, arguments.find('\n', at) + 1 - at);
    text += lines(4, [&](int i) {
        return prefix(7) +
               written(
                   " iteration %8d/      50 | consumed samples: %12d | elapsed time per iteration (ms): "
                   "1600.%d/1700.0 | global batch size:   128 | compute per GPU (TFLOP/s/GPU): 420.7 (avg "
                   "419.3) | hip mem usage/free/total/usage_ratio: 150.0%dGB/41.98GB/191.98GB/78.14%% |\n",
                   i, 128 * i, i, i);
    });
    const TrainingLog log = read_log(text);
    CHECK(log.steady.median == Approx(1.6003));
    CHECK(log.model_tflops == Approx(420.7));
    CHECK(peak(log, Peak::device) == Approx(150.04 * kGibi));
    const LogScenario found = log_scenario_of(log);
    REQUIRE(found.scenario.model);
    CHECK(found.scenario.model->name == "llama-3-8b");
}
