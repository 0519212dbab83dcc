// Tests that every written option is documented by the tool, with a value of the documented type. The lists
// in options/ are the tools' own, each with its source. The next macro is set as in the engine.
#define TOML_ASSERT(expr) static_assert(true)
#include <toml++/toml.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "files/scenario_file.h"
#include "launch/launch.h"
#include "support/properties.h"

using namespace shardscope;
using namespace shardscope::testing;

namespace {

// Returns the documented options: a name, its type and the values it may have.
std::map<std::string, std::vector<std::string>> documented(const char* tool) {
    std::ifstream file(std::string(SHARDSCOPE_SOURCE_DIR) + "/tests/core/launch/options/" + tool + ".txt");
    REQUIRE(file);
    std::map<std::string, std::vector<std::string>> out;
    std::string line;
    while (std::getline(file, line)) {
        if (line.empty() || line[0] == '#') continue;
        std::istringstream words(line);
        std::string name;
        words >> name;
        std::string word;
        while (words >> word) out[name].push_back(word);
    }
    return out;
}

// Returns an empty string or what is wrong with the value.
std::string type_mismatch(const std::vector<std::string>& type, const std::string& value) {
    static const std::regex whole("-?[0-9]+");
    static const std::regex real("-?[0-9]+(\\.[0-9]+)?(e-?[0-9]+)?");
    if (type[0] == "int") return std::regex_match(value, whole) ? "" : "no whole number";
    if (type[0] == "float") return std::regex_match(value, real) ? "" : "no number";
    if (type[0] == "python_count") return value == "None" || std::regex_match(value, whole) ? "" : "no count";
    if (type[0] == "python_flag") return value == "True" || value == "False" ? "" : "no flag";
    if (type[0] == "flag") return value == "true" || value == "false" ? "" : "no flag";
    if (type[0] == "list")
        return std::regex_match(value, std::regex("\\[[a-z0-9_]+(, [a-z0-9_]+)*\\]")) ? "" : "no list";
    if (type[0] == "choice")
        return std::find(type.begin() + 1, type.end(), value) != type.end() ? "" : "no such choice";
    return value.empty() ? "empty" : "";
}

using Written = std::vector<std::pair<std::string, std::string>>;

Written options_of_script(const std::string& text) {
    // A hybrid model has a program of its own.
    const std::size_t program = text.find("    pretrain_");
    std::istringstream words(text.substr(text.find(".py", program) + 3));
    Written out;
    std::string word;
    while (words >> word) {
        if (word == "\\" || word == "\"$@\"") continue;
        if (word.starts_with("--")) out.emplace_back(word, "");
        else out.back().second += out.back().second.empty() ? word : " " + word;
    }
    return out;
}

Written options_of_toml(const std::string& text) {
    Written out;
    const toml::table parsed = toml::parse(text);
    const std::function<void(const toml::table&, const std::string&)> walk = [&](const toml::table& table,
                                                                                 const std::string& path) {
        for (const auto& [key, node] : table) {
            const std::string name = path + std::string(key.str());
            if (const auto* inner = node.as_table()) walk(*inner, name + ".");
            else if (node.is_integer())
                out.emplace_back(name, std::to_string(node.value_or(std::int64_t{0})));
            else if (node.is_boolean()) out.emplace_back(name, node.value_or(false) ? "true" : "false");
            else out.emplace_back(name, node.is_array() ? "[list]" : node.value_or(std::string()));
        }
    };
    walk(parsed, "");
    return out;
}

Written options_of_json(const std::string& text) {
    Written out;
    const std::function<void(const nlohmann::json&, const std::string&)> walk =
        [&](const nlohmann::json& object, const std::string& path) {
            for (const auto& [key, value] : object.items()) {
                if (value.is_object()) walk(value, path + key + ".");
                else
                    out.emplace_back(path + key, value.is_string() ? value.get<std::string>() : value.dump());
            }
        };
    walk(nlohmann::json::parse(text), "");
    return out;
}

// Reads a YAML file with one level of sections.
Written options_of_yaml(const std::string& text) {
    Written out;
    std::istringstream lines(text);
    std::string line, section;
    while (std::getline(lines, line)) {
        if (line.empty() || line[0] == '#') continue;
        const std::size_t colon = line.find(':');
        REQUIRE(colon != std::string::npos);
        const bool inside = line[0] == ' ';
        const std::string key = line.substr(inside ? 2 : 0, colon - (inside ? 2 : 0));
        if (colon + 1 == line.size()) section = key + ".";
        else out.emplace_back((inside ? section : "") + key, line.substr(colon + 2));
    }
    return out;
}

// Returns the fields that a Python function sets.
Written options_of_python(const std::string& text) {
    Written out;
    std::istringstream lines(text);
    std::string line;
    while (std::getline(lines, line)) {
        const std::string_view kSet = line.starts_with("    cfg.") ? "    cfg." : "    config.";
        if (!line.starts_with(kSet)) continue;
        const std::size_t equals = line.find(" = ");
        REQUIRE(equals != std::string::npos);
        out.emplace_back(line.substr(kSet.size(), equals - kSet.size()), line.substr(equals + 3));
    }
    return out;
}

// Checks torchtitan's rules: the batch is whole micro-batches of all data-parallel ranks, CUDA graphs have
// neither a pipeline nor expert parallelism, and asynchronous tensor parallelism needs the compiler.
void check_python_rules(const Written& options, const Answer& answer) {
    std::map<std::string, std::string> all(options.begin(), options.end());
    const auto number = [&](const char* field) { return std::stod(all[field]); };
    const double data = number("parallelism.data_parallel_replicate_degree") *
                        number("parallelism.data_parallel_shard_degree");
    const double micro = number("training.num_tokens_per_microbatch_per_dp_rank") * data;
    REQUIRE(std::fmod(number("training.num_tokens_per_train_step"), micro) == 0);
    REQUIRE(number("training.num_tokens_per_train_step") / micro == answer.settings[P::accumulation]);
    REQUIRE(std::fmod(number("training.num_tokens_per_microbatch_per_dp_rank"),
                      number("training.max_context_length")) == 0);
    REQUIRE(data * number("parallelism.tensor_parallel_degree") *
                number("parallelism.context_parallel_degree") *
                number("parallelism.pipeline_parallel_degree") ==
            answer.settings[P::gpus]);
    if (number("parallelism.expert_parallel_degree") > 1 ||
        number("parallelism.pipeline_parallel_degree") > 1)
        REQUIRE(all["training.disable_cuda_graphs"] == "True");
    if (all["compile.enable_async_tensor_parallel"] == "True") REQUIRE(all["compile.enable"] == "True");
}

// Returns the overrides of a Primus experiment.
Written options_of_primus(const std::string& text) {
    Written out;
    const std::size_t begin = text.find("    overrides:\n");
    REQUIRE(begin != std::string::npos);
    std::istringstream lines(text.substr(text.find('\n', begin) + 1));
    std::string line;
    while (std::getline(lines, line)) {
        REQUIRE(line.starts_with("      "));
        const std::size_t colon = line.find(": ");
        REQUIRE(colon != std::string::npos);
        out.emplace_back(line.substr(6, colon - 6), line.substr(colon + 2));
    }
    return out;
}

constexpr std::size_t kRandom = 500;

// Returns valid scenarios with random values of any parameters, the same ones in every run.
void add_random_scenarios(std::vector<Answer>& out) {
    rc::Random seed(20260822);
    for (const std::size_t all = out.size() + kRandom; out.size() < all;) {
        constexpr int kSize = 100;
        const Scenario scenario = scenario_of(random::scenario()(seed.split(), kSize).value());
        const Settings s = resolve(scenario);
        // More tokens in a batch are no whole number in a file.
        constexpr double kTokens = 1e15;
        if (check(scenario, s).empty() && s[P::global_batch] * s[P::sequence_length] < kTokens)
            out.push_back(answer(scenario));
    }
}

// Returns every shipped model under plans that together use every choice, and random scenarios.
const std::vector<Answer>& scenarios() {
    static const std::vector<Answer> all = [] {
        const std::vector<std::string> plans{
            R"("sharding": "zero3")",
            R"("sharding": "ddp", "optimizer": "sgd", "precision": "fp16", "gradient_precision": "fp16")",
            R"("sharding": "zero1", "tensor_parallel": 2, "sequence_parallel": true, "recompute": "full",
               "optimizer_precision": "bf16")",
            R"("sharding": "zero2", "precision": "fp8", "recompute": 0.25, "offload": "optimizer",
               "gradient_precision": "fp32")",
            R"("sharding": "hsdp", "shard_group": 8, "reshard_after_forward": false, "recompute": "selective",
               "optimizer": "muon", "training_tokens": 1e12)",
            R"("sharding": "zero3", "offload": "optimizer+parameters", "context_parallel": 2,
               "attention": "naive", "precision": "fp32", "optimizer": "momentum", "gradient_precision": "fp32")",
            R"("sharding": "zero1", "pipeline_parallel": 4, "accumulation": 8, "tensor_parallel": 2,
               "sequence_parallel": true, "async_tensor_parallel": true)",
            R"("sharding": "zero1", "pipeline_parallel": 2, "virtual_stages": 3, "schedule": "interleaved",
               "accumulation": 8, "optimizer": "lion")",
            R"("sharding": "zero3", "pipeline_parallel": 4, "schedule": "gpipe", "accumulation": 8)",
            R"("sharding": "zero1", "pipeline_parallel": 4, "schedule": "zb-h2", "accumulation": 16)",
            R"("sharding": "zero3", "pipeline_parallel": 2, "virtual_stages": 2, "schedule": "breadth-first",
               "accumulation": 4, "recompute": 0.3)",
            R"("sharding": "zero1", "pipeline_parallel": 8, "schedule": "seq1f1b", "accumulation": 8)",
            R"("sharding": "ddp", "offload": "optimizer")",
            R"("sharding": "zero1", "offload": "optimizer", "optimizer": "sgd")",
            R"("sharding": "zero2", "offload": "optimizer", "optimizer": "muon")",
            R"("sharding": "zero1", "optimizer": "momentum", "optimizer_precision": "bf16")",
            R"("sharding": "zero3", "optimizer": "muon", "optimizer_precision": "bf16")",
            R"("sharding": "zero1", "precision": "nvfp4", "recompute": "selective",
               "recompute_modules": ["mlp", "layernorm"], "overlap_param_gather": false)",
            R"("sharding": "zero1", "precision": "fp8", "fp8_recipe": "blockwise", "context_parallel": 4,
               "context_parallel_kind": "all-gather", "overlap_grad_reduce": false)",
            R"("sharding": "zero1", "moe_dispatcher": "deepep", "tensor_parallel": 2,
               "sequence_parallel": true, "expert_tensor_parallel": 1)",
            R"("sharding": "zero1", "pipeline_parallel": 4, "accumulation": 8, "first_stage_layers": 3,
               "offload": "optimizer", "optimizer_precision": "bf16")",
            R"("sharding": "zero3", "loss": "chunked", "packing": 512, "context_parallel": 2, "micro_batch": 1,
               "context_parallel_kind": "all-gather", "activation_offload": 1)",
            R"("sharding": "hsdp", "shard_group": 16, "loss": "fused", "cuda_graphs": true, "packing": 512,
               "context_parallel": 2, "micro_batch": 2, "optimizer": "adamw-8bit", "precision": "fp8",
               "fp8_param_gather": true)",
            R"("sharding": "zero3", "loss": "chunked", "precision": "fp32", "gradient_precision": "fp32",
               "optimizer": "adafactor", "recompute": "full", "activation_offload": 1,
               "moment_precision": "bf16+fp32", "moe_dispatcher": "all-gather")",
            R"("sharding": "zero3", "tensor_parallel": 8, "sequence_parallel": true, "context_parallel": 4,
               "pipeline_parallel": 2, "accumulation": 5, "precision": "mxfp8")",
        };
        std::vector<Answer> out;
        static Catalogue catalogue = [] {
            Problems none;
            return Catalogue::with_folder("", none);
        }();
        for (const Preset* model : catalogue.all(PresetKind::model)) {
            for (const std::string& plan : plans) {
                const std::string experts =
                    plan.find("zero") != std::string::npos && model->name.find('x') != std::string::npos
                        ? R"(, "expert_parallel": 2)"
                        : "";
                for (const std::string& more : {experts, std::string()}) {
                    Problems problems;
                    const bool blackwell =
                        plan.find("nvfp4") != std::string::npos || plan.find("mxfp8") != std::string::npos;
                    const std::string cluster = blackwell ? "dgx-b200" : "dgx-h100";
                    const Scenario scenario = read_scenario(R"({"model": {"preset": ")" + model->name +
                                                                R"("}, "cluster": {"preset": ")" + cluster +
                                                                R"("}, "training": {)" + plan + more + "}}",
                                                            catalogue, {}, problems);
                    if (problems.empty()) out.push_back(answer(scenario));
                    if (experts.empty()) break;
                }
            }
        }
        add_random_scenarios(out);
        return out;
    }();
    return all;
}

