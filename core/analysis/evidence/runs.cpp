#include "evidence/runs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>

#include "evidence/likely_range.h"
#include "memory/memory.h"
#include "presets/json_values.h"
#include "presets/scenario_json.h"
#include "system/embedded.h"
#include "text/csv.h"
#include "text/encode.h"
#include "text/text.h"
#include "text/translate.h"

namespace shardscope {
namespace {

using nlohmann::json;

// Columns of the table and their parameters; cells have the notation of the parameter.
struct ColumnParameter {
    std::string_view column;
    P id;
};
constexpr std::array kColumns{
    ColumnParameter{"layers", P::layers},
    ColumnParameter{"hidden", P::hidden_size},
    ColumnParameter{"ffn_hidden", P::ffn_size},
    ColumnParameter{"heads", P::heads},
    ColumnParameter{"kv_heads", P::kv_heads},
    ColumnParameter{"vocab", P::vocab_size},
    ColumnParameter{"mlp", P::mlp},
    ColumnParameter{"gpus", P::gpus},
    ColumnParameter{"gpus_per_node", P::gpus_per_node},
    ColumnParameter{"sequence", P::sequence_length},
    ColumnParameter{"micro_batch", P::micro_batch},
    ColumnParameter{"global_batch", P::global_batch},
    ColumnParameter{"sharding", P::sharding},
    ColumnParameter{"shard_group", P::shard_group},
    ColumnParameter{"tensor_parallel", P::tensor_parallel},
    ColumnParameter{"pipeline_parallel", P::pipeline_parallel},
    ColumnParameter{"virtual_stages", P::virtual_stages},
    ColumnParameter{"context_parallel", P::context_parallel},
    ColumnParameter{"sequence_parallel", P::sequence_parallel},
    ColumnParameter{"async_tensor_parallel", P::async_tensor_parallel},
    ColumnParameter{"precision", P::precision},
    ColumnParameter{"gradient_precision", P::gradient_precision},
    ColumnParameter{"recompute", P::recompute},
    ColumnParameter{"attention", P::attention},
    ColumnParameter{"optimizer_precision", P::optimizer_precision},
};

constexpr std::array<std::string_view, 11> kRequired{"layers",      "hidden",       "ffn_hidden", "heads",
                                                     "vocab",       "gpu",          "gpus",       "sequence",
                                                     "micro_batch", "global_batch", "sharding"};

// The number in a cell; 0 if it is blank, NaN if it is not a number. Tables are written by programs, so that
// a comma is not accepted as a decimal mark.
double number_in(const MeasuredRun& run, std::string_view column) {
    const auto found = run.column.find(column);
    if (found == run.column.end() || found->second.empty()) return 0;
    const Parsed parsed = parse(found->second, Quantity::fraction);
    return parsed.ok && found->second.find(',') == std::string::npos ? parsed.value : std::nan("");
}

constexpr std::size_t kMostRows = 10'000;
constexpr double kLargestMemory = 1e14;  // bytes
constexpr double kShortestStep = 1e-6;   // s
constexpr double kLongestStep = 1e6;     // s
constexpr double kMostTokens = 1e9;      // a second and GPU

// Checks that the cells required by a scenario are not blank and that measurements are plausible.
void check_cells(MeasuredRun& run) {
    for (const std::string_view required : kRequired) {
        if (run.column[std::string(required)].empty()) {
            run.problems.push_back({"/" + std::string(required), translate("the cell is blank"),
                                    translate("a scenario needs it"), translate("fill it in"), run.line});
        }
    }
    const std::pair<std::string_view, double> measurements[] = {{"step_time_s", kLongestStep},
                                                                {"tokens_per_s_per_gpu", kMostTokens},
                                                                {"mfu", 10},
                                                                {"peak_memory_bytes", kLargestMemory},
                                                                {"out_of_memory", 1},
                                                                {"nic_gbit_per_gpu", 1e6}};
    for (const auto& [name, largest] : measurements) {
        const double value = number_in(run, name);
        if (std::isnan(value) || value < 0 || value > largest) {
            run.problems.push_back(
                {"/" + std::string(name),
                 translate("“{1}” is not a valid value", {run.column[std::string(name)]}),
                 translate("a number from 0 to {1} is expected", {format(largest, Quantity::count)}),
                 translate("correct it or leave it blank"), run.line});
        }
    }
    const double step = number_in(run, "step_time_s");
    if (step > 0 && step < kShortestStep) {
        run.problems.push_back(
            {"/step_time_s", translate("“{1}” is not a valid value", {run.column["step_time_s"]}),
             translate("no step is shorter than a microsecond"), translate("give seconds"), run.line});
    }
    const auto kind = run.column.find("peak_kind");
    if (kind != run.column.end() && !kind->second.empty() && kind->second != "allocated" &&
        kind->second != "reserved" && kind->second != "device") {
        run.problems.push_back({"/peak_kind", translate("“{1}” is not a kind of peak", {kind->second}), "",
                                translate("use allocated, reserved or device"), run.line});
    }
}

// The stack that a program trains with.
std::string_view stack_of(std::string_view software) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kPrograms{
        {{"llm-foundry", "fsdp1"},
         {"fsdp", "fsdp1"},
         {"megatron", "megatron-core"},
         {"megatron-lm", "megatron-core"},
         {"deepspeed-zero3", "deepspeed"}}};
    for (const auto& [program, stack] : kPrograms) {
        if (program == software) return stack;
    }
    return software;
}

// The usual stack of a plan, for rows with a blank `software`.
std::string usual_software(const std::string& sharding, double model_parallel) {
    if (model_parallel > 1 && sharding != "zero3" && sharding != "hsdp") return "megatron-core";
    return sharding == "zero1" || sharding == "zero2" ? "deepspeed" : "fsdp1";
}

std::string gpu_hint(const std::string& name, const Catalogue& catalogue) {
    const std::string near = nearest(name, catalogue.names(PresetKind::gpu));
    return near.empty() ? translate("see `shardscope presets list --kind {1}`", {name_of(PresetKind::gpu)})
                        : translate("did you mean “{1}”?", {near});
}

// An NVLink domain of more GPUs than this is a rack, not a node.
constexpr double kLargestNode = 16;

double usual_domain(const Preset& gpu) {
    for (const auto& [id, value] : gpu.node) {
        if (id == P::gpus_per_node) return value;
    }
    return 0;
}

// Returns the predicted peak of the kind that was measured.
double peak_as_measured(const MeasuredPeaks& predicted, const MeasuredPeaks& measured) {
    if (measured.allocated > 0) return predicted.allocated;
    return measured.reserved > 0 ? predicted.reserved : predicted.device;
}

// Returns the predicted peaks of the GPU that was measured. It is the fullest one, unless the source logs the
// memory of one rank: a setting “memory_stage: first” or “memory_stage: last” says so.
MeasuredPeaks predicted_peaks(const Compiled& c, const MeasuredRun& run) {
    const auto logs = [&](std::string_view stage) {
        return std::ranges::find(run.settings, "memory_stage: " + std::string(stage)) != run.settings.end();
    };
    const bool piped = c.stages.count > 1;
    const MemoryUse use = piped && logs("first")  ? memory_use(c.stages.first, c)
                          : piped && logs("last") ? memory_use(c.stages.last, c)
                                                  : memory_use(c);
    return {use.allocated(), use.reserved(), use.peak};
}

FamilySummary summarize(const std::vector<const ValidationRow*>& rows) {
    std::vector<double> errors;
    std::vector<std::string> folds;
    double within = 0;
    for (const ValidationRow* row : rows) {
        errors.push_back(row->error);
        folds.push_back(row->run->model + '|' + row->run->gpu + '|' + row->run->software);
        if (row->measured_step >= row->band_low && row->measured_step <= row->band_high) within += 1;
    }
    FamilySummary out = summary_of(errors);
    if (out.n > 0) out.within_band = within / out.n;
    out.mean_over_folds = mean_over_folds(errors, folds);
    return out;
}

// Returns whether the run needed all memory or more.
bool fills_memory(const ValidationRow& row) {
    constexpr double kFull = 0.92;  // of the capacity; the caching allocator stops growing there
    return row.run->out_of_memory || (row.run->memory_is_good && row.run->peak.any() > kFull * row.capacity);
}

MemorySummary summarize_memory(const std::vector<ValidationRow>& rows) {
    MemorySummary out;
    for (const ValidationRow& row : rows) {
        if (fills_memory(row)) {
            ++out.full;
            if (row.verdict != Verdict::fits) ++out.full_warned;
        } else if (const double measured = row.measured_peak(); measured > 0) {
            const double error = row.predicted_peak / measured - 1;
            ++out.n;
            out.mean_abs_error += std::fabs(error);
            out.bias += error;
        }
    }
    if (out.n > 0) {
        out.mean_abs_error /= out.n;
        out.bias /= out.n;
    }
    return out;
}

// Warns of columns that occur twice, and of names that are similar to known ones, because a misspelt degree
// would be read as 1.
void warn_of_columns(const std::vector<std::string>& header, int line, Problems& problems) {
    std::vector<std::string> known{"id",          "family",
                                   "source",      "licence",
                                   "software",    "model",
                                   "gpu",         "nic_gbit_per_gpu",
                                   "step_time_s", "tokens_per_s_per_gpu",
                                   "mfu",         "peak_memory_bytes",
                                   "peak_kind",   "out_of_memory",
                                   "note"};
    for (const ColumnParameter& column : kColumns) known.emplace_back(column.column);
    std::set<std::string_view> before;
    for (const std::string& name : header) {
        if (!before.insert(name).second) {
            problems.push_back({"", translate("the column “{1}” is given twice", {name}),
                                translate("the later one is used"), translate("remove one"), line});
        }
        if (std::ranges::find(known, name) != known.end()) continue;
        if (const std::string near = nearest(name, known); !near.empty())
            problems.push_back({"", translate("the column “{1}” is not read", {name}), "",
                                translate("did you mean “{1}”?", {near}), line});
    }
}

}  // namespace

