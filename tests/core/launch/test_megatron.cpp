// Tests the reverse direction for Megatron-LM: its arguments give back the scenario, and what a script does
// not say, or says of another program, is named.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "compile/effect_inputs.h"
#include "launch/megatron_options.h"
#include "parameters/interned_text.h"
#include "support/launch_reading.h"

using namespace shardscope;
using namespace shardscope::testing;

namespace {

// A command with these options on 64 GPUs.
std::string gpt(const std::string& options, const std::string& program = "pretrain_gpt.py") {
    return "torchrun --nnodes 8 --nproc_per_node 8 " + program +
           " --num-layers 32 --hidden-size 4096 --num-attention-heads 32 --seq-length 4096 "
           "--max-position-embeddings 4096 --micro-batch-size 1 --vocab-size 32000 " +
           options + "\n";
}

Settings settings_of(const std::string& script) { return resolve(read(kMegatron, script).scenario); }

}  // namespace

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

TEST_CASE("launch: Megatron-LM's ways to split layers are read back", "[launch]") {
    const auto script = [](int layers, const std::string& more) {
        return "torchrun --nproc-per-node=8 pretrain_gpt.py --num-layers " + std::to_string(layers) +
               " --hidden-size 4096 --num-attention-heads 32 --seq-length 2048 --micro-batch-size 1 "
               "--global-batch-size 64 --bf16 " +
               more + "\n";
    };
    const auto ends = [](const LaunchRead& found) {
        const Settings s = resolve(found.scenario);
        return std::pair(s[P::first_stage_layers], s[P::last_stage_layers]);
    };
    using Ends = std::pair<double, double>;
    const std::string four = "--pipeline-model-parallel-size 4 ";
    const std::string both =
        "--account-for-embedding-in-pipeline-split --account-for-loss-in-pipeline-split ";
    // 30 + 2 layers on four stages give 7 at each end, which is also the engine's own split.
    const LaunchRead counted = read(kMegatron, script(30, four + both));
    CHECK(ends(counted) == Ends(0, 0));
    CHECK_FALSE(has_note(counted.notes, "by its own rule"));
    const LaunchRead loss = read(kMegatron, script(31, four + "--account-for-loss-in-pipeline-split "));
    CHECK_FALSE(has_note(loss.notes, "by its own rule"));
    // 31 + 1 layers on four stages are 8, 8, 8 and 7, because the first stage's embedding does not count.
    CHECK(ends(loss) == Ends(0, 0));
    const LaunchRead embedding =
        read(kMegatron, script(31, four + "--account-for-embedding-in-pipeline-split "));
    CHECK(ends(embedding) == Ends(7, 8));
    CHECK(has_note(read(kMegatron, script(32, four + both)).notes, "by its own rule"));
    // Two layers between an embedding and a head that are stages of their own, as the engine has them, and
    // three layers after an embedding alone.
    const LaunchRead alone = read(kMegatron, script(2, four + both));
    CHECK(resolve(alone.scenario)[P::pipeline_layout] == 0);
    CHECK_FALSE(has_note(alone.notes, "by its own rule"));
    const LaunchRead one_end =
        read(kMegatron, script(3, four + "--account-for-embedding-in-pipeline-split "));
    CHECK(interned_text(resolve(one_end.scenario)[P::pipeline_layout]) == "E|(t*1|)*2t*1L");

    const auto layout = [&](const std::string& text) {
        return script(32, four + "--pipeline-model-parallel-layout '" + text + "'");
    };
    const LaunchRead given = read(kMegatron, layout("Et*9|t*9|t*9|t*5L"));
    CHECK(ends(given) == Ends(9, 5));
    CHECK_FALSE(has_note(given.notes, "The stages of the file"));
    CHECK(ends(read(kMegatron, layout("Ettttt,ttt|(t*9|)*2t*6,L"))) == Ends(8, 6));
    // What the first and the last stage do not say is kept as a layout.
    const LaunchRead by_hand = read(kMegatron, layout("Et*8|t*10|t*8|t*6L"));
    CHECK(interned_text(resolve(by_hand.scenario)[P::pipeline_layout]) == "Et*8|t*10|t*8|t*6L");
    CHECK_FALSE(has_note(by_hand.notes, "The stages of the file"));
    const LaunchRead pieces = read(kMegatron, layout("Et*4|(t*4|)*6t*4L"));
    CHECK(resolve(pieces.scenario)[P::virtual_stages] == 2);
    for (const char* wrong :
         {"Et*9|t*9|t*9|t*6L", "Et*16|t*15|t*1L", "Ex*9", "E(t*9|", "Et*|", "(((((((((((t"}) {
        const Problems problems = problems_of(kMegatron, layout(wrong));
        REQUIRE(problems.size() == 1);
        CHECK(problems.front().where == "--pipeline-model-parallel-layout");
    }
    // Megatron-LM's options for the ends must be above 0, so that a head alone is written as a layout.
    const LaunchText head_alone = kMegatron.write(answer(check_scenario(
        R"({"model": {"preset": "llama-3-8b", "layers": 4, "vocab_size": 262144},
        "cluster": {"software": "megatron-core"}, "assumptions": {"balanced_stages": true},
        "training": {"sharding": "zero1", "pipeline_parallel": 4, "accumulation": 8}})")));
    CHECK(head_alone.text.find("--pipeline-model-parallel-layout 'Et*2|(t*1|)*2L'") != std::string::npos);
    CHECK(head_alone.text.find("pipeline-num-layers") == std::string::npos);
    // A layout that only the layout option can express is read back unchanged.
    const Scenario odd = check_scenario(R"({"model": {"preset": "gpt-3-175b", "layers": 43},
        "training": {"pipeline_parallel": 8, "accumulation": 16}})");
    const LaunchText launch = kMegatron.write(answer(odd));
    REQUIRE(launch.text.find("--pipeline-model-parallel-layout") != std::string::npos);
    const LaunchRead back = read(kMegatron, launch.text);
    CHECK(ends(back) == Ends(0, 0));
    CHECK_FALSE(has_note(back.notes, "The stages of the file"));

    // A number that only the launcher determines at run time is reported as unknown.
    for (const char* torchrun : {"--nproc-per-node=gpu", "--nnodes=1:4 --nproc-per-node=8"})
        CHECK(has_note(
            read(kMegatron, "torchrun " + std::string(torchrun) +
                                script(32, "").substr(std::string("torchrun --nproc-per-node=8").size()))
                .notes,
            "does not give the number of GPUs"));
    CHECK(has_note(read(kMegatron, script(32, "--ckpt-format torch --lr 1")).notes, "Not used: --lr."));
}

