#include "widgets/plots/walls/walls_plot.h"

#include <qcustomplot.h>

#include <QComboBox>
#include <QKeyEvent>
#include <QSignalBlocker>
#include <algorithm>
#include <cmath>

#include "scenario/domain.h"
#include "text/translate.h"
#include "widgets/chart/option_row.h"
#include "widgets/drawing.h"
#include "widgets/plots/figure_page.h"
#include "widgets/plots/plot_kind.h"
#include "widgets/plots/sweep/sweep_figure.h"
#include "widgets/rows/parameter_slider.h"
#include "widgets/text.h"

namespace shardscope {
namespace {

// Returns the request with at most `side` values per axis, including both ends.
WallsRequest thinned(WallsRequest request, int side) {
    const auto count = static_cast<std::size_t>(side);
    for (Axis* axis : {&request.x, &request.y}) {
        if (axis->values.size() <= count || map_axis_is_discrete(axis->id, resolve(request.scenario)))
            continue;
        const Axis all = *axis;
        axis->values.clear();
        for (std::size_t i = 0; i < count; ++i)
            axis->values.push_back(all.values[i * (all.values.size() - 1) / (count - 1)]);
    }
    return request;
}

bool same(const WallsRequest& a, const WallsRequest& b) {
    return a.scenario == b.scenario && a.x.id == b.x.id && a.x.values == b.x.values && a.y.id == b.y.id &&
           a.y.values == b.y.values && a.planned == b.planned && a.hypothetical == b.hypothetical;
}

// Returns the request of the map that an export or a table shows.
WallsRequest asked_of(const FigureRequest& request, const Answer& answer) {
    const auto options = options_in<WallsOptions>(request);
    WallsRequest out;
    out.planned = !options.held && needs_replanning(answer.scenario);
    out.scenario = out.planned ? answer.scenario : locked(answer.scenario);
    out.x = options.axes.empty() ? map_axis(out.scenario, kWallsX, kWallsFine) : options.axes[0];
    out.y = options.axes.empty() ? map_axis(out.scenario, kWallsY, kWallsFine) : options.axes[1];
    out.hypothetical = request.hypothetical;
    out.capacity = answer.estimate.memory.capacity;
    return out;
}

std::vector<Pin> valid_pins(std::vector<Pin> pins) {
    std::erase_if(pins, [](const Pin& pin) { return !pin.answer.valid(); });
    return pins;
}

std::vector<WallsFigure::Ghost> rings_of(const std::vector<Pin>& pins, P x, P y) {
    std::vector<WallsFigure::Ghost> out;
    out.reserve(pins.size());
    for (const Pin& pin : pins) out.push_back({pin.letter, walls_point(pin.answer, x, y), {}});
    return out;
}

// Returns the pins' rings with their walls. Pins hold their plan, because the plan is part of what was
// pinned.
std::vector<WallsFigure::Ghost> ghosts_of(const std::vector<Pin>& pins, const Axis& x, const Axis& y,
                                          bool hypothetical, unsigned threads,
                                          const std::stop_token& stop = {}) {
    std::vector<WallsFigure::Ghost> out = rings_of(pins, x.id, y.id);
    for (std::size_t i = 0; i < pins.size(); ++i) {
        WallsRequest request;
        request.scenario = locked(pins[i].answer.scenario);
        request.x = x;
        request.y = y;
        request.hypothetical = hypothetical;
        out[i].data = walls_data(request, threads, stop);
    }
    return out;
}

// The result of `compute_walls`.
struct ExportedWalls {
    std::shared_ptr<const WallsData> map;
    std::vector<WallsFigure::Ghost> ghosts;
};

}  // namespace

bool WallsPlot::MapKey::operator==(const MapKey& other) const {
    return rest == other.rest && x.id == other.x.id && x.values == other.x.values && y.id == other.y.id &&
           y.values == other.y.values && planned == other.planned && hypothetical == other.hypothetical;
}

WallsPlot::WallsPlot(LiveModel& model, QWidget* parent) : LivePlot(kWallsKind, model, parent) {
    QStringList names;
    for (const P id : walls_inputs()) names << text_of(label_of(id));
    options().add_word(tr("x"));
    x_box_ = options().add_choice(QStringLiteral("walls/x"), tr("Input along x"), names);
    options().add_word(tr("y"));
    y_box_ = options().add_choice(QStringLiteral("walls/y"), tr("Input along y"), names);
    plan_ = options().add_choice(QStringLiteral("walls/plan"), tr("Plan at the map's other points"),
                                 {tr("plan held"), tr("re-planned")});
    for (QComboBox* box : {x_box_, y_box_}) {
        constexpr int kLetters = 12;
        box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        box->setMinimumContentsLength(kLetters);
    }
    choose_axes(kWallsX, kWallsY);
    connect(x_box_, &QComboBox::currentIndexChanged, this, &WallsPlot::apply_axis_choices);
    connect(y_box_, &QComboBox::currentIndexChanged, this, &WallsPlot::apply_axis_choices);
    connect(plan_, &QComboBox::currentIndexChanged, this, &WallsPlot::refresh);
    figure_ = std::make_unique<WallsFigure>(canvas());
    refine_.setSingleShot(true);
    connect(&refine_, &QTimer::timeout, this, &WallsPlot::ask_for_finer_map);
    canvas().setFocusPolicy(Qt::StrongFocus);
    canvas().setAccessibleName(tr("Crosshair of the walls map: arrow keys move it"));
    canvas().installEventFilter(this);
    use_ruler({[this](const QPointF& pixel) { return figure_->ruler_place(pixel); },
               [this](const QPointF& place) { return figure_->ruler_stop(place); }});
    use_zoom(*figure_);
    start();
}

WallsPlot::~WallsPlot() = default;

const WallsFigure& WallsPlot::figure() {
    bring_up_to_date();
    return *figure_;
}

P WallsPlot::chosen(const QComboBox& box) const {
    return walls_inputs()[static_cast<std::size_t>(box.currentIndex())];
}

void WallsPlot::choose_axes(P x, P y) {
    const auto show = [](QComboBox& box, P id) {
        const auto found = std::ranges::find(walls_inputs(), id);
        if (found != walls_inputs().end())
            box.setCurrentIndex(static_cast<int>(found - walls_inputs().begin()));
    };
    show(*x_box_, x);
    show(*y_box_, y);
}

// Both axes cannot be the same input. If they are, the other axis gets the input that this one had before.
void WallsPlot::apply_axis_choices() {
    // Ranges belong to the inputs that were selected with them.
    x_range_.clear();
    y_range_.clear();
    clear_ruler();
    if (chosen(*x_box_) == chosen(*y_box_)) {
        const bool x_changed = sender() == x_box_;
        QComboBox& other = x_changed ? *y_box_ : *x_box_;
        const P left = x_changed ? x_.id : y_.id;
        const QSignalBlocker quiet(&other);
        other.setCurrentIndex(
            static_cast<int>(std::ranges::find(walls_inputs(), left) - walls_inputs().begin()));
    }
    refresh();
}

FigureRequest WallsPlot::request() const {
    FigureRequest out = LivePlot::request();
    out.options = WallsOptions{{x_, y_}, plan_->currentIndex() == 0};
    // A map that has been drawn is not computed again.
    if (made_.map && !walls_of_pins_.pending() && same(made_.request, asked_of(out, model().answer())))
        out.data = as_plot_data(ExportedWalls{made_.map, figure_->ghosts()});
    return out;
}

View WallsPlot::view() const {
    View out = LivePlot::view();
    out.x = chosen(*x_box_);
    out.y = chosen(*y_box_);
    out.x_range = x_range_;
    out.y_range = y_range_;
    out.held = plan_->currentIndex() == 0;
    return out;
}

void WallsPlot::show_view(const View& view) {
    choose_axes(view.x.value_or(kWallsX), view.y.value_or(kWallsY));
    x_range_ = view.x_range;
    y_range_ = view.y_range;
    plan_->setCurrentIndex(view.held || !needs_replanning(model().scenario()) ? 0 : 1);
    refresh();
}

// ---- the map ---------------------------------------------------------------------------------------------

void WallsPlot::update_axes() {
    const P x = chosen(*x_box_);
    const P y = chosen(*y_box_);
    const Scenario held = locked(model().answer().scenario);
    const auto axis_of = [this, &held](P id, const std::string& range) {
        Problems unread;
        const std::string text = std::string(parameter(id).key) + "=" + range;
        const auto ranged = range.empty() ? std::nullopt : parse_axis(held, text, unread);
        // WallsScale sorts the values in ascending order, as the frame shows them.
        return ranged && ranged->values.size() > 1 ? WallsScale(*ranged, model().answer().settings).axis()
                                                   : map_axis(held, id, kWallsFine);
    };
    Axis new_x = axis_of(x, x_range_);
    Axis new_y = axis_of(y, y_range_);
    const bool same =
        new_x.id == x_.id && new_x.values == x_.values && new_y.id == y_.id && new_y.values == y_.values;
    if (same) return;
    x_ = std::move(new_x);
    y_ = std::move(new_y);
    ask_for_walls_of_pins();
}

WallsRequest WallsPlot::asked(bool planned) const {
    WallsRequest out;
    const Scenario& now = model().answer().scenario;
    out.scenario = planned ? now : locked(now);
    out.x = x_;
    out.y = y_;
    out.planned = planned;
    out.hypothetical = hypothetical();
    out.capacity = model().answer().estimate.memory.capacity;
    return out;
}

void WallsPlot::update_figure() {
    const Answer& answer = model().answer();
    // While an input is not valid, the last valid picture stays.
    figure_->set_dimmed(!answer.valid());
    if (!answer.valid()) return;
    const bool plans = needs_replanning(model().scenario());
    plan_->setEnabled(plans);
    if (!plans && plan_->currentIndex() != 0) {
        const QSignalBlocker quiet(plan_);
        plan_->setCurrentIndex(0);
    }
    // The axes do not change during a gesture, unless the map has never been shown before.
    const bool first = x_.values.empty();
    if (!model().in_gesture() || first) update_axes();
    figure_->set_point(walls_point(answer, x_.id, y_.id));
    // The map does not depend on the crosshair.
    if (dragged_ == WallsFigure::Handle::none) take_map();
    if (first) figure_->refit();
}

void WallsPlot::take_map() {
    const bool dragging = model().in_gesture();
    const WallsRequest request = asked(plan_->currentIndex() == 1 && !dragging);
    // A map that is re-planned in every cell does not depend on the plan found for the crosshair.
    const Scenario& base = request.planned ? model().scenario() : request.scenario;
    MapKey key{edited(edited(base, x_.id, x_.values.front()), y_.id, y_.values.front()), x_, y_,
               request.planned, request.hypothetical};
    if (map_key_ && *map_key_ == key) return;
    map_key_ = std::move(key);

    // Show a coarse map with the plan held at once, because planning takes time.
    figure_->set_data(walls_data(thinned(asked(false), kWallsCoarse), spare_threads()));
    figure_->set_stale(request.planned);
    fine_.cancel();
    wanted_ = request;
    constexpr std::size_t kFirstStride = 8;
    rounds_ = request.planned
                  ? std::make_shared<PlannedMap>(request.scenario, request.x, request.y, kFirstStride)
                  : nullptr;
    // During a drag the fine map starts only when the pointer pauses, because the next move would discard it.
    constexpr int kPause = 40;  // ms
    refine_.start(dragging ? kPause : 0);
}

// A map whose plan is held is computed in full resolution at once. One that is re-planned in every cell is
// computed in rounds.
void WallsPlot::ask_for_finer_map() {
    fine_.ask(
        [request = wanted_, rounds = rounds_, threads = background_threads()](const std::stop_token& stop) {
            return rounds ? walls_data(request, rounds->next(threads, stop))
                          : walls_data(request, threads, stop);
        },
        [this](WallsData map) {
            if (map.empty()) return;
            made_ = {wanted_, std::make_shared<const WallsData>(std::move(map))};
            figure_->set_data(*made_.map);
            figure_->set_stale(false);
            if (!model().in_gesture()) figure_->refit();
            replot();
            if (rounds_ && !rounds_->finished()) ask_for_finer_map();
            else Q_EMIT refined();
        });
}

void WallsPlot::refit_figure() {
    if (model().answer().valid()) figure_->refit();
}

void WallsPlot::style_figure(const Theme& theme, const QFont& font) { figure_->set_style(theme, font); }

QString WallsPlot::description() const { return figure_->description(); }

void WallsPlot::update_pins() {
    if (!x_.values.empty()) ask_for_walls_of_pins();
}

// Shows the pins' rings at once, and their walls when they have been computed.
void WallsPlot::ask_for_walls_of_pins() {
    const std::vector<Pin> pins = valid_pins(model().pins());
    figure_->set_ghosts(rings_of(pins, x_.id, y_.id));
    if (pins.empty()) {
        walls_of_pins_.cancel();
        return;
    }
    walls_of_pins_.ask(
        [pins, x = x_, y = y_, hypothetical = hypothetical(), threads = background_threads()](
            const std::stop_token& stop) { return ghosts_of(pins, x, y, hypothetical, threads, stop); },
        [this](std::vector<WallsFigure::Ghost> ghosts) {
            figure_->set_ghosts(std::move(ghosts));
            replot();
        });
}

// ---- mouse and keyboard input ----------------------------------------------------------------------------

void WallsPlot::press(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || !model().answer().valid()) return;
    const WallsFigure::Handle handle = figure_->handle_at(event->position());
    if (handle == WallsFigure::Handle::none) return;
    dragged_ = handle;
    switch (handle) {
        case WallsFigure::Handle::vertical: model().begin_gesture(x_.id); break;
        case WallsFigure::Handle::horizontal: model().begin_gesture(y_.id); break;
        default: model().begin_gesture({x_.id, y_.id}); break;
    }
}

