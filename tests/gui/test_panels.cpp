// Tests what stays in view while a slider moves: headline, repairs, memory bar, waterfall and the Why panel.
#include <QAbstractButton>
#include <QApplication>
#include <QCheckBox>
#include <QFontMetricsF>
#include <QLabel>
#include <QMenu>
#include <QSignalSpy>
#include <QTabBar>
#include <QTabWidget>
#include <QTest>
#include <QToolButton>
#include <QUndoStack>
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>

#include "evidence/validated.h"
#include "explore/repair.h"
#include "support/desk.h"
#include "support/wheel.h"
#include "widgets/chart/figure_parts.h"
#include "widgets/drawing.h"
#include "widgets/drawn_words.h"
#include "widgets/formula.h"
#include "widgets/panels/headline.h"
#include "widgets/panels/memory_bar.h"
#include "widgets/panels/repair_button.h"
#include "widgets/panels/repair_strip.h"
#include "widgets/panels/waterfall.h"
#include "widgets/panels/why_panel.h"
#include "widgets/theme/icons.h"
#include "widgets/theme/theme.h"

using namespace shardscope;
using namespace shardscope::testing;

namespace {

QString text(const QWidget& in, const char* name) {
    const auto* label = in.findChild<QLabel*>(QLatin1String(name));
    REQUIRE(label);
    return label->text();
}

bool is_shown(const QWidget& in, const char* name) {
    const auto* widget = in.findChild<QWidget*>(QLatin1String(name));
    REQUIRE(widget);
    return widget->isVisibleTo(&in);
}

// Drags the first launch to a sequence length that does not fit.
void overflow(LiveModel& model) {
    model.edit(P::sequence_length, 8192);
    REQUIRE_FALSE(model.answer().fits());
}

}  // namespace

TEST_CASE("the headline shows the estimate") {
    LiveModel model(Catalogue::shipped());
    Headline headline(model);
    headline.resize(1068, headline.sizeHint().height());
    CHECK(text(headline, "headline/verdict") == QStringLiteral("FITS"));
    CHECK(text(headline, "headline/mfu").toStdString() == text_of(Output::mfu, model.answer()));
    CHECK(text(headline, "headline/tokens-per-gpu") == QStringLiteral("4,096 tokens per GPU"));
    CHECK(text(headline, "headline/sentence").startsWith(QStringLiteral("Compute is the wall: it limits ")));
    CHECK_FALSE(is_shown(headline, "show-hypothetical"));

    QSignalSpy asked(&model, &LiveModel::explanation_requested);
    QTest::mouseClick(headline.findChild<QLabel*>(QStringLiteral("headline/step-time")), Qt::LeftButton);
    REQUIRE(asked.count() == 1);
    CHECK(asked.front().front().value<Subject>() == Subject::of(Output::step_time));
}

TEST_CASE("the headline names what lies outside the range of the public runs") {
    LiveModel model(Catalogue::shipped());
    Headline headline(model);
    headline.resize(1068, headline.sizeHint().height());
    const auto words = [&] { return text(headline, "headline/more"); };
    CHECK_FALSE(words().contains(QStringLiteral("Outside the validated range")));
    model.edit(P::virtual_stages, 1);
    model.edit(P::gpus, 16384);
    REQUIRE_FALSE(extrapolation_warnings(model.answer()).empty());
    CHECK(words().contains(QStringLiteral("Outside the validated range")));
    model.edit(P::memory_bandwidth, 64e12);
    model.edit(P::peak_flops, 1e16);
    CHECK(words().contains(QStringLiteral("Nothing like it was measured")));
}

