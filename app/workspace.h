// The state of the window in addition to the scenarios: the current tab, the view of every plot, the study,
// and the file to which the scenario is saved. A file, a session, a study or a claim with new scenarios is
// loaded here as one step of the history.
#pragma once

#include <QString>
#include <string>
#include <vector>

#include "files/session_file.h"

namespace shardscope {

class LiveModel;
class PlotTabs;
class SidePanels;
struct Claim;

class Workspace {
  public:
    // All arguments have to outlive this object.
    Workspace(Catalogue& catalogue, LiveModel& model, PlotTabs& tabs, SidePanels& sides);

    // Returns all scenarios and the current view in a form that can be read back.
    [[nodiscard]] SavedSession session() const;
    // Returns a scenario in a form that can be read back: without the parts of its view that edits have made
    // invalid.
    [[nodiscard]] SavedScenario readable(const SavedScenario& scenario) const;
    // Loads a session as one undo step `step`.
    void take(const SavedSession& session, const QString& step);
    // Loads a scenario as one undo step. Pins and tab change only where the scenario's view contains them.
    // `file` is the file from which it was read, if it may be saved there again.
    void take(const SavedScenario& scenario, const QString& step, const QString& file = {});
    // Returns the file to which Save writes the current scenario; if it is "", Save asks for one. Undo and
    // redo change the file with the scenario. A scenario that is not an edit of the file's scenario has no
    // file.
    [[nodiscard]] QString file() const;
    void set_file(const QString& file);
    // Loads the session of the last window without a history.
    void start_with(const SavedSession& session);

    // Loads a study with its scenario, pins, tab, axes and panel.
    void load_study(const Preset& preset, Problems& problems);
    void close_study();
    // Loads the scenarios of a claim: the last one becomes the current scenario and the others become pins.
    // For a crossover the first one, which the others are to overtake, becomes the current scenario.
    void load_claim(const Claim& claim);

  private:
    friend class WorkspaceStep;
    struct State {
        std::string tab;    // name of the current plot
        std::string study;  // "": none
        std::vector<View> plots;
        QString file;
        unsigned origin = 0;  // LiveModel::origin() of the scenario in the file

        void set(const View& view);  // of its plot
    };
    [[nodiscard]] State state() const;
    // Returns the current state with the view and those of other plots.
    [[nodiscard]] State state_of(const View& view, const std::vector<View>& others = {}) const;
    void show(const State& state);
    // Calls `change`, which changes the scenarios, and shows the state `after`, as one undo step.
    template <typename Change>
    void push_step(const QString& step, State after, Change&& change);
    // Finds a study by its name, or by the absolute path of its file; nullptr where there is none.
    const Preset* find_study(const std::string& name);
    void show_study(const std::string& name);

    Catalogue& catalogue_;
    LiveModel& model_;
    PlotTabs& tabs_;
    SidePanels& sides_;
    QString file_;
    unsigned origin_ = 0;
};

}  // namespace shardscope
