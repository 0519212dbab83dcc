// A panel painted by hand whose rows explain themselves: arrow keys walk through them, a click, Enter or
// Space asks why.
#pragma once

#include <QRectF>
#include <QString>
#include <QWidget>
#include <vector>

#include "explain/output.h"
#include "widgets/explainable.h"

namespace shardscope {

class LiveModel;

class TermPanel : public QWidget, public Explainable {
    Q_OBJECT
  public:
    struct Row {
        Output output;
        QRectF box;     // px, what the focus frames
        QString words;  // "Weights 12.3 GiB"
    };

    // `name` is what assistive technology calls the panel while no row of it has the focus.
    TermPanel(const QString& name, LiveModel& model, QWidget* parent);

    // From top to bottom; never empty.
    [[nodiscard]] virtual std::vector<Row> rows() const = 0;
    [[nodiscard]] Output focused() const { return focused_; }
    [[nodiscard]] std::optional<Subject> subject_here() const override;
    [[nodiscard]] std::optional<Subject> subject_at(const QPointF& at) const override {
        return Subject::of(output_at(at));
    }

  protected:
    void explain(Output output) const;
    // Of the row, or of what is drawn for it, at this point; of the whole elsewhere.
    [[nodiscard]] virtual Output output_at(const QPointF& at) const = 0;
    [[nodiscard]] LiveModel& model() const { return model_; }
    void paint_focus(QPainter& painter) const;  // last of all
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

  private:
    void name_focused();

    LiveModel& model_;
    QString name_;
    Output focused_ = Output::count;  // count: not been here yet
};

}  // namespace shardscope
