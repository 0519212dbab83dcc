// A label with one line of text in several fonts on one baseline: "40.3" large and bold, " %" small.
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

// `text()` is the concatenation of the runs. Setting the same runs again costs nothing, so callers may do it
// in each frame.
class RunLabel : public QLabel, public Explainable {
    Q_OBJECT
  public:
    enum class Marker { none, square, hatched };

    explicit RunLabel(const QString& object_name, QWidget* parent = nullptr);

    void set_runs(const QList<Run>& runs);
    // Shows a small square before the text, either in a data colour or with the hatch of the memory wall.
    void set_marker(Marker marker, const QColor& color = {});
    // Sets the distance of the baseline from the top, so that neighbours of different sizes are aligned.
    void set_baseline(int pixels);
    // Makes the label clickable, also by keyboard; it then emits clicked(). `shown` is the subject it shows.
    void make_clickable(const Subject& shown);
    [[nodiscard]] std::optional<Subject> focused_subject() const override { return subject_; }

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
