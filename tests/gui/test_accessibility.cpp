// Tests what a screen reader finds in the whole window: every control has a name, has its value if there is
// one, and can be reached by the keyboard.
#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAbstractSlider>
#include <QAccessible>
#include <QMenuBar>
#include <QRegularExpression>
#include <QScrollArea>
#include <QTabWidget>
#include <set>

#include "support/desk.h"
#include "widgets/panels/repair_button.h"
#include "widgets/panels/table_view.h"
#include "widgets/panels/term_panel.h"
#include "widgets/panels/why_panel.h"
#include "widgets/plots/live_plot.h"
#include "widgets/progress_line.h"

namespace shardscope::testing {
namespace {

// Returns whether the user can operate the widget.
bool is_control(const QWidget& widget) {
    return qobject_cast<const QAbstractButton*>(&widget) || qobject_cast<const QComboBox*>(&widget) ||
           qobject_cast<const QLineEdit*>(&widget) || qobject_cast<const QAbstractSlider*>(&widget) ||
           qobject_cast<const QAbstractItemView*>(&widget) || qobject_cast<const LivePlot*>(&widget) ||
           (widget.focusPolicy() & Qt::TabFocus) != 0;
}

// Returns whether Qt creates the widget itself: scroll bars, a combo box's list, a table's corner and header.
bool is_inner(const QWidget& widget) {
    // Only the widget's own name counts: the scroll area of the controls and the container of the plots have
    // such a name, too.
    if (widget.objectName().startsWith(QStringLiteral("qt_"))) return true;
    for (const QWidget* at = &widget; at; at = at->parentWidget()) {
        const QByteArray name = at->metaObject()->className();
        const QString object = at->objectName();
        if (name == "QScrollBar" || name == "QHeaderView" || name == "QLineEditIconButton" ||
            name == "QComboBoxPrivateContainer" || name == "QTableCornerButton" ||
            object == QStringLiteral("ScrollLeftButton") || object == QStringLiteral("ScrollRightButton"))
            return true;
    }
    return false;
}

bool has_value(const QWidget& widget) {
    return qobject_cast<const QComboBox*>(&widget) || qobject_cast<const QLineEdit*>(&widget) ||
           qobject_cast<const QAbstractSlider*>(&widget);
}

bool is_empty(const QWidget& widget) {
    if (const auto* box = qobject_cast<const QComboBox*>(&widget)) return box->count() == 0;
    const auto* field = qobject_cast<const QLineEdit*>(&widget);
    return field && field->text().isEmpty();
}

std::string place_of(const QWidget& widget) {
    std::string out;
    for (const QWidget* at = &widget; at; at = at->parentWidget())
        out += std::string(at->metaObject()->className()) + " “" + at->objectName().toStdString() + "” < ";
    return out;
}

// A scroll area needs no description beside its content, and for a tab bar Qt reports the current tab.
bool needs_no_description(const QWidget& widget) {
    return qobject_cast<const QScrollArea*>(&widget) || qobject_cast<const QTabBar*>(&widget);
}

// All controls of the window in its current state, and of the windows beside it.
class Controls {
  public:
    explicit Controls(Desk& desk) : desk_(desk) {}

