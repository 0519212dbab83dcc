// What can be done with a plot, or with the panels beside it: its table, its export, a report of all, why it
// shows what it shows, the launch settings of a plan in it. Menus, tool bar and keys come here.
#pragma once

#include <QObject>
#include <QString>

#include "widgets/plots/figure_export.h"

class QWidget;

namespace shardscope {

class Exports;
class Headline;
class LaunchView;
class LiveModel;
class MemoryBar;
class PlotTabs;
class Session;
class Waterfall;
class Workspace;
struct Dialogs;

class PlotActions : public QObject {
    Q_OBJECT
  public:
    // All outlive it.
    struct Parts {
        LiveModel& model;
        Workspace& workspace;
        PlotTabs& tabs;
        MemoryBar& memory;
        Waterfall& waterfall;
        const Headline& headline;
        LaunchView& launch;
        Exports& exports;
        Session& session;
        const Dialogs& dialogs;
    };
    // `window` is that of dialogs, menus and tables.
    PlotActions(const Parts& parts, QWidget& window);

    // The name of the panel beside the plots that has the focus, else of the plot that is looked at.
    [[nodiscard]] QString at_focus() const;
    void explain_focus();
    void show_table(const QString& plot);
    void ask_to_export(const QString& plot);
    void export_all();
    void ask_for_report();
    // Of the plan that is chosen in Plans, where that has the focus.
    void ask_for_launch_settings();

    // One plot to one file, its format by the ending; the scale is a PNG's.
    bool export_plot(const QString& plot, const QString& file, double scale = kUsualScale);
    // The whole desk as one document, its format by the ending.
    bool export_report(const QString& file);

  private:
    void offer_menu(QWidget& view, const QString& plot);
    [[nodiscard]] FigureRequest request_of(const QString& plot) const;  // as it is shown here
    [[nodiscard]] Answer readable_answer() const;                       // its scenario as a figure carries it

    Parts parts_;
    QWidget& window_;
};

}  // namespace shardscope
