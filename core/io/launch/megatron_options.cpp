// Reads Megatron-LM's arguments. An absent option has Megatron-LM's default value. The source is that of
// megatron.cpp.
#include "launch/megatron_options.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "launch/megatron_command.h"
#include "launch/megatron_programs.h"
#include "launch/megatron_shape.h"
#include "launch/named_parameter.h"
#include "launch/reading.h"
#include "launch/stage_layers.h"
#include "launch/unmodelled_options.h"
#include "parameters/interned_text.h"
#include "parameters/matrix_format.h"
#include "scenario/gpu_groups.h"
#include "schedules/pipeline_layout.h"
#include "text/encode.h"
#include "text/text.h"
#include "text/translate.h"

namespace shardscope::launch {
namespace {

constexpr std::array kSingleOptions{
    NamedParameter{"--num-layers", P::layers},
    NamedParameter{"--hidden-size", P::hidden_size},
    NamedParameter{"--ffn-hidden-size", P::ffn_size},
    NamedParameter{"--num-attention-heads", P::heads},
    NamedParameter{"--num-query-groups", P::kv_heads},
    NamedParameter{"--kv-channels", P::head_size},
    NamedParameter{"--vocab-size", P::vocab_size},
    NamedParameter{"--q-lora-rank", P::q_lora_rank},
    NamedParameter{"--kv-lora-rank", P::kv_lora_rank},
    NamedParameter{"--qk-pos-emb-head-dim", P::rope_head_size},
    NamedParameter{"--num-experts", P::experts},
    NamedParameter{"--moe-router-topk", P::experts_per_token},
    NamedParameter{"--moe-router-num-groups", P::expert_groups},
    NamedParameter{"--moe-router-group-topk", P::chosen_expert_groups},
    NamedParameter{"--moe-shared-expert-intermediate-size", P::shared_expert_ffn_size},
    NamedParameter{"--moe-latent-size", P::latent_expert_size},
    NamedParameter{"--seq-length", P::sequence_length},
    NamedParameter{"--micro-batch-size", P::micro_batch},
    NamedParameter{"--global-batch-size", P::global_batch},
    NamedParameter{"--tensor-model-parallel-size", P::tensor_parallel},
    NamedParameter{"--pipeline-model-parallel-size", P::pipeline_parallel},
    NamedParameter{"--context-parallel-size", P::context_parallel},
    NamedParameter{"--expert-model-parallel-size", P::expert_parallel},
};

// The names of --recompute-modules (megatron/core/transformer/transformer_config.py). Megatron-LM does not
// recompute the activation of a dense MLP alone.
struct ModuleName {
    std::string_view name;
    RecomputeModule module;
};
constexpr std::array kModules{
    ModuleName{"layernorm", RecomputeModule::layernorm},
    ModuleName{"core_attn", RecomputeModule::core_attention},
    ModuleName{"mla_up_proj", RecomputeModule::mla_up_proj},
    ModuleName{"mlp", RecomputeModule::mlp},
    ModuleName{"moe", RecomputeModule::moe},
    ModuleName{"moe_act", RecomputeModule::moe_activation},
    ModuleName{"shared_experts", RecomputeModule::shared_experts},
};
// Parts of linear attention and of hyper-connections, which the engine does not recompute.
constexpr auto kUnmodelledModules =
    std::to_array<std::string_view>({"gdn_norm_out", "gdp_in_proj", "gdp_qkv", "mhc"});

class OptionReader {
  public:
    OptionReader(MegatronCommand& command, ScenarioBuilder& out) : o_(command), out_(out) {}

