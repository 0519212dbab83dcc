#!/usr/bin/env bash
# Llama 3 70B cut in three ways on 512 H100, by Shardscope 0.1.0
# Predicted: 15 s a step, MFU 54.0 %, 54.5 GiB of 79.1 GiB at peak
# Option names: Megatron-LM at commit 000c4ac (late 2025), megatron/training/arguments.py
# Start on every node, with data, tokenizer, learning rate and checkpoints as further arguments.
export CUDA_DEVICE_MAX_CONNECTIONS=1
torchrun --nnodes=64 --nproc-per-node=8 --rdzv-backend=c10d --rdzv-endpoint="$HEAD_NODE:29500" pretrain_gpt.py \
    --num-layers 80 \
    --hidden-size 8192 \
    --ffn-hidden-size 28672 \
    --num-attention-heads 64 \
    --kv-channels 128 \
    --group-query-attention \
    --num-query-groups 8 \
    --attention-backend flash \
    --vocab-size 128256 \
    --make-vocab-size-divisible-by 64 \
    --swiglu \
    --normalization RMSNorm \
    --untie-embeddings-and-output-weights \
    --disable-bias-linear \
    --position-embedding-type rope \
    --max-position-embeddings 8192 \
    --attention-dropout 0.0 \
    --hidden-dropout 0.0 \
    --seq-length 8192 \
    --micro-batch-size 1 \
    --global-batch-size 1024 \
    --bf16 \
    --accumulate-allreduce-grads-in-fp32 \
    --optimizer adam \
    --tensor-model-parallel-size 4 \
    --context-parallel-size 2 \
    --sequence-parallel \
    --pipeline-model-parallel-size 4 \
    --num-layers-per-virtual-pipeline-stage 4 \
    --use-distributed-optimizer \
    --overlap-grad-reduce \
    --overlap-param-gather \
    "$@"
