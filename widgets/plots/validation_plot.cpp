#include "widgets/plots/validation_plot.h"

#include <qcustomplot.h>

#include <QComboBox>
#include <QKeyEvent>
#include <QToolButton>
#include <QToolTip>
#include <QVBoxLayout>
#include <algorithm>
#include <numeric>

#include "widgets/live_model.h"
#include "widgets/panels/drawing.h"
#include "widgets/plots/figure_words.h"
#include "widgets/plots/option_row.h"

namespace shardscope {

ValidationPlot::ValidationPlot(LiveModel& model, QWidget* parent)
    : QWidget(parent), model_(model), row_(new OptionRow(this)), plot_(new QCustomPlot(this)) {
    setObjectName(QStringLiteral("validation"));
    setAccessibleName(tr("Validation plot"));
    setFocusPolicy(Qt::StrongFocus);
    plot_->setObjectName(QStringLiteral("validation/plot"));
    plot_->setMinimumSize(260, 200);

    // In the order of ValidationQuantity.
    quantity_ = row_->add_choice(QStringLiteral("validation/quantity"), tr("Quantity that is compared"),
                                 {tr("MFU"), tr("tokens/s/GPU"), tr("step time")});
    const auto* table =
        row_->add_button(QStringLiteral("validation/table"), QStringLiteral("table"), tr("Show as a table"));
    const auto* save = row_->add_button(QStringLiteral("validation/export"), QStringLiteral("export"),
                                        tr("Export this plot"));

    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(row_);
    layout->addWidget(plot_, 1);
    setAutoFillBackground(true);

    figure_ = std::make_unique<ValidationFigure>(*plot_);
    restyle();

    connect(quantity_, &QComboBox::currentIndexChanged, this, [this](int index) {
        figure_->set_quantity(static_cast<ValidationQuantity>(index));
        replot();
    });
    connect(table, &QToolButton::clicked, this, &ValidationPlot::table_requested);
    connect(save, &QToolButton::clicked, this, &ValidationPlot::export_requested);
    connect(&model_, &LiveModel::changed, this, &ValidationPlot::refresh);
    connect(&model_, &LiveModel::gesture_ended, this, &ValidationPlot::refresh);
    connect(&ThemeManager::instance(), &ThemeManager::changed, this, &ValidationPlot::restyle);
    connect(plot_, &QCustomPlot::mousePress, this, &ValidationPlot::press);
    connect(plot_, &QCustomPlot::mouseMove, this, &ValidationPlot::move);
    connect(plot_, &QCustomPlot::mouseRelease, this, &ValidationPlot::release);
}

ValidationPlot::~ValidationPlot() = default;

const ValidationFigure& ValidationPlot::figure() {
    if (stale_) bring_up_to_date();
    return *figure_;
}

Output ValidationPlot::output() const { return output_of(figure_->quantity()); }

void ValidationPlot::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    if (stale_) bring_up_to_date();
}

void ValidationPlot::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange && figure_) restyle();
}

void ValidationPlot::refresh() {
    stale_ = true;
    if (isVisible()) bring_up_to_date();
}

void ValidationPlot::bring_up_to_date() {
    stale_ = false;
    if (!loaded_) {
        loaded_ = true;
        figure_->set_data(validation_data(model_.catalogue()));
        const auto& points = figure_->data().points;
        by_size_.resize(points.size());
        std::iota(by_size_.begin(), by_size_.end(), std::size_t{0});
        std::ranges::stable_sort(by_size_, [&](std::size_t a, std::size_t b) {
            return points[a].measured(ValidationQuantity::mfu) < points[b].measured(ValidationQuantity::mfu);
        });
    } else if (!figure_->own() && !measurement_of(model_.scenario())) {
        return;  // the public runs stay where they are
    }
    figure_->set_own(own_point(model_.answer()));
    if (!model_.in_gesture()) figure_->refit();
    replot();
}

void ValidationPlot::restyle() {
    QPalette colors = palette();
    colors.setColor(QPalette::Window, current_theme().pane);
    setPalette(colors);
    figure_->set_style(current_theme(), font());
    replot();
}

void ValidationPlot::replot() {
    setAccessibleDescription(figure_->description());
    plot_->replot(QCustomPlot::rpQueuedReplot);
}

