#include "studies/claim.h"

#include <algorithm>
#include <cmath>

#include "containers/no_value.h"
#include "text/translate.h"

namespace shardscope {
namespace {

bool is_better(Output output, double value, double than) {
    if (std::isnan(value)) return false;
    return std::isnan(than) || (less_is_better(output) ? value < than : value > than);
}

// Returns the better of two values, which is the smaller one for outputs such as times and the larger one for
// others.
double better(Output output, double one, double other) { return is_better(output, one, other) ? one : other; }

// Returns the reason why there is no value.
std::string reason_of(const Scenario& scenario, const Answer& answer, bool valid) {
    const Problems problems = valid ? Problems{} : check(answer.scenario, answer.settings);
    if (problems.empty()) return translate("{1}: does not fit", {scenario.title()});
    return scenario.title() + ": " + problems.front().text();
}

bool is_question(const Claim& claim) { return std::isinf(claim.low) && std::isinf(claim.high); }

// Returns the scenario's value, or its best value along the axes.
double value_along(const Claim& claim, const Scenario& scenario, const std::stop_token& stop,
                   std::string& reason) {
    double best = kNoValue;
    Answer answer;
    for (std::size_t i = 0; i < combinations(claim.along); ++i) {
        if (stop.stop_requested()) return kNoValue;
        const bool valid = answer_point(scenario, claim.along, indices_of(claim.along, i), answer);
        best = better(claim.output, valid ? value_of(claim.output, answer) : kNoValue, best);
        if (std::isnan(best)) reason = reason_of(scenario, answer, valid);
    }
    return best;
}

double value_at(const Claim& claim, const Scenario& scenario, std::size_t point) {
    Answer answer;
    const bool valid = answer_point(scenario, claim.along, indices_of(claim.along, point), answer);
    return valid ? value_of(claim.output, answer) : kNoValue;
}

// Returns the first value of the axis from which on the others stay ahead up to the end of the axis. A lead
// that is lost again does not count.
double crossover(const Claim& claim, const std::stop_token& stop) {
    const Axis& axis = claim.along.front();
    double from = kNoValue;
    for (std::size_t i = 0; i < axis.values.size(); ++i) {
        if (stop.stop_requested()) return kNoValue;
        const double first = value_at(claim, claim.scenarios.front(), i);
        bool ahead = false;
        if (claim.scenarios.size() == 1) {
            ahead = first == claim.target || is_better(claim.output, first, claim.target);
        } else {
            for (std::size_t k = 1; k < claim.scenarios.size() && !ahead; ++k)
                ahead = is_better(claim.output, value_at(claim, claim.scenarios[k], i), first);
        }
        if (!ahead) from = kNoValue;
        else if (std::isnan(from)) from = axis.values[i];
    }
    return from;
}

// Returns whether the value is on the same side of "no effect" as the whole range.
bool goes_the_stated_way(const Claim& claim, double value) {
    const double none = claim.measure == Measure::ratio ? 1 : 0;
    return (claim.low >= none && value > none) || (claim.high <= none && value < none);
}

Agreement judge(const Claim& claim, double value) {
    if (is_question(claim) && (!std::isnan(value) || claim.measure == Measure::crossover))
        return Agreement::answered;
    if (std::isnan(value))
        return claim.measure == Measure::crossover ? Agreement::disagrees : Agreement::unknown;
    if (value >= claim.low && value <= claim.high) return Agreement::agrees;
    switch (claim.measure) {
        case Measure::crossover: return Agreement::partly;
        case Measure::ratio:
        case Measure::relative_change:
            return goes_the_stated_way(claim, value) ? Agreement::partly : Agreement::disagrees;
        case Measure::value: break;
    }
    return Agreement::disagrees;
}

}  // namespace

std::string_view name_of(Measure measure) {
    switch (measure) {
        case Measure::value: return "value";
        case Measure::ratio: return "ratio";
        case Measure::relative_change: return "relative-change";
        case Measure::crossover: return "crossover";
    }
    return "";
}

std::string_view name_of(Agreement agreement) {
    switch (agreement) {
        case Agreement::agrees: return "agrees";
        case Agreement::partly: return "partly";
        case Agreement::disagrees: return "disagrees";
        case Agreement::answered: return "answered";
        case Agreement::unknown: return "unknown";
    }
    return "";
}

Finding evaluate_claim(const Claim& claim, const std::stop_token& stop) {
    Finding out;
    if (claim.measure == Measure::crossover) {
        out.value = crossover(claim, stop);
        if (std::isnan(out.value)) {
            const Axis& axis = claim.along.front();
            out.reason = translate("nowhere up to {1}", {format(axis.id, axis.values.back())});
        }
    } else {
        for (const Scenario& scenario : claim.scenarios)
            out.values.push_back(value_along(claim, scenario, stop, out.reason));
        const double first = out.values.front();
        const double last = out.values.back();
        switch (claim.measure) {
            case Measure::ratio: out.value = last / first; break;
            case Measure::relative_change: out.value = last / first - 1; break;
            default: out.value = last; break;
        }
        if (!std::isnan(out.value)) out.reason.clear();
    }
    out.agreement = judge(claim, out.value);
    return out;
}

std::string text_of(const Claim& claim, double value) {
    if (std::isnan(value)) return "–";
    switch (claim.measure) {
        case Measure::value: return format(value, output(claim.output).quantity);
        case Measure::ratio: {
            // The ratio has three decimals, without trailing zeros.
            constexpr double kDigits = 1000;
            return exact(std::round(value * kDigits) / kDigits) + " ×";
        }
        case Measure::relative_change: return (value > 0 ? "+" : "") + format(value, Quantity::percent);
        case Measure::crossover: return format(claim.along.front().id, value);
    }
    return {};
}

std::string range_text(const Claim& claim) {
    const bool low = std::isfinite(claim.low);
    const bool high = std::isfinite(claim.high);
    if (low && high) return translate("{1} to {2}", {text_of(claim, claim.low), text_of(claim, claim.high)});
    if (low) return translate("at least {1}", {text_of(claim, claim.low)});
    if (high) return translate("at most {1}", {text_of(claim, claim.high)});
    return {};
}

std::string expected_text(const Claim& claim) {
    return claim.stated ? text_of(claim, *claim.stated) : range_text(claim);
}

std::string found_text(const Claim& claim, const Finding& finding) {
    return std::isnan(finding.value) ? finding.reason : text_of(claim, finding.value);
}

std::string values_text(const Claim& claim, const Finding& finding) {
    if (finding.values.size() < 2) return {};
    const Quantity quantity = output(claim.output).quantity;
    return format(finding.values.front(), quantity) + " → " + format(finding.values.back(), quantity);
}

}  // namespace shardscope
