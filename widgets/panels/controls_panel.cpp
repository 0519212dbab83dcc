#include "widgets/panels/controls_panel.h"

#include <QCoreApplication>
#include <QEvent>
#include <QIcon>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPainter>
#include <QPixmap>
#include <QScrollArea>
#include <QScrollBar>
#include <QVBoxLayout>
#include <algorithm>
#include <array>
#include <functional>

#include "widgets/column.h"
#include "widgets/panels/control_group.h"
#include "widgets/panels/wall_rows.h"
#include "widgets/text.h"
#include "widgets/theme/theme.h"

namespace shardscope {
namespace {

constexpr int kAroundSearch = 8;

constexpr std::array kCluster{Group::cluster, Group::gpu};
constexpr std::array kModel{Group::model};
constexpr std::array kTraining{Group::training};
constexpr std::array kPlan{Group::plan};
constexpr std::array kAssumptions{Group::assumptions};
constexpr std::array<std::span<const Group>, 5> kGroups{kCluster, kModel, kTraining, kPlan, kAssumptions};

// The heights of rows and of group headers, from the highest to the lowest.
constexpr std::array<std::pair<RowHeight, int>, 5> kHeights{std::pair{RowHeight::high, 41},
                                                            {RowHeight::medium, 36},
                                                            {RowHeight::low, 31},
                                                            {RowHeight::low, 23},
                                                            {RowHeight::lowest, 23}};

QIcon magnifier(const Theme& theme, int size, qreal ratio) {
    QPixmap picture(QSize(size, size) * ratio);
    picture.setDevicePixelRatio(ratio);
    picture.fill(Qt::transparent);
    QPainter painter(&picture);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(theme.muted, size * 0.09, Qt::SolidLine, Qt::RoundCap));
    painter.drawEllipse(QRectF(size * 0.18, size * 0.18, size * 0.46, size * 0.46));
    painter.drawLine(QPointF(size * 0.58, size * 0.58), QPointF(size * 0.82, size * 0.82));
    painter.end();
    return picture;
}

}  // namespace

ControlsPanel::ControlsPanel(LiveModel& model, QWidget* parent) : QWidget(parent), model_(model) {
    setObjectName(QStringLiteral("controls"));
    search_ = new QLineEdit(this);
    search_->setObjectName(QStringLiteral("controls/search"));
    search_->setPlaceholderText(tr("Find or do: seq 32k, h200, export pdf"));
    search_->setAccessibleName(tr("Find a parameter or run a command"));
    search_->setAccessibleDescription(
        tr("Finds parameters by their names, synonyms, keys and help; sets "
           "values and runs commands, which are listed beside it"));
    search_->setClearButtonEnabled(true);
    search_->setMaxLength(100);  // enough for every command
    search_->installEventFilter(this);
    auto* glass = search_->addAction(QIcon(), QLineEdit::LeadingPosition);
    const auto paint_glass = [this, glass] {
        glass->setIcon(magnifier(current_theme(), std::max(16, fontMetrics().height()), devicePixelRatioF()));
    };
    paint_glass();
    connect(&ThemeManager::instance(), &ThemeManager::changed, this, paint_glass);
    connect(search_, &QLineEdit::textChanged, this, &ControlsPanel::filter);

    walls_ = new WallRows(model_, this);
    auto* content = new QWidget;
    auto* groups = make_column(content);
    for (const std::span<const Group> group : kGroups) {
        auto* made = new ControlGroup(group, model_, content);
        groups_.push_back(made);
        groups->addWidget(made);
        connect(made, &ControlGroup::rows_created, this, &ControlsPanel::chain_rows);
        connect(made, &ControlGroup::opened, this, &ControlsPanel::show_opened);
    }
    nothing_ = new QLabel(tr("No parameter matches."), content);
    nothing_->setMargin(12);
    nothing_->hide();
    groups->addWidget(nothing_);
    groups->addStretch(1);

    scroll_ = new QScrollArea(this);
    scroll_->setFrameShape(QFrame::NoFrame);
    scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll_->setWidgetResizable(true);
    scroll_->setFocusPolicy(Qt::NoFocus);
    scroll_->verticalScrollBar()->setProperty("slim", true);  // beside the reset dots, not over them
    scroll_->setWidget(content);
    content->setAutoFillBackground(false);
    scroll_->viewport()->setAutoFillBackground(false);

    auto* all = make_column(this);
    top_ = new QVBoxLayout;
    top_->addWidget(search_);
    all->addLayout(top_);
    all->addWidget(walls_);
    all->addWidget(scroll_, 1);

    connect(&model_, &LiveModel::changed, this, &ControlsPanel::refresh_summaries);
    refresh_summaries();
    chain_rows();
}

int ControlsPanel::width_for(int window_width, const QFont& font) {
    const double zoom = zoom_of(font);
    constexpr int kWide = 1400;  // a window with a frame on a screen of 1440 px
    const int width = window_width >= kWide * zoom ? 372 : window_width >= kNarrowWindow * zoom ? 340 : 288;
    return static_cast<int>(width * zoom);
}

QSize ControlsPanel::sizeHint() const { return {static_cast<int>(372 * zoom_of(font())), 700}; }

QSize ControlsPanel::minimumSizeHint() const { return {static_cast<int>(260 * zoom_of(font())), 200}; }

ParameterRow* ControlsPanel::row(P id) {
    ParameterRow* found = walls_->row(id);
    bool scrolls = walls_->parentWidget() != this;
    for (ControlGroup* group : groups_) {
        if (found) break;
        found = group->reveal(id);
        scrolls = true;
    }
    if (!found) return nullptr;
    if (found->isHidden()) search_->clear();
    if (scrolls) show_in_view(*found);
    return found;
}

