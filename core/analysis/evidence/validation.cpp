#include "evidence/validation.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "evidence/equal_runs.h"
#include "evidence/likely_range.h"
#include "memory/memory.h"

namespace shardscope {
namespace {

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
        errors.push_back(row->predicted_step / row->common_step - 1);
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

// Summarizes the peaks of one kind; `kind` nothing: of all.
MemorySummary summarize_memory(const std::vector<ValidationRow>& rows, std::optional<MemoryPeak> kind = {}) {
    MemorySummary out;
    for (const ValidationRow& row : rows) {
        if (kind && row.run->peak.kind() != *kind) continue;
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

namespace {

// Gives the rows with good times their common times, and skips those that contradict each other.
void compare_equal_runs(Validation& validation, const std::vector<Settings>& settings) {
    std::vector<RunWithSettings> timed;
    std::vector<std::size_t> row_of;
    for (std::size_t i = 0; i < validation.rows.size(); ++i) {
        if (!validation.rows[i].run->has_good_time()) continue;
        timed.push_back({validation.rows[i].run, &settings[i]});
        row_of.push_back(i);
    }
    const std::vector<std::string> reasons = contradictions(timed);
    const std::vector<double> common = common_times(timed);
    std::set<const MeasuredRun*> contradictory;
    for (std::size_t i = 0; i < timed.size(); ++i) {
        validation.rows[row_of[i]].common_step = common[i];
        if (reasons[i].empty()) continue;
        contradictory.insert(timed[i].run);
        validation.skipped.push_back({timed[i].run, reasons[i], false});
    }
    std::erase_if(validation.rows, [&](const ValidationRow& row) { return contradictory.contains(row.run); });
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
    std::vector<Settings> settings;
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
        row.predicted_peak = row.predicted.of(run.peak.kind());
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
        settings.push_back(predicted.settings);
    }
    compare_equal_runs(out, settings);
    out.memory = summarize_memory(out.rows);
    for (std::size_t i = 0; i < kMemoryPeaks; ++i)
        out.memory_of_kind[i] = summarize_memory(out.rows, static_cast<MemoryPeak>(i));
    for (const ValidationRow& row : out.rows) ++out.rows_of_quality[row.run->quality];
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
