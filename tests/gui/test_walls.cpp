// Tests the Walls map: its lines, its figure, and the tab through real events on the real main window.
#include <qcustomplot.h>

#include <QApplication>
#include <QComboBox>
#include <QContextMenuEvent>
#include <QMenu>
#include <QSignalSpy>
#include <QTabBar>
#include <QTabWidget>
#include <QTest>
#include <QUndoStack>
#include <QXmlStreamReader>
#include <catch2/catch.hpp>
#include <cmath>
#include <set>

#include "support/desk.h"
#include "text/csv.h"
#include "widgets/carried_scenario.h"
#include "widgets/chart/contours.h"
#include "widgets/plots/figure_export.h"
#include "widgets/plots/walls/walls_plot.h"
#include "widgets/rows/parameter_slider.h"

using namespace shardscope;
using testing::kBackgroundTimeout;

namespace {

// A unit square with n × n nodes, and a field of a function on it.
Grid square(int n) {
    Grid grid;
    for (int i = 0; i < n; ++i) grid.u.push_back(i / (n - 1.0));
    grid.v = grid.u;
    return grid;
}
template <typename Function>
Field sampled(const Grid& grid, const Function& function) {
    Field out;
    for (const double v : grid.v) {
        for (const double u : grid.u) out.push_back(function(u, v));
    }
    return out;
}
double length_of(const QPolygonF& line) {
    double out = 0;
    for (qsizetype i = 1; i < line.size(); ++i) out += QLineF(line[i - 1], line[i]).length();
    return out;
}

class WallsDesk : public testing::Desk {
  public:
    WallsDesk() {
        auto* bar = find<QTabWidget>("tabs")->tabBar();
        int tab = 0;
        while (tab < bar->count() && bar->tabText(tab) != QStringLiteral("Walls map")) ++tab;
        REQUIRE(tab == 1);
        QTest::mouseClick(bar, Qt::LeftButton, {}, bar->tabRect(tab).center());
        plot = find<WallsPlot>("walls");
        canvas = find<QCustomPlot>("walls/plot");
        settle();
    }
    // Waits until the fine map is drawn.
    void settle() {
        REQUIRE(QTest::qWaitFor([&] { return !plot->pending(); }, kBackgroundTimeout));
        QApplication::processEvents();
    }
    LiveModel& model() { return window.model(); }
    const Settings& settings() { return window.model().answer().settings; }
    QPointF crosshair() {
        const WallsFigure& figure = plot->figure();
        return figure.pixel_of(figure.point().x, figure.point().y);
    }
    void move_to(const QPointF& to, Qt::KeyboardModifiers keys = {}) {
        QMouseEvent move(QEvent::MouseMove, to, canvas->mapToGlobal(to), Qt::NoButton, Qt::LeftButton, keys);
        QApplication::sendEvent(canvas, &move);
    }
    void drag_crosshair(const QPointF& from, const QPointF& to, Qt::KeyboardModifiers keys = {}) {
        QTest::mousePress(canvas, Qt::LeftButton, keys, from.toPoint());
        constexpr int kSteps = 12;
        for (int i = 1; i <= kSteps; ++i) move_to(from + (to - from) * i / kSteps, keys);
        QTest::mouseRelease(canvas, Qt::LeftButton, keys, to.toPoint());
        QApplication::processEvents();
    }

    WallsPlot* plot = nullptr;
    QCustomPlot* canvas = nullptr;
};

// Checks that every cell of the drawn map is the single estimate of the model's current scenario.
void check_is_of(const WallsData& data, const Scenario& scenario) {
    Answer single;
    const WallMap& map = data.map;
    for (std::size_t iy = 0; iy < map.y.values.size(); iy += 7) {
        for (std::size_t ix = 0; ix < map.x.values.size(); ix += 7) {
            if (!map.at(ix, iy).valid) continue;
            REQUIRE(answer_into(
                edited(edited(scenario, map.x.id, map.x.values[ix]), map.y.id, map.y.values[iy]), single));
            CHECK(map.at(ix, iy).mfu == single.estimate.mfu);
        }
    }
}

}  // namespace

