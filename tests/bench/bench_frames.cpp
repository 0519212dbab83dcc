// Measures frames of the real main window, offscreen at 1440×900: from a real slider event to painted pixels.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <QApplication>
#include <QElapsedTimer>
#include <QImage>
#include <QMouseEvent>
#include <QStandardPaths>
#include <QTest>
#include <algorithm>
#include <vector>

#include "app/commands/command.h"
#include "app/main_window.h"
#include "app/plot_tabs.h"
#include "app/session.h"
#include "evidence/measured.h"
#include "files/scenario_file.h"
#include "files/view.h"
#include "planner/plan.h"
#include "widgets/panels/controls_panel.h"
#include "widgets/plots/live_plot.h"
#include "widgets/theme/theme.h"

using namespace shardscope;

namespace {

double quantile(std::vector<double> values, double q) {
    std::ranges::sort(values);
    return values[static_cast<std::size_t>(q * static_cast<double>(values.size() - 1))];
}

// Counts the paint events of one widget.
class PaintWatch : public QObject {
  public:
    explicit PaintWatch(QWidget* widget) { widget->installEventFilter(this); }
    [[nodiscard]] int painted() const { return painted_; }

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override {
        if (event->type() == QEvent::Paint) ++painted_;
        return QObject::eventFilter(watched, event);
    }

