#include "widgets/plots/sweep/sweep_plot.h"

#include <qcustomplot.h>

#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QMenu>
#include <QToolButton>
#include <algorithm>
#include <cmath>
#include <optional>

#include "scenario/domain.h"
#include "text/translate.h"
#include "widgets/chart/figure_parts.h"
#include "widgets/chart/option_row.h"
#include "widgets/drawing.h"
#include "widgets/plots/figure_page.h"
#include "widgets/plots/figure_words.h"
#include "widgets/plots/plot_kind.h"
#include "widgets/plots/sweep/sweep_words.h"
#include "widgets/plots/table_choices.h"

namespace shardscope {
namespace {

constexpr int kCurvePoints = 120;  // points of a single curve
constexpr int kFamilySteps = 60;   // points of each curve of a family
constexpr int kLetters = 11;       // smallest number of letters shown of an input's name

// Returns the axis of a range as a view writes it; nothing if there is no range.
std::optional<Axis> ranged_axis(const Answer& answer, P id, const std::string& range) {
    if (range.empty()) return std::nullopt;
    Problems unread;
    return parse_axis(answer.scenario, std::string(parameter(id).key) + "=" + range, unread);
}

// Returns the axis of the given range, or of the slider's range, including the scenario's own value.
Axis curve_axis(const Answer& answer, P id, int steps, const std::string& range) {
    const std::optional<Axis> ranged = ranged_axis(answer, id, range);
    Axis axis = ranged ? *ranged : default_axis(answer.scenario, id, steps);
    const double now = answer.settings[id];
    if (std::ranges::find(axis.values, now) != axis.values.end()) return axis;
    // Choices keep their order.
    const auto place =
        parameter(id).named_only ? axis.values.end() : std::ranges::lower_bound(axis.values, now);
    axis.values.insert(place, now);
    return axis;
}

// Returns the members of a family: the scenario's own value and its nearest neighbours; of numbers those at
// factors of two.
Axis family_axis(const Answer& answer, P id, const std::string& range) {
    if (const auto ranged = ranged_axis(answer, id, range)) return *ranged;
    constexpr std::ptrdiff_t kEachSide = 2;
    const double now = answer.settings[id];
    Axis axis{id, domain(id, answer.settings).stops};
    if (axis.values.empty()) {
        for (const double factor : {0.25, 0.5, 1.0, 2.0, 4.0})
            axis.values.push_back(factor == 1 ? now : nearest_valid(id, now * factor, answer.settings));
    }
    auto& values = axis.values;
    if (!parameter(id).named_only) {
        if (std::ranges::find(values, now) == values.end()) values.push_back(now);
        std::ranges::sort(values);
        values.erase(std::unique(values.begin(), values.end()), values.end());
    }
    const auto own = std::ranges::find(values, now) - values.begin();
    const auto size = static_cast<std::ptrdiff_t>(values.size());
    const auto first = std::clamp<std::ptrdiff_t>(own - kEachSide, 0, std::max<std::ptrdiff_t>(0, size - 5));
    values.erase(values.begin() + std::min(size, first + 2 * kEachSide + 1), values.end());
    values.erase(values.begin(), values.begin() + first);
    return axis;
}

// A pinned scenario and the axes of its sweep.
struct PinnedSweep {
    Pin pin;
    std::vector<Axis> axes;
};
std::vector<SweepFigure::Ghost> ghosts_along(const std::vector<PinnedSweep>& pins,
                                             const SweepOptions& options, bool hypothetical, bool held,
                                             const std::stop_token& stop = {}) {
    std::vector<SweepFigure::Ghost> out;
    out.reserve(pins.size());
    for (const auto& [pin, axes] : pins) {
        out.push_back(
            {pin.letter, QString::fromStdString(pin.answer.scenario.title()),
             sweep_data(pin.answer, axes, options.outputs, hypothetical, held, options.against, stop)});
    }
    return out;
}

}  // namespace

SweepPlot::SweepPlot(LiveModel& model, QWidget* parent) : LivePlot(kSweepKind, model, parent) {
    x_ = options().add_choice(QStringLiteral("sweep/x"), tr("Input along the horizontal axis"), {});
    fill_inputs(*x_);
    choose(*x_, P::sequence_length);
    y_ = options().add_menu(QStringLiteral("sweep/y"), tr("Outputs, up to three"));
    family_ = options().add_choice(QStringLiteral("sweep/family"),
                                   tr("Second input: one curve for each value"), {});
    fill_inputs(*family_, tr("no family"));
    against_ = options().add_choice(QStringLiteral("sweep/against"),
                                    tr("What the points are drawn against: the input, or a result"), {});
    fill_outputs(*against_, tr("x axis: the input"));
    narrow(*against_, kLetters);
    options().allow_folding(*family_, tr("Second input"));
    options().allow_folding(*against_, tr("Drawn against"));
    connect(against_, &QComboBox::currentIndexChanged, this, [this] {
        clear_ruler();
        update_pins();
        refresh();
    });
    for (QComboBox* box : {x_, family_}) {
        narrow(*box, kLetters);
        connect(box, &QComboBox::currentIndexChanged, this, [this, box] {
            // A range belongs to the input that was selected with it.
            (box == x_ ? x_range_ : family_range_).clear();
            if (box == x_) clear_ruler();
            update_pins();
            refresh();
        });
    }
    anew_ = options().add_check(QStringLiteral("sweep/anew"), tr("Re-plan"), true);
    anew_->setToolTip(tr("Automatic plan parameters: re-plan them at every point, or hold them"));
    connect(anew_, &QCheckBox::toggled, this, [this] {
        update_pins();
        refresh();
    });
    add_side_by_side_option();
    fill_menu();
    figure_ = std::make_unique<SweepFigure>(canvas());
    canvas().setFocusPolicy(Qt::StrongFocus);
    canvas().installEventFilter(this);
    use_ruler({[this](const QPointF& pixel) { return figure_->ruler_place(pixel); },
               [this](const QPointF& place) { return figure_->ruler_stop(place); }},
              true);
    use_zoom(*figure_);
    start();
}

SweepPlot::~SweepPlot() = default;

void SweepPlot::fill_menu() {
    for (const Output id : output_choices()) {
        QAction* entry = y_->menu()->addAction(text_of(label_of(id)));
        entry->setObjectName(QStringLiteral("sweep/y/") + text_of(output(id).path));
        entry->setCheckable(true);
        connect(entry, &QAction::triggered, this, [this, id](bool on) {
            if (!on && outputs_.size() > 1) std::erase(outputs_, id);
            else if (on) outputs_.push_back(id);
            // A fourth output replaces the one that was selected first.
            if (outputs_.size() > kMaxPanels) outputs_.erase(outputs_.begin());
            take_outputs();
        });
    }
    take_outputs();
}

void SweepPlot::take_outputs() {
    QStringList names;
    for (const Output id : outputs_) names += text_of(label_of(id));
    const auto choices = output_choices();
    const QList<QAction*> entries = y_->menu()->actions();
    for (qsizetype i = 0; i < entries.size(); ++i) {
        entries[i]->setChecked(std::ranges::find(outputs_, choices[static_cast<std::size_t>(i)]) !=
                               outputs_.end());
    }
    y_->setText(names.size() == 1 ? names.front()
                                  : tr("%1 and %2 more").arg(names.front()).arg(names.size() - 1));
    y_->setAccessibleDescription(names.join(QStringLiteral(", ")));
    y_->setToolTip(tr("Outputs, up to three: %1").arg(names.join(QStringLiteral(", "))));
    if (!figure_) return;
    fit_options();
    update_pins();
    refresh();
}

void SweepPlot::show_sweep(P id, Output output) {
    std::erase(outputs_, output);
    outputs_.insert(outputs_.begin(), output);
    if (outputs_.size() > kMaxPanels) outputs_.pop_back();
    choose(*x_, id);
    if (input_of(*family_) == id) choose(*family_, std::optional<P>());
    take_outputs();
}

P SweepPlot::input() const { return *input_of(*x_); }
std::optional<Output> SweepPlot::against() const { return output_of(*against_); }

std::vector<Axis> SweepPlot::axes(const Answer& answer) const {
    const std::optional<P> family = input_of(*family_);
    const bool several = family && family != input();
    std::vector<Axis> out{curve_axis(answer, input(), several ? kFamilySteps : kCurvePoints, x_range_)};
    if (several) out.push_back(family_axis(answer, *family, family_range_));
    return out;
}

FigureRequest SweepPlot::request() const {
    FigureRequest out = LivePlot::request();
    out.options = chosen();
    return out;
}

SweepOptions SweepPlot::chosen() const {
    return {model().answer().valid() ? axes(model().answer()) : std::vector<Axis>(), outputs_, against(),
            side_by_side(), !anew_->isChecked()};
}

View SweepPlot::view() const {
    View out = LivePlot::view();
    out.x = input();
    out.y = input_of(*family_);
    out.x_range = x_range_;
    out.y_range = family_range_;
    out.outputs = outputs_;
    out.against = against();
    out.held = !anew_->isChecked();
    return out;
}

void SweepPlot::show_view(const View& view) {
    LivePlot::show_view(view);
    choose(*against_, view.against);
    choose(*x_, view.x.value_or(P::sequence_length));
    choose(*family_, view.y);
    x_range_ = view.x_range;
    family_range_ = view.y_range;
    anew_->setChecked(!view.held);
    outputs_ = view.outputs.empty() ? std::vector<Output>{Output::mfu, Output::peak_memory} : view.outputs;
    if (outputs_.size() > kMaxPanels) outputs_.resize(kMaxPanels);
    take_outputs();
}

const SweepFigure& SweepPlot::figure() {
    bring_up_to_date();
    return *figure_;
}

void SweepPlot::update_figure() {
    const Answer& answer = model().answer();
    figure_->set_side_by_side(side_by_side(), QString::fromStdString(answer.scenario.title()));
    if (!answer.valid()) {
        background_.cancel();  // its result would show an older scenario as if it were this one
        figure_->set_strength(kInvalidStrength);
        return;
    }
    if (anew_->isEnabled() != answer.scenario.automatic.any()) {
        anew_->setEnabled(answer.scenario.automatic.any());
        fit_options();
    }
    const SweepOptions asked = chosen();
    const auto work = [answer, asked, rates = hypothetical()](bool held, const std::stop_token& stop) {
        return sweep_data(answer, asked.axes, asked.outputs, rates, held, asked.against, stop);
    };
    if (asked.held || !answer.scenario.automatic.any()) {
        background_.cancel();
        figure_->set_strength(1);
        figure_->set_data(work(asked.held, {}));
        return;
    }
    const SweepData& last = figure_->data();
    if (last.x == input() && last.outputs == outputs_ && last.against == against() &&
        last.plan == CurvePlan::replanned) {
        const Axis here{input(), {answer.settings[input()]}};
        figure_->set_current(sweep_data(answer, {here}, outputs_, hypothetical(), true, against()).current);
    } else {
        // Show the curves with the plan held until the plans are found.
        figure_->set_data(work(true, {}));
    }
    figure_->set_strength(kStaleStrength);
    background_.ask([work](const std::stop_token& stop) { return work(false, stop); },
                    [this](SweepData found) {
                        figure_->set_strength(1);
                        figure_->set_data(std::move(found));
                        if (!model().in_gesture()) refit_figure();
                        replot();
                    });
}

// In a small window the inputs' names are shortened before anything else.
void SweepPlot::fit_options() {
    constexpr int kRoomy = 500;
    constexpr int kFew = 8;
    constexpr int kFewest = 5;
    const int letters = width() >= kRoomy ? kLetters : anew_->isEnabled() ? kFewest : kFew;
    for (QComboBox* box : {x_, family_, against_}) box->setMinimumContentsLength(letters);
    QApplication::postEvent(&options(), new QEvent(QEvent::LayoutRequest));
}

void SweepPlot::resizeEvent(QResizeEvent* event) {
    LivePlot::resizeEvent(event);
    fit_options();
}

void SweepPlot::refit_figure() { figure_->refit(canvas().size()); }

void SweepPlot::style_figure(const Theme& theme, const QFont& font) {
    figure_->set_style(theme, font);
    refit_figure();
}

QString SweepPlot::description() const { return figure_->description(); }

// Automatic parameters of pins are re-planned like those of the current scenario, in the background. Side by
// side each pin has its own family.
void SweepPlot::update_pins() {
    const SweepOptions asked = chosen();
    std::vector<PinnedSweep> pins;
    for (const Pin& pin : model().pins()) {
        if (!pin.answer.valid()) continue;
        pins.push_back({pin, axes(pin.answer)});
        if (!asked.side_by_side) pins.back().axes = {curve_axis(pin.answer, input(), kFamilySteps, x_range_)};
    }
    figure_->set_ghosts(ghosts_along(pins, asked, hypothetical(), true));
    pins_.cancel();
    const bool planned = std::ranges::any_of(
        pins, [](const PinnedSweep& one) { return one.pin.answer.scenario.automatic.any(); });
    if (asked.held || !planned) return;
    pins_.ask([pins, asked, rates = hypothetical()](
                  const std::stop_token& stop) { return ghosts_along(pins, asked, rates, false, stop); },
              [this](std::vector<SweepFigure::Ghost> found) {
                  figure_->set_ghosts(std::move(found));
                  if (!model().in_gesture()) refit_figure();
                  replot();
              });
}

// ---- mouse and keyboard input ----------------------------------------------------------------------------

bool SweepPlot::near_guide(const QPointF& pixel) const {
    constexpr double kNear = 9;
    return figure_->inside(pixel) && std::fabs(pixel.x() - figure_->guide()) <= kNear;
}

void SweepPlot::press(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return;
    if (const char pinned = figure_->title_at(event->position())) {
        model().swap('A', pinned);
        return;
    }
    if (!model().answer().valid() || !near_guide(event->position())) return;
    dragging_ = true;
    model().begin_gesture(input());
}

void SweepPlot::move(QMouseEvent* event) {
    if (dragging_) {
        if (!is_click()) model().drag(input(), figure_->input_at(event->position()));
        return;
    }
    canvas().setCursor(figure_->title_at(event->position()) ? Qt::PointingHandCursor
                       : near_guide(event->position())      ? Qt::SizeHorCursor
                                                            : Qt::ArrowCursor);
}

// A place is the roundest value of the input near the pixel.
std::optional<LivePlot::Place> SweepPlot::place_at(const QPointF& pixel) const {
    if (!figure_->inside(pixel) || !model().answer().valid()) return std::nullopt;
    const P id = input();
    const QPointF near(4, 0);
    const double value = round_value(id, figure_->input_at(pixel), figure_->input_at(pixel - near),
                                     figure_->input_at(pixel + near));
    Scenario there = edited(model().answer().scenario, id, value);
    const QString label = text_of(label_of(id)) + QLatin1Char(' ') + text_of(format(id, resolve(there)[id]));
    return Place{label, std::move(there)};
}

bool SweepPlot::is_handle(const QPointF& pixel) const {
    return figure_->title_at(pixel) != 0 || near_guide(pixel);
}

void SweepPlot::end_drag() {
    if (!dragging_) return;
    dragging_ = false;
    model().end_gesture();
}

void SweepPlot::double_click(QMouseEvent* event) {
    // The first of the two clicks may have begun a drag.
    end_drag();
    if (figure_->inside(event->position())) model().edit(input(), figure_->input_at(event->position()));
}

// Moves the input to the next point of the curve, for the keyboard.
void SweepPlot::step(int direction) {
    const SweepData& drawn = figure_->data();
    if (drawn.series.empty() || !model().answer().valid()) return;
    const auto& points = drawn.series.front().points;
    const auto now = std::ranges::find(points, drawn.current.x, &SweepPoint::x);
    if (now == points.end()) return;
    const auto next = now - points.begin() + direction;
    if (next < 0 || next >= static_cast<std::ptrdiff_t>(points.size())) return;
    model().edit(input(), points[static_cast<std::size_t>(next)].x);
}

bool SweepPlot::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Resize && figure_) refit_figure();
    if (event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        if (key == Qt::Key_Left || key == Qt::Key_Right) {
            step(key == Qt::Key_Left ? -1 : 1);
            return true;
        }
    }
    return LivePlot::eventFilter(watched, event);
}