TEST_CASE("contours: a circle's level line is one closed line of the right length", "[walls]") {
    const Grid grid = square(41);
    const Field field = sampled(grid, [](double u, double v) { return std::hypot(u - 0.5, v - 0.5) - 0.3; });
    const QList<QPolygonF> lines = level_lines(grid, field);
    REQUIRE(lines.size() == 1);
    CHECK(lines[0].first() == lines[0].last());
    CHECK(length_of(lines[0]) == Approx(2 * M_PI * 0.3).epsilon(0.002));
    for (const QPointF& at : lines[0])
        CHECK(std::hypot(at.x() - 0.5, at.y() - 0.5) == Approx(0.3).epsilon(0.01));

    // Cut to the left half it is one open half circle that ends at the cut.
    const Field left = sampled(grid, [](double u, double) { return 0.507 - u; });
    const QList<QPolygonF> half = level_lines(grid, field, {left});
    REQUIRE(half.size() == 1);
    CHECK(half[0].first().x() == Approx(0.507));
    CHECK(half[0].last().x() == Approx(0.507));
    CHECK(length_of(half[0]) == Approx(M_PI * 0.3).epsilon(0.03));
}

TEST_CASE("contours: borders lie where the two largest fields are equal, and meet in one point", "[walls]") {
    // Linear fields are met exactly: a = 0.25, b = u − 0.25, c = v − 0.25 + 0.05; a = b at u = 0.5, a = c at
    // v = 0.45, b = c at u = v + 0.05: all three at (0.5, 0.45).
    const Grid grid = square(8);
    const std::vector<Field> fields{sampled(grid, [](double, double) { return 0.25; }),
                                    sampled(grid, [](double u, double) { return u - 0.25; }),
                                    sampled(grid, [](double, double v) { return v - 0.2; })};
    const QList<QPolygonF> lines = borders(grid, fields);
    REQUIRE(lines.size() == 3);
    double total = 0;
    for (const QPolygonF& line : lines) {
        total += length_of(line);
        const bool meets = QLineF(line.first(), {0.5, 0.45}).length() < 1e-9 ||
                           QLineF(line.last(), {0.5, 0.45}).length() < 1e-9;
        CHECK(meets);
    }
    CHECK(total == Approx(0.45 + 0.5 + 0.5 * std::sqrt(2.0)));
    // A straight line is not changed.
    const QPolygonF smooth = smoothed(lines[0]);
    CHECK(smooth.first() == lines[0].first());
    CHECK(length_of(smooth) == Approx(length_of(lines[0])));
}

TEST_CASE("walls: borders of the default map agree with single estimates", "[walls]") {
    const Scenario held = locked(Scenario::first_launch());
    WallsRequest request;
    request.scenario = held;
    request.x = map_axis(held, P::inter_node_bandwidth, kWallsFine);
    request.y = map_axis(held, P::memory, kWallsFine);
    const WallsData data = walls_data(request, 2);
    // At the memory edge the answers on both sides differ.
    REQUIRE_FALSE(data.memory_edges.isEmpty());
    for (const QPointF& at : data.memory_edges[0]) {
        const double memory = data.y.value_at(at.y());
        CHECK(answer(edited(held, P::memory, memory * 1.02)).fits());
        CHECK_FALSE(answer(edited(held, P::memory, memory / 1.02)).fits());
    }
    // At the ideal threshold: above one bandwidth the tokens per GPU hide the network.
    REQUIRE(data.threshold.size() == 1);
    const double bandwidth = data.x.value_at(data.threshold[0].first().x());
    const Answer there = answer(edited(held, P::inter_node_bandwidth, bandwidth));
    CHECK(there.estimate.ideal.threshold_tokens == Approx(4096).epsilon(0.01));
    // Between compute and the network two rates are about equal, or their order changes within a cell.
    for (const QPolygonF& line : data.edges) {
        for (const QPointF& at : line) {
            const auto wall = [&](double shift) {
                return answer(edited(held, P::inter_node_bandwidth, data.x.value_at(at.x() + shift)))
                    .estimate.wall;
            };
            constexpr double kCells = 2.0 / kWallsFine;
            if (at.x() < kCells || at.x() > 1 - kCells) continue;
            CHECK((wall(-kCells) != wall(kCells) || wall(0) == Wall::balanced));
        }
    }
}

