// The Walls map's drawing: MFU over two inputs, bounded by what binds where, with a crosshair that is the
// scenario and profiles of MFU along its arms. The live plot and the exports fill theirs with this same code.
#pragma once

#include <QFont>
#include <QPointF>
#include <QString>
#include <memory>
#include <vector>

#include "widgets/plots/walls_data.h"
#include "widgets/plots/walls_labels.h"
#include "widgets/theme/theme.h"

class QCustomPlot;

namespace shardscope {

class WallsFigure {
  public:
    // A pinned scenario: a ring, and its own walls, dashed, once they are known.
    struct Ghost {
        char letter = 'B';
        WallsPoint point;
        WallsData data;
    };
    // What of the crosshair lies under the pointer.
    enum class Part { none, center, vertical, horizontal };

    // `plot` must outlive the figure and show nothing else.
    explicit WallsFigure(QCustomPlot& plot);
    ~WallsFigure();
    WallsFigure(const WallsFigure&) = delete;
    WallsFigure& operator=(const WallsFigure&) = delete;

    void set_style(const Theme& theme, const QFont& font);
    void set_data(WallsData data);
    void set_point(const WallsPoint& point);
    void set_ghosts(std::vector<Ghost> ghosts);
    // An input is not valid: the last valid picture stays, dimmed.
    void set_dimmed(bool dimmed);
    // The map belongs to an older scenario until the new one is there.
    void set_stale(bool stale);
    void set_focused(bool focused);
    // The profiles' scale for what is shown now: 60 %, or 100 % where the map goes beyond.
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
    [[nodiscard]] Part part_at(const QPointF& pixel) const;
    // The scenario's tag and the regions' names as they were drawn last; no tag where there was no room.
    [[nodiscard]] QRectF own_tag() const;
    [[nodiscard]] const std::vector<WallsTag>& region_tags() const;

    // One or two sentences for those who cannot see it.
    [[nodiscard]] QString description() const;

  private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace shardscope
