#include "widgets/plots/validation/validation_plot.h"

#include <qcustomplot.h>

#include <QComboBox>
#include <QKeyEvent>
#include <QLineEdit>
#include <QToolTip>
#include <algorithm>
#include <numeric>

#include "text/encode.h"
#include "text/translate.h"
#include "widgets/chart/option_row.h"
#include "widgets/drawing.h"
#include "widgets/encode.h"
#include "widgets/plots/figure_page.h"
#include "widgets/plots/figure_words.h"
#include "widgets/plots/plot_kind.h"
#include "widgets/plots/validation/validation_words.h"
#include "widgets/text.h"

namespace shardscope {
namespace {

ValidationQuantity quantity_drawn_for(Output output) {
    return validation_quantity(output).value_or(ValidationQuantity::mfu);
}

std::vector<ValidationFigure::Ghost> validation_ghosts(const std::vector<Pin>& pins) {
    std::vector<ValidationFigure::Ghost> out;
    for (const Pin& pin : pins) {
        if (const auto point = own_point(pin.answer, pin.view.measured)) out.push_back({pin.letter, *point});
    }
    return out;
}

ValidationData validation_data_of(const FigureRequest& request, const Answer& answer) {
    const auto options = options_in<ValidationOptions>(request);
    return validation_data(validation_runs(*answer.scenario.catalogue, options.own),
                           quantity_drawn_for(options.output), options.filter);
}

// Returns the scenario of a run with the run's name of the model, and with a title that also names the GPUs.
Scenario named_scenario_of(const MeasuredRun& run, const Catalogue& catalogue) {
    Problems ignored;  // a run that is plotted has none
    Scenario out = scenario_of(run, catalogue, ignored);
    out.model_name = clean_title(run.model);
    out.name.clear();
    out.name = out.title() + ", " + run.id;
    return out;
}

}  // namespace

ValidationPlot::ValidationPlot(LiveModel& model, QWidget* parent) : LivePlot(kValidationKind, model, parent) {
    setFocusPolicy(Qt::StrongFocus);
    // In the order of ValidationQuantity.
    quantity_ = options().add_choice(QStringLiteral("validation/quantity"), tr("Quantity that is compared"),
                                     {tr("MFU"), tr("tokens/s/GPU"), tr("step time"), tr("memory")});
    filter_ = options().add_field(
        QStringLiteral("validation/filter"),
        tr("Words of the runs to show: family, stack, GPU, model, dense or moe, noisy, tiny or ambiguous"),
        tr("filter runs"));
    connect(quantity_, &QComboBox::currentIndexChanged, this, [this](int index) {
        figure_->set_quantity(static_cast<ValidationQuantity>(index));
        choose_runs();
    });
    connect(filter_, &QLineEdit::textChanged, this, &ValidationPlot::choose_runs);
    figure_ = std::make_unique<ValidationFigure>(canvas());
    use_zoom(*figure_);
    start();
}

ValidationPlot::~ValidationPlot() = default;

const ValidationFigure& ValidationPlot::figure() {
    bring_up_to_date();
    return *figure_;
}

FigureRequest ValidationPlot::request() const {
    FigureRequest out = LivePlot::request();
    out.options = ValidationOptions{output_of(figure_->quantity()), own_, filter_->text().toStdString()};
    return out;
}

View ValidationPlot::view() const {
    View out = LivePlot::view();
    out.outputs = {output_of(figure_->quantity())};
    return out;
}

void ValidationPlot::show_view(const View& view) {
    quantity_->setCurrentIndex(static_cast<int>(quantity_drawn_for(view.first_output())));
}

bool ValidationPlot::add_runs(const std::string& text, const std::string& name, Problems& problems) {
    std::vector<MeasuredRun> runs = read_runs(text, problems);
    std::erase_if(runs, [&](const MeasuredRun& run) {
        const std::size_t before = problems.size();
        scenario_of(run, model().catalogue(), problems);
        return problems.size() > before;
    });
    if (runs.empty()) return false;
    // The name of the summary of all runs must not be a family's name.
    const std::string family = name == kAllRuns ? name + " (own)" : name;
    for (MeasuredRun& run : runs) run.family = family;
    if (own_) {
        std::ranges::copy_if(*own_, std::back_inserter(runs),
                             [&](const MeasuredRun& run) { return run.family != family; });
    }
    own_ = std::make_shared<const std::vector<MeasuredRun>>(std::move(runs));
    runs_.reset();
    refresh();
    return true;
}

void ValidationPlot::choose_runs() {
    if (!runs_) return;  // they are loaded when the plot is first shown
    figure_->set_data(validation_data(*runs_, figure_->quantity(), filter_->text().toStdString()));
    const auto& points = figure_->data().points;
    const bool memory = figure_->data().memory;
    const ValidationQuantity order = memory ? ValidationQuantity::memory : ValidationQuantity::mfu;
    by_size_.resize(points.size());
    std::iota(by_size_.begin(), by_size_.end(), std::size_t{0});
    std::ranges::stable_sort(by_size_, [&](std::size_t a, std::size_t b) {
        return points[a].measured(order) < points[b].measured(order);
    });
    pressed_.reset();
    set_measured();
    figure_->refit();
    setAccessibleDescription(description());
    replot();
}

// A user's run has a time and no memory.
void ValidationPlot::set_measured() {
    const bool time = figure_->quantity() != ValidationQuantity::memory;
    figure_->set_own(time ? own_point(model().answer(), model().scenario().view.measured) : std::nullopt);
    figure_->set_ghosts(time ? validation_ghosts(model().pins()) : std::vector<ValidationFigure::Ghost>{});
}

void ValidationPlot::update_figure() {
    if (!runs_) {
        runs_ = validation_runs(model().catalogue(), own_);
        choose_runs();
    } else if (figure_->own() || model().scenario().view.measured) {
        set_measured();  // the public runs have not changed
    }
}

void ValidationPlot::update_pins() { set_measured(); }

void ValidationPlot::refit_figure() { figure_->refit(); }

void ValidationPlot::style_figure(const Theme& theme, const QFont& font) { figure_->set_style(theme, font); }

QString ValidationPlot::description() const { return figure_->description(); }

// ---- mouse and keyboard input ----------------------------------------------------------------------------

QString ValidationPlot::words_of(std::size_t index) const {
    const ValidationPoint& point = figure_->data().points[index];
    const MeasuredRun& run = *point.run;
    const Catalogue& catalogue = model().catalogue();
    const Preset* gpu = catalogue.find(PresetKind::gpu, run.gpu);
    Problems ignored;
    const auto values = [&](double (ValidationPoint::*value)(ValidationQuantity) const) {
        QStringList out;
        if (point.measured_step > 0) {
            for (const auto quantity : kTimeQuantities)
                out += measured_text((point.*value)(quantity), quantity);
        }
        if (point.measured_peak > 0)
            out += measured_text((point.*value)(ValidationQuantity::memory), ValidationQuantity::memory);
        return out.join(QStringLiteral(", "));
    };
    const QString difference =
        figure_->data().memory ? QString() : tr(": the run is %1").arg(error_words(point.error));
    return QStringList{
        tr("%1: %2 on %3 × %4, %5")
            .arg(QString::fromStdString(run.id), QString::fromStdString(run.model),
                 shown(run.gpus, Quantity::count), QString::fromStdString(gpu ? gpu->title : run.gpu),
                 QString::fromStdString(run.software)),
        plan_words(resolve(scenario_of(run, catalogue, ignored))),
        tr("Measured %1").arg(values(&ValidationPoint::measured)),
        tr("Predicted %1").arg(values(&ValidationPoint::predicted)) + difference,
        tr("Quality of the time: %1").arg(QString::fromStdString(std::string(name_of(run.quality)))),
        QString::fromStdString(run.source),
        tr("A click loads it; a right-click offers a comparison")}
        .join(QLatin1Char('\n'));
}

void ValidationPlot::point_to(std::optional<std::size_t> point, const QPoint& global) {
    if (point) {
        // The tool tip is rich text, so that a long source wraps.
        QToolTip::showText(global, wrapped_tool_tip(words_of(*point)), &canvas());
    } else {
        QToolTip::hideText();
    }
    if (point == figure_->highlight()) return;
    figure_->set_highlight(point);
    canvas().setCursor(point ? Qt::PointingHandCursor : Qt::ArrowCursor);
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
        QToolTip::showText(global, tr("My run: %1").arg(error_words(figure_->own()->error)), &canvas());
        return;
    }
    point_to(figure_->point_at(event->position()), global);
}