TEST_CASE("walls: a border is between the link to the host and the links between GPUs", "[walls]") {
    Scenario held = edited(Scenario::first_launch(), P::gpus, 8);
    held.model = held.catalogue->find(PresetKind::model, "mpt-7b");
    held.give(P::offload, static_cast<double>(Offload::optimizer));
    held = locked(held);
    constexpr int kValues = 40;
    const auto axis = [](P id, double low, double high) {
        Axis out{id, {}};
        for (int i = 0; i < kValues; ++i)
            out.values.push_back(low * std::pow(high / low, i / (kValues - 1.0)));
        return out;
    };
    WallsRequest request;
    request.scenario = held;
    request.x = axis(P::host_bandwidth, 3e8, 1e11);
    request.y = axis(P::intra_node_bandwidth, 1e8, 9e11);
    const WallsData data = walls_data(request, 2);
    constexpr double kNear = 2.0 / kValues;
    const auto has_edge = [&](double x, double y) {
        return std::ranges::any_of(data.edges, [&](const QPolygonF& line) {
            return std::ranges::any_of(line, [&](const QPointF& at) {
                return std::fabs(at.x() - x) < kNear && std::fabs(at.y() - y) < kNear;
            });
        });
    };
    int changes = 0;
    for (std::size_t ix = 0; ix < kValues; ++ix) {
        for (std::size_t iy = 1; iy < kValues; ++iy) {
            const std::set<Wall> both{data.map.at(ix, iy - 1).wall, data.map.at(ix, iy).wall};
            if (both != std::set<Wall>{Wall::intra_node, Wall::host_link}) continue;
            ++changes;
            CAPTURE(ix, iy);
            CHECK(has_edge(data.x.place_of(data.map.x.values[ix]), data.y.place_of(data.map.y.values[iy])));
        }
    }
    CHECK(changes > kValues / 4);
    // The table names it as well.
    const PlotTable table = walls_table(data);
    CHECK(std::ranges::any_of(table.rows, [](const auto& row) { return row[4] == "host-link"; }));
}

TEST_CASE("walls: the profiles pass through the scenario and end where it does not fit", "[walls]") {
    const Answer now = answer(Scenario::first_launch());
    WallsRequest request;
    request.scenario = locked(now.scenario);
    request.x = map_axis(request.scenario, P::gpus, kWallsFine);
    request.y = map_axis(request.scenario, P::sequence_length, kWallsFine);
    const WallsData data = walls_data(request, 2);
    const WallsPoint point = walls_point(now, P::gpus, P::sequence_length);
    const WallsProfile along = profile_along_y(data, point);
    const auto here = std::ranges::find(along.place, data.y.place_of(2048));
    REQUIRE(here != along.place.end());
    CHECK(along.mfu[static_cast<std::size_t>(here - along.place.begin())] == now.estimate.mfu);
    CHECK(std::ranges::is_sorted(along.place));
    double longest = 0;
    for (std::size_t i = 0; i < along.place.size(); ++i) {
        CHECK(std::isnan(along.mfu[i]) != along.fits[i]);
        if (along.fits[i]) longest = data.y.value_at(along.place[i]);
    }
    CHECK(answer(edited(now.scenario, P::sequence_length, longest * 0.98)).fits());
    CHECK_FALSE(answer(edited(now.scenario, P::sequence_length, longest * 1.02)).fits());
}

