// One scenario as a row of texts, for the table of scenarios and for reports.
#pragma once

#include <QString>
#include <array>
#include <optional>
#include <span>

#include "evidence/measured.h"
#include "explain/output.h"
#include "files/session_file.h"
#include "widgets/panels/scenario_mark.h"

namespace shardscope {

enum class ScenarioColumn {
    scenario,
    differs,
    verdict,
    memory,
    mfu,
    rate,
    step,
    network,
    wall,
    days,
    per_joule,
    unpin,
    count
};
inline constexpr std::size_t kScenarioColumns = static_cast<std::size_t>(ScenarioColumn::count);

struct ScenarioRow {
    char letter = 0;  // kMeasuredRun for the measured run
    bool compared = false;
    bool fits = true;
    std::array<QString, kScenarioColumns> text;
    [[nodiscard]] const QString& at(ScenarioColumn column) const {
        return text[static_cast<std::size_t>(column)];
    }
    [[nodiscard]] QString& at(ScenarioColumn column) { return text[static_cast<std::size_t>(column)]; }
    [[nodiscard]] bool is_pin() const { return letter >= kFirstPin; }
    bool operator==(const ScenarioRow&) const = default;
};

// Returns the title of a column, such as "Peak memory, GiB"; empty if it has none.
QString column_title(ScenarioColumn column);
// Returns the output that a column shows; nothing if it shows none.
std::optional<Output> column_output(ScenarioColumn column);

// Returns the row without its numbers.
ScenarioRow scenario_row(char letter, const Answer& answer, const std::string& title);
ScenarioRow measured_row(const Answer& answer, const Measurement& measurement);

// The values of a row's numbers; NaN where it has none.
inline constexpr std::size_t kScenarioNumbers = 7;
using ScenarioNumbers = std::array<double, kScenarioNumbers>;
ScenarioNumbers numbers_of(const Answer& answer);
ScenarioNumbers numbers_of(const Answer& answer, const Measurement& measurement);
// Writes the numbers into the rows. The numbers of a column have one format.
void write_numbers(std::span<ScenarioRow> rows, std::span<const ScenarioNumbers> numbers);

}  // namespace shardscope