    void training() {
        out_.give(P::software, o_.has("--deepspeed") ? "megatron-deepspeed" : "megatron-core");
        out_.give(P::micro_batch, required(P::micro_batch));
        const bool bf16 = o_.flag("--bf16");
        const bool fp16 = o_.flag("--fp16");
        const bool fp8 = o_.flag("--fp8-format") || o_.flag("--fp8-hybrid") || o_.flag("--fp8-e4m3");
        const bool fp4 = o_.flag("--fp4-format");
        const std::string recipe = choice("--fp8-recipe", {"delayed", "tensorwise", "blockwise", "mxfp8"});
        const bool mxfp8 = fp8 && recipe == "mxfp8";
        out_.give(P::precision, fp4     ? "nvfp4"
                                : mxfp8 ? "mxfp8"
                                : fp8   ? "fp8"
                                : fp16  ? "fp16"
                                : bf16  ? "bf16"
                                        : "fp32");
        if (fp8 && !mxfp8) out_.give(P::fp8_recipe, recipe);
        // Main gradients in bf16 are those that are reduced.
        const bool low_main = choice("--main-grads-dtype", {"fp32", "bf16"}) == "bf16";
        const bool low = o_.flag("--grad-reduce-in-bf16") || low_main;
        const bool full =
            o_.flag("--accumulate-allreduce-grads-in-fp32") || (bf16 && !low) || (!bf16 && !fp16);
        const std::string parameters = bf16 ? "bf16" : fp16 ? "fp16" : "fp32";
        if (o_.has("--use-megatron-fsdp")) gradients_of_fsdp(parameters);
        else out_.give(P::gradient_precision, full ? "fp32" : fp16 ? "fp16" : "bf16");
        optimizer();
        recomputation_and_attention();
    }

    void parallelism(double layers) {
        for (const P id : {P::tensor_parallel, P::pipeline_parallel, P::context_parallel})
            out_.give(id, number(id, 1));
        const double experts = number(P::expert_parallel, 1);
        if (out_.settings()[P::experts] > 0) out_.give(P::expert_parallel, experts);
        // Without tensor parallelism, neither has an effect.
        const bool sequence = o_.flag("--sequence-parallel");
        const bool overlapped = o_.flag("--tp-comm-overlap");
        if (o_.flag("--use-tp-pp-dp-mapping")) out_.give(P::rank_order, "tp-cp-ep-pp-dp");
        if (number(P::tensor_parallel, 1) > 1) {
            out_.give(P::sequence_parallel, sequence ? 1 : 0);
            out_.give(P::async_tensor_parallel, overlapped ? 1 : 0);
        }
        const double stages = number(P::pipeline_parallel, 1);
        const double each = o_.number("--num-layers-per-virtual-pipeline-stage", 0);
        const CountedEnds counted{o_.flag("--account-for-embedding-in-pipeline-split") ? 1.0 : 0.0,
                                  o_.flag("--account-for-loss-in-pipeline-split") ? 1.0 : 0.0};
        const double virtual_stages = each > 0 ? (layers + counted.sum()) / stages / each
                                               : o_.number("--num-virtual-stages-per-pipeline-rank", 1);
        if (virtual_stages > 1) {
            out_.give(P::virtual_stages, virtual_stages);
            out_.give(P::schedule, "interleaved");
        }
        read_stages(layers, stages, std::fmax(1.0, virtual_stages), counted);
        // torchrun accepts both spellings.
        const char* processes = o_.has("--nproc-per-node") ? "--nproc-per-node" : "--nproc_per_node";
        // The launcher of DeepSpeed has other names.
        const char* nodes = o_.has("--num_nodes") ? "--num_nodes" : "--nnodes";
        if (o_.has("--num_gpus")) processes = "--num_gpus";
        // Without a launcher srun starts a process for each GPU.
        const bool has_launcher = o_.has(processes) || o_.has(nodes);
        out_.set_gpus(has_launcher ? count_of(nodes, 1) * count_of(processes, 0) : o_.slurm_tasks(),
                      o_.shell_default(nodes) != nullptr);
        for (const char* option : {nodes, processes}) note_default(option);
        if (o_.has(option_of(P::global_batch))) out_.give(P::global_batch, number(P::global_batch, 1));
        recomputed_share(layers, stages, std::fmax(1.0, virtual_stages));
        sharding();
    }

    void length() {
        const Settings s = out_.settings();
        const double steps = o_.number("--train-iters", 0);
        const double samples = o_.number("--train-samples", steps * s[P::global_batch]);
        if (samples > 0) out_.give(P::training_tokens, samples * s[P::sequence_length]);
    }

