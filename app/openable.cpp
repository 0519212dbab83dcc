#include "app/openable.h"

#include <QFileInfo>

#include "app/log_form.h"
#include "app/message_bar.h"
#include "app/plot_tabs.h"
#include "app/workspace.h"
#include "evidence/nccl_log.h"
#include "files/scenario_file.h"
#include "files/session_file.h"
#include "files/view.h"
#include "launch/launch.h"
#include "logs/training_log.h"
#include "presets/hf_config.h"
#include "studies/study.h"
#include "text/text.h"
#include "widgets/live_model.h"
#include "widgets/plots/collectives/collectives_plot.h"
#include "widgets/plots/plot_kind.h"
#include "widgets/plots/validation/validation_plot.h"
#include "widgets/text.h"

namespace shardscope {
namespace {

// Returns false and adds a problem if the text does not come from a file.
bool has_file(const OpenedText& opened, const char* what, Problems& problems) {
    if (!opened.file.isEmpty()) return true;
    problems.push_back({"", std::string(what) + " is read from its file", "presets and logs keep their place",
                        "open or drop the file itself"});
    return false;
}

void open_session(const OpenedText& opened, const OpenTargets& into, Problems& problems) {
    const SavedSession session = read_session(opened.text, into.catalogue, folder_of(opened), problems);
    if (problems.empty()) into.workspace.take(session, opened.step);
}

void open_study(const OpenedText& opened, const OpenTargets& into, Problems& problems) {
    const std::string file = opened.file.isEmpty() ? "study.json" : opened.file.toStdString();
    if (const Preset* study = into.catalogue.add(opened.text, file, problems))
        into.workspace.load_study(*study, problems);
}

// Replaces the scenario's model by that of a config.json; cluster and training stay.
void open_hf_config(const OpenedText& opened, const OpenTargets& into, Problems& problems) {
    if (!has_file(opened, "a model's config.json", problems)) return;
    const Preset* model = into.catalogue.add(opened.text, opened.file.toStdString(), problems);
    if (!model) return;
    const QString title = text_of(model->title);
    into.model.apply_model(*model);
    // The preset's source contains the assumptions of the import.
    into.messages.say(tr("%1: %2. “Save model as preset” in the File menu keeps it under any name.")
                          .arg(title, text_of(model->source)));
}

// Adds the log to the plot of collectives, beside the public tables.
void open_nccl_log(const OpenedText& opened, const OpenTargets& into, Problems& problems) {
    if (!has_file(opened, "a log of nccl-tests", problems)) return;
    auto& collectives = into.tabs.the<CollectivesPlot>(kCollectivesKind.name);
    Problems tables;
    if (!collectives.add_log(opened.file.toStdString(), tables)) {
        problems = std::move(tables);
        return;
    }
    into.tabs.show_plot(collectives.objectName());
    into.messages.say(tables, opened.what);
}

// Adds the runs to the validation plot, beside the public runs.
void open_runs(const OpenedText& opened, const OpenTargets& into, Problems& problems) {
    auto& validation = into.tabs.the<ValidationPlot>(kValidationKind.name);
    Problems rows;
    if (!validation.add_runs(opened.text, opened.what.toStdString(), rows)) {
        problems = std::move(rows);
        return;
    }
    into.tabs.show_plot(validation.objectName());
    into.messages.say(rows, opened.what);
}

// Loads the run of a log as one undo step, with its step time as the measurement. `complete` adds what the
// log does not state; other settings are those of the current scenario. Nothing changes where there is a
// problem.
Problems take_run(const TrainingLog& log, const QString& what, const QString& step, const OpenTargets& into,
                  const LogForm::Complete& complete) {
    Problems problems;
    const SavedScenario& current = into.model.scenario();
    LogScenario read = log_scenario(log, &current, into.catalogue, problems);
    const Scenario stated = read.scenario;
    if (problems.empty() && complete) complete(read.scenario, problems);
    if (problems.empty()) problems = check_completed(log, stated, read.scenario);
    if (!problems.empty()) return problems;
    const Settings settings = resolve(read.scenario);
    const double seconds = log.step_time(settings);
    const Measurement measured{MeasuredKind::step_time, seconds, settings[P::gpus]};
    SavedScenario next(read.scenario, current.view);
    next.view.measured = measured;
    into.workspace.take(next, step);
    const QString time = text_of(format(seconds, Quantity::seconds));
    QStringList lines{
        log.whole_run ? tr("%1: %2, the mean of the whole run, %3 a step.").arg(what, text_of(log.tool), time)
                      : tr("%1: %2, the median of %3 of %4 logged steps, %5 a step.")
                            .arg(what, text_of(log.tool), QString::number(log.steady.used()),
                                 QString::number(log.steady.logged), time)};
    lines << tr("What the log does not state is kept from the scenario before.");
    for (const std::string& note : read.notes) lines << QString::fromStdString(note);
    if (const std::string why = contradiction(log, read.scenario); !why.empty())
        lines << QString::fromStdString(why);
    into.messages.say(lines.join(QLatin1Char(' ')));
    return problems;
}

// Opens a training log as the scenario that it states. A form asks for inputs that it does not state and that
// a prediction needs.
void open_training_log(const OpenedText& opened, const OpenTargets& into, Problems& problems) {
    const TrainingLog log = read_training_log(opened.text, problems);
    if (!problems.empty()) return;
    const LogScenario stated = log_scenario(log, nullptr, into.catalogue, problems);
    if (!problems.empty()) return;
    const std::vector<MissingInput> missing = missing_inputs(stated.scenario);
    if (missing.empty()) {
        problems = take_run(log, opened.what, opened.step, into, {});
        return;
    }
    const auto take = [log, what = opened.what, step = opened.step, into](const LogForm::Complete& complete) {
        return take_run(log, what, step, into, complete);
    };
    (new LogForm(opened.what, missing, into.model.scenario(), take, into.messages.window()))->open();
}

// Opens the settings of a training tool as a scenario on the current cluster.
void open_launch(const OpenedText& opened, const OpenTargets& into, Problems& problems) {
    const LaunchFormat* format = launch_format_of(opened.text);
    const LaunchRead read = format->read(opened.text, into.model.scenario(), problems);
    if (!problems.empty()) return;
    into.workspace.take(SavedScenario(read.scenario), opened.step);
    QStringList lines{
        tr("%1: settings of %2 on the current cluster.").arg(opened.what, text_of(format->label))};
    for (const std::string& note : read.notes) lines << QString::fromStdString(note);
    into.messages.say(lines.join(QLatin1Char(' ')));
}

bool is_launch(std::string_view text) { return launch_format_of(text) != nullptr; }

void open_scenario(const OpenedText& opened, const OpenTargets& into, Problems& problems) {
    const SavedScenario scenario = read_scenario(opened.text, into.catalogue, folder_of(opened), problems);
    if (problems.empty())
        into.workspace.take(scenario, opened.step, opened.carried ? QString() : opened.file);
}

// Recognises any other JSON object as a scenario, whose reader then reports the problems.
bool is_object(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    return first != std::string_view::npos && text[first] == '{';
}

// Returns "settings of torchtitan, Megatron-LM or DeepSpeed" with all tools whose files can be read.
std::string launch_name() {
    std::vector<std::string> names;
    for (const LaunchFormat* format : launch_formats()) {
        if (format->read) names.emplace_back(format->label);
    }
    const std::string last = names.back();
    names.pop_back();
    return "settings of " + joined(names, ", ") + " or " + last;
}

std::span<const Openable> openables() {
    static const Openable kAll[] = {
        {"a log of nccl-tests", is_nccl_log, open_nccl_log, true},
        {"a table of measured runs", is_run_table, open_runs, true},
        // Before launch settings, because a log may contain the command that started the run.
        {"a training log", is_training_log, open_training_log},
        {"a session", is_session, open_session},
        {"a study", is_study, open_study},
        {"a model's config.json", is_hf_config, open_hf_config},
        {launch_name(), is_launch, open_launch},
        {"a scenario", is_object, open_scenario},
    };
    return kAll;
}

}  // namespace

std::string folder_of(const OpenedText& opened) {
    return opened.file.isEmpty() ? std::string() : QFileInfo(opened.file).absolutePath().toStdString();
}

const Openable* find_openable(std::string_view text) {
    for (const Openable& kind : openables()) {
        if (kind.recognises(text)) return &kind;
    }
    return nullptr;
}

bool opens_as_log(std::string_view text) {
    const Openable* kind = find_openable(text);
    return kind && kind->open == open_training_log;
}

QStringList add_logs(const std::vector<OpenedText>& logs, const OpenTargets& into, QStringList& messages) {
    std::string table;
    QStringList added;
    for (const OpenedText& opened : logs) {
        Problems problems;
        const TrainingLog log = read_training_log(opened.text, problems);
        Scenario run = into.model.scenario();
        if (problems.empty())
            run = log_scenario(log, &into.model.scenario(), into.catalogue, problems).scenario;
        if (problems.empty()) problems = check(run, resolve(run));
        for (const Problem& problem : problems)
            messages << QString::fromStdString(problem.text(opened.what.toStdString()));
        if (!problems.empty()) continue;
        table += write_log_run(log, run, opened.what.toStdString()) + "\n";
        added << opened.file;
    }
    if (added.isEmpty()) return {};
    auto& validation = into.tabs.the<ValidationPlot>(kValidationKind.name);
    Problems rows;
    const bool readable = validation.add_runs(table, tr("Training logs").toStdString(), rows);
    for (const Problem& problem : rows) messages << QString::fromStdString(problem.text());
    if (!readable) return {};
    into.tabs.show_plot(validation.objectName());
    messages.prepend(
        tr("The runs of %1 training logs are in Validation, beside the public runs. What a log does "
           "not state is that of the scenario before.")
            .arg(added.size()));
    return added;
}

bool take(const OpenedText& opened, const OpenTargets& into, Problems& problems) {
    if (const Openable* kind = find_openable(opened.text)) {
        kind->open(opened, into, problems);
        return problems.empty();
    }
    problems.push_back({"", "this is nothing that can be opened", "",
                        "open " + joined(openables(), ", ", &Openable::name) +
                            ", or a figure exported from here, which carries its scenario"});
    return false;
}

}  // namespace shardscope