// Checks Megatron-LM's rules between options: validate_args, and OptimizerConfig.__post_init__.
void check_megatron_rules(const Written& options, const Answer& /*answer*/) {
    std::map<std::string, std::string> all;
    for (const auto& [name, value] : options) {
        INFO(name);
        REQUIRE(all.emplace(name, value).second);
    }
    const auto has = [&](const char* name) { return all.contains(name); };
    const auto wants = [&](const char* name, const char* other) {
        INFO(name << " without " << other);
        REQUIRE((!has(name) || has(other)));
    };
    const auto excludes = [&](const char* name, const char* other) {
        INFO(name << " with " << other);
        REQUIRE_FALSE((has(name) && has(other)));
    };
    wants("--use-precision-aware-optimizer", "--use-distributed-optimizer");
    if (has("--use-precision-aware-optimizer")) REQUIRE(all["--optimizer"] == "adam");
    for (const char* option :
         {"--main-grads-dtype", "--exp-avg-dtype", "--exp-avg-sq-dtype", "--optimizer-cpu-offload"})
        wants(option, "--use-precision-aware-optimizer");
    excludes("--main-grads-dtype", "--accumulate-allreduce-grads-in-fp32");
    if (has("--optimizer-cpu-offload") && has("--fp8-param-gather"))
        REQUIRE(all["--fp8-recipe"] == "delayed");
    // An offloaded optimizer ignores them.
    excludes("--exp-avg-dtype", "--optimizer-cpu-offload");
    for (const char* option : {"--use-megatron-fsdp", "--num-distributed-optimizer-instances",
                               "--overlap-param-gather", "--data-parallel-sharding-strategy"})
        wants(option, "--use-distributed-optimizer");
    wants("--overlap-param-gather", "--overlap-grad-reduce");
    wants("--tp-comm-overlap", "--sequence-parallel");
    if (has("--use-megatron-fsdp")) REQUIRE(all["--ckpt-format"] == "fsdp_dtensor");
    // Emerging optimizers are sharded matrix by matrix, not by Megatron-FSDP.
    if (all["--optimizer"] == "muon" || all["--optimizer"] == "lion") {
        REQUIRE_FALSE(has("--use-megatron-fsdp"));
        REQUIRE_FALSE(has("--ckpt-format"));
        REQUIRE_FALSE(has("--num-distributed-optimizer-instances"));
    }
    excludes("--multi-latent-attention", "--attention-output-gate");
    excludes("--multi-latent-attention", "--group-query-attention");
    wants("--moe-shared-expert-gate", "--moe-shared-expert-intermediate-size");
    for (const char* other : {"--recompute-granularity", "--cuda-graph-impl"})
        excludes("--cpu-offloading-num-layers", other);
    if (has("--cpu-offloading-num-layers")) {
        REQUIRE(all["--pipeline-model-parallel-size"] == "1");
        const std::string pattern = all["--hybrid-layer-pattern"];
        const double letters =
            static_cast<double>(pattern.size()) - 2 - static_cast<double>(std::ranges::count(pattern, '|'));
        const double layers = letters > 0 ? letters : std::stod(all["--num-layers"]);
        REQUIRE(std::stod(all["--cpu-offloading-num-layers"]) < layers);
    }
    if (has("--mtp-num-layers")) REQUIRE(all["--position-embedding-type"] == "rope");
    if (has("--expert-model-parallel-size") && has("--num-experts"))
        REQUIRE(std::fmod(std::stod(all["--num-experts"]), std::stod(all["--expert-model-parallel-size"])) ==
                0);
    if (std::stod(all["--context-parallel-size"]) > 1 && all["--cp-comm-type"] == "a2a+p2p")
        REQUIRE(has("--hierarchical-context-parallel-sizes"));
    excludes("--accumulate-allreduce-grads-in-fp32", "--grad-reduce-in-bf16");
    excludes("--bf16", "--fp16");
    excludes("--num-layers-per-virtual-pipeline-stage", "--num-virtual-stages-per-pipeline-rank");
    for (const char* partition :
         {"--decoder-first-pipeline-num-layers", "--account-for-embedding-in-pipeline-split"})
        excludes(partition, "--pipeline-model-parallel-layout");
    // The pattern of a hybrid model separates its stages.
    for (const char* partition :
         {"--num-layers-per-virtual-pipeline-stage", "--pipeline-model-parallel-layout",
          "--account-for-embedding-in-pipeline-split", "--decoder-first-pipeline-num-layers"})
        excludes("--hybrid-layer-pattern", partition);
    if (has("--hybrid-layer-pattern")) {
        const auto stages = std::ranges::count(all["--hybrid-layer-pattern"], '|') + 1;
        REQUIRE(stages % std::stol(all["--pipeline-model-parallel-size"]) == 0);
    }
    const auto recomputes = [&](const char* module) {
        return all["--recompute-modules"].find(module) != std::string::npos;
    };
    if (recomputes("moe_act")) REQUIRE(has("--moe-grouped-gemm"));
    if (has("--overlap-moe-expert-parallel-comm") && has("--mtp-num-layers"))
        REQUIRE(all["--mtp-num-layers"] == "1");
    if (recomputes("mla_up_proj")) REQUIRE(has("--multi-latent-attention"));
    if (recomputes("layernorm") || recomputes("moe_act")) REQUIRE(all["--fp8-recipe"] != "delayed");
    if (has("--overlap-moe-expert-parallel-comm")) REQUIRE(all["--recompute-granularity"] != "full");
    excludes("--decoder-first-pipeline-num-layers", "--account-for-embedding-in-pipeline-split");
}

