// A button of the tool bar that opens a menu.
#pragma once

class QString;
class QToolButton;
class QWidget;

namespace shardscope {

// Returns a button with an empty menu, whose tool tips are shown. The icon has the colour of the text.
QToolButton* make_menu_button(const QString& object_name, const QString& icon, QWidget* parent);

}  // namespace shardscope
