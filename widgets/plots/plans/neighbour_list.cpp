#include "widgets/plots/plans/neighbour_list.h"

#include <QApplication>
#include <QEvent>
#include <QHeaderView>
#include <QSignalBlocker>
#include <QStandardItemModel>
#include <algorithm>
#include <array>

#include "text/translate.h"
#include "widgets/drawing.h"
#include "widgets/encode.h"
#include "widgets/list_style.h"
#include "widgets/number_column.h"
#include "widgets/plots/plans/plans_figure.h"
#include "widgets/text.h"
#include "widgets/theme/theme.h"

namespace shardscope {
namespace {

enum NeighbourColumn { step, reason, reached, memory, neighbour_columns };
constexpr int kListSwatch = 9;
constexpr int kListCell = 6;
constexpr int kListInner = 14;       // the style's own, both sides
constexpr int kRoomForMemory = 260;  // px of the reason column from which the memory column is shown

// The reasons why a plan is worse, in forms from the longest to the shortest. The number comes first, so that
// a narrow cell cuts off only words.
QStringList reasons(const Neighbour& n) {
    QStringList out{QString::fromStdString(why(n))};
    if (n.valid() && n.over > 0) {
        const QString over = shown(n.over, Quantity::bytes);
        const bool risky = n.answer.estimate.verdict == Verdict::risky;
        out += risky ? tr("%1 into the margin").arg(over) : tr("%1 too much").arg(over);
        return out;
    }
    const std::vector<Neighbour::LostTime> parts = main_losses(n);
    if (parts.empty()) return out;
    out.clear();
    const auto number = [](const Neighbour::LostTime& part) {
        return QLatin1Char('+') + shown(part.seconds, Quantity::seconds) + QLatin1Char(' ');
    };
    for (std::size_t count = parts.size(); count > 0; --count) {
        QStringList full;
        QStringList brief;
        for (std::size_t i = 0; i < count; ++i) {
            full += number(parts[i]) + text_of(translate(parts[i].label));
            brief += number(parts[i]) + text_of(translate(parts[i].brief));
        }
        out += full.join(QStringLiteral(", "));
        out += brief.join(QStringLiteral(", "));
    }
    return out;
}

}  // namespace

NeighbourList::NeighbourList(QWidget* parent)
    : QTableView(parent), rows_(new QStandardItemModel(0, neighbour_columns, this)) {
    setObjectName(QStringLiteral("plans/neighbours"));
    setAccessibleName(tr("Plans one step away from the best"));
    setAccessibleDescription(tr("Enter adopts the chosen one"));
    setModel(rows_);
    prepare_list(*this);
    setIconSize({kListSwatch, kListSwatch});
    connect(this, &QTableView::activated, this,
            [this](const QModelIndex& index) { Q_EMIT adopted(index.row()); });
    connect(selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& now) { Q_EMIT chosen(now.row()); });
    connect(&ThemeManager::instance(), &ThemeManager::changed, this, &NeighbourList::restyle);
    restyle();
}

void NeighbourList::set_neighbours(const std::vector<Neighbour>& neighbours, Output compared,
                                   bool hypothetical) {
    neighbours_ = neighbours;
    const QSignalBlocker quiet(selectionModel());
    rows_->clear();
    rows_->setHorizontalHeaderLabels(
        {tr("From the best plan"), tr("Why it loses"), text_of(label_of(compared)), tr("Memory")});
    const auto numbers = [&](Output id, bool as_if_it_fits) {
        std::vector<double> values;
        for (const Neighbour& n : neighbours_) values.push_back(value_of(id, n.answer, as_if_it_fits));
        return number_column(values, output(id).quantity);
    };
    const NumberColumn rates = numbers(compared, hypothetical);
    const NumberColumn peaks = numbers(Output::peak_memory, false);
    const auto cell = [](const NumberColumn& of, std::size_t i) {
        return new QStandardItem(of.numbers[i] == QStringLiteral("–") || of.unit.isEmpty()
                                     ? of.numbers[i]
                                     : of.numbers[i] + QLatin1Char(' ') + of.unit);
    };
    for (std::size_t i = 0; i < neighbours_.size(); ++i) {
        const Neighbour& n = neighbours_[i];
        // The reason's text depends on the column's width, see `arrange`.
        QList<QStandardItem*> row{new QStandardItem(text_of(title(n))), new QStandardItem, cell(rates, i),
                                  cell(peaks, i)};
        row[step]->setToolTip(tool_tip(row[step]->text()));
        row[reason]->setToolTip(tool_tip(text_of(why(n))));
        for (const int column : {reached, memory})
            row[column]->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
        rows_->appendRow(row);
    }
    for (const int column : {reached, memory})
        rows_->horizontalHeaderItem(column)->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
    for (const int column : {step, reason})
        rows_->horizontalHeaderItem(column)->setTextAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    restyle();
}

