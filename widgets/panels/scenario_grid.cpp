#include "widgets/panels/scenario_grid.h"

#include <QApplication>
#include <QContextMenuEvent>
#include <QFontInfo>
#include <QHeaderView>
#include <QLineEdit>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <QStyledItemDelegate>
#include <algorithm>
#include <cmath>

#include "widgets/drawing.h"
#include "widgets/list_style.h"
#include "widgets/panels/scenario_mark.h"

namespace shardscope {
namespace {

using Column = ScenarioColumn;

constexpr int kEdge = 12;
constexpr int kCell = 8;  // padding left and right of a cell's text
constexpr int kLeastName = kEdge + 200;
constexpr int kLeastDiffers = 150;

bool is_strong(Column column) { return column == Column::verdict || column == Column::memory; }

QFont font_of(Column column, const ScenarioRow& row, const QFont& base) {
    if (column == Column::differs) return scaled_font(base, kSmall);
    // If a scenario does not fit, its verdict and its memory are bold.
    return !row.fits && is_strong(column) ? scaled_font(base, 1, true) : base;
}

QRect text_box(const QRect& cell, Column column) {
    if (column == Column::scenario)
        return cell.adjusted(kEdge + static_cast<int>(kMarkWidth) + 6, 0, -kCell, 0);
    if (column == Column::unpin) return cell;
    return cell.adjusted(kCell, 0, -kCell, 0);
}

// Returns the differences that fit into the width and the number of the others: "512 GPUs · +2".
QString fitting(const QString& differences, const QFontMetrics& metrics, int width) {
    const QString dot = QStringLiteral(" · ");
    const QStringList all = differences.split(dot);
    for (qsizetype count = all.size(); count > 0; --count) {
        QStringList shown = all.first(count);
        if (count < all.size()) shown << QStringLiteral("+%1").arg(all.size() - count);
        QString out = shown.join(dot);
        if (metrics.horizontalAdvance(out) <= width) return out;
    }
    return metrics.elidedText(differences, Qt::ElideRight, width);
}

class RowDelegate : public QStyledItemDelegate {
  public:
    explicit RowDelegate(ScenarioGrid* grid) : QStyledItemDelegate(grid), grid_(*grid) {}

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override {
        const Theme& theme = current_theme();
        const auto& scenarios = static_cast<const ScenarioModel&>(*index.model());
        const ScenarioRow& row = *scenarios.row(index);
        const auto column = static_cast<Column>(index.column());
        painter->save();
        if (grid_.is_target(index.row())) painter->fillRect(option.rect, theme.line);
        else if (row.letter == kCurrentScenario) painter->fillRect(option.rect, theme.grid);
        else if (grid_.is_hovered(index)) painter->fillRect(option.rect, theme.window);
        if (column == Column::scenario) {
            draw_scenario_mark(*painter, option.rect.left() + kEdge, option.rect, row.letter, row.compared,
                               theme, grid_.font());
        }
        const bool quiet = column == Column::differs || column == Column::unpin;
        painter->setPen(quiet ? theme.muted : theme.text);
        const QFont font = font_of(column, row, grid_.font());
        painter->setFont(font);
        const QRect box = text_box(option.rect, column);
        const bool left = column <= Column::differs;
        const QFontMetrics metrics(font);
        painter->drawText(box,
                          static_cast<int>(column == Column::unpin ? Qt::AlignCenter
                                           : left                  ? Qt::AlignLeft | Qt::AlignVCenter
                                                                   : Qt::AlignRight | Qt::AlignVCenter),
                          column == Column::differs
                              ? fitting(row.at(column), metrics, box.width())
                              : metrics.elidedText(row.at(column), Qt::ElideRight, box.width()));
        if (grid_.hasFocus() && index.row() == grid_.currentIndex().row())
            paint_focus(*painter, option.rect, index);
        painter->restore();
    }

    void updateEditorGeometry(QWidget* editor, const QStyleOptionViewItem& option,
                              const QModelIndex& index) const override {
        editor->setGeometry(
            text_box(option.rect, static_cast<Column>(index.column())).adjusted(-4, 1, 4, -1));
        editor->setAccessibleName(ScenarioGrid::tr("Name of the scenario"));
    }

  private:
    // Draws the cell's part of the outline around the whole row, inside the cell.
    void paint_focus(QPainter& painter, const QRect& cell, const QModelIndex& index) const {
        const QColor slate = current_theme().accent;
        painter.fillRect(QRect(cell.left(), cell.top(), cell.width(), 2), slate);
        painter.fillRect(QRect(cell.left(), cell.bottom() - 1, cell.width(), 2), slate);
        if (index.column() == 0) painter.fillRect(QRect(cell.left(), cell.top(), 2, cell.height()), slate);
        if (index.column() == static_cast<int>(Column::unpin))
            painter.fillRect(QRect(cell.right() - 1, cell.top(), 2, cell.height()), slate);
    }