  private:
    double number(P id, double otherwise) { return o_.number(option_of(id), otherwise); }
    std::string choice(const char* option, std::initializer_list<const char*> known) {
        return modelled_choice(o_, out_, option, known);
    }
    double required(P id) { return required_number(o_, id); }
    [[nodiscard]] double predictions() const { return out_.settings()[P::mtp_layers]; }
    // Says that a number of nodes or GPUs may be another one in the job.
    void note_default(const char* option) {
        const FromShell* from = o_.shell_default(option);
        if (!from) return;
        out_.note(
            translate("{1} of the environment is not known (line {2}); the default is assumed: {3} {4}.",
                      {from->expression, std::to_string(from->line), option, o_.text(option, "")}));
    }

    // Returns 0 where the value is not a number, such as --nproc-per-node=gpu, or --nnodes=1:4 of an elastic
    // run.
    double count_of(const char* option, double otherwise) {
        const std::string given = o_.text(option, "");
        if (given.empty()) return otherwise;
        const Parsed parsed = parse(given, Quantity::count);
        return parsed.ok ? parsed.value : 0;
    }

    // Megatron-FSDP has its own options. By default the gradients have the format of the parameters, and are
    // reduced as they are stored.
    void gradients_of_fsdp(const std::string& parameters) {
        std::string main = o_.text("--megatron-fsdp-main-grads-dtype", "auto");
        if (main == "auto" || main == "None") main = parameters;
        std::string reduced = o_.text("--megatron-fsdp-grad-comm-dtype", "auto");
        if (reduced == "auto" || reduced == "None") reduced = main;
        const Parsed stored_as = parse(P::main_gradient_precision, main);
        const Parsed reduced_as = parse(P::gradient_precision, reduced);
        if (!reduced_as.ok || (main != reduced && !stored_as.ok)) {
            o_.problem("--megatron-fsdp-main-grads-dtype",
                       translate("“{1}” is not known", {reduced_as.ok ? main : reduced}), "",
                       translate("write fp32, bf16, fp16 or auto"));
            return;
        }
        out_.give(P::gradient_precision, reduced_as.value);
        if (main != reduced) out_.give(P::main_gradient_precision, stored_as.value);
    }

    // The layers as which Megatron-LM counts the embedding and the loss when it divides the layers: 0 or 1.
    struct CountedEnds {
        double embedding = 0;
        double loss = 0;
        [[nodiscard]] double sum() const { return embedding + loss; }
    };

    // Reads how many layers every stage has, as far as a scenario can express it.
    void read_stages(double layers, double stages, double virtual_stages, CountedEnds counted) {
        const Partition ends{o_.number("--decoder-first-pipeline-num-layers", 0),
                             o_.number("--decoder-last-pipeline-num-layers", 0)};
        const char* option = "--pipeline-model-parallel-layout";
        std::string layout = o_.text(option, "");
        if (layout.empty()) {
            option = "--hybrid-layer-pattern";
            layout = layout_of_pattern(o_.text(option, ""));
        }
        // Values beyond the valid range are reported by the final check.
        if (stages <= 1 || stages > parameter(P::pipeline_parallel).maximum ||
            layers > parameter(P::layers).maximum)
            return;
        if (!layout.empty()) {
            read_layout(option, layout, layers, stages);
            return;
        }
        out_.set_partition(layers, stages, ends);
        if (counted.sum() == 0) return;
        const double each = (layers + counted.sum()) / (stages * virtual_stages);
        const Partition given{each - counted.embedding, each - counted.loss};
        const bool even = each == std::floor(each) && virtual_stages == std::floor(virtual_stages);
        // The engine has both ends alone, too.
        if (even && virtual_stages <= 1 && stages == layers + 2) return;
        if (even && virtual_stages <= 1 && given.first >= 1 && given.last >= 1) {
            out_.set_partition(layers, stages, given);
        } else if (even) {
            const std::string counted_layout = layout_of_ends(given, each, stages * virtual_stages);
            read_layout("--num-layers", counted_layout, layers, stages);
        } else {
            out_.note(translate("The scenario partitions the layers by its own rule, not as in the file."));
        }
    }

