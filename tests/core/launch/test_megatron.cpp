// Tests the reverse direction for Megatron-LM: its arguments give back the scenario, and options that the
// engine does not model are named.
#include <catch2/catch.hpp>

#include "compile/effect_inputs.h"
#include "launch/megatron_options.h"
#include "support/launch_reading.h"

using namespace shardscope;
using namespace shardscope::testing;

TEST_CASE("launch: Megatron-LM's arguments are read back unchanged for every model", "[launch]") {
    for (const Preset* model : shipped_only().all(PresetKind::model)) {
        if (model->operators) continue;
        for (const std::string& plan : kPlans) {
            INFO(model->name << " " << plan);
            Problems problems;
            const Scenario scenario =
                read_scenario(job(model->name, "megatron-core", plan), shipped_only(), {}, problems);
            // Some models have a number of heads or layers that the plan does not divide.
            if (!problems.empty()) continue;
            std::vector<P> lost{P::norm_weights, P::layer_norms, P::head_bias, P::causal,
                                P::shared_expert_gate};
            if (resolve(scenario).choice<QkNorm>(P::qk_norm) == QkNorm::whole) lost.push_back(P::qk_norm);
            lost.insert(lost.end(), {P::attention_sinks, P::attention_gate, P::convolution_kernel});
            // A hybrid model needs a pattern of its own for the layers that predict further tokens.
            const std::string pattern = format(P::layer_pattern, resolve(scenario)[P::layer_pattern]);
            if (pattern.find('/') != std::string::npos) lost.push_back(P::mtp_layers);
            if (!launch::writes_layer_pattern(resolve(scenario), kMegatron)) {
                lost.insert(lost.end(), {P::layer_pattern, P::attention_window, P::linear_key_heads,
                                         P::linear_value_heads, P::linear_key_head_size,
                                         P::linear_value_head_size, P::ssm_heads, P::ssm_state_size,
                                         P::ssm_head_size, P::ssm_groups, P::latent_expert_size});
            }
            // One chunk is written as full attention.
            if (pattern.find("chunked") != std::string::npos)
                lost.insert(lost.end(), {P::layer_pattern, P::attention_window});
            // Megatron-LM pads the vocabulary so that every GPU has the same part.
            const Settings s = resolve(scenario);
            if (std::fmod(s[P::vocab_size], s[P::tensor_parallel]) != 0) lost.push_back(P::vocab_size);
            // Megatron-LM requires as many learned positions as the sequence has tokens.
            if (resolve(scenario)[P::learned_positions] != kPositionsAsSequence)
                lost.push_back(P::learned_positions);
            check_round_trip(kMegatron, scenario, lost);
        }
    }
    for (
        const char* plan :
        {R"("sharding": "zero1", "gradient_precision": "bf16", "attention": "naive", "optimizer": "momentum")",
         R"("sharding": "zero1", "shard_group": 16, "precision": "fp16", "gradient_precision": "fp16")",
         R"("sharding": "zero2", "precision": "fp32", "gradient_precision": "fp32", "optimizer": "sgd")",
         R"("sharding": "zero1", "gradient_precision": "fp32", "offload": "optimizer", "recompute": 0.25)",
         R"("sharding": "zero1", "pipeline_parallel": 4, "accumulation": 8, "first_stage_layers": 7,
            "last_stage_layers": 5, "schedule": "1f1b")",
         R"("sharding": "zero1", "recompute": "selective", "recompute_modules": ["mlp", "layernorm"])",
         R"("sharding": "zero1", "precision": "fp8", "fp8_recipe": "tensorwise", "overlap_param_gather": false)",
         R"("sharding": "zero1", "context_parallel": 4, "context_parallel_kind": "a2a")",
         R"("sharding": "zero1", "context_parallel": 4, "context_parallel_kind": "a2a+p2p",
            "context_parallel_inner": 2)",
         R"("sharding": "zero1", "pipeline_parallel": 4, "accumulation": 8, "recompute": 0.5)"}) {
        INFO(plan);
        check_round_trip(kMegatron, check_scenario(job("llama-3-8b", "megatron-core", plan)));
    }
    check_round_trip(kMegatron, check_scenario(R"({"model": {"preset": "llama-3-8b"},
        "cluster": {"preset": "dgx-b200", "gpus": 64, "software": "megatron-core"},
        "training": {"sequence_length": 4096, "sharding": "zero1", "precision": "mxfp8",
            "overlap_grad_reduce": false, "overlap_param_gather": false}})"));
    check_round_trip(kMegatron, check_scenario(job("deepseek-v3", "megatron-core",
                                                   R"("sharding": "zero1", "expert_parallel": 8,
                              "micro_batch": 1, "gradient_precision": "fp32")",
                                                   256)));
    check_round_trip(kMegatron, check_scenario(job("deepseek-v3", "megatron-core",
                                                   R"("sharding": "zero1", "expert_parallel": 32,
                              "tensor_parallel": 2, "sequence_parallel": true, "expert_tensor_parallel": 1,
                              "moe_dispatcher": "deepep", "micro_batch": 1, "gradient_precision": "fp32")",
                                                   256)));
    // For an unknown shape, everything that differs from the nearest model is given.
    check_round_trip(kMegatron, check_scenario(R"({"model": {"preset": "llama-3-8b", "hidden_size": 3072,
        "layers": 28, "vocab_size": 64000, "attention_window": 1024, "dropout": true, "qkv_bias": true},
        "cluster": {"software": "megatron-core"}, "training": {"sharding": "zero1"}})"));
}

