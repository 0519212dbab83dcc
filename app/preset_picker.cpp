#include "app/preset_picker.h"

#include <QCollator>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QScreen>
#include <QScrollBar>
#include <QStyleOptionToolButton>
#include <QTreeWidget>
#include <QTreeWidgetItemIterator>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "app/command_line/prediction.h"
#include "widgets/encode.h"
#include "widgets/number_column.h"
#include "widgets/text.h"
#include "widgets/theme/icons.h"
#include "widgets/theme/theme.h"

namespace shardscope {
namespace {

enum Role { preset_role = Qt::UserRole, order_role };

// "cluster" or "model", as in the names of widgets and icons.
QString name_of_kind(PresetKind kind) { return text_of(name_of(kind)); }

// A field over the title of a picker. Its keys do not reach the picker, which opens its list with Down.
class TitleField : public QLineEdit {
  public:
    TitleField(const QString& title, QWidget* parent) : QLineEdit(title, parent), title_(title) {}

  protected:
    bool event(QEvent* event) override {
        const bool asks = event->type() == QEvent::ShortcutOverride;
        if (asks && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
            event->accept();
            return true;
        }
        return QLineEdit::event(event);
    }
    void keyPressEvent(QKeyEvent* event) override {
        if (event->key() == Qt::Key_Escape) {
            setText(title_);
            clearFocus();
        } else {
            QLineEdit::keyPressEvent(event);
        }
        event->accept();
    }

  private:
    QString title_;
};

// A row of the list. Titles are sorted without regard to case, so that "Llama" and "LLaMA" are together, and
// numerically: 7B before 13B. Rows without a number come last in either direction.
class Row : public QTreeWidgetItem {
  public:
    bool operator<(const QTreeWidgetItem& other) const override {
        const int column = treeWidget()->sortColumn();
        const double one = data(column, order_role).toDouble();
        const double two = other.data(column, order_role).toDouble();
        if (std::isnan(one) && std::isnan(two)) return text_before(other, column);
        if (std::isnan(one) || std::isnan(two)) {
            const bool last = std::isnan(one);
            return treeWidget()->header()->sortIndicatorOrder() == Qt::AscendingOrder ? !last : last;
        }
        return one == two ? text_before(other, 0) : one < two;
    }

