// The Walls map tab, live. Its crosshair is the scenario: dragged at the ring it changes both inputs, by an
// arm or with Shift one of them; a double click sets them, arrow keys move them by a step.
//
// While something else is dragged a coarse map is drawn at once; the fine one comes from the background.
#pragma once

#include <QTimer>
#include <memory>
#include <optional>

#include "widgets/background.h"
#include "widgets/plots/live_plot.h"
#include "widgets/plots/walls_figure.h"

class QComboBox;
class QKeyEvent;

namespace shardscope {

class WallsPlot : public LivePlot {
    Q_OBJECT
  public:
    explicit WallsPlot(LiveModel& model, QWidget* parent = nullptr);
    ~WallsPlot() override;

    // What is drawn, up to date also while the plot is hidden; a finer map may still be on its way.
    [[nodiscard]] const WallsFigure& figure();
    [[nodiscard]] bool pending() const override {
        return refine_.isActive() || fine_.pending() || walls_of_pins_.pending();
    }
    void choose_axes(P x, P y);

    [[nodiscard]] FigureRequest request() const override;
    [[nodiscard]] View view() const override;
    void show_view(const View& view) override;

  Q_SIGNALS:
    void refined();  // the finest map of what the model says now is drawn

  protected:
    void update_figure() override;
    void refit_figure() override;
    void style_figure(const Theme& theme, const QFont& font) override;
    [[nodiscard]] QString description() const override;
    void take_pins() override;
    void press(QMouseEvent* event) override;
    void move(QMouseEvent* event) override;
    void double_click(QMouseEvent* event) override;
    void let_go() override;
    void keyPressEvent(QKeyEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    // All that the map depends on: the same one needs no new map.
    struct Subject {
        Scenario rest;  // the scenario with both inputs at the map's corner
        Axis x, y;
        bool planned = false;
        bool hypothetical = false;
        bool operator==(const Subject& other) const;
    };

    // The map that came last, so that its export and its table are not worked out again.
    struct Made {
        WallsRequest request;
        std::shared_ptr<const WallsData> map;
    };

    [[nodiscard]] P chosen(const QComboBox& box) const;
    void take_choices();
    void take_axes();
    [[nodiscard]] WallsRequest asked(bool planned) const;
    void take_map();
    void ask_for_finer_map();
    void ask_for_walls_of_pins();
    // The value under a pixel that a person would mean: the roundest of those the pixel covers.
    [[nodiscard]] double meant(P id, double value, double before, double after) const;
    void drag_to(QMouseEvent* event);
    void step(P id, int way);

    QComboBox* x_box_;
    QComboBox* y_box_;
    QComboBox* plan_;
    std::unique_ptr<WallsFigure> figure_;
    Axis x_, y_;
    std::string x_range_, y_range_;  // of a view; "": the slider's
    std::optional<Subject> subject_;
    WallsRequest wanted_;                 // the fine map that is to come,
    std::shared_ptr<PlannedMap> rounds_;  // and how, where it plans anew
    Made made_;
    WallsFigure::Part dragged_ = WallsFigure::Part::none;
    QPointF pressed_at_;
    QTimer refine_;
    Background walls_of_pins_;
    Background fine_;  // last: their threads end before what they deliver to
};

}  // namespace shardscope
