// Tests rows as the user operates them: real key, mouse and wheel events, and their effect on the model and
// its history.
#include <QAbstractButton>
#include <QApplication>
#include <QGraphicsEffect>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>
#include <QUndoStack>
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "scenario/domain.h"
#include "support/desk.h"
#include "support/wheel.h"
#include "widgets/drawing.h"
#include "widgets/live_model.h"
#include "widgets/rows/hold_switch.h"
#include "widgets/rows/parameter_field.h"
#include "widgets/rows/parameter_row.h"
#include "widgets/rows/parameter_slider.h"
#include "widgets/theme/theme.h"

using namespace shardscope;
using namespace shardscope::testing;

namespace {

void show(QWidget& widget) {
    widget.show();
    widget.activateWindow();
    REQUIRE(QTest::qWaitForWindowExposed(&widget));
}

void type(ParameterField& field, const QString& text) {
    field.setFocus();
    field.selectAll();
    QTest::keyClicks(&field, text);
    QTest::keyClick(&field, Qt::Key_Return);
}

struct Row {
    explicit Row(P id) : row(id, model) { show(row); }

    double value() const { return model.answer().settings[row.id()]; }
    int steps() const { return model.undo_stack()->count(); }
    QAbstractButton& button(const char* part) {
        auto* found = row.findChild<QAbstractButton*>(row.objectName() + QLatin1String(part));
        REQUIRE(found);
        return *found;
    }

    LiveModel model{Catalogue::shipped()};
    ParameterRow row;
};

}  // namespace

TEST_CASE("a field accepts a value with its unit", "[gui][rows]") {
    Row it(P::inter_node_bandwidth);
    CHECK(it.row.objectName() == "cluster.inter_node_bandwidth");
    CHECK(it.row.field()->objectName() == "cluster.inter_node_bandwidth/field");
    type(*it.row.field(), "200 Gbit/s");
    CHECK(it.value() == 25e9);
    CHECK(it.steps() == 1);
    CHECK(it.row.field()->text() == "200 Gbit/s");
    // A bare number is in the displayed unit; another unit of the same quantity is accepted.
    type(*it.row.field(), "100");
    CHECK(it.value() == 12.5e9);
    type(*it.row.field(), "50 GB/s");
    CHECK(it.value() == 50e9);
    CHECK(it.steps() == 3);
}

TEST_CASE("a field keeps its double: an unchanged text commits nothing", "[gui][rows]") {
    Row it(P::memory);
    it.model.edit(P::memory, 85000000001.0);
    const QSignalSpy committed(it.row.field(), &ParameterField::committed);
    it.row.field()->setFocus();
    QTest::keyClick(it.row.field(), Qt::Key_Return);
    it.row.field()->clearFocus();
    CHECK(committed.isEmpty());
    CHECK(it.value() == 85000000001.0);
    CHECK(it.steps() == 1);
}

TEST_CASE("a text that is no value is refused with a message and changes nothing", "[gui][rows]") {
    Row it(P::inter_node_bandwidth);
    const double before = it.value();
    const QSignalSpy refused(it.row.field(), &ParameterField::refused);
    type(*it.row.field(), "400 gbit/s");
    CHECK(refused.size() == 1);
    CHECK(it.value() == before);
    CHECK(it.steps() == 0);
    CHECK(it.row.message().contains("Gbit/s"));
    CHECK(it.row.height() > it.row.field()->height() * 2 - 8);
    // Leaving the field does not repeat the message; Escape restores the value.
    it.row.field()->clearFocus();
    CHECK(refused.size() == 1);
    QTest::keyClick(it.row.field(), Qt::Key_Escape);
    CHECK(it.row.message().isEmpty());
    CHECK(it.row.field()->text() == "400 Gbit/s");
}

TEST_CASE("a comma groups the thousands of whole numbers, and is ambiguous or a decimal mark elsewhere",
          "[gui][rows]") {
    Row width(P::hidden_size);
    type(*width.row.field(), "6,144");
    CHECK(width.value() == 6144);
    width.row.setFocus();
    CHECK(width.row.field()->text() == "6,144");
    Row length(P::sequence_length);
    type(*length.row.field(), "1,024 tokens");
    CHECK(length.value() == 1024);
    type(*length.row.field(), "131,072");
    CHECK(length.value() == 131072);
    Row network(P::inter_node_bandwidth);
    const double before = network.value();
    type(*network.row.field(), "1,024 Gbit/s");
    CHECK(network.value() == before);
    CHECK(network.row.message().contains("1024"));
    CHECK(network.row.message().contains("1.024"));
    Row share(P::network_efficiency);
    type(*share.row.field(), "0,725");
    CHECK(share.value() == 0.725);
    type(*share.row.field(), "0.75");
    CHECK(share.value() == 0.75);
}

