#include "widgets/explainable.h"

#include <QWidget>

namespace shardscope {

std::optional<Subject> subject_of(const QWidget* widget) {
    for (; widget; widget = widget->parentWidget()) {
        const auto* here = dynamic_cast<const Explainable*>(widget);
        if (!here) continue;
        if (auto subject = here->focused_subject()) return subject;
    }
    return std::nullopt;
}

}  // namespace shardscope
