#include "evidence/missing_effects.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "text/translate.h"

namespace shardscope {
namespace {

constexpr double kNoise = 0.05;       // an error that needs no explanation
constexpr double kExplained = 0.5;    // share of the variance
constexpr double kUnexplained = 0.2;  // bias of all runs together

// The settings that errors are compared with.
constexpr std::array kSettings{P::tensor_parallel,  P::pipeline_parallel,
                               P::context_parallel, P::expert_parallel,
                               P::virtual_stages,   P::gpus,
                               P::sequence_length,  P::micro_batch,
                               P::accumulation,     P::hidden_size,
                               P::layers,           P::precision,
                               P::recompute,        P::sharding,
                               P::attention};

// The mean error, ln(predicted ÷ measured), of the runs with one value of a setting.
struct MeanError {
    double sum = 0;
    int n = 0;
    [[nodiscard]] double mean() const { return sum / n; }
};
using ErrorByValue = std::map<double, MeanError>;

// Returns the share of the variance of the errors that is between the values of the setting, with the degrees
// of freedom that the values take. 0 where there are too few runs to tell, or where the errors are alike.
double explained_share(const ErrorByValue& by_value, const std::vector<double>& errors) {
    const auto n = static_cast<double>(errors.size());
    const auto values = static_cast<double>(by_value.size());
    if (values < 2 || n < values + 2) return 0;
    double mean = 0;
    for (const double error : errors) mean += error / n;
    double total = 0, between = 0;
    for (const double error : errors) total += (error - mean) * (error - mean);
    for (const auto& [value, group] : by_value)
        between += group.n * (group.mean() - mean) * (group.mean() - mean);
    if (total < n * kNoise * kNoise) return 0;  // the errors are all alike
    return 1 - (total - between) / (n - values) / (total / (n - 1));
}

std::string error_at(P id, double value, const MeanError& error) {
    return translate("{1} at {2}",
                     {(error.mean() > 0 ? "+" : "") + format(std::expm1(error.mean()), Quantity::percent),
                      format(id, value)});
}

std::string limit_sentence(const FittedConstant& constant, bool at_high) {
    const std::string name(field_of(constant.id));
    const std::string whose = constant.part.empty() ? translate("{1}, which all parts share,", {name})
                                                    : translate("{1} of {2}", {name, constant.part});
    return translate(at_high ? translatable("{1} ends at {2}, the largest value that is physical.")
                             : translatable("{1} ends at {2}, the smallest value that is physical."),
                     {whose, format(constant.id, constant.value)});
}

}  // namespace

std::vector<std::string> missing_effects(const Calibration& calibration, const Catalogue& catalogue) {
    std::vector<std::string> out;
    const std::vector<PriorWidth> widths = prior_widths();
    for (const FittedConstant& constant : calibration.constants) {
        const auto range = std::ranges::find(widths, constant.id, &PriorWidth::id);
        if (range == widths.end()) continue;
        constexpr double kAtLimit = 1e-3;  // relative
        const double margin = kAtLimit * (range->high - range->low);
        const bool at_high = constant.value >= range->high - margin;
        const bool at_low = constant.value <= range->low + margin;
        const bool moved = std::fabs(constant.value - constant.prior) > margin;
        if (moved && (at_high || at_low)) out.push_back(limit_sentence(constant, at_high));
    }
    std::vector<double> errors;
    double size = 0, bias = 0;
    for (const double error : calibration.fitted.error) {
        errors.push_back(std::log1p(error));
        size += std::fabs(error) / static_cast<double>(calibration.fitted.error.size());
        bias += errors.back() / static_cast<double>(calibration.fitted.error.size());
    }
    if (errors.empty() || size < kNoise) return out;
    std::map<P, ErrorByValue> by_setting;
    for (std::size_t i = 0; i < errors.size(); ++i) {
        Problems ignored;  // the runs that were used have none
        const Settings s = resolve(scenario_of(*calibration.used[i], catalogue, ignored));
        for (const P id : kSettings) {
            MeanError& group = by_setting[id][s[id]];
            group.sum += errors[i];
            ++group.n;
        }
    }
    P best = kSettings.front();
    double most = 0;
    for (const P id : kSettings) {
        const double share = explained_share(by_setting[id], errors);
        if (share > most) {
            most = share;
            best = id;
        }
    }
    if (most >= kExplained) {
        const ErrorByValue& values = by_setting[best];
        auto [first, second] =
            std::ranges::minmax_element(values, {}, [](const auto& value) { return value.second.mean(); });
        if (second->first < first->first) std::swap(first, second);
        out.push_back(translate(
            "The errors that remain follow “{1}”: {2}, {3}. The engine seems to lack an effect of it.",
            {label_of(best), error_at(best, first->first, first->second),
             error_at(best, second->first, second->second)}));
    } else if (std::fabs(bias) > kUnexplained) {
        out.push_back(
            translate(bias > 0 ? translatable("The runs remain {1} faster than predicted: the table may have "
                                              "another GPU, batch or unit than the runs.")
                               : translatable("The runs remain {1} slower than predicted: the table may have "
                                              "another GPU, batch or unit than the runs."),
                      {format(std::fabs(std::expm1(-bias)), Quantity::percent)}));
    }
    return out;
}

}  // namespace shardscope
