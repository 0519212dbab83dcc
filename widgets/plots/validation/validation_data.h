// The data of the validation plot: every public run that the engine models, predicted against measured, and
// the user's own runs beside them.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "evidence/measured.h"
#include "evidence/validation.h"
#include "widgets/plots/figure_export.h"
#include "widgets/plots/plot_table.h"

namespace shardscope {

enum class ValidationQuantity { mfu, tokens_per_s_per_gpu, step_time, memory };
inline constexpr std::array kTimeQuantities{ValidationQuantity::mfu, ValidationQuantity::tokens_per_s_per_gpu,
                                            ValidationQuantity::step_time};
// Returns the output that selects the quantity on the command line, and the reverse: nullopt for an output
// that is not measured.
Output output_of(ValidationQuantity quantity);
std::optional<ValidationQuantity> validation_quantity(Output output);

inline constexpr double kValidationBand = 0.1;  // relative half width of the shaded band

struct ValidationPoint {
    const MeasuredRun* run = nullptr;  // nullptr: the user's own run
    std::size_t family = 0;            // index of the family
    double gpus = 0;
    double tokens_per_gpu = 0;  // of one step
    double full_rate = 1;       // tokens/s/GPU at 100 % MFU
    double measured_step = 0;   // s; 0 where only memory was measured well
    double predicted_step = 0;
    double measured_peak = 0;  // bytes; 0 where only the time was measured well
    double predicted_peak = 0;
    double error = 0;         // predicted ÷ measured − 1, of the memory or of the step time
    double common_error = 0;  // the same against the common time of runs with equal settings
    Verdict verdict = Verdict::fits;

    [[nodiscard]] double measured(ValidationQuantity quantity) const;
    [[nodiscard]] double predicted(ValidationQuantity quantity) const;
};

struct ValidationFamily {
    std::string name;
    bool own = false;       // a table of the user
    std::size_t style = 0;  // colour and marker: its rank by size among all families of the table
    FamilySummary summary;
};

struct ValidationData {
    std::vector<ValidationPoint> points;     // in the tables' order, the public one first
    std::vector<ValidationFamily> families;  // the largest public one first, the user's own last
    FamilySummary all;                       // of the public runs
    int left_out = 0;                        // public runs that are not shown
    bool memory = false;                     // whether memory is compared, and not time
    std::string filter;
    UserRuns own;  // owns the runs of the points

    // Returns the fraction of the public points inside the shaded band.
    [[nodiscard]] double inside(ValidationQuantity quantity) const;
};

// All runs with their predictions.
struct ValidationRuns {
    Validation published, own;
    UserRuns table;  // owns the runs of `own`
};
// Takes about a second, so it should run once and not for every frame. `own` may be null.
ValidationRuns validation_runs(const Catalogue& catalogue, UserRuns own = nullptr);

// Returns the runs to be compared in the quantity. Every word of the filter must be in the run's name,
// family, stack, GPU, model or its kind (dense, moe). Runs whose quality is not good are shown only if the
// filter names their quality.
ValidationData validation_data(const ValidationRuns& runs,
                               ValidationQuantity quantity = ValidationQuantity::mfu,
                               const std::string& filter = {});
// Returns the user's measured run of the scenario; nullopt if there is none or the scenario is not valid.
std::optional<ValidationPoint> own_point(const Answer& answer, const std::optional<Measurement>& measurement);

PlotTable validation_table(const ValidationData& data, const std::optional<ValidationPoint>& own,
                           const std::vector<Pin>& pins = {});

}  // namespace shardscope
