// E8: the workspaces of matrix products, which the framework's allocator hands out once and never frees.
//
// PyTorch has a cuBLAS handle with a workspace in each thread that multiplies: the main thread, and the one
// of the backward pass. Transformer Engine has one workspace of its own, and four more for the streams of
// grouped matrices. The sizes depend on the architecture. Sources: pytorch/pytorch, aten/src/ATen/cuda/
// CublasHandlePool.cpp (parseChosenWorkspaceSize); NVIDIA/TransformerEngine, pytorch/module/base.py
// (get_cublas_workspace_size_bytes, get_multi_stream_cublas_workspace).
#pragma once

namespace shardscope {

struct Workspaces {
    bool is_pytorch = true;
    bool transformer_engine = false;
    bool grouped = false;  // experts are multiplied as one group
    bool large = false;    // the GPU is a Hopper or newer
};
// Returns the bytes on one GPU.
constexpr double workspace_bytes(const Workspaces& of) {
    constexpr double kMiB = 1 << 20;
    constexpr double kThreads = 2, kStreams = 4;
    const double pytorch = of.large ? 32 * kMiB : 8.125 * kMiB;  // two buffers of 4 MiB and eight of 16 KiB
    const double engine = of.large ? 32 * kMiB : 4 * kMiB;
    double bytes = of.is_pytorch ? kThreads * pytorch : 0;
    if (of.transformer_engine) bytes += engine * (of.grouped ? 1 + kStreams : 1);
    return bytes;
}

}  // namespace shardscope
