// The model behind the window. It owns the scenario, its answer, the undo history and the pins.
//
// Every view reads `answer()` and repaints on `changed()`, which is emitted once per change and only then.
// A change is made by `edit` (one undo step) or by a gesture, which lasts from press to release and is one
// undo step, however many values it passes. Each frame of a gesture starts from the scenario at its
// beginning, so a drag that returns to its start changes nothing.
#pragma once

#include <QObject>
#include <QString>
#include <QTimer>
#include <initializer_list>
#include <optional>
#include <vector>

#include "explain/explanation.h"
#include "files/session_file.h"
#include "planner/answer.h"
#include "widgets/background.h"
#include "widgets/pin.h"
#include "widgets/term.h"

class QUndoCommand;
class QUndoStack;

namespace shardscope {

class LiveModel : public QObject {
    Q_OBJECT
  public:
    explicit LiveModel(const Catalogue& catalogue, QObject* parent = nullptr);

    [[nodiscard]] const Answer& answer() const { return answer_; }
    // The scenario as the user set it; automatic parameters keep the value that was typed last.
    [[nodiscard]] const SavedScenario& scenario() const { return scenario_; }
    [[nodiscard]] const Catalogue& catalogue() const { return *catalogue_; }
    void explain(const Subject& subject) { Q_EMIT explanation_requested(subject); }
    void define(Term term) { Q_EMIT definition_requested(term); }
    [[nodiscard]] QUndoStack* undo_stack() const { return undo_; }

    // Returns whether a plan is being searched in the background. Until it is found, `answer()` combines the
    // last plan with the changed scenario.
    [[nodiscard]] bool planning() const { return planning_.pending() || found_.has_value(); }

    // Records whether the field of `id` contains text that cannot be parsed. Views dim as long as there is
    // such a field, because they show the last valid scenario.
    void mark_unparsed(P id, bool unparsed);
    [[nodiscard]] bool has_unparsed_field() const { return unparsed_.any(); }

    void edit(P id, Value value);
    void reset(P id);  // back to the preset's value
    void set_automatic(P id, bool automatic);
    // Makes all plan parameters automatic that the planner usually chooses, or locks the whole plan.
    void set_all_automatic(bool automatic);
    void hold(Hold hold);
    void apply_cluster(const Preset& cluster);
    void apply_model(const Preset& model);
    void apply_gpu(const Preset& gpu);  // in its usual node
    // Replaces the scenario by one that derives from it (a repair, another plan), as one undo step with this
    // text. Its view stays.
    void replace(const Scenario& scenario, const QString& text);
    // Changes what the plots show beside the scenario, as one undo step with this text.
    void replace_view(SavedView view, const QString& text);
    // Replaces the scenario by an unrelated one (a file, a public run), as one undo step with this text.
    void load(const SavedScenario& scenario, const QString& text);
    // A number that is equal for all scenarios that derive from each other by edits. Undo and redo restore it
    // together with the scenario.
    [[nodiscard]] unsigned origin() const { return origin_; }
    // Like `load`, but clears the undo history (file opened at start, new session).
    void start_with(const Scenario& scenario);

    // A change of one parameter. A gesture can change several parameters together, as a crosshair does.
    struct Change {
        P id;
        double value;
    };
    void begin_gesture(std::initializer_list<P> ids);
    void begin_gesture(P id) { begin_gesture({id}); }
    void drag(std::initializer_list<Change> changes);
    void drag(P id, double value) { drag({{id, value}}); }
    void end_gesture();
    [[nodiscard]] bool in_gesture() const { return gesture_.has_value(); }

