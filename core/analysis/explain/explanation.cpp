#include "explain/explanation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "explain/operator_table.h"
#include "explain/output_formula.h"
#include "explain/substituted.h"
#include "explain/symbols.h"
#include "scenario/scenario.h"
#include "schedules/schedule.h"
#include "text/text.h"
#include "text/translate.h"
#include "training/critical_batch.h"

namespace shardscope {
namespace {

constexpr const char* kDash = "–";

Ingredient line_of(Output id, const Answer& answer) {
    return {std::string(output(id).symbol), label_of(id), text_of(id, answer), Subject::of(id)};
}

Ingredient line_of(P id, const Answer& answer) {
    return {{}, label_of(id), format(id, answer.settings[id]), Subject::of(id)};
}

Ingredient line_of(std::string_view name, const Answer& answer) {
    const Symbol* symbol = find_symbol(name);
    if (!symbol) return {std::string(name)};
    Ingredient out{std::string(name), label_of(*symbol), format(value_of(*symbol, answer), symbol->quantity)};
    // A scenario that does not fit has no times.
    if (symbol->output && output(*symbol->output).requires_fit && !answer.estimate.fits()) out.value = kDash;
    if (symbol->output) out.opens = Subject::of(*symbol->output);
    else if (symbol->parameter) out.opens = Subject::of(*symbol->parameter);
    else out.opens = Subject::symbol(std::string(name));
    return out;
}

void add_symbols(std::string_view names, const Answer& answer, std::vector<Ingredient>& to) {
    for (const std::string& name : split(names, ' ')) {
        if (!name.empty()) to.push_back(line_of(name, answer));
    }
}

void add_assumptions(std::string_view names, const Answer& answer, Explanation& to) {
    for (const std::string& name : split(names, ' ')) {
        const auto id = name.empty() ? std::nullopt : find_parameter(name);
        if (id) to.assumptions.push_back(line_of(*id, answer));
    }
}

// Writes an amount; bytes below a GiB are written in MiB, because one operator may have few.
std::string amount(double value, Quantity quantity) {
    constexpr double kMiB = 1024.0 * 1024;
    if (quantity != Quantity::bytes || value >= 1024 * kMiB) return format(value, quantity);
    return format(value / kMiB, Quantity::fraction) + " MiB";
}

// ---- sums ------------------------------------------------------------------------------------------------

struct Summand {
    double amount = 0;
    Ingredient line;
};

// Sorts the parts, largest first, and leaves out zero terms.
void set_parts(std::string title, std::vector<Summand> parts, Explanation& to) {
    std::erase_if(parts, [](const Summand& part) { return !(part.amount > 0); });
    if (parts.empty()) return;
    std::ranges::stable_sort(parts, std::greater{}, &Summand::amount);
    to.parts_title = std::move(title);
    for (Summand& part : parts) to.parts.push_back(std::move(part.line));
}

// Lists every operator of the model for which `amount_of` is above zero.
template <typename AmountOf>
void set_operators(const Answer& answer, Quantity quantity, AmountOf amount_of, Explanation& to) {
    std::vector<Summand> parts;
    for (const OperatorRow& row : operator_table(answer).rows) {
        const double value = amount_of(row);
        parts.push_back(
            {value, {{}, std::string(row.name), amount(value, quantity), Subject::op(row.path())}});
    }
    set_parts(translate("Operators"), std::move(parts), to);
}

void set_outputs(const std::vector<Output>& ids, const Answer& answer, Explanation& to) {
    std::vector<Summand> parts;
    parts.reserve(ids.size());
    for (const Output id : ids) parts.push_back({output(id).get(answer), line_of(id, answer)});
    set_parts(translate("Terms"), std::move(parts), to);
}

// Lists the terms of the step for which `belongs` is true.
void set_terms(bool (*belongs)(StepTerm), const Answer& answer, Explanation& to) {
    std::vector<Output> ids;
    for (std::size_t i = 0; i < kStepTerms; ++i) {
        if (belongs(static_cast<StepTerm>(i))) ids.push_back(output_of(static_cast<StepTerm>(i)));
    }
    set_outputs(ids, answer, to);
}

// Lists the summands of an output that is a sum.
void add_parts(Output id, const Answer& answer, Explanation& to) {
    if (id == Output::peak_memory) {
        std::vector<Output> ids;
        for (std::size_t i = 0; i < kMemoryTerms; ++i) ids.push_back(output_of(static_cast<MemoryTerm>(i)));
        return set_outputs(ids, answer, to);
    }
    if (id == Output::parameters) {
        return set_operators(
            answer, Quantity::big_count, [](const OperatorRow& row) { return row.repeat * row.all_weights; },
            to);
    }
    if (!answer.estimate.fits()) return;
    if (id == Output::step_time) return set_terms([](StepTerm) { return true; }, answer, to);
    if (id == Output::waiting_time) return set_terms(waits, answer, to);
    if (id == Output::exposed_communication) return set_terms(communicates, answer, to);
    if (id == Output::compute_time)
        return set_terms([](StepTerm term) { return !waits(term) && !communicates(term); }, answer, to);
    // A term of the step is a sum over operators.
    set_operators(
        answer, Quantity::seconds,
        [&](const OperatorRow& row) { return output_of(row.term) == id ? row.step : 0.0; }, to);
}

// ---- outputs ---------------------------------------------------------------------------------------------

// The parameters that an output depends on under the chosen critical-batch law and MFU.
std::string_view assumptions_of(Output id, const Answer& answer) {
    if (id == Output::critical_batch) {
        switch (answer.settings.choice<CriticalBatchLaw>(P::critical_batch_law)) {
            case CriticalBatchLaw::none: break;
            case CriticalBatchLaw::kaplan:
                return "critical_batch_law loss_batch loss_batch_exponent loss_parameters loss_exponent";
            case CriticalBatchLaw::bergsma: return "critical_batch_law data_batch data_batch_exponent";
            case CriticalBatchLaw::fixed: return "critical_batch_law assumptions.critical_batch";
        }
    }
    if (id == Output::mfu && answer.settings[P::mfu_override] > 0) return "mfu_override flops_convention";
    return output(id).assumptions;
}

Explanation explain_output(Output id, const Answer& answer) {
    const OutputRow& row = output(id);
    Explanation out{
        .title = label_of(id), .sentence = translate(row.sentence), .source = translate(row.source)};
    if (!answer.valid()) return out;
    const OutputFormula form = formula_of(id, answer);
    out.formula = form.formula;
    if (id == Output::wall) {
        out.sentence = wall_sentence(answer);
        out.result = label_of(answer.estimate.wall);
    } else {
        out.result = text_of(id, answer);
    }
    if (id == Output::mfu && answer.settings[P::mfu_override] > 0) {
        out.sentence =
            translate("Set by hand; the prediction is {1}. Step, rates and days follow from the set value.",
                      {format(answer.estimate.predicted_mfu, Quantity::percent)});
        out.source = translate("set by hand");
    }
    if (id == Output::step_bubble) out.source = "E20: " + translate(answer.compiled.schedule->source);
    if (id == Output::mfu && answer.settings.listed())
        out.source = translate("the operators' shapes; the backward pass counts twice the forward pass");
    add_symbols(form.symbols, answer, out.ingredients);
    add_parts(id, answer, out);
    add_assumptions(assumptions_of(id, answer), answer, out);
    return out;
}

// ---- parameters and presets ------------------------------------------------------------------------------

const Preset* preset_in_use(PresetKind kind, const Scenario& scenario) {
    switch (kind) {
        case PresetKind::gpu: return scenario.gpu_preset();
        case PresetKind::cluster: return scenario.cluster;
        case PresetKind::model: return scenario.model;
        case PresetKind::calibration: return scenario.calibration;
        case PresetKind::scenario:
        case PresetKind::study: break;
    }
    return nullptr;
}

std::optional<PresetKind> preset_of(Origin origin) {
    switch (origin) {
        case Origin::gpu: return PresetKind::gpu;
        case Origin::cluster: return PresetKind::cluster;
        case Origin::model: return PresetKind::model;
        default: return std::nullopt;
    }
}

// How a parameter that was not given is derived from others.
struct Derivation {
    P id;
    std::string_view formula;
    std::string_view symbols;
};
constexpr std::array kDerivations{
    Derivation{P::head_size, translatable("d = h ÷ a, in the preset's proportion"), "h a"},
    Derivation{P::heads, translatable("a = h ÷ d, in the preset's proportion"), "h d"},
    Derivation{P::kv_heads, "a_kv = a", "a"},
    Derivation{P::ffn_size, translatable("h_ff = h · the preset's ratio"), "h"},
    Derivation{P::accumulation, "m = B · G_m ÷ (b · G)", "B G_m b G"},
    Derivation{P::global_batch, "B = b · m · G ÷ G_m", "b m G G_m"},
};

Explanation explain_parameter(P id, const Answer& answer) {
    const Parameter& row = parameter(id);
    Explanation out{.title = label_of(id), .sentence = help_of(id)};
    if (!answer.valid()) return out;
    const Settings& s = answer.settings;
    out.result = format(id, s[id]);
    if (out.result.empty()) out.result = kDash;  // a text that is not given
    out.source = source_of(answer.scenario, s, id);
    if (s.origin(id) == Origin::derived) {
        const auto found = std::ranges::find(kDerivations, id, &Derivation::id);
        if (found != kDerivations.end()) {
            out.formula = translate(found->formula);
            add_symbols(found->symbols, answer, out.ingredients);
        }
    }
    if (const auto kind = preset_of(s.origin(id))) {
        const bool only_nearest = *kind == PresetKind::model && !answer.scenario.model_name.empty();
        if (const Preset* preset = preset_in_use(*kind, answer.scenario); preset && !only_nearest)
            out.ingredients.push_back(
                {{}, translate("Preset"), translate(preset->title), Subject::of(*kind)});
    }
    out.parts_title = translate("As an input");
    if (row.quantity != Quantity::choice) {
        out.parts.push_back({{},
                             translate("possible"),
                             translate("{1} to {2}", {format(id, row.minimum), format(id, row.maximum)}),
                             {}});
    }
    out.parts.push_back({{}, translate("in files"), std::string(row.key), {}});
    return out;
}

Explanation explain_preset(PresetKind kind, const Answer& answer) {
    const Preset* preset = preset_in_use(kind, answer.scenario);
    if (!preset) return {.title = translate("Preset")};
    Explanation out{.title = translate(preset->title), .sentence = translate(preset->source)};
    for (const auto& [id, value] : preset->values)
        out.ingredients.push_back({{}, label_of(id), format(id, value), Subject::of(id)});
    out.parts_title = translate("As an input");
    out.parts.push_back({{}, translate("in files"), preset->name, {}});
    return out;
}

// ---- symbols and operators -------------------------------------------------------------------------------

bool is_root(const OperatorRow& row, const OperatorList& all) {
    return row.block == all.embedding.name || row.block == all.head.name;
}

// How often an operator occurs in the model's most frequent layer; for a list, in its average layer.
double in_layer(const OperatorRow& row, const Answer& answer) {
    const OperatorList& all = answer.compiled.operators;
    if (!answer.settings.listed()) return row.block == all.usual_layer().name ? 1 : 0;
    return is_root(row, all) ? 0 : row.repeat / all.of_kind.front().repeat;
}

// Lists the operators that a symbol is the sum of.
void add_operators(SummedProperty property, const Answer& answer, Explanation& to) {
    switch (property) {
        case SummedProperty::none: return;
        case SummedProperty::layer_weights:
            return set_operators(
                answer, Quantity::big_count,
                [&](const OperatorRow& row) { return in_layer(row, answer) * row.all_weights; }, to);
        case SummedProperty::root_weights:
            return set_operators(
                answer, Quantity::big_count,
                [&](const OperatorRow& row) {
                    return is_root(row, answer.compiled.operators) ? row.all_weights : 0.0;
                },
                to);
        case SummedProperty::layer_saved:
            set_operators(
                answer, Quantity::bytes,
                [&](const OperatorRow& row) { return in_layer(row, answer) * row.saved; }, to);
            if (!to.parts.empty()) to.parts_title = translate("Operators, without recompute");
            return;
        case SummedProperty::flops: {
            const double all = operator_table(answer).model.flops;
            return set_operators(
                answer, Quantity::percent,
                [&](const OperatorRow& row) { return row.repeat * row.flops / all; }, to);
        }
    }
}

Explanation explain_symbol(const std::string& name, const Answer& answer) {
    const Symbol* symbol = find_symbol(name);
    if (!symbol) return {.title = name};
    Explanation out{.title = translate("{1}, {2}", {name, label_of(*symbol)})};
    if (!answer.valid()) return out;
    out.formula = translate(symbol->formula);
    out.result = format(value_of(*symbol, answer), symbol->quantity);
    add_symbols(symbol->symbols, answer, out.ingredients);
    if (!symbol->op.empty()) {
        for (const OperatorRow& row : operator_table(answer).rows) {
            if (row.name != symbol->op) continue;
            out.ingredients.push_back({{}, std::string(row.name), {}, Subject::op(row.path())});
            break;
        }
    }
    add_operators(symbol->sum_of, answer, out);
    add_assumptions(symbol->assumptions, answer, out);
    return out;
}

// The formula for the time of one kind of operator, and the parameters it depends on.
struct Rule {
    std::string_view kind;
    std::string_view sentence;
    std::string_view formula;
    std::string_view source;
    std::string_view assumptions;
};
constexpr std::string_view kMoves = "memory_bandwidth memory_efficiency elementwise_traffic kernel_launch";
constexpr std::array kRules{
    Rule{"gemm", translatable("{1} matrix products of m × n × k in a micro-batch."),
         translatable("t = 2·m·n·k · count ÷ (P · η(m, n, k)) + launch"), "E9",
         "peak_flops gemm_efficiency gemm_half_depth gemm_half_area kernel_launch"},
    Rule{"convolution", translatable("A convolution, as its implicit matrix product of m × n × k."),
         translatable("t = 2·m·n·k · count ÷ (P · η(m, n, k)) + launch"), "E9",
         "peak_flops gemm_efficiency gemm_half_depth gemm_half_area kernel_launch"},
    Rule{"attention",
         translatable("The attention scores and their product with the values, in one kernel or several."),
         translatable("t = FLOPs ÷ (P · η_a · s/(s + s½))"), "E9",
         "peak_flops attention attention_efficiency flash2_efficiency attention_generation "
         "attention_half_sequence attention_half_head attention_ceiling flash2_ceiling"},
    Rule{"scan", translatable("The kernels of a recurrence that is computed in chunks of tokens."),
         translatable("t = FLOPs ÷ (P · η_s) + bytes ÷ (B_HBM · η_m) + launches"), "E34",
         "peak_flops flash2_efficiency scan_efficiency memory_bandwidth memory_efficiency kernel_launch"},
    Rule{"norm",
         translatable("A norm reads its input and writes its output; memory bandwidth bounds its time."),
         translatable("t = bytes · e ÷ (B_HBM · η_m) + launch"), "E10", kMoves},
    Rule{"elementwise",
         translatable("It reads its input and writes its output; memory bandwidth bounds its time."),
         translatable("t = bytes · e ÷ (B_HBM · η_m) + launch"), "E10", kMoves},
    Rule{"softmax", translatable("It reads and writes the scores; memory bandwidth bounds its time."),
         translatable("t = bytes · e ÷ (B_HBM · η_m) + launch"), "E10", kMoves},
    Rule{"gather", translatable("It reads rows of a table; memory bandwidth bounds its time."),
         translatable("t = bytes · e ÷ (B_HBM · η_m) + launch"), "E10", kMoves},
    Rule{"collective", translatable("The GPUs exchange their parts of a tensor."),
         translatable("t = bytes · (n − 1)/n ÷ B of the slowest link + hops · latency; an all-reduce sends "
                      "twice the bytes or uses a tree"),
         "E13–E16",
         "intra_node_bandwidth inter_node_bandwidth intra_node_efficiency switch_reduction_efficiency "
         "network_efficiency intra_node_latency inter_node_latency collective_latency"},
};

Explanation explain_operator(const std::string& name, const Answer& answer) {
    Explanation out{.title = name.substr(name.find('/') + 1)};
    const OperatorTable table = operator_table(answer);
    const auto found =
        std::ranges::find_if(table.rows, [&](const OperatorRow& row) { return row.path() == name; });
    if (found == table.rows.end()) return out;
    const OperatorRow& row = *found;
    const auto rule = std::ranges::find(kRules, row.kind, &Rule::kind);
    if (rule != kRules.end()) {
        const bool one = row.kind == "gemm" && row.count == 1;
        out.sentence = one ? translate("A matrix product of m × n × k.")
                           : translate(rule->sentence, {format(row.count, Quantity::count)});
        out.formula = translate(rule->formula);
        out.source = translate("{1} of core/EQUATIONS.md", {rule->source});
    }
    const auto add = [&](std::string symbol, std::string label, double value, Quantity quantity) {
        if (value > 0)
            out.ingredients.push_back({std::move(symbol), std::move(label), amount(value, quantity), {}});
    };
    if (row.k > 0) {
        add("m", translate("rows"), row.m, Quantity::count);
        add("n", translate("columns"), row.n, Quantity::count);
        add("k", translate("inner dimension"), row.k, Quantity::count);
    }
    add({}, translate("FLOPs, forward"), row.flops, Quantity::big_count);
    add({}, row.exchanges() ? translate("bytes sent, forward") : translate("bytes moved, forward"), row.bytes,
        Quantity::bytes);
    add({}, translate("weights on this GPU"), row.weights, Quantity::big_count);
    add({}, translate("kept for the backward pass"), row.saved, Quantity::bytes);
    add({}, translate("count in the model"), row.repeat, Quantity::count);
    if (answer.estimate.fits()) {
        add({}, translate("forward"), row.forward, Quantity::seconds);
        add({}, translate("backward"), row.backward, Quantity::seconds);
        if (row.step > 0) out.result = translate("{1} of a step", {format(row.step, Quantity::seconds)});
    }
    if (rule != kRules.end()) add_assumptions(rule->assumptions, answer, out);
    return out;
}

Explanation explained(const Subject& subject, const Answer& answer) {
    switch (subject.kind) {
        case Subject::Kind::output: return explain_output(*subject.output, answer);
        case Subject::Kind::parameter: return explain_parameter(*subject.parameter, answer);
        case Subject::Kind::symbol: return explain_symbol(subject.name, answer);
        case Subject::Kind::op: return explain_operator(subject.name, answer);
        case Subject::Kind::preset: return explain_preset(subject.preset, answer);
    }
    return {};
}

}  // namespace

Explanation explain(const Subject& subject, const Answer& answer) {
    Explanation out = explained(subject, answer);
    out.substituted = substituted(out.formula, [&](std::string_view symbol) {
        const auto found = std::ranges::find(out.ingredients, symbol, &Ingredient::symbol);
        return found == out.ingredients.end() ? std::string() : found->value;
    });
    // Times of a scenario that does not fit have no value to substitute.
    if (out.substituted.find("–") != std::string::npos) out.substituted.clear();
    return out;
}

}  // namespace shardscope
