// Tests the Plans tab through real events on the real main window.
#include <qcustomplot.h>

#include <QCheckBox>
#include <QTabBar>
#include <QTabWidget>
#include <QUndoStack>
#include <algorithm>
#include <cmath>
#include <set>

#include "explore/repair.h"
#include "support/desk.h"
#include "support/scenarios.h"
#include "text/csv.h"
#include "widgets/drawn_words.h"
#include "widgets/plots/figure_export.h"
#include "widgets/plots/plans/neighbour_list.h"
#include "widgets/plots/plans/plans_plot.h"

using namespace shardscope;
using testing::kBackgroundTimeout;

namespace {

class PlansDesk : public testing::Desk {
  public:
    LiveModel& model() { return window.model(); }
    QUndoStack& undo() { return *window.model().undo_stack(); }

    // Does not wait for the search.
    PlansPlot& open_tab() {
        show_tab(QStringLiteral("Plans"));
        auto* plot = find<PlansPlot>("plans");
        REQUIRE(plot->isVisible());
        return *plot;
    }
    PlansPlot& searched() {
        PlansPlot& plot = open_tab();
        wait(plot);
        return plot;
    }
    void wait(PlansPlot& plot) {
        REQUIRE(QTest::qWaitFor([&] { return !plot.pending(); }, kBackgroundTimeout));
        QApplication::processEvents();
        find<QCustomPlot>("plans/plot")->replot();
    }
    using testing::Desk::click;
    void click(PlansPlot& plot, std::size_t point) {
        QTest::mouseClick(find<QCustomPlot>("plans/plot"), Qt::LeftButton, {},
                          plot.figure().pixel_of(point).toPoint());
        QApplication::processEvents();
    }
    // Starts with a few plans, none of which is the current one.
    void start_small() {
        Scenario scenario =
            with_auto(with_auto(Scenario::first_launch(commands::catalogue()), P::micro_batch, true),
                      P::recompute, true);
        model().start_with(scenario);
    }
};

std::size_t place_of(const PlansData& data, PlanMark mark) {
    const auto found = std::ranges::find(data.points, mark, &PlanPoint::mark);
    REQUIRE(found != data.points.end());
    return static_cast<std::size_t>(found - data.points.begin());
}

// Returns whether the search is of the window's scenario.
bool is_current(PlansPlot& plot, PlansDesk& desk, bool all_free = false) {
    const PlansSubject now = plans_subject(desk.model().scenario(), all_free);
    const PlanQuestion& of = plot.figure().data()->report.question;
    return of.scenario == now.scenario && of.free == now.free;
}

}  // namespace

TEST_CASE("a search that takes long reports its progress, and can be stopped and restarted", "[plans]") {
    PlansDesk desk;
    PlansPlot& plot = desk.open_tab();
    // The largest shipped job, on the largest number of GPUs, takes seconds.
    desk.model().start_with(testing::of_model(
        "deepseek-v3", {{P::gpus, 16384}, {P::global_batch, 16384}, {P::sequence_length, 4096}}));
    auto* line = desk.find<QWidget>("plans/progress");
    REQUIRE(QTest::qWaitFor([&] { return line->isVisible(); }, kBackgroundTimeout));
    CHECK_THAT(desk.text("plans/progress/text").toStdString(),
               Catch::Matchers::StartsWith("Searching the plans: "));
    // It lies over the canvas, within the frame: nothing else moves.
    const auto* canvas = desk.find<QCustomPlot>("plans/plot");
    CHECK(line->parentWidget() == canvas);
    CHECK(canvas->axisRect()->rect().contains(line->geometry()));

    desk.click(QStringLiteral("plans/progress/stop"));
    CHECK_FALSE(plot.pending());
    CHECK_FALSE(line->isVisible());
    auto* again = desk.find<QAbstractButton>("plans/again");
    CHECK(again->isVisible());
    // Plans found for another scenario are not offered.
    CHECK_FALSE(plot.chosen());

    desk.click(QStringLiteral("plans/again"));
    CHECK(plot.pending());
    CHECK_FALSE(again->isVisible());
    desk.start_small();
    desk.wait(plot);
    CHECK_FALSE(line->isVisible());
    CHECK(is_current(plot, desk));
}

