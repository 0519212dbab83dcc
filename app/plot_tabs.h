// The main plot area: one tab per plot, and a menu of all plots beside the tabs. Tabs that do not fit are
// hidden; their plots are only in the menu.
#pragma once

#include <QTabWidget>
#include <vector>

#include "files/view.h"

namespace shardscope {

class LiveModel;
class LivePlot;

class PlotTabs : public QTabWidget {
    Q_OBJECT
  public:
    explicit PlotTabs(LiveModel& model, QWidget* parent = nullptr);

    [[nodiscard]] LivePlot& current() const;
    // Returns nullptr when the plot has no tab.
    [[nodiscard]] LivePlot* plot(const QString& name) const;
    [[nodiscard]] std::vector<LivePlot*> plots() const;
    // Returns the tab of this class.
    template <typename Plot>
    [[nodiscard]] Plot& the() const {
        return *findChild<Plot*>();
    }

    void show_hypothetical(bool on);
    // Shows the next plot (1) or the previous one (-1); the first plot follows the last one.
    void step(int by);
    // Makes the tabs narrower, for a small window.
    void set_compact(bool compact);

  Q_SIGNALS:
    void table_requested();  // of the current plot
    void export_requested();
    void view_changed();  // another plot is shown, or the view of the current plot has changed

  private:
    void add_menu();
    void watch_view();

    View shown_;  // the view at the last view_changed
};

}  // namespace shardscope