std::string MeasuredRun::cell(std::string_view name) const {
    const auto found = column.find(name);
    return found == column.end() ? std::string() : found->second;
}

double quantile(std::vector<double> values, double q) {
    if (values.empty()) return 0;
    std::ranges::sort(values);
    const double at = q * static_cast<double>(values.size() - 1);
    const auto low = static_cast<std::size_t>(at);
    const std::size_t high = std::min(low + 1, values.size() - 1);
    return values[low] + (at - static_cast<double>(low)) * (values[high] - values[low]);
}

double mean_over_folds(const std::vector<double>& errors, const std::vector<std::string>& fold_of) {
    std::map<std::string, std::pair<double, int>> folds;
    for (std::size_t i = 0; i < errors.size(); ++i) {
        auto& [sum, n] = folds[fold_of[i]];
        sum += std::fabs(errors[i]);
        ++n;
    }
    double out = 0;
    for (const auto& [name, fold] : folds) out += fold.first / fold.second;
    return folds.empty() ? 0 : out / static_cast<double>(folds.size());
}

FamilySummary summary_of(const std::vector<double>& errors) {
    FamilySummary out;
    out.n = static_cast<int>(errors.size());
    if (out.n == 0) return out;
    std::vector<double> sizes;
    for (const double error : errors) {
        sizes.push_back(std::fabs(error));
        out.mean_abs_error += std::fabs(error) / out.n;
        out.bias += error / out.n;
    }
    out.median_abs_error = quantile(sizes, 0.5);
    out.p90_abs_error = quantile(sizes, 0.9);
    return out;
}

