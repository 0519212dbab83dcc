// Training logs in the shapes of the tools' public logs, with numbers of our own.
#pragma once

#include <cstdio>
#include <map>
#include <string>
#include <vector>

namespace shardscope::testing {

template <typename... Values>
std::string written(const char* format, Values... values) {
    char line[512];
    std::snprintf(line, sizeof line, format, values...);
    return line;
}

// "  num_layers ...................................... 32", as Megatron-LM prints an argument.
inline std::string argument(const std::string& name, const std::string& value) {
    return "  " + name + " " + std::string(48 - name.size(), '.') + " " + value + "\n";
}

using MegatronArguments = std::map<std::string, std::string>;

// Llama 3 8B on 64 H100 with tensor parallel 2 and the distributed optimizer.
inline MegatronArguments dense_arguments() {
    return {{"add_bias_linear", "False"},
            {"attention_backend", "AttnBackend.auto"},
            {"attention_dropout", "0.0"},
            {"bf16", "True"},
            {"context_parallel_size", "1"},
            {"exp_avg_dtype", "torch.float32"},
            {"ffn_hidden_size", "14336"},
            {"fp8", "None"},
            {"global_batch_size", "256"},
            {"group_query_attention", "True"},
            {"hidden_dropout", "0.0"},
            {"hidden_size", "4096"},
            {"kv_channels", "128"},
            {"micro_batch_size", "1"},
            {"multi_latent_attention", "False"},
            {"normalization", "RMSNorm"},
            {"num_attention_heads", "32"},
            {"num_experts", "None"},
            {"num_layers", "32"},
            {"num_query_groups", "8"},
            {"overlap_grad_reduce", "True"},
            {"pipeline_model_parallel_size", "1"},
            {"position_embedding_type", "rope"},
            {"recompute_granularity", "None"},
            {"seq_length", "8192"},
            {"sequence_parallel", "True"},
            {"swiglu", "True"},
            {"tensor_model_parallel_size", "2"},
            {"untie_embeddings_and_output_weights", "True"},
            {"use_distributed_optimizer", "True"},
            {"world_size", "64"}};
}

// Mixtral 8x7B on 64 H100 with four stages and its experts on eight GPUs.
inline MegatronArguments expert_arguments() {
    MegatronArguments out = dense_arguments();
    out.merge(MegatronArguments{{"expert_model_parallel_size", "8"},
                                {"moe_ffn_hidden_size", "14336"},
                                {"moe_router_topk", "2"},
                                {"moe_token_dispatcher_type", "alltoall"},
                                {"overlap_param_gather", "True"}});
    out["num_experts"] = "8";
    out["seq_length"] = "4096";
    out["sequence_parallel"] = "False";
    out["tensor_model_parallel_size"] = "1";
    out["pipeline_model_parallel_size"] = "4";
    return out;
}

inline std::string megatron_arguments(const MegatronArguments& arguments = dense_arguments(),
                                      int padded_vocabulary = 128256) {
    const int size = std::stoi(arguments.at("world_size"));
    const int tensor = std::stoi(arguments.at("tensor_model_parallel_size"));
    const int stages = std::stoi(arguments.at("pipeline_model_parallel_size"));
    std::string out = written(
        "using world size: %d, data-parallel size: %d, context-parallel size: 1, "
        "tensor-model-parallel size: %d, pipeline-model-parallel size: %d\n"
        "------------------------ arguments ------------------------\n",
        size, size / tensor / stages, tensor, stages);
    for (const auto& [name, value] : arguments) out += argument(name, value);
    return out + "-------------------- end of arguments ---------------------\n" +
           written(" > padded vocab (size: %d) with 0 dummy tokens (new size: %d)\n", padded_vocabulary,
                   padded_vocabulary);
}

inline std::string megatron_step(int step, double ms, int batch = 256) {
    return written(
        " [2026-03-02 10:20:30] iteration %8d/    1000 | consumed samples: %12d | elapsed time per iteration "
        "(ms): %.1f | throughput per GPU (TFLOP/s/GPU): 400.0 | learning rate: 1.0E-04 | global batch size: "
        "%5d | lm loss: 7.1E+00 | loss scale: 1.0 | grad norm: 1.2 |\n",
        step, step * batch, ms, batch);
}

// A run with one slow first step, an evaluation, a checkpoint and one straggling step; the others take 4 s.
inline std::string megatron_log(const std::string& arguments = megatron_arguments()) {
    std::string out = arguments + megatron_step(10, 21000);
    out +=
        "[Rank 0] (after 10 iterations) memory (MB) | allocated: 20480.5 | max allocated: 40960.0 | "
        "reserved: "
        "45000.0 | max reserved: 46080.0\n"
        "[Rank 1] (after 10 iterations) memory (MB) | allocated: 20480.5 | max allocated: 38000.0 | "
        "reserved: "
        "45000.0 | max reserved: 45000.0\n";
    for (int step = 20; step <= 60; step += 10) out += megatron_step(step, 4000);
    out += " validation loss at iteration 60 | lm loss value: 6.5E+00 | lm loss PPL: 6.6E+02 |\n";
    out += megatron_step(70, 4600) + megatron_step(80, 3990) + megatron_step(90, 4010);
    out += "saving checkpoint at iteration      90 to /checkpoints in torch_dist format\n";
    out += megatron_step(100, 5200) + megatron_step(110, 9000) + megatron_step(120, 4000);
    return out;
}

// The script of that run, in the form of NVIDIA's published examples: arrays of arguments, and variables of
// the shell with defaults.
inline std::string megatron_script() {
    return R"(#!/bin/bash
export CUDA_DEVICE_MAX_CONNECTIONS=${CUDA_DEVICE_MAX_CONNECTIONS:-1}
GPUS_PER_NODE=8
NUM_NODES=${SLURM_NNODES:-"8"}
TP_SIZE=2
SEQ_LENGTH=8192
DISTRIBUTED_ARGS=(
    --nproc_per_node $GPUS_PER_NODE
    --nnodes $NUM_NODES
)
MODEL_ARGS=(
    --use-mcore-models
    --num-layers 32
    --hidden-size 4096
    --ffn-hidden-size 14336
    --num-attention-heads 32
    --group-query-attention
    --num-query-groups 8
    --kv-channels 128
    --seq-length $SEQ_LENGTH
    --max-position-embeddings $SEQ_LENGTH
    --position-embedding-type rope
    --rotary-base 1000000
    --attention-dropout 0.0
    --hidden-dropout 0.0
    --swiglu
    --normalization RMSNorm
    --untie-embeddings-and-output-weights
    --disable-bias-linear
    --vocab-size 128256
)
TRAINING_ARGS=(
    --micro-batch-size 1
    --global-batch-size 256
    --lr 0.00015
    --bf16
    --use-distributed-optimizer
    --overlap-grad-reduce
)
MODEL_PARALLEL_ARGS=(
    --tensor-model-parallel-size $TP_SIZE
    --pipeline-model-parallel-size 1
    --sequence-parallel
)
torchrun ${DISTRIBUTED_ARGS[@]} pretrain_gpt.py ${MODEL_ARGS[@]} ${TRAINING_ARGS[@]} ${MODEL_PARALLEL_ARGS[@]}
)";
}

