#include "app/workspace.h"

#include <QFileInfo>
#include <QUndoStack>
#include <algorithm>

#include "app/plot_tabs.h"
#include "app/side_panels.h"
#include "studies/study.h"
#include "system/file_io.h"
#include "widgets/live_model.h"
#include "widgets/plots/live_plot.h"
#include "widgets/text.h"

namespace shardscope {

// Undoes and redoes a change of the state.
class WorkspaceStep : public QUndoCommand {
  public:
    WorkspaceStep(Workspace& workspace, Workspace::State before, Workspace::State after)
        : workspace_(workspace), before_(std::move(before)), after_(std::move(after)) {}
    void undo() override { workspace_.show(before_); }
    void redo() override { workspace_.show(after_); }

  private:
    Workspace& workspace_;
    Workspace::State before_;
    Workspace::State after_;
};

namespace {

// Returns a session in which the pins have letters and the first pin is the one to compare with.
SavedSession lettered(const SavedScenario& current, const std::vector<Scenario>& pins) {
    SavedSession out{current, {}, pins.empty() ? char(0) : kFirstPin};
    char letter = kFirstPin;
    for (const Scenario& pin : pins) out.pins.push_back({letter++, SavedScenario(pin)});
    return out;
}

}  // namespace

Workspace::Workspace(Catalogue& catalogue, LiveModel& model, PlotTabs& tabs, SidePanels& sides)
    : catalogue_(catalogue), model_(model), tabs_(tabs), sides_(sides) {}

QString Workspace::file() const { return origin_ == model_.origin() ? file_ : QString(); }

void Workspace::set_file(const QString& file) {
    file_ = file;
    origin_ = model_.origin();
}

SavedSession Workspace::session() const {
    SavedSession out = model_.session();
    out.current = readable(out.current);
    for (SavedPin& pin : out.pins) pin.scenario = readable(pin.scenario);
    out.view = tabs_.current().view();
    if (const std::optional<Study>& study = sides_.study()) {
        // The next start finds a shipped study by its name, and a study of the user by its file.
        const bool shipped = study->preset->path.empty();
        out.view.study = shipped ? study->name : study->preset->path;
    }
    out.view = valid_view({out.view, {}, {}}, out.current, catalogue_);
    for (const View& view : tabs_.views()) {
        View unset;
        unset.plot = view.plot;
        if (view.plot != out.view.plot && !(view == unset))
            out.plots.push_back(valid_view({view, {}, {}}, out.current, catalogue_));
    }
    return out;
}

SavedScenario Workspace::readable(const SavedScenario& scenario) const {
    return SavedScenario(scenario, valid_view(scenario.view, scenario, catalogue_));
}

template <typename Change>
void Workspace::push_step(const QString& step, State after, Change&& change) {
    model_.end_gesture();  // an open gesture is a step of its own
    QUndoStack* undo = model_.undo_stack();
    undo->beginMacro(step);
    State before = state();
    change();
    after.origin = model_.origin();
    undo->push(new WorkspaceStep(*this, std::move(before), std::move(after)));
    undo->endMacro();
}

void Workspace::take(const SavedSession& session, const QString& step) {
    State after = state_of(session.view.plot.empty() ? session.current.view : session.view, session.plots);
    after.file.clear();  // Save writes one scenario, which must not replace a session or a study
    push_step(step, std::move(after), [&] { model_.open_session(session, step); });
}

void Workspace::take(const SavedScenario& scenario, const QString& step, const QString& file) {
    Problems none;  // the pins' problems were reported when the scenario was read
    const std::vector<Scenario> pins = pins_of(scenario.view, scenario, catalogue_, none);
    const View& view = scenario.view;
    State after = view.plot.empty() && pins.empty() ? state() : state_of(view);
    after.file = file;
    push_step(step, std::move(after), [&] {
        if (pins.empty()) model_.load(scenario, step);
        else model_.open_session(lettered(scenario, pins), step);
    });
}

void Workspace::start_with(const SavedSession& session) {
    model_.start_with(session);
    show(state_of(session.view, session.plots));
}

void Workspace::load_study(const Preset& preset, Problems& problems) {
    const Study study = read_study(preset, catalogue_, problems);
    if (!problems.empty()) return;
    take(lettered(study.scenario, study.pins), tr("Study %1").arg(preset_text(study.title)));
    // The panel also opens if the same study was loaded before and its panel was closed.
    sides_.prefer(SidePanels::Side::study);
}

void Workspace::close_study() { show_study({}); }

void Workspace::load_claim(const Claim& claim) {
    std::vector<Scenario> others = claim.scenarios;
    if (claim.measure == Measure::crossover) std::rotate(others.begin(), others.begin() + 1, others.end());
    SavedScenario current(others.back());
    others.pop_back();
    if (sides_.study()) current.view = {sides_.study()->scenario.view, {}, {}};
    const QString step = tr("Claim: %1").arg(preset_text(claim.statement));
    State after = state();
    after.file.clear();
    push_step(step, std::move(after), [&] {
        if (others.empty()) model_.load(current, step);
        else model_.open_session(lettered(current, others), step);
    });
}

Workspace::State Workspace::state() const {
    State out;
    out.tab = tabs_.current().objectName().toStdString();
    if (sides_.study()) out.study = sides_.study()->name;
    out.plots = tabs_.views();
    out.file = file_;
    out.origin = origin_;
    return out;
}

Workspace::State Workspace::state_of(const View& view, const std::vector<View>& others) const {
    State out = state();
    for (const View& other : others) out.set(other);
    out.study = view.study;
    if (view.plot.empty()) return out;
    out.tab = view.plot;
    out.set(view);
    return out;
}

void Workspace::State::set(const View& view) {
    for (View& plot : plots) {
        if (plot.plot != view.plot) continue;
        plot = view;
        plot.study.clear();
    }
}

void Workspace::show(const State& state) {
    // Hidden plots store their views without drawing them.
    for (const View& view : state.plots) tabs_.set_view(view);
    tabs_.show_plot(QString::fromStdString(state.tab));
    show_study(state.study);
    file_ = state.file;
    origin_ = state.origin;
}

const Preset* Workspace::find_study(const std::string& name) {
    if (const Preset* known = catalogue_.find(PresetKind::study, name)) return known;
    if (!QFileInfo(QString::fromStdString(name)).isAbsolute()) return nullptr;
    Problems problems;
    const std::string text = read_text(name, problems);
    return problems.empty() && is_study(text) ? catalogue_.add(text, name, problems) : nullptr;
}

void Workspace::show_study(const std::string& name) {
    // Studies are compared by preset, because a file that is opened again becomes another preset of the same
    // name.
    const Preset* preset = find_study(name);
    if (preset == (sides_.study() ? sides_.study()->preset : nullptr)) return;
    Problems problems;
    std::optional<Study> study;
    if (preset) study = read_study(*preset, catalogue_, problems);
    if (!problems.empty()) study.reset();
    sides_.set_study(std::move(study));
}

}  // namespace shardscope
