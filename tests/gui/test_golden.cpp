// Tests the golden tasks through real events on the real main window.
#include <QApplication>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <QUndoStack>
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "files/scenario_file.h"
#include "support/desk.h"
#include "widgets/rows/parameter_field.h"
#include "widgets/rows/parameter_slider.h"

using namespace shardscope;
using shardscope::testing::Desk;
using shardscope::testing::first_number;

TEST_CASE("first launch: the scenario {} has its numbers in the headline", "[golden]") {
    Desk desk;
    // The public run of this scenario reached 39.9 %.
    CHECK(first_number(desk.text("headline/mfu")) == Approx(39.9).epsilon(0.05));
    CHECK(desk.text("headline/mfu").toStdString() == text_of(Output::mfu, desk.window.model().answer()));
    CHECK(desk.text("headline/tokens-per-gpu").contains(QStringLiteral("4,096")));
    CHECK(desk.text("headline/sentence").startsWith(QStringLiteral("Compute is the wall")));
    CHECK(desk.find<QToolButton>("picker/cluster")->text().contains(QStringLiteral("DGX H100")));
    CHECK_FALSE(desk.window.action(ActionId::undo)->isEnabled());
}

TEST_CASE("G2: the ideal threshold in the large limit, and half of it on two nodes", "[golden]") {
    Desk desk;
    REQUIRE(desk.find<QLabel>("headline/threshold")->isVisible());
    desk.type("cluster.gpus", QStringLiteral("131072"));
    // peak/B_node = 989.5e12/400e9 = 2,473.75, less one part in 16,384 nodes.
    CHECK(first_number(desk.text("headline/threshold")) == Approx(2474).margin(1));
    desk.type("cluster.gpus", QStringLiteral("16"));
    CHECK(first_number(desk.text("headline/threshold")) == Approx(1237).margin(1));
}

TEST_CASE("G3: after pinning, 200 Gbit/s keep the ghost, do not raise the MFU and double the threshold",
          "[golden]") {
    Desk desk;
    const double mfu = desk.estimate().mfu;
    const double threshold = desk.estimate().ideal.threshold_tokens;
    auto* canvas = desk.find<QWidget>("scaling/plot");
    // The places where the plot is drawn in the pin's colour.
    const auto ghost = [&] {
        QApplication::processEvents();
        const QImage picture = canvas->grab().toImage();
        std::vector<QPoint> out;
        for (int y = 0; y < picture.height(); ++y) {
            for (int x = 0; x < picture.width(); ++x) {
                if (picture.pixelColor(x, y) == current_theme().pins[0]) out.emplace_back(x, y);
            }
        }
        return out;
    };
    CHECK(ghost().size() < 20);
    QTest::keyClick(&desk.window, Qt::Key_P);
    QApplication::processEvents();
    REQUIRE(desk.window.model().pins().size() == 1);
    desk.type("cluster.inter_node_bandwidth", QStringLiteral("200 Gbit/s"));
    const std::vector<QPoint> drawn = ghost();
    CHECK(drawn.size() > 50);
    CHECK(desk.window.model().pins()[0].answer.estimate.mfu == mfu);
    // The ghost does not move while the scenario changes.
    desk.type("cluster.inter_node_bandwidth", QStringLiteral("195 Gbit/s"));
    const std::vector<QPoint> later = ghost();
    const auto stayed = std::ranges::count_if(
        drawn, [&](const QPoint& at) { return std::ranges::find(later, at) != later.end(); });
    CHECK(stayed > 0.8 * static_cast<double>(drawn.size()));  // the curve in front crosses it elsewhere
    desk.type("cluster.inter_node_bandwidth", QStringLiteral("200 Gbit/s"));
    CHECK(desk.estimate().mfu <= mfu);
    CHECK(desk.estimate().ideal.threshold_tokens == Approx(2 * threshold));
    CHECK(desk.find<QToolButton>("picker/cluster")->text().contains(QStringLiteral("(modified)")));
}

