// E23, E24, E30: the closed form of FSDP training, a small estimator that is separate from the prediction.
//
// It follows Wang et al. 2025, arXiv 2504.03655 (reconstructed), and assumes matrices at full peak, perfect
// overlap and one gather per layer. The product memory × bandwidth ÷ FLOPS limits its throughput. The ideal
// threshold follows the roofline of the JAX scaling book (jax-ml.github.io/scaling-book/gpus).
//
// The throughput is an upper bound of every prediction of the same plan. So it counts the FLOPs that the
// kernels execute, and gathers at the full rate of the links by the same law (E15) as the prediction. The
// closed form describes plans that gather all weights layer by layer. With other plans a perfect network is
// hidden completely, so that only the executed FLOPs take time.
#pragma once

#include <optional>

namespace shardscope {

struct IdealInputs {              // everything that the closed form uses of a scenario
    double layers = 0;            // L
    double hidden = 0;            // h
    double sequence = 0;          // s
    double layer_parameters = 0;  // φ, in all layers, that a token passes through: 12·L·h² for a GPT
    double held_parameters = 0;   // in all layers, on the GPUs of one model replica; 0: φ
    // FLOPs of the mixers per token where the layers are of different kinds; without it all layers attend to
    // all tokens.
    std::optional<double> mixer_flops{};
    // Per token; 0: they follow from the shape.
    double forward_flops = 0;
    double kept_bytes = 0;        // activations of all layers without recomputation
    double element_bytes = 2;     // Q
    double gpus = 1;              // G
    double nodes = 1;             // k, nodes that the shard group spans
    double memory = 0;            // M, usable bytes
    double state_bytes = 16;      // per parameter, sharded over G
    double peak = 0;              // S, FLOP/s
    double intra_bandwidth = 0;   // B/s per GPU
    double node_bandwidth = 0;    // B_node = min(intra, local GPUs × NIC), B/s
    double latency = 0;           // ε, s per GPU and layer
    double kept = 1;              // γ, share of activations not recomputed
    double tokens = 0;            // E, tokens per GPU and micro-batch; 0: as many as fit
    double backward_gathers = 1;  // n_b ≤ 1, longest backward transfer of a layer ÷ its gather
    double model_gpus = 1;        // GPUs of one model replica, which divide weights and work evenly
    double micro_batches = 1;     // between two transfers: 1 with FSDP, else all of a step
    // FLOPs that the kernels execute for a token on all GPUs of a model replica; 0: they follow from the
    // shape.
    double executed_forward = 0;
    double executed_backward = 0;  // with the recomputed ones
    double model_flops = 0;        // per token, that the MFU counts; 0: three times the forward FLOPs
    // Whether all weights are gathered layer by layer; else a perfect network takes no time.
    bool gathers_layers = true;
    double gathers = 0;         // equal gathers with the same latency as those of all layers; 0: L
    double ring_share = 1;      // (g−1)/g, the share of a tensor that a GPU of the ring receives
    double ring_bandwidth = 0;  // B/s of the shard group's ring at the full rate of its links; 0: as above
    double sharpness = 1;       // κ = k/ln 2 of E15; 1: latency and streaming add up
};

struct IdealEstimate {         // the results of the closed form
    double free_memory = 0;    // M_free, bytes
    double max_tokens = 0;     // E_max, tokens per GPU that fit
    double tokens = 0;         // E, the tokens per GPU of the estimate
    double transfer_time = 0;  // s, one transfer of the weights
    double step_time = 0;      // s
    double tokens_per_s = 0;   // K, per GPU
    double mfu = 0;
    double hfu = 0;
    double threshold_tokens = 0;  // t*, tokens per GPU from which compute hides the network
};

IdealEstimate ideal_estimate(const IdealInputs& in);

// E30: returns the tokens per GPU at which gathering the weights takes as long as the matrices:
// t* = peak/B · Q/2 · (k−1)/k for k > 1 nodes, and without the last factor inside one node.
double threshold_tokens(double peak, double bandwidth, double element_bytes, double nodes);

// E24: upper bounds if bandwidth is the bottleneck: as many tokens as fit with full recompute, one gather per
// pass, and no time but that of the gathers. For a GPT they are K = M_free·B/(24·Q²·L²·h³) and
// α = (3 + s/(2h))·M_free·B/(L·h·Q²·S). They are NaN for one GPU, which uses no network.
double bandwidth_bound_tokens_per_s(const IdealInputs& in);
double bandwidth_bound_mfu(const IdealInputs& in);
// Returns the hardware's part of that bound, M_free·B/S, in B²/FLOP.
double memory_bandwidth_per_flops(const IdealInputs& in);
double forward_flops(const IdealInputs& in);        // per token
double gathered_parameters(const IdealInputs& in);  // per GPU and micro-batch

}  // namespace shardscope