// ---- the plot as an input --------------------------------------------------------------------------------

QString ValidationPlot::words_of(std::size_t index) const {
    const ValidationPoint& point = figure_->data().points[index];
    const MeasuredRun& run = *point.run;
    const Catalogue& catalogue = model_.catalogue();
    const Preset* gpu = catalogue.find(PresetKind::gpu, run.gpu);
    Problems ignored;
    const auto values = [&](double (ValidationPoint::*value)(ValidationQuantity) const) {
        QStringList out;
        for (const auto quantity : {ValidationQuantity::mfu, ValidationQuantity::tokens_per_s_per_gpu,
                                    ValidationQuantity::step_time})
            out += measured_text((point.*value)(quantity), quantity);
        return out.join(QStringLiteral(", "));
    };
    return QStringList{
        tr("%1: %2 on %3 × %4, %5")
            .arg(QString::fromStdString(run.id), QString::fromStdString(run.model),
                 shown(run.gpus, Quantity::count), QString::fromStdString(gpu ? gpu->title : run.gpu),
                 QString::fromStdString(run.software)),
        plan_words(resolve(scenario_of(run, catalogue, ignored))),
        tr("Measured %1").arg(values(&ValidationPoint::measured)),
        tr("Predicted %1: %2").arg(values(&ValidationPoint::predicted), error_words(point.error)),
        QString::fromStdString(run.source),
        tr("A click loads it")}
        .join(QLatin1Char('\n'));
}

void ValidationPlot::point_to(std::optional<std::size_t> point, const QPoint& global) {
    if (point) {
        // As rich text, so that a long source wraps.
        const QString text =
            words_of(*point).toHtmlEscaped().replace(QLatin1Char('\n'), QStringLiteral("<br>"));
        QToolTip::showText(global, QStringLiteral("<p>%1</p>").arg(text), plot_);
    } else {
        QToolTip::hideText();
    }
    if (point == figure_->highlight()) return;
    figure_->set_highlight(point);
    plot_->setCursor(point ? Qt::PointingHandCursor : Qt::ArrowCursor);
    replot();
}

void ValidationPlot::press(QMouseEvent* event) {
    setFocus(Qt::MouseFocusReason);
    pressed_.reset();
    if (event->button() == Qt::LeftButton) pressed_ = figure_->point_at(event->position());
}

void ValidationPlot::move(QMouseEvent* event) {
    const QPoint global = event->globalPosition().toPoint();
    if (figure_->own_at(event->position())) {
        point_to(std::nullopt, global);
        QToolTip::showText(global, tr("My run: predicted %1").arg(error_words(figure_->own()->error)), plot_);
        return;
    }
    point_to(figure_->point_at(event->position()), global);
}

void ValidationPlot::release(QMouseEvent* event) {
    if (pressed_ && figure_->point_at(event->position()) == pressed_) load(*pressed_);
    pressed_.reset();
}

void ValidationPlot::keyPressEvent(QKeyEvent* event) {
    const auto& points = figure_->data().points;
    const bool forward = event->key() == Qt::Key_Right;
    if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) && figure_->highlight()) {
        load(*figure_->highlight());
    } else if ((forward || event->key() == Qt::Key_Left) && !by_size_.empty()) {
        const auto now =
            figure_->highlight() ? std::ranges::find(by_size_, *figure_->highlight()) : by_size_.end();
        auto place = static_cast<std::size_t>(now - by_size_.begin());
        const std::size_t last = by_size_.size() - 1;
        if (now == by_size_.end()) place = forward ? 0 : last;
        else place = forward ? std::min(place + 1, last) : place - (place > 0 ? 1 : 0);
        const std::size_t point = by_size_[place];
        point_to(point, plot_->mapToGlobal(figure_->pixel_of(points[point]).toPoint()));
        setAccessibleDescription(words_of(point));
    } else {
        QWidget::keyPressEvent(event);
    }
}

void ValidationPlot::load(std::size_t point) {
    const MeasuredRun& run = *figure_->data().points[point].run;
    Problems ignored;  // a run that is plotted has none
    model_.replace(scenario_of(run, model_.catalogue(), ignored),
                   tr("Load %1").arg(QString::fromStdString(run.id)));
}

}  // namespace shardscope
