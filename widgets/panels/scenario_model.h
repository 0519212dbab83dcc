// The scenarios as a table: the current one, the pins, one's own measured run; a row each.
#pragma once

#include <QAbstractTableModel>
#include <QString>
#include <array>
#include <vector>

#include "explain/output.h"
#include "widgets/live_model.h"

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
    [[nodiscard]] bool is_pin() const { return letter >= kFirstPin; }
    bool operator==(const ScenarioRow&) const = default;
};

class ScenarioModel : public QAbstractTableModel {
    Q_OBJECT
  public:
    explicit ScenarioModel(LiveModel& model, QObject* parent = nullptr);

    [[nodiscard]] const std::vector<ScenarioRow>& rows() const { return rows_; }
    [[nodiscard]] const ScenarioRow* row(const QModelIndex& index) const;
    // The widest text a column is likely to hold while a slider is dragged.
    [[nodiscard]] static QString widest(ScenarioColumn column);
    // Whether all scenarios say the same there.
    [[nodiscard]] bool is_same(ScenarioColumn column) const;
    // "fits, 40.3 %, compute" of a row.
    [[nodiscard]] static QString summary(const ScenarioRow& row);

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    [[nodiscard]] Qt::ItemFlags flags(const QModelIndex& index) const override;
    // The name: an empty one goes back to the scenario's own description.
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;

  private:
    void refresh();
    [[nodiscard]] std::vector<ScenarioRow> make_rows() const;
    [[nodiscard]] QString tip(const ScenarioRow& row, ScenarioColumn column) const;

    LiveModel& model_;
    std::vector<ScenarioRow> rows_;
};

}  // namespace shardscope