TEST_CASE("the headline compares with the first pin") {
    LiveModel model(Catalogue::shipped());
    Headline headline(model);
    headline.resize(1068, headline.sizeHint().height());
    model.pin();
    CHECK(text(headline, "headline/mfu-caption") == QStringLiteral("MFU ±0 points vs B"));
    model.edit(P::gpus, 4096);
    CHECK(text(headline, "headline/mfu-caption").startsWith(QStringLiteral("MFU −")));
    CHECK(text(headline, "headline/mfu-caption").endsWith(QStringLiteral(" points vs B")));
    // The pin keeps its plan when that of the scenario becomes automatic, and the difference says so.
    model.set_all_automatic(true);
    REQUIRE(QTest::qWaitFor([&] { return !model.planning(); }, testing::kBackgroundTimeout));
    CHECK(text(headline, "headline/mfu-caption").endsWith(QStringLiteral(" points vs B, plan held")));
    model.pin();
    model.compare_with('C');
    CHECK(text(headline, "headline/mfu-caption").endsWith(QStringLiteral(" points vs C")));
    model.set_all_automatic(false);
    CHECK(text(headline, "headline/mfu-caption").endsWith(QStringLiteral(" points vs C, plan automatic")));
    model.compare_with('B');
    CHECK(text(headline, "headline/tokens-per-s-per-gpu-caption").endsWith(QStringLiteral(" %")));
}

TEST_CASE("no rate is shown where the scenario does not fit, except on request") {
    LiveModel model(Catalogue::shipped());
    Headline headline(model);
    headline.resize(1068, headline.sizeHint().height());
    overflow(model);
    CHECK(text(headline, "headline/verdict") == QStringLiteral("DOES NOT FIT"));
    for (const char* rate : {"headline/mfu", "headline/tokens-per-s-per-gpu", "headline/step-time"}) {
        INFO(rate);
        CHECK(text(headline, rate) == QStringLiteral("–"));
    }
    CHECK(text(headline, "headline/training-days") == QStringLiteral("–"));
    CHECK(is_shown(headline, "headline/too-much-by"));
    CHECK(text(headline, "headline/sentence").startsWith(QStringLiteral("Memory is the wall: ")));

    QSignalSpy toggled(&headline, &Headline::hypothetical_toggled);
    auto* box = headline.findChild<QCheckBox*>(QStringLiteral("show-hypothetical"));
    REQUIRE(box);
    REQUIRE(is_shown(headline, "show-hypothetical"));
    box->click();
    CHECK(toggled.count() == 1);
    CHECK(text(headline, "headline/mfu").endsWith(QStringLiteral(" %")));
    CHECK(text(headline, "headline/mfu-caption").contains(QStringLiteral("hypothetical")));
    CHECK(text(headline, "headline/verdict") == QStringLiteral("DOES NOT FIT"));

    // If the scenario fits, the box stays visible while it is on, because exports still follow it.
    model.edit(P::sequence_length, 2048);
    QApplication::processEvents();
    REQUIRE(model.answer().fits());
    CHECK(is_shown(headline, "show-hypothetical"));
    box->click();
    QApplication::processEvents();
    CHECK_FALSE(headline.hypothetical());
    CHECK_FALSE(is_shown(headline, "show-hypothetical"));
}

TEST_CASE("a repair needs one click and makes the scenario fit") {
    LiveModel model(Catalogue::shipped());
    QWidget window;
    auto* strip = new RepairStrip(model, &window);
    strip->resize(1068, strip->sizeHint().height());
    overflow(model);
    QApplication::processEvents();
    auto* repair = strip->findChild<QAbstractButton*>(QStringLiteral("repair/training.micro_batch"));
    REQUIRE(repair);
    REQUIRE(repair->isEnabled());
    repair->click();
    CHECK(model.answer().fits());
    QApplication::processEvents();
    // Then the change that raises the MFU most is offered, if there is one.
    const std::optional<Repair> fix = best_fix(model.answer());
    const auto* caption = strip->findChild<QLabel*>(QStringLiteral("repairs/caption"));
    REQUIRE(caption);
    CHECK(caption->text() == QStringLiteral("Next best fix"));
    for (const auto* button : strip->findChildren<QAbstractButton*>()) {
        if (!button->isHidden() && button->objectName().startsWith(QStringLiteral("repair/")))
            CHECK(button->text().toStdString() == fix.value().label);
    }
}