TEST_CASE("an impossible typed value becomes the nearest possible one, and the row reports it",
          "[gui][rows]") {
    Row it(P::gpus);
    type(*it.row.field(), "30");
    CHECK(it.value() == 32);
    CHECK(it.row.message().contains("30"));
    CHECK(it.row.message().contains("32"));
    type(*it.row.field(), "64");
    CHECK(it.row.message().isEmpty());
}

TEST_CASE("the message of a corrected value covers the next row only for a while and takes none of its input",
          "[gui][rows]") {
    Desk desk;
    desk.type("model.hidden_size", "6,100");
    auto* message = desk.find<QLabel>("model.hidden_size/message");
    REQUIRE(message->isVisible());
    CHECK(message->text().startsWith("6,100 is not possible"));
    auto* length = desk.find<QWidget>("training.sequence_length/field");
    REQUIRE(QRect(message->mapToGlobal(QPoint()), message->size())
                .intersects(QRect(length->mapToGlobal(QPoint()), length->size())));
    const auto under = [&] {
        return desk.window.childAt(desk.window.mapFromGlobal(length->mapToGlobal(length->rect().center())));
    };
    CHECK(under() == length);
    SECTION("a click into the next row") {
        QTest::mouseClick(length, Qt::LeftButton);
        CHECK(length->hasFocus());
    }
    SECTION("the pointer in the next row") {
        const auto enter = [&](const char* name) {
            QEnterEvent event(QPointF(1, 1), QPointF(1, 1), QPointF(1, 1));
            QApplication::sendEvent(desk.find<QWidget>(name), &event);
        };
        for (const char* name : {"tabs", "model.hidden_size", "training.micro_batch"}) enter(name);
        CHECK(message->isVisible());
        enter("training.sequence_length");
    }
    SECTION("the focus in another row, unless it brought the message") {
        auto* field = desk.find<QLineEdit>("model.hidden_size/field");
        field->selectAll();
        QTest::keyClicks(field, "6101");
        desk.find<QWidget>("training.micro_batch/field")->setFocus();
        CHECK(message->text().startsWith("6,101 is not possible"));
        CHECK(message->isVisible());
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
    }
    SECTION("the next edit") { desk.type("training.sequence_length", "4096"); }
    SECTION("Escape") { QTest::keyClick(desk.find<QWidget>("model.hidden_size/field"), Qt::Key_Escape); }
    SECTION("after some seconds") {
        auto* row = desk.find<QWidget>("model.hidden_size");
        auto* end = row->findChild<QTimer*>(QString(), Qt::FindDirectChildrenOnly);
        REQUIRE(end != nullptr);
        REQUIRE(end->isActive());
        end->start(1);
        CHECK(QTest::qWaitFor([&] { return message->isHidden(); }, kBackgroundTimeout));
    }
    CHECK(message->isHidden());
    // A refused text stays marked, and its message comes back with the focus.
    desk.type("model.hidden_size", "wide");
    REQUIRE(message->isVisible());
    QTest::mouseClick(length, Qt::LeftButton);
    CHECK(message->isHidden());
    CHECK(desk.find<QWidget>("model.hidden_size/field")->property("refused").toBool());
    desk.find<QWidget>("model.hidden_size/field")->setFocus();
    CHECK(message->isVisible());
}

TEST_CASE("the ticks of a slider have units where its ends have different ones", "[gui][rows]") {
    Row memory(P::memory_bandwidth);
    CHECK(memory.row.slider()->textOf(500e9) == "500 GB/s");
    CHECK(memory.row.slider()->textOf(2e12) == "2 TB/s");
    Row network(P::inter_node_bandwidth);
    CHECK(network.row.slider()->textOf(50e9) == "400");
    CHECK(tick_number(1090) == "1,090");
    CHECK(tick_number(0.25) == "0.25");
    CHECK(signed_number(1090, 0) == "+1,090");
}