void ValidationPlot::release(QMouseEvent* event) {
    if (is_click() && pressed_ && figure_->point_at(event->position()) == pressed_) load(*pressed_);
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
        point_to(point, canvas().mapToGlobal(figure_->pixel_of(points[point]).toPoint()));
        setAccessibleDescription(words_of(point));
    } else {
        QWidget::keyPressEvent(event);
    }
}

std::optional<SavedScenario> ValidationPlot::chosen() const {
    if (!figure_->highlight()) return std::nullopt;
    const MeasuredRun& run = *figure_->data().points[*figure_->highlight()].run;
    if (!(run.step_time > 0)) return std::nullopt;
    SavedScenario out(named_scenario_of(run, model().catalogue()));
    out.view.measured = Measurement{MeasuredKind::step_time, run.step_time, run.gpus};
    return out;
}

void ValidationPlot::load(std::size_t point) {
    const MeasuredRun& run = *figure_->data().points[point].run;
    model().load(SavedScenario(named_scenario_of(run, model().catalogue())),
                 tr("Load %1").arg(QString::fromStdString(run.id)));
}

const PlotKind kValidationKind{
    .name = "validation",
    .label = translatable("Validation"),
    .accessible_name = translatable("Validation plot"),
    .options = [](const View& view, const Scenario&) -> PlotOptions {
        return ValidationOptions{view.first_output(), {}, {}};
    },
    .title =
        [](const FigureRequest&) {
            return ValidationPlot::tr("Predicted against measured: public training runs");
        },
    .general = true,
    .footer = validation_footer_words,
    .shows_scenario =
        [](const FigureRequest& request, const Answer& answer) {
            return own_point(answer, request.view.measured).has_value();
        },
    .shows_pin = [](const FigureRequest&,
                    const Pin& pin) { return own_point(pin.answer, pin.view.measured).has_value(); },
    .objection =
        [](const FigureRequest& request, const Answer&) {
            if (validation_quantity(options_in<ValidationOptions>(request).output)) return QString();
            return ValidationPlot::tr(
                "the runs are compared by mfu, tokens_per_s_per_gpu, step_time_s or memory.peak_bytes only");
        },
    .paint =
        [](QCPPainter& painter, const QRectF& area, const FigureRequest& request, const Answer& answer) {
            QCustomPlot plot;
            ValidationFigure figure(plot);
            figure.set_style(Theme::print(), page_font());
            const ValidationQuantity quantity =
                quantity_drawn_for(options_in<ValidationOptions>(request).output);
            if (quantity != ValidationQuantity::memory) {
                figure.set_own(own_point(answer, request.view.measured));
                figure.set_ghosts(validation_ghosts(request.pins));
            }
            figure.set_data(validation_data_of(request, answer));
            figure.set_quantity(quantity);
            paint_plot(painter, area, plot);
        },
    .words =
        [](const FigureRequest& request, const Answer& answer) {
            return validation_caption(validation_data_of(request, answer),
                                      own_point(answer, request.view.measured));
        },
    .table =
        [](const FigureRequest& request, const Answer& answer) {
            return validation_table(validation_data_of(request, answer),
                                    own_point(answer, request.view.measured), request.pins);
        },
    .make_tab = [](LiveModel& model) -> LivePlot* { return new ValidationPlot(model); }};

}  // namespace shardscope
