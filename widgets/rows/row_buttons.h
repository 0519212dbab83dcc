// The buttons of a parameter row, which paint themselves, because none of them is a box with a text.
#pragma once

#include <QAbstractButton>

class QColor;

namespace shardscope {

class PaintedButton : public QAbstractButton {
  public:
    explicit PaintedButton(QWidget* parent);

  protected:
    void paint_focus(QPainter& painter) const;
};

// Shows a filled "auto" if the planner chooses the value. If the user sets it, it shows a padlock, or an
// outlined "auto".
class AutoButton : public PaintedButton {
  public:
    enum class Look { padlock, chip };
    AutoButton(Look look, QWidget* parent);

  protected:
    void paintEvent(QPaintEvent* event) override;

  private:
    void paint_padlock(QPainter& painter, const QColor& colour) const;

    Look look_;
};

// Shows a dot of 8 px in a larger clickable area.
class ResetDot : public PaintedButton {
  public:
    using PaintedButton::PaintedButton;

  protected:
    void paintEvent(QPaintEvent* event) override;
};

}  // namespace shardscope