// Source of the rule: NVIDIA/Megatron-LM, validate_args in megatron/training/arguments.py adds one layer for
// each of the two options, and get_num_layers_to_build in transformer_block.py takes it from the first and
// the last virtual stage.
TEST_CASE("launch: Megatron-LM counts embedding and loss as layers of the virtual stages, too", "[launch]") {
    const auto yaml = [](int layers, int stages, const std::string& more) {
        return "MODEL_ARGS:\n  --num-layers: " + std::to_string(layers) +
               "\n  --hidden-size: 4096\n  --num-attention-heads: 32\n  --seq-length: 4096\n"
               "  --micro-batch-size: 1\n  --global-batch-size: 512\n  --bf16: true\n  --vocab-size: 32000\n"
               "  --pipeline-model-parallel-size: " +
               std::to_string(stages) + "\n" + more;
    };
    const auto layout_of = [](const Settings& s) {
        return s[P::pipeline_layout] == 0 ? "" : std::string(interned_text(s[P::pipeline_layout]));
    };
    const std::string embedding = "  --account-for-embedding-in-pipeline-split: true\n";
    const std::string loss = "  --account-for-loss-in-pipeline-split: true\n";
    // (94 + 2) / 8 / 4 = 3 virtual stages, of 3, 4, …, 4 and 3 layers, which is also the engine's own rule.
    const std::string four = "  --num-layers-per-virtual-pipeline-stage: 4\n";
    const LaunchRead both = read(kMegatron, yaml(94, 8, four + embedding + loss));
    CHECK(resolve(both.scenario)[P::virtual_stages] == 3);
    CHECK(layout_of(resolve(both.scenario)).empty());
    CHECK_FALSE(has_note(both.notes, "by its own rule"));
    // (30 + 2) / 4 / 4 = 2: the same with the number of virtual stages.
    const Settings ranks =
        settings_of(yaml(30, 4, "  --num-virtual-stages-per-pipeline-rank: 2\n" + embedding + loss));
    CHECK(ranks[P::virtual_stages] == 2);
    CHECK(layout_of(ranks).empty());
    // (31 + 1) / 4 / 4 = 2 virtual stages of 4 layers, of which the last one has 3. The engine's rule would
    // have the first one shorter.
    const Settings only_loss = settings_of(yaml(31, 4, four + loss));
    CHECK(only_loss[P::virtual_stages] == 2);
    CHECK(layout_of(only_loss) == "Et*4|(t*4|)*6t*3L");
    // 32 + 2 layers are no multiple of 4 · 4.
    const Problems problems = problems_of(kMegatron, yaml(32, 4, four + embedding + loss));
    REQUIRE(problems.size() == 1);
    CHECK(problems.front().where == "/training/virtual_stages");
}

