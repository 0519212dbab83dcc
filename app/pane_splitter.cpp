#include "app/pane_splitter.h"

#include <QPainter>
#include <QSplitterHandle>

#include "widgets/theme/theme.h"

namespace shardscope {

class PaneHandle : public QSplitterHandle {
  public:
    PaneHandle(Qt::Orientation orientation, PaneSplitter* parent)
        : QSplitterHandle(orientation, parent), splitter_(*parent) {
        QObject::connect(&ThemeManager::instance(), &ThemeManager::changed, this,
                         qOverload<>(&QWidget::update));
    }

  protected:
    void paintEvent(QPaintEvent*) override {
        // Qt extends the area that can be grabbed beyond the line of 1 px.
        QPainter(this).fillRect(contentsRect(), current_theme().line);
    }
    void mouseDoubleClickEvent(QMouseEvent*) override {
        splitter_.moved_ = false;
        Q_EMIT splitter_.reset_requested();
    }

  private:
    PaneSplitter& splitter_;
};

PaneSplitter::PaneSplitter(Qt::Orientation orientation, const QString& name, QWidget* parent)
    : QSplitter(orientation, parent) {
    setObjectName(name);
    setHandleWidth(1);
    setChildrenCollapsible(false);
    connect(this, &QSplitter::splitterMoved, this, [this] { moved_ = true; });
}

QSplitterHandle* PaneSplitter::createHandle() { return new PaneHandle(orientation(), this); }

}  // namespace shardscope
