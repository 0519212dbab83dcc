#include "widgets/carried_scenario.h"
#include "widgets/encode.h"
#include "widgets/formula.h"
#include "widgets/report/report_writers.h"
#include "widgets/text.h"

namespace shardscope {
namespace {

// The style is for screen and paper. It uses no script and no external files.
constexpr const char* kStyle = R"css(
body { margin: 0 auto; max-width: 60rem; padding: 2rem 1.25rem 4rem; color: #1d2126; background: #fff;
       font: 15px/1.5 system-ui, "Segoe UI", "DejaVu Sans", sans-serif; }
h1 { margin: 0; font-size: 1.7rem; line-height: 1.25; }
.subtitle { margin: .3rem 0 2rem; color: #59626d; }
h2 { margin: 2rem 0 .6rem; padding-bottom: .25rem; border-bottom: 1px solid #d7dce1; font-size: 1.15rem; }
h3 { margin: 2rem 0 .4rem; font-size: 1rem; }
p.strong { font-weight: 600; }
.table { overflow-x: auto; }
table { margin: .8rem 0; border-collapse: collapse; font-size: .86rem; font-variant-numeric: tabular-nums; }
th, td { padding: .28rem .9rem .28rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid #e8ebee; }
th { color: #59626d; font-weight: 600; }
.number { padding-left: .9rem; padding-right: 0; text-align: right; white-space: nowrap; }
figure { margin: 1.2rem 0 1.8rem; }
figure svg { max-width: 100%; height: auto; }
.row { display: flex; flex-wrap: wrap; gap: 0 2rem; }
.appendix { margin-top: 3.5rem; }
footer { margin-top: 3rem; color: #59626d; font-size: .82rem; }
@media print { body { max-width: none; padding: 0; font-size: 10pt; } figure, tr { break-inside: avoid; }
               h2, h3 { break-after: avoid; } .appendix { break-before: page; margin-top: 0; } }
)css";

class HtmlWriter {
  public:
    HtmlWriter(const ReportDocument& document, const Answer& answer) : answer_(answer) {
        out_ = "<!DOCTYPE html>\n<html lang=\"";
        text(tr("en"));  // the language code, which every catalogue translates to its own
        out_ +=
            "\">\n<head>\n<meta charset=\"utf-8\"/>\n"
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
            "<meta name=\"generator\" content=\"Shardscope " SHARDSCOPE_VERSION "\"/>\n<title>";
        text(document.title);
        out_ += "</title>\n<style>";
        out_ += kStyle;
        out_ += "</style>\n";
        // With these characters escaped, nothing in the JSON can begin a tag.
        QByteArray carried = document.carries;
        out_ += kScenarioInHtml + carried.replace("<", "\\u003c").replace("&", "\\u0026") +
                "</script>\n</head>\n<body>\n<h1>";
        text(document.title);
        out_ += "</h1>\n<p class=\"subtitle\">";
        text(document.subtitle);
        out_ += "</p>\n";
        for (const ReportSection& section : document.answers) add(section, "h2");
        out_ += "<div class=\"appendix\">\n<h2>";
        text(appendix_title());
        out_ += "</h2>\n";
        for (const ReportSection& section : document.appendix) add(section, "h3");
        out_ += "</div>\n<footer><p>";
        text(document.footer);
        out_ += "</p>\n<p>";
        text(tr("Drop this file on the window of Shardscope to open the scenario."));
        out_ += "</p></footer>\n</body>\n</html>\n";
    }
    [[nodiscard]] const QByteArray& bytes() const { return out_; }

  private:
    void text(const QString& plain) { out_ += html_text(plain).toUtf8(); }

    void add(const ReportSection& section, const QByteArray& heading) {
        out_ += "<section>\n<" + heading + '>';
        text(section.title);
        out_ += "</" + heading + ">\n";
        for (const ReportBlock& block : section.blocks)
            std::visit([this](const auto& one) { add(one); }, block);
        out_ += "</section>\n";
    }
    void add(const ReportParagraph& paragraph) {
        out_ += paragraph.strong ? "<p class=\"strong\">" : "<p>";
        text(paragraph.text);
        out_ += "</p>\n";
    }
    void add(const ReportList& list) {
        out_ += "<ul>\n";
        for (const QString& item : list.items) {
            out_ += "<li>";
            text(item);
            out_ += "</li>\n";
        }
        out_ += "</ul>\n";
    }
    void row(const QStringList& cells, const char* tag, const ReportTable& table) {
        out_ += "<tr>";
        for (qsizetype i = 0; i < cells.size(); ++i) {
            const bool number = table.numbers_from >= 0 && i >= table.numbers_from;
            out_ += QByteArray("<") + tag + (number ? " class=\"number\">" : ">");
            out_ += (i == table.formulas ? formula_html(cells[i]) : html_text(cells[i])).toUtf8();
            out_ += QByteArray("</") + tag + '>';
        }
        out_ += "</tr>\n";
    }
    void add(const ReportTable& table) {
        out_ += "<div class=\"table\"><table>\n<thead>\n";
        row(table.header, "th", table);
        out_ += "</thead>\n<tbody>\n";
        for (const QStringList& cells : table.rows) row(cells, "td", table);
        out_ += "</tbody>\n</table></div>\n";
    }
    void add(const ReportFigure& figure) {
        QByteArray svg = render_figure(figure.request, answer_, FigureFormat::svg);
        // An inline SVG has no XML prologue.
        svg = svg.mid(svg.indexOf("<svg"));
        out_ += "<figure role=\"img\" aria-label=\"";
        text(figure.title);
        out_ += "\">\n" + svg + "</figure>\n";
    }
    void add(const ReportRow& row) {
        out_ += "<div class=\"row\">\n";
        for (const ReportFigure& figure : row.figures) add(figure);
        out_ += "</div>\n";
    }

    const Answer& answer_;
    QByteArray out_;
};

}  // namespace

QByteArray report_html(const ReportDocument& document, const Answer& answer) {
    return HtmlWriter(document, answer).bytes();
}

}  // namespace shardscope
