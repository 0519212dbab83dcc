// Public measured runs: reads their tables and converts rows to scenarios.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "planner/answer.h"

namespace shardscope {

// The name that summaries use for all families together; no run has it as its family.
inline constexpr const char* kAllRuns = "all";

// How far a measured step time can be trusted. Only good ones weigh in a calibration.
enum class RunQuality : unsigned char { good, noisy, tiny, ambiguous, none };
std::string_view name_of(RunQuality quality);  // "noisy"

enum class MemoryPeak : unsigned char { allocated, reserved, device };
inline constexpr std::size_t kMemoryPeaks = 3;
std::string_view name_of(MemoryPeak kind);  // "reserved"

struct MeasuredPeaks {     // bytes; 0 when not measured
    double allocated = 0;  // by the framework's allocator: max_memory_allocated
    double reserved = 0;   // by the framework: max_memory_reserved
    double device = 0;     // as the driver shows
    // The kind that predictions are compared with: the innermost one that was measured.
    [[nodiscard]] MemoryPeak kind() const {
        return allocated > 0  ? MemoryPeak::allocated
               : reserved > 0 ? MemoryPeak::reserved
                              : MemoryPeak::device;
    }
    [[nodiscard]] double of(MemoryPeak kind) const {
        return kind == MemoryPeak::allocated ? allocated : kind == MemoryPeak::reserved ? reserved : device;
    }
    [[nodiscard]] double any() const { return of(kind()); }
};

struct MeasuredRun {
    int line = 0;  // of the table
    std::string id, family, source, licence, software, model, gpu, note, assumed;
    std::map<std::string, std::string, std::less<>> column;  // CSV: unparsed cells by column
    std::string scenario;                                    // JSON Lines: the scenario's JSON; "" for CSV
    std::vector<std::string> settings;  // what the source states and the scenario cannot express
    double gpus = 0;
    double step_time = 0;             // s; 0 when not measured
    double tokens_per_s_per_gpu = 0;  // 0 when not measured
    double mfu = 0;                   // as published; never used for fitting
    MeasuredPeaks peak;
    std::vector<double> stage_allocated;  // bytes, by pipeline stage; empty when not measured
    bool out_of_memory = false;
    RunQuality quality = RunQuality::none;
    bool memory_is_good = true;
    std::string not_modelled;  // why the engine cannot predict the run; "" if it can
    // Returns the unparsed cell; "" if there is no such column.
    [[nodiscard]] std::string cell(std::string_view name) const;
    // Returns whether the step time weighs in summaries and calibrations.
    [[nodiscard]] bool has_good_time() const { return step_time > 0 && quality == RunQuality::good; }
    Problems problems;  // cells that cannot be read; the row is then not used
};

// The runs that ship with the program, read when they are first needed.
const std::vector<MeasuredRun>& shipped_runs();
// Returns whether a text is a table of runs, CSV or JSON Lines, possibly with errors.
bool is_run_table(std::string_view text);
// Reads a table of runs, CSV or JSON Lines. A row that cannot be read is reported as a problem with its line,
// and reading continues.
std::vector<MeasuredRun> read_runs(std::string_view text, Problems& problems);

// Returns the names of the software that is not known, which is predicted as `other`.
std::set<std::string> unknown_software(const std::vector<MeasuredRun>& runs);

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

}  // namespace shardscope
