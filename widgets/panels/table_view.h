// A separate, non-modal window with the table behind a plot. It shows labels and rounded numbers. The
// selected cells can be copied into a spreadsheet, with the column names of the CSV and all digits.
//
// Object names: "table", "table/empty", "table/copy", "table/close".
#pragma once

#include <QDialog>

#include "widgets/plots/plot_table.h"

class QTableView;

namespace shardscope {

// Returns a table as spreadsheets take it from the clipboard: cells separated by tabs.
QString clipboard_text(const PlotTable& table);

class TableView : public QDialog {
    Q_OBJECT
  public:
    // `why_empty` is shown in place of a table without rows, which cannot be copied.
    TableView(const QString& title, PlotTable table, const QString& why_empty, QWidget* parent = nullptr);

    // Marks the table in the title as that of an earlier scenario.
    void set_stale();
    // Returns whether the window has this title and exactly this table.
    [[nodiscard]] bool shows(const QString& title, const PlotTable& table) const;

  private:
    void copy() const;  // the selected cells, or all, with headers, separated by tabs

    QString title_;
    QTableView* grid_;
};

}  // namespace shardscope
