// Tests the panel of controls: its search, the walls at every size, its groups and choices.
#include <QAbstractButton>
#include <QApplication>
#include <QCursor>
#include <QHelpEvent>
#include <QLineEdit>
#include <QStyle>
#include <QStyleOptionComboBox>
#include <QTest>
#include <QToolTip>
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <set>

#include "support/desk.h"
#include "widgets/drawn_words.h"
#include "widgets/live_model.h"
#include "widgets/panels/control_group.h"
#include "widgets/panels/controls_panel.h"
#include "widgets/rows/parameter_field.h"
#include "widgets/rows/parameter_row.h"
#include "widgets/rows/parameter_slider.h"
#include "widgets/theme/theme.h"
#include "widgets/wall_mark.h"

using namespace shardscope;
using namespace shardscope::testing;

TEST_CASE("the panel finds rows by their words and opens the groups that contain them", "[gui][controls]") {
    LiveModel model(Catalogue::shipped());
    ControlsPanel panel(model);
    panel.resize(panel.width(), 800);
    panel.show();
    REQUIRE(QTest::qWaitForWindowExposed(&panel));
    auto* gpus = panel.findChild<ParameterRow*>("cluster.gpus");
    REQUIRE(gpus);
    CHECK(gpus->isVisible());
    CHECK_FALSE(panel.findChild<ParameterRow*>("training.optimizer"));  // in the group's "More"
    QTest::keyClicks(panel.search(), "optimizer");
    auto* optimizer = panel.findChild<ParameterRow*>("training.optimizer");
    REQUIRE(optimizer);
    CHECK(optimizer->isVisible());
    CHECK_FALSE(gpus->isVisible());
    QTest::keyClick(panel.search(), Qt::Key_Escape);
    CHECK(panel.search()->text().isEmpty());
    CHECK(gpus->isVisible());
    CHECK_FALSE(optimizer->isVisible());

    QTest::keyClicks(panel.search(), "PP");
    CHECK(panel.findChild<ParameterRow*>("training.pipeline_parallel")->isVisible());
    QTest::keyClick(panel.search(), Qt::Key_Escape);

    CHECK(panel.row(P::gemm_efficiency)->isVisible());  // Assumptions are closed at first
    CHECK(panel.row(P::optimizer) == optimizer);
    CHECK(optimizer->isVisible());
    CHECK(panel.row(P::tensor_parallel)->isVisible());  // a row of its group
    const auto* schedule = panel.findChild<ParameterRow*>("training.schedule");
    REQUIRE(schedule);
    CHECK_FALSE(schedule->isVisible());  // in its "More"
    CHECK(panel.row(P::schedule) == schedule);
    CHECK(schedule->isVisible());
    CHECK(panel.row(P::expert_ffn_size) == nullptr);  // set in files only

    // A requested row is scrolled into view from any place.
    panel.resize(panel.width(), 400);
    for (const P id : {P::offload, P::error_band, P::gpus, P::experts}) {
        const ParameterRow* row = panel.row(id);
        INFO(parameter(id).key);
        CHECK(row->visibleRegion().boundingRect().height() == row->height());
    }
}

TEST_CASE("the walls are visible with wide tracks at every size, and grow with the panel",
          "[gui][controls]") {
    LiveModel model(Catalogue::shipped());
    ControlsPanel panel(model);
    panel.show();
    REQUIRE(QTest::qWaitForWindowExposed(&panel));
    for (const QSize size :
         {QSize(372, 830), QSize(340, 640), QSize(288, 604), QSize(288, 546), QSize(260, 546)}) {
        CAPTURE(size.width(), size.height());
        panel.resize(size);
        for (int pass = 0; pass < 3; ++pass) QApplication::processEvents();
        int last_width = 0;
        for (const P id : kWallParameters) {
            const auto* row =
                panel.findChild<ParameterRow*>(QString::fromStdString(std::string(parameter(id).key)));
            REQUIRE(row);
            INFO(parameter(id).key);
            CHECK(row->visibleRegion().boundingRect().height() == row->height());
            CHECK(row->slider()->groove().width() >= 200);
            CHECK(row->slider()->groove().bottom() < row->slider()->height());
            last_width = static_cast<int>(row->slider()->groove().width());
        }
        // All headers of the groups are visible, too.
        const auto* last = panel.findChild<QAbstractButton*>("group/assumptions");
        REQUIRE(last);
        CHECK(last->visibleRegion().boundingRect().height() == last->height());
        CHECK(last_width >= size.width() - 44);
    }
}

