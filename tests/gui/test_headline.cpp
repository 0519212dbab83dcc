// Tests the headline: verdict, rates, sentences and the comparison with a pin.
#include <QApplication>
#include <QCheckBox>
#include <QLabel>
#include <QSignalSpy>
#include <QTest>
#include <catch2/catch.hpp>

#include "evidence/validated.h"
#include "support/desk.h"
#include "support/panels.h"
#include "widgets/drawing.h"
#include "widgets/panels/headline.h"

using namespace shardscope;
using namespace shardscope::testing;

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
