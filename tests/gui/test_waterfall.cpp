// Tests the waterfall of the step.
#include <QApplication>
#include <algorithm>
#include <catch2/catch.hpp>

#include "support/desk.h"
#include "support/panels.h"
#include "widgets/chart/figure_parts.h"
#include "widgets/drawn_words.h"
#include "widgets/panels/waterfall.h"

using namespace shardscope;
using namespace shardscope::testing;

TEST_CASE("waterfall bars are joined to the pixel and end at the step time") {
    LiveModel model(Catalogue::shipped());
    for (const double gpus : {8.0, 64.0, 512.0, 8192.0}) {
        model.edit(P::gpus, gpus);
        for (const QSizeF size : {QSizeF(262, 270), QSizeF(214, 220), QSizeF(641, 480)}) {
            const WaterfallData data = waterfall_data(model.answer());
            const WaterfallGeometry g =
                waterfall_geometry(QRectF(QPointF(3, 5), size), data, QApplication::font());
            REQUIRE(g.rows.size() >= 2);
            CHECK(g.rows.front().exposed.left() == g.left);
            for (std::size_t i = 1; i < g.rows.size(); ++i)
                CHECK(g.rows[i].exposed.left() == g.rows[i - 1].exposed.right());
            CHECK(g.rows.back().exposed.right() == g.total.right());
            CHECK(g.total.right() <= g.right);
            CHECK(g.axis_y < 5 + size.height());
            double sum = 0;
            for (const double term : data.terms) sum += term;
            CHECK(sum == Approx(data.total).epsilon(1e-12));
        }
    }
}

TEST_CASE("the waterfall gives no time where the scenario does not fit") {
    LiveModel model(Catalogue::shipped());
    Waterfall waterfall(model);
    overflow(model);
    CHECK_FALSE(waterfall.data().has_time);
    waterfall.set_hypothetical(true);
    CHECK(waterfall.data().has_time);
    CHECK(waterfall.data().hypothetical);
}

TEST_CASE("a pin with a much longer step has a broken bar in the waterfall and does not set its scale") {
    LiveModel model(Catalogue::shipped());
    model.edit(P::accumulation, 1);
    const double top = waterfall_data(model.answer()).top;
    model.edit(P::accumulation, 2);
    model.pin();
    model.edit(P::accumulation, 30);
    model.pin();
    model.edit(P::accumulation, 1);
    const WaterfallData data = waterfall_data(model.answer(), model.pins());
    REQUIRE(data.ghosts.size() == 2);
    CHECK_FALSE(data.ghosts[0].far);
    CHECK(data.ghosts[1].far);
    CHECK(data.ghosts[1].total > kFarPin * data.total);
    CHECK(data.top >= data.ghosts[0].total);
    CHECK(data.top < data.ghosts[1].total / 5);
    CHECK(data.top > top);
    for (const QSizeF size : {QSizeF(262, 270), QSizeF(200, 190)}) {
        const WaterfallGeometry g = waterfall_geometry(QRectF({0, 0}, size), data, QFont());
        REQUIRE(g.far.size() == 1);
        CHECK(g.far[0].ghost.letter == 'C');
        CHECK(g.far[0].bar.left() == g.left);
        CHECK(g.far[0].bar.right() == g.right);
        CHECK(g.far[0].bar.top() >= g.total.bottom());
        CHECK(g.far[0].bar.bottom() <= g.axis_y);
        CHECK(g.axis_y < size.height());
    }
    // Without the far pin the scale is that of the scenario alone.
    WaterfallData alone = waterfall_data(model.answer(), {model.pins()[1]});
    CHECK(alone.top == top);
}

TEST_CASE("the waterfall keeps the form of its pins during a drag") {
    LiveModel model(Catalogue::shipped());
    model.edit(P::accumulation, 4);
    model.pin();
    model.edit(P::accumulation, 1);
    const Waterfall panel(model);
    REQUIRE(panel.data().ghosts.at(0).far);
    model.begin_gesture(P::accumulation);
    model.drag(P::accumulation, 3);
    CHECK(panel.data().ghosts.at(0).far);
    model.end_gesture();
    CHECK_FALSE(panel.data().ghosts.at(0).far);
    CHECK(panel.accessibleDescription().contains(QStringLiteral("pin B: ")));
}

TEST_CASE("the letters of pins with the same step are apart in the waterfall") {
    Desk desk;
    for (int i = 0; i < 3; ++i) desk.choose(ActionId::pin);
    const auto words = drawn_words(static_cast<QWidget&>(*desk.window.findChild<Waterfall*>()));
    CHECK(std::ranges::count(words, QStringLiteral("B, C, D"), &DrawnWord::text) == 1);
}

TEST_CASE("the letters of pins do not touch the labels of the waterfall") {
    Desk desk;
    for (int i = 0; i < 3; ++i) desk.choose(ActionId::pin);
    desk.window.model().edit(P::accumulation, 64);
    QApplication::processEvents();
    auto& panel = *desk.window.findChild<Waterfall*>();
    const auto words = drawn_words(static_cast<QWidget&>(panel));
    const auto box_of = [&](const QString& text) {
        const auto found = std::ranges::find(words, text, &DrawnWord::text);
        INFO(text.toStdString());
        REQUIRE(found != words.end());
        return found->box;
    };
    const QRectF letters = box_of(QStringLiteral("B, C, D"));
    const WaterfallGeometry g = waterfall_geometry(panel.rect(), panel.data(), panel.font());
    for (const WaterfallGeometry::Row& row : g.rows) {
        const QRectF label = box_of(text_of(label_of(row.term)));
        CHECK(letters.left() > label.right());
        CHECK(letters.top() > label.bottom() - 1);
    }
    CHECK_FALSE(letters.intersects(box_of(QStringLiteral("Step"))));
    CHECK(g.axis_y < panel.height());
}

TEST_CASE("in a long step a short term of the waterfall does not read as 0", "[window]") {
    Desk desk;
    desk.window.model().edit(P::inter_node_bandwidth, 1e8);
    QApplication::processEvents();
    REQUIRE(desk.estimate().step.total > 100);
    const auto* panel = desk.window.findChild<Waterfall*>();
    QStringList values;  // at the right edge
    for (const DrawnWord& word : drawn_words(*desk.find<QWidget>("waterfall"))) {
        if (word.box.right() > panel->width() - 16) values += word.text;
    }
    INFO(values.join(QLatin1Char(' ')).toStdString());
    CHECK(values.size() > 5);
    CHECK_FALSE(values.contains(QStringLiteral("0")));
    CHECK(values.contains(QStringLiteral("<1")));
}
