#include "files/result.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "evidence/coverage.h"
#include "evidence/likely_range.h"
#include "evidence/validated.h"
#include "explain/operator_table.h"
#include "explain/output.h"
#include "files/scenario_file.h"
#include "presets/json_values.h"
#include "text/encode.h"
#include "text/text.h"

namespace shardscope {
namespace {

using nlohmann::ordered_json;

// Returns the first rank, from 0, of the GPUs that hold the fullest stage of a pipeline.
double first_rank_of_fullest_stage(const Answer& answer) {
    const Layout& layout = answer.compiled.layout;
    const bool pipeline_first =
        answer.settings.choice<RankOrder>(P::rank_order) == RankOrder::pipeline_before_data;
    const double ranks =
        pipeline_first ? layout.tensor * layout.context : answer.settings[P::gpus] / layout.pipeline;
    return answer.estimate.memory.stage * ranks;
}

std::string reason_it_does_not_fit(const Answer& answer) {
    switch (answer.estimate.verdict) {
        case Verdict::fits: return {};
        case Verdict::risky:
            return "The peak is within ±" + format(answer.settings[P::risk_margin], Quantity::percent) +
                   " of the usable memory: it may fit or not.";
        case Verdict::does_not_fit: break;
    }
    return wall_sentence(answer);
}

// Settings in which stacks differ and which descriptions of runs often leave out.
constexpr std::array kHabits{P::optimizer_precision,
                             P::moment_precision,
                             P::gradient_precision,
                             P::fp8_param_gather,
                             P::async_tensor_parallel,
                             P::overlap_grad_reduce,
                             P::overlap_param_gather,
                             P::moe_dispatcher,
                             P::moe_overlap,
                             P::cuda_graphs,
                             P::loss};

// Returns those habits that the scenario does not set and that have an effect: they are assumed to be those
// of the stack.
std::vector<P> assumed_habits(const Answer& answer) {
    const Settings& s = answer.settings;
    const auto matters = [&](P id) {
        if (id == P::moe_dispatcher || id == P::moe_overlap) return s[P::experts] > 0;
        if (id == P::async_tensor_parallel) return s[P::tensor_parallel] > 1;
        const auto sharding = s.choice<Sharding>(P::sharding);
        if (id == P::fp8_param_gather)
            return is_low(s.choice<Precision>(P::precision)) && sharding != Sharding::ddp;
        // FSDP always overlaps its collectives.
        if (id == P::overlap_grad_reduce || id == P::overlap_param_gather) return !is_fsdp(sharding);
        if (id == P::loss) return !s.listed();
        return true;
    };
    std::vector<P> out;
    for (const P id : kHabits) {
        if (s.origin(id) != Origin::given && matters(id)) out.push_back(id);
    }
    return out;
}

ordered_json plan_of(const Answer& answer) {
    ordered_json plan = ordered_json::object();
    for (std::size_t i = 0; i < kParameters; ++i) {
        const P id = static_cast<P>(i);
        if (section_of(id) == "training")
            plan[std::string(field_of(id))] = write_value(id, answer.settings[id]);
    }
    return plan;
}

ordered_json memory_by_moment(const MemoryUse& memory) {
    ordered_json out = ordered_json::object();
    for (std::size_t m = 0; m < kMoments; ++m) {
        ordered_json& moment = out[std::string(name_of(static_cast<Moment>(m)))];
        for (std::size_t t = 0; t < kMemoryTerms; ++t) {
            moment[std::string(name_of(static_cast<MemoryTerm>(t)))] = memory.by_moment[m][t];
        }
    }
    return out;
}

}  // namespace

std::string result_json(const Answer& answer, bool hypothetical, bool operators) {
    ordered_json out = ordered_json::object();
    const Estimate& e = answer.estimate;
    out["name"] = answer.scenario.title();
    out["verdict"] = std::string(name_of(e.verdict));
    out["reason"] = reason_it_does_not_fit(answer);
    if (hypothetical && !e.fits()) out["hypothetical"] = true;
    out["plan"] = plan_of(answer);
    out["auto"] = ordered_json::array();
    for (std::size_t i = 0; i < kParameters; ++i) {
        if (answer.scenario.automatic[i]) out["auto"].push_back(std::string(field_of(static_cast<P>(i))));
    }
    out["assumed"] = ordered_json::array();
    for (const P id : assumed_habits(answer)) out["assumed"].push_back(std::string(field_of(id)));
    // Each row of the table of outputs has its value at the row's path.
    for (std::size_t i = 0; i < kOutputs; ++i) {
        const auto id = static_cast<Output>(i);
        if (id == Output::wall) continue;
        ordered_json* field = &out;
        for (const std::string& part : split(output(id).path, '.')) {
            // The library's own conversion of null to an object is not safe if memory is exhausted.
            if (field->is_null()) *field = ordered_json::object();
            field = &(*field)[part];
        }
        *field = finite_number(value_of(id, answer, hypothetical));
    }
    out["band"]["coverage"] = kLikelyShare;
    const std::vector<NearestRun> nearest = nearest_runs(answer.settings, kNearestRuns);
    out["evidence"] = {{"nearest_runs", ordered_json::array()},
                       {"distance", nearest.empty() ? 1 : nearest.front().distance}};
    for (const NearestRun& run : nearest) out["evidence"]["nearest_runs"].push_back(run.id);
    out["memory"]["peak_moment"] = std::string(name_of(e.memory.peak_moment));
    out["memory"]["peak_stage"] = e.memory.stage + 1;
    out["memory"]["peak_rank"] = first_rank_of_fullest_stage(answer);
    out["memory"]["by_moment"] = memory_by_moment(e.memory);
    out["memory"]["stages"] = ordered_json::array();
    for (const double bytes : allocated_by_stage(answer.compiled)) out["memory"]["stages"].push_back(bytes);
    out["memory"]["band"] = {{"low", e.memory.peak * (1 - answer.settings[P::risk_margin])},
                             {"high", e.memory.peak * (1 + answer.settings[P::risk_margin])}};
    out["flops_convention"] = written(P::flops_convention, answer.settings[P::flops_convention]);
    out["wall"] = std::string(name_of(e.wall));
    const Levers lever = levers(answer);
    const bool timed = hypothetical || e.fits();
    out["levers"] = {{"gpu_memory", timed ? finite_number(lever.gpu_memory) : nullptr},
                     {"batch", timed ? finite_number(lever.batch) : nullptr}};
    const std::vector<std::string> notes = warnings(answer);
    if (!notes.empty()) out["warnings"] = notes;
    if (operators) {
        out["operators"] = ordered_json::array();
        for (const OperatorRow& row : operator_table(answer).rows) {
            out["operators"].push_back({{"block", std::string(row.block)},
                                        {"name", std::string(row.name)},
                                        {"kind", std::string(row.kind)},
                                        {"repeat", row.repeat},
                                        {"shape", {row.m, row.n, row.k}},
                                        {"count", row.count},
                                        {"flops", row.flops},
                                        {"bytes", row.bytes},
                                        {"weights", row.weights},
                                        {"saved_bytes", row.saved},
                                        {"forward_s", timed ? finite_number(row.forward) : nullptr},
                                        {"backward_s", timed ? finite_number(row.backward) : nullptr},
                                        {"bound", std::string(row.bound_name())}});
        }
    }
    return json_text(out);
}

std::string invalid_json(const std::string& name, const Problems& problems) {
    ordered_json out = ordered_json::object();
    out["name"] = name;
    out["verdict"] = "invalid";
    out["reason"] = texts_of(problems);
    return json_text(out);
}

namespace {

// Returns a table with one operator per line, for one micro-batch on one GPU.
std::string operator_text(const Answer& answer, bool hypothetical) {
    const bool timed = hypothetical || answer.estimate.fits();
    const auto mebibytes = [](double bytes) {
        return format(std::round(bytes / (1024.0 * 1024.0)), Quantity::count);
    };
    TextRows rows{
        {"  ", "block", "operator", "TFLOP", "moved MiB", "kept MiB", "forward", "backward", "bound by"}};
    for (const OperatorRow& row : operator_table(answer).rows) {
        rows.push_back(
            {"  ",
             std::string(row.block) + (row.repeat > 1 ? " ×" + format(row.repeat, Quantity::count) : ""),
             std::string(row.name), format(row.flops / 1e12, Quantity::fraction), mebibytes(row.bytes),
             mebibytes(row.saved), timed ? format(row.forward, Quantity::seconds) : "–",
             timed ? format(row.backward, Quantity::seconds) : "–", std::string(row.bound_name())});
    }
    return "  Operators of one micro-batch on one GPU\n" + text_table(rows);
}

}  // namespace

std::string scenario_to_report(const Answer& answer) {
    const bool by_hand = answer.settings[P::mfu_override] > 0;
    return answer.impossible && !by_hand ? write_scenario(answer.scenario, false) : std::string();
}

std::string result_text(const Answer& answer, bool hypothetical, bool operators) {
    const Estimate& e = answer.estimate;
    std::string out = answer.scenario.title() + "\n";
    const auto line = [&](const std::string& label, const std::string& value) {
        out += "  " + padded(label, 30) + value + "\n";
    };
    const auto row = [&](Output id, const std::string& indent = {}) {
        line(indent + std::string(output(id).label), text_of(id, answer, hypothetical));
    };
    std::string where = " at the " + std::string(label_of(e.memory.peak_moment));
    if (answer.compiled.stages.count > 1) {
        where += ", on stage " + format(e.memory.stage + 1, Quantity::count) + " of " +
                 format(answer.compiled.stages.count, Quantity::count) + " (first rank " +
                 format(first_rank_of_fullest_stage(answer), Quantity::count) + ")";
    }
    line("Verdict", std::string(name_of(e.verdict)) + ", " + format(e.memory.peak, Quantity::bytes) + " of " +
                        format(e.memory.capacity, Quantity::bytes) + where);
    if (hypothetical && !e.fits()) line("Times", "hypothetical: it does not fit");
    line("", wall_sentence(answer));
    const bool by_hand = answer.settings[P::mfu_override] > 0;
    line(std::string(output(Output::mfu).label) + (by_hand ? ", set by hand" : ""),
         text_of(Output::mfu, answer, hypothetical));
    row(Output::tokens_per_s_per_gpu);
    if (!by_hand && (hypothetical || e.fits()))
        line("  range of 4 of 5 runs", text_of(Output::band_low, answer, hypothetical) + " to " +
                                           text_of(Output::band_high, answer, hypothetical));
    if (!by_hand && (hypothetical || e.fits())) line("", nearest_runs_sentence(answer));
    row(Output::step_time);
    line("Wall", std::string(label_of(e.wall)));
    out += "  Memory of one GPU\n";
    for (std::size_t t = 0; t < kMemoryTerms; ++t) {
        line("  " + std::string(label_of(static_cast<MemoryTerm>(t))),
             format(e.memory.terms()[t], Quantity::bytes));
    }
    line("  allocated, reserved, device", format(e.memory.allocated(), Quantity::bytes) + ", " +
                                              format(e.memory.reserved(), Quantity::bytes) + ", " +
                                              format(e.memory.peak, Quantity::bytes));
    out += "  Step\n";
    for (std::size_t t = 0; t < kStepTerms; ++t) {
        if (e.step.terms[t] == 0 && static_cast<StepTerm>(t) != StepTerm::network) continue;
        row(output_of(static_cast<StepTerm>(t)), "  ");
    }
    row(Output::hidden_communication, "  ");
    out += "  Whole run\n";
    for (const Output id : whole_run(answer)) row(id, "  ");
    std::string habits;
    for (const P id : assumed_habits(answer)) {
        habits +=
            (habits.empty() ? "" : ", ") + std::string(field_of(id)) + " " + written(id, answer.settings[id]);
    }
    if (!habits.empty()) out += "  Not set, assumed for the stack: " + habits + "\n";
    for (const std::string& note : warnings(answer)) out += "  Note: " + note + "\n";
    if (operators) out += operator_text(answer, hypothetical);
    return out;
}

}  // namespace shardscope