TEST_CASE("launch: Megatron-LM's default feed-forward size is smaller only with SwiGLU", "[launch]") {
    // 4 · 4096 · 2/3 is 10,922.7, and 10,880 is the multiple of 64 below it.
    CHECK(megatron_settings(megatron_command("--swiglu"))[P::ffn_size] == 10880);
    CHECK(megatron_settings(megatron_command(""))[P::ffn_size] == 16384);
    const Settings quick = megatron_settings(megatron_command("--quick-geglu"));
    CHECK(quick[P::ffn_size] == 16384);
    CHECK(quick.choice<Mlp>(P::mlp) == Mlp::gated);
}

TEST_CASE("launch: a value of Megatron-LM's options that the engine does not model is named", "[launch]") {
    const auto notes_of = [](const std::string& options) {
        return read(kMegatron, megatron_command(options)).notes;
    };
    const std::string fp8 = "--bf16 --fp8-format hybrid --fp8-recipe ";
    const LaunchRead custom = read(kMegatron, megatron_command(fp8 + "custom"));
    CHECK(has_note(custom.notes, "“--fp8-recipe custom” is not modelled; delayed is assumed."));
    CHECK(resolve(custom.scenario).choice<Fp8Recipe>(P::fp8_recipe) == Fp8Recipe::delayed);
    const LaunchRead blockwise = read(kMegatron, megatron_command(fp8 + "blockwise"));
    CHECK_FALSE(has_note(blockwise.notes, "is not modelled"));
    CHECK(resolve(blockwise.scenario).choice<Fp8Recipe>(P::fp8_recipe) == Fp8Recipe::blockwise);
    for (const char* option :
         {"--main-grads-dtype fp8", "--exp-avg-dtype int8", "--exp-avg-sq-dtype int8",
          "--attention-backend slow", "--recompute-granularity some", "--recompute-method random",
          "--cuda-graph-impl new", "--normalization L2Norm", "--position-embedding-type new",
          "--softmax-type new", "--num-experts 8 --moe-token-dispatcher-type new"}) {
        INFO(option);
        const std::string words(option);
        CHECK(has_note(notes_of(words), "“" + words.substr(words.rfind("--")) + "” is not modelled"));
    }
    CHECK_FALSE(has_note(notes_of("--attention-backend fused --recompute-granularity full "
                                  "--recompute-method block --recompute-num-layers 8 "
                                  "--cuda-graph-impl local --normalization RMSNorm "
                                  "--position-embedding-type rope --softmax-type off-by-one"),
                         "is not modelled; "));
}

