// The command line: a list beside the search field of the controls shows what the typed words can do. Up and
// Down choose a command, Enter runs it, Tab or a click runs the one that is marked, and Esc closes the list.
// The list lies over the window, so that nothing moves. Object names: "commands", "commands/list".
#pragma once

#include <QFrame>

#include "app/command_line/window_command.h"

class QLineEdit;
class QTreeWidget;

namespace shardscope {

class CommandLine : public QFrame {
    Q_OBJECT
  public:
    // The list is shown over `window`, the widget that contains all panes; `field` is where the words are
    // typed. All of `targets` have to outlive this object.
    CommandLine(QLineEdit& field, QWidget& window, const CommandTargets& targets);

    // Returns the commands in the list.
    [[nodiscard]] const WindowCommands& commands() const { return commands_; }

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void refresh();
    void place();
    void step(int by);
    void run(int row);
    bool press_key(int key);

    QLineEdit& field_;
    QTreeWidget* list_;
    CommandTargets targets_;
    WindowCommands commands_;
};

}  // namespace shardscope
