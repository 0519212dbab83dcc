// A header with a triangle, a title and a muted summary at the right; a click or Space opens and closes its
// content.
#pragma once

#include <QAbstractButton>

namespace shardscope {

class Disclosure : public QAbstractButton {
  public:
    // A heading is bold and spans the panel; another one is as wide as its text.
    Disclosure(const QString& title, bool heading, QWidget* parent);

    void set_summary(const QString& summary);
    // Places a widget beside the title, where it needs no row.
    void set_side(QWidget* side);
    void set_heading_height(int height);
    // Draws the header as open during a search, which also shows matches in closed groups. The user's choice
    // of open or closed is kept.
    void set_forced_open(bool open);
    [[nodiscard]] QSize sizeHint() const override;

  protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    bool event(QEvent* event) override;

  private:
    [[nodiscard]] int padding() const;
    [[nodiscard]] int arrow() const;
    [[nodiscard]] int text_left() const;
    [[nodiscard]] QFont title_font() const;
    [[nodiscard]] int side_left() const;
    void place_side();
    [[nodiscard]] QString fitting_summary(const QFontMetrics& metrics, int width) const;
    void draw(QPainter& painter, const QRect& area, Qt::Alignment side, const QString& words) const;
    void paint_arrow(QPainter& painter, QPointF at, const QColor& colour) const;

    QString summary_;
    QWidget* side_ = nullptr;
    bool heading_;
    bool forced_open_ = false;
    int heading_height_ = 0;
};

}  // namespace shardscope
