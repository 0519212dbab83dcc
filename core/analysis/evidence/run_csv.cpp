#include "evidence/run_csv.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "evidence/run_limits.h"
#include "text/csv.h"
#include "text/encode.h"
#include "text/text.h"
#include "text/translate.h"

namespace shardscope {
namespace {

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

// The usual stack of a plan, for rows with a blank `software`.
std::string usual_software(const std::string& sharding, double model_parallel) {
    if (model_parallel > 1 && sharding != "zero3" && sharding != "hsdp") return "megatron-core";
    return sharding == "zero1" || sharding == "zero2" ? "deepspeed" : "fsdp1";
}

std::string gpu_hint(const std::string& name, const Catalogue& catalogue) {
    return suggestion(name, catalogue.names(PresetKind::gpu),
                      translate("see `shardscope presets list --kind {1}`", {name_of(PresetKind::gpu)}));
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
        if (const std::string similar = suggestion(name, known); !similar.empty())
            problems.push_back({"", translate("the column “{1}” is not read", {name}), "", similar, line});
    }
}

}  // namespace

bool is_run_header(std::string_view line) {
    const std::vector<CsvRow> header = read_csv(line);
    if (header.empty()) return false;
    const std::vector<std::string>& columns = header.front().fields;
    const auto known = std::ranges::count_if(
        kRequired, [&](std::string_view name) { return std::ranges::find(columns, name) != columns.end(); });
    constexpr int kEnough = 3;  // no other table has so many of them; `read_runs` reports the missing ones
    return known >= kEnough;
}

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
        complete_rate(run, tokens, "/");
        if (run.step_time > 0) run.quality = RunQuality::good;
        runs.push_back(std::move(run));
    }
    return runs;
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
    scenario.give_software(run.software);
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

}  // namespace shardscope
