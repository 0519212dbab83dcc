// A row of the Why panel: symbol | label | value, or colour square | label | bar | value. The label wraps
// when the row is too narrow; nothing is cut. One that can be explained in turn ends in a chevron and opens
// by a click, Enter or Space.
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

    // Returns whether anything changed. Both are cheap when nothing did.
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
        bool value_below;  // where label and value have no room side by side
        double right;      // of the value
    };
    [[nodiscard]] Places places(int width) const;

    QString symbol_;
    QString label_;
    QString value_;
    std::optional<double> share_;
    QColor color_;
    std::optional<Subject> opens_;
    mutable int known_width_ = -1;  // heights are asked for every frame
    mutable int known_height_ = 0;
};

// A thin frame in the window colour behind the rows of a section.
class WhyBox : public QWidget {
    Q_OBJECT
  public:
    using QWidget::QWidget;

  protected:
    void paintEvent(QPaintEvent* event) override;
};

}  // namespace shardscope
