// The bar at the top of the window with error messages and notes on what the program has done. It replaces
// dialogs that have to be closed. Of a message for which it is too low, it shows the first lines and a button
// that unfolds the others. Object names: "message", "message/text", "message/more".
#pragma once

#include <QTimer>
#include <QWidget>

#include "text/problem.h"

class QLabel;
class QToolButton;

namespace shardscope {

class MessageBar : public QWidget {
    Q_OBJECT
  public:
    explicit MessageBar(QWidget* parent = nullptr);

    // Shows a message until it is dismissed or replaced.
    void say(const QString& message);
    // Shows one line per problem, with `file` before it; shows nothing if there are none.
    void say(const Problems& problems, const QString& file);
    // Shows a message about what the program has done. It disappears after some seconds, but not while the
    // pointer is on it.
    void report(const QString& message);
    // Hides the message if it is still this one.
    void withdraw(const QString& message);
    [[nodiscard]] QString text() const;

  Q_SIGNALS:
    // The user wants to see all lines of the message, or its first lines again.
    void unfolded(bool on);

  protected:
    void hideEvent(QHideEvent* event) override;
    void changeEvent(QEvent* event) override;

  private:
    void set_small();

    QLabel* text_;
    QToolButton* more_;
    QTimer end_;  // of a report
};

}  // namespace shardscope