TEST_CASE("the best plan of the tab is that of the repairs, for the same global batch", "[plans]") {
    PlansDesk desk;
    desk.pick(QStringLiteral("picker/cluster"), QStringLiteral("cluster/dgx-a100-40gb"));
    desk.pick(QStringLiteral("picker/model"), QStringLiteral("model/llama-2-70b"));
    const Scenario before = desk.model().scenario();
    REQUIRE(before.hold() == Hold::per_gpu_batch);
    const double batch = desk.model().answer().settings[P::global_batch];
    const auto repair = other_plan(before, 2);
    REQUIRE(repair);
    REQUIRE(repair->works);
    PlansPlot& plot = desk.searched();
    REQUIRE(plot.figure().data()->best() != nullptr);
    CHECK(plot.figure().data()->best()->estimate.mfu == repair->mfu);
    desk.click(plot, place_of(*plot.figure().data(), PlanMark::best));
    CHECK(desk.model().answer().estimate.mfu == repair->mfu);
    CHECK(desk.model().answer().settings[P::global_batch] == batch);
    CHECK(desk.model().scenario().hold() == before.hold());
}

TEST_CASE("a plan with another global batch is named as another job", "[plans]") {
    PlansDesk desk;
    desk.start_small();  // an automatic micro-batch with the batch of each GPU held
    REQUIRE(desk.model().scenario().hold() == Hold::per_gpu_batch);
    PlansPlot& plot = desk.searched();
    const PlansData& data = *plot.figure().data();
    const double batch = desk.model().answer().settings[P::global_batch];
    const auto other = std::ranges::find_if(data.points, [&](const PlanPoint& point) {
        return point.mark != PlanMark::cut && resolve(data.scenario_of(point))[P::global_batch] != batch;
    });
    REQUIRE(other != data.points.end());
    const double then = resolve(data.scenario_of(*other))[P::global_batch];
    const QString words = QStringLiteral("Global batch %1 → %2").arg(batch).arg(then);
    plot.setFocus();
    while (plot.figure().highlight() != static_cast<std::size_t>(other - data.points.begin())) {
        const auto at = plot.figure().highlight();
        QTest::keyClick(&plot, Qt::Key_Right);
        REQUIRE(plot.figure().highlight() != at);
    }
    CHECK(plot.accessibleDescription().contains(QStringLiteral("Another job: ") + words));
    QTest::keyClick(&plot, Qt::Key_Return);
    CHECK(desk.undo().undoText().endsWith(words));
}

TEST_CASE("a click on the best plan adopts it, and one undo restores the old one", "[plans]") {
    PlansDesk desk;
    PlansPlot& plot = desk.searched();
    const PlansData& data = *plot.figure().data();
    REQUIRE(data.best() != nullptr);
    const Answer best = *data.best();
    const Scenario before = desk.model().scenario();
    REQUIRE(plan_of(desk.model().answer().settings) != plan_of(best.settings));

    desk.click(plot, place_of(data, PlanMark::best));
    const Answer& now = desk.model().answer();
    CHECK(plan_of(now.settings) == plan_of(best.settings));
    CHECK(now.estimate.mfu == best.estimate.mfu);
    CHECK(now.estimate.memory.peak == best.estimate.memory.peak);
    CHECK(testing::first_number(desk.text("headline/mfu")) == Approx(best.estimate.mfu * 100).margin(0.051));
    CHECK(desk.undo().count() == 1);
    CHECK(desk.undo().undoText().toStdString() == "Adopt plan " + short_plan(best.settings));
    // The plans are the same, so nothing is searched again, and the dot lies on the ring.
    CHECK_FALSE(plot.pending());
    CHECK((plot.figure().zoom_center() -
           plot.figure().pixel_of(place_of(*plot.figure().data(), PlanMark::best)))
              .manhattanLength() < 1);

    desk.undo().undo();
    CHECK(desk.model().scenario() == before);
}