QPointF WallsPlot::round_values(const QPointF& at) const {
    const QPointF pixel(1, 1);
    return {round_value(x_.id, figure_->x_at(at), figure_->x_at(at - pixel), figure_->x_at(at + pixel)),
            round_value(y_.id, figure_->y_at(at), figure_->y_at(at - pixel), figure_->y_at(at + pixel))};
}

void WallsPlot::drag_to(QMouseEvent* event) {
    bool along_x = dragged_ != WallsFigure::Handle::horizontal;
    bool along_y = dragged_ != WallsFigure::Handle::vertical;
    // With Shift, only along the axis along which the pointer has moved further.
    if (dragged_ == WallsFigure::Handle::center && event->modifiers().testFlag(Qt::ShiftModifier)) {
        const QPointF way = event->position() - pressed_at();
        along_x = std::fabs(way.x()) >= std::fabs(way.y());
        along_y = !along_x;
    }
    const QPointF to = round_values(event->position());
    if (along_x && along_y) model().drag({{x_.id, to.x()}, {y_.id, to.y()}});
    else if (along_x) model().drag(x_.id, to.x());
    else model().drag(y_.id, to.y());
}

void WallsPlot::move(QMouseEvent* event) {
    if (dragged_ != WallsFigure::Handle::none) {
        if (!is_click()) drag_to(event);
        return;
    }
    switch (figure_->handle_at(event->position())) {
        case WallsFigure::Handle::none: canvas().setCursor(Qt::ArrowCursor); break;
        case WallsFigure::Handle::center: canvas().setCursor(Qt::SizeAllCursor); break;
        case WallsFigure::Handle::vertical: canvas().setCursor(Qt::SizeHorCursor); break;
        case WallsFigure::Handle::horizontal: canvas().setCursor(Qt::SizeVerCursor); break;
    }
}

