// The base class of the tabs of the main plot area: a row of options with the table and export buttons above
// a canvas that follows the live model. A plot is updated only while it is visible. It keeps its axes during
// a gesture, fits them again afterwards, and follows theme and font.
//
// In a plot that can be zoomed the wheel and the keys + and - zoom, a drag off the handles moves the picture,
// and a double click or the key 0 shows all. A zoom ends with a preset, a change of the axes, or a scenario
// outside it.
//
// A derived class creates its figure on `canvas()` and calls `start()` at the end of its constructor.
#pragma once

#include <QString>
#include <QWidget>
#include <array>
#include <optional>

#include "files/view.h"
#include "widgets/chart/plot_ruler.h"
#include "widgets/drawn_words.h"
#include "widgets/explainable.h"
#include "widgets/live_model.h"
#include "widgets/plots/figure_export.h"
#include "widgets/term.h"
#include "widgets/theme/theme.h"

class QCheckBox;
class QCustomPlot;
class QKeyEvent;
class QMouseEvent;
class QWheelEvent;

namespace shardscope {

class OptionRow;
class ZoomableFigure;
struct PlotKind;
struct Preset;

class LivePlot : public QWidget, public Explainable {
    Q_OBJECT
  public:
    // This QObject has the kind's name; the canvas is called "name/plot".
    LivePlot(const PlotKind& kind, LiveModel& model, QWidget* parent);

    // Returns the request for an export or a table of the plot as it is shown.
    [[nodiscard]] virtual FigureRequest request() const;
    // Returns what is shown, to be stored in a study or a session; `show_view` restores it. Options that a
    // view does not contain get the plot's defaults.
    [[nodiscard]] virtual View view() const;
    virtual void show_view(const View& view);
    // Returns whether a background computation is running; until it ends, the plot is coarse or shows an
    // older scenario.
    [[nodiscard]] virtual bool pending() const { return false; }
    [[nodiscard]] std::optional<Subject> focused_subject() const override;
    // Shows rates even where memory does not suffice, labelled as hypothetical.
    void show_hypothetical(bool on);
    // Updates the figure even while the plot is hidden.
    void bring_up_to_date();
    [[nodiscard]] const PlotRuler& ruler() const { return *ruler_; }
    // Removes what the ruler has fixed; returns whether there was anything.
    bool clear_ruler();

    // What the scenario becomes at a place of the plot: the inputs of the axes have the values there.
    struct Place {
        QString label;  // "GPUs 2,048"
        Scenario scenario;
    };
    // Returns nothing where the plot has no such place.
    [[nodiscard]] virtual std::optional<Place> place_at(const QPointF& /*pixel*/) const { return {}; }
    // Returns the pixel of the canvas at a pixel of this widget.
    [[nodiscard]] QPoint canvas_position(const QPoint& at) const;
    // Returns the plot as it is on screen.
    [[nodiscard]] QPixmap picture();
    // Returns the term of the glossary that is written at this pixel of the canvas, if a click opens it.
    [[nodiscard]] std::optional<Term> term_at(const QPointF& pixel) const;
    // Returns where a term is written, px of the canvas; empty if it is not.
    [[nodiscard]] QRectF box_of(Term term) const { return shardscope::box_of(term, words()); }

  Q_SIGNALS:
    void table_requested();
    void export_requested();

  protected:
    // Adds a check box that shows pins in separate panels; it is visible while something is pinned. When it
    // is toggled, the derived class's `update_pins` is called. Call this before `start`.
    void add_side_by_side_option();
    [[nodiscard]] bool side_by_side() const;
    // Shows a ruler at the pointer. Call this before `start`. With `curves_set_input` a click on a curve sets
    // the inputs to those of `place_at`.
    void use_ruler(PlotRuler::Source source, bool curves_set_input = false);
    // Lets the user zoom. Call this before `start`; the figure must live as long as this plot.
    void use_zoom(ZoomableFigure& figure);
    // Call this after the derived class has created its figure. It shows the pins that exist already.
    void start();