    // Returns the layout of stages that all have `each` layers, apart from the first and the last one.
    [[nodiscard]] std::string layout_of_ends(Partition ends, double each, double stages) const {
        const auto repeated = [](const char* symbol, double times) {
            return times > 0 ? symbol + ("*" + whole(times)) : std::string();
        };
        return "E" + repeated("t", ends.first) + "|(" + repeated("t", each) + "|)*" + whole(stages - 2) +
               repeated("t", ends.last) + repeated("m", predictions()) + "L";
    }

    // Returns the layout of a hybrid model's pattern with a | between its stages; "" if it has none.
    static std::string layout_of_pattern(const std::string& letters) {
        if (letters.find('|') == std::string::npos) return {};
        std::string out = "E";
        for (const std::string& stage : split(letters, '|')) {
            if (out.size() > 1) out += '|';
            out += "t*" + std::to_string(stage.size());
        }
        return out + "L";
    }

    void read_layout(const char* option, const std::string& layout, double layers, double stages) {
        const PipelineLayout read = parse_pipeline_layout(layout);
        const auto parts = static_cast<double>(read.layers.size());
        if (!read.problem.empty() || std::fmod(parts, stages) != 0 || read.total != layers ||
            read.misplaced) {
            o_.problem(
                option, translate("“{1}” is not understood", {layout}),
                translate("a stage has E, t, m and L, with one t per layer and every m in one stage after "
                          "them, and | separates stages"),
                translate("write Et*9|t*12|t*11L"));
            return;
        }
        const StageLayers counts(read.layers.begin(), read.layers.end());
        // Without a layout the engine has the prediction layers (m) in the last stage.
        const bool needs_layout = read.predictions > 0 && read.prediction_stage + 1 != read.layers.size();
        if (parts > stages) {
            out_.give(P::virtual_stages, parts / stages);
            out_.give(P::schedule, "interleaved");
            // The engine divides the layers evenly where no layout is given.
            if (needs_layout || counts != uneven_virtual_stages(layers, parts))
                out_.give(P::pipeline_layout, intern_text(layout));
            return;
        }
        // The first and the last stage say enough where the engine gives the others as many layers.
        const Partition ends{counts.front(), counts.back()};
        if (!needs_layout && ends.first >= 1 && ends.last >= 1 && ends.is_feasible(layers, stages) &&
            engine_stage_layers(layers, predictions(), stages, ends) == counts)
            out_.set_stages(counts);
        else out_.give(P::pipeline_layout, intern_text(layout));
    }

    void optimizer() {
        const std::string name = o_.text("--optimizer", "adam");
        const double momentum = o_.number("--sgd-momentum", 0.9);
        if (name.ends_with("muon")) out_.give(P::optimizer, "muon");
        else if (name == "lion") out_.give(P::optimizer, "lion");
        else if (name == "sgd") out_.give(P::optimizer, momentum > 0 ? "momentum" : "sgd");
        else out_.give(P::optimizer, "adamw");
        static constexpr std::array<std::string_view, 5> kModelled{"adam", "sgd", "muon", "dist_muon",
                                                                   "lion"};
        if (std::ranges::find(kModelled, name) == kModelled.end())
            out_.note(translate("The optimizer {1} is treated as {2}.",
                                {name, format(P::optimizer, out_.settings()[P::optimizer])}));
        out_.give(P::optimizer_precision, "fp32");
        const bool aware = o_.flag("--use-precision-aware-optimizer");
        const std::string first = choice("--exp-avg-dtype", {"fp32", "fp16", "bf16", "fp8"});
        const std::string second = choice("--exp-avg-sq-dtype", {"fp32", "fp16", "bf16", "fp8"});
        const bool low_moments = aware && (first != "fp32" || second != "fp32");
        if (o_.text("--main-params-dtype", "fp32") != "fp32") out_.note_unmodelled("--main-params-dtype");
        if (o_.number("--optimizer-offload-fraction", 1) != 1)
            out_.note_unmodelled("--optimizer-offload-fraction");
        if (o_.flag("--optimizer-cpu-offload")) {
            out_.give(P::offload, "optimizer");
            if (low_moments)
                out_.note(translate("Megatron-LM keeps the state of an offloaded optimizer in fp32."));
            return;
        }
        if (low_moments) moments(first, second);
        if (aware)
            out_.note(
                translate("Of the master copy of the weights, Megatron-LM stores the 16 bits that the bf16 "
                          "weights lack; the scenario counts all 32."));
    }