// A place has the values that a double click there sets.
std::optional<LivePlot::Place> WallsPlot::place_at(const QPointF& pixel) const {
    if (!figure_->inside(pixel) || !model().answer().valid()) return std::nullopt;
    const QPointF to = round_values(pixel);
    Scenario there = edited(edited(model().answer().scenario, x_.id, to.x()), y_.id, to.y());
    const Settings settings = resolve(there);
    const auto words = [&](P id) {
        return text_of(label_of(id)) + QLatin1Char(' ') + text_of(format(id, settings[id]));
    };
    return Place{words(x_.id) + QStringLiteral(" · ") + words(y_.id), std::move(there)};
}

bool WallsPlot::is_handle(const QPointF& pixel) const {
    return figure_->handle_at(pixel) != WallsFigure::Handle::none;
}

void WallsPlot::end_drag() {
    if (dragged_ == WallsFigure::Handle::none) return;
    dragged_ = WallsFigure::Handle::none;
    model().end_gesture();
}

// The focus is not tracked by QApplication::focusChanged: a focused canvas reports it once more when the
// figure no longer exists.
bool WallsPlot::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::FocusIn || event->type() == QEvent::FocusOut) {
        figure_->set_focused(canvas().hasFocus());
        replot();
    }
    return LivePlot::eventFilter(watched, event);
}

