// The main window: puts the panels together, owns the actions, opens and saves. What panels show is theirs.
#pragma once

#include <QElapsedTimer>
#include <QMainWindow>
#include <QTimer>
#include <memory>
#include <string>

#include "app/actions.h"
#include "app/dialogs.h"
#include "app/workspace.h"
#include "widgets/live_model.h"
#include "widgets/plots/figure_export.h"

class QMenu;
class QToolButton;

namespace shardscope {

struct OpenedText;
class ControlsPanel;
class Exports;
class Headline;
class HelpWindow;
class LaunchView;
class MeasuredPanel;
class MemoryBar;
class MessageBar;
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

    // Any file of openable.h, or an exported figure that carries its scenario. False, with a message shown,
    // when it cannot be used; nothing changes then.
    bool open(const QString& path);
    // All that can be: tables and logs stand beside a scenario, of those that take its place the first is
    // opened and the others are named.
    void open(const QStringList& paths);
    // A study: its scenario, its pins, its tab and axes, and the panel, as one undo step.
    void open_study(const Preset& preset);
    bool save(const QString& file);
    // All scenarios, the pinned ones too, and what is looked at.
    bool save_session(const QString& file);
    // The scenarios as the last window left them, if there were any. Empty, or why they cannot be had and
    // where they are kept; that is shown, too.
    QString restore();
    // The same, and then the file if there is one: one step, as if it were dropped here.
    void start(const QString& file);
    // One plot to one file, its format by the ending; the scale is a PNG's.
    bool export_plot(const QString& plot, const QString& file, double scale = kUsualScale);
    // The whole desk as one document, its format by the ending.
    bool export_report(const QString& file);

    bool eventFilter(QObject* watched, QEvent* event) override;

  protected:
    void resizeEvent(QResizeEvent* event) override;
    void closeEvent(QCloseEvent* event) override;
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
    void welcome();
    void add_languages(QMenu& menu);
    void refresh_recent();
    [[nodiscard]] QString plot_at_focus() const;
    void offer_menu(QWidget& view, const QString& plot);
    void show_table(const QString& plot);
    void ask_to_export(const QString& plot);
    // A text from anywhere, as one undo step.
    bool open_text(const OpenedText& opened);
    bool write_file(const QString& file, const std::string& content);
    void refresh_titles();
    void fold(const QSize& size);
    void make_room();
    void keep_session();
    void keep_session_soon();
    void export_all();
    [[nodiscard]] FigureRequest request_of(const QString& plot) const;  // as it is shown here

    Catalogue& catalogue_;
    Session& session_;
    Dialogs dialogs_;
    LiveModel model_;
    Actions actions_;

    QToolButton* cluster_picker_ = nullptr;
    QToolButton* model_picker_ = nullptr;
    QMenu* recent_ = nullptr;
    MessageBar* message_ = nullptr;
    Exports* exports_ = nullptr;
    ControlsPanel* controls_ = nullptr;
    Headline* headline_ = nullptr;
    PlotTabs* tabs_ = nullptr;
    QWidget* column_ = nullptr;  // memory bar and waterfall
    MemoryBar* memory_ = nullptr;
    Waterfall* waterfall_ = nullptr;
    SidePanels* sides_ = nullptr;
    SolvePanel* solve_ = nullptr;
    MeasuredPanel* measured_ = nullptr;
    ScenarioTable* scenarios_ = nullptr;
    LaunchView* launch_ = nullptr;
    HelpWindow* help_ = nullptr;
    std::unique_ptr<Workspace> workspace_;
    QTimer autosave_;
    QElapsedTimer kept_;  // since the session was written
};

}  // namespace shardscope