TEST_CASE("G8: after a drag of the map's crosshair sliders and headline agree, and one undo restores",
          "[golden][walls]") {
    WallsDesk desk;
    const Scenario start = desk.model().scenario();
    const std::vector<double> before = desk.plot->figure().data().mfu;
    const QPointF from = desk.crosshair();
    desk.drag_crosshair(from, from + QPointF(70, 60));
    const double gpus = desk.settings()[P::gpus];
    const double sequence = desk.settings()[P::sequence_length];
    CHECK(gpus > 64);
    CHECK(sequence < 2048);
    CHECK(desk.find<ParameterSlider>("cluster.gpus/slider")->current() == gpus);
    CHECK(desk.find<ParameterSlider>("training.sequence_length/slider")->current() == sequence);
    const Answer direct = answer(edited(edited(start, P::gpus, gpus), P::sequence_length, sequence));
    CHECK(desk.estimate().mfu == direct.estimate.mfu);
    CHECK(desk.text("headline/mfu").toStdString() == text_of(Output::mfu, direct));
    CHECK(desk.plot->figure().point().cell.mfu == direct.estimate.mfu);
    // The map does not depend on the two dragged inputs, so it is unchanged.
    CHECK(desk.plot->figure().data().mfu == before);
    CHECK_FALSE(desk.plot->pending());
    // The crosshair is where it was released, up to rounding to convenient values.
    CHECK(std::fabs(desk.crosshair().x() - from.x() - 70) < 12);

    REQUIRE(desk.model().undo_stack()->index() == 1);
    CHECK(desk.model().undo_stack()->undoText().contains(QStringLiteral("GPUs 64 →")));
    CHECK(desk.model().undo_stack()->undoText().contains(QStringLiteral("Sequence length 2,048")));
    desk.window.action(ActionId::undo)->trigger();
    CHECK(desk.model().scenario() == start);
}

TEST_CASE("walls: an arm and Shift move along one axis, and a drag there and back leaves no undo step",
          "[walls]") {
    WallsDesk desk;
    const QPointF at = desk.crosshair();
    desk.drag_crosshair(at + QPointF(0, 60), at + QPointF(80, 90));  // the vertical arm
    CHECK(desk.settings()[P::gpus] > 64);
    CHECK(desk.settings()[P::sequence_length] == 2048);
    desk.model().undo_stack()->undo();
    desk.drag_crosshair(at + QPointF(60, 0), at + QPointF(90, 80));  // the horizontal one
    CHECK(desk.settings()[P::gpus] == 64);
    CHECK(desk.settings()[P::sequence_length] < 2048);
    desk.model().undo_stack()->undo();
    desk.drag_crosshair(at, at + QPointF(20, 70), Qt::ShiftModifier);
    CHECK(desk.settings()[P::gpus] == 64);
    CHECK(desk.settings()[P::sequence_length] < 2048);
    desk.model().undo_stack()->undo();

    const Scenario start = desk.model().scenario();
    QTest::mousePress(desk.canvas, Qt::LeftButton, {}, at.toPoint());
    desk.move_to(at + QPointF(90, -40));
    CHECK_FALSE(desk.model().scenario() == start);
    desk.move_to(at);
    QTest::mouseRelease(desk.canvas, Qt::LeftButton, {}, at.toPoint());
    CHECK(desk.model().scenario() == start);
    CHECK_FALSE(desk.model().undo_stack()->canUndo());
}