TEST_CASE("the drawn plans are those of the search, each with the numbers of a single estimate", "[plans]") {
    PlansDesk desk;
    desk.start_small();
    PlansPlot& plot = desk.searched();
    const PlansData& data = *plot.figure().data();
    REQUIRE(data.best() != nullptr);
    std::set<Plan> seen;
    double most = 0;
    for (std::size_t i = 0; i < data.points.size(); ++i) {
        const PlanPoint& point = data.points[i];
        CHECK(seen.insert(point.plan).second);
        if (i > 0) CHECK(data.points[i - 1].peak <= point.peak);
        const Answer alone = answer(data.scenario_of(point));
        REQUIRE(alone.valid());
        CHECK(alone.estimate.memory.peak == Approx(point.peak).epsilon(1e-12));
        CHECK(alone.estimate.verdict == point.verdict);
        for (const Output id : kPlanOutputs) {
            const double value = value_of(id, alone);
            const double drawn = data.value(id, point, false);
            if (id == Output::cost || std::isnan(value)) CHECK(std::isnan(drawn));  // no price is set
            else CHECK(drawn == Approx(value).epsilon(1e-9));
        }
        if (point.verdict == Verdict::fits) most = std::max(most, alone.estimate.mfu);
    }
    CHECK(most == Approx(data.best()->estimate.mfu).epsilon(1e-12));
    // Only automatic parameters vary.
    CHECK(data.report.question.free.count() == 2);
    for (const PlanPoint& point : data.points) {
        for (const P id : kPlanParameters) {
            if (!data.report.question.free[index(id)])
                CHECK(point.plan[id] == desk.model().answer().settings[id]);
        }
    }
    // All plans are drawn within the canvas.
    const QRect canvas = desk.find<QCustomPlot>("plans/plot")->rect();
    for (std::size_t i = 0; i < data.points.size(); ++i)
        CHECK(canvas.contains(plot.figure().pixel_of(i).toPoint()));
    CHECK(plot.accessibleDescription().contains(QString::fromStdString(short_plan(data.best()->settings))));
}

TEST_CASE("the switch frees all plan parameters, and adopting a plan locks the automatic ones", "[plans]") {
    PlansDesk desk;
    desk.start_small();
    PlansPlot& plot = desk.searched();
    const double few = plot.figure().data()->report.space;
    auto* all = desk.find<QCheckBox>("plans/all-free");
    REQUIRE(all->isEnabled());
    all->click();
    REQUIRE(plot.pending());
    desk.wait(plot);
    CHECK(is_current(plot, desk, true));
    CHECK(plot.figure().data()->report.space > few);
    CHECK(plot.figure().data()->report.question.free == default_free_parameters());

    const Plan best = plan_of(plot.figure().data()->best()->settings);
    desk.click(plot, place_of(*plot.figure().data(), PlanMark::best));
    CHECK(desk.model().scenario().automatic.none());
    CHECK(plan_of(desk.model().answer().settings) == best);
    CHECK_FALSE(all->isEnabled());  // all parameters are free, as none is automatic
    desk.undo().undo();
    CHECK(desk.model().scenario().automatic.count() == 2);
}

TEST_CASE("only the newest scenario's plans are drawn, and only they can be adopted", "[plans]") {
    PlansDesk desk;
    PlansPlot& plot = desk.searched();
    const PlansData* before = plot.figure().data();
    const std::size_t best = place_of(*before, PlanMark::best);
    desk.type("cluster.gpus", QStringLiteral("128"));
    desk.type("training.sequence_length", QStringLiteral("4096"));
    REQUIRE(plot.pending());
    CHECK(plot.figure().data() == before);  // dimmed

    const Scenario now = desk.model().scenario();
    desk.click(plot, best);
    CHECK(desk.model().scenario() == now);

    // At every moment the plans are the old ones or those of the newest scenario.
    REQUIRE(QTest::qWaitFor(
        [&] {
            const bool done = !plot.pending();
            if (plot.figure().data() != before || done) CHECK(is_current(plot, desk));
            return done;
        },
        kBackgroundTimeout));
    CHECK(plot.figure().data() != before);
    CHECK(is_current(plot, desk));
    CHECK(desk.model().scenario() == now);
}