    // Updates the figure from the model without changing its axes. Outside a gesture `refit_figure` is called
    // next.
    virtual void update_figure() = 0;
    virtual void refit_figure() {}
    virtual void style_figure(const Theme& theme, const QFont& font) = 0;
    // Returns one or two sentences for screen readers.
    [[nodiscard]] virtual QString description() const = 0;
    virtual void update_pins() {}
    // Returns the output that the plot mainly shows.
    [[nodiscard]] virtual Output main_output() const;

    // Handle mouse events of the canvas, for plots in which the mouse edits the scenario or the view.
    virtual void press(QMouseEvent* event);
    virtual void move(QMouseEvent* event);
    virtual void release(QMouseEvent* event);
    virtual void double_click(QMouseEvent* event);
    // Returns whether a click at this pixel does something of this plot's own.
    [[nodiscard]] virtual bool is_button(const QPointF& /*pixel*/) const { return false; }
    // Returns whether a drag from this pixel changes an input. A press without a drag is a click.
    [[nodiscard]] virtual bool is_handle(const QPointF& /*pixel*/) const { return false; }
    // Ends a drag, if there is one: when the button is released, or when the plot is hidden and no release
    // can follow.
    virtual void end_drag();

    [[nodiscard]] LiveModel& model() const { return model_; }
    [[nodiscard]] OptionRow& options() const { return *options_; }
    [[nodiscard]] QCustomPlot& canvas() const { return *canvas_; }
    [[nodiscard]] bool hypothetical() const { return hypothetical_; }
    [[nodiscard]] const QPointF& pressed_at() const { return pressed_at_; }
    // Returns whether the button is released where it was pressed, so that it is no drag.
    [[nodiscard]] bool is_click() const { return clicking_; }
    // Returns the value that a person would mean by a place of an axis: the roundest of those from `before`
    // to `after`, which lie at its two sides.
    [[nodiscard]] double round_value(P id, double value, double before, double after) const;
    void refresh();  // now, or when next shown
    void replot();

    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;
    void changeEvent(QEvent* event) override;
    bool event(QEvent* event) override;

  private:
    void restyle();
    void show_pins();
    void dim_if_unread();  // while the text of a field cannot be read
    void connect_mouse();
    void zoom_by_wheel(QWheelEvent* event);
    // Returns whether it is a key of the zoom.
    bool zoom_by_key(const QKeyEvent& event);
    // Moves the picture by what the pointer has moved; returns false if no drag does that.
    bool pan_to(const QPointF& pixel);
    // Ends a zoom that no longer shows the scenario, or that was made for another one.
    void settle_zoom();
    void show_all();
    // Returns whether a click at this pixel sets an input, because a curve is there.
    [[nodiscard]] bool is_on_curve(const QPointF& pixel) const;
    void click(const QPointF& pixel);
    [[nodiscard]] const std::vector<DrawnWord>& words() const;
    void describe();  // to assistive technology, with the fixed places of the ruler

    LiveModel& model_;
    OptionRow* options_;
    QCustomPlot* canvas_;
    PlotRuler* ruler_;
    ZoomableFigure* zoom_ = nullptr;
    bool shows_scenario_ = true;              // the zoomed part
    std::optional<QPointF> panned_from_;      // px
    std::array<const Preset*, 3> presets_{};  // of the scenario that was drawn last
    QPointF pressed_at_;
    bool clicking_ = false;  // a press has not become a drag yet
    enum class Click { none, fixed, used } last_click_ = Click::none;
    bool curves_set_input_ = false;
    mutable std::optional<std::vector<DrawnWord>> words_;  // of the present picture, once they were needed
    QCheckBox* beside_ = nullptr;
    bool started_ = false;
    bool stale_ = true;
    bool hypothetical_ = false;
};

}  // namespace shardscope