std::string_view name_of(RunQuality quality) {
    constexpr std::array<std::string_view, 5> kNames{"good", "noisy", "tiny", "ambiguous", ""};
    return kNames[static_cast<std::size_t>(quality)];
}

bool is_run_table(std::string_view text) {
    const std::string_view first_line = text.substr(0, text.find('\n'));
    if (first_line.starts_with('{') && first_line.find("\"measured\"") != std::string_view::npos) return true;
    const std::vector<CsvRow> header = read_csv(text.substr(0, text.find('\n')));
    if (header.empty()) return false;
    const std::vector<std::string>& columns = header.front().fields;
    const auto known = std::ranges::count_if(
        kRequired, [&](std::string_view name) { return std::ranges::find(columns, name) != columns.end(); });
    constexpr int kEnough = 3;  // no other table has so many of them; `read_runs` reports the missing ones
    return known >= kEnough;
}

namespace {

std::vector<MeasuredRun> read_run_csv(std::string_view csv, Problems& problems) {
    std::vector<MeasuredRun> runs;
    const std::vector<CsvRow> rows = read_csv(csv);
    if (rows.empty()) {
        problems.push_back({"", translate("the table is empty"), translate("a header row is expected"), {}});
        return runs;
    }
    if (rows.size() > kMostRows) {
        problems.push_back({"", translate("the table has more than 10,000 rows"),
                            translate("each run is predicted and compared"), translate("split it")});
        return runs;
    }
    constexpr std::size_t kMostColumns = 1000;
    if (rows[0].fields.size() > kMostColumns) {
        problems.push_back({"", translate("the table has more than 1,000 columns"),
                            translate("no run has so many settings"), translate("keep those that are known"),
                            rows[0].line});
        return runs;
    }
    std::vector<std::string> header;
    for (const std::string& name : rows[0].fields) header.push_back(one_line(name));
    for (const std::string_view required : kRequired) {
        if (std::ranges::find(header, required) == header.end()) {
            problems.push_back({"", translate("the column “{1}” is missing", {required}),
                                translate("a scenario needs it"), translate("add it to the header row"),
                                rows[0].line});
        }
    }
    if (!problems.empty()) return runs;
    warn_of_columns(header, rows[0].line, problems);
    if (rows.size() == 1)
        problems.push_back({"", translate("the table has no rows"), translate("it has only a header"),
                            translate("add a row for each run"), 1});
    for (std::size_t i = 1; i < rows.size(); ++i) {
        const CsvRow& row = rows[i];
        if (row.fields == rows[0].fields) continue;  // a repeated header of concatenated tables
        if (row.fields.size() != header.size()) {
            problems.push_back({"",
                                translate("the row has {1} fields", {std::to_string(row.fields.size())}),
                                translate("the header has {1}", {std::to_string(header.size())}),
                                {},
                                row.line});
            continue;
        }
        MeasuredRun run;
        run.line = row.line;
        for (std::size_t c = 0; c < header.size(); ++c) run.column[header[c]] = one_line(trim(row.fields[c]));
        run.id = run.cell("id");
        if (run.id.empty()) run.id = "line-" + std::to_string(row.line);
        run.family = run.cell("family");
        if (run.family.empty() || run.family == kAllRuns) run.family = "user";
        run.source = run.cell("source");
        run.licence = run.cell("licence");
        run.model = run.cell("model");
        run.gpu = run.cell("gpu");
        run.note = run.cell("note");
        run.software = run.cell("software");
        if (run.software.empty())
            run.software = usual_software(
                run.cell("sharding"),
                std::max(number_in(run, "tensor_parallel"), number_in(run, "pipeline_parallel")));
        check_cells(run);
        run.gpus = number_in(run, "gpus");
        run.step_time = number_in(run, "step_time_s");
        run.tokens_per_s_per_gpu = number_in(run, "tokens_per_s_per_gpu");
        run.mfu = number_in(run, "mfu");
        const std::string kind = run.cell("peak_kind");
        double& peak = kind == "allocated"  ? run.peak.allocated
                       : kind == "reserved" ? run.peak.reserved
                                            : run.peak.device;
        peak = number_in(run, "peak_memory_bytes");
        run.out_of_memory = number_in(run, "out_of_memory") == 1;
        // These cells have the notation of the parameters: "8k" is 8,192 tokens. `scenario_of` reports
        // errors.
        const auto counted = [&](std::string_view column, P id) {
            const Parsed parsed = parse(id, run.cell(column));
            return parsed.ok && parsed.value > 0 ? parsed.value : 0.0;
        };
        const double tokens =
            counted("global_batch", P::global_batch) * counted("sequence", P::sequence_length);
        const double implied = run.tokens_per_s_per_gpu * run.gpus * run.step_time;
        constexpr double kAgree = 0.1;
        if (implied > 0 && tokens > 0 && std::fabs(implied / tokens - 1) > kAgree) {
            run.problems.push_back(
                {"/tokens_per_s_per_gpu", translate("does not agree with step_time_s and the batch"),
                 translate("{1} tokens a step against {2}",
                           {format(run.tokens_per_s_per_gpu * run.step_time * run.gpus, Quantity::count),
                            format(tokens, Quantity::count)}),
                 translate("it may be the total or count samples: leave one of the two blank"), run.line});
        }
        if (!(run.step_time > 0) && run.tokens_per_s_per_gpu > 0 && run.gpus > 0) {
            run.step_time = tokens / (run.tokens_per_s_per_gpu * run.gpus);
            if (run.step_time > 0 && !(run.step_time >= kShortestStep && run.step_time <= kLongestStep)) {
                run.problems.push_back(
                    {"/tokens_per_s_per_gpu",
                     translate("“{1}” is not a valid value", {run.cell("tokens_per_s_per_gpu")}),
                     translate("a step would take {1}", {format(run.step_time, Quantity::seconds)}),
                     translate("correct it or leave it blank"), run.line});
            }
        } else if (run.step_time > 0 && !(run.tokens_per_s_per_gpu > 0) && run.gpus > 0) {
            run.tokens_per_s_per_gpu = tokens / (run.step_time * run.gpus);
            if (!(run.tokens_per_s_per_gpu <= kMostTokens)) {
                run.problems.push_back(
                    {"/step_time_s", translate("“{1}” is not a valid value", {run.cell("step_time_s")}),
                     translate("a GPU would process {1}", {format(run.tokens_per_s_per_gpu, Quantity::rate)}),
                     translate("correct it or leave it blank"), run.line});
            }
        }
        if (run.step_time > 0) run.quality = RunQuality::good;
        runs.push_back(std::move(run));
    }
    return runs;
}

// ---- JSON Lines -------------------------------------------------------------------------------------------

RunQuality quality_named(std::string_view name) {
    for (const RunQuality quality :
         {RunQuality::good, RunQuality::noisy, RunQuality::tiny, RunQuality::ambiguous}) {
        if (name_of(quality) == name) return quality;
    }
    return RunQuality::none;
}

// Reads the numbers of `measured`. A number that is no measurement is reported.
class MeasuredReader {
  public:
    MeasuredReader(const json& measured, MeasuredRun& run) : measured_(measured), run_(run) {}
    double number(const char* field, double largest) {
        const auto found = measured_.find(field);
        if (found == measured_.end() || found->is_null()) return 0;
        return check(*found, std::string("/measured/") + field, largest);
    }
    std::vector<double> numbers(const char* field, double largest) {
        const auto found = measured_.find(field);
        std::vector<double> out;
        if (found == measured_.end() || !found->is_array()) return out;
        for (std::size_t i = 0; i < found->size(); ++i)
            out.push_back(
                check((*found)[i], std::string("/measured/") + field + "/" + std::to_string(i), largest));
        return out;
    }
    bool flag(const char* field) {
        const auto found = measured_.find(field);
        return found != measured_.end() && found->is_boolean() && found->get<bool>();
    }