// Checks DeepSpeed's rules: the batch, which deepspeed/runtime/config.py compares with the GPUs that are not
// in a sequence parallel group, the optimizers with which ZeRO is tested, what each stage can offload, and
// what does not combine.
void check_deepspeed_rules(const Written& options, const Answer& answer) {
    std::map<std::string, std::string> all(options.begin(), options.end());
    const Settings& s = answer.settings;
    if (all.contains("train_batch_size")) {
        // A pipeline's module has an mpu, which knows the stages.
        double world = s[P::gpus] / s[P::pipeline_parallel];
        if (all.contains("sequence_parallel_size")) world /= std::stod(all["sequence_parallel_size"]);
        REQUIRE(std::stod(all["train_batch_size"]) == std::stod(all["train_micro_batch_size_per_gpu"]) *
                                                          std::stod(all["gradient_accumulation_steps"]) *
                                                          world);
    }
    REQUIRE_FALSE((all.contains("tensor_parallel.autotp_size") && all.contains("expert_parallel.enabled")));
    if (all.contains("data_types.grad_accum_dtype")) REQUIRE(all["bf16.enabled"] == "true");
    const int stage = std::stoi(all["zero_optimization.stage"]);
    if (all["optimizer.type"] == "SGD" && stage > 0) REQUIRE(all["zero_allow_untested_optimizer"] == "true");
    if (all.contains("zero_optimization.offload_optimizer.device")) REQUIRE(stage > 0);
    if (all.contains("zero_optimization.offload_param.device")) REQUIRE(stage == 3);
    if (all.contains("zero_optimization.mics_shard_size")) REQUIRE(stage == 3);
}