TEST_CASE("up and down step through valid values", "[gui][rows]") {
    SECTION("stops") {
        Row it(P::gpus);
        QTest::keyClick(it.row.field(), Qt::Key_Up);
        CHECK(it.value() == 96);
        QTest::keyClick(it.row.field(), Qt::Key_Down);
        CHECK(it.value() == 64);
        CHECK(it.steps() == 2);
    }
    SECTION("the last digit shown") {
        Row it(P::inter_node_bandwidth);
        QTest::keyClick(it.row.field(), Qt::Key_Up);
        CHECK(it.value() == Approx(401e9 / 8));
        QTest::keyClick(it.row.field(), Qt::Key_Down, Qt::ShiftModifier);
        CHECK(it.value() == Approx(391e9 / 8));
    }
    SECTION("the last digit shown of a large count") {
        Row it(P::training_tokens);
        type(*it.row.field(), "15 T");
        REQUIRE(it.value() == 15e12);
        QTest::keyClick(it.row.field(), Qt::Key_Up);
        CHECK(it.value() == 16e12);
        CHECK(it.row.field()->text() == "16 T");
        type(*it.row.field(), "12.85 B");
        QTest::keyClick(it.row.field(), Qt::Key_Down);
        CHECK(it.value() == Approx(12.84e9));
        Row bucket(P::bucket_size);
        QTest::keyClick(bucket.row.field(), Qt::Key_Up);
        CHECK(bucket.value() == Approx(41e6));
    }
    SECTION("grouped thousands can be edited in place") {
        Row it(P::sequence_length);
        it.row.field()->setFocus();
        REQUIRE(it.row.field()->hasFocus());
        QTest::keyClick(it.row.field(), Qt::Key_End);
        QTest::keyClick(it.row.field(), Qt::Key_Backspace);
        QTest::keyClicks(it.row.field(), "9");
        QTest::keyClick(it.row.field(), Qt::Key_Return);
        CHECK(it.value() == 2049);
    }
}

TEST_CASE("a slider drag changes the model live and is one undo step", "[gui][rows]") {
    Row it(P::micro_batch);
    ParameterSlider& slider = *it.row.slider();
    CHECK(slider.objectName() == "training.micro_batch/slider");
    const double before = it.value();
    QSignalSpy began(&it.model, &LiveModel::gesture_began);
    QSignalSpy ended(&it.model, &LiveModel::gesture_ended);

    QTest::mousePress(&slider, Qt::LeftButton, {}, slider.pointOf(before).toPoint());
    CHECK(it.model.in_gesture());
    CHECK(it.value() == before);  // the handle does not jump when it is grabbed
    QTest::mouseMove(&slider, slider.pointOf(4).toPoint());
    CHECK(it.value() == 4);
    QTest::mouseMove(&slider, slider.pointOf(8).toPoint());
    CHECK(it.value() == 8);
    CHECK(it.steps() == 0);
    QTest::mouseRelease(&slider, Qt::LeftButton, {}, slider.pointOf(8).toPoint());
    CHECK(it.steps() == 1);
    CHECK(began.size() == 1);
    CHECK(ended.size() == 1);
    CHECK(it.row.field()->text() == "8");

    it.model.undo_stack()->undo();
    CHECK(it.value() == before);
    CHECK(slider.current() == before);
    CHECK(it.row.field()->text() == "2");
}

TEST_CASE("a press on the groove jumps there, and a drag there and back leaves nothing", "[gui][rows]") {
    Row it(P::inter_node_bandwidth);
    ParameterSlider& slider = *it.row.slider();
    const double before = it.value();
    QTest::mousePress(&slider, Qt::LeftButton, {}, QPoint(8, slider.height() / 2));
    CHECK(it.value() < before / 10);
    QTest::mouseMove(&slider, slider.pointOf(before).toPoint());
    QTest::mouseRelease(&slider, Qt::LeftButton, {}, slider.pointOf(before).toPoint());
    CHECK(it.value() == before);  // round values can be reached
    CHECK(it.steps() <= 1);
    // Both ends are exact.
    QTest::mouseClick(&slider, Qt::LeftButton, {}, QPoint(0, slider.height() / 2));
    CHECK(it.value() == parameter(P::inter_node_bandwidth).slider_low);
    QTest::mouseClick(&slider, Qt::LeftButton, {}, QPoint(slider.width() - 1, slider.height() / 2));
    CHECK(it.value() == parameter(P::inter_node_bandwidth).slider_high);
}

