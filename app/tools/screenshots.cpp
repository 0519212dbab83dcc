// Makes the README's pictures, offscreen: `screenshots FOLDER`.
#include <QApplication>
#include <QDir>
#include <QStandardPaths>
#include <QTabBar>
#include <QTabWidget>
#include <cstdio>

#include "app/commands/command.h"
#include "app/documents.h"
#include "app/help_pages.h"
#include "app/help_window.h"
#include "app/language.h"
#include "app/main_window.h"
#include "app/session.h"
#include "evidence/measured.h"
#include "files/scenario_file.h"
#include "widgets/panels/launch_view.h"
#include "widgets/panels/repair_strip.h"
#include "widgets/panels/solve_panel.h"
#include "widgets/panels/study_panel.h"
#include "widgets/panels/why_panel.h"
#include "widgets/plots/live_plot.h"
#include "widgets/rows/replanned_tracks.h"
#include "widgets/theme/theme.h"

using namespace shardscope;

namespace {

constexpr QSize kSmallWindow{1024, 700};
constexpr auto kDark = ThemeManager::Choice::dark;

Scenario first() { return Scenario::first_launch(commands::catalogue()); }

struct Shot {
    const char* file;
    QSize size{1440, 900};
    ThemeManager::Choice theme = ThemeManager::Choice::light;
    Scenario (*scenario)() = first;
    bool pinned = false;          // beside a ghost of the first launch, with the wall explained
    const char* tab = "scaling";  // of the main plot area
    bool solving = false;         // Solve for is open
    const char* study = nullptr;  // a study is chosen: its tab, its pins, its panel
    int tool = -1;                // the launch settings of this tool, by its tab, are the picture
    const char* help = nullptr;   // this page of the help is the picture
    const char* language = "en";
    Subject why{};  // what is explained, unless it is an output
};

Scenario too_long() { return edited(first(), P::sequence_length, 8192); }

Scenario network_bound() {
    Scenario scenario = with_cluster(first(), *commands::catalogue().find(PresetKind::cluster, "polaris"));
    scenario = edited(scenario, P::sequence_length, 512);
    return edited(scenario, P::micro_batch, 1);
}

Scenario slower_network() { return edited(edited(first(), P::gpus, 256), P::inter_node_bandwidth, 12.5e9); }

// A 70B model whose own measured run is slower than it could be.
Scenario measured() {
    Scenario scenario = with_model(first(), *commands::catalogue().find(PresetKind::model, "mpt-70b"));
    scenario = edited(edited(scenario, P::recompute, 1), P::micro_batch, 8);
    return with_measurement(scenario, Measurement{MeasuredKind::tokens_per_s_per_gpu, 880, 64});
}

// Tensor, context and pipeline parallel with interleaved stages, on the stack whose public runs did the same.
Scenario three_dimensions() {
    const Preset* preset = commands::catalogue().find(PresetKind::scenario, "llama-3-70b-3d-on-512-h100");
    Problems none;
    return read_scenario(preset->text, commands::catalogue(), {}, none);
}

Scenario risky() { return edited(edited(first(), P::sequence_length, 2048), P::micro_batch, 5); }

// Priced, on GPUs that fail, with a batch that costs tokens.
Scenario whole_run() {
    Scenario scenario = three_dimensions();
    scenario = edited(scenario, P::price_per_gpu_hour, 2.5);
    scenario = edited(scenario, P::mtbf_hours_per_gpu, 50000);
    scenario = edited(scenario, P::restart_time, 600);
    scenario = edited(scenario, P::training_tokens, 15e12);
    return edited(scenario, P::critical_batch_law, static_cast<double>(CriticalBatchLaw::kaplan));
}

Scenario resnet() {
    Scenario scenario = with_model(first(), *commands::catalogue().find(PresetKind::model, "resnet-50"));
    scenario = edited(scenario, P::sharding, static_cast<double>(Sharding::ddp));
    return edited(scenario, P::micro_batch, 128);
}

Scenario resnet_on_a100() {
    return with_cluster(resnet(), *commands::catalogue().find(PresetKind::cluster, "dgx-a100-40gb"));
}

}  // namespace

