#include "widgets/plots/plans/plans_plot.h"

#include <qcustomplot.h>

#include <QCheckBox>
#include <QComboBox>
#include <QKeyEvent>
#include <QPushButton>
#include <QToolTip>
#include <QVBoxLayout>
#include <algorithm>

#include "explore/change_text.h"
#include "system/jobs.h"
#include "text/translate.h"
#include "widgets/chart/figure_parts.h"
#include "widgets/chart/option_row.h"
#include "widgets/drawing.h"
#include "widgets/encode.h"
#include "widgets/plots/figure_page.h"
#include "widgets/plots/plans/neighbour_list.h"
#include "widgets/plots/plot_kind.h"
#include "widgets/progress_line.h"
#include "widgets/text.h"

namespace shardscope {
namespace {

std::vector<PlanDot> plan_ghosts(const FigureRequest& request) {
    std::vector<PlanDot> out;
    for (const Pin& pin : request.pins) {
        if (const auto dot = plan_dot(pin.letter, pin.answer, request.hypothetical)) out.push_back(*dot);
    }
    return out;
}

QString plan_line(const Scenario& scenario) { return QString::fromStdString(short_plan(resolve(scenario))); }

}  // namespace

PlansPlot::PlansPlot(LiveModel& model, QWidget* parent) : LivePlot(kPlansKind, model, parent) {
    setFocusPolicy(Qt::StrongFocus);
    QStringList names;
    for (const Output id : kPlanOutputs) names << text_of(label_of(id));
    output_ = options().add_choice(QStringLiteral("plans/output"), tr("What plans are compared by"), names);
    connect(output_, &QComboBox::currentIndexChanged, this, [this] {
        figure_->set_output(compared());
        fill_list();
        refit_figure();
        replot();
    });
    all_free_ = options().add_check(QStringLiteral("plans/all-free"), tr("All plan parameters"), false);
    all_free_->setToolTip(tr("Locked parameters may change too, not only automatic ones"));
    connect(all_free_, &QCheckBox::toggled, this, &PlansPlot::refresh);
    list_ = new NeighbourList;
    static_cast<QVBoxLayout*>(layout())->addWidget(list_);
    list_->hide();
    connect(list_, &NeighbourList::chosen, this,
            [this](int row) { choose(row < 0 ? std::nullopt : point_of(static_cast<std::size_t>(row))); });
    connect(list_, &NeighbourList::adopted, this, [this](int row) {
        adopt(figure_->data()->report.neighbours[static_cast<std::size_t>(row)].answer.scenario);
    });
    progress_ = new ProgressLine(QStringLiteral("plans/progress"),
                                 tr("Stops this search; earlier results stay"), &canvas());
    progress_->setAutoFillBackground(true);
    connect(&search_, &Background::waiting, this, &PlansPlot::show_progress);
    connect(progress_, &ProgressLine::stopped, this, &PlansPlot::stop);
    again_ = new QPushButton(tr("Search again"), &canvas());
    again_->setObjectName(QStringLiteral("plans/again"));
    again_->setToolTip(tr("Searches the plans of the current scenario"));
    again_->hide();
    connect(again_, &QPushButton::clicked, this, [this] {
        asked_.reset();
        refresh();
    });
    pause_.setSingleShot(true);
    connect(&pause_, &QTimer::timeout, this, &PlansPlot::search);
    figure_ = std::make_unique<PlansFigure>(canvas());
    use_zoom(*figure_);
    start();
}

PlansPlot::~PlansPlot() = default;

const PlansFigure& PlansPlot::figure() {
    bring_up_to_date();
    return *figure_;
}

Output PlansPlot::compared() const { return kPlanOutputs[static_cast<std::size_t>(output_->currentIndex())]; }

View PlansPlot::view() const {
    View out = LivePlot::view();
    out.outputs = {compared()};
    out.set_switched("all_free", all_free_->isChecked());
    return out;
}

void PlansPlot::show_view(const View& view) {
    all_free_->setChecked(view.is_switched("all_free"));
    const auto found = std::ranges::find(kPlanOutputs, view.first_output());
    output_->setCurrentIndex(found == kPlanOutputs.end() ? 0
                                                         : static_cast<int>(found - kPlanOutputs.begin()));
}

// ---- searching -------------------------------------------------------------------------------------------

void PlansPlot::update_figure() {
    all_free_->setEnabled(model().scenario().automatic.any());
    PlansSubject subject = plans_subject(model().scenario(), all_free_->isChecked());
    const bool sense = subject.makes_sense();
    // While an input is not valid, the last picture stays.
    figure_->set_strength(sense ? 1 : kInvalidStrength);
    figure_->set_hypothetical(hypothetical());
    figure_->set_current(plan_dot('A', model().answer(), hypothetical()));
    if (asked_ && *asked_ == subject) return;
    asked_.reset();
    search_.cancel();
    pause_.stop();
    stopped_ = false;
    progress_->hide();
    again_->hide();
    figure_->set_stale(sense ? tr("searching the plans…") : QString());
    list_->setEnabled(false);
    if (!sense) return;
    asked_ = std::move(subject);
    // During a drag the search starts only when the pointer pauses, because the next move would discard its
    // result.
    constexpr int kPause = 40;  // ms
    if (model().in_gesture()) pause_.start(kPause);
    else search();
}

void PlansPlot::search() {
    search_.ask([subject = *asked_, threads = background_threads()](
                    const std::stop_token& stop,
                    const Progress& progress) { return plans_data(subject, threads, stop, progress); },
                [this](SharedPlans found) { take(std::move(found)); });
}

void PlansPlot::show_progress(double done) {
    progress_->show_step(tr("Searching the plans: %1").arg(shown(done, Quantity::percent)),
                         static_cast<int>(100 * done), 100);
    place_progress();
}

void PlansPlot::stop() {
    search_.cancel();
    stopped_ = true;
    progress_->hide();
    again_->show();
    place_progress();
    figure_->set_stale(tr("search stopped"));
    replot();
}

// The progress line is across the top of the frame, where the figure is dimmed.
void PlansPlot::place_progress() {
    const QRect frame = canvas().axisRect()->rect();
    progress_->setGeometry(frame.left(), frame.top(), frame.width(), progress_->sizeHint().height());
    again_->adjustSize();
    again_->move(frame.center().x() - again_->width() / 2, frame.top() + 8);
}

void PlansPlot::take(SharedPlans found) {
    progress_->hide();
    figure_->set_stale({});
    figure_->set_data(std::move(found));
    fill_list();
    list_->setEnabled(true);
    if (!model().in_gesture()) refit_figure();
    replot();
}

void PlansPlot::refit_figure() {
    figure_->refit();
    fold_list();
}

void PlansPlot::style_figure(const Theme& theme, const QFont& font) { figure_->set_style(theme, font); }

QString PlansPlot::description() const { return figure_->description(); }

void PlansPlot::update_pins() {
    figure_->set_ghosts(plan_ghosts(request()));
    fill_list();  // with or without hypothetical rates
}

// ---- the list --------------------------------------------------------------------------------------------

void PlansPlot::fill_list() {
    if (const PlansData* plans = figure_->data())
        list_->set_neighbours(plans->report.neighbours, compared(), hypothetical());
}

// The list is low if there is little height; if there is no room for a few rows, it is hidden and the plot
// gets all the height.
void PlansPlot::fold_list() {
    constexpr int kPlot = 280;  // px
    constexpr int kLeastRows = 3;
    constexpr double kMost = 0.36;
    const bool any = figure_->data() && !figure_->data()->report.neighbours.empty();
    const int most = std::min(static_cast<int>(kMost * height()), height() - options().height() - kPlot);
    list_->setVisible(any && most >= std::min(list_->height_of(kLeastRows), list_->wanted_height()));
    list_->setFixedHeight(std::max(0, std::min(list_->wanted_height(), most)));
}

void PlansPlot::resizeEvent(QResizeEvent* event) {
    LivePlot::resizeEvent(event);
    fold_list();
    place_progress();
}

// ---- mouse and keyboard input ----------------------------------------------------------------------------

std::optional<std::size_t> PlansPlot::point_of(std::size_t neighbour) const {
    const auto& points = figure_->data()->points;
    const auto found = std::ranges::find_if(points, [&](const PlanPoint& point) {
        return point.mark == PlanMark::neighbour && point.neighbour == neighbour;
    });
    if (found == points.end()) return std::nullopt;
    return static_cast<std::size_t>(found - points.begin());
}

// "Global batch 128 → 384"; empty if the batch stays.
QString PlansPlot::batch_change(const Scenario& scenario) const {
    const double now = model().answer().settings[P::global_batch];
    const double then = resolve(scenario)[P::global_batch];
    if (now == then) return {};
    return text_of(change_text(P::global_batch, now, then));
}

QString PlansPlot::words_of(std::size_t index) const {
    const PlansData& plans = *figure_->data();
    const PlanPoint& point = plans.points[index];
    QStringList out;
    switch (point.mark) {
        case PlanMark::best: out += tr("The best plan"); break;
        case PlanMark::frontier: out += tr("The best with at most this memory"); break;
        case PlanMark::cut: out += tr("The best with this partition and micro-batch"); break;
        case PlanMark::neighbour:
            out += QString::fromStdString(title(*plans.neighbour_of(point)) + ": " +
                                          why(*plans.neighbour_of(point)));
            break;
    }
    out += plan_line(plans.scenario_of(point));
    QStringList numbers{shown(point.peak, Quantity::bytes)};
    for (const Output id : {Output::mfu, compared()}) {
        const double value = plans.value(id, point, hypothetical());
        const QString text = text_of(label_of(id)) + QLatin1Char(' ') +
                             QString::fromStdString(format(value, output(id).quantity));
        if (std::isfinite(value) && !numbers.contains(text)) numbers += text;
    }
    out += numbers.join(QStringLiteral(", "));
    if (const QString batch = batch_change(plans.scenario_of(point)); !batch.isEmpty())
        out += tr("Another job: %1").arg(batch);
    out += tr("A click adopts it");
    return out.join(QLatin1Char('\n'));
}

void PlansPlot::show_words(std::size_t point, const QPoint& global) {
    QToolTip::showText(global, wrapped_tool_tip(words_of(point)), &canvas());
}

void PlansPlot::choose(std::optional<std::size_t> point) {
    if (point == figure_->highlight()) return;
    figure_->set_highlight(point);
    const bool in_list = point && figure_->data()->points[*point].mark == PlanMark::neighbour;
    list_->choose(in_list ? static_cast<int>(figure_->data()->points[*point].neighbour) : -1);
    canvas().setCursor(point ? Qt::PointingHandCursor : Qt::ArrowCursor);
    replot();
}

void PlansPlot::press(QMouseEvent* event) {
    setFocus(Qt::MouseFocusReason);
    pressed_.reset();
    if (event->button() == Qt::LeftButton && !is_stale()) pressed_ = figure_->point_at(event->position());
}

void PlansPlot::move(QMouseEvent* event) {
    const auto point = is_stale() ? std::nullopt : figure_->point_at(event->position());
    choose(point);
    if (point) show_words(*point, event->globalPosition().toPoint());
    else QToolTip::hideText();
}

void PlansPlot::release(QMouseEvent* event) {
    const std::optional<std::size_t> pressed = pressed_;
    pressed_.reset();
    if (is_click() && pressed && !is_stale() && figure_->point_at(event->position()) == pressed)
        adopt(figure_->data()->scenario_of(figure_->data()->points[*pressed]));
}

// Moves the highlight to the next plan in order of memory. The many plans of PlanMark::cut are skipped.
void PlansPlot::step(int direction) {
    const auto& points = figure_->data()->points;
    const auto last = static_cast<std::ptrdiff_t>(points.size()) - 1;
    auto at = figure_->highlight() ? static_cast<std::ptrdiff_t>(*figure_->highlight())
                                   : (direction > 0 ? -1 : last + 1);
    do at += direction;
    while (at >= 0 && at <= last && points[static_cast<std::size_t>(at)].mark == PlanMark::cut);
    if (at < 0 || at > last) return;
    const auto point = static_cast<std::size_t>(at);
    choose(point);
    show_words(point, canvas().mapToGlobal(figure_->pixel_of(point).toPoint()));
    setAccessibleDescription(words_of(point));
}

void PlansPlot::keyPressEvent(QKeyEvent* event) {
    const bool ready = figure_->data() && !is_stale();
    const int key = event->key();
    if (ready && (key == Qt::Key_Left || key == Qt::Key_Right)) {
        step(key == Qt::Key_Right ? 1 : -1);
    } else if (ready && (key == Qt::Key_Return || key == Qt::Key_Enter) && figure_->highlight()) {
        adopt(figure_->data()->scenario_of(figure_->data()->points[*figure_->highlight()]));
    } else {
        LivePlot::keyPressEvent(event);
    }
}

std::optional<Scenario> PlansPlot::chosen() const {
    if (is_stale() || !figure_->data() || !figure_->highlight()) return std::nullopt;
    return figure_->data()->scenario_of(figure_->data()->points[*figure_->highlight()]);
}

void PlansPlot::adopt(const Scenario& scenario) {
    // Plans that were found for another scenario would undo the changes since then.
    if (is_stale()) return;
    // The search holds the global batch; the scenario holds what it held before.
    Scenario next = with_hold(scenario, model().scenario().hold());
    // Plans are compared as predicted; an MFU set by hand stays.
    const Scenario& now = model().scenario();
    if (now.is_given(P::mfu_override)) next.give(P::mfu_override, now.value[index(P::mfu_override)]);
    QString step = tr("Adopt plan %1").arg(plan_line(scenario));
    if (const QString batch = batch_change(scenario); !batch.isEmpty()) step += QStringLiteral(", ") + batch;
    model().replace(next, step);
}

namespace {

Output compared_in(const FigureRequest& request) { return options_in<PlansOptions>(request).output; }

}  // namespace

const PlotKind kPlansKind{
    .name = "plans",
    .label = translatable("Plans"),
    .accessible_name = translatable("Plans plot"),
    .searches = true,
    .options = [](const View& view, const Scenario&) -> PlotOptions {
        return PlansOptions{view.first_output(), view.is_switched("all_free")};
    },
    .objection =
        [](const FigureRequest& request, const Answer&) {
            return compares_plans(compared_in(request))
                       ? QString()
                       : PlansPlot::tr("plans are compared by mfu, tokens_per_s, training_days or cost only");
        },
    .compute_data = [](const FigureRequest& request, const Answer& answer,
                       const std::stop_token& stop) -> std::shared_ptr<const PlotData> {
        return as_plot_data(
            plans_data(plans_subject(answer.scenario, options_in<PlansOptions>(request).all_free),
                       usable_threads(), stop));
    },
    .paint =
        [](QCPPainter& painter, const QRectF& area, const FigureRequest& request, const Answer& answer) {
            QCustomPlot plot;
            PlansFigure figure(plot);
            figure.set_style(Theme::print(), page_font());
            figure.set_output(compared_in(request));
            figure.set_hypothetical(request.hypothetical);
            figure.set_data(data_in<std::shared_ptr<const PlansData>>(request));
            figure.set_current(plan_dot('A', answer, request.hypothetical));
            figure.set_ghosts(plan_ghosts(request));
            figure.refit();
            paint_plot(painter, area, plot);
        },
    .words =
        [](const FigureRequest& request, const Answer&) {
            return plans_caption(*data_in<std::shared_ptr<const PlansData>>(request), request.hypothetical);
        },
    .table =
        [](const FigureRequest& request, const Answer& answer) {
            return plans_table(*data_in<std::shared_ptr<const PlansData>>(request), answer, request.pins,
                               request.hypothetical);
        },
    .make_tab = [](LiveModel& model) -> LivePlot* { return new PlansPlot(model); }};

}  // namespace shardscope