    void check() {
        for (auto* widget : desk_.window.findChildren<QWidget*>()) {
            if (!is_control(*widget) || is_inner(*widget)) continue;
            ++seen;
            QAccessibleInterface* shown = QAccessible::queryAccessibleInterface(widget);
            INFO(place_of(*widget));
            REQUIRE(shown != nullptr);
            CHECK_FALSE(shown->text(QAccessible::Name).isEmpty());
            CHECK(shown->role() != QAccessible::NoRole);
            if (widget->isVisibleTo(&desk_.window) && !needs_no_description(*widget)) {
                ++described;
                CHECK_FALSE(shown->text(QAccessible::Description).isEmpty());
            }
            if (has_value(*widget)) {
                ++values;
                CHECK((is_empty(*widget) || !shown->text(QAccessible::Value).isEmpty()));
            }
            const auto* button = qobject_cast<const QAbstractButton*>(widget);
            if (button && button->isCheckable()) CHECK(shown->state().checkable);
        }
    }
    void check_at_every_plot() {
        auto* tabs = desk_.find<QTabWidget>("tabs");
        for (int i = 0; i < tabs->count(); ++i) {
            tabs->setCurrentIndex(i);
            QApplication::processEvents();
            wait_for_plot();
            check();
        }
    }
    // The plot's description is complete once its data are.
    void wait_for_plot() {
        const auto* plot = static_cast<LivePlot*>(desk_.find<QTabWidget>("tabs")->currentWidget());
        REQUIRE(QTest::qWaitFor([&] { return !plot->pending(); }, kBackgroundTimeout));
    }

    int seen = 0;
    int values = 0;
    int described = 0;

