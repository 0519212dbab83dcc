#include "widgets/panels/scenario_model.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "evidence/measured.h"
#include "explore/difference.h"
#include "widgets/panels/drawing.h"
#include "widgets/panels/scenario_mark.h"

namespace shardscope {
namespace {

using Column = ScenarioColumn;

struct Shows {
    Column column;
    Output output;
};
constexpr std::array kOutputColumns{Shows{Column::memory, Output::peak_memory},
                                    Shows{Column::mfu, Output::mfu},
                                    Shows{Column::rate, Output::tokens_per_s_per_gpu},
                                    Shows{Column::step, Output::step_time},
                                    Shows{Column::network, Output::exposed_communication},
                                    Shows{Column::days, Output::training_days},
                                    Shows{Column::per_joule, Output::tokens_per_joule}};

// Always in ms, so that a column can be read down; three digits, and all those before the point.
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
    QString label = text_of(output(id).label);
    switch (output(id).quantity) {
        case Quantity::seconds: return label + QStringLiteral(", ms");
        case Quantity::bytes:
        case Quantity::percent:
            return QStringLiteral("%1, %2").arg(
                label, QString::fromStdString(shardscope::show(1, output(id).quantity).unit));
        default: return label;  // says its unit itself
    }
}

QString& at(ScenarioRow& row, Column column) { return row.text[static_cast<std::size_t>(column)]; }

ScenarioRow row_of(char letter, const Answer& answer, const std::string& title) {
    ScenarioRow row;
    row.letter = letter;
    row.fits = answer.fits();
    at(row, Column::scenario) = QString::fromStdString(title);
    at(row, Column::verdict) =
        answer.valid() ? text_of(name_of(answer.estimate.verdict)).replace(QLatin1Char('-'), QLatin1Char(' '))
                       : QObject::tr("not valid");
    for (const Shows& entry : kOutputColumns)
        at(row, entry.column) = cell(value_of(entry.output, answer), output(entry.output).quantity);
    at(row, Column::wall) = answer.valid() ? text_of(label_of(answer.estimate.wall)) : QStringLiteral("–");
    return row;
}

ScenarioRow measured_row(const Answer& answer, const Measurement& measurement) {
    const Residual run = residual(answer, measurement);
    ScenarioRow row;
    row.letter = kMeasuredRun;
    row.text.fill(QStringLiteral("–"));
    const QString gpus = shown(run.gpus, Quantity::count);
    at(row, Column::scenario) = QObject::tr("Measured run on %1 GPUs").arg(gpus);
    at(row, Column::differs) =
        QString::fromStdString(run.gpus == answer.settings[P::gpus] ? in_words({}) : std::string());
    if (run.gpus != answer.settings[P::gpus]) at(row, Column::differs) = QObject::tr("%1 GPUs").arg(gpus);
    at(row, Column::verdict) = QObject::tr("ran");
    const double days =
        answer.estimate.run.tokens_with_losses() / (run.tokens_per_s_per_gpu * run.gpus) / 86400;
    for (const auto& [column, value] : {std::pair{Column::mfu, run.mfu},
                                        {Column::rate, run.tokens_per_s_per_gpu},
                                        {Column::step, run.step_time},
                                        {Column::days, days}}) {
        const auto shows = std::ranges::find(kOutputColumns, column, &Shows::column);
        at(row, column) = cell(value, output(shows->output).quantity);
    }
    at(row, Column::unpin).clear();
    return row;
}

}  // namespace

ScenarioModel::ScenarioModel(LiveModel& model, QObject* parent) : QAbstractTableModel(parent), model_(model) {
    connect(&model_, &LiveModel::changed, this, &ScenarioModel::refresh);
    connect(&model_, &LiveModel::pins_changed, this, &ScenarioModel::refresh);
    rows_ = make_rows();
}

std::vector<ScenarioRow> ScenarioModel::make_rows() const {
    const Answer& now = model_.answer();
    std::vector<ScenarioRow> rows{row_of(kCurrentScenario, now, model_.scenario().title())};
    for (const Pin& pin : model_.pins()) {
        ScenarioRow row = row_of(pin.letter, pin.answer, pin.answer.scenario.title());
        row.compared = &pin == model_.compared();
        at(row, Column::differs) = QString::fromStdString(in_words(differences(now, pin.answer)));
        at(row, Column::unpin) = QStringLiteral("×");
        rows.push_back(std::move(row));
    }
    if (const auto measurement = measurement_of(model_.scenario()); measurement && now.valid())
        rows.push_back(measured_row(now, *measurement));
    return rows;
}

void ScenarioModel::refresh() {
    std::vector<ScenarioRow> rows = make_rows();
    if (!std::ranges::equal(rows, rows_, {}, &ScenarioRow::letter, &ScenarioRow::letter)) {
        beginResetModel();
        rows_ = std::move(rows);
        endResetModel();
        return;
    }
    // In a drag little more than the current row changes; only that is painted again.
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows[i] == rows_[i]) continue;
        rows_[i] = std::move(rows[i]);
        const int at = static_cast<int>(i);
        Q_EMIT dataChanged(index(at, 0), index(at, static_cast<int>(kScenarioColumns) - 1));
    }
}

const ScenarioRow* ScenarioModel::row(const QModelIndex& index) const {
    const auto at = static_cast<std::size_t>(index.row());
    return index.isValid() && at < rows_.size() ? &rows_[at] : nullptr;
}

