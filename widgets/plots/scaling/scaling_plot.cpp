#include "widgets/plots/scaling/scaling_plot.h"

#include <qcustomplot.h>

#include <QCheckBox>
#include <QComboBox>
#include <QToolTip>
#include <algorithm>
#include <array>
#include <cmath>

#include "text/translate.h"
#include "widgets/chart/option_row.h"
#include "widgets/drawing.h"
#include "widgets/encode.h"
#include "widgets/plots/figure_page.h"
#include "widgets/plots/figure_words.h"
#include "widgets/plots/plot_kind.h"
#include "widgets/plots/scaling/scaling_words.h"
#include "widgets/text.h"

namespace shardscope {
namespace {

// Returns MFU if another output, or none, is requested.
ScalingY scaling_y(Output output) {
    for (const ScalingY y :
         {ScalingY::tokens_per_s_per_gpu, ScalingY::tokens_per_s, ScalingY::days, ScalingY::memory}) {
        if (output_of(y) == output) return y;
    }
    return ScalingY::mfu;
}

struct ExportedScaling {
    ScalingData data;
    std::vector<ScalingFigure::Ghost> ghosts;
};

// Automatic parameters of pins are re-planned like those of the scenario, or `held`.
std::vector<ScalingFigure::Ghost> ghosts_of(const std::vector<Pin>& pins, bool hypothetical, bool held,
                                            const std::stop_token& stop = {}) {
    std::vector<ScalingFigure::Ghost> out;
    for (const Pin& pin : pins) {
        if (pin.answer.valid())
            out.push_back(
                {pin.letter, scaling_data(pin.answer, pin.view.measured, hypothetical, held, stop)});
    }
    return out;
}

PlotOptions options_of(const View& view, const Scenario&) {
    const auto drawn = [&](const char* curve) { return !view.is_switched(curve); };
    return ScalingOptions{scaling_y(view.first_output()),
                          drawn("weak"),
                          drawn("strong"),
                          drawn("ideal"),
                          drawn("band"),
                          drawn("measured"),
                          view.held};
}

// Returns the table of the curves that are drawn; the band belongs to the weak curve. Beside pins the columns
// of a hidden weak curve are only emptied, because the pins' tables need them.
PlotTable table_of_drawn(ScalingData data, const ScalingOptions& options, bool beside_pins) {
    const auto is_left_out = [&](const std::string& column) {
        const auto is_of = [&](const char* curve) { return column.find(curve) != std::string::npos; };
        return (!options.weak && is_of("_weak")) || (!options.strong && is_of("_strong")) ||
               (!options.ideal && is_of("_ideal")) || (!(options.weak && options.band) && is_of("_band")) ||
               (!options.measured && is_of("_measured"));
    };
    if (!options.measured) data.measured.clear();
    PlotTable table = scaling_table(data);
    for (std::size_t i = table.columns.size(); i-- > 0;) {
        if (!is_left_out(table.columns[i])) continue;
        if (beside_pins && table.columns[i].find("_weak") != std::string::npos) {
            for (auto& row : table.rows) row[i].clear();
            continue;
        }
        const auto at = static_cast<std::ptrdiff_t>(i);
        table.columns.erase(table.columns.begin() + at);
        for (auto& row : table.rows) row.erase(row.begin() + at);
    }
    return table;
}

std::shared_ptr<const PlotData> compute_scaling(const FigureRequest& request, const Answer& answer,
                                                const std::stop_token& stop) {
    const bool held = options_in<ScalingOptions>(request).held;
    ScalingData data = scaling_data(answer, request.view.measured, request.hypothetical, held, stop);
    if (!answer.fits()) {
        const std::vector<Repair> found =
            with_other_plan(repairs(answer.scenario, stop), other_plan(answer.scenario, 1, stop));
        show_repair(data, best_of(found), stop);
    }
    return as_plot_data(
        ExportedScaling{std::move(data), ghosts_of(request.pins, request.hypothetical, held, stop)});
}

// Returns the options with the quantity that can be shown.
ScalingOptions with_shown_y(ScalingOptions options, const ScalingData& data) {
    const ScalingY y = data.shown_y(options.y);
    options.replaces_rates = y != options.y;
    options.y = y;
    return options;
}

ScalingOptions drawn_options(const FigureRequest& request) {
    return with_shown_y(options_in<ScalingOptions>(request), data_in<ExportedScaling>(request).data);
}

}  // namespace

ScalingPlot::ScalingPlot(LiveModel& model, QWidget* parent)
    : LivePlot(kScalingKind, model, parent), repairs_(Repairs::of(model)) {
    y_ = options().add_choice(QStringLiteral("scaling/y"), tr("Quantity of the vertical axis"),
                              {tr("MFU"), tr("tokens/s/GPU"), tr("tokens/s"), tr("days"), tr("memory")});
    const ScalingOptions defaults;
    weak_ = options().add_check(QStringLiteral("scaling/weak"), tr("Weak"), defaults.weak);
    strong_ = options().add_check(QStringLiteral("scaling/strong"), tr("Strong"), defaults.strong);
    ideal_ = options().add_check(QStringLiteral("scaling/ideal"), tr("Ideal"), defaults.ideal);
    band_ = options().add_check(QStringLiteral("scaling/band"), tr("Band"), defaults.band);
    measured_ = options().add_check(QStringLiteral("scaling/measured"), tr("Measured"), defaults.measured);
    connect(y_, &QComboBox::currentIndexChanged, this, &ScalingPlot::take_options);
    weak_->setToolTip(tr("The batch of each GPU stays constant as GPUs are added"));
    strong_->setToolTip(tr("The global batch stays constant as GPUs are added"));
    ideal_->setToolTip(tr("The closed form: the most that the network allows"));
    band_->setToolTip(tr("Likely error of the estimate"));
    measured_->setToolTip(tr("Published runs of this model on this GPU"));
    for (const QCheckBox* box : {weak_, strong_, ideal_, band_, measured_}) {
        connect(box, &QCheckBox::toggled, this, &ScalingPlot::take_options);
    }
    anew_ = options().add_check(QStringLiteral("scaling/anew"), tr("Re-plan"), true);
    anew_->setToolTip(tr("Automatic plan parameters: re-plan them at every GPU count, or hold them"));
    connect(anew_, &QCheckBox::toggled, this, [this] {
        update_pins();
        refresh();
    });
    figure_ = std::make_unique<ScalingFigure>(canvas());
    use_ruler({[this](const QPointF& pixel) { return figure_->ruler_place(pixel); },
               [this](const QPointF& place) { return figure_->ruler_stop(place); }},
              true);
    use_zoom(*figure_);
    canvas().setFocusPolicy(Qt::StrongFocus);
    // The best plan of all is found later than the scenario's answer, and a repair may be previewed.
    connect(&repairs_, &Repairs::changed, this, &ScalingPlot::update_repair);
    connect(&repairs_, &Repairs::preview_changed, this, &ScalingPlot::update_repair);
    start();
}

ScalingPlot::~ScalingPlot() = default;

const ScalingFigure& ScalingPlot::figure() {
    bring_up_to_date();
    return *figure_;
}

View ScalingPlot::view() const {
    View out = LivePlot::view();
    out.outputs = {output_of(static_cast<ScalingY>(y_->currentIndex()))};
    out.held = !anew_->isChecked();
    for (const auto& [name, box] : curves()) out.set_switched(name, !box->isChecked());
    return out;
}

void ScalingPlot::show_view(const View& view) {
    y_->setCurrentIndex(static_cast<int>(scaling_y(view.first_output())));
    anew_->setChecked(!view.held);
    for (const auto& [name, box] : curves()) box->setChecked(!view.is_switched(name));
}

std::array<std::pair<const char*, QCheckBox*>, 5> ScalingPlot::curves() const {
    return {
        {{"weak", weak_}, {"strong", strong_}, {"ideal", ideal_}, {"band", band_}, {"measured", measured_}}};
}

void ScalingPlot::update_figure() {
    const Answer& answer = model().answer();
    background_.cancel();
    const bool automatic = answer.scenario.automatic.any();
    anew_->setEnabled(automatic);
    const bool anew = automatic && anew_->isChecked() && answer.valid() && !model().planning();
    // While an input is not valid, the last valid picture stays.
    figure_->set_dimmed(!answer.valid() || model().planning());
    if (!answer.valid()) return;
    const std::optional<Measurement> own = model().scenario().view.measured;
    ScalingData held = scaling_data(answer, own, hypothetical(), true);
    show_repair(held, repair_for(held));
    // The axes do not change during a drag, except where memory takes the place of rates or leaves its axis.
    figure_->set_data(std::move(held));
    show_y();
    if (figure_->options().y == ScalingY::memory && !figure_->shows_scenario()) figure_->refit();
    if (!anew) return;
    background_.ask(
        [answer, own, rates = hypothetical()](const std::stop_token& stop) {
            return scaling_data(answer, own, rates, false, stop);
        },
        [this](ScalingData fresh) {
            show_repair(fresh, repair_for(fresh));
            figure_->set_data(std::move(fresh));
            show_y();
            if (!model().in_gesture()) figure_->refit();
            replot();
        });
}

// Returns the repair whose result is drawn where memory is shown instead of rates.
const Repair* ScalingPlot::repair_for(const ScalingData& fresh) {
    return fresh.shown_y(ScalingY::mfu) == ScalingY::memory ? repairs_.shown() : nullptr;
}

void ScalingPlot::update_repair() {
    ScalingData fresh = figure_->data();
    const Repair* repair = repair_for(fresh);
    if (!isVisible() || fresh.repair == (repair ? repair->label : std::string())) return;
    show_repair(fresh, repair);
    figure_->set_data(std::move(fresh));
    if (!model().in_gesture()) figure_->refit();
    replot();
}

void ScalingPlot::refit_figure() {
    if (model().answer().valid()) figure_->refit();
}

void ScalingPlot::style_figure(const Theme& theme, const QFont& font) { figure_->set_style(theme, font); }

QString ScalingPlot::description() const { return figure_->description(); }

void ScalingPlot::take_options() {
    figure_->set_options(with_shown_y(options_in<ScalingOptions>(request()), figure_->data()));
    enable_options();
    replot();
}

// Disables what has no effect while memory is shown.
void ScalingPlot::enable_options() {
    y_->setEnabled(!figure_->options().replaces_rates);
    for (QCheckBox* box : {ideal_, band_, measured_})
        box->setEnabled(figure_->options().y != ScalingY::memory);
}

// Shows memory where the data has no rates to show.
void ScalingPlot::show_y() {
    const ScalingOptions wanted = with_shown_y(options_in<ScalingOptions>(request()), figure_->data());
    const ScalingOptions& now = figure_->options();
    if (wanted.y != now.y || wanted.replaces_rates != now.replaces_rates) figure_->set_options(wanted);
    enable_options();
}

// The pins' curves with their plans held are shown at once, those with new plans when they are found.
void ScalingPlot::update_pins() {
    const std::vector<Pin>& pins = model().pins();
    pins_.cancel();
    figure_->set_ghosts(ghosts_of(pins, hypothetical(), true));
    const bool planned =
        std::ranges::any_of(pins, [](const Pin& pin) { return pin.answer.scenario.automatic.any(); });
    if (!anew_->isChecked() || !planned) return;
    pins_.ask([pins, rates = hypothetical()](
                  const std::stop_token& stop) { return ghosts_of(pins, rates, false, stop); },
              [this](std::vector<ScalingFigure::Ghost> found) {
                  figure_->set_ghosts(std::move(found));
                  if (!model().in_gesture()) figure_->refit();
                  replot();
              });
}

// ---- mouse and keyboard input ----------------------------------------------------------------------------

bool ScalingPlot::near_guide(const QPointF& pixel) const {
    constexpr double kNear = 9;
    const double guide = figure_->pixel_of(figure_->data().current.x);
    return figure_->inside(pixel) && std::fabs(pixel.x() - guide) <= kNear;
}

// A place is a GPU count at which the curves have a point.
std::optional<LivePlot::Place> ScalingPlot::place_at(const QPointF& pixel) const {
    const auto place = figure_->ruler_place(pixel);
    if (!place || !model().answer().valid()) return std::nullopt;
    return Place{text_of(label_of(P::gpus)) + QLatin1Char(' ') + shown(place->x(), Quantity::count),
                 edited(model().answer().scenario, P::gpus, place->x())};
}

void ScalingPlot::press(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || !model().answer().valid() || !near_guide(event->position()))
        return;
    dragging_ = true;
    model().begin_gesture(P::gpus);
}