// The log of Mixtral's run, and its script in the form of NVIDIA's published one.
inline std::string expert_log() { return megatron_log(megatron_arguments(expert_arguments(), 32000)); }

inline std::string expert_script() {
    return R"(#!/bin/bash
export CUDA_DEVICE_MAX_CONNECTIONS=1
GPUS_PER_NODE=8
NNODES=${SLURM_NNODES:-"8"}
DISTRIBUTED_ARGS=(
    --nproc_per_node $GPUS_PER_NODE
    --nnodes $NNODES
)
MODEL_ARGS=(
    --use-mcore-models
    --disable-bias-linear
    --seq-length 4096
    --max-position-embeddings 32768
    --num-layers 32
    --hidden-size 4096
    --ffn-hidden-size 14336
    --num-attention-heads 32
    --init-method-std 0.01
    --attention-dropout 0.0
    --hidden-dropout 0.0
    --normalization RMSNorm
    --position-embedding-type rope
    --swiglu
    --untie-embeddings-and-output-weights
    --group-query-attention
    --num-query-groups 8
    --no-masked-softmax-fusion
    --rotary-base 1000000
    --vocab-size 32000
)
MOE_ARGS=(
    --num-experts 8
    --moe-router-topk 2
    --moe-router-load-balancing-type aux_loss
    --moe-aux-loss-coeff 1e-2
    --moe-grouped-gemm
    --moe-token-dispatcher-type alltoall
    --overlap-param-gather
    --overlap-grad-reduce
)
TRAINING_ARGS=(
    --micro-batch-size 1
    --global-batch-size 256
    --lr 1e-4
    --bf16
)
MODEL_PARALLEL_ARGS=(
    --tensor-model-parallel-size 1
    --pipeline-model-parallel-size 4
    --expert-model-parallel-size 8
    --use-distributed-optimizer
)
torchrun ${DISTRIBUTED_ARGS[@]} pretrain_gpt.py ${MODEL_ARGS[@]} ${MOE_ARGS[@]} ${TRAINING_ARGS[@]} \
    ${MODEL_PARALLEL_ARGS[@]}
)";
}

