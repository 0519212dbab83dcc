#include "app/floating_notes.h"

#include <QEvent>
#include <QPainter>
#include <QVBoxLayout>
#include <algorithm>

#include "widgets/theme/theme.h"

namespace shardscope {

FloatingNotes::FloatingNotes(const QWidget& line, QWidget* parent) : QFrame(parent), line_(line) {
    setObjectName(QStringLiteral("notes"));
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    auto* notes = new QVBoxLayout(this);
    notes->setContentsMargins(1, 1, 1, 1);  // the border
    notes->setSpacing(0);
    parent->installEventFilter(this);
    line.parentWidget()->installEventFilter(this);
    hide();
}

void FloatingNotes::add(QWidget* note) {
    layout()->addWidget(note);
    note->installEventFilter(this);
}

bool FloatingNotes::eventFilter(QObject* watched, QEvent* event) {
    switch (event->type()) {
        case QEvent::Move:
        case QEvent::Resize:
        case QEvent::ShowToParent:
        case QEvent::HideToParent:
        case QEvent::LayoutRequest:
            if (watched == parent() || watched == line_.parentWidget() || watched->parent() == this) place();
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
    constexpr int kWidest = 960;
    const int width = std::min(parentWidget()->width() - 2 * kMargin, kWidest);
    const int wanted =
        layout()->hasHeightForWidth() ? layout()->heightForWidth(width) : layout()->sizeHint().height();
    constexpr int kBelow = 2;
    const int bottom = line_.mapTo(parentWidget(), line_.rect().bottomLeft()).y() + 1 + kBelow;
    const int height = std::min(wanted, bottom - kMargin);
    setGeometry((parentWidget()->width() - width) / 2, bottom - height, width, height);
    layout()->activate();
    // A note that is just being shown gets no event about its new size.
    for (int i = 0; i < layout()->count(); ++i) {
        const QWidget* note = layout()->itemAt(i)->widget();
        if (note->layout()) note->layout()->setGeometry(note->contentsRect());
    }
    raise();
}

void FloatingNotes::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setPen(QPen(current_theme().border, 1));
    painter.drawRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5));
}

}  // namespace shardscope
