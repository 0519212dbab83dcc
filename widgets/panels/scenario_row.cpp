#include "widgets/panels/scenario_row.h"

#include <algorithm>
#include <vector>

#include "containers/no_value.h"
#include "explore/difference.h"
#include "widgets/drawing.h"
#include "widgets/number_column.h"
#include "widgets/text.h"

namespace shardscope {
namespace {

using Column = ScenarioColumn;

struct OutputColumn {
    Column column;
    Output output;
};
constexpr std::array<OutputColumn, kScenarioNumbers> kOutputColumns{
    OutputColumn{Column::memory, Output::peak_memory},
    OutputColumn{Column::mfu, Output::mfu},
    OutputColumn{Column::rate, Output::tokens_per_s_per_gpu},
    OutputColumn{Column::step, Output::step_time},
    OutputColumn{Column::network, Output::exposed_communication},
    OutputColumn{Column::days, Output::training_days},
    OutputColumn{Column::per_joule, Output::tokens_per_joule}};

QString header(Output id) {
    QString label = text_of(label_of(id));
    switch (output(id).quantity) {
        case Quantity::seconds:
        case Quantity::bytes:
        case Quantity::percent:
            return QStringLiteral("%1, %2").arg(label, number_column({}, output(id).quantity).unit);
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
    row.at(Column::wall) = answer.valid() ? text_of(label_of(answer.estimate.wall)) : QStringLiteral("–");
    return row;
}

ScenarioRow measured_row(const Answer& answer, const Measurement& measurement) {
    const Residual run = residual(answer, measurement);
    ScenarioRow row;
    row.letter = kMeasuredRun;
    row.text.fill(QStringLiteral("–"));
    const QString gpus = shown(run.gpus, Quantity::count);
    row.at(Column::scenario) = QObject::tr("My run on %1 GPUs").arg(gpus);
    row.at(Column::differs) =
        QString::fromStdString(run.gpus == answer.settings[P::gpus] ? in_words({}) : std::string());
    if (run.gpus != answer.settings[P::gpus]) row.at(Column::differs) = QObject::tr("%1 GPUs").arg(gpus);
    row.at(Column::verdict) = QObject::tr("ran");
    row.at(Column::unpin).clear();
    return row;
}

ScenarioNumbers numbers_of(const Answer& answer) {
    ScenarioNumbers out;
    for (std::size_t i = 0; i < kOutputColumns.size(); ++i)
        out[i] = value_of(kOutputColumns[i].output, answer);
    return out;
}

ScenarioNumbers numbers_of(const Answer& answer, const Measurement& measurement) {
    const Residual run = residual(answer, measurement);
    const double days =
        answer.estimate.run.tokens_at_full_goodput() / (run.tokens_per_s_per_gpu * run.gpus) / kSecondsPerDay;
    ScenarioNumbers out;
    for (std::size_t i = 0; i < kOutputColumns.size(); ++i) {
        switch (kOutputColumns[i].column) {
            case Column::mfu: out[i] = run.mfu; break;
            case Column::rate: out[i] = run.tokens_per_s_per_gpu; break;
            case Column::step: out[i] = run.step_time; break;
            case Column::days: out[i] = days; break;
            default: out[i] = kNoValue;
        }
    }
    return out;
}

void write_numbers(std::span<ScenarioRow> rows, std::span<const ScenarioNumbers> numbers) {
    for (std::size_t i = 0; i < kOutputColumns.size(); ++i) {
        std::vector<double> values;
        for (const ScenarioNumbers& row : numbers) values.push_back(row[i]);
        const NumberColumn column = number_column(values, output(kOutputColumns[i].output).quantity);
        for (std::size_t row = 0; row < rows.size(); ++row)
            rows[row].at(kOutputColumns[i].column) = column.numbers[row];
    }
}

}  // namespace shardscope
