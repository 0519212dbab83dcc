// Tests the report: its contents, and that its scenario can be opened from it (golden task G11).
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QXmlStreamReader>

#include "files/result.h"
#include "scenario/domain.h"
#include "support/desk.h"
#include "support/german.h"
#include "support/pdf.h"
#include "widgets/carried_scenario.h"
#include "widgets/plots/figure_export.h"
#include "widgets/report/report_document.h"

namespace shardscope::testing {
namespace {

QByteArray bytes_of(const QString& path) {
    QFile file(path);
    INFO(path.toStdString());
    REQUIRE(file.open(QIODevice::ReadOnly));
    return file.readAll();
}

ReportRequest usual(const Answer& answer) {
    ReportRequest out;
    out.figures = usual_figures();
    out.carries = write_scenario(answer.scenario, false);
    return out;
}

const ReportSection& section(const ReportDocument& document, const QString& title) {
    for (const auto* part : {&document.answers, &document.appendix}) {
        for (const ReportSection& one : *part) {
            if (one.title == title) return one;
        }
    }
    FAIL("no section " << title.toStdString());
    return document.answers.front();
}

template <typename Block>
const Block& block(const ReportSection& of) {
    for (const ReportBlock& one : of.blocks) {
        if (const auto* found = std::get_if<Block>(&one)) return *found;
    }
    FAIL("no such block in " << of.title.toStdString());
    std::abort();
}

QString value_in(const ReportTable& table, const QString& first) {
    for (const QStringList& row : table.rows) {
        if (row.front() == first) return row.at(1);
    }
    return {};
}

}  // namespace

TEST_CASE("G11: a report gives back its scenario with every input, every output and every byte of the CSV",
          "[golden][report]") {
    const QTemporaryDir folder;
    QString asked;  // the answer for the dialogs
    Dialogs dialogs = Dialogs::native();
    dialogs.open_file = [&](QWidget*, const QString&, const QString&, const QString&) { return asked; };
    dialogs.save_file = dialogs.open_file;
    const auto with_file = [&](Desk& at, ActionId id, const QString& file) {
        asked = file;
        at.choose(id);
        if (id == ActionId::export_plot) at.click(QStringLiteral("export/save"));
        REQUIRE(QTest::qWaitFor([&] { return QFile::exists(file); }, kBackgroundTimeout));
    };
    Desk desk(dialogs);
    QTest::keyClick(&desk.window, Qt::Key_P);
    desk.type("cluster.inter_node_bandwidth", QStringLiteral("200 Gbit/s"));
    desk.type("training.sequence_length", QStringLiteral("4096"));
    desk.drag("cluster.gpu.memory", 0.5, 0.8, 7);
    const Answer before = desk.window.model().answer();
    const std::string result = result_json(before);
    const QString csv = folder.filePath(QStringLiteral("before.csv"));
    with_file(desk, ActionId::export_plot, csv);
    for (const char* ending : {"html", "pdf", "md"}) {
        INFO(ending);
        const QString report = folder.filePath(QStringLiteral("report.%1").arg(QLatin1String(ending)));
        with_file(desk, ActionId::export_report, report);
        Desk other(dialogs);
        with_file(other, ActionId::open, report);
        const Answer& after = other.window.model().answer();
        CHECK(after.scenario == before.scenario);
        for (std::size_t i = 0; i < kParameters; ++i) {
            const P id = static_cast<P>(i);
            INFO(parameter(id).key);
            const bool unknown = std::isnan(before.settings[id]) && std::isnan(after.settings[id]);
            CHECK((unknown || after.settings[id] == before.settings[id]));
        }
        CHECK(result_json(after) == result);
        REQUIRE(other.window.model().pins().size() == 1);
        CHECK(other.window.model().pins().front().answer.scenario ==
              desk.window.model().pins().front().answer.scenario);
        const QString again = folder.filePath(QStringLiteral("after.csv"));
        QFile::remove(again);  // from the format before
        with_file(other, ActionId::export_plot, again);
        CHECK(bytes_of(again) == bytes_of(csv));
        // The same report is written once more.
        const QString second = folder.filePath(QStringLiteral("second.%1").arg(QLatin1String(ending)));
        with_file(other, ActionId::export_report, second);
        QByteArray expected = bytes_of(report);
        CHECK((bytes_of(second) == expected.replace("(report-figures/", "(second-figures/")));
        // Save asks for a file: a scenario does not overwrite a report.
        QTest::keySequence(&other.window, QKeySequence::Undo);
        CHECK_FALSE(other.window.model().scenario() == before.scenario);
    }
}

TEST_CASE("report: HTML is well-formed, self-contained, and contains every figure as SVG", "[report]") {
    Scenario scenario = Scenario::first_launch(commands::catalogue());
    scenario.name = "A </script> & a <b>bold</b> name";
    const Answer answer = shardscope::answer(scenario);
    const std::vector<ReportFile> files = render_report(usual(answer), answer, QStringLiteral("r.html"));
    REQUIRE(files.size() == 1);
    const QByteArray html = files.front().bytes;
    QXmlStreamReader reader(html);
    int figures = 0;
    QString title;
    while (!reader.atEnd()) {
        if (reader.readNext() != QXmlStreamReader::StartElement) continue;
        if (reader.name() == QStringLiteral("svg")) ++figures;
        if (reader.name() == QStringLiteral("h1")) title = reader.readElementText();
    }
    INFO(reader.errorString().toStdString());
    CHECK_FALSE(reader.hasError());
    CHECK(figures == 6);
    CHECK(title == QString::fromStdString(scenario.name));
    CHECK_FALSE(html.contains("src="));
    CHECK_FALSE(html.contains("href=\"http"));
    // The scenario in it is exactly the original one.
    Problems problems;
    const Scenario back =
        read_scenario(carried_scenario(html).toStdString(), commands::catalogue(), {}, problems);
    CHECK(problems.empty());
    CHECK(back == scenario);
}

TEST_CASE("report: HTML names the language it is written in", "[report][language]") {
    const Answer answer = shardscope::answer(Scenario::first_launch(commands::catalogue()));
    const auto language = [&] {
        QXmlStreamReader reader(render_report({}, answer, QStringLiteral("r.html")).front().bytes);
        REQUIRE(reader.readNextStartElement());
        CHECK(reader.name() == QStringLiteral("html"));
        return reader.attributes().value(QStringLiteral("lang")).toString();
    };
    CHECK(language() == QStringLiteral("en"));
    const German german;
    CHECK(language() == QStringLiteral("de"));
}

TEST_CASE("report: its numbers are the estimate's, its parameters the settings", "[report]") {
    const Answer answer = shardscope::answer(Scenario::first_launch(commands::catalogue()));
    const ReportDocument document = report_document(usual(answer), answer);
    const auto& numbers = block<ReportTable>(section(document, QStringLiteral("Numbers")));
    for (const Output id : {Output::mfu, Output::step_time, Output::peak_memory, Output::training_days}) {
        const std::string_view label = output(id).label;
        CHECK(value_in(numbers, QString::fromUtf8(label.data(), static_cast<qsizetype>(label.size())))
                  .toStdString() == text_of(id, answer));
    }
    // Every parameter that applies to the model is in one of two tables.
    std::size_t rows = 0;
    for (const char* title : {"Assumptions", "All other parameters"})
        rows += block<ReportTable>(section(document, QLatin1String(title))).rows.size();
    std::size_t applying = 0;
    for (std::size_t i = 0; i < kParameters; ++i)
        applying += applies_to(static_cast<P>(i), answer.settings) ? 1 : 0;
    CHECK(rows == applying);
    // The table contains the run from which the scenario was made, with its measured values.
    const auto& runs = block<ReportTable>(section(document, QStringLiteral("Validation")));
    REQUIRE_FALSE(runs.rows.empty());
    CHECK(runs.rows.front().at(1) == QStringLiteral("64"));
    CHECK(runs.rows.front().at(2) == QStringLiteral("4,800.19"));
}

TEST_CASE("report: a scenario that does not fit has no rates, and the report lists what would help",
          "[report]") {
    Scenario scenario = Scenario::first_launch(commands::catalogue());
    scenario.give(P::micro_batch, 32);
    const Answer answer = shardscope::answer(scenario);
    REQUIRE(answer.estimate.verdict == Verdict::does_not_fit);
    const ReportDocument document = report_document(usual(answer), answer);
    const auto& numbers = block<ReportTable>(section(document, QStringLiteral("Numbers")));
    CHECK(value_in(numbers, QStringLiteral("MFU")) == QStringLiteral("–"));
    CHECK(value_in(numbers, QStringLiteral("Step time")) == QStringLiteral("–"));
    CHECK_FALSE(value_in(numbers, QStringLiteral("Peak memory")) == QStringLiteral("–"));
    const ReportSection& verdict = section(document, QStringLiteral("Verdict"));
    CHECK(block<ReportParagraph>(verdict).text.contains(QStringLiteral("does not fit")));
    // The best of all plans comes first, then the single changes.
    const ReportSection& ways = section(document, QStringLiteral("Recommendation"));
    CHECK(block<ReportParagraph>(ways).text.contains(QStringLiteral("fits, ")));
    QStringList labels{block<ReportParagraph>(ways).text};
    for (const QStringList& row : block<ReportTable>(ways).rows) labels << row.front();
    CHECK_FALSE(labels.filter(QStringLiteral("Micro-batch 32 → 4")).isEmpty());
    ReportRequest asked = usual(answer);
    asked.hypothetical = true;
    const ReportDocument opted = report_document(asked, answer);
    CHECK_FALSE(value_in(block<ReportTable>(section(opted, QStringLiteral("Numbers"))),
                         QStringLiteral("MFU")) == QStringLiteral("–"));
    bool mentioned = false;
    for (const ReportBlock& one : section(opted, QStringLiteral("Verdict")).blocks) {
        const auto* paragraph = std::get_if<ReportParagraph>(&one);
        mentioned |= paragraph && paragraph->text.contains(QStringLiteral("hypothetical"));
    }
    CHECK(mentioned);
}

TEST_CASE("report: pins are beside the scenario, and in Markdown have figures of their own", "[report]") {
    const QTemporaryDir folder;
    Desk desk;
    desk.window.action(ActionId::pin)->trigger();
    desk.type("cluster.gpus", QStringLiteral("128"));
    const QString report = folder.filePath(QStringLiteral("a report.md"));
    REQUIRE(desk.window.plots().export_report(report));
    const QString text = QString::fromUtf8(bytes_of(report));
    CHECK(text.contains(QStringLiteral("## A against B")));
    CHECK(text.contains(QStringLiteral("| GPUs | 128 | 64 |")));
    for (const FigureRequest& figure : usual_figures()) {
        const QString plot = QString::fromStdString(figure.plot);
        CHECK(text.contains(QStringLiteral("](a%20report-figures/%1.svg)").arg(plot)));
        CHECK(
            bytes_of(folder.filePath(QStringLiteral("a report-figures/%1.svg").arg(plot))).contains("<svg"));
    }
    // Figures that belong to no report are not overwritten; the report's own are.
    CHECK(desk.window.plots().export_report(report));
    const QString theirs = folder.filePath(QStringLiteral("b-figures/walls.svg"));
    REQUIRE(QDir(folder.path()).mkdir(QStringLiteral("b-figures")));
    QFile kept(theirs);
    REQUIRE(kept.open(QIODevice::WriteOnly));
    REQUIRE(kept.write("mine") == 4);
    kept.close();
    CHECK_FALSE(desk.window.plots().export_report(folder.filePath(QStringLiteral("b.md"))));
    CHECK(desk.text("message/text").contains(theirs));
    CHECK(bytes_of(theirs) == "mine");
    CHECK(QDir(folder.filePath(QStringLiteral("b-figures"))).entryList(QDir::Files).size() == 1);
    CHECK_FALSE(QFile::exists(folder.filePath(QStringLiteral("b.md"))));
    // A PDF contains words as text.
    const QString pdf = folder.filePath(QStringLiteral("report.pdf"));
    REQUIRE(desk.window.plots().export_report(pdf));
    const QString words = text_of_pdf(pdf);
    CHECK(words.contains(QStringLiteral("AagainstB")));
    CHECK(words.contains(QStringLiteral("MFUwhenaninputishalvedordoubled")));
    CHECK(words.contains(QStringLiteral("training.micro_batch")));
    // This place cannot be written.
    CHECK_FALSE(desk.window.plots().export_report(QStringLiteral("/nowhere/at/all/report.html")));
    CHECK(desk.text("message/text").contains(QStringLiteral("/nowhere/at/all/report.html")));
    CHECK_FALSE(desk.window.plots().export_report(folder.filePath(QStringLiteral("report.docx"))));
    CHECK(desk.text("message/text").contains(QStringLiteral(".html, .pdf or .md")));
}

TEST_CASE("report: the recommendation considers a pin that makes more tokens", "[report]") {
    Desk desk;
    desk.window.action(ActionId::pin)->trigger();
    const auto recommended = [&] {
        const Answer& answer = desk.window.model().answer();
        ReportRequest request = usual(answer);
        request.pins = desk.window.model().pins();
        return block<ReportParagraph>(
                   section(report_document(request, answer), QStringLiteral("Recommendation")))
            .text;
    };
    // The same settings are no better.
    CHECK_FALSE(recommended().contains(QStringLiteral("times the tokens per second of A")));
    desk.window.model().apply_cluster(
        *desk.window.model().catalogue().find(PresetKind::cluster, "dgx-a100-80gb"));
    const double times = desk.window.model().pins().front().answer.estimate.tokens_per_s /
                         desk.window.model().answer().estimate.tokens_per_s;
    REQUIRE(times > 2);
    CHECK(recommended().startsWith(
        QStringLiteral("B makes %1 times the tokens per second of A on as many GPUs.")
            .arg(QString::number(times, 'f', 2))));
    desk.window.model().edit(P::gpus, 32);
    CHECK(recommended().contains(QStringLiteral("on 64 GPUs instead of 32.")));
}

TEST_CASE("report: the first page has verdict, comparison, recommendation and two figures", "[report]") {
    Desk desk;
    desk.window.action(ActionId::pin)->trigger();
    desk.type("cluster.gpus", QStringLiteral("128"));
    const Answer& answer = desk.window.model().answer();
    ReportRequest request = usual(answer);
    request.pins = desk.window.model().pins();
    const ReportDocument document = report_document(request, answer);
    QStringList titles;
    for (const ReportSection& one : document.answers) titles << one.title;
    CHECK(titles.join(QLatin1Char('|')) == QStringLiteral("Verdict|A against B|Recommendation"));
    // The verdict has the numbers of the headline, and the comparison both scenarios.
    QString words;
    for (const ReportSection& one : document.answers) {
        for (const ReportBlock& part : one.blocks) {
            if (const auto* paragraph = std::get_if<ReportParagraph>(&part))
                words += paragraph->text + QLatin1Char('\n');
            // Formulas and sources are in the appendix.
            if (const auto* table = std::get_if<ReportTable>(&part)) CHECK(table->formulas < 0);
        }
    }
    CHECK(words.contains(QString::fromStdString(text_of(Output::mfu, answer))));
    CHECK(words.contains(QStringLiteral("B differs from A in GPUs (64 instead of 128).")));
    const auto& table = block<ReportTable>(section(document, QStringLiteral("A against B")));
    REQUIRE(table.rows.size() == 2);
    CHECK(table.rows[0].front() == QStringLiteral("A"));
    CHECK(table.rows[1].front() == QStringLiteral("B"));
    // Half as many GPUs of nearly the same MFU make half as many tokens.
    const double times = request.pins.front().answer.estimate.tokens_per_s / answer.estimate.tokens_per_s;
    CHECK(times == Approx(0.5).epsilon(0.05));
    CHECK(words.contains(QString::number(times, 'f', 2) + QStringLiteral(" times")));
    const auto& figures = block<ReportRow>(section(document, QStringLiteral("Recommendation"))).figures;
    REQUIRE(figures.size() == 2);
    CHECK(figures[0].request.plot == "memory");
    CHECK(figures[1].request.plot == "waterfall");
    CHECK(section(document, QStringLiteral("Figures")).blocks.size() == usual_figures().size() - 2);
    // All of it is on one page of a PDF.
    const QTemporaryDir folder;
    const QString pdf = folder.filePath(QStringLiteral("report.pdf"));
    REQUIRE(desk.window.plots().export_report(pdf));
    const QStringList pages = pages_of_pdf(pdf);
    REQUIRE(pages.size() > 2);
    for (const char* word :
         {"Verdict", "AagainstB", "Recommendation", "Peakmemory", "Optimizer", "Compute"}) {
        INFO(word);
        CHECK(pages[0].contains(QLatin1String(word)));
    }
    CHECK_FALSE(pages[0].contains(QStringLiteral("Appendix")));
    CHECK(pages[1].contains(QStringLiteral("Appendix")));
}

TEST_CASE("report: in a PDF no heading stands alone at the end of a page", "[report]") {
    const QTemporaryDir folder;
    const Catalogue& catalogue = commands::catalogue();
    const auto packed = [](QString text) { return text.remove(QLatin1Char(' ')); };
    int headings = 0;
    // Models differ in the lengths of their sources, and so in where their pages end.
    const auto& models = catalogue.all(PresetKind::model);
    for (std::size_t i = 0; i < models.size(); i += 3) {
        const Answer answer = shardscope::answer(with_model(Scenario::first_launch(catalogue), *models[i]));
        if (!answer.valid()) continue;
        const ReportDocument document = report_document({}, answer);
        const QString path = folder.filePath(QStringLiteral("r.pdf"));
        QFile file(path);
        REQUIRE(file.open(QIODevice::WriteOnly));
        file.write(render_report({}, answer, path).front().bytes);
        file.close();
        const QStringList pages = pages_of_pdf(path);
        REQUIRE(pages.size() > 2);
        for (const ReportSection& one : document.appendix) {
            QStringList alone{packed(one.title)};
            if (const auto* table = std::get_if<ReportTable>(&one.blocks.front()))
                alone << packed(one.title + table->header.join(QString()));
            for (const QString& page : pages) {
                headings += page.contains(alone.back());
                for (const QString& words : alone) {
                    INFO(models[i]->name << ": " << words.toStdString());
                    CHECK_FALSE(page.contains(words + packed(document.title) + QStringLiteral("page")));
                }
            }
        }
    }
    CHECK(headings > 40);
}

TEST_CASE("report: the setting and the footer stand once, whatever the number of figures", "[report]") {
    const Answer answer = shardscope::answer(Scenario::first_launch(commands::catalogue()));
    const ReportDocument document = report_document(usual(answer), answer);
    QString words;
    QXmlStreamReader reader(render_report(usual(answer), answer, QStringLiteral("r.html")).front().bytes);
    while (!reader.atEnd()) {
        const auto token = reader.readNext();
        // The SVG's description and the script carry the scenario.
        if (token == QXmlStreamReader::StartElement &&
            (reader.name() == QStringLiteral("desc") || reader.name() == QStringLiteral("script")))
            reader.skipCurrentElement();
        else if (token == QXmlStreamReader::Characters) words += reader.text();
    }
    REQUIRE_FALSE(reader.hasError());
    CHECK(words.count(document.subtitle) == 1);
    CHECK(words.count(document.footer) == 1);
    CHECK(words.count(QStringLiteral("Plan: ")) == 1);
    CHECK(words.count(QStringLiteral("Shardscope " SHARDSCOPE_VERSION)) == 1);
}

TEST_CASE("report: if not all files can be written no new ones are left", "[report]") {
    const QTemporaryDir folder;
    const auto path = [&](const char* name) { return folder.filePath(QLatin1String(name)); };
    // A folder has the report's name.
    REQUIRE(QDir(folder.path()).mkdir(QStringLiteral("r.md")));
    Problems problems;
    std::string failed;
    CHECK_FALSE(
        write_files({{path("r-figures/a.svg"), "a"}, {path("r-figures/b.svg"), "b"}, {path("r.md"), "r"}},
                    problems, failed));
    CHECK(failed == path("r.md").toStdString());
    CHECK_FALSE(problems.empty());
    CHECK_FALSE(QFileInfo::exists(path("r-figures")));
    // Existing files keep the contents of the last attempt.
    REQUIRE(write_files({{path("r-figures/a.svg"), "old"}, {path("s.md"), "s"}}, problems, failed));
    CHECK_FALSE(
        write_files({{path("r-figures/a.svg"), "new"}, {path("r-figures/b.svg"), "b"}, {path("r.md"), "r"}},
                    problems, failed));
    CHECK(bytes_of(path("r-figures/a.svg")) == "old");
    CHECK_FALSE(QFileInfo::exists(path("r-figures/b.svg")));
}

}  // namespace shardscope::testing
