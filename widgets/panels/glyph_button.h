// A button with a chevron or a cross that is drawn in the colours of the theme.
#pragma once

#include <QToolButton>

namespace shardscope {

class GlyphButton : public QToolButton {
    Q_OBJECT
  public:
    enum Glyph { left, right, cross };
    GlyphButton(Glyph glyph, const QString& name, const QString& object_name, QWidget* parent);

  protected:
    void paintEvent(QPaintEvent* event) override;

  private:
    Glyph glyph_;
};

}  // namespace shardscope
