// What the validation plot shows: every public run that the engine models, predicted against measured, and
// the person's own run beside them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "evidence/measured.h"
#include "evidence/runs.h"
#include "widgets/plots/figure_export.h"
#include "widgets/plots/plot_data.h"

namespace shardscope {

enum class ValidationQuantity { mfu, tokens_per_s_per_gpu, step_time };
// The output that names it on the command line; nothing for an output that is not measured.
Output output_of(ValidationQuantity quantity);
std::optional<ValidationQuantity> validation_quantity(Output output);

inline constexpr double kValidationBand = 0.1;  // relative half width of what is shaded

struct ValidationPoint {
    const MeasuredRun* run = nullptr;  // nullptr: the person's own
    std::size_t family = 0;            // of the families
    double gpus = 0;
    double tokens_per_gpu = 0;  // of one step
    double full_rate = 1;       // tokens/s/GPU at 100 % MFU
    double measured_step = 0;   // s
    double predicted_step = 0;
    double error = 0;  // predicted ÷ measured step time − 1
    Verdict verdict = Verdict::fits;

    [[nodiscard]] double measured(ValidationQuantity quantity) const;
    [[nodiscard]] double predicted(ValidationQuantity quantity) const;
};

struct ValidationFamily {
    std::string name;
    bool own = false;       // the person's own table
    std::size_t style = 0;  // colour and marker: its place among all families of the table, the largest first
    FamilySummary summary;
};

struct ValidationData {
    std::vector<ValidationPoint> points;     // in the tables' order, the public one first
    std::vector<ValidationFamily> families;  // the largest public one first, one's own after them
    FamilySummary all;                       // of the public runs
    int not_modelled = 0;                    // of them, what takes no part
    OwnRuns own;                             // the points' runs live there

    // Share of the public points inside the shaded band.
    [[nodiscard]] double inside(ValidationQuantity quantity) const;
};

// Milliseconds: once, not in every frame. `own` may be null.
ValidationData validation_data(const Catalogue& catalogue, OwnRuns own = nullptr);
// The scenario's measured run; none when it has none or is not valid.
std::optional<ValidationPoint> own_point(const Answer& answer);

PlotTable validation_table(const ValidationData& data, const std::optional<ValidationPoint>& own,
                           const std::vector<Pin>& pins = {});

}  // namespace shardscope