    // Moments in fp16 need as many bytes as those in bf16.
    void moments(const std::string& first, const std::string& second) {
        const auto format = [](const std::string& type) { return type == "fp16" ? "bf16" : type; };
        out_.give(P::moment_precision, format(first) + "+" + format(second));
    }

    void recomputation_and_attention() {
        const std::string backend =
            choice("--attention-backend", {"auto", "flash", "fused", "unfused", "local"});
        const bool naive = backend == "unfused" || backend == "local";
        out_.give(P::attention, naive ? "naive" : "flash");
        o_.flag("--use-flash-attn");
    }

    void recomputed_share(double layers, double stages, double virtual_stages) {
        std::string granularity = choice("--recompute-granularity", {"none", "selective", "full"});
        const bool experts = o_.flag("--moe-layer-recompute");  // the old name of the module "moe"
        if (o_.flag("--recompute-activations") || experts) granularity = "selective";
        const std::string method = choice("--recompute-method", {"uniform", "block"});
        const double count = o_.number("--recompute-num-layers", 1);
        if (granularity == "selective") {
            out_.give(P::recompute, kRecomputeSelective);
            read_modules(experts ? static_cast<double>(RecomputeModule::moe) : 0);
        } else if (granularity == "full") {
            const double share = method == "block" ? count * stages * virtual_stages / layers : 1;
            out_.give(P::recompute, std::fmin(1.0, share));
            if (method == "uniform" && count > 1)
                out_.note(
                    translate("{1} layers are recomputed together; one at a time is assumed, which keeps "
                              "more inputs of layers and recomputes fewer activations at once.",
                              {o_.text("--recompute-num-layers", "")}));
        }
    }

    void read_modules(double set) {
        std::vector<std::string> unmodelled;
        for (const std::string& name : o_.words("--recompute-modules")) {
            const auto known = std::ranges::find(kModules, name, &ModuleName::name);
            if (known != kModules.end()) {
                set += static_cast<double>(known->module);
            } else if (std::ranges::find(kUnmodelledModules, name) != kUnmodelledModules.end()) {
                unmodelled.push_back(name);
            } else {
                o_.problem("--recompute-modules", translate("“{1}” is not known", {name}), "",
                           translate("write core_attn, layernorm, mla_up_proj, mlp, moe, moe_act or "
                                     "shared_experts"));
            }
        }
        if (!unmodelled.empty()) {
            out_.note_unmodelled("--recompute-modules " + joined(unmodelled, " "));
            // Without other modules, nothing that the engine knows is recomputed.
            if (set == 0) out_.give(P::recompute, 0);
        }
        if (set > 0 && set != static_cast<double>(RecomputeModule::core_attention))
            out_.give(P::recompute_modules, set);
    }