  private:
    double check(const json& value, const std::string& pointer, double largest) {
        const double number = value.is_number() ? value.get<double>() : std::nan("");
        if (number >= 0 && number <= largest) return number;
        run_.problems.push_back(
            {pointer, translate("“{1}” is not a valid value", {json_text(value)}),
             translate("a number from 0 to {1} is expected", {format(largest, Quantity::count)}),
             translate("correct it or leave it out"), run_.line});
        return 0;
    }
    const json& measured_;
    MeasuredRun& run_;
};

// Returns why the engine cannot predict a run with such a setting; "" if it can.
std::string reason_not_modelled(const std::string& setting) {
    constexpr std::string_view kMark = "not modelled";
    if (setting.starts_with("layer_pattern:")) return translate("layer patterns are not modelled yet");
    if (!setting.starts_with(kMark)) return {};
    const std::size_t colon = setting.find(':');
    return colon == std::string::npos ? setting : trim(setting.substr(colon + 1));
}

MeasuredRun read_run_object(const json& object, int line) {
    MeasuredRun run;
    run.line = line;
    run.id = text_at(object, "id");
    if (run.id.empty()) run.id = "line-" + std::to_string(line);
    run.family = text_at(object, "family");
    if (run.family.empty() || run.family == kAllRuns) run.family = "user";
    run.source = text_at(object, "source");
    run.licence = text_at(object, "licence");
    run.model = text_at(object, "model_name");
    run.note = text_at(object, "note");
    run.assumed = text_at(object, "assumed");
    run.quality = quality_named(text_at(object, "quality"));
    run.memory_is_good = text_at(object, "memory_quality") != "bad";
    if (const auto found = object.find("settings"); found != object.end() && found->is_array()) {
        for (const json& setting : *found) {
            if (!setting.is_string()) continue;
            run.settings.push_back(one_line(setting.get_ref<const std::string&>()));
            if (run.not_modelled.empty()) run.not_modelled = reason_not_modelled(run.settings.back());
        }
    }
    const auto scenario = object.find("scenario");
    if (scenario == object.end() || !scenario->is_object()) {
        run.problems.push_back({"/scenario", translate("the scenario is missing"),
                                translate("it holds the settings of the run"), translate("write {…}"), line});
        return run;
    }
    if (const auto model = scenario->find("model");
        model != scenario->end() && model->contains("layer_pattern") && run.not_modelled.empty())
        run.not_modelled = translate("layer patterns are not modelled yet");
    run.scenario = json_text(*scenario);
    if (const auto cluster = scenario->find("cluster"); cluster != scenario->end() && cluster->is_object()) {
        run.software = text_at(*cluster, "software");
        if (const auto gpus = cluster->find("gpus"); gpus != cluster->end() && gpus->is_number())
            run.gpus = gpus->get<double>();
        run.gpu = text_at(*cluster, "gpu");
        if (const auto gpu = cluster->find("gpu"); gpu != cluster->end() && gpu->is_object())
            run.gpu = text_at(*gpu, "preset");
    }
    const auto found = object.find("measured");
    if (found == object.end() || !found->is_object()) {
        run.problems.push_back({"/measured", translate("the measurements are missing"), "",
                                translate("write {\"step_time_s\": 1.5}"), line});
        return run;
    }
    MeasuredReader measured(*found, run);
    run.step_time = measured.number("step_time_s", kLongestStep);
    run.tokens_per_s_per_gpu = measured.number("tokens_per_s_per_gpu", kMostTokens);
    run.peak.allocated = measured.number("peak_allocated_bytes", kLargestMemory);
    run.peak.reserved = measured.number("peak_reserved_bytes", kLargestMemory);
    run.peak.device = measured.number("peak_device_bytes", kLargestMemory);
    run.stage_allocated = measured.numbers("stage_allocated_bytes", kLargestMemory);
    run.out_of_memory = measured.flag("out_of_memory");
    // A run that crashed for another reason has no time.
    if (run.quality == RunQuality::none && run.step_time > 0 && !object.contains("quality"))
        run.quality = RunQuality::good;
    return run;
}

std::vector<MeasuredRun> read_run_lines(std::string_view text, Problems& problems) {
    std::vector<MeasuredRun> runs;
    int number = 0;
    for (std::string_view left = text; !left.empty();) {
        ++number;
        const std::size_t end = left.find('\n');
        const std::string_view line = left.substr(0, end);
        left.remove_prefix(end == std::string_view::npos ? left.size() : end + 1);
        if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
        if (runs.size() == kMostRows) {
            problems.push_back({"", translate("the table has more than 10,000 rows"),
                                translate("each run is predicted and compared"), translate("split it")});
            return {};
        }
        Problems own;
        const json object = parse_json(line, own);
        for (Problem& problem : own) {
            problem.line = number;
            problems.push_back(std::move(problem));
        }
        if (!own.empty()) continue;
        if (!object.is_object()) {
            problems.push_back(
                {"", translate("a run must be a JSON object"), "", translate("write {…}"), number});
            continue;
        }
        runs.push_back(read_run_object(object, number));
    }
    return runs;
}

}  // namespace

