#include "widgets/plots/scaling_plot.h"

#include <qcustomplot.h>

#include <QCheckBox>
#include <QComboBox>
#include <QToolButton>
#include <QToolTip>
#include <QVBoxLayout>
#include <cmath>

#include "widgets/live_model.h"
#include "widgets/panels/drawing.h"
#include "widgets/plots/option_row.h"

namespace shardscope {

ScalingPlot::ScalingPlot(LiveModel& model, QWidget* parent)
    : QWidget(parent), model_(model), row_(new OptionRow(this)), plot_(new QCustomPlot(this)) {
    setObjectName(QStringLiteral("scaling"));
    setAccessibleName(tr("Scaling plot"));
    plot_->setObjectName(QStringLiteral("scaling/plot"));
    plot_->setMinimumSize(260, 200);

    y_ = row_->add_choice(QStringLiteral("scaling/y"), tr("Quantity of the vertical axis"),
                          {tr("MFU"), tr("tokens/s/GPU"), tr("tokens/s"), tr("days")});
    const ScalingFigure::Options defaults;
    weak_ = row_->add_check(QStringLiteral("scaling/weak"), tr("Weak"), defaults.weak);
    strong_ = row_->add_check(QStringLiteral("scaling/strong"), tr("Strong"), defaults.strong);
    ideal_ = row_->add_check(QStringLiteral("scaling/ideal"), tr("Ideal"), defaults.ideal);
    band_ = row_->add_check(QStringLiteral("scaling/band"), tr("Band"), defaults.band);
    measured_ = row_->add_check(QStringLiteral("scaling/measured"), tr("Measured"), defaults.measured);
    const auto* table =
        row_->add_button(QStringLiteral("scaling/table"), QStringLiteral("table"), tr("Show as a table"));
    const auto* save =
        row_->add_button(QStringLiteral("scaling/export"), QStringLiteral("export"), tr("Export this plot"));

    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(row_);
    layout->addWidget(plot_, 1);
    setAutoFillBackground(true);

    figure_ = std::make_unique<ScalingFigure>(*plot_);
    bring_up_to_date();
    restyle();

    connect(y_, &QComboBox::currentIndexChanged, this, &ScalingPlot::take_options);
    for (const QCheckBox* box : {weak_, strong_, ideal_, band_, measured_}) {
        connect(box, &QCheckBox::toggled, this, &ScalingPlot::take_options);
    }
    connect(table, &QToolButton::clicked, this, &ScalingPlot::table_requested);
    connect(save, &QToolButton::clicked, this, &ScalingPlot::export_requested);
    connect(&model_, &LiveModel::changed, this, &ScalingPlot::refresh);
    connect(&model_, &LiveModel::pins_changed, this, &ScalingPlot::take_pins);
    connect(&model_, &LiveModel::gesture_ended, this, [this] {
        figure_->refit();
        replot();
    });
    connect(&ThemeManager::instance(), &ThemeManager::changed, this, &ScalingPlot::restyle);
    connect(plot_, &QCustomPlot::mousePress, this, &ScalingPlot::press);
    connect(plot_, &QCustomPlot::mouseMove, this, &ScalingPlot::move);
    connect(plot_, &QCustomPlot::mouseRelease, this, &ScalingPlot::release);
    connect(plot_, &QCustomPlot::mouseDoubleClick, this, &ScalingPlot::double_click);
}

ScalingPlot::~ScalingPlot() = default;

const ScalingFigure& ScalingPlot::figure() {
    if (stale_) bring_up_to_date();
    return *figure_;
}

void ScalingPlot::show_hypothetical(bool on) {
    hypothetical_ = on;
    refresh();
}

void ScalingPlot::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    if (stale_) bring_up_to_date();
}

void ScalingPlot::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange && figure_) restyle();
}

void ScalingPlot::refresh() {
    stale_ = true;
    if (isVisible()) bring_up_to_date();
}

void ScalingPlot::bring_up_to_date() {
    stale_ = false;
    const Answer& answer = model_.answer();
    // While an input is not valid the last valid picture stays.
    figure_->set_dimmed(!answer.valid());
    if (answer.valid()) {
        figure_->set_data(scaling_data(answer, hypothetical_));
        if (!model_.in_gesture()) figure_->refit();
    }
    replot();
}

void ScalingPlot::restyle() {
    QPalette colors = palette();
    colors.setColor(QPalette::Window, current_theme().pane);
    setPalette(colors);
    figure_->set_style(current_theme(), font());
    replot();
}

void ScalingPlot::take_options() {
    ScalingFigure::Options options;
    options.y = static_cast<ScalingY>(y_->currentIndex());
    options.weak = weak_->isChecked();
    options.strong = strong_->isChecked();
    options.ideal = ideal_->isChecked();
    options.band = band_->isChecked();
    options.measured = measured_->isChecked();
    figure_->set_options(options);
    replot();
}

void ScalingPlot::take_pins() {
    std::vector<ScalingFigure::Ghost> ghosts;
    for (const Pin& pin : model_.pins()) {
        if (pin.answer.valid()) ghosts.push_back({pin.letter, scaling_data(pin.answer, hypothetical_)});
    }
    figure_->set_ghosts(std::move(ghosts));
    if (!model_.in_gesture()) figure_->refit();
    replot();
}

void ScalingPlot::replot() {
    setAccessibleDescription(figure_->description());
    plot_->replot(QCustomPlot::rpQueuedReplot);
}

// ---- the plot as an input --------------------------------------------------------------------------------

void ScalingPlot::press(QMouseEvent* event) {
    constexpr double kNear = 9;
    const double guide = figure_->pixel_of(figure_->data().current.x);
    if (event->button() != Qt::LeftButton || !model_.answer().valid() ||
        !figure_->inside(event->position()) || std::fabs(event->position().x() - guide) > kNear) {
        return;
    }
    dragging_ = true;
    model_.begin_gesture(P::gpus);
}

void ScalingPlot::move(QMouseEvent* event) {
    if (dragging_) {
        model_.drag(P::gpus, figure_->gpus_at(event->position().x()));
        return;
    }
    constexpr double kNear = 9;
    const double guide = figure_->pixel_of(figure_->data().current.x);
    const bool near = figure_->inside(event->position()) && std::fabs(event->position().x() - guide) <= kNear;
    plot_->setCursor(near ? Qt::SizeHorCursor : Qt::ArrowCursor);
    if (const MeasuredPoint* run = figure_->measured_at(event->position())) {
        QString text = tr("%1: %2 tokens/s/GPU on %3 GPUs, %4\n%5");
        text = text.arg(QString::fromStdString(run->name),
                        shown(run->tokens_per_s_per_gpu, Quantity::rate, false),
                        shown(run->gpus, Quantity::count),
                        run->same_settings ? tr("same settings") : tr("other settings"),
                        QString::fromStdString(run->source));
        QToolTip::showText(event->globalPosition().toPoint(), text, plot_);
    } else {
        QToolTip::hideText();
    }
}

void ScalingPlot::release() {
    if (!dragging_) return;
    dragging_ = false;
    model_.end_gesture();
}

void ScalingPlot::double_click(QMouseEvent* event) {
    // The first of the two clicks may have begun a drag.
    release();
    if (figure_->inside(event->position())) model_.edit(P::gpus, figure_->gpus_at(event->position().x()));
}

}  // namespace shardscope