    // How experts and context parallelism communicate, and what overlaps.
    void communication() {
        if (out_.settings()[P::experts] > 0) {
            // alltoall_seq is a name of earlier releases.
            const std::string type =
                choice("--moe-token-dispatcher-type", {"allgather", "alltoall", "flex", "alltoall_seq"});
            const bool deepep = o_.flag("--moe-enable-deepep") || type == "flex";
            const std::string backend = o_.text("--moe-flex-dispatcher-backend", "deepep");
            if (deepep && backend != "deepep")
                out_.note(translate("The dispatcher {1} is treated as DeepEP.", {backend}));
            out_.give(P::moe_dispatcher, deepep                ? "deepep"
                                         : type == "allgather" ? "all-gather"
                                                               : "all-to-all");
            if (const double size = o_.number("--expert-tensor-parallel-size", 0); size > 0)
                out_.give(P::expert_tensor_parallel, size);
        }
        if (number(P::context_parallel, 1) > 1) {
            std::string kind = o_.text("--cp-comm-type", "p2p");
            const std::vector<std::string> kinds_by_layer = o_.words("--cp-comm-type");
            if (std::ranges::any_of(kinds_by_layer, [&](const std::string& other) { return other != kind; }))
                out_.note(translate("The layers have several values of {1}; that of the first is assumed.",
                                    {"--cp-comm-type"}));
            if (kind == "allgather") kind = "all_gather";  // as the help text of the option writes it
            const auto kinds = context_parallel_kinds();
            const auto found = std::ranges::find(kinds, kind);
            if (found != kinds.end())
                out_.give(P::context_parallel_kind, static_cast<double>(found - kinds.begin()));
            else
                o_.problem("--cp-comm-type", translate("“{1}” is not known", {kind}), "",
                           translate("write p2p, a2a, all_gather or a2a+p2p"));
            const std::vector<std::string> sizes = o_.words("--hierarchical-context-parallel-sizes");
            const Parsed inner = parse(sizes.empty() ? "0" : sizes.front(), Quantity::count);
            if (kind == "a2a+p2p" && inner.ok && inner.value > 0)
                out_.give(P::context_parallel_inner, inner.value);
        }
    }

    // What changes the time or memory of kernels.
    void kernels() {
        if (is_low(out_.settings().choice<Precision>(P::precision)))
            out_.give(P::fp8_param_gather, o_.flag("--fp8-param-gather"));
        // With MXFP8 this is how the weights are gathered; its memory is not modelled apart.
        if (matrix_format(out_.settings()) == Precision::mxfp8 && out_.settings().on(P::fp8_param_gather))
            o_.flag("--reuse-grad-buf-for-mxfp8-param-ag");
        if (o_.flag("--first-last-layers-bf16"))
            out_.give(P::bf16_layers, o_.number("--num-layers-at-start-in-bf16", 1) +
                                          o_.number("--num-layers-at-end-in-bf16", 1));
        if (o_.flag("--cross-entropy-loss-fusion")) out_.give(P::loss, "fused");
        const bool graphs =
            choice("--cuda-graph-impl", {"none", "local", "transformer_engine", "full_iteration"}) != "none";
        // The names of earlier releases.
        const bool earlier = o_.flag("--enable-cuda-graph") || o_.flag("--external-cuda-graph");
        if (graphs || earlier) out_.give(P::cuda_graphs, 1);
        // The engine assumes these modules with experts; others are not modelled.
        if (graphs && out_.settings()[P::experts] > 0 && o_.has("--cuda-graph-modules")) {
            const std::string modules = joined(o_.words("--cuda-graph-modules"), " ");
            if (modules != graphs_with_experts(out_.settings()))
                out_.note_unmodelled("--cuda-graph-modules " + modules);
        }
        if (o_.flag("--overlap-moe-expert-parallel-comm")) out_.give(P::moe_overlap, 1);
        const double layers = out_.settings()[P::layers];
        if (const double count = o_.number("--cpu-offloading-num-layers", 0); count > 0 && layers > 0) {
            out_.give(P::activation_offload, std::fmin(1.0, count / layers));
            o_.flag("--cpu-offloading");
        }
        o_.ignore_same({"--transformer-impl", "transformer_engine", 0});
        o_.ignore_same({"--cross-entropy-fusion-impl", "native", 0});
    }

    std::string_view stage_of_deepspeed() {
        static constexpr std::array<std::string_view, 4> kStages{"ddp", "zero1", "zero2", "zero3"};
        const double stage = o_.number("--zero-stage", 0);
        o_.flag("--deepspeed_config");
        out_.note(
            translate("The file of --deepspeed_config is not read with the script: its ZeRO stage, offload, "
                      "precision and overlap are not in the scenario. Save the scenario and import the file "
                      "with it as its base (on the command line with --on)."));
        if (!o_.has("--zero-stage")) out_.note(translate("--zero-stage is absent; no ZeRO is assumed."));
        if (stage >= 0 && stage < kStages.size() && stage == std::floor(stage))
            return kStages[static_cast<std::size_t>(stage)];
        o_.problem("--zero-stage", translate("“{1}” is not known", {exact(stage)}), "",
                   translate("write 0, 1, 2 or 3"));
        return kStages.front();
    }