// Checks the rules of Accelerate's ParallelismConfig (__post_init__): the degrees multiply to the number of
// processes, and replicas need a sharded dimension, beside tensor and context parallelism above all.
void check_accelerate_rules(const Written& options, const Answer& answer) {
    std::map<std::string, std::string> all(options.begin(), options.end());
    const double processes = std::stod(all["num_processes"]);
    REQUIRE(processes == answer.settings[P::gpus] / answer.settings[P::pipeline_parallel]);
    REQUIRE(std::fmod(processes, std::stod(all["num_machines"])) == 0);
    REQUIRE(processes <= std::stod(all["num_machines"]) * answer.settings[P::gpus_used_per_node]);
    const auto size = [&](const std::string& name) {
        return std::stod(all["parallelism_config.parallelism_config_" + name + "_size"]);
    };
    if (all["distributed_type"] == "MULTI_GPU") {
        REQUIRE_FALSE(all.contains("fsdp_config.fsdp_version"));
        // Tensor parallelism over all processes has nothing to shard over.
        if (all.contains("parallelism_config.parallelism_config_tp_size")) REQUIRE(size("tp") == processes);
        return;
    }
    REQUIRE(size("dp_replicate") * size("dp_shard") * size("cp") * size("tp") == processes);
    if (size("dp_replicate") > 1) REQUIRE(size("dp_shard") > 1);
}

