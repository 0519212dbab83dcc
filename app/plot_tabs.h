// The main plot area: one tab per plot, and a menu of all plots beside the tabs. Tabs that do not fit are
// hidden; their plots are only in the menu. A plot is created when it is first needed.
#pragma once

#include <QTabWidget>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "files/view.h"

namespace shardscope {

class LiveModel;
class LivePlot;
struct PlotKind;

class PlotTabs : public QTabWidget {
    Q_OBJECT
  public:
    explicit PlotTabs(LiveModel& model, QWidget* parent = nullptr);

    [[nodiscard]] LivePlot& current() const;
    // Returns the plot, which is created if it does not exist yet; nullptr if no tab has this name.
    [[nodiscard]] LivePlot* plot(const QString& name);
    // Returns the plot of this name as its class.
    template <typename Plot>
    [[nodiscard]] Plot& the(std::string_view name) {
        return *qobject_cast<Plot*>(plot(tab_of(name)));
    }
    // Shows the tab of this name, if there is one.
    void show_plot(const QString& name);

    // Returns the views of all plots. A plot that does not exist yet has the view that it will get.
    [[nodiscard]] std::vector<View> views() const;
    // Shows the view in its plot, or gives it to the plot when that is created.
    void set_view(const View& view);

    void show_hypothetical(bool on);
    // Shows the next plot (1) or the previous one (-1); the first plot follows the last one.
    void step(int by);
    // Makes the tabs narrower, for a small window.
    void set_compact(bool compact);

  Q_SIGNALS:
    void plot_created(LivePlot* plot);
    void table_requested();  // of the current plot
    void export_requested();
    void view_changed();  // another plot is shown, or the view of the current plot has changed

  private:
    // Returns the plot of a tab; nullptr if it does not exist yet.
    [[nodiscard]] LivePlot* existing(int tab) const;
    LivePlot* create(int tab);
    // Returns the plot of a tab, which is created if it does not exist yet; nullptr if there is no such tab.
    [[nodiscard]] LivePlot* plot(int tab);
    // Returns −1 if no tab has this name.
    [[nodiscard]] int tab_of(std::string_view name) const;
    void show_current();
    void add_menu();
    void watch_view();

    LiveModel& model_;
    std::vector<const PlotKind*> kinds_;  // by tab
    std::map<std::string, View> later_;   // views of plots that do not exist yet, by name
    bool hypothetical_ = false;
    View shown_;  // the view at the last view_changed
};

}  // namespace shardscope
