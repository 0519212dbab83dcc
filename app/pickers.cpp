#include "app/pickers.h"

#include <QAction>
#include <QMenu>
#include <QToolButton>
#include <algorithm>
#include <functional>

#include "studies/study.h"
#include "widgets/theme/icons.h"
#include "widgets/theme/theme.h"

namespace shardscope {
namespace {

// A button that opens an empty menu.
QToolButton* make_button(const QString& name, QWidget* parent) {
    auto* button = new QToolButton(parent);
    button->setObjectName(QStringLiteral("picker/") + name);
    const auto tint = [button, name] { button->setIcon(tinted_icon(name, current_theme().text)); };
    QObject::connect(&ThemeManager::instance(), &ThemeManager::changed, button, tint);
    tint();
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    button->setPopupMode(QToolButton::InstantPopup);
    auto* menu = new QMenu(button);
    menu->setToolTipsVisible(true);
    button->setMenu(menu);
    return button;
}

void add_entry(QToolButton& button, const QString& name, const Preset& preset, const QString& tool_tip,
               const std::function<void(const Preset&)>& take) {
    QAction* entry = button.menu()->addAction(QString::fromStdString(preset.title));
    entry->setObjectName(name + QLatin1Char('/') + QString::fromStdString(preset.name));
    entry->setToolTip(tool_tip);
    QObject::connect(entry, &QAction::triggered, &button, [take, &preset] { take(preset); });
}

QToolButton* make_picker(const QString& name, std::vector<const Preset*> presets, QWidget* parent,
                         const std::function<void(const Preset&)>& take) {
    QToolButton* button = make_button(name, parent);
    std::ranges::sort(presets, {}, [](const Preset* preset) { return preset->title; });
    for (const Preset* preset : presets)
        add_entry(*button, name, *preset, QString::fromStdString(preset->source), take);
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

QToolButton* make_study_picker(Catalogue& catalogue, QWidget* parent,
                               const std::function<void(const Preset&)>& take) {
    const QString name = QStringLiteral("study");
    QToolButton* button = make_button(name, parent);
    button->setText(QObject::tr("Study"));
    button->setAccessibleName(QObject::tr("Study: a paper's question as a scenario"));
    button->setToolTip(button->accessibleName());
    std::vector<std::pair<std::string, const Preset*>> studies;  // by paper, then by name
    for (const Preset* preset : catalogue.all(PresetKind::study))
        studies.emplace_back(paper_of(*preset, catalogue).label, preset);
    std::ranges::stable_sort(studies, {}, &std::pair<std::string, const Preset*>::first);
    std::string paper;
    for (const auto& [label, preset] : studies) {
        if (label != paper) button->menu()->addSection(QString::fromStdString(label));
        paper = label;
        add_entry(*button, name, *preset, QString::fromStdString(preset->source), take);
    }
    return button;
}

void refresh_picker(QToolButton& picker, const QString& kind, const Preset* preset, bool modified) {
    QString text =
        kind + QStringLiteral("  ") + (preset ? QString::fromStdString(preset->title) : QObject::tr("own"));
    if (modified) text += QObject::tr(" (modified)");
    if (picker.text() != text) picker.setText(text);
    picker.setAccessibleName(text);
}

}  // namespace shardscope
