#include "app/plot_tabs.h"

#include <qcustomplot.h>

#include <QActionGroup>
#include <QKeyEvent>
#include <QMenu>
#include <QScopedValueRollback>
#include <QStyle>
#include <QTabBar>
#include <QToolButton>
#include <QWheelEvent>
#include <algorithm>
#include <cstdlib>
#include <functional>
#include <utility>

#include "widgets/plots/live_plot.h"
#include "widgets/plots/plot_kind.h"
#include "widgets/plots/sensitivity/sensitivity_plot.h"
#include "widgets/plots/sweep/sweep_plot.h"
#include "widgets/text.h"
#include "widgets/theme/icons.h"

namespace shardscope {
namespace {

// A tab bar that shows only tabs that fit completely. The current tab is always visible; the hidden ones are
// in the menu beside the bar.
class WholeTabs : public QTabBar {
  public:
    explicit WholeTabs(QWidget* parent) : QTabBar(parent) {
        setObjectName(QStringLiteral("qt_tabwidget_tabbar"));  // the name of QTabWidget's default tab bar
        connect(this, &QTabBar::currentChanged, this, [this] { fit(); });
    }

    void fit() {
        // The width is not meaningful before the bar has been laid out.
        if (fitting_ || !isVisible() || count() == 0) return;
        const QScopedValueRollback<bool> guard(fitting_, true);
        int room = width() - tabSizeHint(currentIndex()).width();
        bool changed = false;
        for (int i = 0; i < count(); ++i) {
            if (i != currentIndex() && room >= 0) room -= tabSizeHint(i).width();
            const bool whole = i == currentIndex() || room >= 0;
            if (whole == isTabVisible(i)) continue;
            setTabVisible(i, whole);
            changed = true;
        }
        if (changed) tabRect(currentIndex());  // makes the bar lay out its tabs
        if (std::exchange(known_hidden_, hidden()) != hidden()) changed_();
    }

    [[nodiscard]] int hidden() const {
        int out = 0;
        for (int i = 0; i < count(); ++i) out += isTabVisible(i) ? 0 : 1;
        return out;
    }
    // `changed` is called when the number of hidden tabs changes.
    void on_change(std::function<void()> changed) { changed_ = std::move(changed); }

  protected:
    void resizeEvent(QResizeEvent* event) override {
        fit();
        QTabBar::resizeEvent(event);
    }
    void showEvent(QShowEvent* event) override {
        QTabBar::showEvent(event);
        fit();
    }
    void tabLayoutChange() override {
        QTabBar::tabLayoutChange();
        fit();
    }
    void keyPressEvent(QKeyEvent* event) override {
        if (event->key() != Qt::Key_Left && event->key() != Qt::Key_Right) {
            QTabBar::keyPressEvent(event);
            return;
        }
        const bool back = (event->key() == Qt::Key_Left) != isRightToLeft();
        step(back ? -1 : 1);
    }
    void wheelEvent(QWheelEvent* event) override {
        const QPoint turned = event->angleDelta();
        turned_ += std::abs(turned.x()) > std::abs(turned.y()) ? turned.x() : turned.y();
        const int notches = turned_ / QWheelEvent::DefaultDeltasPerStep;
        turned_ -= notches * QWheelEvent::DefaultDeltasPerStep;
        for (int i = 0; i < std::abs(notches); ++i) step(notches > 0 ? -1 : 1);
        event->accept();
    }

  private:
    // Also moves to hidden tabs.
    void step(int by) {
        const int to = currentIndex() + by;
        if (to >= 0 && to < count()) setCurrentIndex(to);
    }

