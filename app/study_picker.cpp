#include "app/study_picker.h"

#include <QAction>
#include <QMenu>
#include <QToolButton>
#include <algorithm>
#include <vector>

#include "app/menu_button.h"
#include "studies/study.h"
#include "widgets/encode.h"
#include "widgets/text.h"

namespace shardscope {

QToolButton* make_study_picker(Catalogue& catalogue, QWidget* parent,
                               const std::function<void(const Preset&)>& take) {
    QToolButton* button = make_menu_button(QStringLiteral("picker/study"), QStringLiteral("study"), parent);
    button->setText(tr("Study"));
    button->setAccessibleName(tr("Study: a paper's question as a scenario"));
    button->setToolTip(button->accessibleName());
    std::vector<std::pair<std::string, const Preset*>> studies;  // by paper, then by name
    for (const Preset* preset : catalogue.all(PresetKind::study))
        studies.emplace_back(paper_of(*preset, catalogue).label, preset);
    std::ranges::stable_sort(studies, {}, &std::pair<std::string, const Preset*>::first);
    QMenu& menu = *button->menu();
    std::string paper;
    for (const auto& [label, preset] : studies) {
        if (label != paper) menu.addSection(action_text(preset_text(label)));
        paper = label;
        QAction* entry = menu.addAction(action_text(preset_text(preset->title)));
        entry->setObjectName(QStringLiteral("study/") + text_of(preset->name));
        entry->setToolTip(tool_tip(preset_text(preset->source)));
        QObject::connect(entry, &QAction::triggered, &menu, [take, preset = preset] { take(*preset); });
    }
    return button;
}

}  // namespace shardscope
