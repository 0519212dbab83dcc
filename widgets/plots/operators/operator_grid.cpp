#include "widgets/plots/operators/operator_grid.h"

#include <QAbstractTableModel>
#include <QApplication>
#include <QEvent>
#include <QHeaderView>
#include <QSignalBlocker>
#include <algorithm>
#include <array>
#include <numeric>

#include "widgets/drawing.h"
#include "widgets/encode.h"
#include "widgets/list_style.h"
#include "widgets/plots/operators/operators_figure.h"
#include "widgets/text.h"
#include "widgets/theme/theme.h"

namespace shardscope {
namespace {

enum Column {
    name,
    share,
    forward,
    backward,
    bound,
    intensity,
    shape,
    flops,
    weights,
    saved,
    moved,
    columns
};
constexpr std::array kTimes{share, forward, backward, bound, intensity};
constexpr std::array kSizes{shape, flops, weights, saved, moved};
constexpr int kGridSwatch = 9;
constexpr int kGridCell = 5;
constexpr int kGridInner = 10;  // the style's own margins, both sides

struct Line {
    enum class Kind { block, item, model, other, step } kind = Kind::item;
    std::size_t index = 0;  // of the block, the operator or the step's term
    bool operator==(const Line&) const = default;
};

}  // namespace

class OperatorRows : public QAbstractTableModel {
  public:
    using QAbstractTableModel::QAbstractTableModel;

    void set_data(const OperatorsData& data) {
        data_ = &data;
        refill();
    }
    void set_order(OperatorGrid::Order order) {
        order_ = order;
        if (data_) refill();
    }
    [[nodiscard]] std::optional<std::size_t> operator_of(int row) const {
        if (row < 0 || row >= rowCount()) return std::nullopt;
        const Line& line = lines_[static_cast<std::size_t>(row)];
        return line.kind == Line::Kind::item ? std::optional(line.index) : std::nullopt;
    }
    [[nodiscard]] int line_of(std::size_t index) const {
        const auto found = std::ranges::find(lines_, Line{Line::Kind::item, index});
        return found == lines_.end() ? -1 : static_cast<int>(found - lines_.begin());
    }

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override {
        return parent.isValid() ? 0 : static_cast<int>(lines_.size());
    }
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override {
        return parent.isValid() ? 0 : columns;
    }
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override {
        if (orientation != Qt::Horizontal) return {};
        if (role == Qt::TextAlignmentRole) return alignment(section);
        if (role == Qt::ToolTipRole) return hint(section);
        if (role != Qt::DisplayRole) return {};
        switch (section) {
            case name: return OperatorGrid::tr("Operator");
            case share: return OperatorGrid::tr("Of step");
            case forward: return OperatorGrid::tr("Forward");
            case backward: return OperatorGrid::tr("Backward");
            case bound: return OperatorGrid::tr("Bound by");
            case intensity: return OperatorGrid::tr("FLOP/B");
            case shape: return OperatorGrid::tr("M × N × K");
            case flops: return OperatorGrid::tr("FLOPs");
            case weights: return OperatorGrid::tr("Weights");
            case saved: return OperatorGrid::tr("Kept");
            case moved: return OperatorGrid::tr("Moved");
            default: return {};
        }
    }
    [[nodiscard]] QVariant data(const QModelIndex& at, int role) const override {
        const Line& line = lines_[static_cast<std::size_t>(at.row())];
        const bool item = line.kind == Line::Kind::item;
        const Theme& theme = current_theme();
        switch (role) {
            case Qt::DisplayRole: return text(line, at.column());
            case Qt::TextAlignmentRole: return alignment(at.column());
            case Qt::DecorationRole:
                if (at.column() != name || !(item || line.kind == Line::Kind::other)) return {};
                return theme.of(item ? data_->table.rows[line.index].term
                                     : static_cast<StepTerm>(line.index));
            case Qt::FontRole:
                if (item || line.kind == Line::Kind::other) return {};
                return bold_;
            case Qt::ForegroundRole:
                if (line.kind == Line::Kind::block) return theme.muted;
                return {};
            case Qt::ToolTipRole: return item ? tool_tip(operator_words(*data_, line.index)) : QString();
            default: return {};
        }
    }
    [[nodiscard]] Qt::ItemFlags flags(const QModelIndex& at) const override {
        const bool item = operator_of(at.row()).has_value();
        return item ? Qt::ItemIsSelectable | Qt::ItemIsEnabled : Qt::ItemFlags(Qt::ItemIsEnabled);
    }
    void set_font(const QFont& font) {
        bold_ = font;
        bold_.setBold(true);
    }