    std::function<void()> changed_ = [] {};
    int known_hidden_ = 0;  // at the last call of changed_
    int turned_ = 0;        // wheel movement of less than one notch
    bool fitting_ = false;
};

}  // namespace

PlotTabs::PlotTabs(LiveModel& model, QWidget* parent) : QTabWidget(parent), model_(model) {
    setTabBar(new WholeTabs(this));
    setObjectName(QStringLiteral("tabs"));
    setAccessibleName(tr("Plots"));
    setAccessibleDescription(tr("Views of the scenario, one at a time"));
    setDocumentMode(true);
    for (const PlotKind* kind : plot_kinds()) {
        if (!kind->make_tab) continue;
        kinds_.push_back(kind);
        setTabToolTip(addTab(new QWidget, tr(kind->label)), tr(kind->accessible_name));
    }
    create(currentIndex());
    shown_ = current().view();
    connect(this, &QTabWidget::currentChanged, this, &PlotTabs::show_current);
    add_menu();
}

LivePlot* PlotTabs::existing(int tab) const { return qobject_cast<LivePlot*>(widget(tab)); }

// Puts the plot in the place of the empty page.
LivePlot* PlotTabs::create(int tab) {
    const PlotKind& kind = *kinds_[static_cast<std::size_t>(tab)];
    LivePlot* plot = kind.make_tab(model_);
    plot->show_hypothetical(hypothetical_);
    if (const auto view = later_.extract(std::string(kind.name))) plot->show_view(view.mapped());
    connect(plot, &LivePlot::table_requested, this, &PlotTabs::table_requested);
    connect(plot, &LivePlot::export_requested, this, &PlotTabs::export_requested);
    if (const auto* sensitivity = qobject_cast<SensitivityPlot*>(plot)) {
        connect(sensitivity, &SensitivityPlot::sweep_requested, this, [this](P id, Output output) {
            the<SweepPlot>(kSweepKind.name).show_sweep(id, output);
            show_plot(text_of(kSweepKind.name));
        });
    }
    const bool is_current = tab == currentIndex();
    QWidget* page = widget(tab);
    {
        const QSignalBlocker blocker(this);
        insertTab(tab, plot, tabText(tab));
        setTabToolTip(tab, tabToolTip(tab + 1));
        if (is_current) setCurrentIndex(tab);
        removeTab(tab + 1);
    }
    delete page;
    // Every change of the view redraws the plot.
    const auto* canvas = plot->findChild<QCustomPlot*>(plot->objectName() + QStringLiteral("/plot"));
    connect(canvas, &QCustomPlot::afterReplot, this, &PlotTabs::watch_view);
    Q_EMIT plot_created(plot);
    return plot;
}

void PlotTabs::show_current() {
    if (!existing(currentIndex())) create(currentIndex());
    watch_view();
}

void PlotTabs::watch_view() {
    View now = current().view();
    if (now == shown_) return;
    shown_ = std::move(now);
    Q_EMIT view_changed();
}

LivePlot& PlotTabs::current() const { return *existing(currentIndex()); }

int PlotTabs::tab_of(std::string_view name) const {
    const auto found = std::ranges::find(kinds_, name, &PlotKind::name);
    return found == kinds_.end() ? -1 : static_cast<int>(found - kinds_.begin());
}

LivePlot* PlotTabs::plot(int tab) {
    if (tab < 0) return nullptr;
    LivePlot* plot = existing(tab);
    return plot ? plot : create(tab);
}

LivePlot* PlotTabs::plot(const QString& name) { return plot(tab_of(name.toStdString())); }

void PlotTabs::show_plot(const QString& name) {
    if (const int tab = tab_of(name.toStdString()); tab >= 0) setCurrentIndex(tab);
}

std::vector<View> PlotTabs::views() const {
    std::vector<View> out;
    for (int tab = 0; tab < count(); ++tab) {
        if (const LivePlot* plot = existing(tab)) {
            out.push_back(plot->view());
            continue;
        }
        const std::string name(kinds_[static_cast<std::size_t>(tab)]->name);
        const auto later = later_.find(name);
        View& view = out.emplace_back(later == later_.end() ? View() : later->second);
        view.plot = name;
    }
    return out;
}

void PlotTabs::set_view(const View& view) {
    const int tab = tab_of(view.plot);
    if (tab < 0) return;
    LivePlot* plot = existing(tab);
    if (!plot) later_[view.plot] = view;
    else if (!(plot->view() == view)) plot->show_view(view);
}

void PlotTabs::show_hypothetical(bool on) {
    hypothetical_ = on;
    for (int tab = 0; tab < count(); ++tab) {
        if (LivePlot* plot = existing(tab)) plot->show_hypothetical(on);
    }
}

void PlotTabs::step(int by) { setCurrentIndex((currentIndex() + by + count()) % count()); }

void PlotTabs::set_compact(bool compact) {
    QTabBar* bar = tabBar();
    if (bar->property("compact").toBool() == compact) return;
    bar->setProperty("compact", compact);
    bar->style()->unpolish(bar);
    bar->style()->polish(bar);
    static_cast<WholeTabs*>(bar)->fit();
}

// Adds the menu of all plots, including those whose tabs are hidden.
void PlotTabs::add_menu() {
    auto* all = new QToolButton;
    all->setObjectName(QStringLiteral("tabs/all"));
    all->setAccessibleName(tr("All plots"));
    const auto tint = [all] {
        all->setIcon(tinted_icon(QStringLiteral("chevron-down"), current_theme().text));
    };
    tint();
    connect(&ThemeManager::instance(), &ThemeManager::changed, all, tint);
    all->setLayoutDirection(Qt::RightToLeft);  // places the number before the chevron
    const auto count_hidden = [this, all] {
        const int hidden = static_cast<WholeTabs*>(tabBar())->hidden();
        all->setText(hidden > 0 ? QStringLiteral("+%1").arg(hidden) : QString());
        // The width is the same with and without a number, because it affects which tabs fit.
        constexpr int kAround = 36;
        all->setMinimumWidth(kAround + all->fontMetrics().horizontalAdvance(QStringLiteral("+0")));
        all->setToolButtonStyle(hidden > 0 ? Qt::ToolButtonTextBesideIcon : Qt::ToolButtonIconOnly);
        all->setToolTip(hidden > 0 ? tr("All plots (%1 more)").arg(hidden) : tr("All plots"));
    };
    static_cast<WholeTabs*>(tabBar())->on_change(count_hidden);
    auto* menu = new QMenu(all);
    auto* choice = new QActionGroup(menu);  // only one can be checked; styles show that by a dot
    for (int i = 0; i < count(); ++i) {
        QAction* entry = menu->addAction(tabText(i), this, [this, i] { setCurrentIndex(i); });
        entry->setCheckable(true);
        choice->addAction(entry);
    }
    connect(menu, &QMenu::aboutToShow, this, [this, menu] {
        for (int i = 0; i < count(); ++i) menu->actions().at(i)->setChecked(i == currentIndex());
    });
    connect(all, &QToolButton::clicked, menu,
            [all, menu] { menu->popup(all->mapToGlobal(QPoint(0, all->height()))); });
    setCornerWidget(all, Qt::TopRightCorner);
    count_hidden();
}

}  // namespace shardscope