  private:
    int painted_ = 0;
};

// Drags one control's handle from end to end and back. A frame lasts from the mouse event until the visible
// plot has been painted into the window's backing store; the plot is the last to repaint because its replot
// is queued.
void drag(benchmark::State& state, const char* slider_name, const char* plot_name = "scaling",
          const SavedScenario& scenario = SavedScenario(Scenario::first_launch(commands::catalogue())),
          int pins = 0) {
    Session session;
    MainWindow window(commands::catalogue(), session);
    window.model().start_with(SavedSession{scenario, {}});
    for (int i = 0; i < pins; ++i) window.model().pin();
    window.resize(1440, 900);
    auto* tabs = window.findChild<PlotTabs*>();
    tabs->show_plot(QLatin1String(plot_name));
    LivePlot* plot = &tabs->current();
    if (scenario.view.plot == plot_name) plot->show_view(scenario.view);
    window.show();
    QApplication::processEvents();
    const QString name = QLatin1String(slider_name);
    const auto id = find_parameter(name.section(QLatin1Char('/'), 0, 0).toStdString());
    if (id) window.findChild<ControlsPanel*>()->row(*id);  // opens its group
    QApplication::processEvents();
    auto* slider = window.findChild<QWidget*>(name);
    if (!slider) {
        state.SkipWithError("no such slider");
        return;
    }
    const auto canvases = plot->findChildren<QWidget*>();
    const auto canvas =
        std::ranges::find_if(canvases, [](const QWidget* widget) { return widget->inherits("QCustomPlot"); });
    if (canvas == canvases.end()) {
        state.SkipWithError("no plot");
        return;
    }
    const PaintWatch watch(*canvas);
    const int y = slider->height() / 2;
    QTest::mousePress(slider, Qt::LeftButton, {}, {8, y});
    std::vector<double> milliseconds;
    int step = 0;
    for (auto _ : state) {
        const int span = slider->width() - 16;
        const int at = 8 + std::abs((step++ * 3) % (2 * span) - span);
        QElapsedTimer timer;
        timer.start();
        QMouseEvent move(QEvent::MouseMove, QPointF(at, y), slider->mapToGlobal(QPointF(at, y)), Qt::NoButton,
                         Qt::LeftButton, {});
        QApplication::sendEvent(slider, &move);
        const int before = watch.painted();
        // An event that changes nothing paints nothing.
        for (int pass = 0; pass < 20 && watch.painted() == before; ++pass) QApplication::processEvents();
        if (watch.painted() == before) continue;
        milliseconds.push_back(static_cast<double>(timer.nsecsElapsed()) / 1e6);
    }
    QTest::mouseRelease(slider, Qt::LeftButton, {}, {8, y});
    state.counters["frames"] = static_cast<double>(milliseconds.size());
    state.counters["p50_ms"] = quantile(milliseconds, 0.50);
    state.counters["p99_ms"] = quantile(milliseconds, 0.99);
}

void drag_bandwidth(benchmark::State& state) { drag(state, "cluster.inter_node_bandwidth/slider"); }
void drag_memory(benchmark::State& state) { drag(state, "cluster.gpu.memory/slider"); }
void drag_width(benchmark::State& state) { drag(state, "model.hidden_size/slider"); }
void drag_sequence(benchmark::State& state) { drag(state, "training.sequence_length/slider"); }
void drag_gpus(benchmark::State& state) { drag(state, "cluster.gpus/slider"); }
// Drags with six pins as ghosts and a full table of scenarios below.
void drag_pinned(benchmark::State& state) {
    drag(state, "cluster.inter_node_bandwidth/slider", "scaling",
         SavedScenario(Scenario::first_launch(commands::catalogue())), 6);
}
// Drags with a measured run, whose point follows.
void drag_measured(benchmark::State& state) {
    SavedScenario scenario(Scenario::first_launch(commands::catalogue()));
    scenario.view.measured = Measurement{MeasuredKind::tokens_per_s_per_gpu, 4500, 64};
    drag(state, "cluster.inter_node_bandwidth/slider", "validation", scenario);
}
// Returns a plan with tensor, pipeline and data parallelism, so that every point is a pipeline.
SavedScenario cut_plan() {
    const Preset* preset = commands::catalogue().find(PresetKind::scenario, "llama-3-70b-3d-on-512-h100");
    Problems none;
    return read_scenario(preset->text, commands::catalogue(), {}, none);
}
void drag_cut_bandwidth(benchmark::State& state) {
    drag(state, "cluster.inter_node_bandwidth/slider", "scaling", cut_plan());
}
void drag_cut_tensor(benchmark::State& state) {
    drag(state, "training.tensor_parallel/slider", "scaling", cut_plan());
}
void drag_timeline(benchmark::State& state) {
    drag(state, "cluster.inter_node_bandwidth/slider", "timeline");
}
void drag_timeline_cut(benchmark::State& state) {
    drag(state, "cluster.inter_node_bandwidth/slider", "timeline", cut_plan());
}
// Drags during a search for the best plan, which every move restarts.
void drag_searched(benchmark::State& state) {
    drag(state, "cluster.inter_node_bandwidth/slider", "plans", cut_plan());
}
void drag_sweep(benchmark::State& state) { drag(state, "cluster.inter_node_bandwidth/slider", "sweep"); }
// Drags with seven scenarios in panels of their own.
void drag_side_by_side(benchmark::State& state) {
    SavedScenario scenario(Scenario::first_launch(commands::catalogue()));
    scenario.view.plot = "sweep";
    scenario.view.side_by_side = true;
    drag(state, "cluster.inter_node_bandwidth/slider", "sweep", scenario, 6);
}
void drag_operators(benchmark::State& state) { drag(state, "training.micro_batch/slider", "operators"); }
void drag_collectives(benchmark::State& state) {
    drag(state, "cluster.intra_node_bandwidth/slider", "collectives");
}
void drag_sensitivity(benchmark::State& state) {
    drag(state, "cluster.inter_node_bandwidth/slider", "sensitivity");
}
// Drags beside one pin, from which the bars lead to the scenario.
void drag_difference(benchmark::State& state) {
    drag(state, "cluster.inter_node_bandwidth/slider", "difference",
         SavedScenario(Scenario::first_launch(commands::catalogue())), 1);
}
// Drags with everything automatic: the plan is searched in the background.
void drag_planned(benchmark::State& state) {
    Scenario scenario = cut_plan();
    scenario.automatic = default_free_parameters();
    drag(state, "cluster.inter_node_bandwidth/slider", "scaling", SavedScenario(scenario));
}
BENCHMARK(drag_bandwidth)->Name("scaling/drag_bandwidth")->Unit(benchmark::kMillisecond)->Iterations(300);
BENCHMARK(drag_memory)->Name("scaling/drag_memory")->Unit(benchmark::kMillisecond)->Iterations(300);
BENCHMARK(drag_width)->Name("scaling/drag_width")->Unit(benchmark::kMillisecond)->Iterations(300);
BENCHMARK(drag_sequence)->Name("scaling/drag_sequence")->Unit(benchmark::kMillisecond)->Iterations(300);
BENCHMARK(drag_gpus)->Name("scaling/drag_gpus")->Unit(benchmark::kMillisecond)->Iterations(300);
BENCHMARK(drag_pinned)->Name("scaling/drag_beside_pins")->Unit(benchmark::kMillisecond)->Iterations(300);
BENCHMARK(drag_cut_bandwidth)->Name("plan/drag_bandwidth")->Unit(benchmark::kMillisecond)->Iterations(300);
BENCHMARK(drag_cut_tensor)->Name("plan/drag_tensor")->Unit(benchmark::kMillisecond)->Iterations(300);
BENCHMARK(drag_timeline)->Name("timeline/drag_bandwidth")->Unit(benchmark::kMillisecond)->Iterations(300);
BENCHMARK(drag_timeline_cut)->Name("timeline/drag_plan")->Unit(benchmark::kMillisecond)->Iterations(300);
BENCHMARK(drag_searched)->Name("plans/drag_bandwidth")->Unit(benchmark::kMillisecond)->Iterations(300);
BENCHMARK(drag_operators)->Name("operators/drag_micro_batch")->Unit(benchmark::kMillisecond)->Iterations(300);
BENCHMARK(drag_collectives)
    ->Name("collectives/drag_bandwidth")
    ->Unit(benchmark::kMillisecond)
    ->Iterations(300);
BENCHMARK(drag_sweep)->Name("sweep/drag_bandwidth")->Unit(benchmark::kMillisecond)->Iterations(300);
BENCHMARK(drag_side_by_side)->Name("sweep/drag_side_by_side")->Unit(benchmark::kMillisecond)->Iterations(300);
BENCHMARK(drag_sensitivity)
    ->Name("sensitivity/drag_bandwidth")
    ->Unit(benchmark::kMillisecond)
    ->Iterations(300);
BENCHMARK(drag_difference)->Name("difference/drag_bandwidth")->Unit(benchmark::kMillisecond)->Iterations(300);
BENCHMARK(drag_planned)->Name("plan/drag_all_automatic")->Unit(benchmark::kMillisecond)->Iterations(300);
BENCHMARK(drag_measured)->Name("validation/drag_bandwidth")->Unit(benchmark::kMillisecond)->Iterations(300);

// Drags an input that is not on the map: each frame draws a coarse map and restarts the fine one in the
// background.
void drag_walls_bandwidth(benchmark::State& state) {
    drag(state, "cluster.inter_node_bandwidth/slider", "walls");
}
void drag_walls_width(benchmark::State& state) { drag(state, "model.hidden_size/slider", "walls"); }
// Drags one of the map's axes: the crosshair moves, the map stays.
void drag_walls_gpus(benchmark::State& state) { drag(state, "cluster.gpus/slider", "walls"); }
void drag_walls_cut(benchmark::State& state) {
    drag(state, "cluster.inter_node_bandwidth/slider", "walls", cut_plan());
}
BENCHMARK(drag_walls_bandwidth)->Name("walls/drag_bandwidth")->Unit(benchmark::kMillisecond)->Iterations(300);
BENCHMARK(drag_walls_width)->Name("walls/drag_width")->Unit(benchmark::kMillisecond)->Iterations(300);
BENCHMARK(drag_walls_gpus)->Name("walls/drag_gpus")->Unit(benchmark::kMillisecond)->Iterations(300);
BENCHMARK(drag_walls_cut)->Name("walls/drag_cut_bandwidth")->Unit(benchmark::kMillisecond)->Iterations(300);

// The time from the start to the first painted frame, and the memory that it needs.
double start_ms = 0;
double start_mb = 0;
void start_up(benchmark::State& state) {
    for (auto _ : state) {
    }
    state.counters["first_frame_ms"] = start_ms;
    state.counters["peak_memory_mb"] = start_mb;
}
BENCHMARK(start_up)->Iterations(1);

}  // namespace

int main(int argc, char** argv) {
    qputenv("QT_QPA_PLATFORM", "offscreen");
    QElapsedTimer timer;
    timer.start();
    QApplication application(argc, argv);
    QStandardPaths::setTestModeEnabled(true);
    QApplication::setApplicationName(QStringLiteral("shardscope-bench"));
    ThemeManager::instance().choose(ThemeManager::Choice::light);
    {
        Session session;
        MainWindow window(commands::catalogue(), session);
        window.resize(1440, 900);
        window.show();
        QApplication::processEvents();
        QImage frame(window.size(), QImage::Format_ARGB32_Premultiplied);
        window.render(&frame);
        start_ms = static_cast<double>(timer.nsecsElapsed()) / 1e6;
        rusage usage{};
        getrusage(RUSAGE_SELF, &usage);
        start_mb = static_cast<double>(usage.ru_maxrss) / 1024;
    }
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
