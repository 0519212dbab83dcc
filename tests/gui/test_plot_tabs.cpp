// The window creates a plot when it is first needed.
#include <QCheckBox>
#include <catch2/catch.hpp>

#include "app/commands/command.h"
#include "app/main_window.h"
#include "app/plot_tabs.h"
#include "app/session.h"
#include "widgets/plots/live_plot.h"
#include "widgets/plots/plot_kind.h"
#include "widgets/text.h"

namespace shardscope::testing {
namespace {

// A window as at a start, in which only the plot that is shown exists.
struct FreshWindow {
    Session session;
    MainWindow window{commands::catalogue(), session};
    PlotTabs& tabs = *window.findChild<PlotTabs*>();

    FreshWindow() {
        window.resize(1440, 900);
        window.show();
        QApplication::processEvents();
    }
    [[nodiscard]] auto plots() const { return tabs.findChildren<LivePlot*>(); }
};

}  // namespace

TEST_CASE("plot tabs: a plot is created when its tab is first shown, in the same place", "[window][plots]") {
    FreshWindow fresh;
    REQUIRE(fresh.plots().size() == 1);
    std::vector<QString> names, tips;
    for (int i = 0; i < fresh.tabs.count(); ++i) {
        names.push_back(fresh.tabs.tabText(i));
        tips.push_back(fresh.tabs.tabToolTip(i));
        CHECK_FALSE(tips.back().isEmpty());
    }
    for (int i = 1; i < fresh.tabs.count(); ++i) {
        fresh.tabs.step(1);
        QApplication::processEvents();
        CHECK(fresh.tabs.currentIndex() == i);
        CHECK(fresh.plots().size() == i + 1);
        CHECK(fresh.tabs.current().isVisible());
        CHECK(fresh.tabs.current().accessibleName() == tips[static_cast<std::size_t>(i)]);
    }
    for (int i = 0; i < fresh.tabs.count(); ++i) {
        CHECK(fresh.tabs.tabText(i) == names[static_cast<std::size_t>(i)]);
        CHECK(fresh.tabs.tabToolTip(i) == tips[static_cast<std::size_t>(i)]);
    }
    CHECK(fresh.tabs.plot(QStringLiteral("memory")) == nullptr);  // it has no tab
}

TEST_CASE("plot tabs: a plot that is created later shows its view, the pins and hypothetical rates",
          "[window][plots]") {
    FreshWindow fresh;
    fresh.window.model().pin();
    fresh.tabs.show_hypothetical(true);
    View view;
    view.plot = "sweep";
    view.x = P::sequence_length;
    view.outputs = {Output::step_time};
    fresh.tabs.set_view(view);
    CHECK(fresh.plots().size() == 1);
    const auto of_sweep = [&] {
        const std::vector<View> views = fresh.tabs.views();
        REQUIRE(views.size() == static_cast<std::size_t>(fresh.tabs.count()));
        return *std::ranges::find(views, "sweep", &View::plot);
    };
    CHECK(of_sweep() == view);

    fresh.tabs.show_plot(QStringLiteral("sweep"));
    QApplication::processEvents();
    REQUIRE(fresh.plots().size() == 2);
    CHECK(fresh.tabs.current().view().x == P::sequence_length);
    CHECK(fresh.tabs.current().view().outputs == view.outputs);
    CHECK(of_sweep() == fresh.tabs.current().view());
    CHECK(fresh.tabs.current().request().hypothetical);
    CHECK(fresh.window.findChild<QCheckBox*>(QStringLiteral("sweep/side_by_side"))->isEnabled());
}

}  // namespace shardscope::testing