TEST_CASE("during a drag the current plan's dot follows, and the plans follow after it", "[plans]") {
    PlansDesk desk;
    PlansPlot& plot = desk.searched();
    const PlansData* before = plot.figure().data();
    desk.model().begin_gesture(P::inter_node_bandwidth);
    const QPointF start = plot.figure().zoom_center();
    desk.model().drag(P::inter_node_bandwidth, 5e9);
    CHECK(plot.figure().zoom_center().y() > start.y());  // less MFU
    CHECK(plot.figure().data() == before);
    CHECK(plot.pending());
    desk.model().end_gesture();
    desk.wait(plot);
    CHECK(is_current(plot, desk));
    CHECK(plot.figure().data()->report.question.scenario.value[index(P::inter_node_bandwidth)] == 5e9);
}

TEST_CASE("a window closes safely in the middle of a search", "[plans]") {
    for (int i = 0; i < 3; ++i) {
        PlansDesk desk;
        desk.model().start_with(edited(Scenario::first_launch(commands::catalogue()), P::gpus, 512 << i));
        PlansPlot& plot = desk.open_tab();
        CHECK(plot.pending());
    }
}

TEST_CASE("the tab searches only while it is visible", "[plans]") {
    PlansDesk desk;
    auto* plot = desk.find<PlansPlot>("plans");
    desk.type("cluster.gpus", QStringLiteral("128"));
    REQUIRE_FALSE(plot->isVisible());
    CHECK_FALSE(plot->pending());
    CHECK(desk.searched().figure().data() != nullptr);
}

TEST_CASE("the keyboard moves from plan to plan in order of memory and adopts one", "[plans]") {
    PlansDesk desk;
    desk.start_small();
    PlansPlot& plot = desk.searched();
    plot.setFocus();
    double before = 0;
    std::size_t last = 0;
    for (int i = 0; i < 4; ++i) {
        QTest::keyClick(&plot, Qt::Key_Right);
        REQUIRE(plot.figure().highlight().has_value());
        const PlanPoint& point = plot.figure().data()->points[*plot.figure().highlight()];
        CHECK(point.mark != PlanMark::cut);
        CHECK(point.peak >= before);
        before = point.peak;
        last = *plot.figure().highlight();
    }
    const Plan chosen = plot.figure().data()->points[last].plan;
    QTest::keyClick(&plot, Qt::Key_Return);
    CHECK(plan_of(desk.model().answer().settings) == chosen);
    CHECK(desk.undo().undoText().startsWith(QStringLiteral("Adopt plan ")));
}

