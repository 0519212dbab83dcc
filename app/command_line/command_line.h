// The command line: a list beside the search field of the controls shows what the typed words can do. Up and
// Down choose a command, Enter runs it, a click runs the one under the pointer, and Esc clears the words.
// After a command the focus is where it was before, so that letters are shortcuts again. The list lies over
// the window, so that nothing moves. Object names: "commands", "commands/list".
#pragma once

#include <QFrame>
#include <QPointer>

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
    // Fills the list and chooses the command of this name, or the first.
    void fill(const QString& chosen);
    [[nodiscard]] QString chosen() const;  // the name of the chosen command; "" without commands
    void describe();                       // tells a screen reader which command is chosen
    void place();
    void step(int by);
    void run(int row);
    bool press_key(int key);

    QLineEdit& field_;
    QPointer<QWidget> before_;   // what had the focus before the field
    QString field_description_;  // without commands
    QTreeWidget* list_;
    CommandTargets targets_;
    WindowCommands commands_;
};

}  // namespace shardscope
