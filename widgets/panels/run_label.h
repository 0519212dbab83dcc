// One line of text set in several faces on one baseline: "40.3" large and bold, " %" small and regular.
#pragma once

#include <QColor>
#include <QFont>
#include <QLabel>
#include <QList>

#include "widgets/explainable.h"

namespace shardscope {

struct Run {
    QString text;
    QFont font;
    QColor color;
    bool operator==(const Run&) const = default;
};

// `text()` is the runs put together. Setting the same runs again costs nothing, so callers may do it each
// frame.
class RunLabel : public QLabel, public Explainable {
    Q_OBJECT
  public:
    enum class Marker { none, square, hatched };

    explicit RunLabel(const QString& object_name, QWidget* parent = nullptr);

    void set_runs(const QList<Run>& runs);
    // A small square before the text: a data colour, or the hatch of what does not fit.
    void set_marker(Marker marker, const QColor& color = {});
    // Distance of the baseline from the top, so that neighbours of different size line up.
    void set_baseline(int pixels);
    // Shows this: takes clicks and the keyboard; emits clicked().
    void make_clickable(const Subject& shown);
    [[nodiscard]] std::optional<Subject> subject_here() const override { return subject_; }

    [[nodiscard]] double natural_width() const { return natural_width_; }
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override { return sizeHint(); }

  Q_SIGNALS:
    void clicked();

  protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void paint_focus(QPainter& painter);
    [[nodiscard]] const QList<Run>& runs() const { return runs_; }

  private:
    QList<Run> runs_;
    Marker marker_ = Marker::none;
    QColor marker_color_;
    double natural_width_ = 0;
    int baseline_ = -1;
    std::optional<Subject> subject_;
};

}  // namespace shardscope
