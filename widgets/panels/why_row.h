// A row of the Why panel: symbol | label | value, or colour square | label | bar | value. The label wraps if
// the row is too narrow; nothing is cut off. A row that can be explained in turn ends with a chevron and
// opens on a click, Enter or Space.
#pragma once

#include <QColor>
#include <QWidget>
#include <optional>

#include "explain/explanation.h"

namespace shardscope {

class WhyRow : public QWidget {
    Q_OBJECT
  public:
    using QWidget::QWidget;

    // These return whether anything changed, and are cheap if nothing did.
    bool set_text(const QString& symbol, const QString& label, const QString& value);
    bool set_bar(double share, const QColor& color);  // 0 … 1
    void set_opens(const std::optional<Subject>& opens);
    [[nodiscard]] QString value() const { return value_; }

    [[nodiscard]] bool hasHeightForWidth() const override { return true; }
    [[nodiscard]] int heightForWidth(int width) const override;

  Q_SIGNALS:
    void opened(const Subject& subject);

  protected:
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

  private:
    struct Places {
        double label_left;
        double label_width;
        bool value_below;  // label and value do not fit side by side
        double right;      // right edge of the value
    };
    [[nodiscard]] Places places(int width) const;

    QString symbol_;
    QString label_;
    QString value_;
    std::optional<double> share_;
    QColor color_;
    std::optional<Subject> opens_;
    mutable int known_width_ = -1;  // cached, because heights are requested in every frame
    mutable int known_height_ = 0;
};

// A box behind the rows of a section: filled with the window colour, with a thin frame.
class WhyBox : public QWidget {
    Q_OBJECT
  public:
    using QWidget::QWidget;

  protected:
    void paintEvent(QPaintEvent* event) override;
};

}  // namespace shardscope