// Checks axolotl's rules: the dimensions that axolotl/utils/distributed.py multiplies to the number of
// processes, what the validators of the schema refuse together, and what the plugin of expert parallelism
// demands of the dimensions.
void check_axolotl_rules(const Written& options, const Answer& answer) {
    std::map<std::string, std::string> all;
    for (const auto& [key, value] : options) {
        INFO(key);
        REQUIRE(all.emplace(key, value).second);
    }
    const Settings& s = answer.settings;
    const auto size = [&](const char* key) { return all.contains(key) ? std::stod(all[key]) : 1; };
    const double gpus = s[P::gpus];
    const double divided = size("tensor_parallel_size") * size("context_parallel_size");
    REQUIRE(std::fmod(gpus, divided) == 0);
    const bool fsdp = all.contains("fsdp_version");
    REQUIRE(fsdp == all.contains("dp_shard_size"));
    REQUIRE_FALSE((fsdp && all.contains("deepspeed")));
    if (fsdp)
        REQUIRE(divided * size("dp_shard_size") * size("dp_replicate_size") * size("expert_parallel_size") ==
                gpus);
    if (all.contains("dp_replicate_size")) REQUIRE(size("dp_shard_size") > 1);
    if (all.contains("expert_parallel_size")) {
        REQUIRE(fsdp);
        REQUIRE(size("tensor_parallel_size") == 1);
        REQUIRE_FALSE(all.contains("dp_replicate_size"));
    }
    if (all["optimizer"] == "muon") REQUIRE_FALSE(all.contains("deepspeed"));
    if (all["fp8"] == "true" && fsdp) REQUIRE(all["fsdp_config.cpu_ram_efficient_loading"] == "false");
    if (all.contains("activation_offloading")) REQUIRE(all["gradient_checkpointing"] == "true");
    if (all.contains("fp8_enable_fsdp_float8_all_gather")) REQUIRE(fsdp);
    if (all.contains("torch_compile_options.triton.cudagraphs")) REQUIRE(all["torch_compile"] == "true");
    if (all.contains("cut_cross_entropy")) REQUIRE((all["bf16"] == "true" || all["fp16"] == "true"));
    if (size("context_parallel_size") > 1) {
        REQUIRE(all["attn_implementation"] == "flash_attention_2");
        REQUIRE((all["sample_packing"] == "false" || all["micro_batch_size"] == "1"));
    }
    // A batch of the optimizer has at least the scenario's sequences.
    const double batch = size("micro_batch_size") * size("gradient_accumulation_steps") * gpus / divided;
    if (s[P::pipeline_parallel] <= 1) REQUIRE(batch == s[P::global_batch]);
    else REQUIRE(batch >= s[P::global_batch]);
}