    ScenarioGrid& grid_;
};

}  // namespace

ScenarioGrid::ScenarioGrid(LiveModel& model, ScenarioModel& scenarios, QWidget* parent)
    : QTableView(parent), model_(model), scenarios_(scenarios) {
    setObjectName(QStringLiteral("scenarios/table"));
    setAccessibleName(tr("Scenarios"));
    setAccessibleDescription(tr(
        "Enter makes a pin current, Space compares the headline with it, Delete unpins it, F2 renames it"));
    setModel(&scenarios);
    setItemDelegate(new RowDelegate(this));
    prepare_list(*this);
    setSelectionMode(QAbstractItemView::NoSelection);
    setEditTriggers(QAbstractItemView::EditKeyPressed);
    setMouseTracking(true);
    connect(this, &QTableView::activated, this, &ScenarioGrid::activate);
    connect(&scenarios_, &ScenarioModel::modelReset, this, &ScenarioGrid::arrange);
    // During a drag the columns keep their widths as long as their texts fit.
    const auto settle = [this] {
        if (model_.in_gesture()) widen();
        else arrange();
    };
    connect(&scenarios_, &ScenarioModel::dataChanged, this, settle);
    connect(&model_, &LiveModel::gesture_ended, this, settle);
    connect(&ThemeManager::instance(), &ThemeManager::changed, this, &ScenarioGrid::restyle);
    restyle();
}

int ScenarioGrid::row_height() const { return std::max(24, QFontMetrics(font()).height() + 8); }

int ScenarioGrid::header_height() const {
    return std::max(20, QFontMetrics(scaled_font(font(), kSmall)).height() + 5);
}

bool ScenarioGrid::is_hovered(const QModelIndex& index) const {
    return hovered_.isValid() && hovered_.row() == index.row();
}

void ScenarioGrid::set_differences_only(bool on) {
    differences_only_ = on;
    arrange();
}

void ScenarioGrid::restyle() {
    const Theme& theme = current_theme();
    setStyleSheet(
        QStringLiteral("QHeaderView { background: %1; font-size: %6px; }"
                       "QHeaderView::section { background: %1; color: %2; border: 0; padding: 0 %3px; "
                       "border-bottom: 1px solid %4; }"
                       "QHeaderView::section:first { padding-left: %5px; }")
            .arg(theme.pane.name(), theme.muted.name())
            .arg(kCell)
            .arg(theme.line.name())
            .arg(kEdge)
            .arg(QFontInfo(scaled_font(font(), kSmall)).pixelSize()));
    verticalHeader()->setDefaultSectionSize(row_height());
    horizontalHeader()->setFixedHeight(header_height());
    arrange();
}

int ScenarioGrid::width_of(Column column, const ScenarioRow& row) const {
    const int text = static_cast<int>(std::ceil(text_width(font_of(column, row, font()), row.at(column))));
    return text + 2 * kCell + (column == Column::scenario ? kEdge + static_cast<int>(kMarkWidth) : 0);
}

int ScenarioGrid::width_of(Column column) const {
    const QString heading =
        scenarios_.headerData(static_cast<int>(column), Qt::Horizontal, Qt::DisplayRole).toString();
    // Columns that may be bold need the width of bold text.
    const QFont widest = is_strong(column) ? scaled_font(font(), 1, true) : font();
    const double width = std::max(text_width(scaled_font(font(), kSmall), heading),
                                  text_width(widest, ScenarioModel::widest(column)));
    int out = static_cast<int>(std::ceil(width)) + 2 * kCell;
    for (const ScenarioRow& row : scenarios_.rows()) out = std::max(out, width_of(column, row));
    return out;
}

void ScenarioGrid::arrange() {
    std::array<int, kScenarioColumns> widths{};
    std::array<bool, kScenarioColumns> hidden{};
    int fixed = 0;
    for (auto column = Column::verdict; column != Column::count;
         column = static_cast<Column>(static_cast<int>(column) + 1)) {
        const auto i = static_cast<std::size_t>(column);
        widths[i] = width_of(column);
        const bool compares = scenarios_.rows().size() > 1 && column != Column::unpin;
        hidden[i] = differences_only_ && compares && scenarios_.is_same(column);
        if (!hidden[i]) fixed += widths[i];
    }
    const int whole = viewport()->width();
    // A typed name may be longer than half of the table.
    const int names = std::max(kLeastName, std::min(width_of(Column::scenario), whole / 2));
    // Columns are hidden in this order if there is not enough space; verdict, memory, MFU and wall stay.
    for (const Column column :
         {Column::per_joule, Column::network, Column::days, Column::step, Column::rate}) {
        const auto i = static_cast<std::size_t>(column);
        if (whole - fixed >= names + kLeastDiffers) break;
        if (!hidden[i]) fixed -= widths[i];
        hidden[i] = true;
    }
    for (std::size_t i = 0; i < kScenarioColumns; ++i) {
        const int section = static_cast<int>(i);
        if (isColumnHidden(section) != hidden[i]) setColumnHidden(section, hidden[i]);
    }
    distribute_width(widths, width_of(Column::scenario));
}

void ScenarioGrid::widen() {
    if (scenarios_.rows().empty()) return;
    const ScenarioRow& row = scenarios_.rows().front();
    std::array<int, kScenarioColumns> widths{};
    int names = 0;
    bool cut = false;
    for (std::size_t i = 0; i < kScenarioColumns; ++i) {
        const auto column = static_cast<Column>(i);
        const int section = static_cast<int>(i);
        widths[i] = columnWidth(section);
        if (column == Column::differs || isColumnHidden(section)) continue;
        const int needed = width_of(column, row);
        if (column == Column::scenario) names = needed;
        if (needed <= widths[i]) continue;
        cut = true;
        if (column != Column::scenario) widths[i] = needed;
    }
    if (cut) distribute_width(widths, names);
}

// Distributes the width among the visible columns. What the other columns leave is for the names, which keep
// at least their width in `widths`, and for the differences.
void ScenarioGrid::distribute_width(std::array<int, kScenarioColumns> widths, int names) {
    int available = viewport()->width();
    for (std::size_t i = static_cast<std::size_t>(Column::verdict); i < kScenarioColumns; ++i) {
        if (!isColumnHidden(static_cast<int>(i))) available -= widths[i];
    }
    // The names get the width of their text, unless the differences would become too narrow.
    const int most = std::max(kLeastName, available - std::min(width_of(Column::differs), kLeastDiffers));
    int& name = widths[static_cast<std::size_t>(Column::scenario)];
    name = std::max(name, std::clamp(names, std::min(kLeastName, available / 2), most));
    widths[static_cast<std::size_t>(Column::differs)] = std::max(0, available - name);
    for (std::size_t i = 0; i < kScenarioColumns; ++i) {
        const int section = static_cast<int>(i);
        if (!isColumnHidden(section) && columnWidth(section) != widths[i]) setColumnWidth(section, widths[i]);
    }
}

char ScenarioGrid::letter_at(const QModelIndex& index) const {
    const ScenarioRow* row = scenarios_.row(index);
    return row ? row->letter : kMeasuredRun;
}

bool ScenarioGrid::on_tag(const QPoint& at) const {
    const QModelIndex index = indexAt(at);
    if (letter_at(index) == kMeasuredRun || index.column() != static_cast<int>(Column::scenario))
        return false;
    const QRect cell = visualRect(index);
    return tag_box(cell.left() + kEdge, cell).adjusted(-4, -4, 4, 4).contains(at);
}

void ScenarioGrid::hover(const QModelIndex& index) {
    if (hovered_ == index) return;
    for (const QModelIndex& row : {QModelIndex(hovered_), index}) {
        if (!row.isValid()) continue;
        const QRect cell = visualRect(row);
        viewport()->update(0, cell.top(), viewport()->width(), cell.height());
    }
    hovered_ = index;
}

void ScenarioGrid::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return;
    press_ = event->pos();
    pressed_ = indexAt(press_);
    on_tag_ = on_tag(press_);
    dragging_ = false;
    if (pressed_.isValid()) setCurrentIndex(pressed_);
}