TEST_CASE("the row of repairs offers what raises the MFU of a scenario that fits") {
    LiveModel model(Catalogue::shipped());
    QWidget window;
    auto* strip = new RepairStrip(model, &window);
    strip->resize(1068, strip->sizeHint().height());
    model.edit(P::recompute, 1);
    QApplication::processEvents();
    const std::optional<Repair> fix = best_fix(model.answer());
    REQUIRE(fix.has_value());
    CHECK_FALSE(strip->has_best());  // Ctrl+R repairs what does not fit
    auto* button = strip->findChild<QAbstractButton*>(QStringLiteral("repair/") +
                                                      text_of(parameter(fix->id.value()).key));
    REQUIRE(button);
    CHECK_FALSE(button->isHidden());
    const double before = model.answer().estimate.mfu;
    button->click();
    CHECK(model.answer().estimate.mfu > before);
    // During a drag the offer follows the scenario.
    model.begin_gesture(P::inter_node_bandwidth);
    model.drag(P::inter_node_bandwidth, 10e9);
    QApplication::processEvents();
    REQUIRE(model.answer().fits());
    const std::optional<Repair> now = best_fix(model.answer());
    REQUIRE(now.has_value());
    const auto* follows = strip->findChild<QAbstractButton*>(QStringLiteral("repair/") +
                                                             text_of(parameter(now->id.value()).key));
    REQUIRE(follows);
    CHECK_FALSE(follows->isHidden());
    CHECK(follows->text() == text_of(now->label));
    // A fix beside an automatic plan needs a search.
    model.set_automatic(P::recompute, true);
    model.drag(P::inter_node_bandwidth, 20e9);
    QApplication::processEvents();
    for (const auto* other : strip->findChildren<QAbstractButton*>()) CHECK(other->isHidden());
    model.end_gesture();
}

TEST_CASE("a fix that may run out of memory is offered, marked, if no other helps") {
    LiveModel model(Catalogue::shipped());
    int risky = 0;
    for (double memory = 40; memory <= 80; memory += 1) {
        model.edit(P::memory, memory * kGiB);
        const std::optional<Repair> fix = best_fix(model.answer());
        if (!fix || !model.answer().fits()) continue;
        CHECK(fix->mfu > model.answer().estimate.mfu);
        CHECK(fix->works);
        risky += fix->risky ? 1 : 0;
        if (fix->risky) CHECK(fix->result.starts_with("risky"));
    }
    CHECK(risky > 0);
}

TEST_CASE("a repair with a long name is shown whole, in two lines") {
    RepairButton button;
    Repair plan;
    plan.label = "Best plan: TP 8 SP, PP 4×2 interleaved, ZeRO-1, micro-batch 1 × 32, recompute selective";
    plan.result = "fits, 70.1 GiB, MFU 41.3 %";
    plan.works = true;
    button.set_repair(plan, true);
    const int whole = button.sizeHint().width();
    button.set_longest(0.6 * whole);
    const int two_lines = button.sizeHint().width();
    CHECK(two_lines < whole);
    // Both lines together have room for the whole text.
    CHECK(2 * two_lines > whole);
}

TEST_CASE("a hidden repair that still receives a key changes nothing") {
    LiveModel model(Catalogue::shipped());
    QWidget window;
    auto* strip = new RepairStrip(model, &window);
    strip->resize(1068, strip->sizeHint().height());
    overflow(model);
    QApplication::processEvents();
    auto* repair = strip->findChild<QAbstractButton*>(QStringLiteral("repair/training.micro_batch"));
    REQUIRE(repair);
    // The focus is on the button while another window is active.
    repair->setFocus();
    model.undo_stack()->undo();
    QApplication::processEvents();
    REQUIRE(model.answer().fits());
    REQUIRE(repair->isHidden());
    const Scenario before = model.scenario();
    repair->click();
    CHECK(model.scenario() == before);
}

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

