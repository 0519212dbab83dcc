// Tests the words of every plot and of the panels beside it as users see them: no word is cut off, and none
// overlaps another.
#include <qcustomplot.h>

#include <QStyle>
#include <QStyleOptionComboBox>
#include <optional>

#include "explain/output.h"
#include "support/desk.h"
#include "support/german.h"
#include "widgets/drawn_words.h"
#include "widgets/panels/run_label.h"
#include "widgets/plots/live_plot.h"
#include "widgets/rows/parameter_field.h"
#include "widgets/rows/parameter_slider.h"
#include "widgets/text.h"

using namespace shardscope;
using shardscope::testing::Desk;

using shardscope::testing::kBackgroundTimeout;

namespace {

// Returns the box of the ink, without the empty height above and below small letters.
QRectF ink(const DrawnWord& word) {
    const double spare = 0.22 * word.box.height();
    return word.box.adjusted(1, spare, -1, -spare);
}

// Returns "“a” over “b”" for the first two that overlap, or the first that is cut off; empty if there is no
// fault.
std::string fault(const std::vector<DrawnWord>& words, const QRectF& canvas) {
    for (auto one = words.begin(); one != words.end(); ++one) {
        if (one->text.trimmed().isEmpty()) continue;
        if (!canvas.adjusted(-1, -1, 1, 1).contains(ink(*one)))
            return "“" + one->text.toStdString() + "” is cut off";
        for (auto other = words.begin(); other != one; ++other) {
            if (other->text.trimmed().isEmpty() || !ink(*one).intersects(ink(*other))) continue;
            return "“" + one->text.toStdString() + "” over “" + other->text.toStdString() + "”";
        }
    }
    return {};
}

}  // namespace

TEST_CASE("words: no plot or panel cuts a text off or draws one text over another", "[words]") {
    const bool german = GENERATE(false, true);
    const testing::German language(german);
    Desk desk;
    auto* tabs = desk.find<QTabWidget>("tabs");
    struct Case {
        const char* name;
        double micro_batch, sequence;
        Verdict verdict;
    };
    for (const Case& at : {Case{"fits", 2, 2048, Verdict::fits}, Case{"risky", 5, 2048, Verdict::risky},
                           Case{"does not fit", 2, 8192, Verdict::does_not_fit}}) {
        for (const bool pinned : {false, true}) {
            desk.window.model().start_with(
                edited(edited(Scenario::first_launch(commands::catalogue()), P::micro_batch, at.micro_batch),
                       P::sequence_length, at.sequence));
            REQUIRE(desk.window.model().answer().estimate.verdict == at.verdict);
            if (pinned) {
                const double now = desk.window.model().answer().settings[P::inter_node_bandwidth];
                // The values are so close that their letters have to move apart.
                for (const double factor : {1.1, 1.2, 1.3, 0.9, 0.8, 0.7}) {
                    desk.window.model().edit(P::inter_node_bandwidth, now * factor);
                    QTest::keyClick(&desk.window, Qt::Key_P);
                }
                desk.window.model().edit(P::inter_node_bandwidth, now);
                REQUIRE(desk.window.model().pins().size() == kMostPins);
            }
            for (const QSize size : {QSize(1440, 900), QSize(1024, 700)}) {
                desk.window.resize(size);
                for (int i = 0; i < tabs->count(); ++i) {
                    tabs->setCurrentIndex(i);
                    auto* plot = static_cast<LivePlot*>(tabs->widget(i));
                    INFO((german ? "German, " : "")
                         << at.name << ", " << size.width() << ", " << (pinned ? "six pins, " : "no pin, ")
                         << plot->objectName().toStdString());
                    REQUIRE(QTest::qWaitFor([&] { return !plot->pending(); }, kBackgroundTimeout));
                    QApplication::processEvents();
                    auto* canvas =
                        plot->findChild<QCustomPlot*>(plot->objectName() + QStringLiteral("/plot"));
                    REQUIRE(canvas != nullptr);
                    const std::vector<DrawnWord> words = drawn_words(*canvas);
                    CHECK_FALSE(words.empty());
                    CHECK_THAT(fault(words, canvas->rect()), Catch::Matchers::Equals(""));
                    for (const QComboBox* box : plot->findChildren<QComboBox*>()) {
                        if (!box->isVisible()) continue;
                        INFO(box->objectName().toStdString() << ": " << box->currentText().toStdString());
                        QStyleOptionComboBox option;
                        option.initFrom(box);
                        const QRect text = box->style()->subControlRect(QStyle::CC_ComboBox, &option,
                                                                        QStyle::SC_ComboBoxEditField, box);
                        CHECK(box->fontMetrics().horizontalAdvance(box->currentText()) <= text.width());
                    }
                }
                const auto* find = desk.find<QLineEdit>("controls/search");
                constexpr int kIconAndMargins = 40;
                CHECK(find->fontMetrics().horizontalAdvance(find->placeholderText()) <=
                      find->width() - kIconAndMargins);
                for (const char* name :
                     {"memory-bar", "waterfall", "headline", "group/cluster", "group/model", "group/training",
                      "group/plan", "group/assumptions"}) {
                    auto* panel = desk.find<QWidget>(name);
                    INFO((german ? "German, " : "") << at.name << ", " << size.width() << ", "
                                                    << (pinned ? "six pins, " : "no pin, ") << name);
                    const std::vector<DrawnWord> words = drawn_words(*panel);
                    CHECK(words.size() > 1);
                    CHECK_THAT(fault(words, panel->rect()), Catch::Matchers::Equals(""));
                    for (const DrawnWord& word : words) {
                        INFO(word.text.toStdString());
                        CHECK(!word.text.contains(QChar(0x2026)));
                    }
                }
            }
            desk.window.model().unpin_all();
        }
    }
}

