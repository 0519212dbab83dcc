#include "widgets/plots/validation/validation_data.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <functional>
#include <map>

#include "text/text.h"

namespace shardscope {
namespace {

double value_of(ValidationQuantity quantity, double step, double peak, const ValidationPoint& point) {
    const double rate = point.tokens_per_gpu / step;
    switch (quantity) {
        case ValidationQuantity::mfu: return rate / point.full_rate;
        case ValidationQuantity::tokens_per_s_per_gpu: return rate;
        case ValidationQuantity::memory: return peak;
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

std::string lower(std::string text) {
    std::ranges::transform(text, text.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

// Which runs are shown.
class Filter {
  public:
    Filter(const std::string& text, bool memory) : memory_(memory) {
        for (const std::string& word : split(lower(text), ' ')) {
            if (!word.empty()) words_.push_back(word);
        }
    }
    [[nodiscard]] bool shows(const ValidationRow& row) const {
        const MeasuredRun& run = *row.run;
        const std::string quality(name_of(run.quality));
        if (memory_ && row.measured_peak() == 0) return false;
        if (!memory_ && !(run.step_time > 0)) return false;
        if (!memory_ && !run.has_good_time() && std::ranges::find(words_, quality) == words_.end())
            return false;
        const std::string text = lower(run.id + ' ' + run.family + ' ' + run.software + ' ' + run.gpu + ' ' +
                                       run.model + (row.experts ? " moe " : " dense ") + quality);
        return std::ranges::all_of(
            words_, [&](const std::string& word) { return text.find(word) != std::string::npos; });
    }

  private:
    std::vector<std::string> words_;
    bool memory_;
};

// Adds the points of the rows that are shown, and their families.
void add(const std::vector<ValidationRow>& rows, const Filter& filter, bool own,
         const std::function<std::size_t(const std::string&)>& style_of, ValidationData& out) {
    std::map<std::string, std::vector<double>> errors;
    std::vector<ValidationPoint> points;
    std::vector<std::string> family_of;
    for (const ValidationRow& row : rows) {
        if (!filter.shows(row)) continue;
        ValidationPoint point;
        point.run = row.run;
        point.gpus = row.run->gpus;
        point.tokens_per_gpu = row.tokens_per_gpu;
        point.full_rate = row.full_rate;
        point.measured_step = row.measured_step;
        point.predicted_step = row.predicted_step;
        point.measured_peak = row.measured_peak();
        point.predicted_peak = row.predicted_peak;
        point.error = out.memory ? row.predicted_peak / point.measured_peak - 1 : row.error;
        point.verdict = row.verdict;
        // A time is summarized against that of all runs with equal settings.
        const bool timed = !out.memory && row.common_step > 0;
        point.common_error = timed ? row.predicted_step / row.common_step - 1 : point.error;
        points.push_back(point);
        family_of.push_back(row.run->family);
        errors[row.run->family].push_back(point.common_error);
    }
    const std::size_t first = out.families.size();
    for (const auto& [name, of_family] : errors)
        out.families.push_back({name, own, style_of(name), summary_of(of_family)});
    const auto begin = out.families.begin() + static_cast<std::ptrdiff_t>(first);
    // The user's own families keep the order of their names.
    if (!own)
        std::stable_sort(begin, out.families.end(), [](const ValidationFamily& a, const ValidationFamily& b) {
            return a.summary.n > b.summary.n;
        });
    for (std::size_t i = 0; i < points.size(); ++i) {
        const auto family = std::find_if(
            begin, out.families.end(), [&](const ValidationFamily& one) { return one.name == family_of[i]; });
        points[i].family = static_cast<std::size_t>(family - out.families.begin());
        out.points.push_back(points[i]);
    }
}

}  // namespace

Output output_of(ValidationQuantity quantity) {
    switch (quantity) {
        case ValidationQuantity::mfu: return Output::mfu;
        case ValidationQuantity::tokens_per_s_per_gpu: return Output::tokens_per_s_per_gpu;
        case ValidationQuantity::memory: return Output::peak_memory;
        case ValidationQuantity::step_time: break;
    }
    return Output::step_time;
}

std::optional<ValidationQuantity> validation_quantity(Output output) {
    for (const auto quantity : {ValidationQuantity::mfu, ValidationQuantity::tokens_per_s_per_gpu,
                                ValidationQuantity::step_time, ValidationQuantity::memory}) {
        if (output_of(quantity) == output) return quantity;
    }
    return std::nullopt;
}

double ValidationPoint::measured(ValidationQuantity quantity) const {
    return value_of(quantity, measured_step, measured_peak, *this);
}
double ValidationPoint::predicted(ValidationQuantity quantity) const {
    return value_of(quantity, predicted_step, predicted_peak, *this);
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

ValidationRuns validation_runs(const Catalogue& catalogue, UserRuns own) {
    ValidationRuns out;
    out.published = validate(shipped_runs(), catalogue);
    if (own) out.own = validate(*own, catalogue);
    out.table = std::move(own);
    return out;
}

ValidationData validation_data(const ValidationRuns& runs, ValidationQuantity quantity,
                               const std::string& filter) {
    ValidationData out;
    out.memory = quantity == ValidationQuantity::memory;
    out.filter = filter;
    const Filter shown(filter, out.memory);
    const std::vector<std::string> order = families_by_size();
    add(
        runs.published.rows, shown, false,
        [&](const std::string& name) {
            return static_cast<std::size_t>(std::ranges::find(order, name) - order.begin());
        },
        out);
    std::vector<double> errors;
    for (const ValidationPoint& point : out.points) errors.push_back(point.common_error);
    out.all = summary_of(errors);
    out.left_out = static_cast<int>(shipped_runs().size() - out.points.size());
    // The styles of the user's families continue after those of the table's.
    std::size_t style = order.size();
    add(
        runs.own.rows, shown, true, [&](const std::string&) { return style++; }, out);
    out.own = runs.table;
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
                   "peak_memory_measured[B]",
                   "peak_memory_predicted[B]",
                   "error[%]",
                   "verdict",
                   "source"};
    constexpr double kPercent = 0.01;
    const auto add = [&](const ValidationPoint& point, const std::string& name = "my measured run",
                         const std::string& source = "this scenario") {
        using enum ValidationQuantity;
        const MeasuredRun* run = point.run;
        // A value that was not measured has an empty cell.
        const auto of_time = [&](double value) {
            return point.measured_step > 0 ? exact(value) : std::string();
        };
        const auto of_memory = [&](double value) {
            return point.measured_peak > 0 ? exact(value) : std::string();
        };
        out.rows.push_back(
            {run ? run->id : name, run ? run->family : "", run ? run->model : "", run ? run->gpu : "",
             exact(point.gpus), of_time(point.measured(mfu) / kPercent),
             exact(point.predicted(mfu) / kPercent), of_time(point.measured(tokens_per_s_per_gpu)),
             exact(point.predicted(tokens_per_s_per_gpu)), of_time(point.measured_step),
             exact(point.predicted_step), of_memory(point.measured_peak), of_memory(point.predicted_peak),
             exact(point.error / kPercent), std::string(name_of(point.verdict)), run ? run->source : source});
    };
    for (const ValidationPoint& point : data.points) add(point);
    if (own) add(*own);
    for (const Pin& pin : pins) {
        if (const auto point = own_point(pin.answer, pin.view.measured))
            add(*point, std::string("measured run of ") + pin.letter, pin.answer.scenario.title());
    }
    return out;
}

}  // namespace shardscope
