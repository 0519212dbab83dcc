// The main window creates the panels and owns the actions. Documents open and save files; PlotActions exports
// and explains plots.
#pragma once

#include <QMainWindow>
#include <memory>

#include "app/actions.h"
#include "app/dialogs.h"
#include "app/on_demand.h"
#include "app/preset_facts.h"
#include "app/workspace.h"
#include "widgets/live_model.h"

class QActionGroup;
class QMenu;

namespace shardscope {

class ControlsPanel;
class Documents;
class Exports;
class Headline;
class HelpWindow;
class LaunchView;
class MeasuredPanel;
class MemoryBar;
class MessageBar;
class PaneSplitter;
class PlotActions;
class PresetPicker;
class ScenarioTable;
class Session;
class SolvePanel;
class Waterfall;

class MainWindow : public QMainWindow {
    Q_OBJECT
  public:
    MainWindow(Catalogue& catalogue, Session& session, Dialogs dialogs = Dialogs::native(),
               QWidget* parent = nullptr);
    ~MainWindow() override;
    MainWindow(const MainWindow&) = delete;
    MainWindow& operator=(const MainWindow&) = delete;

    [[nodiscard]] LiveModel& model() { return model_; }
    [[nodiscard]] QAction* action(ActionId id) const { return actions_.at(id); }

    [[nodiscard]] Workspace& workspace() { return *workspace_; }
    [[nodiscard]] Documents& documents() { return *documents_; }
    [[nodiscard]] PlotActions& plots() { return *plots_; }

    bool eventFilter(QObject* watched, QEvent* event) override;

  protected:
    void resizeEvent(QResizeEvent* event) override;
    void closeEvent(QCloseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

  private:
    void build_menus();
    void build_toolbar();
    void build_panes();
    template <typename Work>
    void on(ActionId id, Work&& work);
    void connect_file_actions();
    void connect_edit_actions();
    void connect_scenario_actions();
    void connect_view_actions();
    LaunchView* make_launch_view();
    void welcome();
    void add_languages(QMenu& menu);
    void refresh_recent();
    void refresh_titles();
    void fold(const QSize& size);
    void fit_tool_bar(int width);
    void share_space();  // among the panes, unless the user has chosen their sizes
    void update_column_visibility();
    void fit_to_screen(const QRect& last);
    void restore_arrangement();
    void store_arrangement();

    Catalogue& catalogue_;
    Session& session_;
    Dialogs dialogs_;
    LiveModel model_;
    PresetFacts facts_;
    Actions actions_;

    PresetPicker* cluster_picker_ = nullptr;
    PresetPicker* model_picker_ = nullptr;
    QMenu* recent_ = nullptr;
    QActionGroup* languages_ = nullptr;
    MessageBar* message_ = nullptr;
    Exports* exports_ = nullptr;
    ControlsPanel* controls_ = nullptr;
    Headline* headline_ = nullptr;
    PlotTabs* tabs_ = nullptr;
    PaneSplitter* panes_ = nullptr;        // controls and the rest
    PaneSplitter* plots_panes_ = nullptr;  // plot, column, and Why or the study
    PaneSplitter* column_ = nullptr;       // the memory bar above the waterfall
    MemoryBar* memory_ = nullptr;
    Waterfall* waterfall_ = nullptr;
    SidePanels* sides_ = nullptr;
    SolvePanel* solve_ = nullptr;
    MeasuredPanel* measured_ = nullptr;
    ScenarioTable* scenarios_ = nullptr;
    OnDemand<LaunchView> launch_;
    OnDemand<HelpWindow> help_;
    std::unique_ptr<Workspace> workspace_;
    std::unique_ptr<Documents> documents_;
    std::unique_ptr<PlotActions> plots_;
};

}  // namespace shardscope
