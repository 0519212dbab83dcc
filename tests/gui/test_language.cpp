// Tests the window in another language: it is translated completely, and only its texts change.
#include <QAbstractButton>
#include <QFile>
#include <QGroupBox>
#include <QHeaderView>
#include <QMenuBar>
#include <QRegularExpression>
#include <QStatusBar>
#include <QTabWidget>
#include <QTableView>
#include <QUndoStack>
#include <map>
#include <set>

#include "app/help_pages.h"
#include "explain/output.h"
#include "launch/launch.h"
#include "studies/study.h"
#include "support/desk.h"
#include "support/german.h"
#include "text/translate.h"
#include "widgets/drawing.h"
#include "widgets/panels/claim_row.h"
#include "widgets/panels/study_panel.h"
#include "widgets/plots/live_plot.h"
#include "widgets/plots/plot_kind.h"
#include "widgets/text.h"

namespace shardscope::testing {
namespace {

// Returns the translators' catalogue: English to German.
std::map<QString, QString> catalogue() {
    QFile file(QStringLiteral(SHARDSCOPE_SOURCE_DIR "/resources/translations/de.po"));
    REQUIRE(file.open(QIODevice::ReadOnly));
    std::map<QString, QString> out;
    QString english, german;
    QString* at = nullptr;
    const auto keep = [&] {
        if (!english.isEmpty()) out[english] = german;
    };
    for (const QString& line : QString::fromUtf8(file.readAll()).split(QLatin1Char('\n'))) {
        if (line.startsWith(QLatin1String("msgid "))) {
            keep();
            english.clear();
            german.clear();
            at = &english;
        } else if (line.startsWith(QLatin1String("msgstr "))) {
            at = &german;
        }
        const qsizetype first = line.indexOf(QLatin1Char('"'));
        if (line.startsWith(QLatin1Char('#')) || first < 0 || !at) continue;
        QString part = line.mid(first + 1, line.lastIndexOf(QLatin1Char('"')) - first - 1);
        at->append(part.replace(QLatin1String("\\n"), QLatin1String("\n"))
                       .replace(QLatin1String("\\\""), QLatin1String("\"")));
    }
    keep();
    return out;
}

// Returns every text of a widget.
QStringList words_of(const QWidget& widget) {
    QStringList out{widget.toolTip(), widget.accessibleName(), widget.windowTitle()};
    if (const auto* label = qobject_cast<const QLabel*>(&widget)) out += label->text();
    if (const auto* button = qobject_cast<const QAbstractButton*>(&widget)) out += button->text();
    if (const auto* group = qobject_cast<const QGroupBox*>(&widget)) out += group->title();
    if (const auto* line = qobject_cast<const QLineEdit*>(&widget)) out += line->placeholderText();
    // The names of a parameter's choices are those in files.
    const auto* box = qobject_cast<const QComboBox*>(&widget);
    if (box && !box->objectName().endsWith(QStringLiteral("/field"))) {
        for (int i = 0; i < box->count(); ++i) out += box->itemText(i);
    }
    if (const auto* tabs = qobject_cast<const QTabBar*>(&widget)) {
        for (int i = 0; i < tabs->count(); ++i) out += tabs->tabText(i);
    }
    for (const QAction* action : widget.actions()) out += action->text();
    if (const auto* view = qobject_cast<const QTableView*>(&widget); view && view->model()) {
        const QAbstractItemModel& rows = *view->model();
        // Operators have the names from listings of a model.
        const bool operators = view->objectName() == QStringLiteral("operators/list");
        for (int c = operators ? 1 : 0; c < rows.columnCount(); ++c) {
            out += rows.headerData(c, Qt::Horizontal).toString();
            for (int r = 0; r < rows.rowCount(); ++r) out += rows.index(r, c).data().toString();
        }
    }
    return out;
}

}  // namespace

TEST_CASE("language: the German catalogue is complete and keeps every placeholder", "[language]") {
    const std::map<QString, QString> phrases = catalogue();
    CHECK(phrases.size() > 1000);
    const QRegularExpression places(QStringLiteral("%L?\\d|%n|\\{\\d\\}"));
    const auto places_in = [&](const QString& text) {
        std::multiset<QString> out;
        for (auto found = places.globalMatch(text); found.hasNext();) out.insert(found.next().captured());
        return out;
    };
    for (const auto& [english, german] : phrases) {
        INFO(english.toStdString());
        CHECK_FALSE(german.isEmpty());
        CHECK(places_in(english) == places_in(german));
        CHECK(english.endsWith(QLatin1Char(' ')) == german.endsWith(QLatin1Char(' ')));
    }
}

TEST_CASE("language: the German window contains no English", "[language]") {
    const std::map<QString, QString> phrases = catalogue();
    const German german;
    Desk desk;
    desk.open_groups();
    desk.window.action(ActionId::pin)->trigger();
    desk.window.action(ActionId::solve_for)->trigger();
    desk.window.action(ActionId::measured_run)->trigger();
    desk.type("training.micro_batch", QStringLiteral("64"));  // does not fit, so repairs appear
    auto* tabs = desk.find<QTabWidget>("tabs");
    std::map<QString, std::string> seen;  // and the widget that shows it
    for (int i = 0; i < tabs->count(); ++i) {
        tabs->setCurrentIndex(i);
        auto* plot = static_cast<LivePlot*>(tabs->widget(i));
        REQUIRE(QTest::qWaitFor([&] { return !plot->pending(); }, kBackgroundTimeout));
        for (const auto* widget : desk.window.findChildren<QWidget*>()) {
            for (QString words : words_of(*widget))
                seen.emplace(
                    words.remove(QLatin1Char('&')),
                    widget->metaObject()->className() + (" “" + widget->objectName().toStdString() + "”"));
        }
    }
    CHECK(seen.size() > 500);
    for (const auto& [english, translated] : phrases) {
        if (translated == english) continue;
        const auto found = seen.find(QString(english).remove(QLatin1Char('&')));
        INFO((found == seen.end() ? std::string() : found->second));
        CHECK_THAT((found == seen.end() ? std::string() : found->first.toStdString()),
                   Catch::Matchers::Equals(""));
    }
    // These are prominent texts.
    CHECK(tabs->tabText(0) == QStringLiteral("Skalierung"));
    CHECK(label_of(P::gpus_per_node) == "GPUs je Knoten");
    CHECK(wall_sentence(desk.window.model().answer()).starts_with("Grenze: Speicher,"));
    CHECK(format(1e6, Quantity::days).ends_with(" Tage"));
    CHECK(parse("30 Tage", Quantity::days).value == parse("30 days", Quantity::days).value);
}

TEST_CASE("language: computed, written and typed values are the same in every language", "[language]") {
    const auto kept = [] {
        Desk desk;
        desk.type("training.sequence_length", QStringLiteral("4k"));
        desk.type("cluster.inter_node_bandwidth", QStringLiteral("400 Gbit/s"));
        return write_scenario(desk.window.model().scenario());
    };
    // Settings for other programs stay the same, including their comments.
    const auto launched = [] {
        std::string out;
        for (const LaunchFormat* tool : launch_formats()) {
            const LaunchText written = tool->write(answer(Scenario::first_launch()));
            out += written.text + written.command;
        }
        return out;
    };
    // Every plot's table stays the same, including the reasons of the plans' neighbours.
    Scenario planned = Scenario::first_launch();
    planned.automatic.set(index(P::micro_batch));
    const Answer found = answer(planned);
    const auto tables = [&] {
        std::map<std::string, std::string> out;
        for (const PlotKind* kind : plot_kinds()) {
            FigureRequest request;
            request.plot = kind->name;
            out[request.plot] = render_figure(request, found, FigureFormat::csv).toStdString();
        }
        return out;
    };
    const std::string english = kept();
    const std::string settings = launched();
    const std::map<std::string, std::string> written = tables();
    CHECK(written.at("plans").find("neighbour") != std::string::npos);
    const German german;
    CHECK(kept() == english);
    CHECK(launched() == settings);
    const std::map<std::string, std::string> in_german = tables();
    for (const auto& [plot, table] : written) {
        INFO(plot);
        CHECK(in_german.at(plot) == table);
    }
    // The text that the window copies stays the same, too.
    FigureRequest request;
    request.plot = "plans";
    request = with_computed_data(request, found);
    CHECK(to_csv(table_of(*plot_kind("plans"), request, found)) == written.at("plans"));
}

TEST_CASE("language: a study is shown in German, and its scenarios keep their names", "[language][studies]") {
    const std::map<QString, QString> phrases = catalogue();
    // Returns the text as the panel shows it, or an empty string without a translation.
    const auto german_of = [&](const std::string& english) {
        INFO(english);
        const auto found = phrases.find(text_of(english));
        CHECK(found != phrases.end());
        return found == phrases.end() ? std::string() : unbroken(found->second).toStdString();
    };
    const auto opened = [](Desk& desk) {  // and the contents of a file
        desk.pick(QStringLiteral("picker/study"), QStringLiteral("study/scaling-trends"));
        std::string out = write_scenario(desk.window.model().scenario());
        for (const Pin& pin : desk.window.model().pins()) out += write_scenario(pin.answer.scenario);
        return out;
    };
    std::string english;
    {
        Desk desk;
        english = opened(desk);
    }
    const German german;
    Desk desk;
    CHECK(opened(desk) == english);
    const auto* panel = desk.find<StudyPanel>(QStringLiteral("study"));
    REQUIRE(panel->study());
    const Study study = *panel->study();
    const auto shown = [&](const char* label) { return desk.text(QLatin1String(label)).toStdString(); };
    const std::string title = german_of(study.title);
    CHECK(shown("study/title") == title);
    CHECK(title != study.title);
    CHECK(shown("study/look") == german_of(study.look));
    CHECK(shown("study/drag") == german_of(study.drag));
    const auto* undo = desk.window.model().undo_stack();
    CHECK(undo->undoText().toStdString() == "Studie " + title);
    CHECK(desk.find<QAction>(QStringLiteral("study/scaling-trends"))->text().toStdString() == title);
    for (const Claim& claim : study.claims) {
        auto* row = desk.find<ClaimRow>(QStringLiteral("study/claim/") + text_of(claim.name));
        CHECK(row->text().toStdString() == german_of(claim.statement));
        CHECK(row->text() != unbroken(text_of(claim.statement)));
        CHECK(row->toolTip().contains(preset_text(claim.source)));
    }
    desk.find<ClaimRow>(QStringLiteral("study/claim/") + text_of(study.claims.front().name))->click();
    CHECK(unbroken(undo->undoText()).toStdString() ==
          "Behauptung: " + german_of(study.claims.front().statement));

    // All other studies are translated, too, and so are the calibrations.
    for (const Preset* preset : commands::catalogue().all(PresetKind::study)) {
        Problems problems;
        const Study one = read_study(*preset, commands::catalogue(), problems);
        REQUIRE(problems.empty());
        for (const std::string* text : {&one.title, &one.look, &one.drag, &one.paper.label, &preset->source})
            german_of(*text);
        CHECK(german_of(one.look) != unbroken(text_of(one.look)).toStdString());
        for (const Claim& claim : one.claims) {
            CHECK(german_of(claim.statement) != unbroken(text_of(claim.statement)).toStdString());
            german_of(claim.source);
        }
    }
    for (const Preset* preset : Catalogue::shipped().all(PresetKind::calibration)) {
        german_of(preset->title);
        german_of(preset->source);
    }
    CHECK(desk.find<QWidget>(QStringLiteral("group/assumptions"))
              ->accessibleDescription()
              .startsWith(QStringLiteral("FSDP1")));
    // A user's text stays as written.
    CHECK(preset_text("My cluster in the basement") == QStringLiteral("My cluster in the basement"));
}

TEST_CASE("language: it is chosen in the View menu for the next start", "[language]") {
    Desk desk;
    const auto entry = [&](const char* code) {
        return desk.find<QAction>(QStringLiteral("language/") + QLatin1String(code));
    };
    CHECK(entry("")->isChecked());
    CHECK(entry("de")->text() == QStringLiteral("Deutsch"));
    entry("de")->trigger();
    CHECK(Session().language() == QStringLiteral("de"));
    CHECK(active_language() == QStringLiteral("en"));
    entry("")->trigger();
    CHECK(Session().language().isEmpty());
    // An unknown code means the system's language.
    set_language_of_texts(QStringLiteral("xx"));
    CHECK(languages().contains(active_language()));
    set_language_of_texts(QStringLiteral("en"));
    CHECK(translate("Wall") == "Wall");
}

TEST_CASE("language: every help page exists in German", "[language][help]") {
    std::set<QString> titles;
    for (const HelpPage& page : help_pages()) titles.insert(help_title(page));
    const German german;
    for (const HelpPage& page : help_pages()) {
        INFO(std::string(page.id));
        CHECK(help_text(page).size() > 100);
        CHECK_FALSE(help_text(page).contains(QStringLiteral(" the ")));
    }
}

}  // namespace shardscope::testing