QString ScenarioModel::widest(Column column) {
    switch (column) {
        case Column::verdict: return tr("does not fit");
        case Column::memory: return QStringLiteral("0,000.0");
        case Column::mfu: return QStringLiteral("00.0");
        case Column::rate: return QStringLiteral("00,000");
        case Column::step:
        case Column::network: return QStringLiteral("00,000");
        case Column::wall: return text_of(label_of(Wall::inter_node));
        case Column::days: return QStringLiteral("0,000");
        case Column::per_joule: return QStringLiteral("00.00");
        case Column::unpin: return QStringLiteral("×");
        default: return {};
    }
}

bool ScenarioModel::is_same(Column column) const {
    return std::ranges::all_of(rows_, [&](const ScenarioRow& row) {
        return row.letter == kMeasuredRun || row.at(column) == rows_.front().at(column);
    });
}

QString ScenarioModel::summary(const ScenarioRow& row) {
    if (row.letter == kMeasuredRun)
        return QStringLiteral("%1 %, %2 %3")
            .arg(row.at(Column::mfu), row.at(Column::rate),
                 text_of(output(Output::tokens_per_s_per_gpu).label).toLower());
    if (!row.fits) return row.at(Column::verdict);
    return QStringLiteral("%1, %2 %, %3")
        .arg(row.at(Column::verdict), row.at(Column::mfu), row.at(Column::wall));
}

int ScenarioModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int ScenarioModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(kScenarioColumns);
}

QString ScenarioModel::tip(const ScenarioRow& row, Column column) const {
    const QString letter{QLatin1Char(row.letter)};
    if (row.letter == kMeasuredRun) return tr("A click opens what it says about the estimate");
    if (column == Column::unpin) return row.is_pin() ? tr("Unpin %1").arg(letter) : QString();
    if (column == Column::differs && row.is_pin()) {
        QStringList lines;
        for (const Difference& difference : differences(model_.answer(), model_.pin_of(row.letter)->answer)) {
            lines << tr("%1: %2, in A %3")
                         .arg(QString::fromStdString(difference.label), QString::fromStdString(difference.to),
                              QString::fromStdString(difference.from));
        }
        return lines.join(QLatin1Char('\n'));
    }
    if (column != Column::scenario) return {};
    if (!row.is_pin()) return tr("%1\nThe current scenario").arg(row.at(Column::scenario));
    return tr("%1\nClick: take it up again\nClick on the letter: compare the headline with it\n"
              "Drag the letter onto another: swap the two\nF2: rename")
        .arg(row.at(Column::scenario));
}

QVariant ScenarioModel::data(const QModelIndex& index, int role) const {
    const ScenarioRow* found = row(index);
    if (!found) return {};
    const auto column = static_cast<Column>(index.column());
    switch (role) {
        case Qt::DisplayRole:
        case Qt::EditRole: return found->at(column);
        case Qt::ToolTipRole: return tip(*found, column);
        case Qt::TextAlignmentRole:
            return QVariant(column <= Column::differs ? Qt::AlignLeft | Qt::AlignVCenter
                                                      : Qt::AlignRight | Qt::AlignVCenter);
        case Qt::AccessibleTextRole:
            if (column == Column::unpin)
                return found->is_pin() ? tr("Unpin %1").arg(QLatin1Char(found->letter)) : QString();
            if (column != Column::scenario || found->letter == kMeasuredRun) return found->at(column);
            return QStringLiteral("%1: %2%3")
                .arg(QLatin1Char(found->letter))
                .arg(found->at(column), found->compared ? tr(", compared with in the headline") : QString());
        default: return {};
    }
}

QVariant ScenarioModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    const auto column = static_cast<Column>(section);
    if (role == Qt::TextAlignmentRole)
        return QVariant(column <= Column::differs ? Qt::AlignLeft | Qt::AlignVCenter
                                                  : Qt::AlignRight | Qt::AlignVCenter);
    const auto shows = std::ranges::find(kOutputColumns, column, &Shows::column);
    const Output id = column == Column::wall          ? Output::wall
                      : shows != kOutputColumns.end() ? shows->output
                                                      : Output::count;
    if (role == Qt::ToolTipRole && id != Output::count) return text_of(output(id).sentence);
    if (role != Qt::DisplayRole) return {};
    switch (column) {
        case Column::scenario: return tr("Scenario");
        case Column::differs: return tr("Differs from A in");
        case Column::verdict: return tr("Verdict");
        case Column::wall: return text_of(output(id).label);
        case Column::unpin: return QString();
        default: return header(id);
    }
}

Qt::ItemFlags ScenarioModel::flags(const QModelIndex& index) const {
    Qt::ItemFlags flags = QAbstractTableModel::flags(index);
    const ScenarioRow* found = row(index);
    if (found && found->letter != kMeasuredRun && index.column() == static_cast<int>(Column::scenario))
        flags |= Qt::ItemIsEditable;
    return flags;
}

bool ScenarioModel::setData(const QModelIndex& index, const QVariant& value, int role) {
    const ScenarioRow* found = row(index);
    if (!found || role != Qt::EditRole || !(flags(index) & Qt::ItemIsEditable)) return false;
    // What was shown already need not be its name: an unnamed scenario describes itself.
    if (value.toString() != found->at(Column::scenario)) model_.rename(found->letter, value.toString());
    return true;
}

}  // namespace shardscope