void WallsPlot::double_click(QMouseEvent* event) {
    // The first of the two clicks may have begun a drag.
    end_drag();
    if (!figure_->inside(event->position()) || !model().answer().valid()) return;
    dragged_ = WallsFigure::Handle::center;
    model().begin_gesture({x_.id, y_.id});
    drag_to(event);
    end_drag();
}

void WallsPlot::step(P id, int way) {
    const Settings& settings = model().answer().settings;
    const double now = settings[id];
    const SliderScale scale(domain(id, settings), parameter(id).logarithmic, parameter(id), now);
    // The step is a hundredth of the slider, or more if that gives no other value.
    const int stride = scale.is_list() ? 1 : std::max(1, scale.last() / 100);
    for (int at = scale.position(now) + way * stride; at >= 0 && at <= scale.last(); at += way * stride) {
        const double next = nearest_valid(id, scale.at(at), settings);
        if (way > 0 ? next <= now : next >= now) continue;
        model().edit(id, next);
        return;
    }
}

void WallsPlot::keyPressEvent(QKeyEvent* event) {
    if (!model().answer().valid() || x_.values.empty()) {
        event->ignore();
        return;
    }
    switch (event->key()) {
        case Qt::Key_Left: step(x_.id, -1); break;
        case Qt::Key_Right: step(x_.id, 1); break;
        case Qt::Key_Down: step(y_.id, -1); break;
        case Qt::Key_Up: step(y_.id, 1); break;
        default: event->ignore(); return;
    }
    event->accept();
}

