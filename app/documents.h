// Opens and saves: files, texts from the clipboard or a drop, and the session that the next start takes up.
// What goes wrong is said in the window's line of messages.
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QString>
#include <QStringList>
#include <QTimer>
#include <string>

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
    // All outlive it. From now on the session is kept at every step.
    Documents(Catalogue& catalogue, Session& session, LiveModel& model, Workspace& workspace, PlotTabs& tabs,
              const SidePanels& sides, MessageBar& messages);

    // Any file of openable.h, or an exported figure that carries its scenario. False, with a message shown,
    // when it cannot be used; nothing changes then.
    bool open(const QString& path);
    // All that can be: tables and logs stand beside a scenario, of those that take its place the first is
    // opened and the others are named.
    void open(const QStringList& paths);
    // A text from anywhere, as one undo step.
    bool open_text(const OpenedText& opened);
    // A study: its scenario, its pins, its tab and axes, and the panel, as one undo step.
    void open_study(const Preset& preset);
    // Files, or a text where there are none.
    void drop(const QMimeData& dropped);

    bool save(const QString& file);
    // All scenarios, the pinned ones too, and what is looked at.
    bool save_session(const QString& file);
    bool write_file(const QString& file, const std::string& content);

    // The scenarios as the last window left them, if there were any. Empty, or why they cannot be had and
    // where they are kept; that is shown, too.
    QString restore();
    // The same, and then the file if there is one: one step, as if it were dropped here.
    void start(const QString& file);
    void keep_session();

  private:
    void keep_soon();

    Catalogue& catalogue_;
    Session& session_;
    LiveModel& model_;
    Workspace& workspace_;
    PlotTabs& tabs_;
    MessageBar& messages_;
    QTimer autosave_;
    QElapsedTimer kept_;   // since the session was written
    bool is_kept_ = true;  // whether the last attempt to write it was successful
};

}  // namespace shardscope