TEST_CASE("walls: the menu offers and sets the values that a double click sets", "[walls]") {
    WallsDesk desk;
    const QRectF frame = desk.plot->figure().frame();
    for (const double across : {0.23, 0.41, 0.58, 0.77}) {
        const QPoint at =
            QPointF(frame.left() + across * frame.width(), frame.top() + (1 - across / 2) * frame.height())
                .toPoint();
        QTest::mouseDClick(desk.canvas, Qt::LeftButton, {}, at);
        QApplication::processEvents();
        const double gpus = desk.settings()[P::gpus];
        const double sequence = desk.settings()[P::sequence_length];
        desk.model().undo_stack()->undo();
        desk.settle();
        REQUIRE(desk.settings()[P::gpus] == 64);

        const QPoint place = desk.canvas->mapTo(desk.plot, at);
        QContextMenuEvent asked(QContextMenuEvent::Mouse, place, desk.plot->mapToGlobal(place));
        QApplication::sendEvent(desk.plot, &asked);
        auto* menu = desk.find<QMenu>("walls/menu");
        const QString entry =
            QStringLiteral("Set GPUs %1 · Sequence length %2")
                .arg(text_of(format(P::gpus, gpus)), text_of(format(P::sequence_length, sequence)));
        const auto actions = menu->actions();
        const auto found = std::ranges::find(actions, entry, &QAction::text);
        INFO(entry.toStdString());
        REQUIRE(found != actions.end());
        QTest::mouseClick(menu, Qt::LeftButton, {}, menu->actionGeometry(*found).center());
        QApplication::processEvents();
        CHECK(desk.settings()[P::gpus] == gpus);
        CHECK(desk.settings()[P::sequence_length] == sequence);
        desk.model().undo_stack()->undo();
        desk.settle();
    }
}

TEST_CASE("walls: a double click sets both values, and arrow keys move by one step", "[walls]") {
    WallsDesk desk;
    const WallsFigure& figure = desk.plot->figure();
    QTest::mouseDClick(desk.canvas, Qt::LeftButton, {}, figure.pixel_of(512, 1024).toPoint());
    CHECK(desk.settings()[P::gpus] == 512);
    CHECK(desk.settings()[P::sequence_length] == Approx(1024).epsilon(0.03));
    CHECK(desk.model().undo_stack()->index() == 1);
    desk.canvas->setFocus();
    QTest::keyClick(desk.canvas, Qt::Key_Right);
    CHECK(desk.settings()[P::gpus] == 768);
    QTest::keyClick(desk.canvas, Qt::Key_Left);
    CHECK(desk.settings()[P::gpus] == 512);
    const double sequence = desk.settings()[P::sequence_length];
    QTest::keyClick(desk.canvas, Qt::Key_Up);
    CHECK(desk.settings()[P::sequence_length] > sequence);
    CHECK(desk.model().undo_stack()->index() == 4);
}

TEST_CASE("walls: of two quick changes only the newest map is ever drawn", "[walls]") {
    WallsDesk desk;
    QSignalSpy refined(desk.plot, &WallsPlot::refined);
    std::vector<Scenario> drawn_for;
    QObject::connect(desk.plot, &WallsPlot::refined, desk.plot, [&] {
        drawn_for.push_back(desk.model().scenario());
        check_is_of(desk.plot->figure().data(), locked(desk.model().answer().scenario));
        CHECK(desk.plot->figure().data().map.x.values.size() > kWallsCoarse);
    });
    desk.model().edit(P::inter_node_bandwidth, 10e9);
    // Its fine map has started, but must not be shown any more.
    QApplication::processEvents();
    desk.model().edit(P::inter_node_bandwidth, 5e9);
    CHECK(desk.plot->pending());
    // The map is drawn at once, coarse, but of the newest scenario.
    check_is_of(desk.plot->figure().data(), desk.model().scenario());
    desk.settle();
    REQUIRE_FALSE(drawn_for.empty());
    CHECK(drawn_for.back() == desk.model().scenario());
    CHECK(refined.count() <= 2);
    check_is_of(desk.plot->figure().data(), desk.model().scenario());
}

