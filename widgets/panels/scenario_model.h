// The table model of the scenarios: one row each for the current one, the pins and the user's measured run.
#pragma once

#include <QAbstractTableModel>
#include <QString>
#include <vector>

#include "widgets/live_model.h"
#include "widgets/panels/scenario_row.h"

namespace shardscope {

class ScenarioModel : public QAbstractTableModel {
    Q_OBJECT
  public:
    explicit ScenarioModel(LiveModel& model, QObject* parent = nullptr);

    [[nodiscard]] const std::vector<ScenarioRow>& rows() const { return rows_; }
    [[nodiscard]] const ScenarioRow* row(const QModelIndex& index) const;
    // Returns the widest text that a column is likely to show during a drag.
    [[nodiscard]] static QString widest(ScenarioColumn column);
    // Returns whether all scenarios have the same text in this column.
    [[nodiscard]] bool is_same(ScenarioColumn column) const;
    // Returns the summary of a row: "fits, 40.3 %, compute".
    [[nodiscard]] static QString summary(const ScenarioRow& row);

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    [[nodiscard]] Qt::ItemFlags flags(const QModelIndex& index) const override;
    // Sets the name; an empty name restores the generated description of the scenario.
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;

  private:
    void refresh();
    [[nodiscard]] std::vector<ScenarioRow> make_rows() const;
    [[nodiscard]] QString tip(const ScenarioRow& row, ScenarioColumn column) const;

    LiveModel& model_;
    std::vector<ScenarioRow> rows_;
};

}  // namespace shardscope
