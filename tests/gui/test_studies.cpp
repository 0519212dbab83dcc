// Tests studies in the window: one choice opens scenario, pins, tab, axes and panel; one undo restores all of
// them.
#include <QMenu>
#include <QSignalSpy>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QToolButton>
#include <QUndoStack>

#include "files/view_json.h"
#include "studies/study.h"
#include "support/desk.h"
#include "widgets/panels/claim_row.h"
#include "widgets/panels/study_panel.h"
#include "widgets/panels/why_panel.h"
#include "widgets/plots/live_plot.h"
#include "widgets/plots/plot_kind.h"

using namespace shardscope;
using namespace shardscope::testing;

namespace {

struct StudyDesk : Desk {
    LiveModel& model = window.model();
    StudyPanel* panel = find<StudyPanel>("study");
    QTabWidget* tabs = find<QTabWidget>("tabs");

    void choose_study(const char* name) {
        pick("picker/study", QStringLiteral("study/") + QLatin1String(name));
    }
    void wait_for_numbers() {
        REQUIRE(QTest::qWaitFor([this] { return !panel->pending(); }, 20000));
        QApplication::processEvents();
    }
    [[nodiscard]] QString tab() const { return tabs->currentWidget()->objectName(); }
    View view(const char* plot) { return find<LivePlot>(QLatin1String(plot))->view(); }
    ClaimRow* claim(const char* name) {
        return find<ClaimRow>(QStringLiteral("study/claim/") + QLatin1String(name));
    }
};

Study study_named(const char* name) {
    Problems problems;
    Study study =
        read_study(*commands::catalogue().find(PresetKind::study, name), commands::catalogue(), problems);
    REQUIRE(problems.empty());
    return study;
}

}  // namespace

TEST_CASE("studies: New begins without study and pins and explains the MFU, in one step", "[studies]") {
    StudyDesk desk;
    LiveModel& model = desk.model;
    desk.choose_study("fsdp-thresholds");
    REQUIRE(desk.panel->study());
    model.pin();
    model.explain(Subject::of(Output::peak_memory));
    QApplication::processEvents();
    const auto* why = desk.find<WhyPanel>("why");
    REQUIRE(why->current() == Subject::of(Output::peak_memory));
    const SavedScenario before = model.scenario();
    const std::size_t pins = model.pins().size();
    const int steps = model.undo_stack()->index();
    desk.choose(ActionId::new_scenario);
    CHECK(static_cast<const Scenario&>(model.scenario()) == Scenario::first_launch(commands::catalogue()));
    CHECK(model.pins().empty());
    CHECK_FALSE(desk.panel->study());
    CHECK(why->current() == Subject::of(Output::mfu));
    CHECK(model.undo_stack()->index() == steps + 1);
    model.undo_stack()->undo();
    CHECK(model.scenario() == before);
    CHECK(model.pins().size() == pins);
    CHECK(desk.panel->study());
}

