#include "app/floating_notes.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QMenuBar>
#include <QPainter>
#include <QStyle>
#include <QToolBar>
#include <QToolButton>
#include <algorithm>

#include "widgets/theme/theme.h"

namespace shardscope {

FloatingNotes::FloatingNotes(const QMenuBar& menus, const QToolBar& tools, QWidget* window)
    : QFrame(window), menus_(menus), tools_(tools) {
    setObjectName(QStringLiteral("notes"));
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    auto* notes = new QHBoxLayout(this);
    notes->setContentsMargins(1, 1, 1, 1);  // the border
    notes->setSpacing(0);
    window->installEventFilter(this);
    hide();
}

void FloatingNotes::add(QWidget* note) {
    note->layout()->setContentsMargins(8, 0, 8, 0);
    layout()->addWidget(note);
    note->installEventFilter(this);
}

void FloatingNotes::set_unfolded(bool unfolded) {
    unfolded_ = unfolded;
    place();
}

bool FloatingNotes::event(QEvent* event) {
    const bool handled = QFrame::event(event);
    if (event->type() == QEvent::LayoutRequest) place();  // a note needs another height
    return handled;
}

bool FloatingNotes::eventFilter(QObject* watched, QEvent* event) {
    switch (event->type()) {
        case QEvent::Move:
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

int FloatingNotes::top_of_tools() const {
    int top = parentWidget()->height();
    for (const auto* tool : tools_.findChildren<QToolButton*>()) {
        if (tool->isVisible()) top = std::min(top, tool->mapTo(parentWidget(), QPoint()).y());
    }
    return top;
}

void FloatingNotes::place() {
    bool used = false;
    for (int i = 0; i < layout()->count(); ++i) used = used || !layout()->itemAt(i)->widget()->isHidden();
    setVisible(used);
    if (!used) return;
    constexpr int kGap = 16;    // from the menus
    constexpr int kMargin = 4;  // at the edge of the window
    const QWidget& window = *parentWidget();
    const QRect last = menus_.actionGeometry(menus_.actions().last());
    const bool mirrored = layoutDirection() == Qt::RightToLeft;
    const int menus = mirrored ? menus_.width() - last.left() : last.right() + 1;
    const int width = window.width() - menus - kGap - kMargin;
    const int wanted =
        layout()->hasHeightForWidth() ? layout()->heightForWidth(width) : layout()->sizeHint().height();
    const int most = unfolded_ ? window.height() : top_of_tools();
    const QRect place(window.width() - kMargin - width, 0, width,
                      std::clamp(wanted, menus_.height(), std::max(menus_.height(), most)));
    setGeometry(QStyle::visualRect(layoutDirection(), window.rect(), place));
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
