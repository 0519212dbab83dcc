// Tests painted tracks in the real window: the contents of the grooves during a drag.
#include <qcustomplot.h>

#include <QAbstractButton>
#include <QAccessible>
#include <QImage>
#include <QTest>
#include <algorithm>

#include "explore/track.h"
#include "support/desk.h"
#include "widgets/drawn_words.h"
#include "widgets/rows/track_slider.h"
#include "widgets/theme/theme.h"

using namespace shardscope;
using shardscope::testing::Desk;

namespace {

class TrackDesk : public Desk {
  public:
    // The window is high enough for all groups that are open at first.
    TrackDesk() {
        window.resize(1440, 1200);
        QApplication::processEvents();
    }

    // Returns the slider as the window shows it now, without scrolling to it.
    TrackSlider& track_slider(const char* key) {
        return *find<TrackSlider>(QLatin1String(key) + QStringLiteral("/slider"));
    }
    LiveModel& model() { return window.model(); }
    void open(const Scenario& scenario) {
        model().start_with(scenario);
        QApplication::processEvents();
    }
    void open_preset(const char* name) {
        window.findChild<QAction*>(QStringLiteral("scenario/") + QLatin1String(name))->trigger();
        QApplication::processEvents();
    }
    void move_to(TrackSlider& slider, double value) {
        const QPointF at = slider.pointOf(value);
        QMouseEvent move(QEvent::MouseMove, at, slider.mapToGlobal(at), Qt::NoButton, Qt::LeftButton, {});
        QApplication::sendEvent(&slider, &move);
        QApplication::processEvents();
    }
    // Returns the expected track of a slider with the plan held.
    Track expected(const TrackSlider& slider, P id) {
        return track(locked(model().answer().scenario), id, slider.scale(),
                     {.columns = static_cast<int>(slider.groove().width()),
                      .stride = TrackSlider::stride_of(slider.groove().width())});
    }
};

Scenario first_on_auto() {
    return with_auto(Scenario::first_launch(commands::catalogue()), P::micro_batch, true);
}

bool arrives(const TrackSlider& slider) {
    return QTest::qWaitFor([&] { return slider.replanned() && !slider.is_stale(); }, 20000);
}

}  // namespace

TEST_CASE("every frame of a drag repaints the tracks of the other sliders", "[gui][tracks]") {
    TrackDesk desk;
    TrackSlider& link = desk.track_slider("cluster.inter_node_bandwidth");
    const Track before = desk.track_slider("cluster.gpus").held();
    QTest::mousePress(&link, Qt::LeftButton, {}, link.pointOf(50e9).toPoint());
    for (const double value : {25e9, 12.5e9, 5e9}) {
        desk.move_to(link, value);
        REQUIRE(desk.model().in_gesture());
        for (const auto& [key, id] :
             {std::pair{"cluster.gpus", P::gpus}, std::pair{"cluster.gpu.memory", P::memory},
              std::pair{"training.sequence_length", P::sequence_length},
              std::pair{"training.micro_batch", P::micro_batch}}) {
            INFO(key);
            const TrackSlider& slider = desk.track_slider(key);
            CHECK(slider.held() == desk.expected(slider, id));
        }
    }
    CHECK_FALSE(desk.track_slider("cluster.gpus").held() == before);
    QTest::mouseRelease(&link, Qt::LeftButton, {}, link.pointOf(5e9).toPoint());
}

TEST_CASE("a slider's own track stays during its drag and is updated after it", "[gui][tracks]") {
    TrackDesk desk;
    desk.open(edited(Scenario::first_launch(commands::catalogue()), P::tensor_parallel, 4));
    TrackSlider& gpus = desk.track_slider("cluster.gpus");
    const Track before = gpus.held();
    QTest::mousePress(&gpus, Qt::LeftButton, {}, gpus.pointOf(64).toPoint());
    for (const double value : {4.0, 16.0, 256.0}) {
        desk.move_to(gpus, value);
        CHECK(gpus.held() == before);
        const double now = desk.model().answer().settings[P::gpus];
        const auto point = std::ranges::find(before.points, now, &TrackPoint::value);
        REQUIRE(point != before.points.end());
        CHECK(point->fits == desk.model().answer().fits());
        if (point->fits) CHECK(point->mfu == desk.estimate().mfu);
    }
    QTest::mouseRelease(&gpus, Qt::LeftButton, {}, gpus.pointOf(256).toPoint());
    QApplication::processEvents();
    CHECK(gpus.held() == desk.expected(gpus, P::gpus));
}