TEST_CASE("study: choosing one opens scenario, pins, tab, axes and panel, and one undo restores all",
          "[studies]") {
    StudyDesk desk;
    desk.type("training.micro_batch", QStringLiteral("4"));
    QTest::keyClick(&desk.window, Qt::Key_P);
    const Scenario before = desk.model.scenario();
    REQUIRE(desk.model.pins().size() == 1);
    const View scaling = desk.view("scaling");
    const View sweep = desk.view("sweep");
    const int steps = desk.model.undo_stack()->count();
    CHECK_FALSE(desk.panel->isVisible());
    const bool why = desk.find<QWidget>("why")->isVisible();

    desk.choose_study("scaling-trends");
    const Study study = study_named("scaling-trends");
    CHECK(desk.model.scenario() == study.scenario);
    REQUIRE(desk.model.pins().size() == study.pins.size());
    for (std::size_t i = 0; i < study.pins.size(); ++i)
        CHECK(desk.model.pins()[i].answer.scenario == study.pins[i]);
    CHECK(desk.tab() == QStringLiteral("sweep"));
    const View shown = desk.view("sweep");
    CHECK(shown.x == P::gpus);
    CHECK(shown.x_range == "8:2048:49:log");
    CHECK(shown.outputs == study.scenario.view.outputs);
    const FigureRequest request = desk.find<LivePlot>("sweep")->request();
    const std::vector<Axis> axes = options_in<SweepOptions>(request).axes;
    CHECK(axes.front().values.front() == 8);
    CHECK(axes.front().values.back() == 2048);
    CHECK(desk.panel->isVisible());
    CHECK_FALSE(desk.find<QWidget>("why")->isVisible());
    CHECK(desk.text("study/title") == QString::fromStdString(study.title));
    CHECK(
        desk.text("study/origin").contains(QStringLiteral("after Fernandez et al. 2024, arXiv 2411.13055")));
    CHECK(desk.model.undo_stack()->count() == steps + 1);
    CHECK(desk.model.undo_stack()->undoText() == QStringLiteral("Study One job on more and more H100"));

    desk.window.action(ActionId::undo)->trigger();
    QApplication::processEvents();
    CHECK(desk.model.scenario() == before);
    CHECK(desk.model.pins().size() == 1);
    CHECK(desk.tab() == QStringLiteral("scaling"));
    CHECK(desk.view("scaling") == scaling);
    CHECK(desk.view("sweep") == sweep);
    CHECK_FALSE(desk.panel->isVisible());
    CHECK(desk.find<QWidget>("why")->isVisible() == why);

    desk.window.action(ActionId::redo)->trigger();
    QApplication::processEvents();
    CHECK(desk.model.scenario() == study.scenario);
    CHECK(desk.tab() == QStringLiteral("sweep"));
    CHECK(desk.view("sweep") == shown);
    CHECK(desk.panel->isVisible());
}

TEST_CASE("study: every one opens its own tab with the settings of its view", "[studies]") {
    StudyDesk desk;
    for (const Preset* preset : commands::catalogue().all(PresetKind::study)) {
        INFO(preset->name);
        desk.choose_study(preset->name.c_str());
        const Study study = study_named(preset->name.c_str());
        const View wanted = study.scenario.view;
        CHECK(desk.tab().toStdString() == wanted.plot);
        const View shown = desk.view(wanted.plot.c_str());
        if (wanted.x) CHECK(shown.x == wanted.x);
        CHECK(shown.y == wanted.y);
        if (!wanted.outputs.empty()) CHECK(shown.outputs == wanted.outputs);
        CHECK(shown.against == wanted.against);
        CHECK(shown.side_by_side == wanted.side_by_side);
        if (study.scenario.automatic.any() && wanted.plot != "plans") CHECK(shown.held == wanted.held);
        REQUIRE(desk.panel->study());
        CHECK(desk.panel->study()->name == preset->name);
        CHECK(desk.model.pins().size() == study.pins.size());
    }
}

TEST_CASE("study: claims have the engine's numbers, and a click opens the scenarios that they compare",
          "[studies]") {
    StudyDesk desk;
    desk.choose_study("scaling-trends");
    desk.wait_for_numbers();
    const Study study = study_named("scaling-trends");
    for (const Claim& claim : study.claims) {
        const Finding found = evaluate_claim(claim);
        const QString description = desk.claim(claim.name.c_str())->accessibleDescription();
        INFO(description.toStdString());
        CHECK(description.contains(QString::fromStdString(text_of(claim, found.value))));
        CHECK(description.endsWith(agreement_text(found.agreement)));
    }

    const Claim& claim = study.claims.front();
    ClaimRow* row = desk.claim(claim.name.c_str());
    QTest::mouseClick(row, Qt::LeftButton);
    QApplication::processEvents();
    CHECK(desk.model.answer().settings[P::gpus] == 2048);
    REQUIRE(desk.model.pins().size() == 1);
    CHECK(desk.model.pins().front().answer.settings[P::gpus] == 128);
    // The headline's difference is the claim's, because it compares the same two scenarios.
    CHECK(desk.model.compared()->letter == 'B');
    CHECK(value_of(Output::tokens_per_s_per_gpu, desk.model.answer()) /
                  value_of(Output::tokens_per_s_per_gpu, desk.model.pins().front().answer) -
              1 ==
          Approx(evaluate_claim(claim).value));
    CHECK(desk.panel->isVisible());
    desk.window.action(ActionId::undo)->trigger();
    CHECK(desk.model.scenario() == study.scenario);
    CHECK(desk.model.pins().size() == study.pins.size());

    // The keyboard does the same.
    ClaimRow* power = desk.claim("power-per-gpu");
    power->setFocus();
    QTest::keyClick(power, Qt::Key_Space);
    CHECK(desk.model.pins().size() == 1);
}

