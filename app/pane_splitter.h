// Panes beside or above each other with thin lines between them, which can be dragged. A double click on a
// line restores the widths that the window chooses.
#pragma once

#include <QSplitter>

namespace shardscope {

class PaneSplitter : public QSplitter {
    Q_OBJECT
  public:
    PaneSplitter(Qt::Orientation orientation, const QString& name, QWidget* parent = nullptr);

    // Returns whether the user has dragged a line, so that the window no longer chooses the sizes.
    [[nodiscard]] bool is_moved() const { return moved_; }
    void set_moved(bool moved) { moved_ = moved; }

  Q_SIGNALS:
    void reset_requested();

  protected:
    QSplitterHandle* createHandle() override;

  private:
    friend class PaneHandle;
    bool moved_ = false;
};

}  // namespace shardscope