  private:
    void refill() {
        std::vector<Line> lines;
        const OperatorTable& table = data_->table;
        if (order_ == OperatorGrid::Order::by_block) {
            for (std::size_t b = 0; b < table.blocks.size(); ++b) {
                const OperatorSum& block = table.blocks[b];
                lines.push_back({Line::Kind::block, b});
                for (std::size_t i = 0; i < block.count; ++i)
                    lines.push_back({Line::Kind::item, block.first + i});
            }
        } else {
            std::vector<std::size_t> order(table.rows.size());
            std::iota(order.begin(), order.end(), std::size_t{0});
            std::ranges::stable_sort(
                order, [&](std::size_t a, std::size_t b) { return table.rows[a].step > table.rows[b].step; });
            for (const std::size_t i : order) lines.push_back({Line::Kind::item, i});
        }
        if (!table.empty()) {
            lines.push_back({Line::Kind::model, 0});
            for (std::size_t i = 0; i < kStepTerms; ++i) {
                if (table.others[i] > 0) lines.push_back({Line::Kind::other, i});
            }
            lines.push_back({Line::Kind::step, 0});
        }
        if (lines == lines_) {
            if (!lines_.empty()) Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columns - 1));
            return;
        }
        beginResetModel();
        lines_ = std::move(lines);
        endResetModel();
    }

    static QVariant alignment(int column) {
        const bool words = column == name || column == bound;
        return QVariant::fromValue(Qt::Alignment(words ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    }
    static QString hint(int column) {
        switch (column) {
            case share:
                return OperatorGrid::tr("Time of the whole step on this GPU, both passes of all blocks");
            case forward:
            case backward: return OperatorGrid::tr("Of one block with one micro-batch on one GPU");
            case bound: return OperatorGrid::tr("What limits most of both passes");
            case intensity: return OperatorGrid::tr("FLOPs per byte of device memory, forward");
            case flops: return OperatorGrid::tr("Forward, of one block with one micro-batch on one GPU");
            case weights: return OperatorGrid::tr("Parameters on one GPU, before data-parallel sharding");
            case saved: return OperatorGrid::tr("Kept for the backward pass, nothing recomputed");
            case moved: return OperatorGrid::tr("Read and written in device memory, or exchanged; forward");
            default: return {};
        }
    }

    [[nodiscard]] QString time(double seconds) const {
        return data_->timed ? shown(seconds, Quantity::seconds) : QStringLiteral("–");
    }
    [[nodiscard]] QString of_step(double seconds) const {
        return data_->timed ? shown(data_->share(seconds), Quantity::percent) : QStringLiteral("–");
    }
    static QString size(double bytes) { return bytes > 0 ? shown(bytes, Quantity::bytes) : QString(); }
    static QString number(double value) { return value > 0 ? shown(value, Quantity::big_count) : QString(); }

    [[nodiscard]] QString text(const Line& line, int column) const {
        const OperatorTable& table = data_->table;
        switch (line.kind) {
            case Line::Kind::block: {
                const OperatorSum& block = table.blocks[line.index];
                return column == name ? QString::fromStdString(block_text(block)) : sum(block, column);
            }
            case Line::Kind::item: return item(table.rows[line.index], column);
            case Line::Kind::model:
                return column == name ? OperatorGrid::tr("Model, once") : sum(table.model, column);
            case Line::Kind::other:
                if (column == name) return text_of(label_of(static_cast<StepTerm>(line.index)));
                return column == share ? of_step(table.others[line.index]) : QString();
            case Line::Kind::step:
                if (column == name) return OperatorGrid::tr("Step, %1").arg(time(table.seconds));
                return column == share ? of_step(table.seconds) : QString();
        }
        return {};
    }
    [[nodiscard]] QString sum(const OperatorSum& total, int column) const {
        switch (column) {
            case share: return of_step(total.step);
            case forward: return time(total.forward);
            case backward: return time(total.backward);
            case intensity:
                return total.flops > 0 && total.bytes > 0
                           ? shown(total.flops / total.bytes, Quantity::fraction)
                           : QString();
            case flops: return number(total.flops);
            case weights: return number(total.weights);
            case saved: return size(total.saved);
            case moved: return size(total.bytes);
            default: return {};
        }
    }
    [[nodiscard]] QString item(const OperatorRow& row, int column) const {
        switch (column) {
            case name: return text_of(row.name);
            case share: return of_step(row.step);
            case forward: return time(row.forward);
            case backward: return time(row.backward);
            case bound: return text_of(bound_label(row));
            case intensity: return row.flops > 0 ? shown(row.intensity(), Quantity::fraction) : QString();
            case shape: return QString::fromStdString(shape_text(row));
            case flops: return number(row.flops);
            case weights: return number(row.weights);
            case saved: return size(row.saved);
            case moved: return size(row.bytes);
            default: return {};
        }
    }

    const OperatorsData* data_ = nullptr;
    OperatorGrid::Order order_ = OperatorGrid::Order::by_block;
    std::vector<Line> lines_;
    QFont bold_;
};

OperatorGrid::OperatorGrid(QWidget* parent) : QTableView(parent), rows_(new OperatorRows(this)) {
    setObjectName(QStringLiteral("operators/list"));
    setAccessibleName(tr("Operators of the model on one GPU"));
    setAccessibleDescription(tr("The selected row is highlighted in the plot"));
    setModel(rows_);
    prepare_list(*this);
    setIconSize({kGridSwatch, kGridSwatch});
    setMouseTracking(true);
    connect(selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& now) { Q_EMIT chosen(rows_->operator_of(now.row())); });
    connect(&ThemeManager::instance(), &ThemeManager::changed, this, &OperatorGrid::restyle);
    restyle();
}

