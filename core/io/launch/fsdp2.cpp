// PyTorch FSDP2: writes a snippet that wraps the training program's own model.
//
// Source: pytorch/pytorch, torch/distributed/fsdp/_fully_shard (fully_shard, MixedPrecisionPolicy,
// CPUOffloadPolicy) at commits 0257dd1 and 01d5c2c; torch.distributed.device_mesh.init_device_mesh and
// torch.distributed.algorithms._checkpoint.checkpoint_wrapper.checkpoint_wrapper.
#include <cmath>

#include "launch/launch.h"
#include "launch/writing.h"
#include "scenario/gpu_groups.h"
#include "text/translate.h"

namespace shardscope {
namespace launch {
namespace {

// The dimensions of the device mesh with a size above one, from the outermost to the innermost.
struct Mesh {
    std::string sizes, names;  // "8, 8, ", "\"replicate\", \"shard\", "
    // Names of the dimensions over which the weights are sharded or replicated.
    std::string weight_dimensions;
    std::string flattened;  // code that joins dimensions to one that weights are sharded over; "" for none
};

// Returns a list that ends in ", " as the inside of a Python tuple, in which a single item keeps its comma.
std::string tuple_of(const std::string& list) {
    const bool single = list.find(", ") == list.size() - 2;
    return list.substr(0, list.size() - (single ? 1 : 2));
}

bool is_ddp(const Settings& s) { return s.choice<Sharding>(P::sharding) <= Sharding::zero1; }

// Weights are also sharded over the GPUs of a context parallel group, which have a dimension of their own.
Mesh mesh_of(const Settings& s) {
    const double context = s[P::context_parallel];
    const double sharers = data_context_parallel(s);
    const double group = is_ddp(s) ? 1 : std::fmin(sharers, shard_group(s));
    const bool joined = context > 1 && std::fmod(is_ddp(s) ? sharers : group, context) == 0;
    const double inner = joined ? context : 1;
    Mesh out;
    const auto add = [&](const char* name, double size, bool always = false) {
        if (size <= 1 && !always) return std::string();
        std::string quoted = std::string("\"") + name + "\"";
        out.sizes += whole(size) + ", ";
        out.names += quoted + ", ";
        return quoted;
    };
    const auto list = [](const std::string& first, const std::string& second) {
        return first + (first.empty() || second.empty() ? "" : ", ") + second;
    };
    add("pipeline", s[P::pipeline_parallel]);
    const std::string replicas = add("replicate", sharers / group / (is_ddp(s) ? inner : 1), is_ddp(s));
    const std::string shards = add("shard", is_ddp(s) ? 1 : group / inner, !is_ddp(s));
    const std::string contexts = joined ? add("context", context) : std::string();
    add("tensor", s[P::tensor_parallel]);
    const std::string sharded = is_ddp(s) ? replicas : shards;
    const std::string name = is_ddp(s) ? "\"data\"" : "\"fsdp\"";
    if (joined) out.flattened = "    mesh[" + list(sharded, contexts) + "]._flatten(" + name + ")\n";
    out.weight_dimensions = joined ? name : sharded;
    if (!is_ddp(s)) out.weight_dimensions = list(replicas, out.weight_dimensions);
    return out;
}

void add_remaining_notes(LaunchSettings& plan) {
    const Settings& s = plan.s;
    if (s[P::tensor_parallel] > 1)
        plan.note(
            translate("Apply tensor parallelism before fully_shard: "
                      "torch.distributed.tensor.parallel.parallelize_module with a plan of the model's "
                      "layers, on mesh[\"tensor\"]."));
    if (s[P::context_parallel] > 1)
        plan.note(
            mesh_of(s).flattened.empty()
                ? translate(
                      "For context parallelism, put torch.distributed.tensor.experimental.context_parallel "
                      "around the training step, on {1} of the GPUs that shard weights.",
                      {plan.whole(P::context_parallel)})
                : translate(
                      "For context parallelism, put torch.distributed.tensor.experimental.context_parallel "
                      "around the training step, on mesh[\"context\"]."));
    if (s[P::pipeline_parallel] > 1)
        plan.note(
            translate("Use torch.distributed.pipelining for the pipeline ({1}), on mesh[\"pipeline\"]; wrap "
                      "each stage separately.",
                      {format(P::schedule, s[P::schedule])}));
    if (s[P::expert_parallel] > 1)
        plan.note(translate(
            "“{1}” is implemented in the model; apply fully_shard to its experts on a separate mesh.",
            {plan.named(P::expert_parallel)}));
    if (plan.is(P::precision, Precision::fp8))
        plan.note(
            translate("For fp8, call torchao's convert_to_float8_training(model) before the wrapping."));
    plan.note_fsdp2_limits();
    if (plan.is(P::optimizer_precision, Precision::bf16))
        plan.note(
            translate("An optimizer in bf16 requires the model in bf16: model.to(torch.bfloat16) before the "
                      "wrapping."));
    plan.note(translate("The program defines the model; its layers are assumed to be model.layers."));
}

// Returns the optimizer's class and its arguments after the weights.
std::string optimizer_of(LaunchSettings& plan) {
    switch (plan.s.choice<Optimizer>(P::optimizer)) {
        case Optimizer::adamw: return "torch.optim.AdamW";
        case Optimizer::momentum: return "torch.optim.SGD, momentum=0.9";
        case Optimizer::sgd: return "torch.optim.SGD";
        case Optimizer::adafactor: return "torch.optim.Adafactor";
        case Optimizer::muon:
            plan.note(translate("torch.optim.Muon supports only matrices; AdamW is written."));
            break;
        default:
            plan.note_missing_option(kFsdp2, P::optimizer,
                                     translatable("{1} has no option for “{2}”; AdamW is written."));
    }
    return "torch.optim.AdamW";
}

std::string dtype(Precision precision) {
    switch (precision) {
        case Precision::fp16: return "torch.float16";
        case Precision::fp32: return "torch.float32";
        default: return "torch.bfloat16";
    }
}

// Returns the code that applies activation checkpointing to layers; "" where there is none.
std::string checkpointing(LaunchSettings& plan) {
    const double share = plan.s[P::recompute];
    if (share == 0 || share == kRecomputeSelective) return {};
    std::string which;
    if (share < 1) {
        const double every = std::fmax(1.0, std::round(1 / share));
        if (every > 1) which = "        if i % " + whole(every) + " == 0:\n    ";
        if (every != 1 / share)
            plan.note(translate("One in {1} layers is recomputed, not a share of {2}.",
                                {whole(every), exact(share)}));
    }
    return "    for i, layer in enumerate(model.layers):\n" + which +
           "        model.layers[i] = checkpoint_wrapper(layer)\n";
}

std::string wrapped_by_fsdp(const LaunchSettings& plan) {
    const Settings& s = plan.s;
    const bool reshard = is_fsdp(s) && s.on(P::reshard_after_forward);
    const bool offload = plan.is(P::offload, Offload::optimizer_and_parameters);
    const std::string mesh = mesh_of(s).weight_dimensions;
    std::string out =
        "    policy = MixedPrecisionPolicy(param_dtype=" + dtype(s.choice<Precision>(P::precision)) +
        ", reduce_dtype=" + dtype(s.choice<Precision>(P::gradient_precision)) + ")\n";
    std::string shared = "mesh=mesh[" + mesh + "], mp_policy=policy";
    if (offload) shared += ", offload_policy=CPUOffloadPolicy()";
    out += "    for layer in model.layers:\n        fully_shard(layer, " + shared +
           ", reshard_after_forward=" + (reshard ? "True" : "False") + ")\n";
    return out + "    fully_shard(model, " + shared + ")\n";
}

// Returns the code for replicated weights, with or without sharded optimizer state.
std::string wrapped_by_ddp(const LaunchSettings& plan) {
    std::string out;
    if (!plan.is(P::precision, Precision::fp32))
        out += "    # Run the forward pass under torch.autocast(\"cuda\", " +
               dtype(plan.s.choice<Precision>(P::precision)) + ").\n";
    return out + "    model = DistributedDataParallel(model, device_mesh=mesh[" +
           mesh_of(plan.s).weight_dimensions + "])\n";
}

LaunchText write_fsdp2(const Answer& answer, const std::string& /*file: the program imports it*/) {
    LaunchSettings plan(answer);
    const Settings& s = plan.s;
    const std::string launcher = torchrun(plan);
    plan.note_mismatches(kFsdp2);
    const bool ddp = is_ddp(s);
    const bool zero1 = plan.is(P::sharding, Sharding::zero1);
    const std::string recomputed = checkpointing(plan);
    const std::string optimizer = optimizer_of(plan);
    if (ddp) plan.note(translate("FSDP2 always shards weights: DistributedDataParallel is written instead."));
    add_remaining_notes(plan);
    if (plan.is(P::precision, Precision::mxfp8) || plan.is(P::precision, Precision::nvfp4))
        plan.note_missing_option(kFsdp2, P::precision,
                                 translatable("{1} has no option for “{2}”; bfloat16 is written."));
    const Mesh mesh = mesh_of(s);

    std::string out = header(kFsdp2, answer, start_comment(launcher, "train.py")) + "import torch\n";
    if (!recomputed.empty())
        out += "from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import checkpoint_wrapper\n";
    out += "from torch.distributed.device_mesh import init_device_mesh\n";
    if (!ddp)
        out += std::string("from torch.distributed.fsdp import ") +
               (plan.is(P::offload, Offload::optimizer_and_parameters) ? "CPUOffloadPolicy, " : "") +
               "MixedPrecisionPolicy, fully_shard\n";
    if (zero1) out += "from torch.distributed.optim import ZeroRedundancyOptimizer\n";
    if (ddp) out += "from torch.nn.parallel import DistributedDataParallel\n";
    out += "\n";
    if (!s.listed()) out += "SEQUENCE = " + plan.whole(P::sequence_length) + "\n";
    out += "MICRO_BATCH = " + plan.whole(P::micro_batch) + "  # sequences at a time\n";
    out += "ACCUMULATION = " + plan.whole(P::accumulation) +
           "  # of them before optimizer.step(): a batch of " + plan.whole(P::global_batch) + "\n\n\n";
    out += "def wrap(model):\n    mesh = init_device_mesh(\"cuda\", (" + tuple_of(mesh.sizes) +
           "), mesh_dim_names=(" + tuple_of(mesh.names) + "))\n" + mesh.flattened;
    out += recomputed + (ddp ? wrapped_by_ddp(plan) : wrapped_by_fsdp(plan));
    const std::size_t comma = optimizer.find(", ");
    const std::string type = optimizer.substr(0, comma);
    const std::string more = comma == std::string::npos ? "" : optimizer.substr(comma);
    // The default process group spans pipeline stages and tensor ranks, whose weights differ.
    out += zero1 ? "    optimizer = ZeroRedundancyOptimizer(model.parameters(), optimizer_class=" + type +
                       ", process_group=mesh[" + mesh.weight_dimensions + "].get_group()" + more
                 : "    optimizer = " + type + "(model.parameters()" + more;
    out += ", lr=3e-4)\n    return model, optimizer\n";
    return {out, launcher + " train.py", plan.notes, hosts(s)};
}

}  // namespace
}  // namespace launch

const LaunchFormat kFsdp2{
    .name = "fsdp2",
    .label = "PyTorch FSDP2",
    .file_name = "wrap_model.py",
    .stack = "fsdp2",
    .checked = "PyTorch at commit 0257dd1, torch/distributed/fsdp/_fully_shard",
    .write_file = launch::write_fsdp2,
};

}  // namespace shardscope
