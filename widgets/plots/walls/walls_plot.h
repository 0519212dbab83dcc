// The Walls map tab, live. Its crosshair marks the scenario. Dragging its ring changes both inputs; dragging
// an arm, or the ring with Shift, changes one of them. A double click sets both inputs, and the arrow keys
// move them by a step.
//
// While another input is dragged, a coarse map is drawn at once; the fine map is computed in the background.
#pragma once

#include <QTimer>
#include <memory>
#include <optional>

#include "widgets/background.h"
#include "widgets/plots/live_plot.h"
#include "widgets/plots/walls/walls_figure.h"

class QComboBox;
class QKeyEvent;

namespace shardscope {

class WallsPlot : public LivePlot {
    Q_OBJECT
  public:
    explicit WallsPlot(LiveModel& model, QWidget* parent = nullptr);
    ~WallsPlot() override;

    // Returns the figure, brought up to date even while the plot is hidden; a finer map may still be pending.
    [[nodiscard]] const WallsFigure& figure();
    [[nodiscard]] bool pending() const override {
        return refine_.isActive() || fine_.pending() || walls_of_pins_.pending();
    }
    void choose_axes(P x, P y);

    [[nodiscard]] FigureRequest request() const override;
    [[nodiscard]] View view() const override;
    void show_view(const View& view) override;

  Q_SIGNALS:
    void refined();  // the finest map of the current scenario is drawn

  protected:
    void update_figure() override;
    void refit_figure() override;
    void style_figure(const Theme& theme, const QFont& font) override;
    [[nodiscard]] QString description() const override;
    void update_pins() override;
    void press(QMouseEvent* event) override;
    void move(QMouseEvent* event) override;
    void double_click(QMouseEvent* event) override;
    void end_drag() override;
    [[nodiscard]] std::optional<Place> place_at(const QPointF& pixel) const override;
    [[nodiscard]] bool is_handle(const QPointF& pixel) const override;
    void keyPressEvent(QKeyEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    // Everything the map depends on; if it is unchanged, no new map is needed.
    struct MapKey {
        Scenario rest;  // the scenario with both inputs at the map's corner
        Axis x, y;
        bool planned = false;
        bool hypothetical = false;
        bool operator==(const MapKey& other) const;
    };

    // The last computed map, so that its export and its table need not compute it again.
    struct Made {
        WallsRequest request;
        std::shared_ptr<const WallsData> map;
    };

    [[nodiscard]] P chosen(const QComboBox& box) const;
    void apply_axis_choices();
    void update_axes();
    [[nodiscard]] WallsRequest asked(bool planned) const;
    void take_map();
    void ask_for_finer_map();
    void ask_for_walls_of_pins();
    void drag_to(QMouseEvent* event);
    // Returns the values of both inputs that a person would mean by a pixel.
    [[nodiscard]] QPointF round_values(const QPointF& at) const;
    void step(P id, int way);

    QComboBox* x_box_;
    QComboBox* y_box_;
    QComboBox* plan_;
    std::unique_ptr<WallsFigure> figure_;
    Axis x_{kWallsX, {}}, y_{kWallsY, {}};  // without values until the first map
    std::string x_range_, y_range_;         // set by a view; "": the slider's range
    std::optional<MapKey> map_key_;
    WallsRequest wanted_;                 // the requested fine map,
    std::shared_ptr<PlannedMap> rounds_;  // and its rounds, if it re-plans in every cell
    Made made_;
    WallsFigure::Handle dragged_ = WallsFigure::Handle::none;
    QTimer refine_;
    Background walls_of_pins_;
    Background fine_;  // last: the threads end before the members they deliver to
};

}  // namespace shardscope
