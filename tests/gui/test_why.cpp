// Tests the Why panel.
#include <QAbstractButton>
#include <QApplication>
#include <QCheckBox>
#include <QLabel>
#include <QSignalSpy>
#include <catch2/catch.hpp>

#include "explore/repair.h"
#include "support/desk.h"
#include "support/panels.h"
#include "widgets/drawing.h"
#include "widgets/formula.h"
#include "widgets/panels/headline.h"
#include "widgets/panels/why_panel.h"

using namespace shardscope;
using namespace shardscope::testing;

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
