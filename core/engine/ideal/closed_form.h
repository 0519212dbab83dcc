// E23, E24, E30: the closed form of FSDP training, kept apart from the full engine as its own small
// estimator.
//
// After Wang et al. 2025, arXiv 2504.03655 (reconstructed): matrices at full peak, perfect overlap, one
// gather a layer. The wall it shows is the product memory × bandwidth ÷ FLOPS. The ideal threshold follows
// the roofline of the JAX scaling book (jax-ml.github.io/scaling-book/gpus).
#pragma once

namespace shardscope {

struct IdealInputs {              // all that the closed form knows of a scenario
    double layers = 0;            // L
    double hidden = 0;            // h
    double sequence = 0;          // s
    double layer_parameters = 0;  // φ, of all layers, that a token passes through: 12·L·h² for a GPT
    double held_parameters = 0;   // of all layers on the GPUs of one model copy; 0: the same
    // Of one token, where they do not follow from the shape; 0: they do.
    double forward_flops = 0;
    double kept_bytes = 0;        // of all layers, nothing recomputed
    double element_bytes = 2;     // Q
    double gpus = 1;              // G
    double nodes = 1;             // k that the shard group spans
    double memory = 0;            // M, usable bytes
    double state_bytes = 16;      // per parameter, sharded over G
    double peak = 0;              // S, FLOP/s
    double intra_bandwidth = 0;   // B/s per GPU
    double node_bandwidth = 0;    // B_node = min(intra, local GPUs × NIC), B/s
    double latency = 0;           // ε, s per GPU and layer
    double kept = 1;              // γ, share of activations not recomputed
    double tokens = 0;            // E, tokens per GPU and micro-batch; 0: as many as fit
    double backward_gathers = 1;  // n_b, 1 or 2
    double model_gpus = 1;        // that share one copy of the model: what they cut is cut here, too
    double micro_batches = 1;     // between two transfers: 1 with FSDP, all of a step without
};

struct IdealEstimate {         // what the closed form makes of it
    double free_memory = 0;    // M_free, bytes
    double max_tokens = 0;     // E_max, tokens per GPU that fit
    double tokens = 0;         // E used
    double transfer_time = 0;  // s, one pass over the weights
    double step_time = 0;      // s
    double tokens_per_s = 0;   // K, per GPU
    double mfu = 0;
    double hfu = 0;
    double threshold_tokens = 0;  // t*, tokens per GPU that hide the network
};

IdealEstimate ideal_estimate(const IdealInputs& in);

// E30: tokens per GPU at which the gather of the weights takes as long as the matrices:
// t* = peak/B · Q/2 · (k−1)/k over k > 1 nodes, without the last factor inside one.
double threshold_tokens(double peak, double bandwidth, double element_bytes, double nodes);

// E24: upper bounds when bandwidth binds: as many tokens as fit with everything recomputed, one gather in
// each pass, nothing but gathers. For a GPT K = M_free·B/(24·Q²·L²·h³) and α = (3 +
// s/(2h))·M_free·B/(L·h·Q²·S). NaN for one GPU, which no network binds.
double bandwidth_bound_tokens_per_s(const IdealInputs& in);
double bandwidth_bound_mfu(const IdealInputs& in);
// The machine's part of that bound: M_free·B/S, B²/FLOP.
double memory_bandwidth_per_flops(const IdealInputs& in);
double forward_flops(const IdealInputs& in);        // of one token
double gathered_parameters(const IdealInputs& in);  // by one GPU for one micro-batch

}  // namespace shardscope
