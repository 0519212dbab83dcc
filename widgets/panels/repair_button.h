// A button that applies a repair. It shows the change in bold, and below it the predicted result. The last
// parts of a long change are in the second line.
#pragma once

#include <QAbstractButton>
#include <limits>

#include "explore/repair.h"

namespace shardscope {

class RepairButton : public QAbstractButton {
    Q_OBJECT
  public:
    explicit RepairButton(QWidget* parent = nullptr);
    // A repair that does not work has a dashed border, is disabled and shows the reason. The best repair has
    // a thicker border.
    void set_repair(const Repair& repair, bool best);
    // Leaves out the memory, for small windows, but not the word “risky”.
    void set_brief(bool brief);
    // Continues a label that is longer than this, in px, in the second line.
    void set_longest(double longest) { longest_ = longest; }
    [[nodiscard]] QSize sizeHint() const override;
    // Returns the height of every button whose font is `font`; px.
    static int height_for(const QFont& font);

  Q_SIGNALS:
    // The pointer or, with the Tab key, the focus comes to the button, or leaves it.
    void pointed(bool on);

  protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void enterEvent(QEnterEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

  private:
    struct Lines {
        QString first;
        QString second;  // before the rate
    };
    [[nodiscard]] QString before_rate() const;
    [[nodiscard]] Lines lines() const;

    QString label_;
    QString result_;  // "fits, 74.1 GiB, "
    QString rate_;    // "MFU 46.0 %", set in bold
    bool risky_ = false;
    bool best_ = false;
    bool brief_ = false;
    double longest_ = std::numeric_limits<double>::infinity();
};

}  // namespace shardscope
