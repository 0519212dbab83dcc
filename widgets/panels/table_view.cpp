#include "widgets/panels/table_view.h"

#include <QAbstractTableModel>
#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QDialogButtonBox>
#include <QHeaderView>
#include <QLocale>
#include <QPushButton>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "parameters/parameter.h"
#include "text/csv.h"
#include "widgets/encode.h"
#include "widgets/plots/sweep/sweep_figure.h"
#include "widgets/text.h"

namespace shardscope {
namespace {

constexpr int kRowsMeasured = 100;        // for the widths of columns: a map has thousands of rows
constexpr int kAsWritten = Qt::UserRole;  // the text of the CSV, which is copied

// Formats a number of the CSV for reading, with six significant digits, or all digits of a whole number.
// Other texts stay as they are.
QString readable(const QString& written) {
    bool is_number = false;
    const double value = written.toDouble(&is_number);
    if (!is_number || !std::isfinite(value)) return written;
    constexpr int kDigits = 6;
    constexpr double kLeast = 1e-4;
    constexpr double kMost = 1e15;
    const double size = std::abs(value);
    QString out;
    if (size != 0 && (size < kLeast || size >= kMost)) {
        out = QString::number(value, 'g', kDigits);
    } else {
        const bool whole = value == std::floor(value);
        const int before = whole ? kDigits : 1 + static_cast<int>(std::floor(std::log10(size)));
        const int decimals = std::max(0, kDigits - before);
        static const QLocale grouped(QLocale::English, QLocale::UnitedStates);
        out = grouped.toString(value, 'f', decimals);
        if (decimals > 0) {
            while (out.endsWith(QLatin1Char('0'))) out.chop(1);
            if (out.endsWith(QLatin1Char('.'))) out.chop(1);
        }
    }
    return out.replace(QLatin1Char('-'), QChar(u'\u2212'));
}

// Returns the heading "Peak memory, GiB" for "memory.peak_bytes[GiB]". A name that is neither that of an
// output nor that of a parameter stays as it is.
QString heading(const QString& written) {
    const std::string name = written.section(QLatin1Char('['), 0, 0).toStdString();
    const std::optional<Output> found = find_output(name);
    // A table contains the names of walls, not their shares, so this heading has no unit.
    if (found == Output::wall) return text_of(label_of(Output::wall));
    if (found && output(*found).path == name) return axis_title(*found);
    const std::optional<P> id = find_parameter(name);
    // Short names belong to columns that only tables have: "memory" is not the parameter there.
    if (id && (id == P::gpus || parameter(*id).key == name)) return axis_title(*id);
    return written;
}

class TableRows : public QAbstractTableModel {
  public:
    TableRows(PlotTable table, QObject* parent) : QAbstractTableModel(parent), table_(std::move(table)) {}

