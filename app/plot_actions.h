// The actions on a plot or on a panel beside it: show its table, export it, write a report of all plots,
// explain its values, and write the launch settings of a plan in it. Menus, tool bar and shortcuts call these
// functions.
#pragma once

#include <QObject>
#include <QString>

#include "app/on_demand.h"
#include "widgets/plots/figure_export.h"

class QMenu;
class QPoint;
class QWidget;

namespace shardscope {

class ExportPopover;
class Exports;
class Headline;
class LaunchView;
class LiveModel;
class LivePlot;
class MemoryBar;
class PlotTabs;
class Session;
class Waterfall;
class Workspace;
struct Dialogs;

class PlotActions : public QObject {
    Q_OBJECT
  public:
    // All of these have to outlive this object.
    struct Parts {
        LiveModel& model;
        Workspace& workspace;
        PlotTabs& tabs;
        MemoryBar& memory;
        Waterfall& waterfall;
        const Headline& headline;
        OnDemand<LaunchView>& launch;
        Exports& exports;
        Session& session;
        const Dialogs& dialogs;
    };
    // `window` is the parent of dialogs, menus and tables.
    PlotActions(const Parts& parts, QWidget& window);

    // Returns the name of the panel beside the plots that has the focus; otherwise that of the current plot.
    [[nodiscard]] QString at_focus() const;
    void explain_focus();
    void show_table(const QString& plot);
    // Opens the frame with the options of the export and its preview. An empty format is the last chosen one.
    void ask_to_export(const QString& plot, const QString& format);
    void export_all();
    void ask_for_report(const QString& format = QStringLiteral("html"));
    // Uses the plan that is chosen in the plot Plans if that plot has the focus.
    void ask_for_launch_settings();

    // Writes one plot of the usual size to a file, whose ending decides the format.
    bool export_plot(const QString& plot, const QString& file);
    // Writes a report of the whole session to a file, whose ending decides the format.
    bool export_report(const QString& file);

  private:
    void offer_menu(QWidget& view, const QString& plot);
    [[nodiscard]] const Pin* pin_of(const SavedScenario& run) const;
    void compare_with(const SavedScenario& run);
    void add_copies(QMenu& menu, QWidget& view, const QString& plot);
    void add_places(QMenu& menu, const LivePlot& plot, const QPoint& at);
    [[nodiscard]] FigureRequest request_of(const QString& plot) const;  // the plot as the window shows it
    [[nodiscard]] FigureRequest file_request_of(
        const QString& plot) const;  // with a view that others can read
    // Returns the view for a figure, which others can read.
    [[nodiscard]] SavedView readable_view() const;

    Parts parts_;
    QWidget& window_;
    ExportPopover* popover_ = nullptr;  // made when it is first opened
};

}  // namespace shardscope