  private:
    [[nodiscard]] bool text_before(const QTreeWidgetItem& other, int column) const {
        static const QCollator order = [] {
            QCollator out(QLocale(QLocale::English, QLocale::UnitedStates));
            out.setNumericMode(true);
            out.setCaseSensitivity(Qt::CaseInsensitive);
            return out;
        }();
        const int compared = order.compare(text(column), other.text(column));
        return compared == 0 ? order.compare(text(0), other.text(0)) < 0 : compared < 0;
    }
};

}  // namespace

// ---- The list ---------------------------------------------------------------------------------------------

PresetList::PresetList(PresetKind kind, LiveModel& model, PresetFacts& facts, QWidget* parent)
    : QFrame(parent, Qt::Popup), kind_(kind), model_(model), facts_(facts) {
    const QString name = QStringLiteral("presets/") + name_of_kind(kind);
    setObjectName(name);
    setFrameShape(QFrame::StyledPanel);
    search_ = new QLineEdit(this);
    search_->setObjectName(name + QStringLiteral("/search"));
    search_->setClearButtonEnabled(true);
    const bool cluster = kind == PresetKind::cluster;
    search_->setPlaceholderText(cluster ? tr("Search: h200, 80 GB, 2024, InfiniBand")
                                        : tr("Search: llama, 70b, experts, hybrid, 2025"));
    search_->setAccessibleName(cluster ? tr("Search the clusters") : tr("Search the models"));
    search_->setAccessibleDescription(tr("Up and Down choose an entry, Enter takes it, Esc closes the list"));
    list_ = new QTreeWidget(this);
    list_->setObjectName(name + QStringLiteral("/list"));
    list_->setAccessibleName(cluster ? tr("Clusters") : tr("Models"));
    list_->setAccessibleDescription(tr("A click on a column's title sorts the list"));
    list_->setRootIsDecorated(false);
    list_->setUniformRowHeights(true);
    list_->setFrameShape(QFrame::NoFrame);
    list_->setFocusPolicy(Qt::NoFocus);
    list_->setSortingEnabled(true);
    list_->setStyleSheet(
        QStringLiteral("QTreeWidget::item { padding: 2px 4px; border: 0; }"
                       "QTreeWidget::item:selected { background: palette(highlight); "
                       "color: palette(highlighted-text); }"
                       "QHeaderView::section { padding: 2px 4px; border: 0; "
                       "border-bottom: 1px solid palette(mid); }"));
    detail_ = new QLabel(this);
    detail_->setObjectName(name + QStringLiteral("/detail"));
    detail_->setTextFormat(Qt::PlainText);
    detail_->setWordWrap(true);
    detail_->setAlignment(Qt::AlignTop);
    detail_->setMinimumHeight(3 * fontMetrics().lineSpacing());  // so that the list keeps its height
    auto* rows = new QVBoxLayout(this);
    rows->setContentsMargins(8, 8, 8, 8);
    rows->addWidget(search_);
    rows->addWidget(list_, 1);
    rows->addWidget(detail_);
    setFocusProxy(search_);
    search_->installEventFilter(this);
    connect(search_, &QLineEdit::textChanged, this, &PresetList::search);
    connect(list_, &QTreeWidget::currentItemChanged, this, &PresetList::describe);
    connect(list_, &QTreeWidget::itemClicked, this, [this](QTreeWidgetItem* item) { take(item); });
    hide();
}

const Preset* PresetList::current() const {
    const Scenario& scenario = model_.scenario();
    return kind_ == PresetKind::cluster ? scenario.cluster : scenario.model;
}

const Preset* PresetList::preset_of(const QTreeWidgetItem* item) const {
    return item ? item->data(0, preset_role).value<const Preset*>() : nullptr;
}

void PresetList::fill() {
    const std::vector<PresetColumn> columns = columns_of(kind_);
    const QSignalBlocker quiet(list_);
    list_->clear();
    list_->setColumnCount(static_cast<int>(columns.size()));
    const std::vector<const Preset*>& all = model_.catalogue().all(kind_);
    QStringList titles;
    std::vector<std::vector<QString>> numbers(columns.size());
    for (std::size_t i = 0; i < columns.size(); ++i) {
        titles << columns[i].title;
        if (!columns[i].quantity) continue;
        std::vector<double> values;
        values.reserve(all.size());
        for (const Preset* preset : all) values.push_back(facts_.of(*preset)[i].order);
        NumberColumn column = number_column(values, *columns[i].quantity);
        titles.back() += QLatin1Char('\n') + column.unit;
        numbers[i] = std::move(column.numbers);
    }
    list_->setHeaderLabels(titles);
    list_->header()->setSectionResizeMode(QHeaderView::Interactive);
    for (int column = 0; column < list_->columnCount(); ++column) list_->setColumnHidden(column, false);
    std::size_t at = 0;
    for (const Preset* preset : all) {
        auto* row = new Row;
        row->setData(0, preset_role, QVariant::fromValue(preset));
        const std::vector<PresetFact>& facts = facts_.of(*preset);
        for (std::size_t i = 0; i < columns.size(); ++i) {
            const int column = static_cast<int>(i);
            row->setText(column, numbers[i].empty() ? facts[i].text : numbers[i][at]);
            row->setData(column, order_role, facts[i].order);
            if (columns[i].number) row->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
        }
        list_->addTopLevelItem(row);
        ++at;
        if (preset != current()) continue;
        QFont bold = list_->font();
        bold.setBold(true);
        row->setFont(0, bold);
        list_->setCurrentItem(row);
    }
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const int column = static_cast<int>(i);
        list_->resizeColumnToContents(column);
        if (!columns[i].number) continue;
        list_->headerItem()->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
        list_->header()->resizeSection(column, width_of_numbers(column));
    }
    list_->header()->setStretchLastSection(false);
    widths_.clear();
    for (int column = 0; column < list_->columnCount(); ++column)
        widths_.push_back(list_->header()->sectionSize(column));
    // In a narrow list the names of the GPUs are cut, and not those of the clusters.
    const int stretched = kind_ == PresetKind::cluster ? 1 : 0;
    list_->header()->setSectionResizeMode(stretched, QHeaderView::Stretch);
}

