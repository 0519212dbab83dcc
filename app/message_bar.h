// What went wrong, and what was done in silence, above everything and in nobody's way: no dialog to click
// away. Object names: "message", "message/text".
#pragma once

#include <QWidget>

#include "text/problem.h"

class QLabel;

namespace shardscope {

class MessageBar : public QWidget {
    Q_OBJECT
  public:
    explicit MessageBar(QWidget* parent = nullptr);

    void say(const QString& message);
    [[nodiscard]] QString text() const;
    // A line each, with `file` before it; none: nothing is said.
    void say(const Problems& problems, const QString& file);

  private:
    QLabel* text_;
};

}  // namespace shardscope