TEST_CASE("G4: a micro-batch that does not fit shows no MFU, and the repair sets the largest that fits",
          "[golden]") {
    Desk desk;
    for (int batch = 3; desk.estimate().verdict != Verdict::does_not_fit && batch < 100; ++batch)
        desk.type("training.micro_batch", QString::number(batch));
    REQUIRE(desk.estimate().verdict == Verdict::does_not_fit);
    CHECK(desk.text("headline/mfu").trimmed().startsWith(QStringLiteral("–")));
    auto* repair = desk.find<QAbstractButton>("repair/training.micro_batch");
    QTest::mouseClick(repair, Qt::LeftButton);
    QApplication::processEvents();
    CHECK(desk.estimate().verdict == Verdict::fits);
    Scenario one_more = desk.window.model().scenario();
    one_more.give(P::micro_batch, desk.window.model().answer().settings[P::micro_batch] + 1);
    CHECK(answer(one_more).estimate.verdict != Verdict::fits);
    CHECK_FALSE(desk.text("headline/mfu").startsWith(QStringLiteral("–")));
}

TEST_CASE("G5: with full recompute activations and MFU fall, and HFU over MFU rises above 1.2", "[golden]") {
    Desk desk;
    const Estimate before = desk.estimate();
    desk.type("training.recompute", QStringLiteral("full"));
    const auto activations = static_cast<std::size_t>(MemoryTerm::activations);
    CHECK(desk.estimate().memory.terms()[activations] < before.memory.terms()[activations]);
    CHECK(desk.estimate().mfu < before.mfu);
    CHECK(desk.estimate().hfu / desk.estimate().mfu > 1.2);
}

TEST_CASE("after Return in a field Ctrl+Z undoes the value, not the typing", "[golden][rows]") {
    Desk desk;
    const double before = desk.window.model().answer().settings[P::gpus];
    desk.type("cluster.gpus", QStringLiteral("128"));
    auto* field = desk.find<QLineEdit>("cluster.gpus/field");
    field->setFocus();
    REQUIRE(desk.window.model().answer().settings[P::gpus] == 128);
    // Until it is entered, typed text is undone by the field itself.
    QTest::keyClicks(field, QStringLiteral("25"));
    QTest::keySequence(field, QKeySequence::Undo);
    CHECK(desk.window.model().answer().settings[P::gpus] == 128);
    QTest::keyClick(field, Qt::Key_Escape);
    QTest::keySequence(field, QKeySequence::Undo);
    CHECK(desk.window.model().answer().settings[P::gpus] == before);
}

TEST_CASE("G10: 6·70e9·15e12 FLOP on 4,096 GPUs at 45 % of 990e12 take 39.96 days", "[golden]") {
    Desk desk;
    desk.pick(QStringLiteral("picker/model"), QStringLiteral("model/llama-3-70b"));
    // This vocabulary makes it 70.0 B parameters.
    desk.type("model.vocab_size", QStringLiteral("94460"));
    desk.type("cluster.gpus", QStringLiteral("4096"));
    // Without recomputation it does not fit, and no days are shown.
    desk.type("training.recompute", QStringLiteral("full"));
    desk.type("cluster.gpu.peak_flops", QStringLiteral("990 TFLOP/s"));
    desk.type("training.training_tokens", QStringLiteral("15T"));
    desk.choose("assumptions.flops_convention", QStringLiteral("6n"));
    desk.type("assumptions.mfu_override", QStringLiteral("45"));
    REQUIRE(desk.estimate().fits());
    CHECK(desk.text("headline/training-days") == QStringLiteral("39.96 days"));
    CHECK(desk.text("headline/mfu") == QStringLiteral("45.0 %"));
    CHECK(desk.text("headline/mfu-caption") == QStringLiteral("MFU, set by hand"));
    // 39.96 days · 24 · 4,096 GPUs
    CHECK(desk.text("headline/gpu-hours") == QStringLiteral("3.928 M GPU h"));
}

TEST_CASE("G13: every slider moves from end to end in 200 steps, and one undo each brings it back",
          "[golden]") {
    Desk desk;
    const Scenario start = desk.window.model().scenario();
    for (std::size_t i = 0; i < kParameters; ++i) {
        const P id = static_cast<P>(i);
        if (parameter(id).prominence == Prominence::file) continue;
        const std::string key(parameter(id).key);
        INFO(key);
        if (!desk.slider(key)->isEnabled()) continue;
        const int steps_before = desk.window.model().undo_stack()->index();
        bool sound = true;
        const auto watch = QObject::connect(&desk.window.model(), &LiveModel::changed, [&] {
            const Answer& now = desk.window.model().answer();
            sound = sound && now.valid() && std::isfinite(now.estimate.step.total) &&
                    std::isfinite(now.estimate.memory.peak) && now.estimate.mfu > 0;
        });
        desk.drag(key, 0, 1, 200);
        QObject::disconnect(watch);
        CHECK(sound);
        CHECK(desk.window.model().undo_stack()->index() <= steps_before + 1);
        while (desk.window.model().undo_stack()->canUndo()) desk.window.action(ActionId::undo)->trigger();
        CHECK(desk.window.model().scenario() == start);
    }
}