// Returns the width of a column of numbers, with the mark of its order. It is less than the width that Qt
// gives it, so that all columns have space in a small window.
int PresetList::width_of_numbers(int column) const {
    QStringList texts = list_->headerItem()->text(column).split(QLatin1Char('\n'));
    for (QTreeWidgetItemIterator it(list_); *it; ++it) texts << (*it)->text(column);
    int widest = 0;
    for (const QString& text : texts) widest = std::max(widest, list_->fontMetrics().horizontalAdvance(text));
    constexpr int kPadding = 12;
    return widest + kPadding + list_->style()->pixelMetric(QStyle::PM_HeaderMarkSize);
}

int PresetList::wanted_width() const {
    const QMargins margins = layout()->contentsMargins();
    int out =
        list_->verticalScrollBar()->sizeHint().width() + 2 * frameWidth() + margins.left() + margins.right();
    for (std::size_t i = 0; i < widths_.size(); ++i) {
        if (!list_->isColumnHidden(static_cast<int>(i))) out += widths_[i];
    }
    return out;
}

void PresetList::fold_columns(int width) const {
    for (std::size_t i = 0; i < widths_.size(); ++i) list_->setColumnHidden(static_cast<int>(i), false);
    // From the last column on; the name and the GPUs or the parameters stay.
    constexpr int kLeast = 2;
    for (int column = list_->columnCount() - 1; column >= kLeast && wanted_width() > width; --column)
        list_->setColumnHidden(column, true);
}

void PresetList::open_below(const QRect& place) {
    search_->clear();
    list_->sortByColumn(0, Qt::AscendingOrder);
    fill();
    const double zoom = zoom_of(font());
    const QRect free = parentWidget()->screen()->availableGeometry();
    const QSize size =
        QSize(std::max(static_cast<int>(1000 * zoom), wanted_width()), static_cast<int>(520 * zoom))
            .boundedTo(free.size());
    fold_columns(size.width());
    QRect area(place.bottomLeft(), size);
    if (area.right() > free.right()) area.moveRight(free.right());
    if (area.bottom() > free.bottom()) area.moveBottom(free.bottom());
    area.moveTopLeft({std::max(area.left(), free.left()), std::max(area.top(), free.top())});
    setGeometry(area);
    show();
    search_->setFocus(Qt::PopupFocusReason);
    list_->scrollToItem(list_->currentItem(), QAbstractItemView::PositionAtCenter);
    describe();
}

QTreeWidgetItem* PresetList::first_visible() const {
    const QTreeWidgetItemIterator first(list_, QTreeWidgetItemIterator::NotHidden);
    return *first;
}

void PresetList::search() {
    for (QTreeWidgetItemIterator it(list_); *it; ++it)
        (*it)->setHidden(!facts_.have(*preset_of(*it), search_->text()));
    QTreeWidgetItem* chosen = list_->currentItem();
    if (!search_->text().isEmpty() || !chosen) chosen = first_visible();
    list_->setCurrentItem(chosen);
    list_->scrollToItem(chosen);
    describe();
}

void PresetList::describe() {
    const Preset* preset = preset_of(list_->currentItem());
    QString text;
    if (!first_visible())
        text = tr("Nothing is found. Search for a name, a size, a year or a link, such as “80 GB”.");
    if (preset && !list_->currentItem()->isHidden()) {
        const Scenario base = locked(model_.answer().scenario);
        const Scenario changed =
            kind_ == PresetKind::cluster ? with_cluster(base, *preset) : with_model(base, *preset);
        text = preset == current() ? tr("It is the current one.") : predicted(changed, model_.answer());
        text = tr("%1: %2").arg(list_->currentItem()->text(0), text);
        if (!preset->source.empty())
            text += QLatin1Char('\n') + tr("Source: %1").arg(preset_text(preset->source));
    }
    detail_->setText(text);
    search_->setAccessibleDescription(text);
}

void PresetList::take(const QTreeWidgetItem* item) {
    const Preset* preset = preset_of(item);
    if (!preset || item->isHidden()) return;
    close();
    Q_EMIT taken(*preset);
}

bool PresetList::eventFilter(QObject* watched, QEvent* event) {
    if (watched != search_ || event->type() != QEvent::KeyPress) return QFrame::eventFilter(watched, event);
    switch (static_cast<QKeyEvent*>(event)->key()) {
        case Qt::Key_Return:
        case Qt::Key_Enter: take(list_->currentItem()); return true;
        case Qt::Key_Up:
        case Qt::Key_Down:
        case Qt::Key_PageUp:
        case Qt::Key_PageDown: QCoreApplication::sendEvent(list_, event); return true;
        case Qt::Key_Escape: close(); return true;
        default: return false;
    }
}