TEST_CASE("the groove is painted with its track's colours, and hatched where it does not fit",
          "[gui][tracks]") {
    TrackDesk desk;
    for (const bool dark : {false, true}) {
        ThemeManager::instance().choose(dark ? ThemeManager::Choice::dark : ThemeManager::Choice::light);
        QApplication::processEvents();
        TrackSlider& memory = desk.track_slider("cluster.gpu.memory");
        const QImage picture = memory.grab().toImage();
        const QRect groove = memory.groove().toRect();
        const QRgb ground = current_theme().hatch_ground.rgb();
        const QRgb line = current_theme().hatch_line.rgb();
        const int handle = static_cast<int>(memory.pointOf(memory.current()).x());
        int hatched = 0;
        REQUIRE(static_cast<int>(memory.held().columns.size()) == groove.width());
        for (int i = 2; i < groove.width() - 2; ++i) {
            const int x = groove.left() + i;
            if (std::abs(x - handle) < 11) continue;
            const TrackColumn& column = memory.held().columns[static_cast<std::size_t>(i)];
            INFO("column " << i);
            const QRgb pixel = picture.pixel(x, groove.center().y());
            if (column.fits) {
                CHECK(pixel == mfu_color(column.mfu).rgb());
            } else {
                ++hatched;
                CHECK(qGray(pixel) >= std::min(qGray(ground), qGray(line)));
                CHECK(qGray(pixel) <= std::max(qGray(ground), qGray(line)));
            }
        }
        CHECK(hatched > 10);
        CHECK(picture.pixel(handle - 7, groove.center().y()) == QColor(Qt::white).rgb());
    }
    ThemeManager::instance().choose(ThemeManager::Choice::light);
}

TEST_CASE("values that may run out of memory are hatched in the track and marked in the scaling plot",
          "[gui][tracks]") {
    TrackDesk desk;
    desk.type("cluster.gpu.memory", QStringLiteral("37 GiB"));
    REQUIRE(desk.estimate().verdict == Verdict::risky);
    const TrackSlider& gpus = desk.track_slider("cluster.gpus");
    const auto own = std::ranges::find(gpus.held().points, 64.0, &TrackPoint::value);
    REQUIRE(own != gpus.held().points.end());
    CHECK(own->risky);
    for (const TrackPoint& point : gpus.held().points) CHECK((point.fits || !point.risky));
    // The track of the memory has columns that fit, some of them with a risk.
    TrackSlider& memory = desk.track_slider("cluster.gpu.memory");
    const auto& columns = memory.held().columns;
    const QImage picture = memory.grab().toImage();
    const QRect groove = memory.groove().toRect();
    const auto first = std::ranges::find(columns, true, &TrackColumn::risky);
    REQUIRE(first != columns.end());
    const int x = groove.left() + static_cast<int>(first - columns.begin());
    CHECK(first->fits);
    const QRgb below = picture.pixel(x, groove.bottom() - 2);
    CHECK(below != mfu_color(first->mfu).rgb());
    QStringList words;
    for (const DrawnWord& word : drawn_words(*desk.find<QCustomPlot>("scaling/plot"))) words << word.text;
    CHECK(words.contains(QStringLiteral("risky: it may run out of memory")));
    desk.type("cluster.gpu.memory", QStringLiteral("80 GiB"));
    words.clear();
    for (const DrawnWord& word : drawn_words(*desk.find<QCustomPlot>("scaling/plot"))) words << word.text;
    CHECK_FALSE(words.contains(QStringLiteral("risky: it may run out of memory")));
}

TEST_CASE("only visible tracks are computed", "[gui][tracks]") {
    TrackDesk desk;
    CHECK_FALSE(desk.track_slider("cluster.gpus").held().points.empty());
    // The rows of a closed group do not even exist.
    const auto* optimizer = "training.optimizer/slider";
    CHECK(desk.window.findChild<QWidget*>("assumptions.overlap/slider") == nullptr);
    CHECK(desk.window.findChild<QWidget*>(optimizer) == nullptr);
    desk.slider("assumptions.overlap");
    TrackSlider& overlap = desk.track_slider("assumptions.overlap");
    CHECK(overlap.held() == desk.expected(overlap, P::overlap));
    CHECK(desk.window.findChild<QWidget*>(optimizer) == nullptr);
    // Nor does the track of a row in a group that was closed again follow the scenario.
    desk.click("group/assumptions");
    desk.model().edit(P::inter_node_bandwidth, 12.5e9);
    QApplication::processEvents();
    CHECK_FALSE(overlap.held() == desk.expected(overlap, P::overlap));
    desk.click("group/assumptions");
    CHECK(overlap.held() == desk.expected(overlap, P::overlap));
    // A row with a single value has nothing to show.
    desk.slider("training.virtual_stages");
    const TrackSlider& settled = desk.track_slider("training.virtual_stages");
    CHECK_FALSE(settled.isEnabled());
    CHECK(settled.held().points.empty());
    CHECK(settled.track_text().isEmpty());
}