std::vector<MeasuredRun> read_runs(std::string_view text, Problems& problems) {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    const bool lines = first != std::string_view::npos && text[first] == '{';
    return lines ? read_run_lines(text, problems) : read_run_csv(text, problems);
}

const std::vector<MeasuredRun>& shipped_runs() {
    static const std::vector<MeasuredRun> runs = [] {
        Problems problems;
        std::vector<MeasuredRun> read;
        for (const EmbeddedFile& file : embedded_files()) {
            const bool is_table = file.path.ends_with(".csv") || file.path.ends_with(".jsonl");
            if (!file.path.starts_with("runs/") || !is_table) continue;
            std::vector<MeasuredRun> more = read_runs(file.text, problems);
            std::ranges::move(more, std::back_inserter(read));
        }
        if (read.empty() || !problems.empty()) {
            std::fprintf(stderr, "shardscope: the shipped run table cannot be read\n");
            std::abort();
        }
        return read;
    }();
    return runs;
}

namespace {

// The scenario of a row of JSON Lines. What it does not state has the stack's usual value.
Scenario scenario_of_json(const MeasuredRun& run, const Catalogue& catalogue, Problems& problems) {
    Scenario start = Scenario::first_launch(catalogue);
    start.model = nullptr;
    start.cluster = nullptr;
    const std::size_t before = problems.size();
    Scenario scenario =
        read_scenario_json(json::parse(run.scenario), {catalogue, nullptr, {}, &start}, problems);
    for (std::size_t i = before; i < problems.size(); ++i) problems[i].line = run.line;
    scenario.name = run.id;
    if (!scenario.is_given(P::sharding)) {
        const Settings s = resolve(scenario);
        const double model_parallel = s[P::tensor_parallel] * s[P::pipeline_parallel];
        scenario.give(P::sharding, model_parallel > 1 ? Sharding::zero1 : Sharding::zero3);
    }
    return scenario;
}

Scenario scenario_of_csv(const MeasuredRun& run, const Catalogue& catalogue, Problems& problems) {
    Scenario scenario = Scenario::first_launch(catalogue);
    scenario.name = run.id;
    scenario.cluster = nullptr;  // blank columns mean the GPU's usual node
    scenario.gpu = catalogue.find(PresetKind::gpu, run.gpu);
    if (!scenario.gpu) {
        problems.push_back({"/gpu", translate("there is no GPU preset “{1}”", {run.gpu}), "",
                            gpu_hint(run.gpu, catalogue), run.line});
        return scenario;
    }
    // A stack without a calibration gets the constants of “other”.
    const Parsed software = parse(P::software, stack_of(run.software));
    scenario.give(P::software, software.ok ? software.value : parse(P::software, "other").value);
    for (const ColumnParameter& entry : kColumns) {
        const std::string text = run.cell(entry.column);
        if (text.empty()) continue;
        const Parsed parsed = parse(entry.id, text);
        if (!parsed.ok) {
            problems.push_back(
                {"/" + std::string(entry.column), parsed.problem, "", parsed.suggestion, run.line});
        } else {
            scenario.give(entry.id, parsed.value);
        }
    }
    // For racks that are one NVLink domain (NVL72), tables give the GPUs of a tray, four, as those of a node.
    const Settings asked = resolve(scenario);
    const double domain = usual_domain(*scenario.gpu);
    if (domain > kLargestNode && asked[P::gpus_per_node] < kLargestNode)
        scenario.give(P::gpus_per_node, domain);
    if (const std::string nic = run.cell("nic_gbit_per_gpu"); !nic.empty()) {
        const Parsed parsed = parse(nic, Quantity::fraction);
        if (parsed.ok) scenario.give(P::inter_node_bandwidth, parsed.value * 1e9 / 8);
    }
    // Properties without a column follow from the model family: llm-foundry's MPT has biases and positions as
    // long as the sequence, GPTs have biases and learned positions, gated models have neither.
    const Settings settings = resolve(scenario);
    const bool gated = settings.choice<Mlp>(P::mlp) == Mlp::gated;
    const bool mpt = run.model.starts_with("MPT") || run.model.starts_with("mpt");
    scenario.give(P::bias, gated ? 0 : 1);
    scenario.give(P::norm, static_cast<double>(gated ? Norm::rmsnorm : Norm::layernorm));
    scenario.give(P::tied_embeddings, gated ? 0 : 1);
    scenario.give(P::learned_positions, mpt     ? kPositionsAsSequence
                                        : gated ? 0
                                                : settings[P::sequence_length]);
    return scenario;
}

}  // namespace