TEST_CASE("launch: the state of Megatron-LM's optimizers is read as it is stored", "[launch]") {
    const auto scenario_with = [](const std::string& options) {
        return read(
            kMegatron,
            "torchrun --nnodes=1 --nproc-per-node=8 pretrain_gpt.py --num-layers 8 --hidden-size 1024 "
            "--num-attention-heads 16 --seq-length 2048 --max-position-embeddings 2048 "
            "--vocab-size 32000 --micro-batch-size 1 --global-batch-size 64 --bf16 " +
                options);
    };
    // Bytes of a parameter: the master copy of 4, and two moments of the stated formats.
    const auto optimizer_bytes = [&](const std::string& options) {
        return state_bytes(
                   state_formats(resolve(scenario_with("--use-distributed-optimizer " + options).scenario)))
            .optimizer;
    };
    CHECK(optimizer_bytes("") == 12);
    const std::string aware = "--use-precision-aware-optimizer ";
    CHECK(optimizer_bytes(aware + "--exp-avg-dtype bf16 --exp-avg-sq-dtype bf16") == 8);
    CHECK(optimizer_bytes(aware + "--exp-avg-dtype fp16") == 10);
    CHECK(optimizer_bytes(aware + "--exp-avg-dtype fp8 --exp-avg-sq-dtype bf16") == 7);
    CHECK(optimizer_bytes(aware + "--exp-avg-dtype fp8 --exp-avg-sq-dtype fp8") == 6);
    const Settings second =
        resolve(scenario_with("--use-distributed-optimizer " + aware + "--exp-avg-sq-dtype bf16").scenario);
    CHECK(second[P::moment_precision] == Value(MomentPrecision::fp32_bf16));
    // Without that optimizer, Megatron-LM refuses the formats; the hybrid optimizer of an offload ignores
    // them.
    CHECK(optimizer_bytes("--exp-avg-dtype bf16 --exp-avg-sq-dtype bf16") == 12);
    CHECK(optimizer_bytes(aware + "--optimizer-cpu-offload --exp-avg-dtype bf16") == 12);
    CHECK(has_note(scenario_with(aware + "--use-distributed-optimizer --optimizer-cpu-offload "
                                         "--exp-avg-dtype bf16")
                       .notes,
                   "keeps the state of an offloaded optimizer in fp32"));
    // Lion and Muon have one moment.
    CHECK(optimizer_bytes("--optimizer lion") == 8);
    CHECK(optimizer_bytes("--optimizer muon") == 8);
    const auto sharding = [&](const std::string& options) {
        return resolve(scenario_with(options).scenario).choice<Sharding>(P::sharding);
    };
    CHECK(sharding("--optimizer muon") == Sharding::ddp);
    CHECK(sharding("--optimizer muon --use-distributed-optimizer") == Sharding::zero1);
    CHECK(sharding("--optimizer dist_muon") == Sharding::zero1);
    const auto gradients = [&](const std::string& options) {
        return resolve(scenario_with(options).scenario).choice<Precision>(P::gradient_precision);
    };
    CHECK(gradients("") == Precision::fp32);
    CHECK(gradients("--use-distributed-optimizer " + aware + "--main-grads-dtype bf16") == Precision::bf16);
    CHECK(resolve(scenario_with("--cpu-offloading-num-layers 2").scenario)[P::activation_offload] == 0.25);
    CHECK(has_note(scenario_with("--optimizer soap").notes, "The optimizer soap is treated as AdamW."));
}

