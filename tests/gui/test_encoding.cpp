// Tests hostile titles and names in the window and its exports: they appear as text, whatever they contain.
#include <QAbstractItemView>
#include <QAction>
#include <QClipboard>
#include <QPdfWriter>
#include <QTableView>
#include <QTemporaryDir>
#include <QTextDocumentFragment>

#include "support/desk.h"
#include "support/hostile.h"
#include "support/outside_parsers.h"
#include "text/encode.h"
#include "widgets/carried_scenario.h"
#include "widgets/encode.h"
#include "widgets/panels/table_view.h"
#include "widgets/report/report.h"
#include "widgets/text.h"

namespace shardscope::testing {
namespace {

using nlohmann::json;

std::string quoted(const std::string& text) {
    return json(text).dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string model_preset(const std::string& title) {
    return R"({"format": "shardscope-preset", "version": 1, "kind": "model", "name": "mine", "title": )" +
           quoted(title) + R"(, "source": )" + quoted(title) +
           R"(, "values": {"layers": 4, "hidden_size": 256, "ffn_size": 1024, "heads": 4, "kv_heads": 4, "vocab_size": 1024}})";
}

// Returns the answer of a scenario with this name, and with a model whose title and source are the same text.
Answer answer_named(const std::string& name) {
    static int files = 0;
    static Problems none;
    static Catalogue presets = Catalogue::with_folder("", none);
    Problems problems;
    const Preset* model =
        presets.add(model_preset(name), "/models/" + std::to_string(++files) + ".json", problems);
    REQUIRE(model != nullptr);
    Scenario scenario =
        read_scenario(R"({"name": )" + quoted(name) + R"(, "cluster": {"gpus": 8}})", presets, {}, problems);
    REQUIRE(problems.empty());
    scenario = with_model(scenario, *model);
    scenario.give(P::micro_batch, 1);
    Answer out = answer(scenario);
    REQUIRE(out.valid());
    return out;
}

ReportRequest request_of(const Answer& answer, std::vector<FigureRequest> figures) {
    ReportRequest out;
    out.figures = std::move(figures);
    out.pins = {{'B', answer, {}}};
    out.carries = write_scenario(answer.scenario, false);
    return out;
}

std::vector<FigureRequest> one_figure() {
    std::vector<FigureRequest> out(1);
    out[0].plot = "memory";
    return out;
}

// Returns what the user sees of a text that Qt may read as markup.
QString seen(const QString& text) {
    return Qt::mightBeRichText(text) ? QTextDocumentFragment::fromHtml(text).toPlainText() : text;
}

}  // namespace

TEST_CASE("encoding: hostile names are text to every parser of exported figures and reports", "[encoding]") {
    ExternalParsers parsers;
    const QString folder = QStringLiteral("/nowhere/");
    // A report with plain names has the same elements in the same places.
    const Answer plain = answer_named("Plain");
    const auto written = [&](const Answer& answer, const char* file,
                             const std::vector<FigureRequest>& figures) {
        std::vector<ReportFile> files =
            render_report(request_of(answer, figures), answer, folder + QLatin1String(file));
        REQUIRE_FALSE(files.empty());
        return files.back().bytes.toStdString();
    };
    const auto svg = [](const Answer& answer, const char* plot) {
        FigureRequest figure;
        figure.plot = plot;
        return render_figure(figure, answer, FigureFormat::svg).toStdString();
    };
    const std::string plain_html = parsers.keep(written(plain, "r.html", {}));
    const std::string plain_page = parsers.keep(written(plain, "r.html", usual_figures()));
    const std::string plain_markdown = parsers.keep(written(plain, "r.md", one_figure()));
    const std::string plain_svg = parsers.keep(svg(plain, "memory"));
    int count = 0;
    for (const std::string& text : hostile_texts(20)) {
        const Answer found = answer_named(text);
        const std::string title = found.scenario.name;
        if (title.find_first_not_of(' ') == std::string::npos) continue;
        const json entry{{"text", title}, {"title", title}, {"place", {"name"}}};
        const auto of = [&](const std::string& other) {
            json out = entry;
            out["plain"] = other;
            return out;
        };
        const auto figures_of = [&](const std::string& other) {
            json out = of(other);
            out["figures"] = true;
            return out;
        };
        parsers.add("html", written(found, "r.html", {}), of(plain_html));
        json shown = of(plain_markdown);
        shown["shown_in"] = {"h1"};
        parsers.add("markdown", written(found, "r.md", one_figure()), shown);
        parsers.add("xml", svg(found, "memory"), of(plain_svg));
        constexpr int kSome = 40;  // a part of them, because all figures take long
        if (count++ % kSome == 0)
            parsers.add("html", written(found, "r.html", usual_figures()), figures_of(plain_page));
        for (const char* plot : {"plans", "scaling"}) {
            FigureRequest figure;
            figure.plot = plot;
            if (count % kSome == 1)
                parsers.add("table", render_figure(figure, found, FigureFormat::csv).toStdString());
        }
        FigureRequest figure;
        figure.plot = "memory";
        const QByteArray pdf = render_figure(figure, found, FigureFormat::pdf);
        CHECK(json::parse(carried_scenario(pdf).toStdString())["name"] == title);
        figure.scale = 1;  // the name does not depend on the pixels
        const QByteArray png = render_figure(figure, found, FigureFormat::png);
        CHECK(json::parse(carried_scenario(png).toStdString())["name"] == title);
    }
    parsers.judge();
}

TEST_CASE("encoding: HTML only contains what XML can contain", "[encoding]") {
    CHECK(html_text(QStringLiteral("<a & \"b\">")) == QStringLiteral("&lt;a &amp; &quot;b&quot;&gt;"));
    CHECK(html_text(QString(QChar(1)) + QChar(0xFFFF) + QChar(0xD800) + QStringLiteral("🦙")) ==
          QString(3, QChar::ReplacementCharacter) + QStringLiteral("🦙"));
    CHECK(seen(tool_tip(QStringLiteral("<b>x</b>"))) == QStringLiteral("<b>x</b>"));
    CHECK(tool_tip(QStringLiteral("a & b")) == QStringLiteral("a & b"));
    CHECK(seen(wrapped_tool_tip(QStringLiteral("a\n<b>"))) == QStringLiteral("a\n<b>"));
    CHECK(window_title(QStringLiteral("a[*]")) == QStringLiteral("a[*][*]"));
}

TEST_CASE("encoding: the window shows markup and access keys in names unchanged", "[encoding][window]") {
    const Folder folder;
    const std::string name = "<img src=x> <b>A&B</b>";
    folder.write("model.json", model_preset(name));
    folder.write("s.json", R"({"name": )" + quoted(name) + R"(, "model": {"preset": "model.json"}})");
    Desk desk;
    REQUIRE(desk.window.documents().open(QString::fromStdString(folder.file("s.json"))));
    desk.window.model().pin();
    QApplication::processEvents();
    const QString wanted = QString::fromStdString(name);
    CHECK(desk.window.windowTitle().contains(wanted));
    CHECK(desk.find<QToolButton>("picker/model")->accessibleName().contains(wanted));
    // The button shows the beginning of a long name.
    CHECK(desk.find<QToolButton>("picker/model")->text().contains(action_text(wanted.left(10))));
    // The message about a file quotes its content.
    folder.write("bad.json", R"({"model": {"preset": )" + quoted(name) + "}}");
    CHECK_FALSE(desk.window.documents().open(QString::fromStdString(folder.file("bad.json"))));
    CHECK(desk.text("message/text").contains(wanted));

    int shown = 0;
    const auto check = [&](const QString& text, const QString& seen_as, const QString& where) {
        if (!text.contains(QStringLiteral("src=x"))) return;
        INFO(where.toStdString() << ": " << text.toStdString());
        ++shown;
        CHECK(seen_as.contains(wanted));
    };
    for (const QWidget* widget : QApplication::allWidgets()) {
        const QString where =
            QString::fromLatin1(widget->metaObject()->className()) + ' ' + widget->objectName();
        check(widget->toolTip(), seen(widget->toolTip()), where + QStringLiteral(", tool tip"));
        if (const auto* label = qobject_cast<const QLabel*>(widget))
            check(label->text(), label->textFormat() == Qt::PlainText ? label->text() : seen(label->text()),
                  where);
        if (const auto* view = qobject_cast<const QAbstractItemView*>(widget); view && view->model()) {
            for (int row = 0; row < view->model()->rowCount(); ++row) {
                for (int column = 0; column < view->model()->columnCount(); ++column) {
                    const QString tip = view->model()->index(row, column).data(Qt::ToolTipRole).toString();
                    check(tip, seen(tip), where + QStringLiteral(", tool tip of a cell"));
                }
            }
        }
    }
    for (const QAction* action : desk.window.findChildren<QAction*>())
        check(action->toolTip(), seen(action->toolTip()),
              action->objectName() + QStringLiteral(", tool tip"));
    CHECK(shown >= 3);
}

TEST_CASE("encoding: text copied from a table is no formula in a spreadsheet", "[encoding]") {
    TableView view(QStringLiteral("<b>[*]</b>"), {{"name", "value[1]"}, {{"=1+1", "-1"}, {"a\tb", "2"}}}, {});
    auto* grid = view.findChild<QTableView*>("table");
    grid->clearSelection();
    view.findChild<QAbstractButton*>("table/copy")->click();
    CHECK(QApplication::clipboard()->text() == QStringLiteral("name\tvalue[1]\n'=1+1\t-1\n\"a\tb\"\t2\n"));
    CHECK(seen(grid->model()->headerData(0, Qt::Horizontal, Qt::ToolTipRole).toString()) ==
          QStringLiteral("name"));
}

TEST_CASE("the numbers of a column of a table have one format, and names are words", "[gui][table]") {
    const PlotTable table{{"peak_memory[GiB]", "gpus[1]", "share[1]", "wall"},
                          {{"11.21880001", "8", "0.5", "memory-bandwidth"},
                           {"10.989", "1024", "0.00000125", "inter-node"},
                           {"-9", "16384", "", "own text"},
                           {"10", "8", "0.25", "host-link"}}};
    TableView view(QStringLiteral("table"), table, {});
    const QAbstractItemModel& rows = *view.findChild<QTableView*>("table")->model();
    const auto cell = [&](int row, int column) { return rows.index(row, column).data().toString(); };
    CHECK(cell(0, 0) == QStringLiteral("11.2188"));
    CHECK(cell(1, 0) == QStringLiteral("10.9890"));
    CHECK(cell(2, 0) == QStringLiteral("−9.0000"));
    CHECK(cell(1, 1) == QStringLiteral("1,024"));
    CHECK(cell(0, 2) == QStringLiteral("0.500000"));
    CHECK(cell(1, 2) == QStringLiteral("1.25e−06"));  // not 0.000001
    CHECK(cell(0, 3) == QStringLiteral("memory bandwidth"));
    CHECK(cell(1, 3) == QStringLiteral("inter-node"));
    CHECK(cell(2, 3) == QStringLiteral("own text"));
    CHECK(cell(3, 3) == QStringLiteral("host link"));
    CHECK(rows.headerData(0, Qt::Horizontal, Qt::DisplayRole).toString() ==
          QStringLiteral("Peak memory, GiB"));
}

}  // namespace shardscope::testing