TEST_CASE("a change from elsewhere ends a drag, and both are undone", "[gui][rows]") {
    Row it(P::micro_batch);
    ParameterSlider& slider = *it.row.slider();
    const Scenario first = it.model.scenario();
    const Preset* other = Catalogue::shipped().find(PresetKind::model, "llama-2-7b");
    REQUIRE(other);
    QTest::mousePress(&slider, Qt::LeftButton, {}, slider.pointOf(2).toPoint());
    QTest::mouseMove(&slider, slider.pointOf(4).toPoint());
    REQUIRE(it.model.in_gesture());
    it.model.apply_model(*other);
    CHECK_FALSE(it.model.in_gesture());
    CHECK_FALSE(slider.isSliderDown());
    CHECK(it.value() == 4);
    QTest::mouseRelease(&slider, Qt::LeftButton, {}, slider.pointOf(8).toPoint());
    CHECK(it.steps() == 2);
    const Scenario last = it.model.scenario();
    it.model.undo_stack()->undo();
    it.model.undo_stack()->undo();
    CHECK(it.model.scenario() == first);
    it.model.undo_stack()->redo();
    it.model.undo_stack()->redo();
    CHECK(it.model.scenario() == last);
}

TEST_CASE("Shift makes a drag ten times finer and shows a magnified part of the scale", "[gui][rows]") {
    Row it(P::peak_flops);
    ParameterSlider& slider = *it.row.slider();
    const double before = it.value();
    const auto move = [&](double dx, Qt::KeyboardModifiers keys) {
        const QPointF at = slider.pointOf(before) + QPointF(dx, 0);
        QMouseEvent event(QEvent::MouseMove, at, slider.mapToGlobal(at), Qt::NoButton, Qt::LeftButton, keys);
        QApplication::sendEvent(&slider, &event);
    };
    const double groove = slider.groove().width();
    const SliderScale scale = slider.scale();
    QTest::mousePress(&slider, Qt::LeftButton, {}, slider.pointOf(before).toPoint());
    move(0, Qt::ShiftModifier);
    CHECK(slider.is_fine());
    CHECK(slider.magnified().to - slider.magnified().from == Approx(0.1));
    move(20, Qt::ShiftModifier);
    CHECK(scale.fraction(it.value()) - scale.fraction(before) == Approx(2 / groove).margin(0.5 / groove));
    const auto* lens = it.row.window()->findChild<QWidget*>("cluster.gpu.peak_flops/lens");
    REQUIRE(lens);
    CHECK(lens->isVisible());
    QTest::mouseRelease(&slider, Qt::LeftButton, Qt::ShiftModifier, slider.pointOf(before).toPoint());
    CHECK_FALSE(slider.is_fine());
    CHECK_FALSE(lens->isVisible());
    CHECK(it.steps() == 1);
}

TEST_CASE("a drag stops at the peak of another GPU, unless Alt is held", "[gui][rows]") {
    Row it(P::peak_flops);
    ParameterSlider& slider = *it.row.slider();
    constexpr double kA100 = 312e12;
    const auto drag = [&](Qt::KeyboardModifiers keys) {
        const QPointF at = slider.pointOf(kA100) + QPointF(0.6, 0);
        QTest::mousePress(&slider, Qt::LeftButton, keys, slider.pointOf(it.value()).toPoint());
        QMouseEvent event(QEvent::MouseMove, at, slider.mapToGlobal(at), Qt::NoButton, Qt::LeftButton, keys);
        QApplication::sendEvent(&slider, &event);
        QTest::mouseRelease(&slider, Qt::LeftButton, keys, at.toPoint());
        return it.value();
    };
    CHECK(drag({}) == kA100);
    CHECK(drag(Qt::AltModifier) > kA100 * 1.01);
}

TEST_CASE("each arrow key on a slider is one gesture", "[gui][rows]") {
    Row it(P::micro_batch);
    QTest::keyClick(it.row.slider(), Qt::Key_Right);
    CHECK(it.value() == 3);
    QTest::keyClick(it.row.slider(), Qt::Key_Up);
    CHECK(it.value() == 4);
    QTest::keyClick(it.row.slider(), Qt::Key_Left);
    CHECK(it.value() == 3);
    CHECK(it.steps() == 3);
    QTest::keyClick(it.row.slider(), Qt::Key_Home);
    CHECK(it.value() == 1);
    QTest::keyClick(it.row.slider(), Qt::Key_Home);  // already there: nothing to undo
    CHECK(it.steps() == 4);
    QTest::keyClick(it.row.slider(), Qt::Key_End);
    CHECK(it.value() == it.row.slider()->scale().high());
}

