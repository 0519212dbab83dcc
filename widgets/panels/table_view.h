// The table behind a plot, in a window of its own that does not block the main one.
#pragma once

#include <QDialog>

namespace shardscope {

struct PlotTable;

class TableView : public QDialog {
    Q_OBJECT
  public:
    TableView(const QString& title, const PlotTable& table, QWidget* parent = nullptr);
};

}  // namespace shardscope
