// Draws the Walls map: MFU over two inputs, borders between the regions in which different walls bind, a
// crosshair at the scenario, and profiles of MFU along the crosshair's arms. The live plot and the exports
// use this same code.
#pragma once

#include <QFont>
#include <QPointF>
#include <QString>
#include <memory>
#include <optional>
#include <vector>

#include "widgets/chart/plot_ruler.h"
#include "widgets/chart/plot_zoom.h"
#include "widgets/plots/walls/walls_data.h"
#include "widgets/plots/walls/walls_labels.h"
#include "widgets/theme/theme.h"

class QCustomPlot;

namespace shardscope {

class WallsFigure : public ZoomableFigure {
  public:
    // A pinned scenario: a ring, and its own walls, dashed, once they are known.
    struct Ghost {
        char letter = 'B';
        WallsPoint point;
        WallsData data;
    };
    // The parts of the crosshair that can be dragged.
    enum class Handle { none, center, vertical, horizontal };

    // `plot` must outlive the figure and show nothing else.
    explicit WallsFigure(QCustomPlot& plot);
    ~WallsFigure() override;

    void set_style(const Theme& theme, const QFont& font);
    void set_data(WallsData data);
    void set_point(const WallsPoint& point);
    void set_ghosts(std::vector<Ghost> ghosts);
    // Dims the last valid picture while an input is not valid.
    void set_dimmed(bool dimmed);
    // Marks the map as one of an older scenario until the new map is ready.
    void set_stale(bool stale);
    void set_focused(bool focused);
    // Fits the profiles' scale to the current map: 60 %, or 100 % if the map exceeds that.
    void refit();

    [[nodiscard]] const WallsData& data() const;
    [[nodiscard]] const WallsPoint& point() const;
    [[nodiscard]] const std::vector<Ghost>& ghosts() const;
    [[nodiscard]] bool stale() const;

    // In pixels of the plot.
    [[nodiscard]] QRectF frame() const;
    [[nodiscard]] QPointF pixel_of(double x, double y) const;
    [[nodiscard]] double x_at(const QPointF& pixel) const;
    [[nodiscard]] double y_at(const QPointF& pixel) const;
    [[nodiscard]] bool inside(const QPointF& pixel) const;
    [[nodiscard]] Handle handle_at(const QPointF& pixel) const;
    // Return where the ruler stands for a pixel, and what is there.
    [[nodiscard]] std::optional<QPointF> ruler_place(const QPointF& pixel) const;
    [[nodiscard]] std::optional<RulerStop> ruler_stop(const QPointF& place) const;
    // The scenario's tag and the regions' names as they were last drawn; the tag is empty if there was no
    // room for it.
    [[nodiscard]] QRectF own_tag() const;
    [[nodiscard]] const std::vector<WallsTag>& region_tags() const;

    [[nodiscard]] QPointF zoom_center() const override;
    [[nodiscard]] bool shows_scenario() const override;

    // Returns one or two sentences for screen readers.
    [[nodiscard]] QString description() const;

  protected:
    [[nodiscard]] std::vector<Frame> frames() const override;
    void apply_zoom() override;

  private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace shardscope