TEST_CASE("memory segments sum to the peak and their labels do not overlap") {
    LiveModel model(Catalogue::shipped());
    for (const double sequence : {256.0, 2048.0, 4096.0, 5120.0, 5376.0, 6144.0, 8192.0, 32768.0}) {
        model.edit(P::sequence_length, sequence);
        const MemoryBarData data = memory_bar_data(model.answer());
        double sum = 0;
        for (const double term : data.terms) sum += term;
        CHECK(sum == Approx(data.peak).epsilon(1e-12));
        const MemoryBarGeometry g = memory_bar_geometry(QRectF(0, 0, 262, 292), data, QApplication::font());
        double height = 0;
        for (const QRectF& segment : g.segments) height += segment.height();
        CHECK(height == Approx(data.peak / data.top * g.bar.height()).epsilon(1e-9));
        CHECK(data.peak <= data.top);
        for (std::size_t i = 1; i < g.labels.size(); ++i)
            CHECK(g.labels[i].y - g.labels[i - 1].y >= g.line - 1e-6);
        CHECK(g.labels.back().y <= g.bar.bottom() + g.line / 2);
        // The label of the usable memory does not separate a sum from its terms.
        for (std::size_t i = 0; i + 1 < g.labels.size(); ++i) {
            if (g.labels[i].term != MemoryTerm::count) continue;
            CHECK((g.labels[i].y < g.capacity_text_y) == (g.labels[i + 1].y < g.capacity_text_y));
        }
    }
}

TEST_CASE("the memory bar names its terms beside six pins, in a small window too") {
    LiveModel model(Catalogue::shipped());
    const QFont small = scaled_font(QApplication::font(), kSmall);
    const QFont bold = scaled_font(QApplication::font(), kSmall, true);
    for (int pins = 0; pins <= 6; ++pins) {
        const MemoryBarData data = memory_bar_data(model.answer(), model.pins());
        REQUIRE(data.ghosts.size() == static_cast<std::size_t>(pins));
        const MemoryBarGeometry g = memory_bar_geometry(QRectF(0, 0, 215, 266), data, QApplication::font());
        for (const MemoryBarLabel& label : g.labels) {
            INFO(pins << " pins: " << label.text.toStdString());
            const QFont& font = label.term == MemoryTerm::count ? bold : small;
            const double square = label.term == MemoryTerm::count ? 0 : 12;
            const double value = text_width(font, shown(label.bytes, Quantity::bytes, false));
            CHECK(g.label_left + square + text_width(font, label.text) + 4 + value <= g.label_right);
        }
        model.pin();
        model.edit(P::sequence_length, 2048.0 - 256 * pins);
    }
}

TEST_CASE("the memory axis does not change during a drag") {
    LiveModel model(Catalogue::shipped());
    MemoryBar bar(model);
    const double before = bar.data().top;
    model.begin_gesture(P::sequence_length);
    model.drag(P::sequence_length, 512);
    CHECK(bar.data().top == before);
    model.drag(P::sequence_length, 16384);
    CHECK(bar.data().top >= bar.data().peak);
    const double stretched = bar.data().top;
    model.drag(P::sequence_length, 2048);
    CHECK(bar.data().top == stretched);
    model.end_gesture();
    CHECK(bar.data().top == before);
}

TEST_CASE("the usable memory stays below the bar's title during a drag") {
    LiveModel model(Catalogue::shipped());
    MemoryBar bar(model);
    const QRectF area(0, 0, 262, 292);
    const QFont font = QApplication::font();
    const double title = area.top() + 8 + QFontMetricsF(font).height();
    const double start = model.answer().settings[P::memory];
    const double before = bar.data().top;
    model.begin_gesture(P::memory);
    for (const double times : {0.5, 1.2, 2.0, 4.0}) {
        model.drag(P::memory, times * start);
        const MemoryBarGeometry g = memory_bar_geometry(area, bar.data(), font);
        INFO(times);
        CHECK(bar.data().top >= before);
        CHECK(g.capacity_y >= g.bar.top());
        CHECK(g.capacity_text_y - g.line / 2 >= title);
    }
    model.end_gesture();
}