void ScalingPlot::move(QMouseEvent* event) {
    if (dragging_) {
        if (!is_click()) model().drag(P::gpus, figure_->gpus_at(event->position().x()));
        return;
    }
    canvas().setCursor(near_guide(event->position()) ? Qt::SizeHorCursor : Qt::ArrowCursor);
    if (const MeasuredPoint* run = figure_->measured_at(event->position())) {
        QString text = tr("%1: %2 tokens/s/GPU on %3 GPUs, %4\n%5");
        QString settings = run->same_settings ? tr("same settings") : tr("other settings");
        const QString mfu = run->mfu_published
                                ? tr("; published as %1 MFU at a sequence of %2")
                                : tr("; by the FLOPs of its settings %1 MFU at a sequence of %2");
        settings += mfu.arg(shown(run->mfu, Quantity::percent), shown(run->sequence, Quantity::count));
        text = text.arg(QString::fromStdString(run->name),
                        shown(run->tokens_per_s_per_gpu, Quantity::rate, false),
                        shown(run->gpus, Quantity::count), settings, QString::fromStdString(run->source));
        QToolTip::showText(event->globalPosition().toPoint(), wrapped_tool_tip(text), &canvas());
    } else {
        QToolTip::hideText();
    }
}

void ScalingPlot::end_drag() {
    if (!dragging_) return;
    dragging_ = false;
    model().end_gesture();
}