void ScenarioGrid::mouseMoveEvent(QMouseEvent* event) {
    const QModelIndex index = indexAt(event->pos());
    if (on_tag_ && (event->pos() - press_).manhattanLength() >= QApplication::startDragDistance())
        dragging_ = true;
    hover(index);
    const ScenarioRow* row = scenarios_.row(index);
    viewport()->setCursor(dragging_ ? Qt::ClosedHandCursor
                          : (row && row->letter != kCurrentScenario) || subject_of(index)
                              ? Qt::PointingHandCursor
                              : Qt::ArrowCursor);
}

void ScenarioGrid::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return;
    const QModelIndex index = indexAt(event->pos());
    const QModelIndex pressed = pressed_;
    const bool dragged = std::exchange(dragging_, false);
    const bool tag = std::exchange(on_tag_, false);
    pressed_ = QModelIndex();
    viewport()->update();
    viewport()->unsetCursor();
    const char letter = letter_at(pressed);
    if (dragged) {
        if (letter_at(index) != kMeasuredRun) model_.swap(letter, letter_at(index));
    } else if (!pressed.isValid() || index != pressed) {
        return;
    } else if (tag) {
        model_.compare_with(letter);
    } else if (index.column() == static_cast<int>(Column::unpin)) {
        model_.unpin(letter);
    } else {
        activate(index);
    }
}

