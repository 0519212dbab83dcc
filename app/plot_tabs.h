// The main plot area: a tab for every plot that has one, and a menu of all of them beside the tabs. Where the
// tabs have no room for all, the last ones are in the menu alone.
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
    // nullptr when it has no tab.
    [[nodiscard]] LivePlot* plot(const QString& name) const;
    [[nodiscard]] std::vector<LivePlot*> plots() const;
    // The tab of this class.
    template <typename Plot>
    [[nodiscard]] Plot& the() const {
        return *findChild<Plot*>();
    }

    void show_hypothetical(bool on);
    // 1: the next plot, -1: the one before; from the last to the first.
    void turn(int by);
    // Narrower tabs, for a small window.
    void set_compact(bool compact);

  Q_SIGNALS:
    void table_requested();  // of the current plot
    void export_requested();
    void view_changed();  // another plot is in front, or it shows something else

  private:
    void add_menu();
    void watch_view();

    View shown_;  // when last looked
};

}  // namespace shardscope
