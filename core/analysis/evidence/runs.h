// Public measured runs: reading the table, turning a row into a scenario, predicted against measured.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "planner/answer.h"

namespace shardscope {

// The family of all runs together, in summaries; no run's own.
inline constexpr const char* kAllRuns = "all";

struct MeasuredRun {
    int line = 0;  // of the table
    std::string id, family, source, software, model, gpu, note;
    std::map<std::string, std::string, std::less<>> column;  // as read
    double gpus = 0;
    double step_time = 0;             // s; 0 when not measured
    double tokens_per_s_per_gpu = 0;  // 0 when not measured
    double mfu = 0;                   // as published; never used for fitting
    double peak_memory = 0;           // bytes; 0 when not measured
    bool out_of_memory = false;
    // A cell as read; "" where there is no such column.
    [[nodiscard]] std::string cell(std::string_view name) const;
    Problems problems;  // cells that cannot be read; the row then takes no part
};

// The table that ships with the program.
const std::vector<MeasuredRun>& shipped_runs();
// Whether a text is a table of that form, perhaps a faulty one.
bool is_run_table(std::string_view text);
// Reads a table of that form; a row that cannot be read becomes a problem with its line and does not stop the
// rest.
std::vector<MeasuredRun> read_runs(std::string_view csv, Problems& problems);

// The scenario a row describes. Problems when it cannot be understood or its values do not go together.
Scenario scenario_of(const MeasuredRun& run, const Catalogue& catalogue, Problems& problems);

// A run of the shipped table with what it was run with.
struct PublicRun {
    const MeasuredRun* run = nullptr;
    Settings settings;
    double parameters = 0;  // of the model
    double mfu = 0;         // as published, else by the model FLOPs of its settings; 0 without a rate
};
// Those of the shipped table that can be understood, read once.
const std::vector<PublicRun>& public_runs();

// Runs of the same model on the same GPU as the scenario, for the diamonds on the scaling plot.
struct ComparableRun {
    const MeasuredRun* run = nullptr;
    bool same_settings = false;  // everything but the GPU count agrees
    double mfu = 0;              // of PublicRun
    double sequence = 0;         // tokens
};
std::vector<ComparableRun> comparable_runs(const Answer& answer);

struct ValidationRow {
    const MeasuredRun* run = nullptr;
    double predicted_step = 0;
    double measured_step = 0;
    double error = 0;           // predicted ÷ measured − 1
    double predicted_peak = 0;  // bytes, counted as the measured one was
    double capacity = 0;        // bytes
    Verdict verdict = Verdict::fits;
    double band_low = 0;  // s
    double band_high = 0;
};
struct FamilySummary {
    int n = 0;
    double mean_abs_error = 0, median_abs_error = 0, p90_abs_error = 0, bias = 0, within_band = 0;
};
// The q-quantile, interpolated; 0 of none.
double quantile(std::vector<double> values, double q);
// Without `within_band`, of which errors alone say nothing.
FamilySummary summary_of(const std::vector<double>& errors);

// Measured peaks: those that say how much is needed, and those so close to the capacity that they only say
// “full”.
struct MemorySummary {
    int n = 0;
    double mean_abs_error = 0, bias = 0;
    int full = 0;         // peaks above 92 % of the capacity, and runs out of memory
    int full_warned = 0;  // of which the verdict is risky or worse
};
struct Validation {
    std::vector<ValidationRow> rows;
    MemorySummary memory;
    std::map<std::string, FamilySummary> summary;  // by family, and "all"
    struct Skipped {
        const MeasuredRun* run;
        std::string reason;
        bool unreadable = false;  // the row is at fault; else it measures nothing that is asked for
    };
    std::vector<Skipped> skipped;
};
Validation validate(const std::vector<MeasuredRun>& runs, const Catalogue& catalogue);

}  // namespace shardscope