// Checks MaxText's rules: the dimensions fill the slices and their number (max_utils.py), the batch is whole,
// the stages have equally many layers, and what types.py refuses together.
void check_maxtext_rules(const Written& options, const Answer& answer) {
    std::map<std::string, std::string> all;
    for (const auto& [key, value] : options) {
        INFO(key);
        REQUIRE(all.emplace(key, value).second);
    }
    const Settings& s = answer.settings;
    const auto number = [&](const std::string& key, double otherwise = 1) {
        return all.contains(key) ? std::stod(all[key]) : otherwise;
    };
    double inside = 1;
    double across = 1;
    for (const char* name : {"data", "fsdp", "context", "tensor", "tensor_sequence", "pipeline", "expert"}) {
        inside *= number("ici_" + std::string(name) + "_parallelism");
        across *= number("dcn_" + std::string(name) + "_parallelism");
    }
    REQUIRE(inside == std::fmin(s[P::gpus], s[P::gpus_used_per_node]));
    REQUIRE(inside * across == s[P::gpus]);
    const double stages = number("ici_pipeline_parallelism") * number("dcn_pipeline_parallelism");
    REQUIRE(stages == s[P::pipeline_parallel]);
    const double forward = std::floor(number("per_device_batch_size") * s[P::gpus]);
    const double accumulated = number("gradient_accumulation_steps");
    if (stages > 1) {
        const double batches = number("num_pipeline_microbatches");
        REQUIRE(std::fmod(batches, stages) == 0);
        REQUIRE(forward * s[P::accumulation] == batches * s[P::global_batch]);
        REQUIRE(accumulated == 1);
        REQUIRE(stages * number("num_pipeline_repeats") * number("num_layers_per_pipeline_stage") ==
                number("pipeline_parallel_layers"));
        REQUIRE(number("pipeline_parallel_layers") <= s[P::layers]);
    } else {
        REQUIRE(forward * accumulated == s[P::global_batch]);
    }
    if (all["quantization"] == "te_fp8_delayedscaling") REQUIRE(accumulated == 1);
    // Transformer Engine's layers have neither experts nor sinks.
    if (all["quantization"].starts_with("te_")) REQUIRE_FALSE(all.contains("num_experts"));
    if (all["attention_sink"] == "true") REQUIRE(all["attention"] != "cudnn_flash_te");
    if (all["use_ring_of_experts"] == "true")
        REQUIRE(number("ici_expert_parallelism") * number("dcn_expert_parallelism") > 1);
    if (all["remat_policy"] == "custom") REQUIRE(all["decoder_layer_input"] == "offload");
    REQUIRE(all.contains("model_name") != all.contains("decoder_block"));
    if (all["packing"] == "true") REQUIRE(number("max_segments_per_seq") > 0);
    if (all.contains("num_vocab_tiling"))
        REQUIRE(std::fmod(number("per_device_batch_size") * s[P::sequence_length],
                          number("num_vocab_tiling")) == 0);
    if (all.contains("num_experts") && number("first_num_dense_layers", 0) == 0)
        REQUIRE(all["base_mlp_dim"] == all["base_moe_mlp_dim"]);
}

// Checks that Primus gets every flag that its defaults switch on.
void check_primus_rules(const Written& options, const Answer& answer) {
    std::map<std::string, std::string> all;
    for (const auto& [key, value] : options) {
        INFO(key);
        REQUIRE(all.emplace(key, value).second);
    }
    REQUIRE(all.contains("sequence_parallel"));
    REQUIRE(all["num_layers"] == std::to_string(static_cast<int>(answer.settings[P::layers])));
    REQUIRE(all.contains("window_attn_skip_freq") <= all.contains("window_size"));
    REQUIRE_FALSE((all.contains("fp8") && all.contains("fp4")));
    if (all["position_embedding_type"] == "learned_absolute")
        REQUIRE(all["add_position_embedding"] == "true");
    if (all["optimizer"] == "dist_muon") REQUIRE(all["use_distributed_optimizer"] == "false");
    if (all.contains("hierarchical_context_parallel_sizes")) REQUIRE(all["cp_comm_type"] == "a2a+p2p");
}

// Checks the rules of Megatron-Core between fields, and that no option of the plan is left out.
void check_bridge_rules(const Written& options, const Answer& answer) {
    std::map<std::string, std::string> all(options.begin(), options.end());
    const auto is_on = [&](const char* field) { return all[field] == "True"; };
    for (const char* field :
         {"ddp.use_megatron_fsdp", "ddp.overlap_param_gather", "optimizer.use_precision_aware_optimizer"})
        if (is_on(field)) REQUIRE(is_on("ddp.use_distributed_optimizer"));
    for (const char* type : {"main_params_dtype", "main_grads_dtype", "exp_avg_dtype", "exp_avg_sq_dtype"})
        if (all["optimizer." + std::string(type)] != "torch.float32")
            REQUIRE(is_on("optimizer.use_precision_aware_optimizer"));
    // Only "dist_muon" and "dist_lion" are sharded Muon and Lion.
    if (is_on("ddp.use_distributed_optimizer"))
        REQUIRE((all["optimizer.optimizer"] == "\"adam\"" || all["optimizer.optimizer"] == "\"sgd\""));
    // Megatron-Bridge's own choices are replaced: of overlaps, of what its precisions gather, of the
    // offloaded share, and of experts' tensor parallelism.
    for (const std::string overlap : {"overlap_grad_reduce", "overlap_param_gather"})
        REQUIRE(all["comm_overlap." + overlap] == all["ddp." + overlap]);
    if (is_low(answer.settings.choice<Precision>(P::precision)))
        REQUIRE(all.contains("mixed_precision.fp8_param_gather"));
    if (is_on("optimizer.optimizer_cpu_offload"))
        REQUIRE(all["optimizer.optimizer_offload_fraction"] == "1.0");
    if (all["model.cuda_graph_impl"] != "\"none\"") REQUIRE(is_on("rng.te_rng_tracker"));
    if (answer.settings[P::experts] > 0) REQUIRE(all["model.expert_tensor_parallel_size"] != "None");
    REQUIRE(all["model.pipeline_model_parallel_size"] ==
            std::to_string(answer.settings.whole(P::pipeline_parallel)));
    for (const std::string& note : kMegatronBridge.write(answer).notes)
        REQUIRE_FALSE(note.starts_with("Not written"));
}

