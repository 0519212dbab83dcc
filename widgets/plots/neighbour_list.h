// The plans one step away from the best, one a row: the step, why it loses, what it reaches and needs.
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
    // None: -1.
    void choose(int row);
    // With the header, px: of so many rows, and of all it would like to show.
    [[nodiscard]] int height_of(int rows) const;
    [[nodiscard]] int wanted_height() const;

  Q_SIGNALS:
    void chosen(int row);   // the selection moved
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