// The accumulation multiplies the step, and nothing else changes.
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

TEST_CASE("lines lead from the memory bar to its labels, and stay horizontal beside the pins") {
    LiveModel model(Catalogue::shipped());
    model.pin();
    model.edit(P::sequence_length, 4096);
    model.pin();
    const MemoryBarData data = memory_bar_data(model.answer(), model.pins());
    REQUIRE(data.ghosts.size() == 2);
    const MemoryBarGeometry g = memory_bar_geometry(QRectF(0, 0, 262, 292), data, QApplication::font());
    constexpr double kGhosts = 11 + 7;  // px, from the left end of the first to the right end of the last
    for (const MemoryBarLabel& label : g.labels) {
        if (label.term == MemoryTerm::count) continue;
        const auto leader = g.leader(label);
        const QRectF& segment = g.segments[static_cast<std::size_t>(label.term)];
        CHECK(leader[0].x() - g.bar.right() <= 1);
        CHECK(leader[0].y() == segment.center().y());
        CHECK(leader[1].y() == leader[0].y());
        CHECK(leader[1].x() > g.ghosts_left + kGhosts);
        CHECK(leader[1].x() <= leader[2].x());
    }
}

TEST_CASE("a formula's symbols have subscripts") {
    const auto words = [](const char* formula) {
        QString out;
        for (const FormulaPart& part : formula_parts(QString::fromUtf8(formula)))
            out += part.lowered ? QStringLiteral("[%1]").arg(part.text) : part.text;
        return out;
    };
    CHECK(words("MFU = (6·N_a + 12·L)·r ÷ P") == QString::fromUtf8("MFU = (6·N[a] + 12·L)·r ÷ P"));
    CHECK(words("ψ_root·t_ol") == QString::fromUtf8("ψ[root]·t[ol]"));
    CHECK(words("_a · 2_b") == QString::fromUtf8("_a · 2_b"));
    CHECK(words("").isEmpty());
    CHECK(formula_html(QStringLiteral("M_peak < M_cap")) ==
          QStringLiteral("M<sub>peak</sub> &lt; M<sub>cap</sub>"));
    const QFont font;
    CHECK(formula_width(font, QStringLiteral("N_a")) < text_width(font, QStringLiteral("Na")));
    CHECK(formula_width(font, QStringLiteral("N_a")) > text_width(font, QStringLiteral("N")));
}

TEST_CASE("Why explains the number in the headline") {
    LiveModel model(Catalogue::shipped());
    Headline headline(model);
    WhyPanel why(model);
    why.resize(244, 700);
    why.show(Subject::of(Output::mfu));
    CHECK(text(why, "why/title") == QStringLiteral("Why: MFU"));
    const auto spaced = [&](const char* name) {
        return text(why, name).replace(QChar(0xa0), QLatin1Char(' ')).toStdString();
    };
    const Explanation mfu = explain(Subject::of(Output::mfu), model.answer());
    // Its symbols have subscripts.
    CHECK(mfu.formula.find("N_a") != std::string::npos);
    CHECK(text(why, "why/formula").contains(QStringLiteral("N<sub>a</sub>")));
    CHECK(why.findChild<QLabel*>(QStringLiteral("why/formula"))->accessibleName().toStdString() ==
          mfu.formula);
    CHECK_FALSE(mfu.formula.empty());
    CHECK(spaced("why/substituted") == "= " + mfu.substituted);
    CHECK_FALSE(mfu.substituted.empty());
    CHECK(text(why, "why/result") == QStringLiteral("= ") + text(headline, "headline/mfu"));
    model.edit(P::sequence_length, 2048);
    CHECK(text(why, "why/result") == QStringLiteral("= ") + text(headline, "headline/mfu"));

    why.show(Subject::of(Output::wall));
    CHECK(is_shown(why, "why/walls-title"));
    why.findChild<QAbstractButton*>(QStringLiteral("why/back"))->click();
    CHECK(why.current() == Subject::of(Output::mfu));
    CHECK_FALSE(is_shown(why, "why/walls-title"));
    why.findChild<QAbstractButton*>(QStringLiteral("why/forward"))->click();
    CHECK(why.current() == Subject::of(Output::wall));
    QSignalSpy closed(&why, &WhyPanel::closed);
    why.findChild<QAbstractButton*>(QStringLiteral("why/close"))->click();
    CHECK(closed.count() == 1);
}