void ScalingPlot::double_click(QMouseEvent* event) {
    // The first of the two clicks may have begun a drag.
    end_drag();
    if (figure_->inside(event->position())) model().edit(P::gpus, figure_->gpus_at(event->position().x()));
}

const PlotKind kScalingKind{
    .name = "scaling",
    .label = translatable("Scaling"),
    .accessible_name = translatable("Scaling plot"),
    .options = options_of,
    .compute_data = compute_scaling,
    .paint =
        [](QCPPainter& painter, const QRectF& area, const FigureRequest& request, const Answer&) {
            QCustomPlot plot;
            ScalingFigure figure(plot);
            figure.set_options(drawn_options(request));
            figure.set_ghosts(data_in<ExportedScaling>(request).ghosts);
            figure.set_data(data_in<ExportedScaling>(request).data);
            figure.set_style(Theme::print(), page_font());
            figure.refit();
            paint_plot(painter, area, plot);
        },
    .words =
        [](const FigureRequest& request, const Answer&) {
            return scaling_caption(data_in<ExportedScaling>(request).data, drawn_options(request));
        },
    .table =
        [](const FigureRequest& request, const Answer&) {
            const auto& [data, ghosts] = data_in<ExportedScaling>(request);
            return with_ghosts(table_of_drawn(data, options_in<ScalingOptions>(request), !ghosts.empty()),
                               ghosts, scaling_table);
        },
    .make_tab = [](LiveModel& model) -> LivePlot* { return new ScalingPlot(model); }};

}  // namespace shardscope
