// The list of the plans one step away from the best, one per row: the step, why the plan is worse, what it
// reaches and how much memory it needs.
#pragma once

#include <QTableView>
#include <vector>

#include "explore/plan_report.h"

class QStandardItemModel;

namespace shardscope {

class NeighbourList : public QTableView {
    Q_OBJECT
  public:
    explicit NeighbourList(QWidget* parent = nullptr);

    // `compared` is the output of the third column.
    void set_neighbours(const std::vector<Neighbour>& neighbours, Output compared, bool hypothetical);
    // Selects a row; -1 clears the selection.
    void choose(int row);
    // Heights with the header in px: for this many rows, and for all rows.
    [[nodiscard]] int height_of(int rows) const;
    [[nodiscard]] int wanted_height() const;

  Q_SIGNALS:
    void chosen(int row);   // the selection changed
    void adopted(int row);  // Enter or a double click

  protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

  private:
    void restyle();
    void arrange();

    QStandardItemModel* rows_;
    std::vector<Neighbour> neighbours_;
};

}  // namespace shardscope