TEST_CASE("G14: after a thousand random edits by hand, a full undo gives the initial state", "[golden]") {
    Desk desk;
    LiveModel& model = desk.window.model();
    const Scenario start = model.scenario();
    // Painting two thousand frames would take most of the time, and nobody looks at them.
    desk.window.setUpdatesEnabled(false);
    desk.show_tab(QStringLiteral("Validation"));
    std::mt19937 random(14);
    const auto any = [&](std::size_t below) { return random() % below; };
    const auto share = [&] { return std::uniform_real_distribution<double>(0, 1)(random); };
    std::vector<P> rows;
    for (std::size_t i = 0; i < kParameters; ++i) {
        if (parameter(static_cast<P>(i)).prominence != Prominence::file) rows.push_back(static_cast<P>(i));
    }
    const auto models = model.catalogue().all(PresetKind::model);
    // Makes one edit by mouse or keyboard; returns false if this row does not offer that kind now.
    const auto edit = [&](std::size_t attempt) {
        if (attempt % 50 == 10) {
            desk.slider("training.global_batch");
            desk.click(attempt % 100 == 10 ? QStringLiteral("hold/global") : QStringLiteral("hold/per-gpu"));
            return true;
        }
        if (attempt % 50 == 40) {
            const std::string& name = models[any(models.size())]->name;
            desk.pick(QStringLiteral("picker/model"),
                      QStringLiteral("model/") + QString::fromStdString(name));
            return true;
        }
        const P id = rows[any(rows.size())];
        const Parameter& row = parameter(id);
        const std::string key(row.key);
        const QString name = QString::fromStdString(key);
        QWidget* slider = desk.slider(key);
        if (attempt % 10 == 3) {
            auto* dot = desk.find<QAbstractButton>(name + QStringLiteral("/reset"));
            if (dot->isVisible()) desk.click(dot->objectName());
            return dot->isVisible();
        }
        if (attempt % 10 == 7) {
            auto* lock = desk.window.findChild<QAbstractButton*>(name + QStringLiteral("/auto"));
            if (!lock) return false;
            // The parameter is automatic for one frame only, because the search for a whole plan would take
            // too long.
            desk.click(lock->objectName());
            desk.click(lock->objectName());
            return true;
        }
        if (attempt % 2 == 0) {
            if (slider->isEnabled()) desk.drag(key, share(), share(), 2);
            return slider->isEnabled();
        }
        if (auto* choice = desk.window.findChild<QComboBox*>(name + QStringLiteral("/field"))) {
            choice->setFocus();
            QTest::keyClick(choice, any(2) ? Qt::Key_Down : Qt::Key_Up);
            return true;
        }
        const double value = row.slider_low + share() * (row.slider_high - row.slider_low);
        desk.type(key, QString::fromStdString(format(id, value)).remove(QLatin1Char(',')));
        QTest::keyClick(desk.find<QLineEdit>(name + QStringLiteral("/field")), Qt::Key_Escape);
        return true;
    };
    int done = 0;
    for (std::size_t attempt = 0; done < 1000; ++attempt) {
        INFO("attempt " << attempt);
        INFO(write_scenario(model.scenario(), false));
        done += edit(attempt);
        INFO(write_scenario(model.scenario(), false));
        // The window reports an MFU set by hand that no hardware reaches; nothing else is refused.
        const Answer& now = model.answer();
        INFO(texts_of(now.problems));
        REQUIRE((now.valid() || (now.impossible && now.settings[P::mfu_override] > 0)));
    }
    QApplication::processEvents();
    CHECK(model.undo_stack()->count() > 700);
    CHECK_FALSE(model.scenario() == start);
    while (desk.window.action(ActionId::undo)->isEnabled()) {
        const int step = model.undo_stack()->index();
        QTest::keySequence(&desk.window, QKeySequence::Undo);
        REQUIRE(model.undo_stack()->index() == step - 1);
    }
    CHECK(model.scenario() == start);
    CHECK(model.answer().estimate.mfu == answer(start).estimate.mfu);
}

