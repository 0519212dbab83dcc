// Tests that every explained value can be opened further, down to operators and presets.
#include <array>
#include <catch2/catch.hpp>
#include <cctype>
#include <charconv>
#include <cmath>
#include <deque>
#include <set>

#include "explain/explanation.h"
#include "explain/operator_table.h"
#include "explain/substituted.h"
#include "explain/symbols.h"
#include "support/scenarios.h"
#include "text/text.h"

using namespace shardscope;
using namespace shardscope::testing;

namespace {

std::string key_of(const Subject& subject) {
    return std::to_string(static_cast<int>(subject.kind)) + " " +
           (subject.output ? std::string(output(*subject.output).path) : "") + " " +
           (subject.parameter ? std::string(parameter(*subject.parameter).key) : "") + " " +
           std::to_string(static_cast<int>(subject.preset)) + " " + subject.name;
}

// Returns everything that can be reached from the outputs, each subject explained once.
std::vector<std::pair<Subject, Explanation>> reachable(const Answer& now) {
    std::vector<std::pair<Subject, Explanation>> out;
    std::deque<Subject> waiting;
    std::set<std::string> seen;
    const auto meet = [&](const Subject& subject) {
        if (seen.insert(key_of(subject)).second) waiting.push_back(subject);
    };
    for (std::size_t i = 0; i < kOutputs; ++i) meet(Subject::of(static_cast<Output>(i)));
    while (!waiting.empty()) {
        const Subject subject = waiting.front();
        waiting.pop_front();
        out.emplace_back(subject, explain(subject, now));
        const Explanation& why = out.back().second;
        for (const auto* lines : {&why.ingredients, &why.parts, &why.assumptions}) {
            for (const Ingredient& line : *lines) {
                if (line.opens) meet(*line.opens);
            }
        }
    }
    return out;
}

double value_in(std::string_view symbol, const Answer& now) {
    const Symbol* found = find_symbol(symbol);
    REQUIRE(found != nullptr);
    return value_of(*found, now);
}

// Evaluates formulas such as "2.5 · (3 + 4) ÷ 5": sums of products of numbers, brackets and powers. The
// result is NaN if the text contains anything else.
class Arithmetic {
  public:
    explicit Arithmetic(std::string_view text) : rest_(text) {}
    double value() {
        const double out = sum();
        return rest_.empty() ? out : std::nan("");
    }

  private:
    bool take(std::string_view mark) {
        while (rest_.starts_with(' ')) rest_.remove_prefix(1);
        const bool found = rest_.starts_with(mark);
        if (found) rest_.remove_prefix(mark.size());
        return found;
    }
    double sum() {
        double out = product();
        for (;;) {
            if (take("+")) out += product();
            else if (take("−")) out -= product();
            else return out;
        }
    }
    double product() {
        double out = power();
        for (;;) {
            if (take("·")) out *= power();
            else if (take("÷") || take("/")) out /= power();
            else return out;
        }
    }
    double power() {
        const double base = atom();
        return take("^") ? std::pow(base, atom()) : base;
    }
    double atom() {
        if (take("(")) {
            const double out = sum();
            return take(")") ? out : std::nan("");
        }
        std::string number;
        while (!rest_.empty() && (std::isdigit(static_cast<unsigned char>(rest_[0])) != 0 ||
                                  rest_[0] == '.' || rest_[0] == ',')) {
            if (rest_[0] != ',') number += rest_[0];
            rest_.remove_prefix(1);
        }
        return number.empty() ? std::nan("") : std::stod(number);
    }
    std::string_view rest_;
};

std::string digits_of(double value) {
    std::array<char, 400> text{};
    return {text.data(),
            std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed).ptr};
}

// Returns the value of an explanation's formula, NaN if it is not arithmetic of known symbols.
double evaluated(const Explanation& why, const Answer& now) {
    const std::string text = substituted(why.formula, [&](std::string_view name) {
        const bool named =
            std::ranges::any_of(why.ingredients, [&](const Ingredient& line) { return line.symbol == name; });
        if (!named) return std::string();
        const Symbol& symbol = *find_symbol(name);
        // The energy W · H is in watt hours, so the hours are converted to seconds.
        return digits_of(value_of(symbol, now) * (symbol.quantity == Quantity::hours ? 3600 : 1));
    });
    return text.empty() ? std::nan("") : Arithmetic(text).value();
}

}  // namespace

