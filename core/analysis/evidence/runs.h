// Public measured runs: reads their table, converts rows to scenarios, and compares predictions with the
// measurements.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "planner/answer.h"

namespace shardscope {

// The name that summaries use for all families together; no run has it as its family.
inline constexpr const char* kAllRuns = "all";

struct MeasuredRun {
    int line = 0;  // of the table
    std::string id, family, source, software, model, gpu, note;
    std::map<std::string, std::string, std::less<>> column;  // unparsed cells by column
    double gpus = 0;
    double step_time = 0;             // s; 0 when not measured
    double tokens_per_s_per_gpu = 0;  // 0 when not measured
    double mfu = 0;                   // as published; never used for fitting
    double peak_memory = 0;           // bytes; 0 when not measured
    bool out_of_memory = false;
    // The unparsed cell; "" if there is no such column.
    [[nodiscard]] std::string cell(std::string_view name) const;
    Problems problems;  // cells that cannot be read; the row is then not used
};

// The table that ships with the program.
const std::vector<MeasuredRun>& shipped_runs();
// Whether a text is such a table, possibly with errors.
bool is_run_table(std::string_view text);
// Reads such a table. A row that cannot be read is reported as a problem with its line, and reading
// continues.
std::vector<MeasuredRun> read_runs(std::string_view csv, Problems& problems);

// The scenario of a row. Adds problems if the row cannot be read or its values are not valid together.
Scenario scenario_of(const MeasuredRun& run, const Catalogue& catalogue, Problems& problems);

// A run of the shipped table with its settings.
struct PublicRun {
    const MeasuredRun* run = nullptr;
    Settings settings;
    double parameters = 0;  // of the model
    double mfu = 0;         // as published, else from the model FLOPs of its settings; 0 without a rate
};
// The valid runs of the shipped table, read once.
const std::vector<PublicRun>& public_runs();

// A run of the scenario's model on the same GPU, for the diamonds in the scaling plot.
struct ComparableRun {
    const MeasuredRun* run = nullptr;
    bool same_settings = false;  // it differs from the scenario in the GPU count at most
    double mfu = 0;              // of PublicRun
    double sequence = 0;         // tokens
};
std::vector<ComparableRun> comparable_runs(const Answer& answer);

struct ValidationRow {
    const MeasuredRun* run = nullptr;
    double predicted_step = 0;
    double measured_step = 0;
    double error = 0;           // predicted ÷ measured − 1
    double predicted_peak = 0;  // bytes, of the same kind of peak as the measured one
    double capacity = 0;        // bytes
    Verdict verdict = Verdict::fits;
    double band_low = 0;  // s
    double band_high = 0;
};
struct FamilySummary {
    int n = 0;
    double mean_abs_error = 0, median_abs_error = 0, p90_abs_error = 0, bias = 0, within_band = 0;
};
// The interpolated q-quantile; 0 if there are no values.
double quantile(std::vector<double> values, double q);
// Leaves `within_band` at 0, because it does not follow from errors.
FamilySummary summary_of(const std::vector<double>& errors);

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
    MemorySummary memory;
    std::map<std::string, FamilySummary> summary;  // by family, and "all"
    struct Skipped {
        const MeasuredRun* run;
        std::string reason;
        bool unreadable = false;  // the row has errors; otherwise it lacks the required measurement
    };
    std::vector<Skipped> skipped;
};
Validation validate(const std::vector<MeasuredRun>& runs, const Catalogue& catalogue);

}  // namespace shardscope
