// Line icons in the theme's colour.
#pragma once

#include <QIcon>
#include <QString>

class QColor;

namespace shardscope {

// The resource icon of that name ("pin"), set in one colour, and for QIcon::Selected in that of highlighted
// text. The files are drawn in one colour on nothing; disabled states follow from it. A null icon when there
// is none of that name.
QIcon tinted_icon(const QString& name, const QColor& color);

}  // namespace shardscope
