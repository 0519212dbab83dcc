// What every tab of the main plot area does alike: a row of options with the table and export buttons above a
// canvas that follows the live model. It is brought up to date only while somebody looks at it, keeps its
// axes during a gesture, fits them again afterwards, and follows theme and font.
//
// A tab derives from it, makes its figure on `canvas()`, and calls `start()` at the end of its constructor.
#pragma once

#include <QString>
#include <QWidget>

#include "files/view.h"
#include "widgets/explainable.h"
#include "widgets/live_model.h"
#include "widgets/plots/figure_export.h"
#include "widgets/theme/theme.h"

class QCheckBox;
class QCustomPlot;
class QMouseEvent;

namespace shardscope {

class OptionRow;

class LivePlot : public QWidget, public Explainable {
    Q_OBJECT
  public:
    // `name` is the plot's, and the object name; the canvas is "name/plot".
    LivePlot(const QString& name, const QString& accessible_name, LiveModel& model, QWidget* parent);

    // What an export or a table of the plot as it is shown here asks for.
    [[nodiscard]] virtual FigureRequest request() const;
    // What is shown here, for a study or a session; `show_view` brings it back. What a view does not say
    // becomes the plot's usual.
    [[nodiscard]] virtual View view() const;
    virtual void show_view(const View& view);
    // Something is being worked out beside the window: what is drawn is coarse, or of an older scenario.
    [[nodiscard]] virtual bool pending() const { return false; }
    [[nodiscard]] std::optional<Subject> subject_here() const override;
    // Rates where memory does not suffice, labelled as such.
    void show_hypothetical(bool on);
    // Up to date also while the plot is hidden.
    void bring_up_to_date();

  Q_SIGNALS:
    void table_requested();
    void export_requested();

  protected:
    // A box beside the options, there while something is pinned: pins in panels of their own. The derived
    // class's `take_pins` follows it. To be called before `start`.
    void offer_side_by_side();
    [[nodiscard]] bool side_by_side() const;
    // After the derived class has made its figure.
    void start();

    // The figure takes what the model says now. Axes stay; `refit_figure` follows outside a gesture.
    virtual void update_figure() = 0;
    virtual void refit_figure() {}
    virtual void style_figure(const Theme& theme, const QFont& font) = 0;
    // One or two sentences for those who cannot see it.
    [[nodiscard]] virtual QString description() const = 0;
    virtual void take_pins() {}
    // What it is mostly about.
    [[nodiscard]] virtual Output main_output() const;

    // The plot as an input: the canvas's mouse.
    virtual void press(QMouseEvent* event);
    virtual void move(QMouseEvent* event);
    virtual void release(QMouseEvent* event);
    virtual void double_click(QMouseEvent* event);
    // Ends a drag, if there is one: at its release, or when the plot is hidden and no release can follow.
    virtual void let_go();

    [[nodiscard]] LiveModel& model() const { return model_; }
    [[nodiscard]] OptionRow& options() const { return *options_; }
    [[nodiscard]] QCustomPlot& canvas() const { return *canvas_; }
    [[nodiscard]] bool hypothetical() const { return hypothetical_; }
    void refresh();  // now, or when next shown
    void replot();

    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;
    void changeEvent(QEvent* event) override;

  private:
    void restyle();

    LiveModel& model_;
    OptionRow* options_;
    QCustomPlot* canvas_;
    QCheckBox* beside_ = nullptr;
    bool started_ = false;
    bool stale_ = true;
    bool hypothetical_ = false;
};

}  // namespace shardscope