TEST_CASE("an arrow key between two stops goes to the next one", "[gui][rows]") {
    Row it(P::gpus);
    it.model.edit(P::gpus, 40);
    QTest::keyClick(it.row.slider(), Qt::Key_Right);
    CHECK(it.value() == 48);
    it.model.edit(P::gpus, 40);
    QTest::keyClick(it.row.slider(), Qt::Key_Left);
    CHECK(it.value() == 32);
}

TEST_CASE("a wheel event over a widget without the focus scrolls the panel", "[gui][rows]") {
    Row it(P::gpus);
    it.row.setFocus();
    REQUIRE_FALSE(it.row.slider()->hasFocus());
    CHECK_FALSE(testing::turn_wheel(*it.row.slider()));
    CHECK_FALSE(testing::turn_wheel(*it.row.field()));
    CHECK(it.value() == 64);
    it.row.slider()->setFocus();
    REQUIRE(it.row.slider()->hasFocus());
    CHECK(testing::turn_wheel(*it.row.slider()));
    CHECK(it.value() == 96);
}

TEST_CASE("the dot marks a value that differs from the preset and resets it", "[gui][rows]") {
    Row it(P::inter_node_bandwidth);
    const double preset = it.value();
    QAbstractButton& dot = it.button("/reset");
    CHECK(dot.isHidden());
    type(*it.row.field(), "200 Gbit/s");
    REQUIRE_FALSE(dot.isHidden());
    QTest::mouseClick(&dot, Qt::LeftButton);
    CHECK(it.value() == preset);
    CHECK(dot.isHidden());
    CHECK(it.steps() == 2);
}

TEST_CASE("the peak's row is that of the current precision", "[gui][rows]") {
    Row it(P::peak_flops);
    CHECK(it.row.field()->accessibleName() == "Peak FLOPS");
    type(*it.row.field(), "800 TFLOP/s");
    CHECK(it.model.answer().settings[P::peak_flops_bf16] == 800e12);
    CHECK_FALSE(it.button("/reset").isHidden());
    it.model.edit(P::precision, Precision::fp8);
    CHECK(it.value() == it.model.answer().settings[P::peak_flops_fp8]);
    CHECK(it.button("/reset").isHidden());
}

TEST_CASE("auto gives a value to the planner, and locking keeps the planned value", "[gui][rows]") {
    Row it(P::micro_batch);
    QAbstractButton& automatic = it.button("/auto");
    CHECK_FALSE(automatic.isChecked());
    it.model.edit(P::accumulation, 8);  // a batch that larger micro-batches divide
    QTest::mouseClick(&automatic, Qt::LeftButton);
    CHECK(it.model.scenario().automatic[index(P::micro_batch)]);
    const double planned = it.value();
    CHECK(planned > 2);
    CHECK(it.row.slider()->current() == planned);
    QTest::mouseClick(&automatic, Qt::LeftButton);
    CHECK_FALSE(it.model.scenario().automatic[index(P::micro_batch)]);
    CHECK(it.value() == planned);
    // Typing a value locks it, too.
    QTest::mouseClick(&automatic, Qt::LeftButton);
    type(*it.row.field(), "1");
    CHECK_FALSE(automatic.isChecked());
    CHECK(it.value() == 1);
}

TEST_CASE("a typed value beyond the slider's end extends it", "[gui][rows]") {
    Row it(P::inter_node_bandwidth);
    const double end = it.row.slider()->scale().high();
    type(*it.row.field(), "8000 Gbit/s");
    CHECK(it.value() == 1000e9);
    CHECK(it.row.slider()->scale().high() > end);
    CHECK(it.row.slider()->scale().fraction(it.value()) == 1);
    it.model.undo_stack()->undo();
    CHECK(it.row.slider()->scale().high() == end);
}