  private:
    Desk& desk_;
};

}  // namespace

TEST_CASE("accessibility: every control of the window has a name, a role, a description and its value",
          "[window][accessibility]") {
    Desk desk;
    desk.window.action(ActionId::pin)->trigger();
    desk.window.action(ActionId::solve_for)->trigger();
    desk.window.action(ActionId::measured_run)->trigger();
    Controls controls(desk);
    controls.check_at_every_plot();
    CHECK(controls.seen > 500);
    CHECK(controls.values > 300);
    CHECK(controls.described > 500);
}

TEST_CASE(
    "accessibility: so has every control where nothing fits, in a small window and during background work",
    "[window][accessibility]") {
    Desk desk;
    desk.window.action(ActionId::pin)->trigger();
    desk.type("training.sequence_length", QStringLiteral("8192"));
    REQUIRE(desk.estimate().verdict == Verdict::does_not_fit);
    desk.find<ProgressLine>("progress")->show_step(QStringLiteral("walls.csv"), 1, 2);
    Controls controls(desk);
    for (const QSize& size : {QSize(1440, 900), QSize(1024, 640)}) {
        desk.window.resize(size);
        QApplication::processEvents();
        INFO(size.width());
        controls.check_at_every_plot();
        CHECK(desk.find<QWidget>("progress/stop")->isVisible());
    }
    CHECK(controls.described > 500);
    // In the small window some repairs are behind a button, and the panel at the side is a rail.
    CHECK(desk.find<QWidget>("repairs/more")->isVisible());
    CHECK(desk.find<QWidget>("why-rail")->isVisible());
    // A repair's description gives the change and its result.
    int working = 0;
    for (const auto* repair : desk.window.findChildren<RepairButton*>()) {
        if (!repair->isEnabled()) continue;
        ++working;
        const QString words = repair->accessibleDescription();
        INFO(words.toStdString());
        CHECK(words.contains(repair->text()));
        CHECK(words.contains(QStringLiteral("fits, ")));
        CHECK(words.contains(QStringLiteral("MFU ")));
    }
    CHECK(working > 1);
}

TEST_CASE("accessibility: so has every control in open and in closed groups", "[window][accessibility]") {
    Desk desk;
    const auto described = [&](bool open) {
        const QRegularExpression groups(QStringLiteral("^group/"));
        for (auto* header : desk.window.findChildren<QAbstractButton*>(groups)) header->setChecked(open);
        QApplication::processEvents();
        Controls controls(desk);
        controls.wait_for_plot();
        controls.check();
        return controls.described;
    };
    const int folded = described(false);
    CHECK(folded > 30);
    CHECK(described(true) > folded + 100);
}

TEST_CASE(
    "accessibility: so has every control of a study, of the export and of the help, launch and table windows",
    "[window][accessibility]") {
    Desk desk;
    desk.find<ControlsPanel>("controls")
        ->set_open_groups(
            {"group/cluster", "group/model", "group/training", "group/plan", "group/assumptions"});
    desk.pick(QStringLiteral("picker/study"), QStringLiteral("study/scaling-trends"));
    for (const ActionId id : {ActionId::help, ActionId::launch_settings, ActionId::show_table})
        desk.window.action(id)->trigger();
    REQUIRE(
        QTest::qWaitFor([&] { return desk.window.findChild<TableView*>() != nullptr; }, kBackgroundTimeout));
    CHECK(desk.window.findChild<TableView*>()->isVisible());
    for (const char* name : {"study", "help", "launch"}) {
        INFO(name);
        CHECK(desk.find<QWidget>(QLatin1String(name))->isVisible());
    }
    desk.window.action(ActionId::export_plot)->trigger();
    CHECK(desk.find<QWidget>("export")->isVisible());
    Controls controls(desk);
    controls.wait_for_plot();
    controls.check();
    CHECK(controls.described > 100);
}

TEST_CASE("accessibility: sliders report their value with its unit, plots what they show",
          "[window][accessibility]") {
    Desk desk;
    desk.open_groups();
    for (auto* slider : desk.window.findChildren<QAbstractSlider*>()) {
        if (!slider->objectName().endsWith(QStringLiteral("/slider"))) continue;
        INFO(slider->objectName().toStdString());
        QAccessibleInterface* shown = QAccessible::queryAccessibleInterface(slider);
        REQUIRE(shown != nullptr);
        CHECK_FALSE(shown->text(QAccessible::Name).isEmpty());
        CHECK_FALSE(shown->text(QAccessible::Description).isEmpty());
    }
    auto* tabs = desk.find<QTabWidget>("tabs");
    std::set<QString> descriptions;
    for (int i = 0; i < tabs->count(); ++i) {
        tabs->setCurrentIndex(i);
        auto* plot = static_cast<LivePlot*>(tabs->widget(i));
        REQUIRE(QTest::qWaitFor([&] { return !plot->pending(); }, kBackgroundTimeout));
        const QString words = plot->accessibleDescription();
        INFO(tabs->tabText(i).toStdString());
        CHECK(words.size() > 20);
        CHECK(descriptions.insert(words).second);
    }
}

TEST_CASE("accessibility: the keyboard reaches every slider and every field in view",
          "[window][accessibility]") {
    Desk desk;
    desk.open_groups();
    std::set<const QWidget*> reached;
    desk.find<QLineEdit>("controls/search")->setFocus();
    for (int i = 0; i < 2000; ++i) {
        QWidget* now = QApplication::focusWidget();
        REQUIRE(now != nullptr);
        if (!reached.insert(now).second) break;
        QTest::keyClick(now, Qt::Key_Tab);
    }
    for (const auto* widget : desk.window.findChildren<QWidget*>()) {
        const QString name = widget->objectName();
        if (!widget->isVisible() || !widget->isEnabled()) continue;
        if (!name.endsWith(QStringLiteral("/slider")) && !name.endsWith(QStringLiteral("/field"))) continue;
        INFO(name.toStdString());
        CHECK(reached.count(widget) == 1);
    }
}

TEST_CASE("accessibility: arrow keys walk the memory bar and the step, Enter asks why",
          "[window][accessibility]") {
    Desk desk;
    const auto* why = desk.find<WhyPanel>("why");
    for (const char* name : {"memory-bar", "waterfall"}) {
        auto* panel = desk.find<TermPanel>(name);
        INFO(name);
        CHECK((panel->focusPolicy() & Qt::TabFocus) != 0);
        panel->setFocus(Qt::TabFocusReason);
        const std::vector<TermPanel::Row> rows = panel->rows();
        REQUIRE(rows.size() > 5);
        QTest::keyClick(panel, Qt::Key_Home);
        for (const TermPanel::Row& row : rows) {
            CHECK(panel->accessibleName().endsWith(row.words));
            CHECK(QRectF(panel->rect()).contains(row.box));
            QTest::keyClick(panel, Qt::Key_Return);
            CHECK(why->current() == Subject::of(row.output));
            QTest::keyClick(panel, Qt::Key_Down);
        }
        CHECK(panel->focused() == rows.back().output);
        QTest::keyClick(panel, Qt::Key_Up);
        CHECK(panel->focused() == rows[rows.size() - 2].output);
        desk.find<QLineEdit>("controls/search")->setFocus();
        CHECK_FALSE(panel->accessibleName().contains(QLatin1Char(':')));
    }
}

TEST_CASE("accessibility: every panel still has its place with letters twice as large",
          "[window][accessibility]") {
    const QFont usual = QApplication::font();
    QFont large = usual;
    large.setPointSizeF(2 * usual.pointSizeF());
    QApplication::setFont(large);
    ThemeManager::instance().choose(ThemeManager::instance().choice());
    {
        Desk desk;  // 1440 × 900
        CHECK(desk.window.width() == 1440);
        // The panels are side by side, without overlap, and none is cut off.
        const QRect controls(desk.find<QWidget>("controls")->mapTo(&desk.window, QPoint()),
                             desk.find<QWidget>("controls")->size());
        const QRect tabs(desk.find<QWidget>("tabs")->mapTo(&desk.window, QPoint()),
                         desk.find<QWidget>("tabs")->size());
        CHECK(controls.right() < tabs.left());
        CHECK(tabs.right() < desk.window.width());
        CHECK(desk.find<QWidget>("why-rail")->isVisible());
        for (const char* name : {"headline/verdict", "headline/mfu", "headline/sentence"})
            CHECK(desk.find<QWidget>(QLatin1String(name))->isVisible());
        auto* field = desk.find<QLineEdit>("training.micro_batch/field");
        CHECK(controls.contains(QRect(field->mapTo(&desk.window, QPoint()), field->size())));
    }
    QApplication::setFont(usual);
    ThemeManager::instance().choose(ThemeManager::instance().choice());
}

TEST_CASE("plots have the theme's colour up to their last pixel", "[window]") {
    ThemeManager::instance().choose(ThemeManager::Choice::dark);
    {
        Desk desk;
        auto* tabs = desk.find<QTabWidget>("tabs");
        for (int i = 0; i < tabs->count(); ++i) {
            tabs->setCurrentIndex(i);
            QApplication::processEvents();
            auto* canvas = desk.find<QWidget>(tabs->widget(i)->objectName() + QStringLiteral("/plot"));
            const QImage image = canvas->grab().toImage();
            INFO(tabs->tabText(i).toStdString());
            for (const QPoint& corner : {image.rect().topLeft(), image.rect().topRight(),
                                         image.rect().bottomLeft(), image.rect().bottomRight()})
                CHECK(image.pixelColor(corner).name() == current_theme().pane.name());
        }
    }
    ThemeManager::instance().choose(ThemeManager::Choice::light);
}

TEST_CASE("accessibility: all shortcuts differ, and so do all access keys of a menu",
          "[window][accessibility]") {
    Desk desk;
    std::set<QString> shortcuts;
    for (const QAction* action : desk.window.findChildren<QAction*>()) {
        const QString keys = action->shortcut().toString();
        if (keys.isEmpty()) continue;
        INFO(action->text().toStdString() << " " << keys.toStdString());
        CHECK(shortcuts.insert(keys).second);
    }
    const auto access_key = [](const QString& text) {
        const qsizetype at = text.indexOf(QLatin1Char('&'));
        return at < 0 ? QChar() : text.at(at + 1).toLower();
    };
    for (const QAction* top : desk.window.menuBar()->actions()) {
        std::set<QChar> keys;
        for (const QAction* action : top->menu()->actions()) {
            const QChar key = access_key(action->text());
            if (key.isNull()) continue;
            INFO(top->text().toStdString() << " > " << action->text().toStdString());
            CHECK(keys.insert(key).second);
        }
    }
}

}  // namespace shardscope::testing
