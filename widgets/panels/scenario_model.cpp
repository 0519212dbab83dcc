#include "widgets/panels/scenario_model.h"

#include <algorithm>
#include <utility>

#include "evidence/measured.h"
#include "explore/difference.h"
#include "text/translate.h"
#include "widgets/drawing.h"
#include "widgets/encode.h"
#include "widgets/panels/scenario_mark.h"
#include "widgets/text.h"

namespace shardscope {
namespace {

using Column = ScenarioColumn;

}  // namespace

ScenarioModel::ScenarioModel(LiveModel& model, QObject* parent) : QAbstractTableModel(parent), model_(model) {
    connect(&model_, &LiveModel::changed, this, &ScenarioModel::refresh);
    connect(&model_, &LiveModel::pins_changed, this, &ScenarioModel::refresh);
    rows_ = make_rows();
}

std::vector<ScenarioRow> ScenarioModel::make_rows() const {
    const Answer& now = model_.answer();
    std::vector<ScenarioRow> rows{scenario_row(kCurrentScenario, now, model_.scenario().title())};
    std::vector<ScenarioNumbers> numbers{numbers_of(now)};
    for (const Pin& pin : model_.pins()) {
        ScenarioRow row = scenario_row(pin.letter, pin.answer, pin.answer.scenario.title());
        row.compared = &pin == model_.compared();
        row.at(Column::differs) = QString::fromStdString(in_words(differences(now, pin.answer)));
        row.at(Column::unpin) = QStringLiteral("×");
        rows.push_back(std::move(row));
        numbers.push_back(numbers_of(pin.answer));
    }
    if (const auto measurement = model_.scenario().view.measured; measurement && now.valid()) {
        rows.push_back(measured_row(now, *measurement));
        numbers.push_back(numbers_of(now, *measurement));
    }
    write_numbers(rows, numbers);
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
    // During a drag little more than the current row changes, so only changed rows are repainted.
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
            .arg(row.at(Column::mfu), row.at(Column::rate), tr("tokens/s/GPU"));
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
    if (row.letter == kMeasuredRun) return tr("A click opens the comparison with the estimate");
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
    return tr("%1\nClick: make it the current scenario\nClick on the letter: compare the headline with "
              "it\nDrag the letter onto another: swap the two\nF2: rename")
        .arg(row.at(Column::scenario));
}

QVariant ScenarioModel::data(const QModelIndex& index, int role) const {
    const ScenarioRow* found = row(index);
    if (!found) return {};
    const auto column = static_cast<Column>(index.column());
    switch (role) {
        case Qt::DisplayRole:
        case Qt::EditRole: return found->at(column);
        case Qt::ToolTipRole: return tool_tip(tip(*found, column));
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
    const std::optional<Output> id = column_output(column);
    if (role == Qt::ToolTipRole && id) return text_of(translate(output(*id).sentence));
    return role == Qt::DisplayRole ? column_title(column) : QVariant();
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
    // An unchanged text is not stored, because an unnamed scenario shows a generated description.
    if (value.toString() != found->at(Column::scenario)) model_.rename(found->letter, value.toString());
    return true;
}

}  // namespace shardscope