TEST_CASE("explanation: a formula shows the values of its symbols", "[explain]") {
    const auto value = [](std::string_view symbol) {
        return symbol == "s" ? "2,048" : symbol == "ψ" ? "3 M" : symbol == "N_a" ? "12.85 B" : "";
    };
    CHECK(substituted("E = s · b ÷ c_p", value) == "2,048 · b ÷ c_p");
    CHECK(substituted("x = (6·N_a + 2ψ) · s", value) == "(6·12.85 B + 2·3 M) · 2,048");
    // Parts of other symbols and words are not replaced, and a text that is no expression is left empty.
    CHECK(substituted("t = s½ + N_ax + steps", value).empty());
    CHECK(substituted("e = ∂ln s ÷ ∂ln N_a", value).empty());
    CHECK(substituted("s + b = 0; b ≈ s", value).empty());
    CHECK(substituted("", value).empty());
    // Nothing is substituted if one of the symbols has no value.
    const Answer too_long = answer(with({{P::sequence_length, 8192}}));
    REQUIRE_FALSE(too_long.estimate.fits());
    CHECK(explain(Subject::of(Output::mfu), too_long).substituted.empty());
    CHECK_FALSE(explain(Subject::of(Output::memory_activations), too_long).substituted.empty());
}

TEST_CASE("explanation: evaluating a formula gives the engine's number", "[explain]") {
    int compared = 0;
    for (const Scenario& scenario :
         {with({}), with({{P::gpus, 512}, {P::tensor_parallel, 2}, {P::accumulation, 4}}),
          with({{P::pipeline_parallel, 4}, {P::tensor_parallel, 2}, {P::context_parallel, 2}}),
          with({{P::experts, 8}, {P::experts_per_token, 2}, {P::expert_parallel, 8}}),
          with({{P::sharding, Sharding::zero1}, {P::micro_batch, 1}}),
          with({{P::sharding, Sharding::zero2}, {P::micro_batch, 1}}),
          with({{P::reshard_after_forward, false}, {P::micro_batch, 1}}), with({{P::recompute, 1}}),
          with({{P::offload, Offload::optimizer}}),
          with({{P::offload, Offload::optimizer}, {P::host_memory, 1e9}})}) {
        const Answer now = answer(scenario);
        REQUIRE(now.valid());
        for (std::size_t i = 0; i < kOutputs; ++i) {
            const auto id = static_cast<Output>(i);
            const Explanation why = explain(Subject::of(id), now);
            const double found = evaluated(why, now);
            if (std::isnan(found)) continue;
            INFO(why.title << ": " << why.formula);
            CHECK(found == Approx(value_of(id, now)).epsilon(1e-6));
            ++compared;
        }
    }
    CHECK(compared > 20);
}

TEST_CASE("explanation: the gradients of one virtual stage at a time are those of the engine", "[explain]") {
    // One group of micro-batches, and two of them.
    for (const double micro_batches : {4.0, 8.0}) {
        const Answer now = answer(with({{P::software, Software::torchtitan},
                                        {P::pipeline_parallel, 4},
                                        {P::schedule, ScheduleKind::interleaved},
                                        {P::virtual_stages, 2},
                                        {P::accumulation, micro_batches}}));
        REQUIRE(now.valid());
        const Explanation why = explain(Subject::of(Output::memory_gradients), now);
        INFO(why.formula);
        CHECK((why.formula.find("÷ v") != std::string::npos) == (micro_batches == 4));
        CHECK(evaluated(why, now) == Approx(value_of(Output::memory_gradients, now)).epsilon(1e-6));
    }
}

