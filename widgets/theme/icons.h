// Line icons in the theme's colour.
#pragma once

#include <QIcon>
#include <QString>

class QColor;

namespace shardscope {

// Returns the resource icon of that name ("pin") in one colour, and for QIcon::Selected in the colour of
// highlighted text. The icon files have one colour on a transparent background; Qt derives the disabled
// state. Returns a null icon if there is no file of that name.
QIcon tinted_icon(const QString& name, const QColor& color);

}  // namespace shardscope