namespace {

struct ExportedSweep {
    SweepData data;
    std::vector<SweepFigure::Ghost> ghosts;
};

// Returns the pins' curves along the same values, or the nearest values that are valid there, re-planned like
// the scenario. As ghosts they have no family.
std::vector<SweepFigure::Ghost> ghosts_of(const FigureRequest& request, const SweepData& data,
                                          const std::stop_token& stop) {
    const auto options = options_in<SweepOptions>(request);
    std::vector<PinnedSweep> pins;
    for (const Pin& pin : request.pins) {
        if (!pin.answer.valid()) continue;
        const Settings settings = settings_for_edit(pin.answer.scenario, data.x);
        Axis axis{data.x, {}};
        for (const SweepPoint& point : data.series.front().points) {
            const double value = nearest_valid(data.x, point.x, settings);
            if (std::ranges::find(axis.values, value) == axis.values.end()) axis.values.push_back(value);
        }
        pins.push_back({pin, {std::move(axis)}});
        if (options.side_by_side && options.axes.size() > 1) pins.back().axes.push_back(options.axes[1]);
    }
    return ghosts_along(pins, options, request.hypothetical, options.held, stop);
}

std::shared_ptr<const PlotData> compute_sweep(const FigureRequest& request, const Answer& answer,
                                              const std::stop_token& stop) {
    const auto options = options_in<SweepOptions>(request);
    SweepData data = sweep_data(answer, options.axes, options.outputs, request.hypothetical, options.held,
                                options.against, stop);
    if (stop.stop_requested()) return {};
    std::vector<SweepFigure::Ghost> ghosts = ghosts_of(request, data, stop);
    return as_plot_data(ExportedSweep{std::move(data), std::move(ghosts)});
}

}  // namespace