// ---- The button -------------------------------------------------------------------------------------------

PresetPicker::PresetPicker(PresetKind kind, LiveModel& model, PresetFacts& facts, QWidget* parent)
    : QToolButton(parent), list_(new PresetList(kind, model, facts, this)) {
    const QString name = name_of_kind(kind);
    setObjectName(QStringLiteral("picker/") + name);
    const auto tint = [this, name] { setIcon(tinted_icon(name, current_theme().text)); };
    connect(&ThemeManager::instance(), &ThemeManager::changed, this, tint);
    tint();
    setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    setPopupMode(QToolButton::InstantPopup);  // for the style sheet, as for the buttons with a menu
    const bool cluster = kind == PresetKind::cluster;
    setAccessibleDescription(cluster ? tr("Fills in the GPUs and their networks")
                                     : tr("Fills in the shape of the model"));
    setToolTip(cluster ? tr("All clusters, searched by GPU, memory, year and network")
                       : tr("All models, searched by family, size, kind and year"));
    connect(this, &QToolButton::clicked, this, &PresetPicker::open);
    connect(list_, &PresetList::taken, this, [&model, cluster](const Preset& preset) {
        if (cluster) model.apply_cluster(preset);
        else model.apply_model(preset);
    });
}

void PresetPicker::show_preset(const QString& kind, const Preset* preset, bool modified,
                               const std::string& own_name) {
    QString title = tr("own");
    if (!own_name.empty()) title = text_of(own_name);
    else if (preset) title = preset_text(preset->shown_title());
    if (kind == kind_ && title == title_ && modified == modified_) return;
    kind_ = kind;
    title_ = title;
    modified_ = modified;
    refresh();
}

void PresetPicker::edit_title(const std::function<void(const QString&)>& take) {
    auto* field = new TitleField(title_, this);
    field->setObjectName(objectName() + QStringLiteral("/title"));
    field->setAccessibleName(tr("Name of the model"));
    field->setGeometry(rect());
    connect(field, &QLineEdit::editingFinished, this, [this, field, take] {
        field->disconnect(this);  // it also ends when it loses the focus
        if (field->text() != title_) take(field->text());
        field->deleteLater();
    });
    field->show();
    field->selectAll();
    field->setFocus();
}

void PresetPicker::set_compact(bool compact) {
    compact_ = compact;
    refresh();
}

void PresetPicker::refresh() {
    const QString kind = kind_ + QStringLiteral("  ");
    setAccessibleName(kind + title_ + (modified_ ? tr(" (modified)") : QString()));
    const QString mark = compact_ ? QStringLiteral(" *") : tr(" (modified)");
    // The width that a usual title needs with its mark.
    constexpr int kLetters = 15, kFewLetters = 11;
    const int title = (compact_ ? kFewLetters : kLetters) * fontMetrics().averageCharWidth();
    const int room = title + (compact_ ? 0 : fontMetrics().horizontalAdvance(mark));
    const QString after = modified_ ? mark : QString();
    const int whole = fontMetrics().horizontalAdvance(kind) + room;
    // A long title takes the place of the kind, which the icon shows, too.
    const bool is_long = fontMetrics().horizontalAdvance(title_ + after) > room;
    const QString before = is_long ? QString() : kind;
    const QString name = fontMetrics().elidedText(title_, Qt::ElideRight,
                                                  whole - fontMetrics().horizontalAdvance(before + after));
    const QString text = action_text(before + name + after);
    if (text != this->text()) setText(text);
    constexpr int kFrame = 64;  // icon, arrow and padding
    setFixedWidth(kFrame + whole);
}

void PresetPicker::changeEvent(QEvent* event) {
    QToolButton::changeEvent(event);
    if (event->type() == QEvent::FontChange) refresh();
}

// Draws the arrow of a button that opens a menu.
void PresetPicker::initStyleOption(QStyleOptionToolButton* option) const {
    QToolButton::initStyleOption(option);
    option->features |= QStyleOptionToolButton::HasMenu;
}

void PresetPicker::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Down) open();
    else QToolButton::keyPressEvent(event);
}

void PresetPicker::open() { list_->open_below({mapToGlobal(QPoint(0, 0)), size()}); }

}  // namespace shardscope
