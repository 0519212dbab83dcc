#include "app/pickers.h"

#include <QAction>
#include <QActionGroup>
#include <QCollator>
#include <QLocale>
#include <QMenu>
#include <QToolButton>
#include <algorithm>
#include <functional>
#include <map>
#include <vector>

#include "app/menu_button.h"
#include "studies/study.h"
#include "widgets/encode.h"
#include "widgets/text.h"

namespace shardscope {
namespace {

constexpr const char* kTicked = "ticked";  // property with the name of the ticked menu entry

// Returns a button "picker/NAME" with the icon NAME.
QToolButton* make_button(const QString& name, QWidget* parent) {
    return make_menu_button(QStringLiteral("picker/") + name, name, parent);
}

QAction* add_entry(QMenu& menu, const QString& name, const Preset& preset,
                   const std::function<void(const Preset&)>& take) {
    QAction* entry = menu.addAction(action_text(preset_text(preset.title)));
    entry->setObjectName(name + QLatin1Char('/') + QString::fromStdString(preset.name));
    entry->setToolTip(tool_tip(preset_text(preset.source)));
    QObject::connect(entry, &QAction::triggered, &menu, [take, &preset] { take(preset); });
    return entry;
}

// Returns the family with which a title begins: "Llama" for "Llama 3.1 405B", "MPT" for "MPT-13B", "Qwen" for
// "Qwen2 72B".
QString family_of(const Preset& preset) {
    const QString title = QString::fromStdString(preset.title);
    const auto end = std::ranges::find_if_not(title, [](QChar c) { return c.isLetter(); });
    return title.first(end - title.begin());
}

// Ticks the entry and the sub-menu that contains it; returns whether the menu contains it.
bool tick(const QMenu& menu, const QString& entry) {
    bool found = false;
    for (QAction* action : menu.actions()) {
        const bool here = action->menu() ? tick(*action->menu(), entry) : action->objectName() == entry;
        if (action->menu()) action->setCheckable(here);  // so that other sub-menus show no empty boxes
        action->setChecked(here);
        found = found || here;
    }
    return found;
}

QToolButton* make_picker(const QString& name, std::vector<const Preset*> presets, QWidget* parent,
                         const std::function<void(const Preset&)>& take) {
    QToolButton* button = make_button(name, parent);
    // Titles are sorted without regard to case, so that "Llama" and "LLaMA" are together, and numerically: 7B
    // before 13B.
    QCollator order(QLocale(QLocale::English, QLocale::UnitedStates));
    order.setNumericMode(true);
    order.setCaseSensitivity(Qt::CaseInsensitive);
    std::ranges::stable_sort(presets, [&](const Preset* a, const Preset* b) {
        return order.compare(QString::fromStdString(a->title), QString::fromStdString(b->title)) < 0;
    });
    const auto key = [](const Preset& preset) { return family_of(preset).toLower(); };
    std::map<QString, int> members;
    for (const Preset* preset : presets) ++members[key(*preset)];
    // Each family has a sub-menu, because a single list would be as high as the screen.
    std::map<QString, QMenu*> family_menus;
    auto* one_of = new QActionGroup(button);
    for (const Preset* preset : presets) {
        QMenu* menu = button->menu();
        if (const QString family = key(*preset); !family.isEmpty() && members[family] > 1) {
            QMenu*& inner = family_menus[family];
            if (!inner) {
                inner = menu->addMenu(family_of(*preset));
                inner->setToolTipsVisible(true);
            }
            menu = inner;
        }
        QAction* entry = add_entry(*menu, name, *preset, take);
        entry->setCheckable(true);
        one_of->addAction(entry);
    }
    return button;
}

}  // namespace

QToolButton* make_cluster_picker(LiveModel& model, QWidget* parent) {
    QToolButton* picker =
        make_picker(QStringLiteral("cluster"), model.catalogue().all(PresetKind::cluster), parent,
                    [&model](const Preset& preset) { model.apply_cluster(preset); });
    picker->setAccessibleDescription(QObject::tr("Fills in the GPUs and their networks"));
    return picker;
}

QToolButton* make_model_picker(LiveModel& model, QWidget* parent) {
    QToolButton* picker = make_picker(QStringLiteral("model"), model.catalogue().all(PresetKind::model),
                                      parent, [&model](const Preset& preset) { model.apply_model(preset); });
    picker->setAccessibleDescription(QObject::tr("Fills in the shape of the model"));
    return picker;
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
        if (label != paper) button->menu()->addSection(action_text(preset_text(label)));
        paper = label;
        add_entry(*button->menu(), name, *preset, take);
    }
    return button;
}

void refresh_picker(QToolButton& picker, const QString& kind, const Preset* preset, bool modified) {
    QString text =
        kind + QStringLiteral("  ") + (preset ? QString::fromStdString(preset->title) : QObject::tr("own"));
    if (modified) text += QObject::tr(" (modified)");
    if (picker.accessibleName() != text) {
        picker.setText(action_text(text));
        picker.setAccessibleName(text);
    }
    // The entries of "picker/model" are called "model/…".
    const QString name = picker.objectName().section(QLatin1Char('/'), 1);
    const QString entry = preset ? name + QLatin1Char('/') + QString::fromStdString(preset->name) : QString();
    if (picker.property(kTicked).toString() == entry) return;
    picker.setProperty(kTicked, entry);
    tick(*picker.menu(), entry);
}

}  // namespace shardscope