void ControlsPanel::show_in_view(QWidget& row) {
    // The position of the row is known only after everything above it has its size.
    QWidget* content = scroll_->widget();
    content->layout()->activate();
    content->resize(content->width(), std::max(content->sizeHint().height(), scroll_->viewport()->height()));
    scroll_->ensureWidgetVisible(&row, 0, row.height());
}

void ControlsPanel::show_opened(const QWidget* part) {
    // The new rows get their places by these events.
    QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
    QScrollBar& bar = *scroll_->verticalScrollBar();
    const int top = part->mapTo(scroll_->widget(), QPoint()).y();
    const int end = top + part->height() - scroll_->viewport()->height();
    bar.setValue(std::min(top, std::max(bar.value(), end)));
}

QStringList ControlsPanel::open_groups() const {
    QStringList out;
    for (const ControlGroup* group : groups_) {
        if (group->is_open()) out << group->name();
    }
    return out;
}

void ControlsPanel::set_open_groups(const QStringList& names) {
    for (ControlGroup* group : groups_) group->set_open(names.contains(group->name()));
}

void ControlsPanel::filter(const QString& words) {
    const QString all = words.simplified();
    // The last words may be a value.
    QString name = all;
    while (!name.isEmpty() && !matches(name))
        name.truncate(std::max<qsizetype>(0, name.lastIndexOf(QLatin1Char(' '))));
    show_matches(name.isEmpty() && !words_are_command_ ? all : name);
}

bool ControlsPanel::matches(const QString& words) const {
    return walls_->match(words) != WordMatch::none ||
           std::ranges::any_of(
               groups_, [&](const ControlGroup* group) { return group->match(words) != WordMatch::none; });
}

void ControlsPanel::set_words_are_command(bool command) {
    if (words_are_command_ == command) return;
    words_are_command_ = command;
    filter(search_->text());
}

void ControlsPanel::show_matches(const QString& wanted) {
    // During a search the walls are sorted among the groups.
    const bool searching = !wanted.isEmpty();
    if (searching) place_walls(false);
    std::vector<std::pair<WordMatch, QWidget*>> ranked;
    ranked.emplace_back(walls_->filter(wanted), walls_);
    for (ControlGroup* group : groups_) ranked.emplace_back(group->filter(wanted), group);
    const bool found =
        std::ranges::any_of(ranked, [](const auto& one) { return one.first != WordMatch::none; });
    nothing_->setVisible(!found);
    // The group with the best match comes first; without words all groups keep their places.
    if (searching) std::ranges::stable_sort(ranked, std::greater{}, &decltype(ranked)::value_type::first);
    QWidgetList order;
    for (const auto& one : ranked) {
        if (one.second->parentWidget() == scroll_->widget()) order << one.second;
    }
    place_in_order(*scroll_->widget()->layout(), order);
    if (!searching) fit_to_height();
    chain_rows();
}

// Makes the Tab key follow the order of the rows on screen.
void ControlsPanel::chain_rows() {
    QWidget* last = search_;
    const auto chain = [&last](const QWidgetList& stops) {
        for (QWidget* stop : stops) {
            setTabOrder(last, stop);
            last = stop;
        }
    };
    if (walls_->parentWidget() == this) chain(walls_->stops());
    const auto* places = scroll_->widget()->layout();
    for (int i = 0; i < places->count(); ++i) {
        QWidget* widget = places->itemAt(i)->widget();
        if (widget == walls_) chain(walls_->stops());
        else if (const auto* group = qobject_cast<ControlGroup*>(widget)) chain(group->stops());
    }
}

void ControlsPanel::refresh_summaries() {
    for (ControlGroup* group : groups_) group->refresh();
}

// Uses the highest rows with which the walls and all headers are visible without scrolling.
void ControlsPanel::fit_to_height() {
    if (!search_->text().trimmed().isEmpty()) return;
    const double zoom = zoom_of(font());
    const int others = search_->sizeHint().height() + 2 * kAroundSearch;
    const auto heading = [&](int px) { return static_cast<int>(px * zoom); };
    const auto needed = [&](const std::pair<RowHeight, int>& heights) {
        return others + walls_->height_with(heights.first) +
               static_cast<int>(groups_.size()) *
                   (std::max(heading(heights.second), fontMetrics().height() + 8) + 1);
    };
    const auto* found =
        std::ranges::find_if(kHeights, [&](const auto& one) { return needed(one) <= height(); });
    const bool above = found != kHeights.end();
    const auto& chosen = above ? *found : kHeights.back();
    walls_->set_height(chosen.first);
    for (ControlGroup* group : groups_) group->set_heading_height(heading(chosen.second));
    place_walls(above);
}

void ControlsPanel::place_walls(bool above) {
    if ((walls_->parentWidget() == this) == above) return;
    layout()->removeWidget(walls_);
    scroll_->widget()->layout()->removeWidget(walls_);
    if (above) static_cast<QVBoxLayout*>(layout())->insertWidget(1, walls_);
    else static_cast<QVBoxLayout*>(scroll_->widget()->layout())->insertWidget(0, walls_);
    walls_->show();
    chain_rows();
}

void ControlsPanel::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    const int padding = panel_padding(width(), font());
    top_->setContentsMargins(padding, kAroundSearch, padding, kAroundSearch);
    fit_to_height();
}

bool ControlsPanel::eventFilter(QObject* watched, QEvent* event) {
    if (watched == search_ && event->type() == QEvent::KeyPress) {
        if (static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape && !search_->text().isEmpty()) {
            search_->clear();
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

}  // namespace shardscope