Scenario scenario_of(const MeasuredRun& run, const Catalogue& catalogue, Problems& problems) {
    problems.insert(problems.end(), run.problems.begin(), run.problems.end());
    if (!run.not_modelled.empty() && problems.empty())
        problems.push_back({"", translate("not modelled"), run.not_modelled, {}, run.line});
    if (!problems.empty()) return Scenario::first_launch(catalogue);
    Scenario scenario = run.scenario.empty() ? scenario_of_csv(run, catalogue, problems)
                                             : scenario_of_json(run, catalogue, problems);
    // Jobs may not fill their nodes: a node then has the largest number of GPUs that divides the job's.
    const Settings asked = resolve(scenario);
    const double node = asked[P::gpus_used_per_node];
    if (asked[P::gpus] > node && std::fmod(asked[P::gpus], node) != 0) {
        double used = node;
        while (used > 1 && std::fmod(asked[P::gpus], used) != 0) --used;
        scenario.give(P::gpus_used_per_node, used);
    }
    if (problems.empty()) {
        for (Problem& problem : check(scenario, resolve(scenario))) {
            problem.line = run.line;
            problems.push_back(problem);
        }
    }
    return scenario;
}

namespace {

// Returns the valid ones of the runs with their settings.
std::vector<PublicRun> with_settings(const std::vector<MeasuredRun>& runs) {
    std::vector<PublicRun> out;
    for (const MeasuredRun& run : runs) {
        Problems problems;
        const Settings settings = resolve(scenario_of(run, Catalogue::shipped(), problems));
        if (!problems.empty()) continue;
        const Compiled compiled = compile(settings);
        const double computed = run.tokens_per_s_per_gpu * compiled.flops_per_token / compiled.peak;
        out.push_back({.run = &run,
                       .settings = settings,
                       .parameters = compiled.parameters,
                       .mfu = run.mfu > 0 ? run.mfu : computed});
    }
    return out;
}

// Returns the lines of the text that contain both words.
std::string matching_lines(std::string_view text, const std::string& gpu, const std::string& width) {
    std::string out;
    for (std::string_view left = text; !left.empty();) {
        const std::string_view line = left.substr(0, left.find('\n'));
        left.remove_prefix(std::min(left.size(), line.size() + 1));
        if (line.find(width) != std::string_view::npos && line.find(gpu) != std::string_view::npos)
            (out += line) += '\n';
    }
    return out;
}

// Returns the shipped runs on a GPU that may have models of this width. It reads only their lines, because
// the window needs them for its first frame.
const std::vector<PublicRun>& runs_of_width(const std::string& gpu, double width) {
    struct Runs {
        std::vector<MeasuredRun> runs;
        std::vector<PublicRun> with_settings;
    };
    static std::mutex mutex;
    static std::map<std::pair<std::string, double>, Runs> by_width;
    const std::lock_guard lock(mutex);
    const auto [found, is_new] = by_width.try_emplace({gpu, width});
    if (!is_new) return found->second.with_settings;
    Problems ignored;
    for (const EmbeddedFile& file : embedded_files()) {
        if (!file.path.starts_with("runs/")) continue;
        std::vector<MeasuredRun> more;
        if (file.path.ends_with(".csv")) {
            more = read_runs(file.text, ignored);
            std::erase_if(more, [&](const MeasuredRun& run) {
                return run.gpu != gpu || parse(P::hidden_size, run.cell("hidden")).value != width;
            });
        } else if (file.path.ends_with(".jsonl")) {
            const std::string lines =
                matching_lines(file.text, "\"" + gpu + "\"", "\"hidden_size\":" + exact(width) + ",");
            if (!lines.empty()) more = read_runs(lines, ignored);
        }
        std::ranges::move(more, std::back_inserter(found->second.runs));
    }
    found->second.with_settings = with_settings(found->second.runs);
    return found->second.with_settings;
}

}  // namespace