TEST_CASE("the list gives the reason why each neighbour is slower, and Enter adopts it", "[plans]") {
    PlansDesk desk;
    desk.start_small();
    PlansPlot& plot = desk.searched();
    auto* list = desk.find<NeighbourList>("plans/neighbours");
    REQUIRE(list->isVisible());
    const std::vector<Neighbour> neighbours = plot.figure().data()->report.neighbours;
    REQUIRE(list->model()->rowCount() == static_cast<int>(neighbours.size()));
    std::size_t fitting = neighbours.size();
    for (std::size_t i = 0; i < neighbours.size(); ++i) {
        const auto cell = [&](int column) {
            return list->model()->index(static_cast<int>(i), column).data().toString().toStdString();
        };
        CHECK(cell(0) == title(neighbours[i]));
        // A narrow cell leaves out all losses but the largest; the tool tip has them all.
        if (const auto losses = main_losses(neighbours[i]); !losses.empty())
            CHECK(cell(1).find("+" + format(losses.front().seconds, Quantity::seconds)) != std::string::npos);
        if (neighbours[i].over > 0)
            CHECK(cell(1).find(format(neighbours[i].over, Quantity::bytes)) != std::string::npos);
        CHECK(list->model()->index(static_cast<int>(i), 1).data(Qt::ToolTipRole).toString().toStdString() ==
              why(neighbours[i]));
        CHECK(cell(2) == text_of(Output::mfu, neighbours[i].answer));
        if (neighbours[i].over == 0) fitting = i;
    }
    REQUIRE(fitting < neighbours.size());
    list->setFocus();
    QTest::keyClick(list, Qt::Key_Home);
    while (list->currentIndex().row() != static_cast<int>(fitting)) QTest::keyClick(list, Qt::Key_Down);
    REQUIRE(plot.figure().highlight().has_value());
    CHECK(plot.figure().data()->points[*plot.figure().highlight()].neighbour == fitting);
    QTest::keyClick(list, Qt::Key_Return);
    const Answer& now = desk.model().answer();
    CHECK(now.settings[neighbours[fitting].id] == neighbours[fitting].to);
    CHECK(now.estimate.mfu == neighbours[fitting].answer.estimate.mfu);

    // If there is little height, the plot gets all of it.
    desk.wait(plot);
    desk.window.resize(1024, 640);
    desk.model().edit(P::sequence_length, 65536);
    QApplication::processEvents();
    desk.wait(plot);
    CHECK_FALSE(list->isVisible());
}

TEST_CASE("the plans' list shows its header and its numbers completely in a small window", "[plans]") {
    PlansDesk desk;
    desk.window.resize(1024, 700);
    PlansPlot& plot = desk.searched();
    const auto* list = desk.find<NeighbourList>("plans/neighbours");
    for (const int micro_batch : {2, 4}) {  // 4 does not fit, so the repairs need some of the height
        if (micro_batch == 4) desk.model().edit(P::sequence_length, 8192);
        desk.model().edit(P::micro_batch, micro_batch);
        QApplication::processEvents();
        desk.wait(plot);
        REQUIRE(list->isVisible());
        REQUIRE(list->model()->rowCount() > 0);
        constexpr int kAround = 14;  // px of padding
        constexpr int kSwatch = 13;
        const QFontMetrics metrics(list->font());
        for (int column = 0; column < list->model()->columnCount(); ++column) {
            if (list->isColumnHidden(column)) continue;
            const QString header = list->model()->headerData(column, Qt::Horizontal).toString();
            CHECK(metrics.horizontalAdvance(header) + kAround <= list->columnWidth(column));
        }
        for (int row = 0; row < list->model()->rowCount(); ++row) {
            const QModelIndex reason = list->model()->index(row, 1);
            const QString words = reason.data().toString();
            CAPTURE(words.toStdString());
            const bool swatch = reason.data(Qt::DecorationRole).isValid();
            CHECK(metrics.horizontalAdvance(words) + kAround + (swatch ? kSwatch : 0) <=
                  list->columnWidth(1));
        }
    }
}