TEST_CASE("study: another one chosen before the numbers are ready shows its own numbers", "[studies]") {
    StudyDesk desk;
    desk.choose_study("shortest-training");
    desk.choose_study("scaling-trends-hardware");
    desk.wait_for_numbers();
    const Study study = study_named("scaling-trends-hardware");
    CHECK(desk.panel->findChildren<ClaimRow*>().size() == static_cast<qsizetype>(study.claims.size()));
    CHECK(desk.claim("a100")->accessibleDescription().contains(
        QString::fromStdString(text_of(study.claims.front(), evaluate_claim(study.claims.front()).value))));
    desk.choose_study("shortest-training");
    desk.wait_for_numbers();
    CHECK_FALSE(desk.claim("half-the-time")->accessibleDescription().contains(QStringLiteral("…")));
}

TEST_CASE("study: the panel shares its place with Why, folds in a small window, and closes", "[studies]") {
    StudyDesk desk;
    desk.choose_study("scaling-trends");
    auto* why_rail = desk.find<QToolButton>("why-rail");
    auto* study_rail = desk.find<QToolButton>("study-rail");
    CHECK(why_rail->isVisible());
    CHECK_FALSE(study_rail->isVisible());
    QTest::mouseClick(why_rail, Qt::LeftButton);
    CHECK(desk.find<QWidget>("why")->isVisible());
    CHECK_FALSE(desk.panel->isVisible());
    CHECK(study_rail->text() == QStringLiteral("Study: One job on more and more H100"));
    QTest::mouseClick(study_rail, Qt::LeftButton);
    CHECK(desk.panel->isVisible());

    desk.window.resize(1024, 700);
    QApplication::processEvents();
    CHECK_FALSE(desk.panel->isVisible());
    CHECK(study_rail->isVisible());
    CHECK(why_rail->isVisible());
    // In a small window the open panel does not narrow the plot.
    const int plot = desk.tabs->width();
    QTest::mouseClick(study_rail, Qt::LeftButton);
    QApplication::processEvents();
    CHECK(desk.panel->isVisible());
    CHECK(desk.tabs->width() + 40 >= plot);
    CHECK(desk.panel->geometry().right() < desk.window.width());

    QTest::mouseClick(desk.find<QToolButton>("study/close"), Qt::LeftButton);
    CHECK_FALSE(desk.panel->isVisible());
    CHECK_FALSE(study_rail->isVisible());
    // Its scenario stays.
    CHECK(desk.model.scenario() == study_named("scaling-trends").scenario);
}

TEST_CASE("study: its figure opens the study again when it is dropped on another window", "[studies]") {
    const QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("figure.svg"));
    StudyDesk desk;
    desk.choose_study("scaling-trends");
    REQUIRE(desk.window.plots().export_plot(QStringLiteral("sweep"), file));
    StudyDesk other;
    REQUIRE(other.window.documents().open(file));
    CHECK(other.model.scenario() == desk.model.scenario());
    CHECK(other.tab() == QStringLiteral("sweep"));
    CHECK(other.view("sweep") == desk.view("sweep"));
    CHECK(other.model.pins().size() == desk.model.pins().size());
    CHECK(other.panel->isVisible());
    other.window.action(ActionId::undo)->trigger();
    CHECK(other.tab() == QStringLiteral("scaling"));
    CHECK(other.model.pins().empty());
}

TEST_CASE("study: a session stores tab, axes and study, and the window opens in that state", "[studies]") {
    const QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("session.json"));
    StudyDesk desk;
    desk.choose_study("fsdp-memory-and-bandwidth");
    REQUIRE(desk.window.documents().save_session(file));
    StudyDesk other;
    REQUIRE(other.window.documents().open(file));
    CHECK(other.tab() == QStringLiteral("walls"));
    CHECK(other.view("walls").x == P::inter_node_bandwidth);
    CHECK(other.view("walls").y == P::memory);
    REQUIRE(other.panel->study());
    CHECK(other.panel->study()->name == "fsdp-memory-and-bandwidth");

    // Closing stores it, too. The settings are separate, because other tests' windows may save theirs at the
    // same time.
    const QString name = QApplication::applicationName();
    QApplication::setApplicationName(name + QStringLiteral("-study"));
    View seen;
    {
        StudyDesk left;
        left.choose_study("scaling-trends");
        seen = left.view("sweep");
        left.window.close();
    }
    StudyDesk next;
    next.window.documents().restore();
    CHECK(next.tab() == QStringLiteral("sweep"));
    CHECK(next.view("sweep") == seen);
    REQUIRE(next.panel->study());
    CHECK(next.panel->study()->name == "scaling-trends");
    CHECK_FALSE(next.window.action(ActionId::undo)->isEnabled());
    keep(next.session, {});
    QApplication::setApplicationName(name);
}

