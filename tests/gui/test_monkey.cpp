// Sends random real events to the whole window: nothing crashes, the window shows the model's values, and
// undo to the start gives the first bytes. Every event has its own seed, so that a run can be repeated with
// some of its events alone: a failure is reduced to the fewest events that still fail.
//
//   SHARDSCOPE_MONKEY_EVENTS   events in all (500), in rounds of at most 500 with a window of their own
//   SHARDSCOPE_MONKEY_SEED     of the first round (1); the next round has the next seed
//   SHARDSCOPE_MONKEY_ONLY     repeats one round with these events alone: "0-20,35"
#include <QClipboard>
#include <QDeadlineTimer>
#include <QEventLoop>
#include <QPointer>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QUndoStack>
#include <QWheelEvent>
#include <QWindow>
#include <algorithm>
#include <cstdio>
#include <vector>

#include "explain/output.h"
#include "planner/planner.h"
#include "support/desk.h"
#include "support/german.h"
#include "support/random.h"
#include "support/stock.h"
#include "widgets/panels/headline.h"
#include "widgets/text.h"

namespace shardscope::testing {
namespace {

constexpr const char* kOnly = "SHARDSCOPE_MONKEY_ONLY";
constexpr const char* kSeed = "SHARDSCOPE_MONKEY_SEED";
constexpr const char* kEvents = "SHARDSCOPE_MONKEY_EVENTS";
constexpr const char* kMonkeyTest =
    "monkey: random events harm nothing and undo to the start gives the first bytes";
constexpr int kRound = 500;

// ---- One round, in a process of its own --------------------------------------

class Monkey : public QObject {
  public:
    Monkey(std::uint64_t seed, std::vector<int> events)
        : seed_(seed),
          events_(std::move(events)),
          stock_(copy_stock(folder_.path(), true)),
          desk_(dialogs(seed)),
          first_(bytes()) {}

    void run() {
        QApplication::setQuitOnLastWindowClosed(false);  // a closed window opens again
        QTimer::singleShot(0, this, &Monkey::next);
        loop_.exec();
        finish();
    }

  private:
    std::string bytes() { return write_scenario(model().scenario()); }
    LiveModel& model() { return desk_.window.model(); }

    Dialogs dialogs(std::uint64_t seed) {
        // The answers to dialogs depend on the event that opens them.
        const auto name = [this, seed](const QString& ending) {
            Random random(seed * 7919 + at_);
            if (random.percent(60)) return QString();
            return folder_.filePath(QStringLiteral("out-%1%2").arg(random.below(4)).arg(ending));
        };
        Dialogs out = Dialogs::native();
        out.open_file = [this, seed](QWidget*, const QString&, const QString&, const QString&) {
            Random random(seed * 7919 + at_);
            return random.percent(30) ? QString() : QString(random.of(stock_));
        };
        out.save_file = [name](QWidget*, const QString&, const QString& suggestion, const QString&) {
            return name(QLatin1Char('.') + QFileInfo(suggestion).suffix());
        };
        out.choose_folder = [](QWidget*, const QString&, const QString&) { return QString(); };
        return out;
    }

    // A menu has an event loop of its own: the next event comes from a timer, so that it also arrives there.
    void next() {
        if (done_ == events_.size()) {
            while (QWidget* popup = QApplication::activePopupWidget()) popup->close();
            loop_.quit();
            return;
        }
        at_ = static_cast<std::size_t>(events_[done_++]);
        Random random((seed_ << 20U) + at_);
        QTimer::singleShot(random.percent(5) ? random.below(30) : 0, this, &Monkey::next);
        if (!desk_.window.isVisible()) desk_.window.show();
        event(random);
        if (done_ % 50 == 0) check();
    }

    void log_event(const char* what, const QString& rest) {
        std::printf("event %zu: %s %s\n", at_, what, qPrintable(rest));
        std::fflush(stdout);
    }