namespace {

// Returns the symbols of a formula: single letters, and words with a subscript or a Greek letter.
std::set<std::string> symbols_in(const std::string& formula) {
    std::set<std::string> out;
    substituted("= " + formula, [&](std::string_view word) {
        const bool letter = word.size() == 1 && std::isalpha(static_cast<unsigned char>(word[0])) != 0;
        const bool marked = word.find('_') != std::string_view::npos || word.find('\xCE') == 0 ||
                            word.find('\xCF') == 0 || word.find("½") != std::string_view::npos;
        if ((letter || marked) && word != "Σ") out.emplace(word);
        return std::string();
    });
    return out;
}

std::set<std::string> words_of(const std::string& sentence) {
    const std::vector<std::string> words = split(sentence, ' ');
    return {words.begin(), words.end()};
}

}  // namespace

TEST_CASE("explanations: each symbol of a formula has a value or is explained", "[explain]") {
    CHECK(symbols_in("N_u + 2ψ · Σ steps ÷ (s + s½)") == std::set<std::string>{"N_u", "ψ", "s", "s½"});
    const std::vector<Answer> answers{
        answer(first()),
        answer(with({{P::pipeline_parallel, 4}, {P::tensor_parallel, 2}, {P::accumulation, 4}})),
        answer(with({{P::experts, 8}, {P::experts_per_token, 2}, {P::expert_parallel, 8}})),
        answer(with({{P::offload, Offload::optimizer_nvme}})),
        answer(with({{P::sharding, Sharding::zero1}, {P::micro_batch, 1}})),
        answer(with({{P::recompute, 1}, {P::critical_batch_law, CriticalBatchLaw::kaplan}})),
        answer(with({{P::attention_window, 512}, {P::critical_batch_law, CriticalBatchLaw::bergsma}})),
        answer(with({{P::mtbf_hours_per_gpu, 50000}}))};
    int compared = 0;
    for (const Answer& now : answers) {
        REQUIRE(now.valid());
        for (const auto& [subject, why] : reachable(now)) {
            if (subject.kind != Subject::Kind::output && subject.kind != Subject::Kind::symbol) continue;
            INFO(why.title << ": " << why.formula);
            // What the formula computes stands on its left, or is what the explanation is about.
            std::set<std::string> known = words_of(why.sentence);
            known.insert(subject.output ? std::string(output(*subject.output).symbol) : subject.name);
            for (const Ingredient& line : why.ingredients) {
                known.insert(line.symbol);
                if (!line.symbol.empty()) CHECK_FALSE(line.value.empty());
            }
            const std::string right = why.formula.substr(
                why.formula.find("= ") == std::string::npos ? 0 : why.formula.find("= ") + 2);
            for (const std::string& symbol : symbols_in(right)) {
                INFO(symbol);
                CHECK(known.contains(symbol));
                ++compared;
            }
        }
    }
    CHECK(compared > 500);
}

TEST_CASE("explanations: a quantity has one name in formulas and at its control", "[explain]") {
    int compared = 0;
    for (const auto& [subject, why] : reachable(answer(first()))) {
        if (subject.kind == Subject::Kind::op) continue;  // its m, n and k are those of its matrices
        for (const Ingredient& line : why.ingredients) {
            const Symbol* symbol = find_symbol(line.symbol);
            // A symbol with a value of its own, such as the bytes of a precision, is another quantity.
            if (!symbol || symbol->get) continue;
            INFO(why.title << ": " << line.symbol);
            CHECK(line.label ==
                  (symbol->output ? label_of(*symbol->output) : label_of(symbol->parameter.value())));
            ++compared;
        }
    }
    CHECK(compared > 50);
}