// ---- exports ---------------------------------------------------------------------------------------------

namespace {

// Limits the number of searches, so that an export takes a second or two.
std::size_t stride_of_searches(const WallsRequest& request) {
    constexpr std::size_t kMost = kWallsCoarse + 1;
    std::size_t out = 1;
    while (std::max(request.x.values.size(), request.y.values.size()) > kMost * out) out *= 2;
    return out;
}

std::shared_ptr<const PlotData> compute_walls(const FigureRequest& request, const Answer& answer,
                                              const std::stop_token& stop) {
    const WallsRequest asked = asked_of(request, answer);
    // Several automatic parameters need a search in every cell.
    const bool searches = asked.planned && answer.scenario.automatic.count() > 1;
    const Settings settings = resolve(asked.scenario);
    PlannedMap map(asked.scenario, WallsScale(asked.x, settings).axis(), WallsScale(asked.y, settings).axis(),
                   searches ? stride_of_searches(asked) : 1);
    return as_plot_data(ExportedWalls{
        std::make_shared<const WallsData>(walls_data(asked, map.next(usable_threads(), stop))),
        ghosts_of(valid_pins(request.pins), asked.x, asked.y, request.hypothetical, usable_threads(), stop)});
}

}  // namespace

const PlotKind kWallsKind{
    .name = "walls",
    .label = translatable("Walls map"),
    .accessible_name = translatable("Walls map"),
    .options = [](const View& view, const Scenario& scenario) -> PlotOptions {
        return WallsOptions{axes_of(view, scenario), view.held};
    },
    .objection = [](const FigureRequest& request, const Answer&) -> QString {
        const std::vector<Axis> axes = options_in<WallsOptions>(request).axes;
        if (axes.empty()) return {};
        if (axes.size() != 2 || axes[0].id == axes[1].id)
            return tr("a map has two axes; give two different --axis");
        return {};
    },
    .least_height = 330,
    .compute_data = compute_walls,
    .paint =
        [](QCPPainter& painter, const QRectF& area, const FigureRequest& request, const Answer& answer) {
            QCustomPlot plot;
            WallsFigure figure(plot);
            figure.set_style(Theme::print(), page_font());
            const auto& [map, ghosts] = data_in<ExportedWalls>(request);
            figure.set_point(walls_point(answer, map->x.id(), map->y.id()));
            figure.set_ghosts(ghosts);
            figure.set_data(*map);
            figure.refit();
            paint_plot(painter, area, plot);
        },
    .words = [](const FigureRequest& request,
                const Answer&) { return walls_caption(*data_in<ExportedWalls>(request).map); },
    .table =
        [](const FigureRequest& request, const Answer&) {
            const auto& [map, ghosts] = data_in<ExportedWalls>(request);
            return with_ghosts(walls_table(*map), ghosts, walls_table);
        },
    .make_tab = [](LiveModel& model) -> LivePlot* { return new WallsPlot(model); }};

}  // namespace shardscope