    QWidget* target(Random& random) {
        if (QWidget* popup = QApplication::activePopupWidget()) return popup;
        if (QWidget* modal = QApplication::activeModalWidget()) return modal;
        if (random.percent(20)) {
            std::vector<QWidget*> shown;
            for (QWidget* top : QApplication::topLevelWidgets()) {
                if (top->isVisible() && top->windowHandle()) shown.push_back(top);
            }
            if (!shown.empty()) return random.of(shown);
        }
        QWidget* active = QApplication::activeWindow();
        return active && active->windowHandle() ? active : &desk_.window;
    }

    static QString name_of(const QWidget* widget) {
        if (!widget) return QStringLiteral("nothing");
        return QLatin1String(widget->metaObject()->className()) + QLatin1Char(' ') + widget->objectName();
    }

    // Returns a position of the pointer: on a widget, or anywhere.
    static QPoint point(QWidget& window, Random& random) {
        const QPoint anywhere(random.below(std::max(1, window.width())),
                              random.below(std::max(1, window.height())));
        if (random.percent(25)) return anywhere;
        std::vector<QWidget*> widgets;
        for (QWidget* widget : window.findChildren<QWidget*>()) {
            if (widget->window() == &window && widget->isVisible() && !widget->visibleRegion().isEmpty())
                widgets.push_back(widget);
        }
        if (widgets.empty()) return anywhere;
        QWidget* widget = random.of(widgets);
        const QRect part = widget->visibleRegion().boundingRect();
        const QPoint in = random.percent(40) ? part.center()
                                             : part.topLeft() + QPoint(random.below(part.width()),
                                                                       random.below(part.height()));
        return widget->mapTo(&window, in);
    }

    void event(Random& random) {
        QWidget* window = target(random);
        QWindow* handle = window->windowHandle();
        if (!handle) return;
        const QPoint at = point(*window, random);
        const QString where = QStringLiteral("at %1,%2 on %3 in %4")
                                  .arg(at.x())
                                  .arg(at.y())
                                  .arg(name_of(window->childAt(at)), name_of(window));
        static const std::vector<Qt::KeyboardModifier> kModifiers{Qt::NoModifier,      Qt::NoModifier,
                                                                  Qt::NoModifier,      Qt::ShiftModifier,
                                                                  Qt::ControlModifier, Qt::AltModifier};
        const Qt::KeyboardModifier modifier = random.of(kModifiers);
        const int which = random.below(1000);
        if (which < 240) {
            log_event("click", where);
            click(handle, at, Qt::LeftButton);
        } else if (which < 310) {
            log_event("press", where);
            mouse(*handle, at, QEvent::MouseButtonPress, Qt::LeftButton);
        } else if (which < 450) {
            log_event("move", where);
            mouse(*handle, at, QEvent::MouseMove, Qt::NoButton);
        } else if (which < 530) {
            log_event("release", where);
            mouse(*handle, at, QEvent::MouseButtonRelease, Qt::LeftButton);
        } else if (which < 560) {
            log_event("double click", where);
            const QPointer<QWindow> there = handle;
            click(there, at, Qt::LeftButton);
            if (there) click(there, at, Qt::LeftButton, true);
        } else if (which < 590) {
            log_event("right click", where);
            // The window system sends the event for a context menu together with the button.
            const QPointer<QWidget> below = window->childAt(at);
            const QPoint global = window->mapToGlobal(at);
            click(handle, at, Qt::RightButton);
            if (below && !QApplication::activePopupWidget()) {
                QContextMenuEvent menu(QContextMenuEvent::Mouse, below->mapFromGlobal(global), global);
                QApplication::sendEvent(below, &menu);
            }
        } else if (which < 640) {
            log_event("wheel", where);
            QWheelEvent wheel(at, window->mapToGlobal(at), {}, {0, random.percent(50) ? 120 : -240},
                              Qt::NoButton, modifier, Qt::NoScrollPhase, false);
            QApplication::sendEvent(handle, &wheel);
        } else if (which < 760) {
            type(*handle, random, modifier);
        } else if (which < 830) {
            shortcut(*handle, random);
        } else if (which < 870) {
            focus(*window, random);
        } else if (which < 900) {
            drop(random);
        } else if (which < 925) {
            const QSize size(random.between(640, 3840), random.between(480, 2160));
            log_event("resize to", QStringLiteral("%1×%2").arg(size.width()).arg(size.height()));
            window->resize(random.percent(80) ? QSize(size.width() / 2, size.height() / 2) : size);
        } else if (which < 945) {
            const ActionId theme =
                random.of(std::vector{ActionId::theme_light, ActionId::theme_dark, ActionId::theme_system});
            log_event("theme", desk_.window.action(theme)->text());
            desk_.window.action(theme)->trigger();
        } else if (which < 975) {
            entry(random);
        } else if (which < 985) {
            QFile file(random.of(stock_));
            log_event("copy", file.fileName());
            if (file.open(QIODevice::ReadOnly))
                QApplication::clipboard()->setText(QString::fromUtf8(file.readAll()));
        } else {
            log_event("close", name_of(window));
            if (window == &desk_.window) press(handle, Qt::Key_Escape, {}, {});
            else window->close();
        }
    }