const PlotKind kSweepKind{
    .name = "sweep",
    .label = translatable("Sweep"),
    .accessible_name = translatable("Sweep plot"),
    .options = [](const View& view, const Scenario& scenario) -> PlotOptions {
        return SweepOptions{axes_of(view, scenario), view.outputs, view.against, view.side_by_side,
                            view.held};
    },
    .title =
        [](const FigureRequest& request) {
            const auto options = options_in<SweepOptions>(request);
            const P id = options.axes.empty() ? P::sequence_length : options.axes.front().id;
            QString over = SweepPlot::tr("Sweep over %1").arg(text_of(label_of(id)));
            if (!options.against) return over;
            return SweepPlot::tr("%1, against %2").arg(over, text_of(label_of(*options.against)));
        },
    .least_height = 330,
    .compute_data = compute_sweep,
    .paint =
        [](QCPPainter& painter, const QRectF& area, const FigureRequest& request, const Answer& answer) {
            QCustomPlot plot;
            SweepFigure figure(plot);
            figure.set_style(Theme::print(), page_font());
            const auto& [data, ghosts] = data_in<ExportedSweep>(request);
            const bool beside = options_in<SweepOptions>(request).side_by_side;
            figure.set_side_by_side(beside && !request.pins.empty(),
                                    QString::fromStdString(answer.scenario.title()));
            figure.set_ghosts(ghosts);
            figure.set_data(data);
            figure.refit(area.size().toSize());
            paint_plot(painter, area, plot);
        },
    .words =
        [](const FigureRequest& request, const Answer&) {
            const auto& [data, ghosts] = data_in<ExportedSweep>(request);
            const bool others_end = options_in<SweepOptions>(request).side_by_side &&
                                    std::ranges::any_of(ghosts, [](const SweepFigure::Ghost& ghost) {
                                        return !fits_everywhere(ghost.data);
                                    });
            return sweep_caption(data, others_end);
        },
    .table =
        [](const FigureRequest& request, const Answer&) {
            const auto& [data, ghosts] = data_in<ExportedSweep>(request);
            return with_ghosts(sweep_table(data), ghosts, sweep_table);
        },
    .make_tab = [](LiveModel& model) -> LivePlot* { return new SweepPlot(model); }};

}  // namespace shardscope
