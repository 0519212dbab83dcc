#include "evidence/validation.h"

#include <algorithm>
#include <cmath>

#include "evidence/likely_range.h"
#include "memory/memory.h"

namespace shardscope {
namespace {

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

}  // namespace

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