TEST_CASE("the scenario is named among the plans beside the margin, beside pins, and outside the axes",
          "[plans][pins]") {
    PlansDesk desk;
    PlansPlot& plot = desk.open_tab();
    auto* canvas = desk.find<QCustomPlot>("plans/plot");
    const auto own = [&] {
        desk.wait(plot);
        const auto words = drawn_words(*canvas);
        const auto found = std::ranges::find_if(
            words, [](const DrawnWord& word) { return word.text.startsWith(QStringLiteral("A ")); });
        return found == words.end() ? DrawnWord{} : *found;
    };
    for (const QSize size : {QSize(1024, 700), QSize(1440, 900)}) {
        desk.window.resize(size);
        CAPTURE(size.width());
        desk.model().start_with(edited(Scenario::first_launch(commands::catalogue()), P::micro_batch, 5));
        REQUIRE(desk.model().answer().estimate.verdict == Verdict::risky);
        const double mfu = desk.model().answer().estimate.mfu;
        CHECK(own().text == QString::fromStdString("A " + format(mfu, Quantity::percent)));

        desk.model().edit(P::micro_batch, 2);
        QTest::keyClick(&desk.window, Qt::Key_P);
        desk.model().edit(P::inter_node_bandwidth, 37.5e9);
        QTest::keyClick(&desk.window, Qt::Key_P);
        desk.model().edit(P::micro_batch, 3);
        QTest::keyClick(&desk.window, Qt::Key_P);
        desk.model().edit(P::inter_node_bandwidth, 50e9);
        const DrawnWord beside = own();
        CHECK(beside.text.startsWith(QStringLiteral("A ")));
        CHECK(std::fabs(beside.box.center().y() - plot.figure().zoom_center().y()) < 40);

        desk.model().edit(P::sequence_length, 8192);
        desk.model().edit(P::micro_batch, 4);
        REQUIRE_FALSE(desk.model().answer().fits());
        const double peak = desk.model().answer().estimate.memory.peak;
        CHECK(own().text.toStdString() == "A " + format(peak, Quantity::bytes));
        CHECK(QRectF(canvas->rect()).contains(own().box));
    }
}

TEST_CASE("the backgrounds of labels interrupt neither the best plans' line nor the lines to neighbours",
          "[plans]") {
    PlansDesk desk;
    PlansPlot& plot = desk.searched();
    auto& canvas = *desk.find<QCustomPlot>("plans/plot");
    int labels = 0;
    for (const QSize size : {QSize(1024, 700), QSize(1280, 800), QSize(1440, 900), QSize(1800, 1000)}) {
        CAPTURE(size.width());
        desk.window.resize(size);
        desk.wait(plot);
        const PlansData& data = *plot.figure().data();
        const QPointF best = plot.figure().pixel_of(place_of(data, PlanMark::best));
        QStringList names;
        std::vector<QLineF> lines;
        for (std::size_t i = 0; i < data.points.size(); ++i) {
            const Neighbour* n = data.neighbour_of(data.points[i]);
            if (!n || n->over > 0) continue;
            names +=
                text_of(label_of(n->id)) + QLatin1Char(' ') + QString::fromStdString(format(n->id, n->to));
            lines.emplace_back(best, plot.figure().pixel_of(i));
        }
        std::optional<QPointF> last;
        for (const Candidate& edge : data.report.frontier) {
            const QPointF at(canvas.xAxis->coordToPixel(edge.peak / 1073741824),
                             canvas.yAxis->coordToPixel(100 * data.value(Output::mfu, edge)));
            if (last) {
                lines.emplace_back(*last, QPointF(at.x(), last->y()));
                lines.emplace_back(QPointF(at.x(), last->y()), at);
            }
            last = at;
        }
        const auto within = [](const QLineF& line, const QRectF& box) {
            constexpr int kParts = 2000;
            int inside = 0;
            for (int i = 0; i <= kParts; ++i) inside += box.contains(line.pointAt(double(i) / kParts));
            return line.length() * inside / kParts;
        };
        for (const DrawnWord& word : drawn_words(canvas)) {
            if (!names.contains(word.text)) continue;
            ++labels;
            double crossed = 0;
            for (const QLineF& line : lines) crossed += within(line, word.box);
            INFO(word.text.toStdString());
            CHECK(crossed < 6);
        }
    }
    CHECK(labels > 0);
}

