// Writes Megatron-LM's arguments as a script that starts the training.
//
// Sources: NVIDIA/Megatron-LM at commit d98e8a6 (22 August 2026): megatron/training/arguments.py for the
// options, their defaults and the requirements of validate_args; megatron/core/transformer/
// transformer_config.py for those of the model; megatron/core/optimizer for those of the optimizers, and
// cpu_offloading/hybrid_optimizer.py there for the state that an offloaded optimizer has.
#include <algorithm>
#include <cmath>

#include "launch/launch.h"
#include "launch/megatron_model.h"
#include "launch/stage_layers.h"
#include "launch/writing.h"
#include "parameters/interned_text.h"
#include "parameters/matrix_format.h"
#include "scenario/gpu_groups.h"
#include "scenario/software_support.h"
#include "schedules/schedule.h"
#include "text/encode.h"
#include "text/translate.h"

namespace shardscope {
namespace launch {
namespace {

// Returns whether Megatron-LM has the optimizer from the package of emerging optimizers.
bool is_emerging(const Settings& s) {
    const auto optimizer = s.choice<Optimizer>(P::optimizer);
    return optimizer == Optimizer::muon || optimizer == Optimizer::lion;
}

// The number formats of Adam's first and second moment.
struct MomentTypes {
    const char* first;
    const char* second;
};

MomentTypes moment_types(const LaunchSettings& plan) {
    if (plan.is(P::moment_precision, kAsMaster))
        return plan.is(P::optimizer_precision, Precision::bf16) ? MomentTypes{"bf16", "bf16"}
                                                                : MomentTypes{"fp32", "fp32"};
    switch (plan.s.choice<MomentPrecision>(P::moment_precision)) {
        case MomentPrecision::bf16: return {"bf16", "bf16"};
        case MomentPrecision::fp8: return {"fp8", "fp8"};
        case MomentPrecision::fp32: break;
        case MomentPrecision::bf16_fp32: return {"bf16", "fp32"};
        case MomentPrecision::fp8_bf16: return {"fp8", "bf16"};
        case MomentPrecision::fp8_fp32: return {"fp8", "fp32"};
        case MomentPrecision::fp32_bf16: return {"fp32", "bf16"};
        case MomentPrecision::fp32_fp8: return {"fp32", "fp8"};
        case MomentPrecision::bf16_fp8: return {"bf16", "fp8"};
    }
    return {"fp32", "fp32"};
}

// Writes the precision of Adam's state and its offload. Both need the precision-aware optimizer, which is a
// sharded Adam. With any other optimizer Megatron-LM does not start.
void write_optimizer_state(LaunchSettings& plan, Arguments& out) {
    const Settings& s = plan.s;
    const bool offload = !plan.is(P::offload, Offload::none);
    const bool low_master = plan.is(P::optimizer_precision, Precision::bf16);
    const MomentTypes moments = moment_types(plan);
    const bool low =
        low_master || std::string_view(moments.first) != "fp32" || std::string_view(moments.second) != "fp32";
    if (!low && !offload) return;
    const bool adam = !is_emerging(s) && !plan.is(P::optimizer, Optimizer::sgd) &&
                      !plan.is(P::optimizer, Optimizer::momentum);
    if (!adam || plan.is(P::sharding, Sharding::ddp)) {
        if (low)
            plan.note_missing_option(
                kMegatron, low_master ? P::optimizer_precision : P::moment_precision,
                translatable(
                    "{1} has no option for “{2}”; only a sharded Adam can have state of lower precision."));
        if (offload)
            plan.note_missing_option(kMegatron, P::offload,
                                     translatable("{1} has no option for “{2}”; it offloads only a sharded "
                                                  "Adam, and no offload is written."));
        return;
    }
    out.put("--use-precision-aware-optimizer");
    if (has_bf16_weights(plan) && plan.is(P::gradient_precision, Precision::bf16))
        out.put("--main-grads-dtype", "bf16");
    if (offload) out.put("--optimizer-cpu-offload");
    if (plan.is(P::offload, Offload::optimizer_and_parameters))
        plan.note(translate("Megatron-LM offloads the optimizer, not the weights."));
    if (low && offload) {
        plan.note(translate("Megatron-LM keeps the state of an offloaded optimizer in fp32."));
    } else if (low) {
        out.put("--exp-avg-dtype", moments.first);
        out.put("--exp-avg-sq-dtype", moments.second);
        plan.note(
            translate("Beside these moments, Megatron-LM keeps a master copy of the weights in fp32, of "
                      "which it stores the 16 bits that the bf16 weights lack."));
    }
}

void write_optimizer(LaunchSettings& plan, Arguments& out) {
    const Settings& s = plan.s;
    switch (s.choice<Optimizer>(P::optimizer)) {
        case Optimizer::muon: out.put("--optimizer", "muon"); break;
        case Optimizer::lion: out.put("--optimizer", "lion"); break;
        case Optimizer::momentum: out.put("--optimizer", "sgd"); break;
        case Optimizer::sgd: out.put("--optimizer", "sgd"), out.put("--sgd-momentum", "0.0"); break;
        case Optimizer::adamw: out.put("--optimizer", "adam"); break;
        default:
            out.put("--optimizer", "adam");
            plan.note_missing_option(kMegatron, P::optimizer,
                                     translatable("{1} has no option for “{2}”; adam is written."));
    }
    if (is_emerging(s) && plan.is(P::precision, Precision::fp16))
        plan.note(translate("Megatron-LM refuses “{1}” in fp16.", {plan.named(P::optimizer)}));
    write_optimizer_state(plan, out);
}

void write_training(LaunchSettings& plan, Arguments& out) {
    const Settings& s = plan.s;
    put(out, plan, {P::sequence_length, P::micro_batch, P::global_batch});
    // The last batch is complete even where the number of tokens is not a multiple of the batch.
    if (const double count = steps(plan.answer); count > 0) out.put("--train-iters", whole(count));
    switch (s.choice<Precision>(P::precision)) {
        case Precision::bf16: out.put("--bf16"); break;
        case Precision::fp16: out.put("--fp16"); break;
        case Precision::fp8:
            out.put("--bf16"), out.put("--fp8-format", "hybrid");
            out.put("--fp8-recipe", written(P::fp8_recipe, s[P::fp8_recipe]));
            break;
        case Precision::mxfp8:
            out.put("--bf16"), out.put("--fp8-format", "e4m3"), out.put("--fp8-recipe", "mxfp8");
            break;
        case Precision::nvfp4: out.put("--bf16"), out.put("--fp4-format", "e2m1"); break;
        case Precision::fp32: break;
    }
    const bool bf16 = has_bf16_weights(plan);
    const bool fp32 = plan.is(P::gradient_precision, Precision::fp32);
    const bool own = plan.is(P::precision, Precision::fp32) ? fp32
                     : plan.is(P::precision, Precision::fp16)
                         ? plan.is(P::gradient_precision, Precision::fp16)
                         : false;
    if (fp32 && !own) out.put("--accumulate-allreduce-grads-in-fp32");
    else if (bf16 && plan.is(P::gradient_precision, Precision::bf16)) out.put("--grad-reduce-in-bf16");
    else if (!own)
        plan.note_missing_option(
            kMegatron, P::gradient_precision,
            translatable("{1} has no option for “{2}”; gradients have the precision of the weights."));
    write_optimizer(plan, out);
}

// Megatron-FSDP reads neither of the general options of gradients. By default they have the format of the
// parameters.
void write_gradients_of_fsdp(LaunchSettings& plan, Arguments& out) {
    const Settings& s = plan.s;
    const std::string reduced = written(P::gradient_precision, s[P::gradient_precision]);
    const std::string main = s[P::main_gradient_precision] == kAsReduced
                                 ? reduced
                                 : written(P::main_gradient_precision, s[P::main_gradient_precision]);
    const std::string parameters = has_bf16_weights(plan)                   ? "bf16"
                                   : plan.is(P::precision, Precision::fp16) ? "fp16"
                                                                            : "fp32";
    if (main != parameters) out.put("--megatron-fsdp-main-grads-dtype", main);
    if (reduced != main) out.put("--megatron-fsdp-grad-comm-dtype", reduced);
}

// Writes how optimizer state, gradients and weights are sharded.
void write_sharding(LaunchSettings& plan, Arguments& out) {
    const Settings& s = plan.s;
    auto sharding = s.choice<Sharding>(P::sharding);
    if (sharding == Sharding::ddp) return;
    if (is_emerging(s) && sharding != Sharding::zero1) {
        plan.note(translate(
            "Megatron-FSDP does not take “{1}”; ZeRO-1 is written, which gives each GPU the state of "
            "whole matrices.",
            {plan.named(P::optimizer)}));
        sharding = Sharding::zero1;
    }
    out.put("--use-distributed-optimizer");
    // The gather of the weights can overlap only if the reduction of the gradients does.
    if (s.on(P::overlap_grad_reduce)) out.put("--overlap-grad-reduce");
    if (s.on(P::overlap_grad_reduce) && s.on(P::overlap_param_gather)) out.put("--overlap-param-gather");
    else if (s.on(P::overlap_param_gather))
        plan.note(
            translate("Megatron-LM overlaps the gather of weights only with “{1}”; no overlap is written.",
                      {translate(parameter(P::overlap_grad_reduce).label)}));
    if (sharding != Sharding::zero1) {
        out.put("--use-megatron-fsdp");
        out.put("--data-parallel-sharding-strategy",
                sharding == Sharding::zero2 ? "optim_grads" : "optim_grads_params");
        out.put("--ckpt-format", "fsdp_dtensor");
        write_gradients_of_fsdp(plan, out);
        if (is_fsdp(s) && !s.on(P::reshard_after_forward))
            plan.note_missing_option(kMegatron, P::reshard_after_forward);
    }
    const double replicas = max_shard_group(s) / std::fmax(1.0, shard_group(s));
    if (replicas > 1 && is_emerging(s)) plan.note_missing_option(kMegatron, P::shard_group);
    else if (replicas > 1) out.put("--num-distributed-optimizer-instances", whole(replicas));
}

void put_layout(Arguments& out, const std::string& layout) {
    out.put("--pipeline-model-parallel-layout", "'" + layout + "'");
}

// Writes how many layers the stages have, where Megatron-LM would not choose the same numbers by default.
void write_uneven_stages(LaunchSettings& plan, Arguments& out) {
    const double layers = plan.s[P::layers];
    const double stages = plan.s[P::pipeline_parallel];
    const Partition partition = partition_of(plan.s);
    if (partition.even() && std::fmod(layers, stages) == 0) return;
    const LayerSequence sequence(layers, 0, plan.s[P::mtp_layers]);
    const Stages engine = partition_layers(sequence, stages, 1, partition);
    if (partition.even() && std::fmod(layers + 2, stages) == 0 &&
        engine.first.layers() == engine.last.layers() &&
        every_stage(engine, sequence)[1].layers() == engine.first.layers() + 1) {
        out.put("--account-for-embedding-in-pipeline-split");
        out.put("--account-for-loss-in-pipeline-split");
        return;
    }
    const double between = layers - engine.first.layers() - engine.last.layers();
    // These options must be above 0.
    const bool has_layers = engine.first.layers() > 0 && engine.last.layers() > 0;
    if (has_layers && stages > 2 && std::fmod(between, stages - 2) == 0) {
        out.put("--decoder-first-pipeline-num-layers", whole(engine.first.layers()));
        out.put("--decoder-last-pipeline-num-layers", whole(engine.last.layers()));
        return;
    }
    put_layout(out, layout_text(engine_stage_layers(layers, plan.s[P::mtp_layers], stages, partition),
                                prediction_layers(plan.s)));
}

void write_pipeline(LaunchSettings& plan, Arguments& out) {
    const Settings& s = plan.s;
    put(out, plan, {P::pipeline_parallel});
    const auto kind = s.choice<ScheduleKind>(P::schedule);
    const double virtual_stages = s[P::virtual_stages];
    if (s[P::pipeline_parallel] <= 1) {
        if (schedule_of(kind).layered && s[P::accumulation] > 1)
            plan.note(translate("Megatron-LM accumulates micro-batch by micro-batch, not layer by layer."));
        return;
    }
    const bool interleaved = kind == ScheduleKind::interleaved;
    const bool elsewhere = std::ranges::find(plan.more_schedules, kind) != plan.more_schedules.end();
    if (kind != ScheduleKind::one_f_one_b && !interleaved && !elsewhere) {
        plan.note_missing_option(
            kMegatron, P::schedule,
            virtual_stages > 1
                ? translatable(
                      "{1} has no option for “{2}”; the nearest one is written, the interleaved schedule.")
                : translatable("{1} has no option for “{2}”; the nearest one is written, {3}."),
            "1F1B");
    }
    // A hybrid model's layer pattern already separates the stages.
    if (!hybrid_letters(s).empty()) return;
    const double each = s[P::layers] / s[P::pipeline_parallel] / virtual_stages;
    if (s[P::pipeline_layout] != 0) {
        // Without the prediction layers that Megatron-LM cannot have, only the other layers are written.
        put_layout(out, prediction_layers(s) == s[P::mtp_layers]
                            ? std::string(interned_text(s[P::pipeline_layout]))
                            : layout_text(planned_stages(s), 0));
    } else if (virtual_stages > 1 && each == std::floor(each)) {
        out.put("--num-layers-per-virtual-pipeline-stage", whole(each));
    } else if (virtual_stages > 1) {
        put_layout(out,
                   layout_text(uneven_virtual_stages(s[P::layers], s[P::pipeline_parallel] * virtual_stages),
                               prediction_layers(s)));
    } else {
        write_uneven_stages(plan, out);
    }
}

void write_parallelism(LaunchSettings& plan, Arguments& out) {
    const Settings& s = plan.s;
    put(out, plan, {P::tensor_parallel, P::context_parallel});
    if (s[P::tensor_parallel] > 1) {
        if (s.on(P::sequence_parallel)) out.put("--sequence-parallel");
        else if (s[P::experts] > 0)
            plan.note(
                translate("Megatron-LM requires sequence parallelism with tensor and expert parallelism."));
        if (s.on(P::async_tensor_parallel) && s.on(P::sequence_parallel)) out.put("--tp-comm-overlap");
        else if (s.on(P::async_tensor_parallel))
            plan.note(
                translate("Megatron-LM overlaps tensor-parallel communication only with sequence parallelism "
                          "on; no overlap is written."));
    }
    if (s.choice<RankOrder>(P::rank_order) == RankOrder::pipeline_before_data)
        out.put("--use-tp-pp-dp-mapping");
    if (s[P::context_parallel] > 1)
        out.put("--cp-comm-type", context_parallel_kinds()[static_cast<std::size_t>(
                                      s.choice<ContextParallelKind>(P::context_parallel_kind))]);
    if (s[P::context_parallel] > 1 &&
        s.choice<ContextParallelKind>(P::context_parallel_kind) == ContextParallelKind::a2a_p2p) {
        const double inner = s[P::context_parallel_inner] > 0
                                 ? s[P::context_parallel_inner]
                                 : std::fmin(s[P::context_parallel], s[P::gpus_per_node]);
        out.put("--hierarchical-context-parallel-sizes",
                whole(inner) + " " + whole(s[P::context_parallel] / inner));
    }
    if (s[P::context_parallel] > 1 && std::fmod(s[P::sequence_length], 2 * s[P::context_parallel]) != 0)
        plan.note(translate(
            "Megatron-LM requires a sequence that is a multiple of twice the context parallel degree."));
    write_pipeline(plan, out);
    write_sharding(plan, out);
}

// Returns the modules that Megatron-LM recomputes, as a set, and notes those that it refuses in this plan. A
// model without MLA has no up-projection.
unsigned recomputed_modules(LaunchSettings& plan) {
    const Settings& s = plan.s;
    auto out = static_cast<unsigned>(s[P::recompute_modules]);
    if (s[P::kv_lora_rank] <= 0) out &= ~bit(RecomputeModule::mla_up_proj);
    // Only grouped products of experts, which are in bf16, have an activation that is recomputed alone.
    if (s[P::experts] <= 0 || !has_bf16_weights(plan)) out &= ~bit(RecomputeModule::moe_activation);
    if ((out & bit(RecomputeModule::activation)) != 0)
        plan.note(translate("Megatron-LM does not recompute the activation of a dense MLP alone."));
    const unsigned before = out;
    if (plan.is(P::precision, Precision::fp8) && plan.is(P::fp8_recipe, Fp8Recipe::delayed))
        out &= ~(bit(RecomputeModule::layernorm) | bit(RecomputeModule::moe_activation));
    if (out != before)
        plan.note(translate(
            "With the fp8 recipe “delayed”, Megatron-LM recomputes neither norms nor the activation "
            "function of experts; these modules are not written."));
    return out;
}

void write_recomputation(LaunchSettings& plan, Arguments& out) {
    const Settings& s = plan.s;
    const double share = s[P::recompute];
    if (share == 0) return;
    if (share == kRecomputeSelective) {
        const std::string modules = megatron_modules(recomputed_modules(plan));
        if (modules.empty()) return;
        out.put("--recompute-granularity", "selective");
        out.put("--recompute-modules", modules);
        return;
    }
    out.put("--recompute-granularity", "full");
    if (share == 1) {
        out.put("--recompute-method", "uniform");
        out.put("--recompute-num-layers", "1");
        return;
    }
    const double stage = s[P::layers] / s[P::pipeline_parallel] / s[P::virtual_stages];
    const double count = std::fmax(1.0, std::round(share * stage));
    out.put("--recompute-method", "block");
    out.put("--recompute-num-layers", whole(count));
    if (std::fabs(count - share * stage) > 1e-9)
        plan.note(translate("Megatron-LM recomputes whole layers, {1} of every stage, not a share of {2}.",
                            {whole(count), exact(share)}));
}

// Writes how many layers have their activations offloaded, where Megatron-LM can offload them.
void write_activation_offload(LaunchSettings& plan, Arguments& out) {
    const Settings& s = plan.s;
    const double share = s[P::activation_offload];
    if (share <= 0) return;
    const double count = std::fmin(s[P::layers] - 1, std::round(share * s[P::layers]));
    if (s[P::pipeline_parallel] > 1 || s[P::recompute] != 0 || s.on(P::cuda_graphs) || count < 1) {
        plan.note_missing_option(
            kMegatron, P::activation_offload,
            translatable("{1} has no option for “{2}” beside a pipeline, recomputation or CUDA graphs."));
        return;
    }
    out.put("--cpu-offloading-num-layers", whole(count));
    if (std::fabs(count - share * s[P::layers]) > 1e-9)
        plan.note(translate("Megatron-LM offloads the activations of {1} layers.", {whole(count)}));
}

// Writes what changes the time or memory of kernels: fp8, the loss, CUDA graphs, and experts' overlap.
void write_kernels(LaunchSettings& plan, Arguments& out) {
    const Settings& s = plan.s;
    const auto precision = s.choice<Precision>(P::precision);
    const bool fp8 = precision == Precision::fp8 || precision == Precision::mxfp8;
    if (fp8 && s.on(P::fp8_param_gather)) {
        const bool offloaded = !plan.is(P::offload, Offload::none) && !is_emerging(s);
        const bool delayed = precision == Precision::fp8 && plan.is(P::fp8_recipe, Fp8Recipe::delayed);
        if (plan.is(P::sharding, Sharding::ddp)) {
            plan.note_missing_option(kMegatron, P::fp8_param_gather);
        } else if (offloaded && !delayed) {
            plan.note(
                translate("Megatron-LM gathers weights in fp8 beside an offloaded optimizer only with "
                          "the recipe “delayed”; “{1}” is not written.",
                          {plan.named(P::fp8_param_gather)}));
        } else {
            out.put("--fp8-param-gather");
            // Transformer Engine cannot place MXFP8 weights in the buffer of the gathered parameters.
            if (matrix_format(s) == Precision::mxfp8 && !is_fsdp(s))
                out.put("--reuse-grad-buf-for-mxfp8-param-ag");
        }
    }
    if (is_low(precision) && s[P::bf16_layers] > 0) {
        const double at_start = std::ceil(s[P::bf16_layers] / 2);
        const double in_stage = std::floor(s[P::layers] / s[P::pipeline_parallel]);
        const bool delayed = precision == Precision::fp8 && plan.is(P::fp8_recipe, Fp8Recipe::delayed);
        if (delayed || at_start > in_stage) {
            plan.note_missing_option(
                kMegatron, P::bf16_layers,
                translatable("{1} has no option for “{2}” with delayed scaling, or beyond "
                             "the first and the last stage; none is written."));
        } else {
            out.put("--first-last-layers-bf16");
            out.put("--num-layers-at-start-in-bf16", whole(at_start));
            out.put("--num-layers-at-end-in-bf16", whole(std::floor(s[P::bf16_layers] / 2)));
        }
    }
    switch (s.choice<Loss>(P::loss)) {
        case Loss::plain: break;
        case Loss::fused: out.put("--cross-entropy-loss-fusion"); break;
        case Loss::chunked: plan.note_missing_option(kMegatron, P::loss); break;
    }
    // Graphs repeat neither whole layers nor the random numbers of recomputed attention.
    const bool graphed = s[P::recompute] == 0 || (s[P::recompute] < 0 && !s.on(P::dropout));
    if (s.on(P::cuda_graphs) && graphed) {
        out.put("--cuda-graph-impl", "transformer_engine");
        // The dispatch of experts synchronizes with the host unless its buffers are static.
        if (s[P::experts] > 0 && !s.on(P::static_expert_buffers))
            out.put("--cuda-graph-modules", graphs_with_experts(s));
    } else if (s.on(P::cuda_graphs))
        plan.note_missing_option(
            kMegatron, P::cuda_graphs,
            translatable("{1} has no option for “{2}” beside the recomputation of this plan."));
    if (s[P::experts] <= 0 || !s.on(P::moe_overlap)) return;
    const bool exchanges =
        s[P::expert_parallel] > 1 && s.choice<MoeDispatcher>(P::moe_dispatcher) != MoeDispatcher::all_gather;
    if (exchanges && megatron_overlaps_experts(s) && precision != Precision::fp32 &&
        prediction_layers(s) <= 1)
        out.put("--overlap-moe-expert-parallel-comm");
    else
        plan.note_missing_option(
            kMegatron, P::moe_overlap,
            translatable("{1} has no option for “{2}” without expert parallelism, with all-gather, in a "
                         "pipeline without virtual stages, in fp32, with recomputed experts, or with several "
                         "prediction layers."));
}

}  // namespace

std::vector<MegatronArgument> megatron_arguments(LaunchSettings& plan, const LaunchFormat& tool) {
    Arguments out;
    write_model(plan, tool, out);
    write_training(plan, out);
    write_parallelism(plan, out);
    write_recomputation(plan, out);
    write_activation_offload(plan, out);
    write_kernels(plan, out);
    return std::move(out).take();
}

namespace {

LaunchText write_megatron(const Answer& answer, const std::string& file) {
    LaunchSettings plan(answer);
    const Settings& s = plan.s;
    if (s.listed())
        return {"", "", {translate("Megatron-LM trains transformers; this model is a list of operators.")}};
    plan.note_mismatches(kMegatron, writes_layer_pattern(s, kMegatron));
    note_options_without_preset(plan);
    std::string arguments;
    for (const MegatronArgument& argument : megatron_arguments(plan, kMegatron))
        arguments += " \\\n    " + argument.option + (argument.value.empty() ? "" : " ") + argument.value;
    std::string text = "#!/usr/bin/env bash\n" +
                       header(kMegatron, answer,
                              "# Start on every node, with data, tokenizer, learning rate and checkpoints as "
                              "further arguments.\n");
    const std::string start =
        torchrun(plan) + " \\\n    " + (hybrid_letters(s).empty() ? "pretrain_gpt.py" : "pretrain_hybrid.py");
    // On GPUs before Blackwell, tensor and context parallelism need their kernels to run in order, and FSDP
    // needs the opposite.
    const bool megatron_fsdp = s.choice<Sharding>(P::sharding) >= Sharding::zero2 && !is_emerging(s);
    if ((s[P::tensor_parallel] > 1 || s[P::context_parallel] > 1) && !megatron_fsdp)
        text += "export CUDA_DEVICE_MAX_CONNECTIONS=1\n";
    text += start + arguments + " \\\n    \"$@\"\n";
    const std::string command = "bash " + shell_word(file);
    // The job passes on what follows its name on sbatch's command line, such as the data.
    return {text, command + " --data-path …", plan.notes, hosts(s), command + " \"$@\""};
}

}  // namespace
}  // namespace launch

const LaunchFormat kMegatron{
    .name = "megatron",
    .label = "Megatron-LM",
    .file_name = "train.sh",
    .stack = "megatron-core",
    .checked = "Megatron-LM at commit d98e8a6 (August 2026), megatron/training/arguments.py",
    .write_file = launch::write_megatron,
    .recognises = launch::is_megatron,
    .read = launch::read_megatron,
    .gpus_only = true,
};

}  // namespace shardscope
