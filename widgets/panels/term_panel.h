// A custom-painted panel whose rows can be explained. Arrow keys move through the rows; a click, Enter or
// Space requests an explanation. A click on a term of the glossary beside the rows opens the glossary there.
#pragma once

#include <QRectF>
#include <QString>
#include <QWidget>
#include <optional>
#include <vector>

#include "explain/output.h"
#include "widgets/explainable.h"
#include "widgets/term.h"

namespace shardscope {

class LiveModel;

class TermPanel : public QWidget, public Explainable {
    Q_OBJECT
  public:
    struct Row {
        Output output;
        QRectF box;     // px, framed if the row has the focus
        QString words;  // "Weights 12.3 GiB"
    };

    // `name` is the panel's accessible name while none of its rows has the focus.
    TermPanel(const QString& name, LiveModel& model, QWidget* parent);

    // From top to bottom; never empty.
    [[nodiscard]] virtual std::vector<Row> rows() const = 0;
    [[nodiscard]] std::optional<Output> focused() const { return focused_; }
    [[nodiscard]] std::optional<Subject> focused_subject() const override;
    [[nodiscard]] std::optional<Subject> subject_at(const QPointF& at) const override {
        return Subject::of(output_at(at));
    }

  protected:
    void explain(Output output) const;
    [[nodiscard]] virtual bool is_on_row(const QPointF& at) const = 0;
    // Returns the output of the row, or of its drawing, at this point; elsewhere that of the whole panel.
    [[nodiscard]] virtual Output output_at(const QPointF& at) const = 0;
    [[nodiscard]] LiveModel& model() const { return model_; }
    void paint_focus(QPainter& painter) const;  // must be painted last
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

  private:
    // Returns the term of the glossary that is written at this point, beside the rows.
    [[nodiscard]] std::optional<Term> term_at(const QPointF& at);
    void name_focused();

    LiveModel& model_;
    QString name_;
    std::optional<Output> focused_;  // none: no row has had the focus yet
};

}  // namespace shardscope