    // Sends the event as the window system hands it to Qt. QTest's own function would process other events,
    // too, and so nest the next one.
    void mouse(QWindow& window, const QPoint& at, QEvent::Type type, Qt::MouseButton button) {
        constexpr int kApart = 1000;  // ms, so that two clicks are no double click
        if (type != QEvent::MouseMove) held_.setFlag(button, type == QEvent::MouseButtonPress);
        if (!twice_) time_ += kApart;
        qt_handleMouseEvent(&window, at, window.mapToGlobal(at), held_, button, type, Qt::NoModifier, time_);
    }
    void click(const QPointer<QWindow>& window, const QPoint& at, Qt::MouseButton button,
               bool twice = false) {
        twice_ = twice;
        mouse(*window, at, QEvent::MouseButtonPress, button);
        if (window) mouse(*window, at, QEvent::MouseButtonRelease, button);
        else held_.setFlag(button, false);
        twice_ = false;
    }
    static void press(const QPointer<QWindow>& window, Qt::Key code, Qt::KeyboardModifiers modifiers,
                      const QString& text) {
        // A key may close the window.
        if (window) qt_handleKeyEvent(window, QEvent::KeyPress, code, modifiers, text);
        if (window) qt_handleKeyEvent(window, QEvent::KeyRelease, code, modifiers, text);
    }

    void type(QWindow& window, Random& random, Qt::KeyboardModifier modifier) {
        static const std::vector<Qt::Key> kKeys{
            Qt::Key_Tab,    Qt::Key_Backtab, Qt::Key_Return, Qt::Key_Enter,    Qt::Key_Escape,
            Qt::Key_Delete, Qt::Key_Home,    Qt::Key_End,    Qt::Key_PageUp,   Qt::Key_PageDown,
            Qt::Key_Left,   Qt::Key_Right,   Qt::Key_Up,     Qt::Key_Down,     Qt::Key_Space,
            Qt::Key_Menu,   Qt::Key_F1,      Qt::Key_F2,     Qt::Key_F4,       Qt::Key_F9,
            Qt::Key_F10,    Qt::Key_Insert,  Qt::Key_Plus,   Qt::Key_Backspace};
        static const QByteArray kLetters = "0123456789.,-+eEkKMGT%/ apsxyzQ\"'<>&{}";
        if (random.percent(50)) {
            const Qt::Key code = random.of(kKeys);
            // Alt+F4 closes the window in the window system itself.
            if (code == Qt::Key_F4 && modifier == Qt::AltModifier) return;
            log_event("key", QKeySequence(modifier | code).toString());
            press(&window, code, modifier, {});
        } else {
            const int count = random.between(1, 4);
            QByteArray letters;
            for (int i = 0; i < count; ++i)
                letters += kLetters[random.below(static_cast<int>(kLetters.size()))];
            // Ctrl+Q ends the program.
            if (modifier == Qt::ControlModifier && letters.contains('Q')) return;
            log_event("type", QKeySequence(modifier).toString() + QString::fromLatin1(letters));
            const QPointer<QWindow> there = &window;
            for (const char letter : letters)
                press(there, QTest::asciiToKey(letter), modifier, QString(QLatin1Char(letter)));
        }
    }

