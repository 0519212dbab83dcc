// Draws the pictures of the documents and the metainfo, offscreen: `screenshots FOLDER`.
#include <QApplication>
#include <QDir>
#include <QStandardPaths>
#include <QTabBar>
#include <cstdio>
#include <optional>

#include "app/commands/command.h"
#include "app/documents.h"
#include "app/language.h"
#include "app/main_window.h"
#include "app/plot_actions.h"
#include "app/plot_tabs.h"
#include "app/session.h"
#include "files/scenario_file.h"
#include "widgets/panels/launch_view.h"
#include "widgets/panels/repair_strip.h"
#include "widgets/panels/study_panel.h"
#include "widgets/panels/why_panel.h"
#include "widgets/plots/live_plot.h"
#include "widgets/rows/replanned_tracks.h"
#include "widgets/theme/theme.h"

using namespace shardscope;

namespace {

constexpr auto kDark = ThemeManager::Choice::dark;

Scenario first() { return Scenario::first_launch(commands::catalogue()); }

struct Shot {
    const char* file;
    QSize size{1440, 900};
    ThemeManager::Choice theme = ThemeManager::Choice::light;
    Scenario (*scenario)() = first;
    bool pinned = false;           // whether the default scenario is pinned and the wall is explained
    const char* tab = "scaling";   // of the main plot area
    const char* study = nullptr;   // name of a study to open, with its tab, pins and panel
    int tool = -1;                 // index of the tool whose launch settings the picture shows
    std::optional<Subject> why{};  // subject to explain, if any
};

Scenario too_long() { return edited(first(), P::sequence_length, 8192); }

Scenario network_bound() {
    Scenario scenario = with_cluster(first(), *commands::catalogue().find(PresetKind::cluster, "polaris"));
    scenario = edited(scenario, P::sequence_length, 512);
    return edited(scenario, P::micro_batch, 1);
}

Scenario slower_network() { return edited(edited(first(), P::gpus, 256), P::inter_node_bandwidth, 12.5e9); }

// Returns a scenario with tensor, context and pipeline parallelism and interleaved stages, on the software
// stack that has public runs with the same settings.
Scenario three_dimensions() {
    const Preset* preset = commands::catalogue().find(PresetKind::scenario, "llama-3-70b-3d-on-512-h100");
    Problems none;
    return read_scenario(preset->text, commands::catalogue(), {}, none);
}

}  // namespace

int main(int argc, char** argv) {
    qputenv("QT_QPA_PLATFORM", "offscreen");
    QStandardPaths::setTestModeEnabled(true);
    QApplication application(argc, argv);
    QApplication::setFont(QFont(QStringLiteral("DejaVu Sans"), 9));
    const QString folder = argc > 1 ? QString::fromLocal8Bit(argv[1]) : QStringLiteral(".");
    QDir().mkpath(folder);
    set_language_of_texts(QStringLiteral("en"));
    const Shot shots[] = {
        {.file = "first-light.png"},
        {.file = "does-not-fit.png", .scenario = too_long},
        {.file = "pinned.png", .scenario = slower_network, .pinned = true},
        {.file = "validation.png", .tab = "validation"},
        {.file = "sensitivity.png", .scenario = network_bound, .tab = "sensitivity"},
        {.file = "walls-dark.png",
         .theme = kDark,
         .scenario = slower_network,
         .pinned = true,
         .tab = "walls"},
        {.file = "plans.png", .scenario = three_dimensions, .tab = "plans"},
        {.file = "timeline-parallel-dark.png",
         .theme = kDark,
         .scenario = three_dimensions,
         .tab = "timeline"},
        {.file = "study.png", .tab = "sweep", .study = "scaling-trends"},
        {.file = "why-operator.png",
         .scenario = three_dimensions,
         .tab = "operators",
         .why = Subject::op("layer/mlp.up")},
        {.file = "launch.png", .size = {960, 700}, .scenario = three_dimensions, .tool = 0},
    };
    for (const Shot& shot : shots) {
        ThemeManager::instance().choose(shot.theme);
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
        if (shot.why) window.findChild<WhyPanel*>()->show(*shot.why);
        window.findChild<PlotTabs*>()->show_plot(QLatin1String(shot.tab));
        window.show();
        if (shot.study) {
            window.documents().open_study(*commands::catalogue().find(PresetKind::study, shot.study));
            const auto* study = window.findChild<StudyPanel*>();
            while (study->pending()) QApplication::processEvents(QEventLoop::WaitForMoreEvents);
        }
        for (int i = 0; i < 5; ++i) QApplication::processEvents();
        // Background results are complete before the picture is taken.
        const auto* plot = window.findChild<LivePlot*>(QLatin1String(shot.tab));
        const auto* repairs = window.findChild<RepairStrip*>();
        const auto& tracks = ReplannedTracks::of(window.model());
        while (plot->pending() || repairs->pending() || tracks.pending() || window.model().planning())
            QApplication::processEvents(QEventLoop::WaitForMoreEvents);
        QApplication::processEvents();
        QWidget* picture = &window;
        if (shot.tool >= 0) {
            window.plots().ask_for_launch_settings();
            auto* launch = window.findChild<LaunchView*>();
            launch->resize(shot.size);
            launch->findChild<QTabBar*>()->setCurrentIndex(shot.tool);
            QApplication::processEvents();
            picture = launch;
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
