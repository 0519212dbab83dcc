#!/usr/bin/env bash
# 13B on 64 H100, by Shardscope 0.1.0
# Predicted: 878 ms a step, MFU 38.7 %, 37.5 GiB of 79.1 GiB at peak
# Option names: Megatron-LM at commit 000c4ac (late 2025), megatron/training/arguments.py
# Start on every node, with data, tokenizer, learning rate and checkpoints as further arguments.
torchrun --nnodes=8 --nproc-per-node=8 --rdzv-backend=c10d --rdzv-endpoint="$HEAD_NODE:29500" pretrain_gpt.py \
    --num-layers 40 \
    --hidden-size 5120 \
    --ffn-hidden-size 20480 \
    --num-attention-heads 40 \
    --kv-channels 128 \
    --attention-backend flash \
    --vocab-size 50368 \
    --make-vocab-size-divisible-by 64 \
    --normalization LayerNorm \
    --position-embedding-type learned_absolute \
    --max-position-embeddings 2048 \
    --attention-dropout 0.0 \
    --hidden-dropout 0.0 \
    --seq-length 2048 \
    --micro-batch-size 2 \
    --global-batch-size 128 \
    --bf16 \
    --grad-reduce-in-bf16 \
    --optimizer adam \
    --tensor-model-parallel-size 1 \
    --context-parallel-size 1 \
    --pipeline-model-parallel-size 1 \
    --use-distributed-optimizer \
    --overlap-grad-reduce \
    --overlap-param-gather \
    --use-megatron-fsdp \
    --data-parallel-sharding-strategy optim_grads_params \
    --ckpt-format fsdp_dtensor \
    "$@"