// Ignores double clicks, because the first click may have changed the row.
void ScenarioGrid::mouseDoubleClickEvent(QMouseEvent* event) { event->accept(); }

void ScenarioGrid::leaveEvent(QEvent* event) {
    hover({});
    QTableView::leaveEvent(event);
}

void ScenarioGrid::activate(const QModelIndex& index) {
    const ScenarioRow* row = scenarios_.row(index);
    if (!row) return;
    if (row->letter == kMeasuredRun) Q_EMIT measured_requested();
    else if (row->letter != kCurrentScenario) model_.make_current(row->letter);
    else if (const auto subject = subject_of(index)) model_.explain(*subject);
}

std::optional<Subject> ScenarioGrid::subject_of(const QModelIndex& index) const {
    const ScenarioRow* row = scenarios_.row(index);
    if (!row || row->letter != kCurrentScenario) return std::nullopt;
    const std::optional<Output> output = column_output(static_cast<Column>(index.column()));
    return output ? std::optional(Subject::of(*output)) : std::nullopt;
}

std::optional<Subject> ScenarioGrid::focused_subject() const { return subject_of(currentIndex()); }

void ScenarioGrid::keyPressEvent(QKeyEvent* event) {
    const char letter = letter_at(currentIndex());
    switch (event->key()) {
        case Qt::Key_Space: model_.compare_with(letter); return;
        case Qt::Key_Delete:
        case Qt::Key_Backspace: model_.unpin(letter); return;
        case Qt::Key_F2:
            // Only the name can be edited, whichever cell is the current one.
            if (currentIndex().isValid()) setCurrentIndex(currentIndex().siblingAtColumn(0));
            break;
        default: break;
    }
    QTableView::keyPressEvent(event);
}

void ScenarioGrid::fill_menu(QMenu& menu, const ScenarioRow& row) {
    const char letter = row.letter;
    const QString text{QLatin1Char(letter)};
    const auto add = [&](QMenu& to, const QString& words, const char* name, auto work) {
        QAction* action = to.addAction(words);
        action->setObjectName(QLatin1String(name));
        connect(action, &QAction::triggered, this, work);
        return action;
    };
    if (row.is_pin()) {
        add(menu, tr("&Make %1 current").arg(text), "take-up",
            [this, letter] { model_.make_current(letter); });
        QAction* compare = add(menu, tr("&Compare the headline with %1").arg(text), "compare",
                               [this, letter] { model_.compare_with(letter); });
        compare->setCheckable(true);
        compare->setChecked(row.compared);
    }
    QMenu* swaps = menu.addMenu(tr("&Swap with"));
    for (const ScenarioRow& other : scenarios_.rows()) {
        if (other.letter == kMeasuredRun || other.letter == letter) continue;
        const QByteArray name = QByteArray("swap/") + other.letter;
        add(*swaps, QString(QLatin1Char(other.letter)), name.constData(),
            [this, letter, to = other.letter] { model_.swap(letter, to); });
    }
    swaps->setEnabled(!swaps->isEmpty());
    add(menu, tr("&Rename…"), "rename", [this] { edit(currentIndex().siblingAtColumn(0)); });
    if (row.is_pin()) add(menu, tr("&Unpin %1").arg(text), "unpin", [this, letter] { model_.unpin(letter); });
}

void ScenarioGrid::contextMenuEvent(QContextMenuEvent* event) {
    const bool by_key = event->reason() == QContextMenuEvent::Keyboard;
    const QModelIndex index = by_key ? currentIndex() : indexAt(event->pos());
    const ScenarioRow* row = scenarios_.row(index);
    if (!row || row->letter == kMeasuredRun) return;
    setCurrentIndex(index);
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    fill_menu(*menu, *row);
    menu->popup(by_key ? viewport()->mapToGlobal(visualRect(index).bottomLeft()) : event->globalPos());
}

void ScenarioGrid::resizeEvent(QResizeEvent* event) {
    QTableView::resizeEvent(event);
    arrange();
}

void ScenarioGrid::changeEvent(QEvent* event) {
    QTableView::changeEvent(event);
    if (event->type() == QEvent::FontChange) restyle();
}

}  // namespace shardscope