void NeighbourList::choose(int row) {
    const QSignalBlocker quiet(selectionModel());
    setCurrentIndex(rows_->index(row, 0));
    viewport()->update();
}

int NeighbourList::height_of(int rows) const {
    return horizontalHeader()->height() + rows * verticalHeader()->defaultSectionSize() + 2;
}

int NeighbourList::wanted_height() const { return height_of(static_cast<int>(neighbours_.size())); }

void NeighbourList::restyle() {
    const QString sheet = list_style(*this, kListCell);
    // Setting the style sheet changes the font, which calls `restyle` again.
    if (sheet != styleSheet()) setStyleSheet(sheet);
    const int line = QFontMetrics(list_font(*this)).height();
    verticalHeader()->setDefaultSectionSize(line + 7);
    horizontalHeader()->setFixedHeight(line + 7);
    for (std::size_t i = 0; i < neighbours_.size(); ++i) {
        QStandardItem* item = rows_->item(static_cast<int>(i), reason);
        const bool fits = neighbours_[i].over == 0;
        // A plan that does not fit is never marked by colour alone: here it has text instead of a swatch.
        item->setData(fits ? QVariant(loss_color(neighbours_[i], current_theme())) : QVariant(),
                      Qt::DecorationRole);
    }
    arrange();
}

// The reason column gets the width that the others leave, but never less than its number needs.
void NeighbourList::arrange() {
    std::array<int, neighbour_columns> widths{};
    const QFont small = list_font(*this);
    for (const int column : {step, reached, memory}) {
        double width =
            text_width(small, rows_->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString());
        for (int row = 0; row < rows_->rowCount(); ++row)
            width = std::max(width, text_width(small, rows_->item(row, column)->text()));
        widths[static_cast<std::size_t>(column)] = static_cast<int>(width) + 2 * kListCell + kListInner;
    }
    // A reason with a step term is preceded by a swatch of the term's colour.
    const auto spare = [](const Neighbour& n) {
        return 2 * kListCell + kListInner + (n.over > 0 ? 0 : kListSwatch + 4);
    };
    int least = 0;
    for (const Neighbour& n : neighbours_)
        least = std::max(least, static_cast<int>(text_width(small, reasons(n).back())) + spare(n) + 1);
    const int whole = viewport()->width();
    widths[step] = std::min(widths[step], std::max(0, whole - widths[reached] - least));
    // The memory column is hidden first, because the plot shows the memory.
    const int rest = whole - widths[step] - widths[reached];
    const bool roomy = rest - widths[memory] >= std::max(kRoomForMemory, least);
    setColumnHidden(memory, !roomy);
    widths[reason] = rest - (roomy ? widths[memory] : 0);
    for (int column = 0; column < neighbour_columns; ++column)
        setColumnWidth(column, widths[static_cast<std::size_t>(column)]);
    for (int row = 0; row < rows_->rowCount(); ++row) {
        const Neighbour& n = neighbours_[static_cast<std::size_t>(row)];
        const QStringList forms = reasons(n);
        const double room = widths[reason] - spare(n);
        const auto fits = [&](const QString& form) { return text_width(small, form) <= room; };
        const auto form = std::ranges::find_if(forms, fits);
        rows_->item(row, reason)->setText(form == forms.end() ? forms.back() : *form);
    }
}

void NeighbourList::resizeEvent(QResizeEvent* event) {
    QTableView::resizeEvent(event);
    arrange();
}

void NeighbourList::changeEvent(QEvent* event) {
    QTableView::changeEvent(event);
    if (event->type() == QEvent::FontChange) restyle();
}

}  // namespace shardscope