    void sharding() {
        const bool distributed =
            o_.flag("--use-distributed-optimizer") || o_.text("--optimizer", "adam") == "dist_muon";
        const bool own = o_.flag("--use-megatron-fsdp") || o_.flag("--use-custom-fsdp");
        const bool torch = o_.flag("--use-torch-fsdp2");
        // Megatron-FSDP shards everything unless the script says otherwise; before 2026 it sharded nothing.
        const std::string strategy =
            o_.text("--data-parallel-sharding-strategy", own ? "optim_grads_params" : "no_shard");
        static constexpr std::array<std::string_view, 4> kStrategies{"no_shard", "optim", "optim_grads",
                                                                     "optim_grads_params"};
        if (std::ranges::find(kStrategies, strategy) == kStrategies.end())
            o_.problem("--data-parallel-sharding-strategy", translate("“{1}” is not known", {strategy}), "",
                       translate("use one of {1}", {"no_shard, optim, optim_grads, optim_grads_params"}));
        if (own && !o_.has("--data-parallel-sharding-strategy"))
            out_.note(translate(
                "--use-megatron-fsdp shards weights, gradients and optimizer where no strategy is given, "
                "as in Megatron-LM of 2026; before, it sharded nothing."));
        const double replicas = o_.number("--num-distributed-optimizer-instances", 1);
        std::string_view name = distributed ? "zero1" : "ddp";
        if (torch || (own && strategy == "optim_grads_params")) name = replicas > 1 ? "hsdp" : "zero3";
        else if (own && strategy == "optim_grads") name = "zero2";
        else if (own && strategy == "optim") name = "zero1";
        if (o_.flag("--deepspeed")) name = stage_of_deepspeed();
        out_.give(P::sharding, name);
        if (o_.flag("--torch-fsdp2-no-reshard-after-forward")) out_.give(P::reshard_after_forward, 0);
        if (replicas > 1 && name != "ddp")
            out_.give(P::shard_group, data_context_parallel(out_.settings()) / replicas);
        const bool reduce = o_.flag("--overlap-grad-reduce");
        const bool gather = o_.flag("--overlap-param-gather");
        if (name == "zero1" || name == "zero2") {
            out_.give(P::overlap_grad_reduce, reduce ? 1 : 0);
            out_.give(P::overlap_param_gather, gather ? 1 : 0);
        }
        communication();
        kernels();
        // These options have no effect on the prediction.
        for (const char* option : {"--ckpt-format", "--moe-grouped-gemm", "--moe-router-pre-softmax"})
            o_.flag(option);
        // The squared ReLU has no kernel that adds the bias, too.
        if (o_.flag("--squared-relu")) o_.flag("--no-bias-gelu-fusion");
    }