inline std::string torchtitan_step(int step, double tps, double gib = 60.25) {
    return written(
        "[rank0]:[titan] 2026-03-02 10:20:30,123 - root - INFO - \x1b[31mstep: %2d  \x1b[32mloss:  7.0512  "
        "\x1b[38;2;180;60;0mgrad_norm:  1.2000  \x1b[33mmemory: %5.2fGiB(76.09%%)  \x1b[34mtps: %d,%03d  "
        "\x1b[36mtflops: 300.00  \x1b[35mmfu: 30.33%%\x1b[39m\n",
        step, gib, static_cast<int>(tps) / 1000, static_cast<int>(tps) % 1000);
}

// Llama 3 8B on 8 H100, FSDP2, local batch 2 of 8,192 tokens.
inline std::string torchtitan_head() {
    return "[rank0]:[titan] 2026-03-02 10:20:20,100 - root - INFO - Building device mesh with parallelism: "
           "pp=1, "
           "dp_replicate=1, dp_shard=8, cp=1, tp=1, ep=1, etp=1\n"
           "[rank0]:[titan] 2026-03-02 10:20:21,100 - root - INFO - CUDA capacity: NVIDIA H100 80GB HBM3 "
           "with "
           "79.18GiB memory\n"
           "[rank0]:[titan] 2026-03-02 10:20:22,100 - root - INFO - Model llama3 8B size: 8,030,261,248 "
           "total "
           "parameters\n"
           "[rank0]:[titan] 2026-03-02 10:20:22,200 - root - INFO - Applied full activation checkpointing to "
           "the "
           "model\n"
           "[rank0]:[titan] 2026-03-02 10:20:22,300 - root - INFO - Compiling each TransformerBlock with "
           "torch.compile\n"
           "[rank0]:[titan] 2026-03-02 10:20:23,100 - root - INFO - Trainer is initialized with local batch "
           "size "
           "2, global batch size 16, gradient accumulation steps 1, sequence length 8192, total steps 1000 "
           "(warmup 200)\n";
}

inline std::string torchtitan_log() {
    std::string out = torchtitan_head() + torchtitan_step(1, 800);
    for (int step = 10; step <= 60; step += 10) out += torchtitan_step(step, 6000 + step / 10);
    return out;
}

}  // namespace shardscope::testing
