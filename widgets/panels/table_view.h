// The table behind a plot, in a window of its own that does not block the main one. It shows labels and
// rounded numbers; what is selected can be copied into a spreadsheet, under the CSV's names and in full.
//
// Object names: "table", "table/copy", "table/close".
#pragma once

#include <QDialog>

#include "widgets/plots/plot_data.h"

class QTableView;

namespace shardscope {

class TableView : public QDialog {
    Q_OBJECT
  public:
    TableView(const QString& title, PlotTable table, QWidget* parent = nullptr);

    // The scenario has moved on: the title says so.
    void set_stale();
    // Under this title it has these very rows.
    [[nodiscard]] bool shows(const QString& title, const PlotTable& table) const;

  private:
    void copy() const;  // the selected cells, or all, under their headers; a tab between two

    QString title_;
    QTableView* grid_;
};

}  // namespace shardscope