TEST_CASE("main job: after presets and drags every view shows the new scenario at once", "[golden]") {
    Desk desk;
    desk.pick(QStringLiteral("picker/cluster"), QStringLiteral("cluster/polaris"));
    CHECK(desk.window.model().answer().settings[P::gpus_per_node] == 4);
    desk.pick(QStringLiteral("picker/model"), QStringLiteral("model/llama-2-7b"));
    desk.pick(QStringLiteral("picker/cluster"), QStringLiteral("cluster/dgx-h100"));
    desk.pick(QStringLiteral("picker/model"), QStringLiteral("model/mpt-13b"));
    const QString mfu = desk.text("headline/mfu");
    desk.drag("cluster.inter_node_bandwidth", 0.6, 0.05, 40);
    CHECK(desk.text("headline/mfu") != mfu);
    CHECK(desk.text("headline/sentence").startsWith(QStringLiteral("Inter-node bandwidth is the wall")));
    desk.drag("model.hidden_size", 0.5, 0.3, 30);
    const Settings& s = desk.window.model().answer().settings;
    CHECK(s[P::heads] * 128 == s[P::hidden_size]);
    CHECK(s[P::ffn_size] == 4 * s[P::hidden_size]);
}

TEST_CASE("memory raises MFU: with an automatic micro-batch the memory slider changes the MFU", "[golden]") {
    Desk desk;
    desk.type("cluster.inter_node_bandwidth", QStringLiteral("50 Gbit/s"));
    desk.slider("training.micro_batch");
    QTest::mouseClick(desk.find<QAbstractButton>("training.micro_batch/auto"), Qt::LeftButton);
    QApplication::processEvents();
    REQUIRE(desk.window.model().scenario().automatic[index(P::micro_batch)]);
    // The batch of the job is held: with little memory it is split into smaller micro-batches.
    desk.type("training.global_batch", QStringLiteral("1024"));
    const double mfu = desk.estimate().mfu;
    desk.type("cluster.gpu.memory", QStringLiteral("160 GiB"));
    CHECK(desk.estimate().mfu > mfu);
    CHECK(desk.estimate().verdict == Verdict::fits);
    // A batch typed beside an automatic micro-batch is split by the planned one, not by the last one typed.
    desk.type("training.global_batch", QStringLiteral("4096"));
    const Settings& s = desk.window.model().answer().settings;
    REQUIRE(desk.window.model().scenario().automatic[index(P::micro_batch)]);
    CHECK(std::fabs(s[P::global_batch] - 4096) <= 64 * s[P::micro_batch] / 2);
}

TEST_CASE("scenarios: copy, paste, save and open work, and a bad file changes nothing", "[files]") {
    Desk desk;
    desk.type("training.sequence_length", QStringLiteral("4096"));
    const Scenario edited = desk.window.model().scenario();
    desk.window.action(ActionId::copy)->trigger();
    desk.type("training.sequence_length", QStringLiteral("8192"));
    desk.window.action(ActionId::paste)->trigger();
    CHECK(desk.window.model().scenario() == edited);

    const QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("a.json"));
    REQUIRE(desk.window.documents().save(file));
    desk.type("training.sequence_length", QStringLiteral("1024"));
    REQUIRE(desk.window.documents().open(file));
    CHECK(desk.window.model().scenario() == edited);
    for (const char* plot : {"scaling", "memory", "waterfall"}) {
        for (const char* ending : {"svg", "pdf", "png"}) {
            const QString figure =
                folder.filePath(QStringLiteral("%1.%2").arg(QLatin1String(plot), QLatin1String(ending)));
            REQUIRE(desk.window.plots().export_plot(QLatin1String(plot), figure));
            desk.type("training.sequence_length", QStringLiteral("512"));
            REQUIRE(desk.window.documents().open(figure));
            CHECK(desk.window.model().scenario() == edited);
        }
    }

    QFile bad(folder.filePath(QStringLiteral("bad.json")));
    REQUIRE(bad.open(QIODevice::WriteOnly));
    bad.write("{\"training\": {\"micro_batch\": -3}}");
    bad.close();
    CHECK_FALSE(desk.window.documents().open(bad.fileName()));
    CHECK(desk.window.model().scenario() == edited);
    CHECK(desk.find<QWidget>("message")->isVisible());
    CHECK(desk.text("message/text").contains(QStringLiteral("at least 1")));
    CHECK_FALSE(desk.window.documents().open(folder.filePath(QStringLiteral("missing.json"))));
    CHECK_FALSE(desk.window.plots().export_plot(QStringLiteral("scaling"),
                                                folder.filePath(QStringLiteral("no/such/folder/x.svg"))));
    CHECK_FALSE(
        desk.window.plots().export_plot(QStringLiteral("scaling"), folder.filePath(QStringLiteral("x.gif"))));
}