TEST_CASE("explanations: every number can be opened down to parameters, presets and operators", "[explain]") {
    const std::vector<Answer> answers{
        answer(first()), answer(with({{P::pipeline_parallel, 4}, {P::tensor_parallel, 2}})),
        answer(with({{P::sequence_length, 65536}})),  // does not fit
        answer(with({{P::experts, 8}, {P::experts_per_token, 2}})), answer(with({{P::mfu_override, 0.4}}))};
    for (const Answer& now : answers) {
        REQUIRE(now.valid());
        std::set<Subject::Kind> leaves;
        std::set<PresetKind> presets;
        for (const auto& [subject, why] : reachable(now)) {
            INFO(why.title << " (" << key_of(subject) << ")");
            CHECK_FALSE(why.title.empty());
            CHECK((subject.kind == Subject::Kind::output || !why.sentence.empty() || !why.formula.empty()));
            const bool opens = [&, &why = why] {
                for (const auto* lines : {&why.ingredients, &why.parts, &why.assumptions}) {
                    for (const Ingredient& line : *lines) {
                        CHECK_FALSE((line.label.empty() && line.symbol.empty()));
                        if (line.opens) return true;
                    }
                }
                return false;
            }();
            if (!opens) leaves.insert(subject.kind);
            if (subject.kind == Subject::Kind::symbol) CHECK(opens);
            if (subject.kind == Subject::Kind::preset) presets.insert(subject.preset);
            if (subject.kind == Subject::Kind::parameter) {
                CHECK_FALSE(why.result.empty());
                CHECK_FALSE(why.source.empty());
            }
        }
        CHECK(leaves.count(Subject::Kind::symbol) == 0);
        CHECK(presets == std::set<PresetKind>{PresetKind::gpu, PresetKind::cluster, PresetKind::model});
    }
}

TEST_CASE("explanations: each symbol has the value that its formula gives", "[explain]") {
    const Answer now = answer(with({{P::tensor_parallel, 2}, {P::pipeline_parallel, 2}}));
    const auto v = [&](const char* symbol) { return value_in(symbol, now); };
    CHECK(v("N_l") == Approx(v("N_a") - v("ψ_root")));
    CHECK(v("G_m") == v("t") * v("p") * v("c_p"));
    CHECK(v("M_states") == Approx(v("M_w") + v("M_g") + v("M_o")));
    CHECK(v("M_work") == Approx(v("M_u") + v("M_a") + v("M_l") + v("M_c") + v("M_f")));
    CHECK(v("M_w") == Approx(v("N_g") * v("Q_w") / v("F_w")));
    CHECK(v("T") == Approx(v("T_cp") + v("T_cm") - v("T_ol") + v("T_sd")));
    CHECK(v("E") == v("s") * v("b") / v("c_p"));
    CHECK(v("B") == v("b") * v("m") * v("G") / v("G_m"));
    CHECK(v("B_tok") == v("B") * v("s"));
    // Without model parallelism the closed form's memory is the capacity minus the states.
    const Answer plain = answer(first());
    const auto w = [&](const char* symbol) { return value_in(symbol, plain); };
    const double layers = w("N") - w("ψ_root");
    CHECK(w("M_free") ==
          Approx(w("M_cap") - (w("Q_w") + w("Q_g") + w("Q_o")) * layers / w("G")).epsilon(1e-3));
    CHECK(w("F_fwd") == Approx(2 * w("N_l") + 4 * w("L") * w("h") * w("s")).epsilon(1e-3));
}

TEST_CASE("explanations: a time opens into its operators, which add up to it", "[explain]") {
    const Answer now = answer(first());
    const Explanation why = explain(Subject::of(Output::step_matmul), now);
    REQUIRE(why.parts.size() > 3);
    CHECK(why.parts_title == "Operators");
    double sum = 0;
    for (const OperatorRow& row : operator_table(now).rows) {
        if (row.term == StepTerm::matmul) sum += row.step;
    }
    CHECK(sum == Approx(output(Output::step_matmul).get(now)).epsilon(0.01));
    REQUIRE(why.parts.front().opens.has_value());
    const Explanation op = explain(*why.parts.front().opens, now);
    CHECK(op.title == why.parts.front().label);
    CHECK(op.result == why.parts.front().value + " of a step");
    CHECK(op.sentence == "A matrix product of m × n × k.");
    CHECK(op.source == "E9 of core/EQUATIONS.md");
    CHECK(op.formula.find("2·m·n·k") != std::string::npos);
    // The parts of the step are the waterfall's, sorted from the largest down.
    const Explanation step = explain(Subject::of(Output::step_time), now);
    REQUIRE(step.parts.size() > 3);
    CHECK(step.parts.front().opens == Subject::of(Output::step_matmul));
}