    void shortcut(QWindow& window, Random& random) {
        const ActionRow& row = random.of(action_table());
        if (row.id == ActionId::quit) return;
        if (!*row.shortcut) {
            log_event("action", QLatin1String(row.name));
            desk_.window.action(row.id)->trigger();
            return;
        }
        log_event("shortcut", QLatin1String(row.shortcut));
        const QKeySequence keys(QLatin1String(row.shortcut), QKeySequence::PortableText);
        press(&window, keys[0].key(), keys[0].keyboardModifiers(), {});
    }

    void focus(QWidget& window, Random& random) {
        std::vector<QWidget*> widgets;
        for (QWidget* widget : window.findChildren<QWidget*>()) {
            if (widget->isVisible() && widget->isEnabled() && (widget->focusPolicy() & Qt::TabFocus) != 0)
                widgets.push_back(widget);
        }
        if (widgets.empty()) return;
        QWidget* chosen = random.of(widgets);
        log_event("focus", name_of(chosen));
        chosen->setFocus(Qt::TabFocusReason);
    }

    void drop(Random& random) {
        QMimeData dropped;
        const QString file = random.of(stock_);
        log_event("drop", file);
        if (random.percent(20)) {
            QFile text(file);
            if (text.open(QIODevice::ReadOnly)) dropped.setText(QString::fromUtf8(text.readAll()));
        } else {
            QList<QUrl> urls{QUrl::fromLocalFile(file)};
            if (random.percent(20)) urls << QUrl::fromLocalFile(random.of(stock_));
            dropped.setUrls(urls);
        }
        QWindow* window = desk_.window.windowHandle();
        const QPoint at = point(desk_.window, random);
        QDragEnterEvent enter(at, Qt::CopyAction, &dropped, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(window, &enter);
        if (random.percent(10)) {
            QDragLeaveEvent leave;
            QApplication::sendEvent(window, &leave);
            return;
        }
        QDropEvent event(QPointF(at), Qt::CopyAction, &dropped, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(window, &event);
    }

    // Chooses a cluster, a model, a study, a scenario or a language from its menu.
    void entry(Random& random) {
        static const QRegularExpression kinds(QStringLiteral("^(cluster|model|study|scenario|language)/"));
        const QList<QAction*> entries = desk_.window.findChildren<QAction*>(kinds);
        if (entries.isEmpty()) return;
        QAction* chosen = random.of(entries);
        log_event("entry", chosen->objectName());
        chosen->trigger();
    }

    // Checks what holds at any moment.
    void check() {
        INFO("seed " << seed_ << ", after event " << at_);
        const Answer& shown = model().answer();
        if (!model().planning() && plans_within_a_frame(model().scenario())) {
            const Answer recomputed = answer(model().scenario());
            CHECK(shown.valid() == recomputed.valid());
            for (std::size_t i = 0; i < kParameters; ++i) {
                const auto id = static_cast<P>(i);
                INFO(parameter(id).key);
                CHECK(shardscope::format(id, shown.settings[id]) ==
                      shardscope::format(id, recomputed.settings[id]));
            }
            for (std::size_t i = 0; i < kOutputs; ++i) {
                const auto id = static_cast<Output>(i);
                INFO(output(id).path);
                CHECK(text_of(id, shown) == text_of(id, recomputed));
            }
        }
        const bool hypothetical = desk_.window.findChild<Headline*>()->hypothetical();
        if (shown.fits() || (shown.valid() && hypothetical))
            CHECK(desk_.text("headline/mfu").toStdString() == text_of(Output::mfu, shown, hypothetical));
        CHECK(desk_.window.action(ActionId::undo)->isEnabled() == model().undo_stack()->canUndo());
        CHECK(desk_.window.action(ActionId::redo)->isEnabled() == model().undo_stack()->canRedo());
        static const QRegularExpression impossible(QStringLiteral("(^|[^\\w.])-?(nan|inf)([^\\w.]|$)"));
        for (const QWidget* top : QApplication::topLevelWidgets()) {
            for (const QLabel* label : top->findChildren<QLabel*>()) {
                if (!label->isVisible()) continue;
                INFO(label->objectName().toStdString() << ": " << label->text().toStdString());
                CHECK_FALSE(impossible.match(label->text()).hasMatch());
            }
        }
    }

    void finish() {
        for (QWidget* top : QApplication::topLevelWidgets()) {
            if (top != &desk_.window && top->isVisible()) top->close();
        }
        QTest::mouseRelease(desk_.window.windowHandle(), Qt::LeftButton, {}, QPoint(1, 1));
        if (QWidget* focus = QApplication::focusWidget()) focus->clearFocus();
        QApplication::processEvents();
        INFO("seed " << seed_);
        check();
        // A mouse button released in another window leaves a drag open.
        model().end_gesture();
        QUndoStack& undo = *model().undo_stack();
        while (undo.canRedo()) undo.redo();
        const std::string last = bytes();
        for (int pass = 0; pass < 2; ++pass) {
            while (undo.canUndo()) undo.undo();
            CHECK(bytes() == first_);
            QApplication::processEvents();
            while (undo.canRedo()) undo.redo();
            CHECK(bytes() == last);
            QApplication::processEvents();
        }
        check();
        // The stored session is the current state.
        const SavedSession now = desk_.window.workspace().session();
        CHECK(QTest::qWaitFor(
            [&] {
                Problems problems;
                const SavedSession kept =
                    read_session(kept_in(desk_.session).toStdString(), commands::catalogue(), {}, problems);
                return problems.empty() && kept.current == now.current && kept.pins.size() == now.pins.size();
            },
            kBackgroundTimeout));
        keep(desk_.session, {});
    }

    std::uint64_t seed_;
    std::vector<int> events_;
    std::size_t done_ = 0;
    std::size_t at_ = 0;
    Qt::MouseButtons held_;
    bool twice_ = false;
    int time_ = 0;  // ms, of the last mouse event
    QEventLoop loop_;
    QTemporaryDir folder_;
    QStringList stock_;
    Desk desk_;
    std::string first_;
};

// ---- Rounds, and what is left of a failure -----------------------------------

// "0-20,35"
QString ranges_of(const std::vector<int>& numbers) {
    QStringList out;
    for (std::size_t i = 0; i < numbers.size();) {
        std::size_t end = i;
        while (end + 1 < numbers.size() && numbers[end + 1] == numbers[end] + 1) ++end;
        out << (end == i ? QString::number(numbers[i])
                         : QStringLiteral("%1-%2").arg(numbers[i]).arg(numbers[end]));
        i = end + 1;
    }
    return out.join(QLatin1Char(','));
}

std::vector<int> numbers_of(const QString& ranges) {
    std::vector<int> out;
    for (const QString& range : ranges.split(QLatin1Char(','), Qt::SkipEmptyParts)) {
        const int first = range.section(QLatin1Char('-'), 0, 0).toInt();
        const int last = range.section(QLatin1Char('-'), -1).toInt();
        for (int number = first; number <= last; ++number) out.push_back(number);
    }
    return out;
}

// Returns an empty text, or the output of the round before it failed.
QByteArray failure_of(int seed, const std::vector<int>& events) {
    const QTemporaryDir home;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QLatin1String(kOnly), ranges_of(events));
    environment.insert(QLatin1String(kSeed), QString::number(seed));
    for (const char* kind : {"XDG_CONFIG_HOME", "XDG_DATA_HOME"})
        environment.insert(QLatin1String(kind), home.filePath(QLatin1String(kind)));
    QProcess program;
    program.setProcessEnvironment(environment);
    program.setProcessChannelMode(QProcess::MergedChannels);
    program.start(QApplication::applicationFilePath(), {QLatin1String(kMonkeyTest)});
    const bool finished = program.waitForFinished(kBackgroundTimeout);
    if (!finished) {
        program.kill();
        program.waitForFinished();
    }
    const QByteArray printed = program.readAll();
    // With a name that belongs to no test, the program would pass without an event.
    const bool ran = printed.contains("\nAll tests passed");
    if (finished && program.exitStatus() == QProcess::NormalExit && program.exitCode() == 0 && ran) return {};
    return printed + (finished ? "" : "\nit did not end in time\n");
}

// Returns the fewest events, found in limited time, that still fail, by leaving out ever smaller parts.
std::vector<int> shrunk(int seed, std::vector<int> events, QByteArray& printed) {
    const QDeadlineTimer until(kBackgroundTimeout);
    for (std::size_t part = (events.size() + 1) / 2; part > 0 && !until.hasExpired();) {
        bool smaller = false;
        for (std::size_t from = 0; from < events.size() && !until.hasExpired();) {
            std::vector<int> fewer = events;
            const auto first = fewer.begin() + static_cast<std::ptrdiff_t>(from);
            fewer.erase(first, first + static_cast<std::ptrdiff_t>(std::min(part, events.size() - from)));
            QByteArray again = fewer.empty() ? QByteArray() : failure_of(seed, fewer);
            if (again.isEmpty()) {
                from += part;
                continue;
            }
            events = std::move(fewer);
            printed = std::move(again);
            smaller = true;
        }
        if (!smaller || part > events.size()) part /= 2;
    }
    return events;
}

}  // namespace

TEST_CASE("monkey: random events harm nothing and undo to the start gives the first bytes", "[monkey]") {
    const int seed = number_from(kSeed, 1);
    if (qEnvironmentVariableIsSet(kOnly)) {
        // Every second round is in German.
        set_language_of_texts(seed % 2 == 0 ? QStringLiteral("de") : QStringLiteral("en"));
        Monkey(static_cast<std::uint64_t>(seed), numbers_of(qEnvironmentVariable(kOnly))).run();
        return;
    }
    const int events = number_from(kEvents, kRound);
    for (int round = 0; round * kRound < events; ++round) {
        std::vector<int> all;
        for (int i = 0; i < std::min(kRound, events - round * kRound); ++i) all.push_back(i);
        QByteArray printed = failure_of(seed + round, all);
        if (printed.isEmpty()) continue;
        // The events after a crash are not needed to reproduce it.
        const QList<QByteArray> lines = printed.split('\n');
        const auto last = std::find_if(lines.rbegin(), lines.rend(),
                                       [](const QByteArray& line) { return line.startsWith("event "); });
        const QByteArray whole = printed;
        const std::vector<int> left = shrunk(seed + round, all, printed);
        FAIL_CHECK("seed " << seed + round << " fails"
                           << (last == lines.rend() ? std::string() : ", last " + last->toStdString())
                           << "; so do these events alone:\n"
                           << "SHARDSCOPE_MONKEY_SEED=" << seed + round
                           << " SHARDSCOPE_MONKEY_ONLY=" << ranges_of(left).toStdString() << " "
                           << QApplication::applicationFilePath().toStdString() << " '[monkey]'\n"
                           << printed.right(6000).toStdString() << "\n---- as a whole:\n"
                           << whole.right(3000).toStdString());
    }
}

}  // namespace shardscope::testing