TEST_CASE("walls: in a drag the map is coarse at once and fine when it pauses", "[walls]") {
    WallsDesk desk;
    const auto fine = desk.plot->figure().data().map.cells.size();
    desk.model().begin_gesture(P::inter_node_bandwidth);
    for (const double bandwidth : {20e9, 15e9, 10e9}) {
        desk.model().drag(P::inter_node_bandwidth, bandwidth);
        CHECK(desk.plot->figure().data().map.cells.size() < fine / 8);
        check_is_of(desk.plot->figure().data(), desk.model().scenario());
    }
    desk.settle();
    CHECK(desk.model().in_gesture());
    CHECK(desk.plot->figure().data().map.cells.size() == fine);
    check_is_of(desk.plot->figure().data(), desk.model().scenario());
    desk.model().end_gesture();
}

TEST_CASE("walls: the map may be shown for the first time in the middle of a drag", "[walls]") {
    testing::Desk desk;
    QWidget* slider = desk.slider("cluster.inter_node_bandwidth");
    const QPoint from(slider->width() / 2, slider->height() / 2);
    QTest::mousePress(slider, Qt::LeftButton, {}, from);
    const auto move_to = [&](const QPointF& at) {
        QMouseEvent move(QEvent::MouseMove, at, slider->mapToGlobal(at), Qt::NoButton, Qt::LeftButton, {});
        QApplication::sendEvent(slider, &move);
    };
    move_to(from + QPointF(20, 0));
    REQUIRE(desk.window.model().in_gesture());
    desk.window.action(ActionId::next_plot)->trigger();
    QApplication::processEvents();
    auto* plot = desk.find<WallsPlot>("walls");
    REQUIRE(plot->isVisible());
    REQUIRE_FALSE(plot->figure().data().map.x.values.empty());
    check_is_of(plot->figure().data(), desk.window.model().scenario());
    move_to(from + QPointF(-20, 0));
    check_is_of(plot->figure().data(), desk.window.model().scenario());
    QTest::mouseRelease(slider, Qt::LeftButton, {}, from + QPoint(-20, 0));
    CHECK_FALSE(desk.window.model().in_gesture());
}

TEST_CASE("walls: the window may be closed while a map is computed", "[walls]") {
    for (int i = 0; i < 3; ++i) {
        WallsDesk desk;
        desk.model().pin();
        desk.model().edit(P::inter_node_bandwidth, 10e9 + i);
        CHECK(desk.plot->pending());
    }
}

TEST_CASE("walls: a re-planned map is offered only if something is automatic, and is labelled", "[walls]") {
    WallsDesk desk;
    auto* plan = desk.find<QComboBox>("walls/plan");
    CHECK_FALSE(plan->isEnabled());
    desk.model().edit(P::accumulation, 8);
    desk.model().set_automatic(P::micro_batch, true);
    REQUIRE(plan->isEnabled());
    desk.plot->choose_axes(P::inter_node_bandwidth, P::memory);
    desk.settle();
    const WallsData held = desk.plot->figure().data();
    CHECK_FALSE(held.planned);
    plan->setCurrentIndex(1);
    // Until the new map is ready, the drawn one is marked as outdated.
    CHECK(desk.plot->figure().stale());
    desk.settle();
    const WallsData planned = desk.plot->figure().data();
    CHECK(planned.planned);
    CHECK_FALSE(desk.plot->figure().stale());
    check_is_of(planned, desk.model().scenario());
    CHECK(desk.plot->figure().description().contains(QStringLiteral("re-planned")));
    // More memory has no effect with a held plan.
    CHECK(planned.highest_mfu() > held.highest_mfu());

    const FigureRequest request = desk.plot->request();
    const QByteArray csv = render_figure(request, desk.model().answer(), FigureFormat::csv);
    CHECK(csv.contains(",re-planned,"));
    CHECK_FALSE(csv.contains(",held,"));
    const QByteArray svg = render_figure(request, desk.model().answer(), FigureFormat::svg);
    CHECK(QString::fromUtf8(svg).contains(QStringLiteral("planner")));
    desk.model().set_automatic(P::micro_batch, false);
    CHECK_FALSE(plan->isEnabled());
    CHECK(plan->currentIndex() == 0);
}

