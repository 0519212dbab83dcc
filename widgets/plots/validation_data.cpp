#include "widgets/plots/validation_data.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace shardscope {
namespace {

double value_of(ValidationQuantity quantity, double step, const ValidationPoint& point) {
    const double rate = point.tokens_per_gpu / step;
    switch (quantity) {
        case ValidationQuantity::mfu: return rate / point.full_rate;
        case ValidationQuantity::tokens_per_s_per_gpu: return rate;
        case ValidationQuantity::step_time: break;
    }
    return step;
}

// Returns all families of the table, even those without a modelled run, so that styles do not change once
// runs are modelled.
std::vector<std::string> families_by_size() {
    std::map<std::string, int> runs;
    for (const MeasuredRun& run : shipped_runs()) ++runs[run.family];
    std::vector<std::string> out;
    out.reserve(runs.size());
    for (const auto& entry : runs) out.push_back(entry.first);
    std::ranges::stable_sort(
        out, [&](const std::string& a, const std::string& b) { return runs.at(a) > runs.at(b); });
    return out;
}

// Adds the rows with a measured step time; their families begin at index `first`.
void add_points(const std::vector<ValidationRow>& rows, std::size_t first, const Catalogue& catalogue,
                ValidationData& out) {
    for (const ValidationRow& row : rows) {
        if (!(row.measured_step > 0)) continue;
        Problems ignored;
        const Answer predicted = answer(scenario_of(*row.run, catalogue, ignored));
        ValidationPoint point;
        point.run = row.run;
        const auto family =
            std::find_if(out.families.begin() + static_cast<std::ptrdiff_t>(first), out.families.end(),
                         [&](const ValidationFamily& one) { return one.name == row.run->family; });
        point.family = static_cast<std::size_t>(family - out.families.begin());
        point.gpus = row.run->gpus;
        point.tokens_per_gpu = predicted.estimate.tokens_per_gpu;
        point.full_rate = predicted.compiled.peak / predicted.compiled.flops_per_token;
        point.measured_step = row.measured_step;
        point.predicted_step = row.predicted_step;
        point.error = row.error;
        point.verdict = row.verdict;
        out.points.push_back(point);
    }
}

}  // namespace

Output output_of(ValidationQuantity quantity) {
    switch (quantity) {
        case ValidationQuantity::mfu: return Output::mfu;
        case ValidationQuantity::tokens_per_s_per_gpu: return Output::tokens_per_s_per_gpu;
        case ValidationQuantity::step_time: break;
    }
    return Output::step_time;
}

std::optional<ValidationQuantity> validation_quantity(Output output) {
    for (const auto quantity :
         {ValidationQuantity::mfu, ValidationQuantity::tokens_per_s_per_gpu, ValidationQuantity::step_time}) {
        if (output_of(quantity) == output) return quantity;
    }
    return std::nullopt;
}

double ValidationPoint::measured(ValidationQuantity quantity) const {
    return value_of(quantity, measured_step, *this);
}
double ValidationPoint::predicted(ValidationQuantity quantity) const {
    return value_of(quantity, predicted_step, *this);
}

double ValidationData::inside(ValidationQuantity quantity) const {
    int runs = 0;
    int within = 0;
    for (const ValidationPoint& point : points) {
        if (families[point.family].own) continue;
        ++runs;
        const double error = point.predicted(quantity) / point.measured(quantity) - 1;
        if (std::fabs(error) <= kValidationBand) ++within;
    }
    return runs > 0 ? static_cast<double>(within) / runs : 0;
}

ValidationData validation_data(const Catalogue& catalogue, UserRuns own) {
    ValidationData out;
    const Validation validation = validate(shipped_runs(), catalogue);
    const std::vector<std::string> order = families_by_size();
    for (std::size_t style = 0; style < order.size(); ++style) {
        const auto summary = validation.summary.find(order[style]);
        if (summary != validation.summary.end())
            out.families.push_back({order[style], false, style, summary->second});
    }
    std::ranges::stable_sort(out.families, [](const ValidationFamily& a, const ValidationFamily& b) {
        return a.summary.n > b.summary.n;
    });
    if (const auto all = validation.summary.find("all"); all != validation.summary.end())
        out.all = all->second;
    add_points(validation.rows, 0, catalogue, out);
    out.not_modelled = static_cast<int>(shipped_runs().size() - out.points.size());
    if (own) {
        const Validation mine = validate(*own, catalogue);
        const std::size_t first = out.families.size();
        for (const auto& [name, summary] : mine.summary) {
            if (name == kAllRuns) continue;
            // The styles continue after those of the table's families.
            const std::size_t style = order.size() + out.families.size() - first;
            out.families.push_back({name, true, style, summary});
        }
        add_points(mine.rows, first, catalogue, out);
        out.own = std::move(own);
    }
    return out;
}

std::optional<ValidationPoint> own_point(const Answer& answer,
                                         const std::optional<Measurement>& measurement) {
    if (!answer.valid() || !measurement) return std::nullopt;
    const Residual found = residual(answer, *measurement);
    ValidationPoint point;
    point.gpus = found.gpus;
    point.tokens_per_gpu = found.tokens_per_s_per_gpu * found.step_time;
    point.full_rate = found.tokens_per_s_per_gpu / found.mfu;
    point.measured_step = found.step_time;
    point.predicted_step = found.predicted_step;
    point.error = found.error;
    point.verdict = found.verdict;
    return point;
}

PlotTable validation_table(const ValidationData& data, const std::optional<ValidationPoint>& own,
                           const std::vector<Pin>& pins) {
    PlotTable out;
    out.columns = {"run",
                   "family",
                   "model",
                   "gpu",
                   "gpus[1]",
                   "mfu_measured[%]",
                   "mfu_predicted[%]",
                   "tokens_per_s_per_gpu_measured[tokens/s]",
                   "tokens_per_s_per_gpu_predicted[tokens/s]",
                   "step_time_measured[s]",
                   "step_time_predicted[s]",
                   "step_time_error[%]",
                   "verdict",
                   "source"};
    constexpr double kPercent = 0.01;
    const auto add = [&](const ValidationPoint& point, const std::string& name = "my measured run",
                         const std::string& source = "this scenario") {
        using enum ValidationQuantity;
        const MeasuredRun* run = point.run;
        out.rows.push_back(
            {run ? run->id : name, run ? run->family : "", run ? run->model : "", run ? run->gpu : "",
             exact(point.gpus), exact(point.measured(mfu) / kPercent), exact(point.predicted(mfu) / kPercent),
             exact(point.measured(tokens_per_s_per_gpu)), exact(point.predicted(tokens_per_s_per_gpu)),
             exact(point.measured_step), exact(point.predicted_step), exact(point.error / kPercent),
             std::string(name_of(point.verdict)), run ? run->source : source});
    };
    for (const ValidationPoint& point : data.points) add(point);
    if (own) add(*own);
    for (const Pin& pin : pins) {
        if (const auto point = own_point(pin.answer, measurement_in(pin.view)))
            add(*point, std::string("measured run of ") + pin.letter, pin.answer.scenario.title());
    }
    return out;
}

}  // namespace shardscope
