#include "widgets/panels/scenario_row.h"

#include <algorithm>
#include <cmath>

#include "explore/difference.h"
#include "widgets/drawing.h"
#include "widgets/text.h"

namespace shardscope {
namespace {

using Column = ScenarioColumn;

struct OutputColumn {
    Column column;
    Output output;
};
constexpr std::array kOutputColumns{OutputColumn{Column::memory, Output::peak_memory},
                                    OutputColumn{Column::mfu, Output::mfu},
                                    OutputColumn{Column::rate, Output::tokens_per_s_per_gpu},
                                    OutputColumn{Column::step, Output::step_time},
                                    OutputColumn{Column::network, Output::exposed_communication},
                                    OutputColumn{Column::days, Output::training_days},
                                    OutputColumn{Column::per_joule, Output::tokens_per_joule}};

// Returns a time in ms, always, so that the values of a column can be compared. It has three significant
// digits, or all digits before the point.
QString milliseconds(double seconds) {
    const double ms = seconds * 1e3;
    return shown(std::fabs(ms) >= 100 ? std::round(ms) : ms,
                 std::fabs(ms) >= 100 ? Quantity::count : Quantity::fraction, false);
}

QString cell(double value, Quantity quantity) {
    if (quantity == Quantity::seconds && std::isfinite(value)) return milliseconds(value);
    return shown(value, quantity, false);
}

QString header(Output id) {
    QString label = text_of(label_of(id));
    switch (output(id).quantity) {
        case Quantity::seconds: return label + QStringLiteral(", ms");
        case Quantity::bytes:
        case Quantity::percent:
            return QStringLiteral("%1, %2").arg(
                label, QString::fromStdString(shardscope::show(1, output(id).quantity).unit));
        default: return label;  // contains its unit
    }
}

}  // namespace

std::optional<Output> column_output(Column column) {
    if (column == Column::wall) return Output::wall;
    const auto found = std::ranges::find(kOutputColumns, column, &OutputColumn::column);
    if (found == kOutputColumns.end()) return std::nullopt;
    return found->output;
}

QString column_title(Column column) {
    switch (column) {
        case Column::scenario: return QObject::tr("Scenario");
        case Column::differs: return QObject::tr("Differs from A in");
        case Column::verdict: return QObject::tr("Verdict");
        case Column::wall: return text_of(label_of(Output::wall));
        case Column::unpin: return {};
        default: return header(*column_output(column));
    }
}

ScenarioRow scenario_row(char letter, const Answer& answer, const std::string& title) {
    ScenarioRow row;
    row.letter = letter;
    row.fits = answer.fits();
    row.at(Column::scenario) = QString::fromStdString(title);
    row.at(Column::verdict) =
        answer.valid() ? text_of(label_of(answer.estimate.verdict)) : QObject::tr("not valid");
    for (const OutputColumn& entry : kOutputColumns)
        row.at(entry.column) = cell(value_of(entry.output, answer), output(entry.output).quantity);
    row.at(Column::wall) = answer.valid() ? text_of(label_of(answer.estimate.wall)) : QStringLiteral("–");
    return row;
}

ScenarioRow measured_row(const Answer& answer, const Measurement& measurement) {
    const Residual run = residual(answer, measurement);
    ScenarioRow row;
    row.letter = kMeasuredRun;
    row.text.fill(QStringLiteral("–"));
    const QString gpus = shown(run.gpus, Quantity::count);
    row.at(Column::scenario) = QObject::tr("Measured run on %1 GPUs").arg(gpus);
    row.at(Column::differs) =
        QString::fromStdString(run.gpus == answer.settings[P::gpus] ? in_words({}) : std::string());
    if (run.gpus != answer.settings[P::gpus]) row.at(Column::differs) = QObject::tr("%1 GPUs").arg(gpus);
    row.at(Column::verdict) = QObject::tr("ran");
    const double days =
        answer.estimate.run.tokens_at_full_goodput() / (run.tokens_per_s_per_gpu * run.gpus) / kSecondsPerDay;
    for (const auto& [column, value] : {std::pair{Column::mfu, run.mfu},
                                        {Column::rate, run.tokens_per_s_per_gpu},
                                        {Column::step, run.step_time},
                                        {Column::days, days}}) {
        const auto found = std::ranges::find(kOutputColumns, column, &OutputColumn::column);
        row.at(column) = cell(value, output(found->output).quantity);
    }
    row.at(Column::unpin).clear();
    return row;
}

}  // namespace shardscope
