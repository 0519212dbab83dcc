#include "widgets/panels/table_view.h"

#include <QAbstractTableModel>
#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QDialogButtonBox>
#include <QHeaderView>
#include <QLabel>
#include <QLocale>
#include <QMenu>
#include <QPushButton>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "parameters/parameter.h"
#include "text/csv.h"
#include "widgets/encode.h"
#include "widgets/plots/sweep/sweep_figure.h"
#include "widgets/text.h"

namespace shardscope {
namespace {

constexpr int kRowsMeasured = 100;        // for the widths of columns: a map has thousands of rows
constexpr int kAsWritten = Qt::UserRole;  // the text of the CSV, which is copied

// The names of verdicts and walls in a CSV, with their labels.
using Labels = std::map<std::string, std::string, std::less<>>;
Labels labels_of_names() {
    Labels out;
    for (const Verdict verdict : {Verdict::fits, Verdict::risky, Verdict::does_not_fit})
        out.emplace(name_of(verdict), label_of(verdict));
    for (int i = 0; i <= static_cast<int>(Wall::balanced); ++i)
        out.emplace(wall_cell(static_cast<Wall>(i)), label_of(static_cast<Wall>(i)));
    return out;
}

constexpr int kDigits = 6;  // of the largest number of a column

std::optional<double> number_in(const std::string& written) {
    bool is_number = false;
    const double value = text_of(written).toDouble(&is_number);
    return is_number && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

constexpr int kOwn = -1;  // decimals: each number has its own

// Returns the decimals of all numbers of a column: none if they are whole numbers. Where the rows differ in
// their unit, so do the numbers.
int decimals_of(const PlotTable& table, std::size_t column) {
    if (std::ranges::find(table.columns, "unit") != table.columns.end()) return kOwn;
    double largest = 0;
    bool whole = true;
    for (const auto& row : table.rows) {
        const auto value = column < row.size() ? number_in(row[column]) : std::nullopt;
        if (!value) continue;
        whole = whole && *value == std::floor(*value);
        largest = std::max(largest, std::abs(*value));
    }
    if (whole || largest == 0) return 0;
    return std::clamp(kDigits - 1 - static_cast<int>(std::floor(std::log10(largest))), 0, 2 * kDigits);
}

// Formats a number of the CSV for reading. Names of verdicts and walls are written as elsewhere in the
// window; other texts stay as they are.
QString readable(const std::string& written, int decimals, const Labels& labels) {
    const std::optional<double> value = number_in(written);
    if (!value) {
        if (const std::optional<P> id = find_parameter(written); id && parameter(*id).key == written)
            return text_of(label_of(*id));
        const auto found = labels.find(written);
        return text_of(found == labels.end() ? written : found->second);
    }
    constexpr double kMost = 1e15;
    const double size = std::abs(*value);
    // A number far below the largest one has a format of its own, so that its digits are not lost.
    const bool small =
        *value != std::floor(*value) && (decimals == kOwn || size < std::pow(10, 2 - decimals));
    static const QLocale grouped(QLocale::English, QLocale::UnitedStates);
    QString out = small || size >= kMost ? QString::number(*value, 'g', kDigits)
                                         : grouped.toString(*value, 'f', std::max(0, decimals));
    return out.replace(QLatin1Char('-'), QChar(u'\u2212'));
}

// Returns the heading "Peak memory, GiB" for "memory.peak_bytes[GiB]" and for "peak_memory[GiB]", which is
// the name of neither an output nor a parameter.
QString heading(const QString& written) {
    const std::string name = written.section(QLatin1Char('['), 0, 0).toStdString();
    const std::optional<Output> found = find_output(name);
    // A table contains the names of walls, not their shares, so this heading has no unit.
    if (found == Output::wall) return text_of(label_of(Output::wall));
    if (found && output(*found).path == name) return axis_title(*found);
    const std::optional<P> id = find_parameter(name);
    // Short names belong to columns that only tables have: "memory" is not the parameter there.
    if (id && (id == P::gpus || parameter(*id).key == name)) return axis_title(*id);
    QStringList words = text_of(name).split(QLatin1Char('_'));
    for (QString& word : words) {
        for (const char* known : {"MFU", "HFU", "GPU", "GPUs", "FLOPs"}) {
            if (word.compare(QLatin1String(known), Qt::CaseInsensitive) == 0) word = QLatin1String(known);
        }
    }
    QString out = words.join(QLatin1Char(' '));
    if (!out.isEmpty()) out[0] = out[0].toUpper();
    const QString unit = written.section(QLatin1Char('['), 1).section(QLatin1Char(']'), 0, 0);
    return unit.isEmpty() || unit == QLatin1String("1") ? out : out + QStringLiteral(", ") + unit;
}

class TableRows : public QAbstractTableModel {
  public:
    TableRows(PlotTable table, QObject* parent) : QAbstractTableModel(parent), table_(std::move(table)) {
        for (std::size_t i = 0; i < table_.columns.size(); ++i) decimals_.push_back(decimals_of(table_, i));
    }

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
        const std::string written = column < row.size() ? row[column] : std::string();
        if (role == Qt::TextAlignmentRole)
            return QVariant((number_in(written) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
        return role == kAsWritten ? text_of(written) : readable(written, decimals_[column], labels_);
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
    std::vector<int> decimals_;  // of the numbers of each column
    Labels labels_ = labels_of_names();
};

}  // namespace

TableView::TableView(const QString& title, PlotTable table, const QString& why_empty, QWidget* parent)
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
    // Qt's own menu of a widget's actions would run an event loop of its own.
    grid_->setContextMenuPolicy(Qt::CustomContextMenu);
    auto* menu = new QMenu(grid_);
    menu->addAction(copy_action);
    connect(grid_, &QWidget::customContextMenuRequested, menu,
            [this, menu](const QPoint& at) { menu->popup(grid_->viewport()->mapToGlobal(at)); });
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
    if (why_empty.isEmpty()) return;
    grid_->hide();
    auto* reason = new QLabel(why_empty, this);
    reason->setObjectName(QStringLiteral("table/empty"));
    reason->setTextFormat(Qt::PlainText);
    reason->setAlignment(Qt::AlignCenter);
    reason->setWordWrap(true);
    layout->insertWidget(0, reason, 1);
    copy_button->setEnabled(false);
    copy_button->setToolTip(wrapped_tool_tip(why_empty));
    close_button->setFocus();
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
