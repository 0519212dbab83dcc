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

// Puts the state back, and takes it up again.
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

// Pins by letter, the first one compared with.
SavedSession lettered(const Scenario& current, const std::vector<Scenario>& pins) {
    SavedSession out{current, {}, pins.empty() ? char(0) : kFirstPin};
    char letter = kFirstPin;
    for (const Scenario& pin : pins) out.pins.push_back({letter++, pin});
    return out;
}

}  // namespace

Workspace::Workspace(Catalogue& catalogue, LiveModel& model, PlotTabs& tabs, SidePanels& sides)
    : catalogue_(catalogue), model_(model), tabs_(tabs), sides_(sides) {}

QString Workspace::file() const { return origin_ == model_.origin() ? file_ : QString(); }

void Workspace::saved_to(const QString& file) {
    file_ = file;
    origin_ = model_.origin();
}

SavedSession Workspace::session() const {
    SavedSession out = model_.session();
    out.current = readable(out.current);
    for (SavedPin& pin : out.pins) pin.scenario = readable(pin.scenario);
    out.view = tabs_.current().view();
    if (const std::optional<Study>& study = sides_.study()) {
        // The next start knows the shipped studies by name, and one of the person's own by its file.
        const bool shipped = study->preset->path.empty();
        out.view.study = shipped ? study->name : study->preset->path;
    }
    Scenario seen = out.current;
    seen.view.clear();
    out.view = view_of(readable(with_view(seen, out.view)));
    return out;
}

Scenario Workspace::readable(const Scenario& scenario) const { return with_valid_view(scenario, catalogue_); }

template <typename Change>
void Workspace::do_as_one(const QString& step, State after, Change&& change) {
    QUndoStack* undo = model_.undo_stack();
    undo->beginMacro(step);
    State before = state();
    after.origin = model_.origin();
    change();
    undo->push(new WorkspaceStep(*this, std::move(before), std::move(after)));
    undo->endMacro();
}

void Workspace::take(const SavedSession& session, const QString& step) {
    State after = state_of(session.view.plot.empty() ? view_of(session.current) : session.view);
    after.file.clear();  // Save writes one scenario, which must not replace a session or a study
    do_as_one(step, std::move(after), [&] { model_.open_session(session, step); });
}

void Workspace::take(const Scenario& scenario, const QString& step, const QString& file) {
    Problems none;  // the scenario's reader has read them before
    const std::vector<Scenario> pins = pins_of(scenario, catalogue_, none);
    const View view = view_of(scenario);
    State after = view.plot.empty() && pins.empty() ? state() : state_of(view);
    after.file = file;
    do_as_one(step, std::move(after), [&] {
        if (pins.empty()) model_.replace(scenario, step);
        else model_.open_session(lettered(scenario, pins), step);
    });
}

void Workspace::start_with(const SavedSession& session) {
    model_.start_with(session);
    show(state_of(session.view));
}

void Workspace::take_study(const Preset& preset, Problems& problems) {
    const Study study = read_study(preset, catalogue_, problems);
    if (!problems.empty()) return;
    take(lettered(study.scenario, study.pins), tr("Study %1").arg(preset_text(study.title)));
    // Also when it was open behind its rail.
    sides_.prefer(SidePanels::Side::study);
}

void Workspace::close_study() { show_study({}); }

void Workspace::take_claim(const Claim& claim) {
    std::vector<Scenario> others = claim.scenarios;
    if (claim.measure == Measure::crossover) std::rotate(others.begin(), others.begin() + 1, others.end());
    Scenario current = others.back();
    others.pop_back();
    if (sides_.study()) current = with_view(current, view_of(sides_.study()->scenario));
    const QString step = tr("Claim: %1").arg(preset_text(claim.says));
    State after = state();
    after.file.clear();
    do_as_one(step, std::move(after), [&] {
        if (others.empty()) model_.replace(current, step);
        else model_.open_session(lettered(current, others), step);
    });
}

Workspace::State Workspace::state() const {
    State out;
    out.tab = tabs_.current().objectName().toStdString();
    if (sides_.study()) out.study = sides_.study()->name;
    for (const LivePlot* plot : tabs_.plots()) out.plots.push_back(plot->view());
    out.file = file_;
    out.origin = origin_;
    return out;
}

Workspace::State Workspace::state_of(const View& view) const {
    State out = state();
    out.study = view.study;
    if (view.plot.empty()) return out;
    out.tab = view.plot;
    for (View& plot : out.plots) {
        if (plot.plot != view.plot) continue;
        plot = view;
        plot.study.clear();
    }
    return out;
}

void Workspace::show(const State& state) {
    // Hidden plots take their views without drawing them.
    for (const View& view : state.plots) {
        LivePlot* plot = tabs_.plot(QString::fromStdString(view.plot));
        if (plot && !(plot->view() == view)) plot->show_view(view);
    }
    if (LivePlot* tab = tabs_.plot(QString::fromStdString(state.tab))) tabs_.setCurrentWidget(tab);
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
    // A file that is opened again is another preset of the same name.
    const Preset* preset = find_study(name);
    if (preset == (sides_.study() ? sides_.study()->preset : nullptr)) return;
    Problems problems;
    std::optional<Study> study;
    if (preset) study = read_study(*preset, catalogue_, problems);
    if (!problems.empty()) study.reset();
    sides_.set_study(std::move(study));
}

}  // namespace shardscope