namespace {

// Returns the ratio of the luminances of two colours, as WCAG defines it.
double contrast(const QColor& one, const QColor& other) {
    const auto luminance = [](const QColor& color) {
        const auto linear = [](double c) {
            return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
        };
        return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) +
               0.0722 * linear(color.blueF());
    };
    const auto [dark, light] = std::minmax({luminance(one), luminance(other)});
    return (light + 0.05) / (dark + 0.05);
}

}  // namespace

TEST_CASE("the link to the host is named where it is the wall, above the sliders and on their handles",
          "[gui][controls]") {
    Desk desk;
    LiveModel& model = desk.window.model();
    model.edit(P::offload, static_cast<double>(Offload::optimizer));
    model.edit(P::host_bandwidth, 1e8);
    QApplication::processEvents();
    REQUIRE(model.answer().fits());
    CHECK(desk.find<QWidget>("controls/walls")->accessibleName() == "Walls, bound by host link");
    // Its colour is as light as that of no other wall, so that it also differs without hue.
    for (const Theme* theme : {&Theme::light(), &Theme::dark()}) {
        const QColor own = theme->of(Wall::host_link);
        CHECK(own == theme->of(StepTerm::host_link));
        CHECK(contrast(own, theme->pane) >= 3);
        for (const Wall other : {Wall::compute, Wall::memory_bandwidth, Wall::intra_node, Wall::latency})
            CHECK(contrast(own, theme->of(other)) > 1.9);
    }
    std::set<QString> letters;
    constexpr auto kLast = static_cast<int>(Wall::balanced);
    for (int i = 0; i <= kLast; ++i) letters.insert(wall_letter(static_cast<Wall>(i)));
    CHECK(letters.size() == kLast + 1);
}

TEST_CASE("a choice shows each of its names whole, or cut by an ellipsis with the name as tool tip",
          "[gui][controls]") {
    Desk desk;
    desk.open_groups();
    for (const int width : {1024, 1366, 1440, 1920}) {
        desk.window.resize(width, 900);
        QApplication::processEvents();
        for (auto* choice : desk.window.findChildren<ParameterChoice*>()) {
            for (int i = 0; i < choice->count(); ++i) {
                choice->setCurrentIndex(i);
                const QString name = choice->currentText();
                QString drawn;
                for (const DrawnWord& word : drawn_words(*choice)) drawn += word.text;
                INFO(width << " px, " << name.toStdString() << ": " << drawn.toStdString());
                QStyleOptionComboBox option;
                option.initFrom(choice);
                const QRect room = choice->style()->subControlRect(QStyle::CC_ComboBox, &option,
                                                                   QStyle::SC_ComboBoxEditField, choice);
                CHECK(choice->fontMetrics().horizontalAdvance(drawn) <= room.width());
                QHelpEvent help(QEvent::ToolTip, choice->rect().center(), QCursor::pos());
                QApplication::sendEvent(choice, &help);
                if (drawn == name) CHECK(choice->toolTip().isEmpty());
                else CHECK(choice->toolTip() == name);
                // There is room for the names of schedules in a usual window.
                if (width >= 1440 && choice->objectName() == "training.schedule/field") CHECK(drawn == name);
            }
        }
    }
    QToolTip::hideText();
}

TEST_CASE("a group that is opened scrolls into view, or to its beginning if it is too high",
          "[gui][controls]") {
    Desk desk;
    desk.window.resize(1366, 768);
    QApplication::processEvents();
    for (const char* name :
         {"group/cluster", "group/model", "group/training", "group/plan", "group/assumptions"}) {
        auto* header = desk.find<QAbstractButton>(name);
        const QWidget* group = header->parentWidget();
        const auto* view = group->parentWidget()->parentWidget();
        const auto seen = [&](const QWidget* part) {
            return QRect(part->mapTo(view, QPoint()), part->size()).intersected(view->rect()).height();
        };
        INFO(name);
        QTest::mouseClick(header, Qt::LeftButton);
        CHECK(seen(group) == std::min(group->height(), view->height()));
        CHECK(seen(header) == header->height());
        QApplication::processEvents();
        CHECK(seen(group) == std::min(group->height(), view->height()));
        auto* more = desk.find<QAbstractButton>(QLatin1String(name) + QStringLiteral("/more"));
        if (more->isVisible()) {
            QTest::mouseClick(more, Qt::LeftButton);
            // "More" is the first child of the box of the rows.
            const auto rows = group->findChildren<ParameterRow*>();
            const QWidget* extra = rows.front()->parentWidget();
            REQUIRE(extra->parentWidget() == rows.back()->parentWidget());
            CHECK(seen(extra) == std::min(extra->height(), view->height()));
        }
        QTest::mouseClick(header, Qt::LeftButton);
        QApplication::processEvents();
    }
}