TEST_CASE("plans that do not fit are drawn below the rates", "[plans]") {
    PlansDesk desk;
    desk.model().edit(P::sequence_length, 8192);
    desk.model().edit(P::micro_batch, 4);
    PlansPlot& plot = desk.searched();
    const auto* canvas = desk.find<QCustomPlot>("plans/plot");
    const double foot = canvas->axisRect()->bottom();
    const auto words = drawn_words(*desk.find<QCustomPlot>("plans/plot"));
    const auto own = std::ranges::find_if(
        words, [](const DrawnWord& word) { return word.text.startsWith(QStringLiteral("A ")); });
    REQUIRE(own != words.end());
    // The label is beside or just above its dot.
    CHECK(own->box.bottom() + own->box.height() > foot);
    const PlansData& data = *plot.figure().data();
    int below = 0;
    for (std::size_t i = 0; i < data.points.size(); ++i) {
        const QPointF at = plot.figure().pixel_of(i);
        if (data.points[i].fits()) {
            CHECK(at.y() <= foot + 1);
            continue;
        }
        ++below;
        CHECK(at.y() > foot);
        CHECK(at.y() < foot + canvas->xAxis->offset());
        CHECK(plot.figure().point_at(at) == i);
    }
    CHECK(below > 0);
    // Hypothetical rates are drawn as rates.
    desk.find<QCheckBox>("show-hypothetical")->click();
    desk.wait(plot);
    const double low = canvas->axisRect()->bottom() + 1;
    CHECK(std::ranges::none_of(data.points, [&](const PlanPoint& point) {
        return plot.figure().pixel_of(static_cast<std::size_t>(&point - data.points.data())).y() > low;
    }));
    CHECK(canvas->xAxis->offset() == 0);
}

TEST_CASE("where nothing fits the tab gives the reason", "[plans]") {
    PlansDesk desk;
    desk.model().start_with(
        edited(with_model(desk.model().scenario(), *commands::catalogue().find(PresetKind::model, "gpt-1t")),
               P::gpus, 8));
    PlansPlot& plot = desk.searched();
    REQUIRE(plot.figure().data() != nullptr);
    CHECK(plot.figure().data()->best() == nullptr);
    CHECK(plot.accessibleDescription().contains(QStringLiteral("the smallest needs")));
    CHECK_FALSE(desk.find<NeighbourList>("plans/neighbours")->isVisible());
}

TEST_CASE("the plans' table has one row a plan, and the figure contains its words", "[plans]") {
    PlansDesk desk;
    desk.start_small();
    PlansPlot& plot = desk.searched();
    const PlansData& data = *plot.figure().data();
    const Answer& now = desk.model().answer();
    const QByteArray csv = render_figure(plot.request(), now, FigureFormat::csv);
    const PlotTable table = plans_table(data, now, {}, false);
    REQUIRE(table.rows.size() == data.points.size() + 1);
    CHECK(csv.toStdString() == to_csv(table));
    CHECK(table.rows.front()[0] == "current");
    for (std::size_t i = 0; i < data.points.size(); ++i) {
        const auto& row = table.rows[i + 1];
        REQUIRE(row.size() == table.columns.size());
        CHECK(std::stod(row[2]) == Approx(data.points[i].peak / (1024.0 * 1024 * 1024)));
        CHECK(row[3].empty() == !data.points[i].fits());
    }
    const QString svg = QString::fromUtf8(render_figure(plot.request(), now, FigureFormat::svg));
    CHECK(svg.contains(QStringLiteral("plans fit")));
    CHECK(svg.contains(QStringLiteral("does not fit")));

    FigureRequest wrong = plot.request();
    wrong.options = PlansOptions{.output = Output::hfu};
    QString problem;
    CHECK(render_figure(wrong, now, FigureFormat::svg, &problem).isEmpty());
    CHECK(problem.contains(QStringLiteral("training_days")));
}

TEST_CASE("the axis of the MFU ends above the best plan and starts at 0", "[plans]") {
    PlansDesk desk;
    desk.start_small();
    PlansPlot& plot = desk.searched();
    double best = 0;
    for (const PlanPoint& point : plot.figure().data()->points)
        best = std::max(best, 100 * plot.figure().data()->value(Output::mfu, point, false));
    const QCPRange axis = desk.find<QCustomPlot>("plans/plot")->yAxis->range();
    CHECK(axis.lower == 0);
    CHECK(axis.upper >= best);
    CHECK(axis.upper <= 1.5 * best);
}