void OperatorGrid::set_data(const OperatorsData& shown_now) {
    const bool first = rows_->rowCount() == 0;
    const QSignalBlocker quiet(selectionModel());
    rows_->set_data(shown_now);
    if (first) arrange();
}

void OperatorGrid::set_order(Order order) {
    rows_->set_order(order);
    scrollToTop();
}

void OperatorGrid::set_columns(Columns columns) {
    columns_ = columns;
    arrange();
}

void OperatorGrid::choose(std::optional<std::size_t> operator_row) {
    const QSignalBlocker quiet(selectionModel());
    const int line = operator_row ? rows_->line_of(*operator_row) : -1;
    setCurrentIndex(rows_->index(line, 0));
    viewport()->update();
}

int OperatorGrid::line_of(std::size_t operator_row) const { return rows_->line_of(operator_row); }

void OperatorGrid::restyle() {
    const QString sheet = list_style(*this, kGridCell);
    // Setting the style sheet changes the font, which calls `restyle` again.
    if (sheet != styleSheet()) setStyleSheet(sheet);
    QFont font = list_font(*this);
    rows_->set_font(font);
    const int line = QFontMetrics(font).height();
    verticalHeader()->setDefaultSectionSize(line + 5);
    horizontalHeader()->setFixedHeight(line + 7);
    arrange();
}

// The columns are wide enough for any value, so that nothing moves while values change. The name gets the
// remaining width.
void OperatorGrid::arrange() {
    const QFont small = list_font(*this);
    QFont bold = small;  // for the sums
    bold.setBold(true);
    const auto wide_in = [](const QFont& font, const QString& text) {
        return static_cast<int>(text_width(font, text)) + 2 * kGridCell + kGridInner;
    };
    const auto wide = [&](const QString& text) { return wide_in(bold, text); };
    std::array<int, columns> widths{};
    widths[share] = std::max(wide_in(small, tr("Of step")), wide(QStringLiteral("100.0 %")));
    widths[forward] = wide(QStringLiteral("888.88 ms"));
    widths[backward] = widths[forward];
    for (const Wall wall : {Wall::compute, Wall::memory_bandwidth, Wall::intra_node, Wall::inter_node})
        widths[bound] = std::max(widths[bound], wide_in(small, text_of(label_of(wall))));
    widths[intensity] = wide(QStringLiteral("8,888.8"));
    widths[shape] = std::max(wide_in(small, QStringLiteral("88,888 × 88,888 × 88,888")),
                             wide_in(small, QStringLiteral("888 of 8,888 × 8,888 × 888")));
    widths[flops] = wide(QStringLiteral("888.8 T"));
    widths[weights] = wide(QStringLiteral("888.8 M"));
    widths[saved] = wide(QStringLiteral("8,888 MiB"));
    widths[moved] = wide(QStringLiteral("8,888.8 GiB"));
    const int least = wide_in(small, QStringLiteral("attention.softmax")) + kGridSwatch;
    const int whole = viewport()->width();
    const bool room = least + std::accumulate(widths.begin(), widths.end(), 0) <= whole;
    int rest = whole;
    const auto show = [&](int column, bool on) {
        setColumnHidden(column, !on);
        if (!on) return;
        setColumnWidth(column, widths[static_cast<std::size_t>(column)]);
        rest -= widths[static_cast<std::size_t>(column)];
    };
    for (const Column column : kTimes) show(column, room || columns_ == Columns::times);
    for (const Column column : kSizes) show(column, room || columns_ == Columns::sizes);
    // If the list is narrow, the least important columns are hidden first.
    const auto drop = [&](int column) {
        if (rest >= least || isColumnHidden(column)) return;
        rest += widths[static_cast<std::size_t>(column)];
        setColumnHidden(column, true);
    };
    for (const Column column : {moved, weights, intensity, backward}) drop(column);
    setColumnWidth(name, rest);
    if (room == all_columns_) return;
    all_columns_ = room;
    Q_EMIT room_changed();
}

void OperatorGrid::resizeEvent(QResizeEvent* event) {
    QTableView::resizeEvent(event);
    arrange();
}

void OperatorGrid::changeEvent(QEvent* event) {
    QTableView::changeEvent(event);
    if (event->type() == QEvent::FontChange) restyle();
}

}  // namespace shardscope