TEST_CASE("round values of a logarithmic slider are marked below its groove", "[gui][rows]") {
    Row it(P::inter_node_bandwidth);
    const ParameterSlider& slider = *it.row.slider();
    const QImage image = it.row.slider()->grab().toImage();
    const int below = static_cast<int>(slider.groove().bottom()) + 2;
    const auto marked = [&](double gbit) {
        const double x = slider.pointOf(gbit * 1e9 / 8).x();
        return image.pixelColor(static_cast<int>(x * image.devicePixelRatio()),
                                static_cast<int>(below * image.devicePixelRatio())) == current_theme().border;
    };
    for (const double gbit : {25, 50, 100, 200, 800, 1600}) {  // the handle covers 400
        INFO(gbit);
        CHECK(marked(gbit));
        CHECK_FALSE(marked(1.4 * gbit));
    }
}

TEST_CASE("a slider that ends early gives the reason", "[gui][rows]") {
    LiveModel model(Catalogue::shipped());
    const ParameterRow row(P::gpus, model);
    const auto words = [&] { return row.slider()->accessibleDescription(); };
    CHECK_FALSE(words().contains(QStringLiteral("At most")));
    // A held batch of 128 sequences cannot be divided among more GPUs.
    model.hold(Hold::global_batch);
    REQUIRE(domain(P::gpus, model.answer().settings).high == 128);
    INFO(words().toStdString());
    CHECK(words().contains(QStringLiteral("At most 128 is possible: ")));
    CHECK(words().contains(QStringLiteral("batch")));
    CHECK(row.toolTip().contains(QStringLiteral("At most 128")));
    model.hold(Hold::per_gpu_batch);
    CHECK_FALSE(words().contains(QStringLiteral("At most")));
}

TEST_CASE("every slider goes from end to end over sensible values only", "[gui][rows]") {
    LiveModel model(Catalogue::shipped());
    for (std::size_t i = 0; i < kParameters; ++i) {
        const P id = static_cast<P>(i);
        if (parameter(id).prominence == Prominence::file) continue;
        INFO(parameter(id).key);
        const Settings& settings = model.answer().settings;
        const Domain range = domain(id, settings);
        if (range.stops.size() == 1) {
            // If only one value is possible, the slider is disabled and gives the reason.
            const ParameterRow row(id, model);
            CHECK_FALSE(row.slider()->isEnabled());
            CHECK(row.toolTip().contains("Only " + QString::fromStdString(format(id, settings[id]))));
            CHECK(row.slider()->accessibleDescription().contains("Only"));
            CHECK(nearest_valid(id, settings[id] + 1, settings) == settings[id]);
            continue;
        }
        const SliderScale scale(range, parameter(id).logarithmic, parameter(id), settings[id]);
        for (int position = 0; position <= scale.last(); ++position) {
            const double value = scale.at(position);
            REQUIRE(std::isfinite(value));
            // Every value on the groove is valid unchanged, and shown where it was chosen.
            REQUIRE(nearest_valid(id, value, settings) == Approx(value));
            REQUIRE(std::abs(scale.position(value) - position) <= std::max(1, scale.last() / 4));
        }
        REQUIRE(scale.position(scale.at(0)) == 0);
        REQUIRE(scale.position(scale.at(scale.last())) == scale.last());
    }
}

TEST_CASE("a preset's values flash where they changed, unless the desktop asks for less motion",
          "[gui][rows]") {
    const Preset* a100 = Catalogue::shipped().find(PresetKind::cluster, "dgx-a100-80gb");
    REQUIRE(a100);
    for (const bool reduced : {false, true, false}) {
        CAPTURE(reduced);
        ThemeManager::instance().set_reduces_motion(reduced);
        Row it(P::inter_node_bandwidth);
        const auto flashes = [&] { return it.row.field()->property("flash").toBool(); };
        it.model.edit(P::inter_node_bandwidth, 10e9);
        CHECK_FALSE(flashes());
        it.model.apply_cluster(*a100);
        CHECK(flashes() != reduced);
        CHECK(QTest::qWaitFor([&] { return !flashes(); }));
    }
}

TEST_CASE("the hold switch decides which batch stays", "[gui][rows]") {
    LiveModel model(Catalogue::shipped());
    HoldSwitch hold(model);
    show(hold);
    auto* global = hold.findChild<QAbstractButton*>("hold/global");
    auto* per_gpu = hold.findChild<QAbstractButton*>("hold/per-gpu");
    REQUIRE((global && per_gpu));
    CHECK(per_gpu->isChecked());
    QTest::mouseClick(global, Qt::LeftButton);
    CHECK(model.scenario().hold() == Hold::global_batch);
    CHECK(model.undo_stack()->count() == 1);
    model.undo_stack()->undo();
    CHECK(per_gpu->isChecked());
    CHECK(model.undo_stack()->count() == 1);  // updating from the model is no edit
}

