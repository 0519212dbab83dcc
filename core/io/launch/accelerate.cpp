// Writes the configuration with which Hugging Face's Accelerate starts a program under FSDP2.
//
// Source: huggingface/accelerate 1.11 and commit 16cb6eb, src/accelerate/utils/dataclasses.py
// (FullyShardedDataParallelPlugin), src/accelerate/parallelism_config.py (ParallelismConfig: replicate ×
// shard × context × tensor is the number of processes) and docs/source/concept_guides/fsdp1_vs_fsdp2.md; the
// keys of the file are those of src/accelerate/commands/config/config_args.py.
#include <cmath>

#include "launch/launch.h"
#include "launch/writing.h"
#include "launch/yaml.h"
#include "scenario/gpu_groups.h"
#include "text/encode.h"
#include "text/translate.h"

namespace shardscope {
namespace launch {
namespace {

// Returns whether no data or context parallelism is left to shard over; the device mesh of FSDP2 needs such a
// dimension.
bool has_only_tensor_parallelism(const Settings& s) {
    return s[P::tensor_parallel] > 1 && data_context_parallel(s) <= 1;
}

// Returns whether the program starts without FSDP2: with replicated weights, beside which Accelerate has no
// other dimension, or with tensor parallelism over all GPUs.
bool runs_without_fsdp(const Settings& s) {
    const bool groups_of_one = max_shard_group(s) > 1 && shard_group(s) <= 1;
    return ((s.choice<Sharding>(P::sharding) <= Sharding::zero1 || groups_of_one) &&
            s[P::tensor_parallel] <= 1 && s[P::context_parallel] <= 1) ||
           has_only_tensor_parallelism(s);
}

void note_without_fsdp(LaunchSettings& plan) {
    for (const P id : {P::recompute, P::offload}) {
        if (plan.s[id] != 0)
            plan.note_missing_option(
                kAccelerate, id, translatable("{1} has no option for “{2}” without FSDP; none is written."));
    }
    if (plan.is(P::sharding, Sharding::zero1) && !has_only_tensor_parallelism(plan.s))
        plan.note_missing_option(
            kAccelerate, P::sharding,
            translatable("{1} has no option for “{2}”; the optimizer is replicated with the weights."));
}

void write_fsdp(LaunchSettings& plan, Yaml& out) {
    const Settings& s = plan.s;
    const bool offload = plan.is(P::offload, Offload::optimizer_and_parameters);
    const double share = s[P::recompute];
    out.section("fsdp_config");
    out.put("fsdp_version", std::string("2"));
    out.put("fsdp_auto_wrap_policy", std::string("TRANSFORMER_BASED_WRAP"));
    out.put("fsdp_reshard_after_forward", is_fsdp(s) && s.on(P::reshard_after_forward));
    out.put("fsdp_offload_params", offload);
    out.put("fsdp_activation_checkpointing", share > 0);
    // Layers of torchao in fp8 cannot be loaded by rank 0 alone.
    out.put("fsdp_cpu_ram_efficient_loading", !is_low(s.choice<Precision>(P::precision)));
    out.put("fsdp_state_dict_type", std::string("SHARDED_STATE_DICT"));
    out.end_section();
    if (share > 0 && share < 1)
        plan.note(translate("Accelerate recomputes every layer or none; “{1}” is written as every layer.",
                            {plan.named(P::recompute)}));
    plan.note_fsdp2_limits();
    plan.note(
        translate("FSDP2 wraps the layers that the model lists in _no_split_modules; if it lists none, add "
                  "fsdp_transformer_layer_cls_to_wrap."));
}

void write_mesh(LaunchSettings& plan, Yaml& out) {
    const Settings& s = plan.s;
    const double context = s[P::context_parallel];
    const double sharers = data_context_parallel(s);
    const double group = std::fmax(context, std::fmin(sharers, shard_group(s)));
    double shard = std::fmax(1.0, std::floor(group / context));
    double replicas = sharers / (shard * context);
    // ParallelismConfig refuses replicas without a sharded dimension together with tensor or
    // context parallelism.
    const bool divided = s[P::tensor_parallel] > 1 || context > 1;
    const bool replicated = s.choice<Sharding>(P::sharding) <= Sharding::zero1;
    const bool refused = divided && (replicated || shard == 1) && sharers > shard * context;
    const bool uneven = std::fmod(sharers, shard * context) != 0;
    if (refused || uneven) {
        shard = sharers / context;
        replicas = 1;
    }
    if (sharers > context && (replicated || shard * context > group))
        plan.note_missing_option(
            kAccelerate, P::sharding,
            translatable(
                "{1} has no option for “{2}” together with tensor or context parallelism; weights are "
                "sharded over all data-parallel GPUs."));
    else if (shard * context != group)
        plan.note(translate(
            "The shard group of {1} GPUs does not match the {2} context-parallel GPUs; weights are sharded "
            "over groups of {3}.",
            {whole(group), whole(context), whole(shard * context)}));
    out.section("parallelism_config");
    out.put("parallelism_config_dp_replicate_size", whole(replicas));
    out.put("parallelism_config_dp_shard_size", whole(shard));
    out.put("parallelism_config_cp_size", whole(context));
    out.put("parallelism_config_tp_size", plan.whole(P::tensor_parallel));
    if (context > 1) {
        // Accelerate's ring attention passes keys and values on by all-to-all (PyTorch's
        // set_rotate_method).
        const bool ring = plan.is(P::context_parallel_kind, ContextParallelKind::p2p);
        out.put("parallelism_config_cp_comm_strategy", ring ? "alltoall" : "allgather");
        if (!ring && !plan.is(P::context_parallel_kind, ContextParallelKind::all_gather))
            plan.note_missing_option(kAccelerate, P::context_parallel_kind,
                                     translatable("{1} has no option for “{2}”; {3} is written."),
                                     "allgather");
    }
    out.end_section();
}

void note_other_parallelism(LaunchSettings& plan) {
    const Settings& s = plan.s;
    if (s[P::pipeline_parallel] > 1)
        plan.note(translate("Accelerate has no option for “{1}”; the file is for one stage.",
                            {plan.named(P::pipeline_parallel)}));
    if (s[P::expert_parallel] > 1)
        plan.note(translate("Accelerate has no option for “{1}”; the experts are sharded like other weights.",
                            {plan.named(P::expert_parallel)}));
}

// Returns the machines of one pipeline stage: each has equally many processes.
Hosts hosts_of_stage(const Settings& s) {
    const double processes = s[P::gpus] / std::fmax(1.0, s[P::pipeline_parallel]);
    double machines = std::ceil(processes / hosts(s).gpus);
    while (std::fmod(processes, machines) != 0) ++machines;
    return {machines, processes / machines};
}

std::string mixed_precision(LaunchSettings& plan) {
    switch (plan.s.choice<Precision>(P::precision)) {
        case Precision::fp16: return "fp16";
        case Precision::fp32: return "'no'";
        case Precision::fp8:
            if (!plan.is(P::fp8_recipe, Fp8Recipe::tensorwise))
                plan.note_missing_option(kAccelerate, P::fp8_recipe,
                                         translatable("{1} has no option for “{2}”; it scales by tensor."));
            return "fp8";
        case Precision::mxfp8:
        case Precision::nvfp4:
            plan.note_missing_option(kAccelerate, P::precision,
                                     translatable("{1} has no option for “{2}”; fp8 is written."));
            return "fp8";
        case Precision::bf16: break;
    }
    return "bf16";
}

LaunchText write_accelerate(const Answer& answer, const std::string& file) {
    LaunchSettings plan(answer);
    plan.note_mismatches(kAccelerate);
    const bool without_fsdp = runs_without_fsdp(plan.s);
    const Hosts on = hosts_of_stage(plan.s);
    note_hosts(plan);
    const bool several = on.nodes > 1;
    const auto command = [&](const char* rank) {
        return "accelerate launch --config_file " + shell_word(file) +
               (several ? " --machine_rank " + std::string(rank) +
                              " --main_process_ip $HEAD_NODE --main_process_port 29500"
                        : std::string()) +
               " train.py";
    };
    Yaml out(header(kAccelerate, answer, start_comment("accelerate launch --config_file …", "train.py")));
    out.put("compute_environment", std::string("LOCAL_MACHINE"));
    out.put("distributed_type", std::string(without_fsdp ? "MULTI_GPU" : "FSDP"));
    if (without_fsdp) note_without_fsdp(plan);
    else write_fsdp(plan, out);
    if (!without_fsdp || has_only_tensor_parallelism(plan.s)) write_mesh(plan, out);
    if (is_compiled(plan.s)) {
        out.section("dynamo_config");
        out.put("dynamo_backend", "INDUCTOR");
        out.end_section();
    }
    note_other_parallelism(plan);
    out.put("mixed_precision", mixed_precision(plan));
    if (is_low(plan.s.choice<Precision>(P::precision))) {
        out.section("fp8_config");
        out.put("backend", "AO");
        out.put("enable_fsdp_float8_all_gather", !without_fsdp && plan.s.on(P::fp8_param_gather));
        out.end_section();
    }
    out.put("num_machines", whole(on.nodes));
    out.put("num_processes", whole(on.nodes * on.gpus));
    out.put("machine_rank", std::string("0"));
    out.put("main_training_function", std::string("main"));
    out.put("rdzv_backend", std::string(several ? "c10d" : "static"));
    out.put("same_network", true);
    out.put("use_cpu", false);
    plan.note(plan.s.listed()
                  ? translate("The program defines the model.")
                  : translate("The program defines the model, with its sequence of {1} and its attention.",
                              {format(P::sequence_length, plan.s[P::sequence_length])}));
    plan.note(
        translate("Micro-batch {1} and accumulation {2} are arguments of the program: TrainingArguments has "
                  "per_device_train_batch_size and gradient_accumulation_steps.",
                  {plan.whole(P::micro_batch), plan.whole(P::accumulation)}));
    // Each node of a job expands its own number.
    const std::string job =
        several ? "bash -c " + shell_word(command("$SLURM_NODEID")) : command("$SLURM_NODEID");
    return {std::move(out).take(), command("$RANK_OF_NODE"), plan.notes, on, job};
}

}  // namespace
}  // namespace launch

const LaunchFormat kAccelerate{
    .name = "accelerate",
    .label = "Accelerate",
    .file_name = "accelerate.yaml",
    .stack = "fsdp2",
    .checked = "Accelerate 1.11, FullyShardedDataParallelPlugin, ParallelismConfig",
    .write_file = launch::write_accelerate,
};

}  // namespace shardscope