    // Up to six pins, in the order of their letters. Pinning is not an undo step, so that the user can pin a
    // scenario and then undo to the one to compare it with. Actions that would lose a scenario are undo
    // steps.
    [[nodiscard]] const std::vector<Pin>& pins() const { return pins_; }
    [[nodiscard]] const Pin* pin_of(char letter) const;  // nullptr when there is none
    // The pin that the headline is compared with: the chosen one, by default the first. nullptr without pins.
    [[nodiscard]] const Pin* compared() const { return pin_of(compared_); }
    void pin();
    // Pins another scenario than the current one and returns its letter; 0 if there is no room.
    char pin(const SavedScenario& scenario);
    void unpin(char letter);
    void unpin_all();
    void compare_with(char letter);
    // Makes the scenario of the pin the current one; the pin remains.
    void make_current(char letter);
    // Exchanges the letters of two scenarios; 'A' is the current scenario.
    void swap(char one, char other);
    void rename(char letter, const QString& name);

    // Returns all scenarios in the form of a session file.
    [[nodiscard]] SavedSession session() const;
    // Replaces all scenarios: one undo step with this text.
    void open_session(const SavedSession& session, const QString& text);
    // Like `open_session`, but clears the undo history.
    void start_with(const SavedSession& session);

  Q_SIGNALS:
    // A view requests an explanation, which the Why panel shows.
    void explanation_requested(const Subject& subject);
    void definition_requested(Term term);  // which the glossary gives
    void changed();                        // the scenario or its answer
    void preset_applied();                 // changed() follows; fields may flash
    void gesture_began();                  // axes freeze
    void gesture_ended();                  // axes refit
    void pins_changed();
    void unparsed_changed();

  private:
    friend class ScenarioCommand;
    // The pins, and the letter of the one that the headline is compared with.
    struct Pins {
        std::vector<Pin> pins;
        char compared = 0;
    };
    static Pins pins_from(const SavedSession& session);
    void set_pins(Pins pins);
    char add_pin(Pin pin);  // returns its letter, or 0 if there is no room
    void remove_pin(unsigned id);
    // Exchanges a pin and the current scenario, which gets this origin.
    void exchange(unsigned id, unsigned origin);
    [[nodiscard]] std::vector<Pin>::iterator find_pin(unsigned id);
    // Returns whether the running search of `planning_` finds the plan of this pin.
    [[nodiscard]] bool awaits_this_plan(const Pin& pin) const;
    void plan_pins();
    void push_step(QUndoCommand* step);  // takes ownership
    void push(SavedScenario scenario, const QString& text);
    // The view stays.
    void push_edit(Scenario scenario, const QString& text);
    [[nodiscard]] Scenario holding_batch() const;
    // The scenario that an edit starts from: automatic parameters have the planner's values, which the user
    // sees.
    [[nodiscard]] const Scenario& base() const { return answer_.valid() ? answer_.scenario : scenario_; }
    void show(const SavedScenario& scenario);
    // Starts the search for the plan of the scenario.
    void search_plan();
    // Makes the plan that a search has found part of the answer.
    void take_found_plan();
    // Returns the answer with the last plan, or with the scenario's typed plan if the last one is not valid.
    [[nodiscard]] Answer with_last_plan(const Scenario& scenario) const;

    struct Gesture {
        std::vector<P> ids;
        Scenario start;  // to return to
        Scenario base;   // to edit
    };
    const Catalogue* catalogue_;
    SavedScenario scenario_;
    unsigned origin_ = 0;
    unsigned last_origin_ = 0;
    Answer answer_;
    ParameterSet unparsed_;
    QUndoStack* undo_;
    std::optional<Gesture> gesture_;
    std::vector<Pin> pins_;
    char compared_ = 0;
    // The last plan search takes longer than a frame, so it runs in the background.
    bool plans_in_background_ = false;
    unsigned last_id_ = 0;  // last number given to a pin
    Background planning_;
    bool outdated_ = false;  // the running search is for a scenario before this one
    // During a gesture a found plan waits for the next frame, which then shows it, so that a frame draws the
    // window once. The timer shows it if no frame follows.
    std::optional<Answer> found_;
    QTimer no_frame_;
    std::vector<Scenario> planned_pins_;  // the scenarios that planning_pins_ searches plans for
    Background planning_pins_;
};

}  // namespace shardscope