TEST_CASE("Why offers the best repair") {
    LiveModel model(Catalogue::shipped());
    WhyPanel why(model);
    why.resize(244, 700);
    QApplication::processEvents();
    // A scenario that fits is offered changes that raise the MFU, one that does not is offered changes that
    // make it fit.
    const double mfu = model.answer().estimate.mfu;
    REQUIRE(is_shown(why, "why/apply"));
    why.findChild<QAbstractButton*>(QStringLiteral("why/apply"))->click();
    CHECK(model.answer().estimate.mfu > mfu);
    overflow(model);
    REQUIRE_FALSE(model.answer().fits());
    QApplication::processEvents();
    auto* apply = why.findChild<QAbstractButton*>(QStringLiteral("why/apply"));
    REQUIRE(is_shown(why, "why/apply"));
    apply->click();
    CHECK(model.answer().fits());
    QApplication::processEvents();
    // Each click raises the MFU until no single change does; then Why reports that.
    for (int clicks = 0; clicks < 40 && is_shown(why, "why/apply"); ++clicks) {
        const double before = model.answer().estimate.mfu;
        apply->click();
        CHECK(model.answer().estimate.mfu > before);
        QApplication::processEvents();
    }
    REQUIRE_FALSE(is_shown(why, "why/apply"));
    CHECK_FALSE(best_fix(model.answer()).has_value());
    CHECK(text(why, "why/fix") == QStringLiteral("No single change of the plan raises MFU"));
    CHECK(text(why, "why/fix-result").contains(QStringLiteral("Ctrl+L")));
}

TEST_CASE("the menu beside the tabs shows every plot, including those without a visible tab", "[gui]") {
    Desk desk;
    desk.window.resize(1024, 700);
    QApplication::processEvents();
    auto* tabs = desk.find<QTabWidget>("tabs");
    auto* all = desk.find<QToolButton>("tabs/all");
    auto* menu = all->findChild<QMenu*>();
    REQUIRE(menu != nullptr);
    REQUIRE(menu->actions().size() == tabs->count());
    for (int i = tabs->count() - 1; i >= 0; --i) {
        QTest::mouseClick(all, Qt::LeftButton);
        REQUIRE(menu->isVisible());
        for (int j = 0; j < tabs->count(); ++j)
            CHECK(menu->actions().at(j)->isChecked() == (j == tabs->currentIndex()));
        QTest::mouseClick(menu, Qt::LeftButton, {}, menu->actionGeometry(menu->actions().at(i)).center());
        CHECK_FALSE(menu->isVisible());
        CHECK(tabs->currentIndex() == i);
        CHECK(tabs->tabText(i) == menu->actions().at(i)->text());
    }
}

