// The timeline plot's drawing: a computing and a communicating lane for every stage, and the memory of the
// fullest one beneath, on one axis of time. The live plot and the exports fill theirs with this same code.
#pragma once

#include <QFont>
#include <QPointF>
#include <QString>
#include <QStringList>
#include <memory>
#include <vector>

#include "widgets/plots/timeline_data.h"
#include "widgets/theme/theme.h"

class QCustomPlot;

namespace shardscope {

class TimelineFigure {
  public:
    struct Ghost {
        char letter = 'B';
        double end = 0;  // s
    };

    // `plot` must outlive the figure and show nothing else.
    explicit TimelineFigure(QCustomPlot& plot);
    ~TimelineFigure();
    TimelineFigure(const TimelineFigure&) = delete;
    TimelineFigure& operator=(const TimelineFigure&) = delete;

    void set_style(const Theme& theme, const QFont& font);
    // The axes stay as they are, see `refit`.
    void set_data(TimelineData data);
    void set_ghosts(std::vector<Ghost> ghosts);
    void set_dimmed(bool dimmed);
    // The whole step, unless somebody has looked closer; memory's axis; margins.
    void refit();

    // The part of the step that is shown, s.
    [[nodiscard]] Stretch range() const;
    [[nodiscard]] bool zoomed() const;
    // `factor` times closer around the time at `pixel`.
    void zoom(double factor, double pixel);
    void move_by(double pixels);
    void show_all();

    [[nodiscard]] const TimelineData& data() const;
    // In pixels of the plot, valid after the first drawing.
    [[nodiscard]] double pixel_of(double seconds) const;
    [[nodiscard]] QRectF lane(std::size_t stage, bool communication) const;
    [[nodiscard]] QRectF key() const;  // what the colours mean; empty where there are no times
    [[nodiscard]] QStringList key_words() const;
    [[nodiscard]] QRectF lanes() const;
    [[nodiscard]] QRectF memory_area() const;
    // What lies there, in words; empty where there is nothing.
    [[nodiscard]] QString words_at(const QPointF& pixel) const;

    // For those who cannot see it.
    [[nodiscard]] QString description() const;

  private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace shardscope
