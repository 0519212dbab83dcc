// Opens and saves files, texts from the clipboard or a drop, and the session that the next start restores.
// Problems are shown in the window's message bar.
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QString>
#include <QStringList>
#include <QTimer>
#include <string>

#include "text/problem.h"
#include "widgets/background.h"

class QMimeData;

namespace shardscope {

class Catalogue;
class LiveModel;
class MessageBar;
class PlotTabs;
class Session;
class SidePanels;
class Workspace;
struct OpenedText;
struct Preset;

class Documents : public QObject {
    Q_OBJECT
  public:
    // All arguments have to outlive this object. It saves the session at every step from now on.
    Documents(Catalogue& catalogue, Session& session, LiveModel& model, Workspace& workspace, PlotTabs& tabs,
              const SidePanels& sides, MessageBar& messages);

    // Opens any file of openable.h, or an exported figure that carries its scenario. Returns false, with a
    // message shown and nothing changed, when it cannot be used.
    bool open(const QString& path);
    // Opens all tables and logs of nccl-tests, which keep the scenario, and the first file that replaces the
    // scenario. Of several training logs, all are measured runs of the plot of validation, and the first
    // replaces the scenario. A message lists the other files.
    void open(const QStringList& paths);
    // Opens a text from any source, as one undo step.
    bool open_text(const OpenedText& opened);
    // Opens a study with its scenario, pins, tab, axes and panel, as one undo step.
    void open_study(const Preset& preset);
    // Opens the dropped files, or the dropped text where there are none.
    void drop(const QMimeData& dropped);

    bool save(const QString& file);
    // Saves all scenarios, including the pinned ones, and the view.
    bool save_session(const QString& file);
    // Saves the model as a preset with the name of the file, and makes it the scenario's model as one undo
    // step.
    bool save_model(const QString& file);
    bool write_file(const QString& file, const std::string& content);

    // Restores the scenarios of the last window, if there are any. If they cannot be read, it shows and
    // returns a message with the reason and the place where they are kept; otherwise the result is empty.
    QString restore();
    // Restores the scenarios and then opens the file, if one is given, as one step like a dropped file.
    void start(const QString& file);
    void autosave();

  private:
    // Does the same as autosave(), during a drag in the background.
    void autosave_on_timer();
    // Says once if the session could not be written.
    void report_autosave(const Problems& problems);
    // Adds the runs of several training logs to the plot of validation, and removes all but the first from
    // the files to open. Returns what to say about them.
    QStringList add_logs(QStringList& files);
    void schedule_autosave();

    Catalogue& catalogue_;
    Session& session_;
    LiveModel& model_;
    Workspace& workspace_;
    PlotTabs& tabs_;
    MessageBar& messages_;
    QTimer autosave_;
    QElapsedTimer kept_;   // since the last time that the session was saved
    bool is_kept_ = true;  // whether the last attempt to write it was successful
    Background writing_;   // of the session
};

}  // namespace shardscope
