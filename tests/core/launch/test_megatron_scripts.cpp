// Tests reading Megatron-LM's arguments from scripts and YAML files as people write them.
#include <catch2/catch.hpp>

#include "support/launch_reading.h"

using namespace shardscope;
using namespace shardscope::testing;

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
        const Problems found = problems_of(kMegatron, megatron_command("--bf16", program));
        REQUIRE(found.size() == 1);
        CHECK(found[0].what == "is not read");
    }
    for (const char* option :
         {"--img-h 224", "--freeze-LM", "--language-model-type llama3_8b", "--decoder-seq-length 128"}) {
        INFO(option);
        CHECK(problems_of(kMegatron, megatron_command(option)).size() == 1);
    }
    CHECK(
        problems_of(kMegatron, megatron_command("--bf16", "/home/multimodal/bert/pretrain_gpt.py")).empty());
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