TEST_CASE("walls: a map with a search in every cell is fine at once and becomes exact in rounds", "[walls]") {
    WallsDesk desk;
    for (const P id : {P::micro_batch, P::recompute}) desk.model().set_automatic(id, true);
    desk.plot->choose_axes(P::inter_node_bandwidth, P::memory);
    desk.settle();
    auto* plan = desk.find<QComboBox>("walls/plan");
    plan->setCurrentIndex(1);
    const WallsFigure& figure = desk.plot->figure();
    REQUIRE(QTest::qWaitFor([&] { return !figure.stale(); }, 20000));
    const auto first = figure.data().map;
    CHECK(first.stride > 1);
    CHECK(first.x.values.size() > kWallsCoarse);
    CHECK(walls_caption(figure.data()).contains(QStringLiteral("the surrounding plans")));
    // The exported map is the drawn one, and each row names the cell from which its plan comes.
    const QByteArray csv = render_figure(desk.plot->request(), desk.model().answer(), FigureFormat::csv);
    CHECK(csv.contains(",neighbour's,"));
    CHECK(csv.contains(",re-planned,"));
    desk.settle();
    CHECK(figure.data().map.stride == 1);
    check_is_of(figure.data(), desk.model().scenario());
}

TEST_CASE("walls: a pin is a ring with its own walls on any axes", "[walls]") {
    WallsDesk desk;
    desk.model().pin();
    desk.model().edit(P::inter_node_bandwidth, 12.5e9);
    desk.settle();
    const auto& ghosts = desk.plot->figure().ghosts();
    REQUIRE(ghosts.size() == 1);
    CHECK(ghosts[0].letter == 'B');
    CHECK(ghosts[0].point.x == 64);
    CHECK(ghosts[0].data.edges != desk.plot->figure().data().edges);
    check_is_of(ghosts[0].data, desk.model().pins()[0].answer.scenario);
    desk.plot->choose_axes(P::hidden_size, P::gpus);
    desk.settle();
    CHECK(desk.plot->figure().ghosts()[0].point.x == 5120);
    check_is_of(desk.plot->figure().ghosts()[0].data, desk.model().pins()[0].answer.scenario);
    desk.model().unpin('B');
    CHECK(desk.plot->figure().ghosts().empty());
}

TEST_CASE("walls: the scenario has its tag among three pins, also in a small window", "[walls]") {
    WallsDesk desk;
    desk.window.resize(1024, 700);
    desk.model().pin();
    desk.model().edit(P::gpus, 128);
    desk.model().pin();
    desk.model().edit(P::micro_batch, 4);
    desk.model().pin();
    desk.model().edit(P::inter_node_bandwidth, 300e9 / 8);
    desk.settle();
    REQUIRE(desk.plot->figure().ghosts().size() == 3);
    desk.canvas->replot();
    const QRectF tag = desk.plot->figure().own_tag();
    REQUIRE_FALSE(tag.isEmpty());
    CHECK(desk.plot->figure().frame().contains(tag));
    for (const WallsTag& region : desk.plot->figure().region_tags()) CHECK_FALSE(region.box.intersects(tag));
}

TEST_CASE("walls: a narrow region has its name in two lines", "[walls]") {
    WallsDesk desk;
    desk.window.resize(1440, 900);
    // This bandwidth removes the region of the intra-node link, which would divide that of the memory
    // bandwidth.
    desk.model().edit(P::intra_node_bandwidth, 900e9);
    desk.settle();
    QApplication::processEvents();
    desk.canvas->replot();
    const std::vector<WallsTag>& tags = desk.plot->figure().region_tags();
    const auto named = [&](Wall wall) {
        return std::ranges::any_of(
            tags, [&](const WallsTag& tag) { return tag.kind == WallsTag::Kind::wall && tag.wall == wall; });
    };
    for (const Wall wall : {Wall::compute, Wall::memory_bandwidth, Wall::inter_node, Wall::latency})
        CHECK(named(wall));
}

