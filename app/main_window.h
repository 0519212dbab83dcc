// The main window: puts the panels together, owns the actions, opens and saves. What panels show is theirs.
#pragma once

#include <QMainWindow>
#include <QTimer>
#include <functional>
#include <string>

#include "app/actions.h"
#include "explain/output.h"
#include "widgets/live_model.h"

class QLabel;
class QTabWidget;
class QToolButton;

namespace shardscope {

struct FigureRequest;
class ControlsPanel;
class Headline;
class LivePlot;
class MeasuredPanel;
class MemoryBar;
class RepairStrip;
class ScenarioTable;
class Session;
class SolvePanel;
class Waterfall;
class SideRail;
class StudyPanel;
class WhyPanel;
struct Claim;
struct DeskState;

// Questions to the person, so that tests can answer them.
struct Dialogs {
    std::function<QString(QWidget* parent, const QString& title, const QString& folder,
                          const QString& filter)>
        open_file;
    std::function<QString(QWidget* parent, const QString& title, const QString& suggestion,
                          const QString& filter)>
        save_file;
    std::function<QString(QWidget* parent, const QString& title, const QString& folder)> choose_folder;
    static Dialogs native();
};

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

    // Opens the Why panel on this output.
    void explain(Output id);
    // A scenario file, a session, an exported figure, a model's config.json or a log of nccl-tests. False,
    // with a message shown, when it cannot be used; nothing changes then.
    bool open(const QString& file);
    bool save(const QString& file);
    // A study: its scenario, its pins, its tab and axes, and the panel, as one undo step. False, with a
    // message shown, when it cannot be read.
    bool open_study(const Preset& preset);
    // All scenarios, the pinned ones too, and what is looked at.
    bool save_session(const QString& file);
    // The scenarios as the last window left them, if there were any.
    void restore();
    // One plot to one file, its format by the ending.
    bool export_plot(const QString& plot, const QString& file);

  protected:
    void resizeEvent(QResizeEvent* event) override;
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

  private:
    void build_menus();
    void build_toolbar();
    void build_panes();
    void connect_actions();
    // Takes a scenario or a session as one undo step `step`. False, with a message that names `what`, when
    // it cannot be used.
    bool load_text(const std::string& text, const QString& what, const QString& folder, const QString& step);
    // The scenarios, and what the current one's view says of the desk.
    void take(const SavedSession& session, const QString& step);
    void take_scenario(const Scenario& scenario, const QString& step);
    void take_claim(const Claim& claim);
    [[nodiscard]] DeskState desk() const;
    void show_desk(const DeskState& desk);
    void show_study(const std::string& name);
    [[nodiscard]] SavedSession session_as_shown() const;
    void add_menu_of_tabs();
    bool open_log(const QString& file);
    void import_model(const std::string& text, const QString& file, Problems& problems);
    bool write_file(const QString& file, const std::string& content);
    void refresh_titles();
    void fold(const QSize& size);
    // The panel at the right; the others become rails.
    enum class Side { none, why, study };
    void show_side(Side side);
    void fold_sides(Side shown);
    void say(const QString& message);
    void say_all(const Problems& problems, const QString& file);
    void keep_session();
    void export_all();
    [[nodiscard]] LivePlot& current_plot() const;                       // of the main plot area
    [[nodiscard]] FigureRequest request_of(const QString& plot) const;  // as it is shown here

    Catalogue& catalogue_;
    Session& session_;
    Dialogs dialogs_;
    LiveModel model_;
    Actions actions_;
    QString file_;  // the scenario was opened from or saved to; "" when neither

    QToolButton* cluster_picker_ = nullptr;
    QToolButton* model_picker_ = nullptr;
    ControlsPanel* controls_ = nullptr;
    Headline* headline_ = nullptr;
    RepairStrip* repairs_ = nullptr;
    QTabWidget* tabs_ = nullptr;
    MeasuredPanel* measured_ = nullptr;
    SolvePanel* solve_ = nullptr;
    MemoryBar* memory_ = nullptr;
    Waterfall* waterfall_ = nullptr;
    WhyPanel* why_ = nullptr;
    StudyPanel* study_ = nullptr;
    SideRail* why_rail_ = nullptr;
    SideRail* study_rail_ = nullptr;
    ScenarioTable* scenarios_ = nullptr;
    QWidget* side_ = nullptr;
    QWidget* message_ = nullptr;
    QLabel* message_text_ = nullptr;
    Side side_wanted_ = Side::why;
    QTimer autosave_;
};

}  // namespace shardscope