int main(int argc, char** argv) {
    qputenv("QT_QPA_PLATFORM", "offscreen");
    QStandardPaths::setTestModeEnabled(true);
    QApplication application(argc, argv);
    QApplication::setFont(QFont(QStringLiteral("DejaVu Sans"), 9));
    const QString folder = argc > 1 ? QString::fromLocal8Bit(argv[1]) : QStringLiteral(".");
    QDir().mkpath(folder);
    const Shot shots[] = {
        {.file = "first-light.png"},
        {.file = "network-wall-dark.png", .theme = kDark, .scenario = network_bound},
        {.file = "does-not-fit.png", .scenario = too_long},
        {.file = "risky-dark.png", .theme = kDark, .scenario = risky},
        {.file = "pinned.png", .scenario = slower_network, .pinned = true},
        {.file = "validation.png", .tab = "validation"},
        {.file = "validation-dark.png", .theme = kDark, .scenario = measured, .tab = "validation"},
        {.file = "validation-small.png", .size = kSmallWindow, .scenario = measured, .tab = "validation"},
        {.file = "sweep.png", .scenario = slower_network, .pinned = true, .tab = "sweep", .solving = true},
        {.file = "sweep-small-dark.png",
         .size = kSmallWindow,
         .theme = kDark,
         .scenario = too_long,
         .tab = "sweep"},
        {.file = "sensitivity.png", .scenario = network_bound, .tab = "sensitivity"},
        {.file = "sensitivity-small-dark.png",
         .size = kSmallWindow,
         .theme = kDark,
         .scenario = risky,
         .tab = "sensitivity",
         .solving = true},
        {.file = "sensitivity-pinned.png", .scenario = slower_network, .pinned = true, .tab = "sensitivity"},
        {.file = "sensitivity-does-not-fit.png", .theme = kDark, .scenario = too_long, .tab = "sensitivity"},
        {.file = "walls.png", .tab = "walls"},
        {.file = "walls-dark.png",
         .theme = kDark,
         .scenario = slower_network,
         .pinned = true,
         .tab = "walls"},
        {.file = "walls-small.png", .size = kSmallWindow, .tab = "walls"},
        {.file = "plans.png", .scenario = three_dimensions, .tab = "plans"},
        {.file = "plans-small-dark.png",
         .size = kSmallWindow,
         .theme = kDark,
         .scenario = three_dimensions,
         .tab = "plans"},
        {.file = "measured.png", .scenario = measured},
        {.file = "parallel.png", .scenario = three_dimensions},
        {.file = "parallel-small-dark.png",
         .size = kSmallWindow,
         .theme = kDark,
         .scenario = three_dimensions},
        {.file = "whole-run.png", .scenario = whole_run},
        {.file = "whole-run-small-dark.png", .size = kSmallWindow, .theme = kDark, .scenario = whole_run},
        {.file = "launch.png", .size = {760, 700}, .scenario = three_dimensions, .tool = 0},
        {.file = "launch-dark.png",
         .size = {760, 700},
         .theme = kDark,
         .scenario = three_dimensions,
         .tool = 2},
        {.file = "help.png", .size = {860, 600}, .help = "start"},
        {.file = "help-keyboard-dark.png", .size = {860, 600}, .theme = kDark, .help = "keyboard"},
        {.file = "timeline.png", .tab = "timeline"},
        {.file = "timeline-parallel-dark.png",
         .theme = kDark,
         .scenario = three_dimensions,
         .tab = "timeline"},
        {.file = "timeline-small.png", .size = kSmallWindow, .scenario = three_dimensions, .tab = "timeline"},
        {.file = "study.png", .tab = "sweep", .study = "scaling-trends"},
        {.file = "study-dark.png", .theme = kDark, .tab = "sweep", .study = "scaling-trends"},
        {.file = "study-small.png", .size = kSmallWindow, .tab = "sweep", .study = "scaling-trends"},
        {.file = "side-by-side.png", .tab = "sweep", .study = "characterization-model-parallel"},
        {.file = "side-by-side-small-dark.png",
         .size = kSmallWindow,
         .theme = kDark,
         .tab = "sweep",
         .study = "characterization-model-parallel"},
        {.file = "against.png", .theme = kDark, .tab = "sweep", .study = "fsdp-product"},
        {.file = "against-small.png", .size = kSmallWindow, .tab = "sweep", .study = "fsdp-product"},
        {.file = "operators.png", .tab = "operators"},
        {.file = "operators-small-dark.png",
         .size = kSmallWindow,
         .theme = kDark,
         .scenario = three_dimensions,
         .tab = "operators"},
        {.file = "collectives.png", .tab = "collectives"},
        {.file = "collectives-small-dark.png",
         .size = kSmallWindow,
         .theme = kDark,
         .scenario = slower_network,
         .tab = "collectives"},
        {.file = "operators-resnet.png", .scenario = resnet, .tab = "operators"},
        {.file = "operators-pinned.png", .scenario = resnet_on_a100, .pinned = true, .tab = "operators"},
        {.file = "operators-does-not-fit.png", .theme = kDark, .scenario = too_long, .tab = "operators"},
        {.file = "why-operator.png",
         .scenario = three_dimensions,
         .tab = "operators",
         .why = Subject::op("layer/mlp.up")},
        {.file = "why-parameter-dark.png", .theme = kDark, .why = Subject::of(P::memory_bandwidth)},
        {.file = "german.png", .scenario = three_dimensions, .tab = "walls", .language = "de"},
        {.file = "german-small-dark.png",
         .size = kSmallWindow,
         .theme = kDark,
         .scenario = too_long,
         .language = "de"},
        {.file = "small.png", .size = kSmallWindow},
        {.file = "small-does-not-fit.png", .size = kSmallWindow, .scenario = too_long},
    };
    for (const Shot& shot : shots) {
        ThemeManager::instance().choose(shot.theme);
        speak_language(QLatin1String(shot.language));
        Session session;
        session.set_geometry({});
        session.set_first_use(false);
        MainWindow window(commands::catalogue(), session);
        window.resize(shot.size);
        if (shot.pinned) {
            window.model().start_with(first());
            window.model().pin();
        }
        window.model().start_with(shot.scenario());
        if (shot.pinned) window.model().explain(Subject::of(Output::wall));
        if (shot.why.kind != Subject::Kind::output) window.findChild<WhyPanel*>()->show(shot.why);
        window.findChild<QTabWidget*>(QStringLiteral("tabs"))
            ->setCurrentWidget(window.findChild<QWidget*>(QLatin1String(shot.tab)));
        window.show();
        if (shot.study) {
            window.documents().open_study(*commands::catalogue().find(PresetKind::study, shot.study));
            const auto* study = window.findChild<StudyPanel*>();
            while (study->pending()) QApplication::processEvents(QEventLoop::WaitForMoreEvents);
        }
        if (shot.solving) {
            window.action(ActionId::solve_for)->trigger();
            const auto* solving = window.findChild<SolvePanel*>();
            while (solving->pending()) QApplication::processEvents();
        }
        for (int i = 0; i < 5; ++i) QApplication::processEvents();
        // What is worked out in the background is waited for.
        const auto* plot = window.findChild<LivePlot*>(QLatin1String(shot.tab));
        const auto* repairs = window.findChild<RepairStrip*>();
        const auto& tracks = ReplannedTracks::of(window.model());
        while (plot->pending() || repairs->pending() || tracks.pending() || window.model().planning())
            QApplication::processEvents(QEventLoop::WaitForMoreEvents);
        QApplication::processEvents();
        QWidget* picture = &window;
        if (shot.tool >= 0) {
            auto* launch = window.findChild<LaunchView*>();
            launch->ask();
            launch->resize(shot.size);
            launch->findChild<QTabBar*>()->setCurrentIndex(shot.tool);
            QApplication::processEvents();
            picture = launch;
        }
        if (shot.help) {
            window.findChild<HelpWindow*>()->open_page(*help_page(shot.help));
            picture = window.findChild<HelpWindow*>();
            picture->resize(shot.size);
            QApplication::processEvents();
        }
        const QString file = QDir(folder).filePath(QLatin1String(shot.file));
        if (!picture->grab().save(file)) {
            std::fprintf(stderr, "cannot write %s\n", file.toLocal8Bit().constData());
            return 1;
        }
        std::printf("%s\n", file.toLocal8Bit().constData());
    }
    return 0;
}