TEST_CASE("words: the magnified scale of a fine drag draws no text over another", "[gui][words]") {
    const bool german = GENERATE(false, true);
    const testing::German language(german);
    Desk desk;
    for (const QSize size : {QSize(1024, 700), QSize(1440, 900)}) {
        desk.window.resize(size);
        QApplication::processEvents();
        for (const char* key : {"cluster.inter_node_bandwidth", "cluster.gpu.memory", "model.hidden_size"}) {
            auto& slider = *static_cast<ParameterSlider*>(desk.slider(key));
            const QPointF from = slider.pointOf(slider.current());
            QTest::mousePress(&slider, Qt::LeftButton, {}, from.toPoint());
            for (const double away : {0.0, 40.0}) {
                const QPointF at = from - QPointF(away, 0);
                QMouseEvent move(QEvent::MouseMove, at, slider.mapToGlobal(at), Qt::NoButton, Qt::LeftButton,
                                 Qt::ShiftModifier);
                QApplication::sendEvent(&slider, &move);
            }
            auto* lens = desk.find<QWidget>(QLatin1String(key) + QStringLiteral("/lens"));
            INFO((german ? "German, " : "") << size.width() << ", " << key);
            CHECK(lens->isVisible());
            const std::vector<DrawnWord> words = drawn_words(*lens);
            CHECK(words.size() > 3);
            CHECK_THAT(fault(words, lens->rect()), Catch::Matchers::Equals(""));
            QTest::mouseRelease(&slider, Qt::LeftButton, Qt::ShiftModifier, from.toPoint());
        }
    }
}

TEST_CASE("words: the headline names where the wall changes hands, at every size", "[gui][words]") {
    for (const bool german : {false, true}) {
        const std::optional<testing::German> language =
            german ? std::optional<testing::German>(std::in_place) : std::nullopt;
        Desk desk;
        LiveModel& model = desk.window.model();
        const Scenario first = model.scenario();
        for (const QSize size : {QSize(1024, 700), QSize(1366, 768), QSize(1440, 900)}) {
            desk.window.resize(size);
            for (const auto& [id, value] :
                 std::initializer_list<std::pair<P, double>>{{P::sequence_length, 2048},
                                                             {P::sequence_length, 512},
                                                             {P::sequence_length, 32768},
                                                             {P::sequence_length, 131072},
                                                             {P::gpus, 16384},
                                                             {P::gpus, 8},
                                                             {P::micro_batch, 3},
                                                             {P::inter_node_bandwidth, 2e9},
                                                             {P::inter_node_bandwidth, 20e9}}) {
                model.replace(first, QStringLiteral("first"));
                model.edit(id, value);
                QApplication::processEvents();
                const WallSentences sentences = wall_sentences(model.answer());
                INFO((german ? "German, " : "") << size.width() << ", " << parameter(id).key << ' ' << value);
                if (value == 131072) REQUIRE_FALSE(sentences.takeover.empty());
                CHECK(desk.text("headline/sentence").startsWith(text_of(sentences.lead)));
                CHECK(desk.text("headline/more").startsWith(text_of(sentences.takeover)));
                const auto* more = desk.find<RunLabel>("headline/more");
                CHECK(more->natural_width() <= more->width() + 1);
            }
        }
    }
}

TEST_CASE("words: neither the name nor the value of an input is cut in an open group", "[gui][words]") {
    for (const bool german : {false, true}) {
        const std::optional<testing::German> language =
            german ? std::optional<testing::German>(std::in_place) : std::nullopt;
        Desk desk;
        auto* controls = desk.window.findChild<ControlsPanel*>();
        for (std::size_t i = 0; i < kParameters; ++i) controls->row(static_cast<P>(i));
        for (const QSize size : {QSize(1024, 700), QSize(1366, 768), QSize(1440, 900)}) {
            const bool small = size.width() < 1366;
            desk.window.resize(size);
            QApplication::processEvents();
            int rows = 0;
            for (ParameterRow* row : controls->findChildren<ParameterRow*>()) {
                if (row->isHidden()) continue;
                ++rows;
                // In a small window the value of a choice may be cut, with its tool tip.
                const auto* choice = row->findChild<ParameterChoice*>();
                for (const DrawnWord& word : drawn_words(*row)) {
                    INFO((german ? "German, " : "") << size.width() << ", " << word.text.toStdString());
                    const bool is_value = choice && choice->geometry().contains(word.box.center().toPoint());
                    CHECK((!word.text.contains(QChar(0x2026)) || (is_value && small)));
                }
                const auto* field = row->findChild<ParameterField*>();
                if (!field || small) continue;
                QStyleOptionFrame option;
                option.initFrom(field);
                const QRect room =
                    field->style()->subElementRect(QStyle::SE_LineEditContents, &option, field);
                INFO((german ? "German, " : "") << size.width() << ", " << field->text().toStdString());
                CHECK(field->fontMetrics().horizontalAdvance(field->text()) + 4 <= room.width());
            }
            CHECK(rows > 100);
        }
    }
}