TEST_CASE("a slider that returns to the value of the preset leaves nothing modified", "[gui][rows]") {
    testing::Desk desk;
    auto* slider = desk.slider("cluster.inter_node_bandwidth");
    slider->setFocus();
    const auto modified = [&] {
        QApplication::processEvents();
        const bool dot = desk.find<QWidget>("cluster.inter_node_bandwidth/reset")->isVisible();
        CHECK(desk.find<QToolButton>("picker/cluster")->text().contains("(modified)") == dot);
        return dot;
    };
    CHECK_FALSE(modified());
    QTest::keyClick(slider, Qt::Key_Right);
    CHECK(modified());
    QTest::keyClick(slider, Qt::Key_Left);
    CHECK_FALSE(modified());
}

TEST_CASE("letters in an unedited field are window shortcuts, behind a typed value they are its unit") {
    testing::Desk desk;
    const auto field = [&] { return desk.find<QLineEdit>("training.sequence_length/field"); };
    QTest::keyClick(&desk.window, Qt::Key_Q, Qt::AltModifier);
    REQUIRE(field()->hasFocus());
    QTest::keyClick(field(), Qt::Key_Up);
    const QString shown = field()->text();
    QTest::keyClick(field(), Qt::Key_P);
    CHECK(desk.window.model().pins().size() == 1);
    CHECK(field()->text() == shown);
    QTest::keyClick(field(), Qt::Key_S);
    CHECK(desk.find<QWidget>("solve")->isVisible());
    desk.type("training.sequence_length", QStringLiteral("4k"));
    CHECK(desk.window.model().answer().settings[P::sequence_length] == 4096);
    CHECK(desk.window.model().pins().size() == 1);
}

TEST_CASE("an unreadable value dims the plots until it is corrected") {
    testing::Desk desk;
    const auto* canvas = desk.find<QWidget>("scaling/plot");
    CHECK(canvas->graphicsEffect() == nullptr);
    desk.type("cluster.gpus", QStringLiteral("hello"));
    CHECK(desk.window.model().has_unparsed_field());
    REQUIRE(canvas->graphicsEffect() != nullptr);
    QTest::keyClick(desk.find<QLineEdit>("cluster.gpus/field"), Qt::Key_Escape);
    CHECK_FALSE(desk.window.model().has_unparsed_field());
    CHECK(canvas->graphicsEffect() == nullptr);
    // A change from elsewhere replaces the text as well.
    desk.type("cluster.gpus", QStringLiteral("hello"));
    desk.window.model().edit(P::gpus, 128);
    CHECK_FALSE(desk.window.model().has_unparsed_field());
    CHECK(canvas->graphicsEffect() == nullptr);
}

TEST_CASE("the handle stays on the groove at both ends, and does not jump when it is grabbed there",
          "[gui][rows]") {
    Row it(P::inter_node_bandwidth);
    ParameterSlider& slider = *it.row.slider();
    const QRectF groove = slider.groove();
    const auto outside = [&](bool high) {
        const QImage picture = slider.grab().toImage();
        const double ratio = picture.devicePixelRatio();
        return picture.pixelColor(static_cast<int>((high ? groove.right() + 2 : groove.left() - 2) * ratio),
                                  static_cast<int>(groove.center().y() * ratio));
    };
    const QColor left = outside(false);
    const QColor right = outside(true);
    for (const bool high : {false, true}) {
        const double end = high ? slider.scale().high() : slider.scale().low();
        it.model.edit(P::inter_node_bandwidth, end);
        CHECK(outside(high) == (high ? right : left));
        const QPoint inside(static_cast<int>(high ? groove.right() - 3 : groove.left() + 3),
                            slider.height() / 2);
        QTest::mousePress(&slider, Qt::LeftButton, {}, inside);
        CHECK(it.value() == end);
        QTest::mouseMove(&slider, inside + QPoint(high ? 1 : -1, 0));
        CHECK(it.value() == end);
        QTest::mouseRelease(&slider, Qt::LeftButton, {}, inside);
    }
}