TEST_CASE("walls: any two different inputs make a map", "[walls]") {
    WallsDesk desk;
    auto* x = desk.find<QComboBox>("walls/x");
    auto* y = desk.find<QComboBox>("walls/y");
    x->setCurrentIndex(y->currentIndex());
    CHECK(x->currentText() == QStringLiteral("Sequence length"));
    CHECK(y->currentText() == QStringLiteral("GPUs"));
    for (const P id : walls_inputs()) {
        if (id == P::sequence_length) continue;
        INFO(parameter(id).key);
        desk.plot->choose_axes(id, P::sequence_length);
        const WallsFigure& figure = desk.plot->figure();
        CHECK(figure.data().x.id() == id);
        CHECK_FALSE(figure.data().empty());
        for (const double mfu : figure.data().mfu) REQUIRE(std::isfinite(mfu));
        desk.canvas->replot();
        // The scenario lies on its map.
        CHECK(figure.inside(desk.crosshair()));
        CHECK(figure.data().shown_mfu(figure.point().cell) == desk.estimate().mfu);
    }
    desk.settle();
}

TEST_CASE("walls: exports contain the map as words, lines and one row a cell", "[walls]") {
    const Answer now = answer(Scenario::first_launch());
    FigureRequest request;
    request.plot = "walls";
    const QByteArray csv = render_figure(request, now, FigureFormat::csv);
    const std::vector<CsvRow> rows = read_csv(csv.toStdString());
    CHECK(csv.startsWith("cluster.gpus[1],training.sequence_length[tokens],plan,verdict,wall,mfu[%]"));
    const Axis x = map_axis(locked(now.scenario), kWallsX, kWallsFine);
    const Axis y = map_axis(locked(now.scenario), kWallsY, kWallsFine);
    CHECK(rows.size() == 1 + x.values.size() * y.values.size());
    for (const CsvRow& row : rows) REQUIRE(row.fields.size() == rows[0].fields.size());

    for (const FigureFormat format : {FigureFormat::svg, FigureFormat::pdf, FigureFormat::png}) {
        const QByteArray bytes = render_figure(request, now, format);
        CHECK(bytes == render_figure(request, now, format));
        CHECK(bytes.size() > 10000);
        CHECK(bytes.size() < 1000000);
        CHECK(carried_scenario(bytes).contains("mpt-13b"));
    }
    const QByteArray svg = render_figure(request, now, FigureFormat::svg);
    QStringList texts;
    int paths = 0;
    QXmlStreamReader reader(svg);
    while (!reader.atEnd()) {
        if (reader.readNext() != QXmlStreamReader::StartElement) continue;
        if (reader.name() == QLatin1String("path")) ++paths;
        if (reader.name() == QLatin1String("text")) texts.append(reader.readElementText().trimmed());
    }
    REQUIRE_FALSE(reader.hasError());
    CHECK(paths > 5);
    for (const char* word : {"compute", "inter-node", "latency", "does not fit", "ideal threshold", "40 %",
                             "GPUs", "Sequence length, tokens", "plan held"}) {
        INFO(word);
        CHECK(texts.contains(QString::fromUtf8(word)));
    }
    CHECK(texts.contains(QStringLiteral("A %1").arg(QString::fromStdString(text_of(Output::mfu, now)))));
    CHECK(texts.join(QLatin1Char(' ')).contains(QStringLiteral("Hatched: does not fit in 79.1 GiB")));

    QString problem;
    request.options = WallsOptions{.axes = {x}};
    CHECK(render_figure(request, now, FigureFormat::svg, &problem).isEmpty());
    CHECK(problem.contains(QStringLiteral("two axes")));
}
