// Compares predictions with measured runs: their times, their memory peaks, and summaries of the errors.
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "evidence/runs.h"

namespace shardscope {

struct ValidationRow {
    const MeasuredRun* run = nullptr;
    double predicted_step = 0;
    double measured_step = 0;
    double common_step = 0;     // s, the geometric mean of the measured times of runs with equal settings
    double error = 0;           // predicted ÷ measured − 1
    MeasuredPeaks predicted;    // bytes, of the fullest GPU or, for some runs, of the stage that was measured
    double predicted_peak = 0;  // bytes, of the same kind of peak as the measured one
    double predicted_mfu = 0;
    double tokens_per_gpu = 0;  // of one step
    double full_rate = 1;       // tokens/s/GPU at 100 % MFU
    double capacity = 0;        // bytes
    bool experts = false;       // of the model
    Verdict verdict = Verdict::fits;
    double band_low = 0;  // s
    double band_high = 0;

    // Returns the measured peak in bytes; 0 if none was measured well, or if the memory was full, which says
    // only that at least as much was needed.
    [[nodiscard]] double measured_peak() const;
};
// Of the predictions against the common times of runs with equal settings.
struct FamilySummary {
    int n = 0;
    // The mean of the mean absolute errors of the folds, model × machine × software: a fold with many runs
    // counts as one with few.
    double mean_over_folds = 0;
    double mean_abs_error = 0, median_abs_error = 0, p90_abs_error = 0, bias = 0, within_band = 0;
};
// The interpolated q-quantile; 0 if there are no values.
double quantile(std::vector<double> values, double q);
// Leaves `within_band` and `mean_over_folds` at 0, because they do not follow from errors.
FamilySummary summary_of(const std::vector<double>& errors);
// The mean over folds; `fold_of` has the fold of each error.
double mean_over_folds(const std::vector<double>& errors, const std::vector<std::string>& fold_of);

// The comparison of measured memory peaks. A peak close to the capacity only shows that memory was full, so
// that it is counted but has no error.
struct MemorySummary {
    int n = 0;
    double mean_abs_error = 0, bias = 0;
    int full = 0;         // peaks above 92 % of the capacity, and runs out of memory
    int full_warned = 0;  // those of them whose verdict is risky or worse
};
struct Validation {
    std::vector<ValidationRow> rows;
    MemorySummary memory;                                    // of all kinds of peaks
    std::array<MemorySummary, kMemoryPeaks> memory_of_kind;  // by MemoryPeak
    std::map<RunQuality, int> rows_of_quality;
    std::map<std::string, FamilySummary> summary;  // by family, and "all"
    struct Skipped {
        const MeasuredRun* run;
        std::string reason;
        bool unreadable = false;  // the row has errors; otherwise it lacks the required measurement
    };
    std::vector<Skipped> skipped;
};
// Runs with equal settings whose times contradict each other are skipped.
Validation validate(const std::vector<MeasuredRun>& runs, const Catalogue& catalogue);

}  // namespace shardscope
