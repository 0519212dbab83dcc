// Draws the timeline plot: a compute lane and a communication lane for every stage, and below them the memory
// of the fullest stage, on one time axis. The live plot and the exports use this same code.
#pragma once

#include <QFont>
#include <QPointF>
#include <QString>
#include <QStringList>
#include <memory>
#include <optional>
#include <vector>

#include "widgets/chart/plot_ruler.h"
#include "widgets/chart/plot_zoom.h"
#include "widgets/plots/timeline/timeline_data.h"
#include "widgets/theme/theme.h"

class QCustomPlot;

namespace shardscope {

class TimelineFigure : public ZoomableFigure {
  public:
    struct Ghost {
        char letter = 'B';
        double end = 0;       // s
        double capacity = 0;  // usable bytes
    };

    // `plot` must outlive the figure and show nothing else.
    explicit TimelineFigure(QCustomPlot& plot);
    ~TimelineFigure() override;

    void set_style(const Theme& theme, const QFont& font);
    // The axes stay as they are, see `refit`.
    void set_data(TimelineData data);
    void set_ghosts(std::vector<Ghost> ghosts);
    void set_dimmed(bool dimmed);
    // Fits the time axis to the whole step unless the user has zoomed in, and fits the memory axis and the
    // margins.
    void refit();

    // The part of the step that is shown, s.
    [[nodiscard]] AxisRange range() const;
    [[nodiscard]] QPointF zoom_center() const override { return lanes().center(); }
    [[nodiscard]] bool shows_scenario() const override { return true; }

    [[nodiscard]] const TimelineData& data() const;
    // Positions are in pixels of the plot and are valid after the first drawing.
    [[nodiscard]] double pixel_of(double seconds) const;
    [[nodiscard]] QRectF lane(std::size_t stage, bool communication) const;
    [[nodiscard]] QRectF key() const;  // what the colours mean; empty where there are no times
    [[nodiscard]] QStringList key_words() const;
    [[nodiscard]] QRectF lanes() const;
    [[nodiscard]] QRectF memory_area() const;
    [[nodiscard]] double memory_y(double bytes) const;
    // Return where the ruler stands for a pixel, and what is there.
    [[nodiscard]] std::optional<QPointF> ruler_place(const QPointF& pixel) const;
    [[nodiscard]] std::optional<RulerStop> ruler_stop(const QPointF& place) const;
    // Describes what is drawn at a pixel; empty if nothing is.
    [[nodiscard]] QString words_at(const QPointF& pixel) const;

    // Returns a description for screen readers.
    [[nodiscard]] QString description() const;

  protected:
    [[nodiscard]] std::vector<Frame> frames() const override;
    void apply_zoom() override;

  private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace shardscope