TEST_CASE("a visible tab is not cut off, and the current one is always visible", "[gui]") {
    Desk desk;
    QTabBar* bar = desk.find<QTabWidget>("tabs")->tabBar();
    for (const int width : {1440, 1024, 1100, 1300}) {
        desk.window.resize(width, 700);
        QApplication::processEvents();
        for (const int current : {0, bar->count() - 1, 2}) {
            bar->setCurrentIndex(current);
            QApplication::processEvents();
            INFO(width << " px, " << current);
            CHECK(bar->isTabVisible(current));
            int whole = 0;
            for (int i = 0; i < bar->count(); ++i) {
                if (!bar->isTabVisible(i)) continue;
                CHECK(bar->tabRect(i).left() >= 0);
                CHECK(bar->tabRect(i).right() <= bar->rect().right());
                ++whole;
            }
            CHECK(whole > 2);
            // The number of hidden tabs is shown beside them.
            const int hidden = bar->count() - whole;
            CHECK(desk.find<QToolButton>("tabs/all")->text() ==
                  (hidden > 0 ? QStringLiteral("+%1").arg(hidden) : QString()));
        }
    }
    // The arrow keys also reach tabs that only the menu shows.
    desk.window.resize(1024, 700);
    QApplication::processEvents();
    bar->setCurrentIndex(0);
    REQUIRE_FALSE(bar->isTabVisible(bar->count() - 1));
    for (int i = 1; i < bar->count(); ++i) {
        QTest::keyClick(bar, Qt::Key_Right);
        CHECK(bar->currentIndex() == i);
        CHECK(bar->isTabVisible(i));
    }
    // The wheel does, too; a fine wheel after the distance of a notch.
    turn_wheel(*bar, 240);
    CHECK(bar->currentIndex() == bar->count() - 3);
    turn_wheel(*bar, -60);
    CHECK(bar->currentIndex() == bar->count() - 3);
    turn_wheel(*bar, -60);
    CHECK(bar->currentIndex() == bar->count() - 2);
}

TEST_CASE("the icon of a menu's highlighted row is as light as its text", "[gui]") {
    const Desk desk;  // sets the theme
    QMenu menu;
    QAction* action = menu.addAction(tinted_icon(QStringLiteral("pin"), current_theme().text), QString());
    action->setIconVisibleInMenu(true);
    menu.popup({0, 0});
    menu.setActiveAction(action);
    const QImage row = menu.grab(menu.actionGeometry(action).adjusted(2, 2, -2, -2)).toImage();
    // The row has no text, so every pixel closer to the text colour than to the background is part of the
    // icon.
    const int ground = current_theme().accent.lightness();
    const int words = current_theme().on_accent.lightness();
    int found = 0;
    for (int y = 0; y < row.height(); ++y) {
        for (int x = 0; x < row.width(); ++x) {
            const int here = row.pixelColor(x, y).lightness();
            found += std::abs(here - words) < std::abs(here - ground) ? 1 : 0;
        }
    }
    CHECK(found > 0);
    CHECK(found < row.width() * row.height() / 2);
    menu.close();
}

TEST_CASE("no word of the memory panel covers another, in a small window where it does not fit, too") {
    Desk desk;
    desk.window.resize(1024, 700);
    LiveModel& model = desk.window.model();
    auto* bar = desk.find<MemoryBar>("memory-bar");
    for (const double sequence : {2048.0, 4096.0, 5376.0, 8192.0, 32768.0, 131072.0}) {
        model.edit(P::sequence_length, sequence);
        QApplication::processEvents();
        const MemoryBarGeometry g = memory_bar_geometry(bar->rect(), bar->data(), bar->font());
        for (const MemoryBarLabel& label : g.labels)
            CHECK(std::fabs(label.y - g.capacity_text_y) >= g.line - 1e-6);
        const auto words = drawn_words(static_cast<QWidget&>(*bar));
        const auto caption = std::ranges::find_if(
            words, [](const auto& word) { return word.text.startsWith(QStringLiteral("usable")); });
        REQUIRE(caption != words.end());
        for (const auto& word : words) {
            INFO(sequence << ": " << word.text.toStdString());
            constexpr double kLeading = 3;  // of a line of text, above and below
            if (&word != &*caption)
                CHECK_FALSE(word.box.adjusted(0, kLeading, 0, -kLeading).intersects(caption->box));
        }
    }
}

