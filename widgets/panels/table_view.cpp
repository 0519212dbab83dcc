#include "widgets/panels/table_view.h"

#include <QAbstractTableModel>
#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QTableView>
#include <QVBoxLayout>

#include "widgets/text.h"

namespace shardscope {
namespace {

constexpr int kRowsMeasured = 100;  // for the widths of columns: a map has thousands of rows

class TableRows : public QAbstractTableModel {
  public:
    TableRows(PlotTable table, QObject* parent) : QAbstractTableModel(parent), table_(std::move(table)) {}

    [[nodiscard]] int rowCount(const QModelIndex& parent) const override {
        return parent.isValid() ? 0 : static_cast<int>(table_.rows.size());
    }
    [[nodiscard]] int columnCount(const QModelIndex& parent) const override {
        return parent.isValid() ? 0 : static_cast<int>(table_.columns.size());
    }
    [[nodiscard]] QVariant data(const QModelIndex& at, int role) const override {
        if (role == Qt::TextAlignmentRole) return QVariant(Qt::AlignRight | Qt::AlignVCenter);
        if (role != Qt::DisplayRole) return {};
        const auto& row = table_.rows[static_cast<std::size_t>(at.row())];
        const auto column = static_cast<std::size_t>(at.column());
        return column < row.size() ? text_of(row[column]) : QString();
    }
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation side, int role) const override {
        if (side == Qt::Vertical || role != Qt::DisplayRole)
            return QAbstractTableModel::headerData(section, side, role);
        return text_of(table_.columns[static_cast<std::size_t>(section)]);
    }

  private:
    PlotTable table_;
};

}  // namespace

TableView::TableView(const QString& title, PlotTable table, QWidget* parent)
    : QDialog(parent), title_(title), grid_(new QTableView(this)) {
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(title);
    grid_->setObjectName(QStringLiteral("table"));
    grid_->setAccessibleName(title);
    grid_->setModel(new TableRows(std::move(table), grid_));
    grid_->setTabKeyNavigation(false);  // Tab leaves the table, arrows move in it
    grid_->horizontalHeader()->setResizeContentsPrecision(kRowsMeasured);
    grid_->resizeColumnsToContents();
    grid_->verticalHeader()->hide();
    grid_->setCurrentIndex(grid_->model()->index(0, 0));
    grid_->clearSelection();
    auto* copies = new QAction(tr("&Copy"), grid_);
    copies->setShortcut(QKeySequence::Copy);
    copies->setShortcutContext(Qt::WidgetShortcut);
    connect(copies, &QAction::triggered, this, &TableView::copy);
    grid_->addAction(copies);
    grid_->setContextMenuPolicy(Qt::ActionsContextMenu);
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(grid_);
    resize(760, 480);
    grid_->setFocus();
}

void TableView::set_stale() { setWindowTitle(tr("%1, of an earlier scenario").arg(title_)); }

void TableView::copy() const {
    const QAbstractItemModel& rows = *grid_->model();
    const QItemSelectionModel& chosen = *grid_->selectionModel();
    QList<int> columns;
    for (int c = 0; c < rows.columnCount(); ++c) {
        if (!chosen.hasSelection() || chosen.columnIntersectsSelection(c, {})) columns += c;
    }
    QStringList lines;
    QStringList cells;
    for (const int c : columns) cells += rows.headerData(c, Qt::Horizontal).toString();
    lines += cells.join(QLatin1Char('\t'));
    for (int r = 0; r < rows.rowCount(); ++r) {
        if (chosen.hasSelection() && !chosen.rowIntersectsSelection(r, {})) continue;
        cells.clear();
        for (const int c : columns) {
            const QModelIndex at = rows.index(r, c);
            cells += !chosen.hasSelection() || chosen.isSelected(at) ? at.data().toString() : QString();
        }
        lines += cells.join(QLatin1Char('\t'));
    }
    QApplication::clipboard()->setText(lines.join(QLatin1Char('\n')) + QLatin1Char('\n'));
}

}  // namespace shardscope