void check_rules(const LaunchFormat& format, Written (*options)(const std::string&),
                 void (*rules)(const Written&, const Answer&)) {
    for (const Answer& answer : scenarios()) {
        const LaunchText launch = format.write(answer);
        if (launch.text.empty()) continue;
        INFO(launch.text);
        rules(options(launch.text), answer);
    }
}

void check_options(const LaunchFormat& format, Written (*options)(const std::string&), std::size_t least) {
    const auto allowed = documented(std::string(format.name).c_str());
    std::set<std::string> seen;
    std::size_t written = 0;
    for (const Answer& answer : scenarios()) {
        const LaunchText launch = format.write(answer);
        if (launch.text.empty()) {
            // Tools are refused a model that is no transformer, or whose layers they do not have.
            CHECK((answer.settings.listed() || answer.settings[P::layer_pattern] != 0));
            REQUIRE(launch.notes.size() == 1);
            continue;
        }
        ++written;
        INFO(answer.scenario.title());
        REQUIRE(std::set(launch.notes.begin(), launch.notes.end()).size() == launch.notes.size());
        for (const auto& [name, value] : options(launch.text)) {
            const auto found = allowed.find(name);
            INFO(answer.scenario.title() << ": " << name << " " << value);
            REQUIRE(found != allowed.end());
            seen.insert(name);
            if (found->second[0] == "flag" && name.starts_with("--")) REQUIRE(value.empty());
            else REQUIRE(type_mismatch(found->second, value).empty());
        }
    }
    CHECK(written > kRandom + 300);
    CHECK(seen.size() >= least);
}

}  // namespace

TEST_CASE("launch: Megatron-LM documents every argument that is written for any model and plan", "[launch]") {
    check_options(kMegatron, options_of_script, 60);
}

TEST_CASE(
    "launch: options that Megatron-LM, DeepSpeed and Accelerate refuse together are never written together",
    "[launch]") {
    check_rules(kMegatron, options_of_script, check_megatron_rules);
    check_rules(kDeepspeed, options_of_json, check_deepspeed_rules);
    check_rules(kAccelerate, options_of_yaml, check_accelerate_rules);
    check_rules(kTorchtitanPython, options_of_python, check_python_rules);
    check_rules(kPrimus, options_of_primus, check_primus_rules);
    check_rules(kMegatronBridge, options_of_python, check_bridge_rules);
    check_rules(kAxolotl, options_of_yaml, check_axolotl_rules);
    check_rules(kMaxText, options_of_yaml, check_maxtext_rules);
}

// The directives are options of sbatch (SLURM 24.05), which it reads only before the first command.
TEST_CASE("launch: a job for SLURM starts every plan of every tool on its nodes", "[launch]") {
    static const std::regex directive("#SBATCH --(nodes|ntasks-per-node|gpus-per-node)=([1-9][0-9]*)");
    std::map<std::string, int> written;
    for (const Answer& answer : scenarios()) {
        for (const LaunchFormat* format : launch_formats()) {
            const LaunchText launch = format->write(answer);
            if (launch.text.empty()) continue;
            ++written[std::string(format->name)];
            const std::string job = slurm_job(*format, launch);
            INFO(format->name << "\n" << job);
            std::istringstream lines(job);
            std::string line;
            std::map<std::string, double> numbers;
            std::vector<std::string> commands;
            while (std::getline(lines, line)) {
                std::smatch found;
                if (std::regex_match(line, found, directive)) numbers[found[1]] = std::stod(found[2]);
                else if (line.starts_with("#SBATCH"))
                    REQUIRE((line == "#SBATCH --exclusive" || line == "#SBATCH --job-name=shardscope"));
                else if (!line.starts_with('#')) commands.push_back(line);
                if (line.starts_with("#SBATCH")) REQUIRE(commands.empty());
            }
            REQUIRE(numbers["ntasks-per-node"] == 1);
            REQUIRE(numbers["nodes"] == launch.hosts.nodes);
            REQUIRE(numbers["gpus-per-node"] == launch.hosts.gpus);
            // A tool without pipelines trains one stage.
            const double gpus = numbers["nodes"] * numbers["gpus-per-node"];
            const double stages = answer.settings[P::pipeline_parallel];
            REQUIRE((gpus == answer.settings[P::gpus] || gpus == answer.settings[P::gpus] / stages));
            REQUIRE(commands.front() == "set -euo pipefail");
            // `set -u` ends a job that uses a variable which is not set.
            const bool uses_head = commands.back().find("$HEAD_NODE") != std::string::npos;
            const bool sets_head = commands.size() == 4 && commands[1].starts_with("HEAD_NODE=$(scontrol ");
            REQUIRE((!uses_head || sets_head));
            REQUIRE((launch.starts_all_nodes || commands.back().starts_with("srun ")));
        }
    }
    REQUIRE(written.size() == launch_formats().size());
    for (const auto& [name, count] : written) {
        INFO(name);
        CHECK(count > 500);
    }
}