    [[nodiscard]] const PlotTable& table() const { return table_; }
    [[nodiscard]] int rowCount(const QModelIndex& parent) const override {
        return parent.isValid() ? 0 : static_cast<int>(table_.rows.size());
    }
    [[nodiscard]] int columnCount(const QModelIndex& parent) const override {
        return parent.isValid() ? 0 : static_cast<int>(table_.columns.size());
    }
    [[nodiscard]] QVariant data(const QModelIndex& at, int role) const override {
        if (role != Qt::DisplayRole && role != kAsWritten && role != Qt::TextAlignmentRole) return {};
        const auto& row = table_.rows[static_cast<std::size_t>(at.row())];
        const auto column = static_cast<std::size_t>(at.column());
        const QString written = column < row.size() ? text_of(row[column]) : QString();
        if (role == Qt::TextAlignmentRole) {
            bool is_number = false;
            static_cast<void>(written.toDouble(&is_number));
            return QVariant((is_number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
        }
        return role == kAsWritten ? written : readable(written);
    }
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation side, int role) const override {
        const bool named = role == Qt::DisplayRole || role == Qt::ToolTipRole || role == kAsWritten;
        if (side == Qt::Vertical || !named) return QAbstractTableModel::headerData(section, side, role);
        const QString written = text_of(table_.columns[static_cast<std::size_t>(section)]);
        if (role == Qt::ToolTipRole) return tool_tip(written);
        return role == Qt::DisplayRole ? heading(written) : written;
    }

  private:
    PlotTable table_;
};

}  // namespace

TableView::TableView(const QString& title, PlotTable table, QWidget* parent)
    : QDialog(parent), title_(title), grid_(new QTableView(this)) {
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(window_title(title));
    grid_->setObjectName(QStringLiteral("table"));
    grid_->setAccessibleName(title);
    grid_->setAccessibleDescription(
        tr("Arrow keys move in the table; Copy takes the selection, or else the whole table"));
    grid_->setModel(new TableRows(std::move(table), grid_));
    grid_->setTabKeyNavigation(false);  // Tab leaves the table, arrows move in it
    grid_->horizontalHeader()->setResizeContentsPrecision(kRowsMeasured);
    grid_->resizeColumnsToContents();
    grid_->verticalHeader()->hide();
    grid_->setCurrentIndex(grid_->model()->index(0, 0));
    grid_->clearSelection();
    auto* copy_action = new QAction(tr("&Copy"), grid_);
    copy_action->setShortcut(QKeySequence::Copy);
    copy_action->setShortcutContext(Qt::WidgetShortcut);
    connect(copy_action, &QAction::triggered, this, &TableView::copy);
    grid_->addAction(copy_action);
    grid_->setContextMenuPolicy(Qt::ActionsContextMenu);
    auto* buttons = new QDialogButtonBox(this);
    QPushButton* copy_button = buttons->addButton(tr("&Copy"), QDialogButtonBox::ActionRole);
    copy_button->setObjectName(QStringLiteral("table/copy"));
    copy_button->setToolTip(tr("Copies what is selected, or the whole table, for a spreadsheet"));
    QPushButton* close_button = buttons->addButton(tr("Close"), QDialogButtonBox::RejectRole);
    close_button->setObjectName(QStringLiteral("table/close"));
    close_button->setAccessibleDescription(tr("Closes the table"));
    for (QPushButton* button : {copy_button, close_button}) button->setAutoDefault(false);
    connect(copy_button, &QPushButton::clicked, this, &TableView::copy);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(grid_);
    layout->addWidget(buttons);
    resize(760, 480);
    grid_->setFocus();
}

QString clipboard_text(const PlotTable& table) {
    QString out;
    const auto add = [&](const std::vector<std::string>& cells) {
        QStringList texts;
        for (const std::string& cell : cells) texts += text_of(csv_field(cell));
        out += texts.join(QLatin1Char('\t')) + QLatin1Char('\n');
    };
    add(table.columns);
    for (const auto& row : table.rows) add(row);
    return out;
}

void TableView::set_stale() { setWindowTitle(tr("%1, of an earlier scenario").arg(window_title(title_))); }

bool TableView::shows(const QString& title, const PlotTable& table) const {
    const PlotTable& own = static_cast<const TableRows*>(grid_->model())->table();
    return title == title_ && table.columns == own.columns && table.rows == own.rows;
}

void TableView::copy() const {
    const QAbstractItemModel& rows = *grid_->model();
    const QItemSelectionModel& chosen = *grid_->selectionModel();
    QList<int> columns;
    for (int c = 0; c < rows.columnCount(); ++c) {
        if (!chosen.hasSelection() || chosen.columnIntersectsSelection(c, {})) columns += c;
    }
    PlotTable copied;
    for (const int c : columns)
        copied.columns.push_back(rows.headerData(c, Qt::Horizontal, kAsWritten).toString().toStdString());
    for (int r = 0; r < rows.rowCount(); ++r) {
        if (chosen.hasSelection() && !chosen.rowIntersectsSelection(r, {})) continue;
        std::vector<std::string>& cells = copied.rows.emplace_back();
        for (const int c : columns) {
            const QModelIndex at = rows.index(r, c);
            const bool is_chosen = !chosen.hasSelection() || chosen.isSelected(at);
            cells.push_back(is_chosen ? at.data(kAsWritten).toString().toStdString() : std::string());
        }
    }
    QApplication::clipboard()->setText(clipboard_text(copied));
}

}  // namespace shardscope
