#include "widgets/panels/table_view.h"

#include <QHeaderView>
#include <QTableWidget>
#include <QVBoxLayout>

#include "widgets/plots/plot_data.h"

namespace shardscope {

TableView::TableView(const QString& title, const PlotTable& table, QWidget* parent) : QDialog(parent) {
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(title);
    auto* grid =
        new QTableWidget(static_cast<int>(table.rows.size()), static_cast<int>(table.columns.size()));
    grid->setObjectName(QStringLiteral("table"));
    grid->setEditTriggers(QAbstractItemView::NoEditTriggers);
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
        grid->setHorizontalHeaderItem(static_cast<int>(c),
                                      new QTableWidgetItem(QString::fromStdString(table.columns[c])));
    }
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
        for (std::size_t c = 0; c < table.rows[r].size(); ++c) {
            auto* cell = new QTableWidgetItem(QString::fromStdString(table.rows[r][c]));
            cell->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
            grid->setItem(static_cast<int>(r), static_cast<int>(c), cell);
        }
    }
    grid->horizontalHeader()->resizeSections(QHeaderView::ResizeToContents);
    grid->verticalHeader()->hide();
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(grid);
    resize(760, 480);
}

}  // namespace shardscope