const std::vector<PublicRun>& public_runs() {
    static const std::vector<PublicRun> all = with_settings(shipped_runs());
    return all;
}

std::vector<ComparableRun> comparable_runs(const Answer& answer) {
    std::vector<ComparableRun> out;
    const Preset* gpu = answer.scenario.gpu_preset();
    if (!answer.valid() || !gpu) return out;
    const Settings& s = answer.settings;
    // The settings that must agree for `same_settings`.
    constexpr std::array kSame{P::software,
                               P::sequence_length,
                               P::micro_batch,
                               P::accumulation,
                               P::sharding,
                               P::recompute,
                               P::attention,
                               P::tensor_parallel,
                               P::sequence_parallel,
                               P::pipeline_parallel,
                               P::virtual_stages,
                               P::context_parallel,
                               P::async_tensor_parallel};
    // The precision must agree, too, because the MFU of another precision refers to another peak.
    constexpr std::array kModel{P::layers, P::hidden_size, P::ffn_size, P::precision};
    for (const PublicRun& other : runs_of_width(gpu->name, s[P::hidden_size])) {
        if (other.run->gpu != gpu->name || !other.run->has_good_time()) continue;
        const auto same = [&](P id) { return other.settings[id] == s[id]; };
        if (std::ranges::all_of(kModel, same))
            out.push_back(
                {other.run, std::ranges::all_of(kSame, same), other.mfu, other.settings[P::sequence_length]});
    }
    return out;
}