TEST_CASE("launch: Megatron-LM's sharded Muon, moments and offloaded layers are read back unchanged",
          "[launch]") {
    for (const char* plan :
         {R"("sharding": "zero1", "optimizer": "muon")", R"("sharding": "ddp", "optimizer": "lion")",
          R"("sharding": "zero1", "optimizer": "lion", "gradient_precision": "fp32")",
          R"("sharding": "zero1", "moment_precision": "bf16", "gradient_precision": "bf16")",
          R"("sharding": "zero1", "moment_precision": "fp8+bf16", "gradient_precision": "fp32")",
          R"("sharding": "zero3", "moment_precision": "bf16+fp32", "gradient_precision": "bf16")",
          R"("sharding": "zero1", "offload": "optimizer", "gradient_precision": "bf16")",
          R"("sharding": "zero1", "activation_offload": 0.5, "recompute": "none")"}) {
        INFO(plan);
        check_round_trip(kMegatron, check_scenario(job("llama-3-8b", "megatron-core", plan)));
    }
}

TEST_CASE("launch: Megatron-FSDP has gradients in the format of the parameters by default", "[launch]") {
    const std::string fsdp = "--bf16 --use-distributed-optimizer --use-megatron-fsdp ";
    const auto reduced = [&](const std::string& options) {
        return megatron_settings(megatron_command(fsdp + options)).choice<Precision>(P::gradient_precision);
    };
    CHECK(reduced("") == Precision::bf16);
    CHECK(reduced("--accumulate-allreduce-grads-in-fp32") == Precision::bf16);
    CHECK(reduced("--fp8-format hybrid --megatron-fsdp-main-grads-dtype auto") == Precision::bf16);
    CHECK(reduced("--megatron-fsdp-main-grads-dtype fp32") == Precision::fp32);
    const Settings both = megatron_settings(megatron_command(
        fsdp + "--megatron-fsdp-main-grads-dtype fp32 --megatron-fsdp-grad-comm-dtype bf16"));
    CHECK(both.choice<Precision>(P::gradient_precision) == Precision::bf16);
    CHECK(written(P::main_gradient_precision, both[P::main_gradient_precision]) == "fp32");
    CHECK(problems_of(kMegatron, megatron_command(fsdp + "--megatron-fsdp-main-grads-dtype fp64")).size() ==
          1);
    const std::string text =
        kMegatron
            .write(answer(check_scenario(
                job("llama-3-8b", "megatron-core", R"("sharding": "zero3", "gradient_precision": "fp32")"))))
            .text;
    CHECK(text.find("--megatron-fsdp-main-grads-dtype fp32") != std::string::npos);
}

TEST_CASE("launch: a file without a number of GPUs is not advised to train otherwise", "[launch]") {
    const std::string shape =
        "pretrain_gpt.py --num-layers 12 --hidden-size 768 --num-attention-heads 12 --seq-length 1024 "
        "--max-position-embeddings 1024 --micro-batch-size 4 --global-batch-size 8 --vocab-size 32000 ";
    Problems found = problems_of(kMegatron, "python " + shape + "\n");
    REQUIRE(found.size() == 1);
    CHECK(found[0].what == "the file does not give the number of GPUs");
    CHECK(found[0].suggestion.find("--set cluster.gpus=") != std::string::npos);
    // A number of nodes that is only the script's default is none, either.
    const std::string nodes =
        "N=${SLURM_NNODES:-\"1\"}\nD=(--nproc_per_node 8 --nnodes $N)\ntorchrun ${D[@]} ";
    found = problems_of(kMegatron, nodes + shape + "--pipeline-model-parallel-size 12\n");
    REQUIRE(found.size() == 1);
    CHECK(found[0].what == "the file does not give the number of GPUs");
    // A number that the script states is right or wrong by itself.
    found = problems_of(kMegatron, "torchrun --nnodes 8 --nproc_per_node 8 " + shape + "\n");
    REQUIRE(found.size() == 1);
    CHECK(found[0].where == "/training/global_batch");
}