TEST_CASE("automatic parameters give a second track, planned in the background", "[gui][tracks]") {
    TrackDesk desk;
    TrackSlider& memory = desk.track_slider("cluster.gpu.memory");
    CHECK_FALSE(memory.replanned());
    QTest::mouseClick(desk.find<QAbstractButton>("training.micro_batch/auto"), Qt::LeftButton);
    QApplication::processEvents();
    REQUIRE(arrives(memory));
    const auto planned = [&](P id, const TrackSlider& slider) {
        return track(desk.model().answer().scenario, id, slider.scale(),
                     {.columns = static_cast<int>(slider.groove().width()), .stride = 6});
    };
    CHECK(*memory.replanned() == planned(P::memory, memory));
    CHECK_FALSE(*memory.replanned() == memory.held());

    // During a drag of another slider the old track is marked as such, then the new one follows.
    TrackSlider& sequence = desk.track_slider("training.sequence_length");
    QTest::mousePress(&sequence, Qt::LeftButton, {}, sequence.pointOf(2048).toPoint());
    const QPointF at = sequence.pointOf(1024);
    QMouseEvent move(QEvent::MouseMove, at, sequence.mapToGlobal(at), Qt::NoButton, Qt::LeftButton, {});
    QApplication::sendEvent(&sequence, &move);
    CHECK(memory.is_stale());
    REQUIRE(arrives(memory));
    CHECK(desk.model().in_gesture());
    CHECK(*memory.replanned() == planned(P::memory, memory));
    QTest::mouseRelease(&sequence, Qt::LeftButton, {}, at.toPoint());

    // When locked again, there is only one track.
    QTest::mouseClick(desk.find<QAbstractButton>("training.micro_batch/auto"), Qt::LeftButton);
    QApplication::processEvents();
    CHECK_FALSE(memory.replanned());
}

TEST_CASE("a window may close while tracks are being planned", "[gui][tracks]") {
    for (int i = 0; i < 5; ++i) {
        TrackDesk desk;
        Scenario scenario = first_on_auto();
        for (const P id : {P::sharding, P::recompute, P::tensor_parallel, P::pipeline_parallel})
            scenario = with_auto(scenario, id, true);
        desk.open(scenario);
        desk.model().edit(P::sequence_length, 1024 + 64 * i);
        QApplication::processEvents();
        CHECK(desk.model().answer().valid());
    }
}

TEST_CASE("where nothing fits the tracks show the values that would", "[gui][tracks]") {
    TrackDesk desk;
    desk.open_preset("13b-long-context-does-not-fit");
    REQUIRE_FALSE(desk.model().answer().fits());
    const auto fits_somewhere = [&](const char* key) {
        return std::ranges::any_of(desk.track_slider(key).held().columns, &TrackColumn::fits);
    };
    CHECK(fits_somewhere("training.sequence_length"));
    CHECK(fits_somewhere("cluster.gpu.memory"));
    CHECK_FALSE(fits_somewhere("cluster.inter_node_bandwidth"));
}

TEST_CASE("the colours of every track are explained under the pointer", "[gui][tracks]") {
    Desk desk;
    desk.open_groups();
    int explained = 0;
    for (const TrackSlider* slider : desk.window.findChildren<TrackSlider*>()) {
        if (!slider->isEnabled()) continue;
        INFO(slider->objectName().toStdString());
        CHECK(slider->toolTip().contains(QStringLiteral("colour of a track is the MFU")));
        CHECK(slider->toolTip().contains(QStringLiteral("the thin band above holds the present plan")));
        ++explained;
    }
    CHECK(explained > 30);
}

TEST_CASE("a screen reader gets a description of the track", "[gui][tracks]") {
    TrackDesk desk;
    const auto description = [&](const char* key) {
        QAccessibleInterface* access = QAccessible::queryAccessibleInterface(&desk.track_slider(key));
        REQUIRE(access != nullptr);
        return access->text(QAccessible::Description).toStdString();
    };
    using Catch::Matchers::Contains;
    CHECK_THAT(description("training.sequence_length"), Contains("does not fit above "));
    CHECK_THAT(description("cluster.inter_node_bandwidth"),
               Contains("inter-node-bound below ") && Contains("Network bandwidth of one GPU"));
}
