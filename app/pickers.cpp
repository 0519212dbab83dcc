#include "app/pickers.h"

#include <QAction>
#include <QMenu>
#include <QToolButton>
#include <algorithm>
#include <functional>

#include "widgets/theme/icons.h"
#include "widgets/theme/theme.h"

namespace shardscope {
namespace {

QToolButton* make_picker(const QString& name, std::vector<const Preset*> presets, QWidget* parent,
                         const std::function<void(const Preset&)>& take) {
    auto* button = new QToolButton(parent);
    button->setObjectName(QStringLiteral("picker/") + name);
    const auto tint = [button, name] { button->setIcon(tinted_icon(name, current_theme().text)); };
    QObject::connect(&ThemeManager::instance(), &ThemeManager::changed, button, tint);
    tint();
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    button->setPopupMode(QToolButton::InstantPopup);
    auto* menu = new QMenu(button);
    menu->setToolTipsVisible(true);
    std::ranges::sort(presets, {}, [](const Preset* preset) { return preset->title; });
    for (const Preset* preset : presets) {
        QAction* entry = menu->addAction(QString::fromStdString(preset->title));
        entry->setObjectName(name + QLatin1Char('/') + QString::fromStdString(preset->name));
        entry->setToolTip(QString::fromStdString(preset->source));
        QObject::connect(entry, &QAction::triggered, button, [take, preset] { take(*preset); });
    }
    button->setMenu(menu);
    return button;
}

}  // namespace

QToolButton* make_cluster_picker(LiveModel& model, QWidget* parent) {
    return make_picker(QStringLiteral("cluster"), model.catalogue().all(PresetKind::cluster), parent,
                       [&model](const Preset& preset) { model.take_cluster(preset); });
}

QToolButton* make_model_picker(LiveModel& model, QWidget* parent) {
    return make_picker(QStringLiteral("model"), model.catalogue().all(PresetKind::model), parent,
                       [&model](const Preset& preset) { model.take_model(preset); });
}

void refresh_picker(QToolButton& picker, const QString& kind, const Preset* preset, bool modified) {
    QString text =
        kind + QStringLiteral("  ") + (preset ? QString::fromStdString(preset->title) : QObject::tr("own"));
    if (modified) text += QObject::tr(" (modified)");
    if (picker.text() != text) picker.setText(text);
    picker.setAccessibleName(text);
}

}  // namespace shardscope