TEST_CASE("launch: Megatron-DeepSpeed's command is read", "[launch]") {
    const std::string script =
        "deepspeed --num_nodes 4 --num_gpus 8 pretrain_gpt.py --num-layers 32 --hidden-size 4096 "
        "--num-attention-heads 32 --num-key-value-heads 8 --seq-length 4096 --max-position-embeddings 4096 "
        "--micro-batch-size 1 --vocab-size 32000 --normalization rmsnorm --bf16 --deepspeed "
        "--deepspeed_config ds.json ";
    const LaunchRead found = read(kMegatron, script + "--zero-stage 3\n");
    const Settings s = resolve(found.scenario);
    CHECK(s[P::gpus] == 32);
    CHECK(s[P::kv_heads] == 8);
    CHECK(s.choice<Norm>(P::norm) == Norm::rmsnorm);
    CHECK(s.choice<Sharding>(P::sharding) == Sharding::zero3);
    CHECK(written(P::software, s[P::software]) == "megatron-deepspeed");
    CHECK(has_note(found.notes, "The file of --deepspeed_config is not read"));
    CHECK(has_note(read(kMegatron, script + "\n").notes, "--zero-stage is absent"));
    CHECK(problems_of(kMegatron, script + "--zero-stage 4\n").size() == 1);
}

TEST_CASE("launch: recomputed modules may be a list of YAML", "[launch]") {
    const Settings s = megatron_settings(
        "MODEL_ARGS:\n  --num-layers: 12\n  --hidden-size: 768\n  --num-attention-heads: 12\n"
        "  --seq-length: 1024\n  --max-position-embeddings: 1024\n  --micro-batch-size: 4\n"
        "  --recompute-granularity: selective\n  --recompute-modules: [layernorm mla_up_proj mlp moe_act]\n");
    CHECK(launch::megatron_modules(static_cast<unsigned>(s[P::recompute_modules])) ==
          "layernorm mla_up_proj mlp moe_act");
}

TEST_CASE("launch: modules of Megatron-Core that the engine does not recompute are named", "[launch]") {
    const auto with_modules = [](const std::string& modules) {
        return "torchrun --nproc-per-node 8 pretrain_gpt.py --num-layers 12 --hidden-size 768 "
               "--num-attention-heads 12 --seq-length 1024 --max-position-embeddings 1024 "
               "--micro-batch-size 4 --recompute-granularity selective --recompute-modules " +
               modules + "\n";
    };
    const LaunchRead some = read(kMegatron, with_modules("gdn_norm_out mlp gdp_in_proj"));
    CHECK(has_note(some.notes, "not modelled: --recompute-modules gdn_norm_out gdp_in_proj."));
    CHECK(launch::megatron_modules(static_cast<unsigned>(resolve(some.scenario)[P::recompute_modules])) ==
          "mlp");
    // Megatron's default is used only where no module is named.
    const LaunchRead none = read(kMegatron, with_modules("mhc gdp_qkv"));
    CHECK(has_note(none.notes, "not modelled: --recompute-modules mhc gdp_qkv."));
    CHECK(resolve(none.scenario)[P::recompute] == 0);
    CHECK(problems_of(kMegatron, with_modules("gdn_norm")).size() == 1);
}

TEST_CASE("launch: every module that Megatron-Core recomputes is read and written", "[launch]") {
    const std::string all = "layernorm core_attn mla_up_proj mlp moe moe_act shared_experts";
    const std::string plan = R"("sharding": "zero1", "expert_parallel": 8, "micro_batch": 1,
        "recompute": "selective", "cuda_graphs": true,
        "recompute_modules": ["layernorm", "core_attention", "mla_up_proj", "mlp", "moe", "moe_activation",
                              "shared_experts"])";
    const Scenario scenario = check_scenario(job("deepseek-v3", "megatron-core", plan, 256));
    const std::string text = kMegatron.write(answer(scenario)).text;
    CHECK(text.find("--recompute-modules " + all) != std::string::npos);
    // Megatron-Core captures no router of experts that are recomputed.
    CHECK(text.find("--cuda-graph-modules attn") != std::string::npos);
    CHECK(text.find("moe_router") == std::string::npos);
    const Settings back = megatron_settings(text);
    CHECK(back[P::recompute_modules] == resolve(scenario)[P::recompute_modules]);
    CHECK(back.on(P::cuda_graphs));
}