TEST_CASE("launch: every written file is read again with every option recognized", "[launch]") {
    for (const Answer& answer : scenarios()) {
        for (const LaunchFormat* format : launch_formats()) {
            const LaunchText launch = format->write(answer);
            if (!format->read || launch.text.empty()) continue;
            Problems problems;
            const LaunchRead back = format->read(launch.text, answer.scenario, problems);
            INFO(launch.text);
            for (const std::string& note : back.notes) {
                INFO(note);
                REQUIRE_FALSE(note.starts_with("Changes time or memory"));
                // A shape that no model has is read as that of another one. Its positions, routing and
                // activation have no effect on the prediction.
                if (is_modified(answer.scenario, Group::model)) continue;
                REQUIRE_FALSE(note.starts_with("Not used:"));
            }
        }
    }
}

TEST_CASE("launch: torchtitan documents every key that is written for any model and plan", "[launch]") {
    check_options(kTorchtitan, options_of_toml, 30);
}

TEST_CASE("launch: DeepSpeed documents every key that is written for any model and plan", "[launch]") {
    check_options(kDeepspeed, options_of_json, 15);
}

TEST_CASE("launch: Accelerate documents every key that is written for any model and plan", "[launch]") {
    check_options(kAccelerate, options_of_yaml, 18);
}

TEST_CASE("launch: Primus has every key that is written for any model and plan", "[launch]") {
    check_options(kPrimus, options_of_primus, 45);
}

TEST_CASE("launch: MaxText has every key that is written for any model and plan", "[launch]") {
    check_options(kMaxText, options_of_yaml, 58);
}

TEST_CASE("launch: axolotl has every key that is written for any model and plan", "[launch]") {
    check_options(kAxolotl, options_of_yaml, 30);
}

TEST_CASE("launch: torchtitan has every field that the Python function sets for any model and plan",
          "[launch]") {
    check_options(kTorchtitanPython, options_of_python, 20);
}

TEST_CASE("launch: Megatron-Bridge has every field that is written for any model and plan", "[launch]") {
    check_options(kMegatronBridge, options_of_python, 80);
}

TEST_CASE("launch: torchtitan has the converters of the Python function and their arguments", "[launch]") {
    const auto allowed = documented("torchtitan-python");
    static const std::regex call("(model_registry|[A-Za-z0-9]+Converter\\.Config)\\(");
    static const std::regex named("([a-z_]+)=");
    std::set<std::string> seen;
    for (const Answer& answer : scenarios()) {
        const std::string text = kTorchtitanPython.write(answer).text;
        INFO(text);
        for (std::sregex_iterator at(text.begin(), text.end(), call), end; at != end; ++at) {
            const auto found = allowed.find((*at)[1]);
            REQUIRE(found != allowed.end());
            seen.insert(found->first);
            // A converter is written in one line, the registry's call up to its list of converters.
            const auto from = static_cast<std::size_t>(at->position() + at->length());
            const bool registry = found->first == "model_registry";
            const std::string arguments = text.substr(from, text.find(registry ? "[\n" : "\n", from) - from);
            const std::string own = registry && arguments.find(")\n") != std::string::npos
                                        ? arguments.substr(0, arguments.find(")\n"))
                                        : arguments;
            for (std::sregex_iterator word(own.begin(), own.end(), named); word != end; ++word) {
                INFO((*word)[1].str());
                REQUIRE(std::find(found->second.begin(), found->second.end(), (*word)[1].str()) !=
                        found->second.end());
            }
        }
    }
    CHECK(seen.size() == 6);
}

TEST_CASE("launch: PyTorch documents every function of the FSDP2 snippet and its arguments", "[launch]") {
    const auto allowed = documented("fsdp2");
    static const std::regex call("([A-Za-z_.]*[A-Za-z_])\\(([^()]*(\\([^()]*\\)[^()]*)*)\\)");
    static const std::regex named("([a-z_]+)=");
    std::set<std::string> seen;
    for (const Answer& answer : scenarios()) {
        const std::string text = kFsdp2.write(answer).text;
        std::istringstream lines(text);
        std::string line;
        while (std::getline(lines, line)) {
            line = line.substr(0, line.find('#'));
            if (line.starts_with("def ")) continue;
            for (std::sregex_iterator at(line.begin(), line.end(), call), end; at != end; ++at) {
                const std::string name = (*at)[1];
                if (name == "enumerate" || name == "model.parameters") continue;
                INFO(line);
                const auto found = allowed.find(name);
                REQUIRE(found != allowed.end());
                seen.insert(name);
                const std::string arguments = (*at)[2];
                for (std::sregex_iterator word(arguments.begin(), arguments.end(), named); word != end;
                     ++word) {
                    INFO((*word)[1].str());
                    REQUIRE(std::find(found->second.begin(), found->second.end(), (*word)[1].str()) !=
                            found->second.end());
                }
            }
        }
    }
    CHECK(seen.size() >= 8);
}
