// What is open in the window beside the scenarios: the tab in front, what every plot shows, the study, and
// the file that the scenario is saved to. Whatever brings scenarios with it (a file, a session, a study, a
// claim) is taken here, all as one step of the history.
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
    // All outlive it.
    Workspace(Catalogue& catalogue, LiveModel& model, PlotTabs& tabs, SidePanels& sides);

    // All scenarios, and what is looked at, as they can be read back.
    [[nodiscard]] SavedSession session() const;
    // A scenario of the model's as it can be read back: without what edits have made wrong in its view.
    [[nodiscard]] Scenario readable(const Scenario& scenario) const;
    // As one undo step `step`.
    void take(const SavedSession& session, const QString& step);
    // Pins and tab change only where the scenario's view speaks of them. `file`: what it was read from, if it
    // may be saved there again.
    void take(const Scenario& scenario, const QString& step, const QString& file = {});
    // What Save writes the current scenario to; "" asks. Undo and redo change it with the scenario. It stays
    // behind where another scenario is taken that is no edit of the file's.
    [[nodiscard]] QString file() const;
    void saved_to(const QString& file);
    // As the last window left it; forgets the history.
    void start_with(const SavedSession& session);

    // A study: its scenario, its pins, its tab and axes, and the panel.
    void take_study(const Preset& preset, Problems& problems);
    void close_study();
    // The scenarios that are compared: the last one is looked at, beside the others as pins. Along an input
    // it is the first that the others are to overtake.
    void take_claim(const Claim& claim);

  private:
    friend class WorkspaceStep;
    struct State {
        std::string tab;    // the plot in front
        std::string study;  // "": none
        std::vector<View> plots;
        QString file;
        unsigned origin = 0;  // of the scenario that the file is of
    };
    [[nodiscard]] State state() const;
    // The state as a view asks for it; what it does not speak of stays.
    [[nodiscard]] State state_of(const View& view) const;
    void show(const State& state);
    // `change` the scenarios, and go to the state `after`, as one step.
    template <typename Change>
    void do_as_one(const QString& step, State after, Change&& change);
    // By its name, or by the path of a file that does not ship; nullptr where there is none.
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
