#include "app/menu_button.h"

#include <QMenu>
#include <QToolButton>

#include "widgets/theme/icons.h"
#include "widgets/theme/theme.h"

namespace shardscope {

QToolButton* make_menu_button(const QString& object_name, const QString& icon, QWidget* parent) {
    auto* button = new QToolButton(parent);
    button->setObjectName(object_name);
    const auto tint = [button, icon] { button->setIcon(tinted_icon(icon, current_theme().text)); };
    QObject::connect(&ThemeManager::instance(), &ThemeManager::changed, button, tint);
    tint();
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    button->setPopupMode(QToolButton::InstantPopup);
    auto* menu = new QMenu(button);
    menu->setToolTipsVisible(true);
    button->setMenu(menu);
    return button;
}

}  // namespace shardscope