namespace {

// Returns the sum of an explanation's parts, or 0 if it has none.
double sum_of_parts(const Subject& subject, const Answer& now) {
    double sum = 0;
    for (const Ingredient& part : explain(subject, now).parts) {
        REQUIRE(part.opens.has_value());
        sum += output(part.opens->output.value()).get(now);
    }
    return sum;
}

double flops_shown(const Explanation& why) {
    double sum = 0;
    for (const Ingredient& part : why.parts) sum += std::stod(part.value);  // percent
    return sum;
}

}  // namespace

TEST_CASE("explanations: a value that opens into terms is their sum", "[explain]") {
    const std::vector<Answer> answers{
        answer(first()),
        answer(with({{P::pipeline_parallel, 4}, {P::tensor_parallel, 2}, {P::context_parallel, 2}})),
        answer(with({{P::experts, 8}, {P::experts_per_token, 2}, {P::expert_parallel, 8}})),
        answer(with({{P::offload, Offload::optimizer}})),
        answer(of_model("resnet-50", {{P::micro_batch, 32}}))};
    for (const Answer& now : answers) {
        REQUIRE(now.valid());
        REQUIRE(now.estimate.fits());
        for (const Output id : {Output::step_time, Output::peak_memory, Output::compute_time,
                                Output::waiting_time, Output::exposed_communication}) {
            INFO(output(id).path);
            CHECK(sum_of_parts(Subject::of(id), now) == Approx(output(id).get(now)));
        }
        CHECK(flops_shown(explain(Subject::symbol("F_s"), now)) == Approx(100).margin(1));
    }
}

TEST_CASE("explanations: a number of parameters opens into all operators that have some", "[explain]") {
    const Answer now = answer(with({{P::experts, 8}, {P::experts_per_token, 2}, {P::tensor_parallel, 2}}));
    const auto names = [](const Explanation& why) {
        std::set<std::string> out;
        for (const Ingredient& part : why.parts) out.insert(part.opens->name);
        return out;
    };
    const std::set<std::string> all = names(explain(Subject::of(Output::parameters), now));
    const std::set<std::string> layer = names(explain(Subject::symbol("ψ"), now));
    const std::set<std::string> root = names(explain(Subject::symbol("ψ_root"), now));
    std::set<std::string> both = layer;
    both.insert(root.begin(), root.end());
    CHECK(both == all);
    CHECK(layer.size() + root.size() == all.size());
    double sum = 0;
    for (const OperatorRow& row : operator_table(now).rows) sum += row.repeat * row.all_weights;
    CHECK(sum == Approx(output(Output::parameters).get(now)));
}

TEST_CASE("explanations: a parameter names the origin of its value", "[explain]") {
    const Answer now = answer(first());
    const Explanation memory = explain(Subject::of(P::memory), now);
    CHECK(memory.title == "GPU memory");
    REQUIRE(memory.ingredients.size() == 1);
    CHECK(memory.ingredients.front().label == "Preset");
    const Explanation preset = explain(*memory.ingredients.front().opens, now);
    CHECK(preset.title == memory.ingredients.front().value);
    CHECK_FALSE(preset.sentence.empty());
    const auto same = [](const Ingredient& line) { return line.opens == Subject::of(P::memory); };
    CHECK(std::ranges::any_of(preset.ingredients, same));
    // A value derived from others shows how it is derived.
    const Explanation batch = explain(Subject::of(P::global_batch), now);
    CHECK(batch.formula == "B = b · m · G ÷ G_m");
    CHECK(batch.ingredients.size() == 4);
    // The value is given in the scenario, so no preset is named.
    const Explanation given =
        explain(Subject::of(P::sequence_length), answer(with({{P::sequence_length, 1024}})));
    CHECK(given.result == "1,024");
    CHECK(given.source == "set in this scenario");
    CHECK(given.ingredients.empty());
}