TEST_CASE("study: the range of a view is used for the walls map", "[studies]") {
    StudyDesk desk;
    View view;
    view.plot = "walls";
    view.x = P::gpus;
    view.y = P::inter_node_bandwidth;
    view.x_range = "8:512:7:log";
    view.y_range = "100 Gbit/s:400 Gbit/s:5";
    view.held = true;  // nothing is automatic
    auto* walls = desk.find<LivePlot>("walls");
    desk.tabs->setCurrentWidget(walls);
    walls->show_view(view);
    CHECK(walls->view() == view);
    const FigureRequest request = walls->request();
    const std::vector<Axis> axes = options_in<WallsOptions>(request).axes;
    REQUIRE(axes.size() == 2);
    CHECK(axes[0].values == std::vector<double>{8, 16, 32, 64, 128, 256, 512});
    CHECK(axes[1].values == std::vector<double>{12.5e9, 21.875e9, 31.25e9, 40.625e9, 50e9});
    // Another input gets its own range.
    auto* box = desk.find<QComboBox>("walls/x");
    box->setCurrentIndex(box->currentIndex() + 1);
    CHECK(walls->view().x_range.empty());
}

TEST_CASE("study: a window may be closed while its numbers are computed", "[studies][teardown]") {
    StudyDesk desk;
    desk.choose_study("shortest-training");
    CHECK(desk.window.close());
}

TEST_CASE("study: a user's file opens like a shipped one, and a broken one is reported with the place",
          "[studies]") {
    const QTemporaryDir folder;
    QString text =
        QString::fromStdString(commands::catalogue().find(PresetKind::study, "scaling-trends")->text);
    text.replace(QStringLiteral("\"name\": \"scaling-trends\""), QStringLiteral("\"name\": \"mine\""));
    const auto write = [&](const QString& name, const QString& content) {
        QFile file(folder.filePath(name));
        REQUIRE(file.open(QIODevice::WriteOnly));
        file.write(content.toUtf8());
        return file.fileName();
    };
    StudyDesk desk;
    REQUIRE(desk.window.documents().open(write(QStringLiteral("mine.json"), text)));
    CHECK(desk.tab() == QStringLiteral("sweep"));
    REQUIRE(desk.panel->study());
    CHECK(desk.panel->study()->name == "mine");
    const Scenario before = desk.model.scenario();
    text.replace(QStringLiteral("\"micro_batch\""), QStringLiteral("\"micro_bach\""));
    CHECK_FALSE(desk.window.documents().open(write(QStringLiteral("broken.json"), text)));
    CHECK(desk.text("message/text").contains(QStringLiteral("/scenario/training/micro_bach")));
    CHECK(desk.model.scenario() == before);
}

TEST_CASE("study: views name existing plots", "[studies]") {
    const nlohmann::ordered_json schema = view_schema();
    std::vector<std::string> named = schema["properties"]["plot"]["enum"];
    std::vector<std::string> known;
    for (const PlotKind* kind : plot_kinds()) known.emplace_back(kind->name);
    std::ranges::sort(named);
    std::ranges::sort(known);
    CHECK(named == known);
}

TEST_CASE("study: the picker groups them by paper", "[studies]") {
    StudyDesk desk;
    QStringList papers;
    int entries = 0;
    for (const QAction* action : desk.find<QToolButton>("picker/study")->menu()->actions()) {
        if (action->isSeparator()) papers << action->text();
        else ++entries;
    }
    CHECK(papers.size() == 9);
    CHECK(papers.contains(QStringLiteral("Wang et al. 2025")));
    CHECK(entries == static_cast<int>(commands::catalogue().all(PresetKind::study).size()));
}