TEST_CASE("the letters of pins with the same step are apart in the waterfall") {
    Desk desk;
    for (int i = 0; i < 3; ++i) desk.choose(ActionId::pin);
    const auto words = drawn_words(static_cast<QWidget&>(*desk.window.findChild<Waterfall*>()));
    CHECK(std::ranges::count(words, QStringLiteral("B, C, D"), &DrawnWord::text) == 1);
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

TEST_CASE("repairs: after a click the focus stays in the strip", "[window]") {
    Desk desk;
    desk.type("training.micro_batch", QStringLiteral("8"));
    desk.type("training.sequence_length", QStringLiteral("8192"));
    auto* strip = desk.find<RepairStrip>("repairs");
    const auto settle = [&] {
        QApplication::processEvents();
        REQUIRE(QTest::qWaitFor([&] { return !strip->pending() && !desk.window.model().planning(); },
                                kBackgroundTimeout));
        QApplication::processEvents();
    };
    settle();
    REQUIRE(strip->has_best());
    for (auto* button : strip->findChildren<RepairButton*>()) {
        if (!button->isVisible() || !button->isEnabled()) continue;
        QTest::mouseClick(button, Qt::LeftButton);
        break;
    }
    CHECK(desk.window.model().answer().fits());
    settle();
    const QWidget* focus = QApplication::focusWidget();
    REQUIRE(focus != nullptr);
    INFO(focus->objectName().toStdString());
    CHECK((focus == strip || strip->isAncestorOf(focus)));
}

TEST_CASE("repairs: the open menu keeps its entries when the repairs change", "[window]") {
    Desk desk;
    desk.type("training.micro_batch", QStringLiteral("8"));
    desk.type("training.sequence_length", QStringLiteral("8192"));
    desk.window.resize(1024, 640);
    const auto searched = [&] {
        QApplication::processEvents();
        return QTest::qWaitFor([&] { return !desk.find<RepairStrip>("repairs")->pending(); },
                               kBackgroundTimeout);
    };
    REQUIRE(searched());
    auto* more = desk.find<QToolButton>("repairs/more");
    REQUIRE(more->isVisible());
    more->menu()->popup(more->mapToGlobal(QPoint()));
    const QPointer<QAction> first(more->menu()->actions().value(0));
    REQUIRE(first);
    const QString text = first->text();
    desk.window.model().edit(P::micro_batch, 7);
    REQUIRE(searched());
    REQUIRE(first);
    CHECK(first->text() == text);
    // The next time it has those of the new scenario.
    more->menu()->close();
    more->menu()->popup(more->mapToGlobal(QPoint()));
    CHECK_FALSE(first);
    CHECK_FALSE(more->menu()->isEmpty());
    more->menu()->close();
}

TEST_CASE("why: with hypothetical rates shown it explains them, also where memory does not suffice",
          "[window]") {
    Desk desk;
    desk.type("training.micro_batch", QStringLiteral("8"));
    desk.type("training.sequence_length", QStringLiteral("32768"));
    REQUIRE(desk.estimate().verdict == Verdict::does_not_fit);
    desk.window.model().explain(Subject::of(Output::mfu));
    QApplication::processEvents();
    CHECK(desk.text("why/sentence").contains(QStringLiteral("so there is no value here")));
    CHECK(desk.text("why/result").contains(QStringLiteral("–")));

    desk.find<QCheckBox>("show-hypothetical")->click();
    QApplication::processEvents();
    CHECK(desk.text("why/sentence").contains(QStringLiteral("these values are hypothetical")));
    CHECK(desk.text("why/result") == QStringLiteral("= ") + desk.text("headline/mfu"));
    desk.find<QCheckBox>("show-hypothetical")->click();
    QApplication::processEvents();
    CHECK(desk.text("why/result").contains(QStringLiteral("–")));
}