// Source: NVIDIA/Megatron-LM, validate_args in megatron/training/arguments.py.
TEST_CASE("launch: Megatron-LM's default feed-forward size is smaller only with SwiGLU", "[launch]") {
    // 4 · 4096 · 2/3 is 10,922.7, and 10,880 is the multiple of 64 below it.
    CHECK(settings_of(gpt("--swiglu"))[P::ffn_size] == 10880);
    CHECK(settings_of(gpt(""))[P::ffn_size] == 16384);
    const Settings quick = settings_of(gpt("--quick-geglu"));
    CHECK(quick[P::ffn_size] == 16384);
    CHECK(quick.choice<Mlp>(P::mlp) == Mlp::gated);
}

TEST_CASE("launch: a value of Megatron-LM's options that the engine does not model is named", "[launch]") {
    const auto notes_of = [](const std::string& options) { return read(kMegatron, gpt(options)).notes; };
    const std::string fp8 = "--bf16 --fp8-format hybrid --fp8-recipe ";
    const LaunchRead custom = read(kMegatron, gpt(fp8 + "custom"));
    CHECK(has_note(custom.notes, "“--fp8-recipe custom” is not modelled; delayed is assumed."));
    CHECK(resolve(custom.scenario).choice<Fp8Recipe>(P::fp8_recipe) == Fp8Recipe::delayed);
    const LaunchRead blockwise = read(kMegatron, gpt(fp8 + "blockwise"));
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

TEST_CASE("launch: a Megatron-LM script as people write it is read", "[launch]") {
    const LaunchRead found = read(kMegatron, R"(#!/bin/bash
export CUDA_DEVICE_MAX_CONNECTIONS=1
GPUS_PER_NODE=8
NUM_NODES=16
CHECKPOINT_PATH=$1
DISTRIBUTED_ARGS=(
    --nproc_per_node $GPUS_PER_NODE
    --nnodes $NUM_NODES
    --master_addr $MASTER_ADDR
)
GPT_MODEL_ARGS=(
    --num-layers 96
    --hidden-size 12288
    --num-attention-heads 96
    --seq-length 2048
    --max-position-embeddings 2048
    --attention-backend auto # Can use (flash/fused/unfused/local)
)
TRAINING_ARGS=(
    --micro-batch-size 1
    --global-batch-size 1536
    --train-iters 500000
    --lr 6.0e-5
    --fp16
)
torchrun ${DISTRIBUTED_ARGS[@]} pretrain_gpt.py \
    ${GPT_MODEL_ARGS[@]} \
    ${TRAINING_ARGS[@]} \
    --tensor-model-parallel-size 8 --pipeline-model-parallel-size=16 \
    --save "$CHECKPOINT_PATH"
)");
    const Settings s = resolve(found.scenario);
    CHECK(s[P::layers] == 96);
    CHECK(s[P::ffn_size] == 4 * 12288);
    CHECK(s[P::head_size] == 128);
    CHECK(s.on(P::bias));
    CHECK(s.on(P::tied_embeddings));
    CHECK(s.on(P::dropout));
    CHECK(s[P::vocab_size] == 51200);  // 50,257 in steps of 8 · 128
    CHECK(s[P::gpus] == 128);
    CHECK(s[P::pipeline_parallel] == 16);
    CHECK(s[P::accumulation] == 1536);
    CHECK(s.choice<Precision>(P::precision) == Precision::fp16);
    CHECK(s.choice<Sharding>(P::sharding) == Sharding::ddp);
    CHECK(has_note(found.notes, "50,257 entries of GPT-2 are assumed"));
    CHECK(has_note(found.notes, "Not used: --lr, --save."));
}

TEST_CASE("launch: Megatron-LM's script is read as far as its own values decide", "[launch]") {
    const auto script = [](const std::string& before, const std::string& more) {
        return before +
               "torchrun --nnodes=2 --nproc-per-node=8 pretrain_gpt.py --num-layers 32 --hidden-size 4096 "
               "--ffn-hidden-size 14336 --num-attention-heads 32 --group-query-attention --num-query-groups "
               "8 "
               "--seq-length 4096 --micro-batch-size 1 --global-batch-size 64 --bf16 --swiglu "
               "--disable-bias-linear --untie-embeddings-and-output-weights --normalization RMSNorm "
               "--position-embedding-type rope --attention-dropout 0 --hidden-dropout 0 " +
               more + "\n";
    };
    const auto settings = [&](const std::string& before, const std::string& more) {
        return resolve(read(kMegatron, script(before, more)).scenario);
    };
    // A branch of a known test is read, and one that depends on the environment is named.
    const std::string branch = "if [ \"$FP8\" = 1 ]; then\n  ARGS=(--fp8-format hybrid)\nfi\n";
    CHECK(settings("FP8=1\n" + branch, "${ARGS[@]}").choice<Precision>(P::precision) == Precision::fp8);
    CHECK(settings("FP8=0\nARGS=()\n" + branch, "${ARGS[@]}").choice<Precision>(P::precision) ==
          Precision::bf16);
    CHECK(has_note(read(kMegatron, script("ARGS=(--recompute-activations)\n" + branch, "${ARGS[@]}")).notes,
                   "the test or loop in line 2"));

    // Tokenizers' vocabularies, padded to equal parts of 128 for each rank.
    const auto vocabulary = [&](const std::string& more) { return settings("", more)[P::vocab_size]; };
    CHECK(vocabulary("--tokenizer-type Llama2Tokenizer") == 32000);
    CHECK(vocabulary("--tokenizer-type HuggingFaceTokenizer --tokenizer-model meta-llama/Llama-3.1-8B") ==
          128256);
    CHECK(vocabulary("--tokenizer-type GPT2BPETokenizer --tensor-model-parallel-size 8") == 51200);
    CHECK(vocabulary("--vocab-size 50000 --make-vocab-size-divisible-by 64") == 50048);

    // Megatron-FSDP shards everything unless the script says otherwise.
    CHECK(settings("", "--use-megatron-fsdp").choice<Sharding>(P::sharding) == Sharding::zero3);
    CHECK(settings("", "--use-megatron-fsdp --data-parallel-sharding-strategy optim_grads")
              .choice<Sharding>(P::sharding) == Sharding::zero2);
    const Problems unknown =
        problems_of(kMegatron, script("", "--use-megatron-fsdp --data-parallel-sharding-strategy all"));
    REQUIRE(unknown.size() == 1);
    CHECK(unknown.front().where == "--data-parallel-sharding-strategy");

    // Options that change time or memory.
    const Settings all = settings("",
                                  "--fp8-format hybrid --fp8-param-gather --cross-entropy-loss-fusion "
                                  "--cuda-graph-impl local --first-last-layers-bf16 "
                                  "--num-layers-at-start-in-bf16 2 --num-layers-at-end-in-bf16 1");
    CHECK(all.on(P::fp8_param_gather));
    CHECK(all.choice<Loss>(P::loss) == Loss::fused);
    CHECK(all.on(P::cuda_graphs));
    CHECK(all[P::bf16_layers] == 3);

    // A layout by hand, with prediction layers.
    const Settings layout = settings("",
                                     "--pipeline-model-parallel-size 4 --mtp-num-layers 1 "
                                     "--pipeline-model-parallel-layout 'Et*3|(t*4|)*6t*5mL'");
    CHECK(layout[P::virtual_stages] == 2);
    CHECK(layout[P::mtp_layers] == 1);
    CHECK(layout[P::pipeline_layout] != 0);
}

TEST_CASE("launch: the list of arguments in a YAML file is read like a command", "[launch]") {
    const std::string yaml =
        "ENV_VARS:\n  CUDA_DEVICE_MAX_CONNECTIONS: 1\nMODEL_ARGS:\n  # size\n  --num-layers: 32\n"
        "  --hidden-size: 4096\n  --num-attention-heads: 32\n  --seq-length: 4096\n  --micro-batch-size: 2 # "
        "each\n"
        "  --global-batch-size: '128'\n  --bf16: true\n  --swiglu: false\n  "
        "--untie-embeddings-and-output-weights: true\n"
        "  --tensor-model-parallel-size: ";
    REQUIRE(launch_format_of(yaml + "2\n") == &kMegatron);
    const LaunchRead found = read(kMegatron, yaml + "2\nTEST_TYPE: regular\n");
    const Settings s = resolve(found.scenario);
    CHECK(s[P::layers] == 32);
    CHECK(s[P::micro_batch] == 2);
    CHECK(s[P::global_batch] == 128);
    CHECK(s[P::tensor_parallel] == 2);
    CHECK(s.choice<Mlp>(P::mlp) == Mlp::plain);
    CHECK_FALSE(s.on(P::tied_embeddings));
    const Problems problems = problems_of(kMegatron, yaml + "${TP}\n");
    REQUIRE(problems.size() == 1);
    CHECK(problems.front().where == "--tensor-model-parallel-size");
    CHECK(problems.front().line == 14);
}

TEST_CASE("launch: virtual stages that do not divide the layers are written as a layout", "[launch]") {
    const LaunchText uneven = kMegatron.write(answer(check_scenario(
        R"({"model": {"preset": "llama-3-70b"}, "cluster": {"gpus": 64, "software": "megatron-core"},
        "training": {"sharding": "zero1", "pipeline_parallel": 4, "virtual_stages": 3, "accumulation": 16,
            "tensor_parallel": 8}})")));
    CHECK(uneven.text.find("--pipeline-model-parallel-layout 'Et*6|(t*7|)*8(t*6|)*2t*6L'") !=
          std::string::npos);
    CHECK(uneven.text.find("--num-virtual-stages") == std::string::npos);
    const std::string by_hand = "Et*8|(t*12|)*6L";
    const Scenario given = check_scenario(
        R"({"model": {"preset": "llama-3-70b"}, "cluster": {"gpus": 64, "software": "megatron-core"},
        "training": {"sharding": "zero1", "pipeline_parallel": 8, "accumulation": 16, "tensor_parallel": 8,
            "pipeline_layout": ")" +
        by_hand + R"("}})");
    CHECK(kMegatron.write(answer(given)).text.find("'" + by_hand + "'") != std::string::npos);
    check_round_trip(kMegatron, given);
}

TEST_CASE("launch: arguments of the script itself hinder neither the vocabulary nor its branches",
          "[launch]") {
    const std::string start =
        "torchrun --nnodes=1 --nproc-per-node=8 pretrain_gpt.py --num-layers 32 --hidden-size 4096 "
        "--num-attention-heads 32 --seq-length 4096 --max-position-embeddings 4096 --micro-batch-size 1 "
        "--global-batch-size 64 --bf16 ";
    // As in NVIDIA's script of Mixtral 8x7B: the file of the tokenizer is an argument, its type is not.
    const LaunchRead mixtral = read(kMegatron, "TOKENIZER_MODEL=$2\n" + start +
                                                   "--tokenizer-type Llama2Tokenizer --tokenizer-model "
                                                   "${TOKENIZER_MODEL}\n");
    CHECK(resolve(mixtral.scenario)[P::vocab_size] == 32000);
    // As in its script of Llama 3 8B in fp8: defaults choose the branch that gives the vocabulary.
    const LaunchRead llama =
        read(kMegatron,
             "TOKENIZER=${3:-\"MOCK\"}\nDATA=${4:-\"MOCK\"}\nLIST=()\n"
             "if [[ \"$TOKENIZER\" == \"MOCK\" ]] || [[ \"$DATA\" == \"MOCK\" ]] || [[ -z \"$TOKENIZER\" ]]; "
             "then\n"
             "    LIST+=(\n        \"--mock-data\"\n        \"--vocab-size 128256\"\n    )\nelse\n"
             "    LIST+=(\"--vocab-size 1280\")\nfi\n" +
                 start + "${LIST[@]} --sequence-parallel\n");
    CHECK(resolve(llama.scenario)[P::vocab_size] == 128256);
    for (const std::string& note : llama.notes) CHECK(note.find("--sequence-parallel") == std::string::npos);
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
        return settings_of(gpt(fsdp + options)).choice<Precision>(P::gradient_precision);
    };
    CHECK(reduced("") == Precision::bf16);
    CHECK(reduced("--accumulate-allreduce-grads-in-fp32") == Precision::bf16);
    CHECK(reduced("--fp8-format hybrid --megatron-fsdp-main-grads-dtype auto") == Precision::bf16);
    CHECK(reduced("--megatron-fsdp-main-grads-dtype fp32") == Precision::fp32);
    const Settings both =
        settings_of(gpt(fsdp + "--megatron-fsdp-main-grads-dtype fp32 --megatron-fsdp-grad-comm-dtype bf16"));
    CHECK(both.choice<Precision>(P::gradient_precision) == Precision::bf16);
    CHECK(written(P::main_gradient_precision, both[P::main_gradient_precision]) == "fp32");
    CHECK(problems_of(kMegatron, gpt(fsdp + "--megatron-fsdp-main-grads-dtype fp64")).size() == 1);
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

TEST_CASE("launch: an argument of a script inside a string of options is named with its line", "[launch]") {
    const Problems found = problems_of(
        kMegatron,
        "SEQ=$7\nOPT=\" --seq-length ${SEQ} --micro-batch-size 4\"\ncmd=\"torchrun --nproc_per_node 8 "
        "pretrain_gpt.py --num-layers 12 --hidden-size 768 --num-attention-heads 12 ${OPT}\"\neval ${cmd}\n");
    REQUIRE(found.size() == 1);
    CHECK(found[0].where == "--seq-length");
    CHECK(found[0].what == "is $7");
    CHECK(found[0].line == 1);
}

TEST_CASE("launch: programs that train no GPT are refused by name", "[launch]") {
    for (const char* program :
         {"pretrain_bert.py", "/opt/m/pretrain_t5.py", "pretrain_ict.py", "examples/multimodal/train.py",
          "pretrain_vision_classify.py", "tools/run_text_generation_server.py", "pretrain_retro.py",
          "gpt_dynamic_inference.py"}) {
        INFO(program);
        const Problems found = problems_of(kMegatron, gpt("--bf16", program));
        REQUIRE(found.size() == 1);
        CHECK(found[0].what == "is not read");
    }
    for (const char* option :
         {"--img-h 224", "--freeze-LM", "--language-model-type llama3_8b", "--decoder-seq-length 128"}) {
        INFO(option);
        CHECK(problems_of(kMegatron, gpt(option)).size() == 1);
    }
    CHECK(problems_of(kMegatron, gpt("--bf16", "/home/multimodal/bert/pretrain_gpt.py")).empty());
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

TEST_CASE("launch: a hybrid model's layers are read and written", "[launch]") {
    const std::string hybrid =
        "--position-embedding-type none --mamba-num-heads 64 --mamba-state-dim 64 --mamba-num-groups 4 ";
    const Settings s = settings_of(gpt(hybrid + "--hybrid-layer-pattern M-M*-M-M*-", "pretrain_hybrid.py"));
    CHECK(s[P::layers] == 10);
    // A | separates the stages of a pipeline.
    const Settings staged =
        settings_of(gpt(hybrid + "--pipeline-model-parallel-size 2 --hybrid-layer-pattern 'M-M*-|M-M*-'",
                        "pretrain_hybrid.py"));
    CHECK(staged[P::layers] == 10);
    CHECK(staged[P::pipeline_parallel] == 2);
    CHECK(format(P::layer_pattern, staged[P::layer_pattern]) ==
          format(P::layer_pattern, s[P::layer_pattern]));
    CHECK(format(P::layer_pattern, s[P::layer_pattern]) ==
          "mamba2/none,none/dense,mamba2/none,full/none,none/dense");
    CHECK(s[P::ssm_heads] == 64);
    CHECK(s[P::ssm_head_size] == 64);
    CHECK(s[P::ssm_state_size] == 64);
    CHECK(s[P::ssm_groups] == 4);
    CHECK(problems_of(kMegatron, gpt(hybrid, "pretrain_hybrid.py")).size() == 1);
    CHECK(problems_of(kMegatron, gpt(hybrid + "--hybrid-override-pattern M/X")).size() == 1);
    const std::string linear = "--experimental-attention-variant gated_delta_net --linear-num-key-heads 8 ";
    const Settings delta = settings_of(gpt(linear + "--linear-attention-freq 4"));
    CHECK(format(P::layer_pattern, delta[P::layer_pattern]).starts_with("linear"));
    CHECK(delta[P::linear_key_heads] == 8);
    CHECK(delta[P::linear_value_heads] == 32);
    CHECK(problems_of(kMegatron, gpt(linear + "--linear-attention-freq [1]*3+[0]")).size() == 1);
    CHECK(problems_of(kMegatron, gpt("--experimental-attention-variant dsa")).size() == 1);
    for (const char* model : {"nemotron-h-56b", "qwen3-next-80b-a3b"}) {
        const LaunchText launch =
            kMegatron.write(answer(check_scenario(job(model, "megatron-core", R"("sharding": "zero1")"))));
        CHECK_FALSE(has_note(launch.notes, "layer pattern is not written"));
        CHECK(read(kMegatron, launch.text).scenario.model->name == model);
    }
}

TEST_CASE("launch: layers with windows, experts and linear attention in any order are written and read back",
          "[launch]") {
    const std::vector<P> lost{P::norm_weights,
                              P::layer_norms,
                              P::head_bias,
                              P::causal,
                              P::qk_norm,
                              P::learned_positions,
                              P::attention_sinks,
                              P::attention_gate,
                              P::shared_expert_gate,
                              P::convolution_kernel};
    const auto scenario = [](const std::string& model, const std::string& layers, int sequence = 4096) {
        return check_scenario(R"({"model": {"preset": ")" + model + '"' + layers + R"(},
            "cluster": {"gpus": 64, "software": "megatron-core"},
            "training": {"micro_batch": 1, "sharding": "zero1", "gradient_precision": "fp32",
                "sequence_length": )" +
                              std::to_string(sequence) + "}}");
    };
    const auto script = [&](const Scenario& of) { return kMegatron.write(answer(of)); };
    // 48 layers.
    const Scenario windows =
        scenario("gemma-3-12b", R"(, "layer_pattern": ["sliding", "sliding", "full", "full"])");
    CHECK(script(windows).text.find("--window-attn-skip-freq '([1]*2+[0]*2)*12' ") != std::string::npos);
    check_round_trip(kMegatron, windows, lost);
    // A last repetition that is cut off: 62 layers.
    check_round_trip(kMegatron,
                     scenario("gemma-3-27b", R"(, "layer_pattern": ["sliding", "sliding", "full", "full"])"),
                     lost);
    const Scenario mixed = scenario("llama-4-maverick", R"(, "attention_window": 1024,
        "layer_pattern": ["sliding/dense", "full/experts"])");
    for (const char* option :
         {"--window-size 1023,0 ", "--window-attn-skip-freq 2 ", "--moe-layer-freq '([0]*1+[1]*1)*24' "}) {
        INFO(option);
        CHECK(script(mixed).text.find(option) != std::string::npos);
    }
    check_round_trip(kMegatron, mixed, lost);
    check_round_trip(
        kMegatron, scenario("qwen3-next-80b-a3b", R"(, "layer_pattern": ["linear", "full", "full"])"), lost);

    // The chunks of Llama 4 have 8,192 tokens.
    const LaunchText chunk = script(scenario("llama-4-maverick", ""));
    CHECK(has_note(chunk.notes, "The sequence is one chunk"));
    CHECK(chunk.text.find("--window-size") == std::string::npos);
    const Settings one = settings_of(chunk.text);
    CHECK(format(P::layer_pattern, one[P::layer_pattern]) == "full/dense,full/experts");
    CHECK(one[P::experts] == 128);
    CHECK(
        has_note(script(scenario("llama-4-maverick", "", 32768)).notes, "The layer pattern is not written"));

    // Of 32 layers, every second has experts; a list of another length is refused.
    for (const char* list : {"'([0]*1+[1]*1)*16'", "'([0]+[1])*16'"}) {
        const Settings s = settings_of(
            gpt("--num-experts 8 --moe-layer-freq " + std::string(list) + " --window-size 127,0"));
        CHECK(format(P::layer_pattern, s[P::layer_pattern]) == "sliding/dense,sliding/experts");
        CHECK(s[P::dense_layers] == 0);
    }
    CHECK(settings_of(gpt("--num-experts 8 --moe-layer-freq '([0]*3+[1]*29)'"))[P::dense_layers] == 3);
    CHECK(problems_of(kMegatron, gpt("--num-experts 8 --moe-layer-freq '([0]*1+[1]*1)*15'")).size() == 1);
}

TEST_CASE("launch: models with state-space layers have no embedding of positions", "[launch]") {
    for (const char* model : {"nemotron-h-56b", "nemotron-3-nano-30b-a3b", "mamba2-2.7b"}) {
        const std::string text =
            kMegatron.write(answer(check_scenario(job(model, "megatron-core", R"("sharding": "zero1")"))))
                .text;
        INFO(model);
        CHECK(text.find("--position-embedding-type none") != std::string::npos);
        CHECK(text.find("--rotary-base") == std::string::npos);
    }
}

TEST_CASE("launch: Megatron-LM's window does not count the token itself", "[launch]") {
    CHECK(settings_of(gpt("--window-size 127,0"))[P::attention_window] == 128);
    const std::string text =
        kMegatron.write(answer(check_scenario(job("gpt-oss-20b", "megatron-core", R"("sharding": "zero1")"))))
            .text;
    CHECK(text.find("--window-size 127,0") != std::string::npos);
}

TEST_CASE("launch: recomputed modules may be a list of YAML", "[launch]") {
    const Settings s = settings_of(
        "MODEL_ARGS:\n  --num-layers: 12\n  --hidden-size: 768\n  --num-attention-heads: 12\n"
        "  --seq-length: 1024\n  --max-position-embeddings: 1024\n  --micro-batch-size: 4\n"
        "  --recompute-granularity: selective\n  --recompute-modules: [layernorm mla_up_proj mlp moe_act]\n");
    CHECK(launch::megatron_modules(static_cast<unsigned>(s[P::recompute_modules])) ==
          "layernorm mla_up_proj mlp moe_act");
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
    const Settings back = settings_of(text);
    CHECK(back[P::recompute_modules] == resolve(scenario)[P::recompute_modules]);
    CHECK(back.on(P::cuda_graphs));
}

TEST_CASE("launch: prediction layers in a stage before the last one are read", "[launch]") {
    const auto script = [](const std::string& layout) {
        return "torchrun --nnodes 8 --nproc_per_node 8 pretrain_gpt.py --num-layers 61 --hidden-size 1024 "
               "--num-attention-heads 16 --seq-length 1024 --position-embedding-type rope --micro-batch-size "
               "1 "
               "--global-batch-size 64 --vocab-size 32000 --mtp-num-layers 1 --bf16 "
               "--pipeline-model-parallel-size 16 --pipeline-model-parallel-layout '" +
               layout + "'\n";
    };
    // NVIDIA's layout of DeepSeek-V3.
    for (const std::string& layout : std::vector<std::string>{"Et*3|(tt|)*29,m|L", "Et*3|(tt|)*29m|L"}) {
        const LaunchRead found = read(kMegatron, script(layout));
        const Settings s = resolve(found.scenario);
        CHECK(s[P::virtual_stages] == 2);
        CHECK(s[P::mtp_layers] == 1);
        CHECK(interned_text(s[P::pipeline_layout]) == layout);
        CHECK_FALSE(has_note(found.notes, "layout"));
        const Answer imported = answer(found.scenario);
        REQUIRE(imported.valid());
        // The 31st of 32 virtual stages is on the 15th of 16 GPUs.
        const std::vector<Stage> stages =
            every_stage(imported.compiled.stages, LayerSequence(imported.compiled.settings));
        CHECK(stages[14].predictions == 1);
        CHECK(stages[15].predictions == 0);
        CHECK(stages[15].head);
        // Written and read again, it is the same.
        const LaunchRead again = read(kMegatron, kMegatron.write(imported).text);
        CHECK(interned_text(resolve(again.scenario)[P::pipeline_layout]) == layout);
    }
}

TEST_CASE("launch: a SLURM job's directives give nodes and processes", "[launch]") {
    const std::string shape =
        "pretrain_gpt.py --num-layers 32 --hidden-size 4096 --num-attention-heads 32 --seq-length 2048 "
        "--max-position-embeddings 2048 --micro-batch-size 1 --global-batch-size 128 --vocab-size 32000 "
        "--bf16";
    const std::string script =
        "NNODES=${SLURM_NNODES:-\"1\"}\ntorchrun --nnodes=$NNODES --nproc-per-node=8 " + shape + "\n";
    const LaunchRead job = read(kMegatron, "#SBATCH --nodes=16\n" + script);
    CHECK(resolve(job.scenario)[P::gpus] == 128);
    CHECK_FALSE(has_note(job.notes, "the default is assumed"));
    const LaunchRead alone = read(kMegatron, script);
    CHECK(resolve(alone.scenario)[P::gpus] == 8);
    CHECK(has_note(alone.notes,
                   "${SLURM_NNODES:-\"1\"} of the environment is not known (line 1); the default is "
                   "assumed: --nnodes 1."));
    // Without a launcher srun starts a process for each GPU.
    const LaunchRead tasks =
        read(kMegatron,
             "#SBATCH <OPTIONS> --nodes=16 --ntasks-per-node=8\nsrun sh -c \"python $@ " + shape + "\"\n");
    CHECK(resolve(tasks.scenario)[P::gpus] == 128);
}

TEST_CASE("launch: a YAML file's variables that it does not set are reported once each", "[launch]") {
    const std::string yaml =
        "ENV_VARS:\n  GBS: 128\nMODEL_ARGS:\n  --num-layers: 32\n  --hidden-size: 4096\n"
        "  --num-attention-heads: 32\n  --seq-length: ${SEQ}\n  --micro-batch-size: 2\n"
        "  --global-batch-size: ${GBS}\n  --data-path: ${DATA}/x\n  --tensor-model-parallel-size: $TP\n"
        "  --expert-tensor-parallel-size: ${TP}\n  --context-parallel-size: ${CP}\n";
    const Problems found = problems_of(kMegatron, yaml);
    REQUIRE(found.size() == 3);
    CHECK(found[0].what == "the variable ${SEQ} is not set in this file");
    CHECK(found[0].line == 7);
    CHECK(found[1].what == "the variable $TP is not set in this file");
    CHECK(found[2].what == "the variable ${CP} is not set in this file");
    CHECK(found[2].line == 13);
    const LaunchRead set = read(kMegatron, "ENV_VARS:\n  SEQ: 4096\n  TP: 2\n  CP: 1\n  GBS: 128\n" +
                                               yaml.substr(yaml.find("MODEL")));
    CHECK(resolve(set.scenario)[P::global_batch] == 128);
    CHECK(resolve(set.scenario)[P::tensor_parallel] == 2);
}
