// Tests the memory bar.
#include <QApplication>
#include <QFontMetricsF>
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "support/desk.h"
#include "widgets/drawing.h"
#include "widgets/drawn_words.h"
#include "widgets/panels/memory_bar.h"
#include "widgets/theme/theme.h"

using namespace shardscope;
using namespace shardscope::testing;

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

TEST_CASE("the memory bar shows what is allocated, reserved and used on the device") {
    LiveModel model(Catalogue::shipped());
    const MemoryUse& memory = model.answer().estimate.memory;
    const MemoryBarData data = memory_bar_data(model.answer());
    const MemoryBarGeometry g = memory_bar_geometry(QRectF(0, 0, 262, 292), data, QApplication::font());
    const auto top = [&](MemoryTerm term) { return g.segments[static_cast<std::size_t>(term)].top(); };
    // Each is the sum of the segments below its line.
    CHECK(top(MemoryTerm::logits) == Approx(g.y_of(memory.allocated(), data.top)));
    CHECK(top(MemoryTerm::allocator) == Approx(g.y_of(memory.reserved(), data.top)));
    CHECK(top(MemoryTerm::context) == Approx(g.y_of(memory.peak, data.top)));
    const QString caption = memory_caption(model.answer());
    for (const double bytes : {memory.allocated(), memory.reserved(), memory.peak})
        CHECK(caption.contains(shown(bytes, Quantity::bytes)));
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