TEST_CASE("a model's config.json opens as the model of the scenario, in one undo step", "[files]") {
    const QTemporaryDir folder;
    QString saved = folder.filePath(QStringLiteral("saved.json"));
    Dialogs dialogs = Dialogs::native();
    dialogs.save_file = [&](QWidget*, const QString&, const QString&, const QString&) { return saved; };
    Desk desk(dialogs);
    const Scenario start = desk.window.model().scenario();
    QDir(folder.path()).mkdir(QStringLiteral("My-Model"));
    QFile file(folder.filePath(QStringLiteral("My-Model/config.json")));
    REQUIRE(file.open(QIODevice::WriteOnly));
    const QByteArray config =
        R"({"model_type": "phi", "hidden_size": 2560, "intermediate_size": 10240, "num_attention_heads": 32,
            "num_hidden_layers": 32, "vocab_size": 51200, "hidden_act": "gelu_new"})";
    file.write(config);
    file.close();
    REQUIRE(desk.window.documents().open(file.fileName()));
    CHECK(desk.window.model().answer().compiled.parameters == 2779683840);
    CHECK(desk.window.model().answer().settings[P::gpus] == 64);
    // Assumed values are reported.
    CHECK(desk.find<QWidget>("message")->isVisible());
    CHECK(desk.text("message/text").contains(QStringLiteral("counted as sequential")));
    // Save asks for a file instead of overwriting the model's own.
    desk.window.action(ActionId::save)->trigger();
    CHECK(QFile::exists(saved));
    REQUIRE(file.open(QIODevice::ReadOnly));
    CHECK(file.readAll() == config);
    file.close();
    desk.window.action(ActionId::undo)->trigger();
    CHECK(desk.window.model().scenario() == start);

    REQUIRE(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
    file.write(R"({"model_type": "new", "hidden_size": 2560})");
    file.close();
    CHECK_FALSE(desk.window.documents().open(file.fileName()));
    CHECK(desk.text("message/text").contains(QStringLiteral("/vocab_size")));
    CHECK(desk.window.model().scenario() == start);
}

TEST_CASE("a drag there and back leaves no undo step", "[golden]") {
    Desk desk;
    LiveModel& model = desk.window.model();
    const Scenario start = model.scenario();
    desk.slider("training.sequence_length");
    auto* slider = desk.find<ParameterSlider>("training.sequence_length/slider");
    const QPoint from = slider->pointOf(2048).toPoint();
    const auto move = [&](const QPoint& to) {
        QMouseEvent event(QEvent::MouseMove, QPointF(to), slider->mapToGlobal(QPointF(to)), Qt::NoButton,
                          Qt::LeftButton, {});
        QApplication::sendEvent(slider, &event);
    };
    QTest::mousePress(slider, Qt::LeftButton, {}, from);
    move(slider->pointOf(8192).toPoint());
    CHECK(model.answer().settings[P::sequence_length] > 6000);
    CHECK_FALSE(model.scenario() == start);
    move(from);
    QTest::mouseRelease(slider, Qt::LeftButton, {}, from);
    CHECK(model.scenario() == start);
    CHECK_FALSE(model.undo_stack()->canUndo());
}

TEST_CASE("hold: the global batch stays when the number of GPUs changes", "[golden]") {
    Desk desk;
    desk.click("group/training");
    desk.click("hold/global");
    desk.type("cluster.gpus", QStringLiteral("32"));
    CHECK(desk.window.model().answer().settings[P::global_batch] == 128);
    desk.click("hold/per-gpu");
    desk.type("cluster.gpus", QStringLiteral("64"));
    CHECK(desk.window.model().answer().settings[P::global_batch] == 256);
}

TEST_CASE("small windows fold panels and keep the important ones", "[window]") {
    Desk desk;
    desk.window.resize(1024, 700);
    QApplication::processEvents();
    CHECK(desk.window.width() == 1024);
    for (const char* name : {"headline/verdict", "headline/mfu", "headline/sentence"})
        CHECK(desk.find<QWidget>(QLatin1String(name))->isVisible());
    CHECK(desk.find<QWidget>("why-rail")->isVisible());
    CHECK(desk.find<QToolButton>("why-rail")->text() == QStringLiteral("Why: MFU"));
}
