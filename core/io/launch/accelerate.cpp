// Writes the configuration with which Hugging Face's Accelerate starts a program under FSDP2.
//
// Source: huggingface/accelerate 1.11, src/accelerate/utils/dataclasses.py (FullyShardedDataParallelPlugin),
// src/accelerate/parallelism_config.py (ParallelismConfig: replicate × shard × context × tensor is the number
// of processes) and docs/source/concept_guides/fsdp1_vs_fsdp2.md; the keys of the file are those of
// src/accelerate/commands/config/config_args.py.
#include <cmath>

#include "launch/launch.h"
#include "launch/writing.h"
#include "scenario/gpu_groups.h"
#include "text/encode.h"
#include "text/translate.h"

namespace shardscope {
namespace launch {
namespace {

// A YAML file with one level of sections. Values are words, numbers and flags, which need no quotes.
class Yaml {
  public:
    explicit Yaml(std::string head) : text_(std::move(head)) {}
    void put(std::string_view key, const std::string& value) {
        text_ += std::string(inside_ ? "  " : "") + std::string(key) + ": " + value + "\n";
    }
    void put(std::string_view key, bool value) { put(key, std::string(value ? "true" : "false")); }
    void section(std::string_view name) {
        inside_ = false;
        text_ += std::string(name) + ":\n";
        inside_ = true;
    }
    void end_section() { inside_ = false; }
    std::string take() && { return std::move(text_); }

  private:
    std::string text_;
    bool inside_ = false;
};

void write_fsdp(LaunchPlan& plan, Yaml& out) {
    const Settings& s = plan.s;
    const bool offload = plan.is(P::offload, Offload::optimizer_and_parameters);
    const double share = s[P::recompute];
    out.section("fsdp_config");
    out.put("fsdp_version", std::string("2"));
    out.put("fsdp_auto_wrap_policy", std::string("TRANSFORMER_BASED_WRAP"));
    out.put("fsdp_reshard_after_forward", is_fsdp(s) && s.on(P::reshard_after_forward));
    out.put("fsdp_offload_params", offload);
    out.put("fsdp_activation_checkpointing", share > 0);
    out.put("fsdp_cpu_ram_efficient_loading", true);
    out.put("fsdp_state_dict_type", std::string("SHARDED_STATE_DICT"));
    out.end_section();
    if (share > 0 && share < 1)
        plan.note(translate("Accelerate recomputes every layer or none; “{1}” is written as every layer.",
                            {plan.named(P::recompute)}));
    if (share == kRecomputeSelective)
        plan.note(
            translate("Recompute of only the attention core is a setting of the model; flash attention "
                      "always does it."));
    if (plan.is(P::offload, Offload::optimizer))
        plan.note(
            translate("FSDP2 offloads weights, gradients and optimizer together (CPUOffloadPolicy) or "
                      "nothing; no offload is written."));
    if (plan.is(P::sharding, Sharding::zero2))
        plan.note(
            translate("FSDP2 has no zero2; the nearest equivalent is written: weights stay gathered from the "
                      "forward to the backward pass."));
}

void write_parallelism(LaunchPlan& plan, Yaml& out) {
    const Settings& s = plan.s;
    const double context = s[P::context_parallel];
    const double sharers = data_context_parallel(s);
    const bool replicated = s.choice<Sharding>(P::sharding) <= Sharding::zero1;
    const double group = std::fmax(context, replicated ? context : std::fmin(sharers, shard_group(s)));
    const double shard = std::fmax(1.0, std::floor(group / context));
    out.section("parallelism_config");
    out.put("parallelism_config_dp_replicate_size", whole(sharers / (shard * context)));
    out.put("parallelism_config_dp_shard_size", whole(shard));
    out.put("parallelism_config_cp_size", whole(context));
    out.put("parallelism_config_tp_size", plan.whole(P::tensor_parallel));
    out.end_section();
    if (plan.is(P::sharding, Sharding::zero1))
        plan.note(
            translate("FSDP2 always shards weights with the optimizer; replicated weights are written."));
    if (s[P::pipeline_parallel] > 1)
        plan.note(translate("Accelerate has no option for “{1}”; the file is for one stage.",
                            {plan.named(P::pipeline_parallel)}));
    if (s[P::expert_parallel] > 1)
        plan.note(translate("Accelerate has no option for “{1}”; the experts are sharded like other weights.",
                            {plan.named(P::expert_parallel)}));
}

std::string mixed_precision(LaunchPlan& plan) {
    switch (plan.s.choice<Precision>(P::precision)) {
        case Precision::fp16: return "fp16";
        case Precision::fp32: return "'no'";
        case Precision::fp8: return "fp8";
        case Precision::mxfp8:
        case Precision::nvfp4:
            plan.note_missing_option(kAccelerate, P::precision,
                                     translatable("{1} has no option for “{2}”; fp8 is written."));
            return "fp8";
        case Precision::bf16: break;
    }
    return "bf16";
}

LaunchText write(const Answer& answer, const std::string& file) {
    LaunchPlan plan(answer);
    plan.note_other_model(kAccelerate);
    const Settings& s = plan.s;
    const Hosts on = hosts(s);
    const double stages = std::fmax(1.0, s[P::pipeline_parallel]);
    const std::string command = "accelerate launch --config_file " + shell_word(file) +
                                (on.nodes > 1 ? " --machine_rank $RANK_OF_NODE --main_process_ip $HEAD_NODE "
                                                "--main_process_port 29500"
                                              : "") +
                                " train.py";
    Yaml out(header(kAccelerate, answer, start_comment("accelerate launch --config_file …", "train.py")));
    out.put("compute_environment", std::string("LOCAL_MACHINE"));
    out.put("distributed_type", std::string("FSDP"));
    write_fsdp(plan, out);
    write_parallelism(plan, out);
    out.put("mixed_precision", mixed_precision(plan));
    out.put("num_machines", whole(std::fmax(1.0, std::ceil(on.nodes / stages))));
    out.put("num_processes", whole(s[P::gpus] / stages));
    out.put("machine_rank", std::string("0"));
    out.put("main_training_function", std::string("main"));
    out.put("rdzv_backend", std::string(on.nodes > 1 ? "c10d" : "static"));
    out.put("same_network", true);
    out.put("use_cpu", false);
    plan.note(
        translate("Micro-batch {1} and accumulation {2} are arguments of the program: TrainingArguments has "
                  "per_device_train_batch_size and gradient_accumulation_steps.",
                  {plan.whole(P::micro_batch), plan.whole(P::accumulation)}));
    plan.note(translate("The program defines the model; its layers are assumed to be model.layers."));
    return {std::move(out).take(), command, plan.notes};
}

}  // namespace
}  // namespace launch

const LaunchFormat kAccelerate{
    .name = "accelerate",
    .label = "Accelerate",
    .file_name = "accelerate.yaml",
    .stack = "fsdp2",
    .checked = "Accelerate 1.11, FullyShardedDataParallelPlugin, ParallelismConfig",
    .write_as = launch::write,
};

}  // namespace shardscope