double ValidationRow::measured_peak() const {
    return run->memory_is_good && !fills_memory(*this) ? run->peak.any() : 0;
}

Validation validate(const std::vector<MeasuredRun>& runs, const Catalogue& catalogue) {
    Validation out;
    for (const MeasuredRun& run : runs) {
        Problems problems;
        const Scenario scenario = scenario_of(run, catalogue, problems);
        if (!problems.empty()) {
            out.skipped.push_back({&run, problems.front().text(), run.not_modelled.empty()});
            continue;
        }
        const Answer predicted = answer(scenario);
        ValidationRow row;
        row.run = &run;
        row.predicted_step = predicted.estimate.step.total;
        row.measured_step = run.step_time;
        row.error = run.step_time > 0 ? row.predicted_step / run.step_time - 1 : std::nan("");
        row.predicted = predicted_peaks(predicted.compiled, run);
        row.predicted_peak = peak_as_measured(row.predicted, run.peak);
        row.predicted_mfu = predicted.estimate.predicted_mfu;
        row.tokens_per_gpu = predicted.estimate.tokens_per_gpu;
        row.full_rate = predicted.compiled.peak / predicted.compiled.flops_per_token;
        row.experts = predicted.settings[P::experts] > 0;
        row.capacity = predicted.estimate.memory.capacity;
        row.verdict = predicted.estimate.verdict;
        const LikelyRange likely = likely_range(predicted);
        row.band_low = row.tokens_per_gpu / likely.high;
        row.band_high = row.tokens_per_gpu / likely.low;
        out.rows.push_back(row);
    }
    out.memory = summarize_memory(out.rows);
    std::map<std::string, std::vector<const ValidationRow*>> families;
    for (const ValidationRow& row : out.rows) {
        if (!row.run->has_good_time()) continue;
        families[row.run->family].push_back(&row);
        families[kAllRuns].push_back(&row);
    }
    for (const auto& [family, rows] : families) out.summary[family] = summarize(rows);
    return out;
}

}  // namespace shardscope
