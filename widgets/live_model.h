// The one model behind the window: a scenario, its answer, the undo history and the pins.
//
// Every view reads `answer()` and repaints on `changed()`, which comes once per change and only on a change.
// An edit goes through `edit` (one undo step) or through a gesture, from press to release one step however
// many values it passed; each frame of a gesture starts from the scenario it began with, so a drag there and
// back leaves nothing behind.
#pragma once

#include <QObject>
#include <QString>
#include <initializer_list>
#include <optional>
#include <vector>

#include "explain/explanation.h"
#include "files/session_file.h"
#include "planner/answer.h"
#include "widgets/background.h"
#include "widgets/pin.h"

class QUndoStack;

namespace shardscope {

class LiveModel : public QObject {
    Q_OBJECT
  public:
    explicit LiveModel(const Catalogue& catalogue, QObject* parent = nullptr);

    [[nodiscard]] const Answer& answer() const { return answer_; }
    // What the person asked for; automatic parameters hold their last typed value.
    [[nodiscard]] const Scenario& scenario() const { return scenario_; }
    [[nodiscard]] const Catalogue& catalogue() const { return *catalogue_; }
    void explain(const Subject& subject) { Q_EMIT explanation_wanted(subject); }
    [[nodiscard]] QUndoStack* undo_stack() const { return undo_; }

    // A plan is being looked for beside the window: until it is there, `answer()` holds the last one under
    // what has changed since.
    [[nodiscard]] bool planning() const { return planning_.pending(); }

    // A field holds what could not be read: views dim, as they show what was valid last.
    void doubt(P id, bool unread);
    [[nodiscard]] bool doubted() const { return doubted_.any(); }

    void edit(P id, Value value);
    void reset(P id);  // back to the preset's value
    void set_automatic(P id, bool automatic);
    // All plan parameters that are usually chosen; or none.
    void set_all_automatic(bool automatic);
    void hold(Hold hold);
    void take_cluster(const Preset& cluster);
    void take_model(const Preset& model);
    // A whole scenario that follows from this one (a repair, another plan): one step with this text.
    void replace(const Scenario& scenario, const QString& text);
    // The same with another one, which is no edit of this one (a public run).
    void load(const Scenario& scenario, const QString& text);
    // Equal for scenarios that are edits of one another; undo and redo change it with the scenario.
    [[nodiscard]] unsigned origin() const { return origin_; }
    // As replace, but forgets the history (file opened at start, new session).
    void start_with(const Scenario& scenario);

    // A gesture changes one parameter or several together, as a crosshair does.
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

    // Up to six ghosts, by letter. Pinning is no undo step, so that one can pin and then undo back to what
    // the pin is to be compared with; what would lose a scenario is one.
    [[nodiscard]] const std::vector<Pin>& pins() const { return pins_; }
    [[nodiscard]] const Pin* pin_of(char letter) const;  // nullptr when there is none
    // The pin whose differences the headline shows: the first, or the one chosen; nullptr without pins.
    [[nodiscard]] const Pin* compared() const { return pin_of(compared_); }
    void pin();
    void unpin(char letter);
    void unpin_all();
    void compare_with(char letter);
    // The pin as the current scenario; the pin stays.
    void take_up(char letter);
    // Two scenarios exchange their letters; 'A' is the current one.
    void swap(char one, char other);
    void rename(char letter, const QString& name);

    // All scenarios, as a session file holds them.
    [[nodiscard]] SavedSession session() const;
    // Replaces all scenarios: one undo step with this text.
    void open_session(const SavedSession& session, const QString& text);
    // As open_session, but forgets the history.
    void start_with(const SavedSession& session);

  Q_SIGNALS:
    // Somebody asks why, anywhere: the Why panel answers.
    void explanation_wanted(const Subject& subject);
    void changed();        // the scenario and so the answer
    void preset_taken();   // changed() follows; fields may flash
    void gesture_began();  // axes freeze
    void gesture_ended();  // axes refit
    void pins_changed();
    void doubt_changed();

  private:
    friend class ScenarioCommand;
    // What is pinned, and what it is compared with.
    struct Pins {
        std::vector<Pin> pins;
        char compared = 0;
    };
    static Pins pins_from(const SavedSession& session);
    void set_pins(Pins pins);
    void add_pin(Pin pin);
    void remove_pin(unsigned id);
    void exchange(unsigned id, unsigned origin);  // a pin and the current scenario, which is then of `origin`
    [[nodiscard]] std::vector<Pin>::iterator find_pin(unsigned id);
    [[nodiscard]] bool awaits_this_plan(const Pin& pin) const;  // the one that is looked for now
    void plan_pins();
    void push(Scenario scenario, const QString& text);
    // What an edit starts from: automatic parameters at the planner's values, as the person sees them.
    [[nodiscard]] const Scenario& base() const { return answer_.valid() ? answer_.scenario : scenario_; }
    void show(const Scenario& scenario);
    // The answer under the last plan, as near as it can be had.
    [[nodiscard]] Answer with_last_plan(const Scenario& scenario) const;

    struct Gesture {
        std::vector<P> ids;
        Scenario start;  // to return to
        Scenario base;   // to edit
    };
    const Catalogue* catalogue_;
    Scenario scenario_;
    unsigned origin_ = 0;
    unsigned last_origin_ = 0;
    Answer answer_;
    ParameterSet doubted_;
    QUndoStack* undo_;
    std::optional<Gesture> gesture_;
    std::vector<Pin> pins_;
    char compared_ = 0;
    bool plans_beside_ = false;  // the last search was not for within a frame
    unsigned last_id_ = 0;       // of a pin
    Background planning_;
    std::vector<Scenario> planned_pins_;  // whose plans the next one looks for
    Background planning_pins_;
};

}  // namespace shardscope
