// A button of the tool bar that opens a menu.
#pragma once

class QString;
class QToolButton;
class QWidget;

namespace shardscope {

// With an empty menu, whose tool tips are shown; the icon is in the text's colour.
QToolButton* make_menu_button(const QString& object_name, const QString& icon, QWidget* parent);

}  // namespace shardscope