    MegatronCommand& o_;
    ScenarioBuilder& out_;
};

}  // namespace

std::span<const char* const, 4> context_parallel_kinds() {
    static constexpr std::array kKinds{"p2p", "a2a", "all_gather", "a2a+p2p"};
    return kKinds;
}

std::string megatron_modules(unsigned set) {
    std::vector<std::string_view> names;
    for (const ModuleName& known : kModules)
        if ((set & static_cast<unsigned>(known.module)) != 0) names.push_back(known.name);
    return joined(names, " ");
}

std::string modelled_choice(MegatronCommand& command, ScenarioBuilder& out, const char* option,
                            std::initializer_list<const char*> known) {
    const char* const usual = *known.begin();
    std::string value = command.text(option, usual);
    // A log writes None for an option that is not given.
    if (value == "None") return usual;
    if (std::ranges::find(known, value) != known.end()) return value;
    out.note(translate("“{1}” is not modelled; {2} is assumed.", {std::string(option) + " " + value, usual}));
    return usual;
}

double required_number(MegatronCommand& command, P id) {
    if (!command.has(option_of(id)))
        command.problem(option_of(id), translate("is missing"), translate("no other option gives it"),
                        translate("give the whole command"));
    return command.number(option_of(id), parameter(id).minimum);
}

std::string_view option_of(P id) {
    const auto found = std::ranges::find(kSingleOptions, id, &NamedParameter::id);
    return found == kSingleOptions.end() ? std::string_view() : found->name;
}

bool is_megatron(std::string_view text) {
    return (text.find("--num-layers") != std::string_view::npos ||
            text.find("--hybrid-") != std::string_view::npos) &&
           text.find("--hidden-size") != std::string_view::npos &&
           text.find("--micro-batch-size") != std::string_view::npos;
}

namespace {

LaunchRead read_options(MegatronCommand& command, bool is_script, const Scenario& base, Problems& problems) {
    // The model is identified by its shape.
    Scenario start = base;
    start.model = Scenario::first_launch(*base.catalogue).model;
    ScenarioBuilder out(start, false);
    OptionReader reader(command, out);
    Settings wanted = out.settings();
    if (command.has(option_of(P::sequence_length)))
        out.give(P::sequence_length, command.number(option_of(P::sequence_length), 1));
    else
        command.problem(option_of(P::sequence_length), translate("is missing"),
                        translate("no other option gives it"), translate("give the whole command"));
    wanted.set(P::sequence_length, out.settings()[P::sequence_length], Origin::given);
    wanted = read_megatron_shape(command, wanted, out);
    if (!problems.empty()) return {};
    out.set_model_of_shape(wanted);
    for (const auto& list :
         {rotary_options(out.model()), routing_options(out.model()), activation_options(out.model(), true)}) {
        for (const MegatronArgument& argument : list) command.ignore_same(argument);
    }
    if (!out.model() || out.model()->rotary_share <= 0) command.ignore_same({"--rotary-percent", "1.0", 0});
    reader.training();
    reader.parallelism(wanted[P::layers]);
    reader.length();
    for (const FromShell& word : command.unknown_words()) {
        if (word.is_read) {
            out.note(translate("The options in {1} are not known (line {2}).",
                               {word.expression, std::to_string(word.line)}));
        } else {
            problems.push_back({"", translate("the options in {1} are not known", {word.expression}),
                                translate("this form of expansion is not supported"),
                                translate("write the options in its place"), word.line});
        }
    }
    if (!problems.empty()) return {};
    const auto list = [](std::vector<int> lines) {
        lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
        return joined(lines, ", ", [](int line) { return std::to_string(line); });
    };
    if (command.flag("--use-checkpoint-args"))
        out.note(
            translate("--use-checkpoint-args takes the model's shape from the checkpoint, which is not read; "
                      "that of the options is assumed."));
    if (command.trainings().size() > 1) {
        out.note(translate("The script has {1} training commands, in lines {2}; that of line {3} is read.",
                           {std::to_string(command.trainings().size()), list(command.trainings()),
                            std::to_string(command.training())}));
    }
    if (!command.unread().empty()) {
        out.note(
            translate("Not read, because it depends on values that the script does not set: the test or loop "
                      "in line {1}.",
                      {list(command.unread())}));
    }
    if (!command.sourced().empty()) {
        out.note(translate(
            "Not read, although it may set variables that the script uses after it: the file of the "
            "source command in line {1}.",
            {list(command.sourced())}));
    }
    std::vector<std::string> unused = command.unused(is_script);
    // A log lists every argument that has a value and every flag that is on, also those that no one has set.
    if (!is_script)
        std::erase_if(unused, [](const std::string& option) { return !is_unmodelled_megatron(option); });
    out.note_unused_options(unused, is_unmodelled_megatron);
    return std::move(out).done(problems);
}

}  // namespace

LaunchRead read_megatron(std::string_view text, const Scenario& base, Problems& problems) {
    MegatronCommand command(text, problems);
    if (problems.empty()) refuse_other_runs(command, problems);
    if (!problems.empty()) return {};
    return read_options(command, true, base, problems);
}

LaunchRead read_megatron_arguments(std::span<const MegatronArgument> arguments, const Scenario& base,
                                   Problems& problems) {
    MegatronCommand command(arguments, problems);
    return read_options(command, false, base, problems);
}

}  // namespace shardscope::launch
