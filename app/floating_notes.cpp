#include "app/floating_notes.h"

#include <QEvent>
#include <QVBoxLayout>
#include <algorithm>

namespace shardscope {

FloatingNotes::FloatingNotes(QWidget* over) : QFrame(over) {
    setObjectName(QStringLiteral("notes"));
    setFrameShape(QFrame::StyledPanel);
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    auto* notes = new QVBoxLayout(this);
    notes->setContentsMargins(0, 0, 0, 0);
    notes->setSpacing(0);
    over->installEventFilter(this);
    hide();
}

void FloatingNotes::add(QWidget* note) {
    layout()->addWidget(note);
    note->installEventFilter(this);
}

bool FloatingNotes::eventFilter(QObject* watched, QEvent* event) {
    switch (event->type()) {
        case QEvent::Resize:
        case QEvent::ShowToParent:
        case QEvent::HideToParent:
        case QEvent::LayoutRequest:
            if (watched == parent() || watched->parent() == this) place();
            break;
        default: break;
    }
    return QFrame::eventFilter(watched, event);
}

void FloatingNotes::place() {
    bool used = false;
    for (int i = 0; i < layout()->count(); ++i) used = used || !layout()->itemAt(i)->widget()->isHidden();
    setVisible(used);
    if (!used) return;
    constexpr int kMargin = 12;
    constexpr int kWidest = 720;
    const int width = std::min(parentWidget()->width() - 2 * kMargin, kWidest);
    const int wanted =
        layout()->hasHeightForWidth() ? layout()->heightForWidth(width) : layout()->sizeHint().height();
    const int height = std::min(wanted + 2 * frameWidth(), parentWidget()->height() - 2 * kMargin);
    setGeometry((parentWidget()->width() - width) / 2, parentWidget()->height() - height - kMargin, width,
                height);
    layout()->activate();
    // A note that is just being shown gets no event about its new size.
    for (int i = 0; i < layout()->count(); ++i) {
        const QWidget* note = layout()->itemAt(i)->widget();
        if (note->layout()) note->layout()->setGeometry(note->contentsRect());
    }
    raise();
}

}  // namespace shardscope
