#include "app/documents.h"

#include <QDir>
#include <QFileInfo>
#include <QMimeData>
#include <QUrl>
#include <algorithm>

#include "app/message_bar.h"
#include "app/openable.h"
#include "app/plot_tabs.h"
#include "app/session.h"
#include "app/side_panels.h"
#include "app/workspace.h"
#include "files/model_preset.h"
#include "files/scenario_file.h"
#include "system/file_io.h"
#include "text/encode.h"
#include "widgets/carried_scenario.h"
#include "widgets/live_model.h"
#include "widgets/text.h"

namespace shardscope {

Documents::Documents(Catalogue& catalogue, Session& session, LiveModel& model, Workspace& workspace,
                     PlotTabs& tabs, const SidePanels& sides, MessageBar& messages)
    : catalogue_(catalogue),
      session_(session),
      model_(model),
      workspace_(workspace),
      tabs_(tabs),
      messages_(messages) {
    autosave_.setSingleShot(true);
    connect(&autosave_, &QTimer::timeout, this, &Documents::autosave_on_timer);
    connect(&model_, &LiveModel::changed, this, &Documents::schedule_autosave);
    connect(&model_, &LiveModel::gesture_ended, this, &Documents::schedule_autosave);
    connect(&model_, &LiveModel::pins_changed, this, &Documents::schedule_autosave);
    connect(&tabs_, &PlotTabs::view_changed, this, &Documents::schedule_autosave);
    connect(&sides, &SidePanels::study_closed, this, &Documents::schedule_autosave);
}

bool Documents::open(const QString& path) {
    const QString file = QFileInfo(path).absoluteFilePath();
    const QString name = QFileInfo(file).fileName();
    messages_.hide();
    Problems problems;
    std::string text = read_text(file.toStdString(), problems);
    if (!problems.empty()) {
        messages_.say(problems, name);
        return false;
    }
    const QByteArray bytes(text.data(), static_cast<qsizetype>(text.size()));
    const QByteArray inside = carried_scenario(bytes);
    if (!inside.isEmpty()) text = inside.toStdString();
    if (!open_text({text, name, tr("Open %1").arg(name), file, !inside.isEmpty()})) return false;
    session_.set_folder(QFileInfo(file).absolutePath());
    session_.add_recent(file);
    return true;
}

QStringList Documents::add_logs(QStringList& files) {
    std::vector<OpenedText> logs;
    for (const QString& file : files) {
        Problems unreadable;
        std::string text = read_text(file.toStdString(), unreadable);
        if (opens_as_log(text)) logs.push_back({std::move(text), QFileInfo(file).fileName(), {}, file});
    }
    QStringList messages;
    if (logs.size() < 2) return messages;
    const QStringList added =
        shardscope::add_logs(logs, {catalogue_, model_, workspace_, tabs_, messages_}, messages);
    // The first run also becomes the scenario.
    for (const OpenedText& log : logs)
        if (added.isEmpty() || log.file != added.first()) files.removeOne(log.file);
    return messages;
}

void Documents::open(const QStringList& paths) {
    const auto keeps_scenario = [](const QString& path) {
        Problems problems;
        const Openable* kind = find_openable(read_text(path.toStdString(), problems));
        return kind && kind->keeps_scenario;
    };
    QStringList files = paths;
    QStringList messages = add_logs(files);
    const auto others = std::stable_partition(files.begin(), files.end(), keeps_scenario);
    QStringList left;
    bool replaced = false;
    for (auto file = files.begin(); file != files.end(); ++file) {
        if (file >= others && replaced) {
            left << QFileInfo(*file).fileName();
            continue;
        }
        const bool opened = open(*file);
        replaced = replaced || (file >= others && opened);
        if (!messages_.isHidden()) messages << messages_.text();
    }
    if (!left.empty())
        messages
            << tr("Only one scenario opens at a time; not opened: %1").arg(left.join(QStringLiteral(", ")));
    if (!messages.empty()) messages_.say(messages.join(QLatin1Char('\n')));
}

bool Documents::open_text(const OpenedText& opened) {
    messages_.hide();
    Problems problems;
    const bool taken = take(opened, {catalogue_, model_, workspace_, tabs_, messages_}, problems);
    messages_.say(problems, opened.what);
    return taken;
}

void Documents::open_study(const Preset& preset) {
    messages_.hide();
    Problems problems;
    workspace_.load_study(preset, problems);
    messages_.say(problems, text_of(preset.name));
}

QString Documents::restore() {
    Problems problems;
    const std::string text = session_.scenarios(problems).toStdString();
    if (problems.empty()) {
        if (text.empty()) return {};
        const SavedSession session = is_session(text)
                                         ? read_session(text, catalogue_, {}, problems)
                                         : SavedSession{read_scenario(text, catalogue_, {}, problems), {}};
        if (problems.empty()) {
            workspace_.start_with(session);
            return {};
        }
    }
    // The unreadable file is renamed, because this window's session will replace it. A newer version of the
    // program may be able to read it.
    const QString aside = session_.set_aside();
    QString lost =
        tr("The last session cannot be read: %1%2")
            .arg(text_of(problems.front().text()),
                 aside.isEmpty() ? QString() : QLatin1Char('\n') + tr("It is kept in %1.").arg(aside));
    messages_.say(lost);
    return lost;
}

void Documents::start(const QString& file) {
    const QString lost = restore();
    if (file.isEmpty()) return;
    const bool opened = open(file);
    if (lost.isEmpty()) return;
    messages_.say(opened ? lost : lost + QLatin1Char('\n') + messages_.text());
}

// Saves the session soon enough that a crash loses nothing except the last tenth of a second of a drag.
void Documents::schedule_autosave() {
    constexpr qint64 kBetween = 100;  // ms
    const bool at_once = !model_.in_gesture() || !kept_.isValid();
    const auto wait = static_cast<int>(at_once ? 0 : std::max<qint64>(0, kBetween - kept_.elapsed()));
    if (!autosave_.isActive() || autosave_.remainingTime() > wait) autosave_.start(wait);
}

void Documents::autosave() {
    kept_.start();
    // A write that began during a drag must not end after this one.
    writing_.cancel_and_wait();
    Problems problems;
    session_.set_scenarios(QString::fromStdString(write_session(workspace_.session(), false)), problems);
    report_autosave(problems);
}

// Replacing a file may wait for the disk for longer than a frame.
void Documents::autosave_on_timer() {
    if (!model_.in_gesture()) return autosave();
    kept_.start();
    writing_.ask(
        [this,
         text = QString::fromStdString(write_session(workspace_.session(), false))](const std::stop_token&) {
            Problems problems;
            session_.set_scenarios(text, problems);
            return problems;
        },
        [this](const Problems& problems) { report_autosave(problems); });
}

void Documents::report_autosave(const Problems& problems) {
    const bool kept = problems.empty();
    // The message is shown once, and not at every step of a drag.
    if (!kept && is_kept_)
        messages_.say(
            tr("The scenarios of this window cannot be kept for the next start: %1\nTo keep them, save "
               "the session in another folder.")
                .arg(text_of(problems.front().text())));
    is_kept_ = kept;
}

bool Documents::write_file(const QString& file, const std::string& content) {
    Problems problems;
    if (!write_file_atomically(file.toStdString(), content, problems)) {
        messages_.say(problems, file);
        return false;
    }
    session_.set_folder(QFileInfo(file).absolutePath());
    return true;
}

bool Documents::save(const QString& file) {
    if (!write_file(file, write_scenario(workspace_.readable(model_.scenario())))) return false;
    workspace_.set_file(QFileInfo(file).absoluteFilePath());
    session_.add_recent(QFileInfo(file).absoluteFilePath());
    return true;
}

bool Documents::save_session(const QString& file) {
    if (!write_file(file, write_session(workspace_.session()))) return false;
    session_.add_recent(QFileInfo(file).absoluteFilePath());
    return true;
}

bool Documents::save_model(const QString& file) {
    const QFileInfo info(file);
    const QString title = info.completeBaseName();
    Problems problems;
    const std::string name = preset_name_of(title.toStdString());
    if (name.empty()) {
        problems.push_back(
            {"", translate("a preset cannot have this name"), "", translate("give it letters or digits")});
    }
    // A second preset of the same name would hide the first.
    const std::string path = info.absoluteFilePath().toStdString();
    for (const std::string& taken : {name, name + std::string(kOwnPreset)}) {
        const Preset* same = catalogue_.find(PresetKind::model, taken);
        if (same && !same->path.empty() && same->path != path) {
            problems.push_back({"", translate("another preset has the name “{1}”", {taken}), same->path,
                                translate("choose another file name")});
        }
    }
    if (!problems.empty()) {
        messages_.say(problems, info.fileName());
        return false;
    }
    const std::string text = write_model_preset(model_.scenario(), title.toStdString());
    Problems written;
    if (!write_file_atomically(file.toStdString(), text, written)) {
        messages_.say(written, file);
        return false;
    }
    const Preset* preset = catalogue_.add(text, path, problems);
    if (!preset) {
        messages_.say(problems, info.fileName());
        return false;
    }
    model_.apply_model(*preset);
    messages_.report(
        tr("The model is saved as “%1” in %2.").arg(text_of(preset->title), info.absoluteFilePath()));
    return true;
}

void Documents::drop(const QMimeData& dropped) {
    // A link from a browser is not a file, but the text dropped with it may be a scenario.
    QStringList files;
    for (const QUrl& url : dropped.urls()) {
        if (url.isLocalFile()) files << url.toLocalFile();
    }
    if (!files.isEmpty()) {
        open(files);
    } else if (dropped.hasText()) {
        const QString what = tr("the dropped text");
        open_text({dropped.text().toStdString(), what, tr("Load %1").arg(what), {}});
    }
}

}  // namespace shardscope
