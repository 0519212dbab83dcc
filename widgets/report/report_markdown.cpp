#include <QFileInfo>
#include <QUrl>

#include "text/encode.h"
#include "widgets/report/report_writers.h"
#include "widgets/text.h"

namespace shardscope {
namespace {

QString escaped(const QString& text) { return text_of(markdown_text(text.toStdString())); }

class MarkdownWriter {
  public:
    MarkdownWriter(const ReportDocument& document, const Answer& answer, const QString& path)
        : answer_(answer), path_(path) {
        QString text =
            QStringLiteral("# %1\n\n%2\n").arg(escaped(document.title), escaped(document.subtitle));
        for (const ReportSection& section : document.answers) text += words(section, QStringLiteral("##"));
        text += QStringLiteral("\n## %1\n").arg(escaped(appendix_title()));
        for (const ReportSection& section : document.appendix) text += words(section, QStringLiteral("###"));
        text += QStringLiteral("\n### %1\n\n```json\n%2\n```\n\n%3\n")
                    .arg(tr("The scenario"), QString::fromUtf8(document.carries), escaped(document.footer));
        files_.push_back({path, text.toUtf8()});
    }
    [[nodiscard]] std::vector<ReportFile> files() && { return std::move(files_); }

  private:
    QString words(const ReportSection& section, const QString& level) {
        QString out = QStringLiteral("\n%1 %2\n").arg(level, escaped(section.title));
        for (const ReportBlock& block : section.blocks)
            out += QLatin1Char('\n') + std::visit([this](const auto& one) { return words(one); }, block);
        return out;
    }
    static QString words(const ReportParagraph& paragraph) {
        return (paragraph.strong ? QStringLiteral("**%1**\n") : QStringLiteral("%1\n"))
            .arg(escaped(paragraph.text));
    }
    static QString words(const ReportList& list) {
        QString out;
        for (const QString& item : list.items) out += QStringLiteral("- %1\n").arg(escaped(item));
        return out;
    }
    static QString words(const ReportTable& table) {
        const auto line = [](const QStringList& cells) {
            return QStringLiteral("| %1 |\n").arg(cells.join(QStringLiteral(" | ")));
        };
        const auto row = [&](const QStringList& cells) {
            QStringList out;
            for (const QString& cell : cells) out << escaped(cell);
            return line(out);
        };
        QStringList rules;
        for (int i = 0; i < table.header.size(); ++i)
            rules << (table.numbers_from >= 0 && i >= table.numbers_from ? QStringLiteral("---:")
                                                                         : QStringLiteral("---"));
        QString out = row(table.header) + line(rules);
        for (const QStringList& cells : table.rows) out += row(cells);
        return out;
    }
    QString words(const ReportFigure& figure) {
        const QFileInfo report(path_);
        const QString name =
            QStringLiteral("%1-figures/%2.svg").arg(report.completeBaseName(), text_of(figure.request.plot));
        files_.push_back({report.path() + QLatin1Char('/') + name,
                          render_figure(figure.request, answer_, FigureFormat::svg)});
        return QStringLiteral("![%1](%2)\n")
            .arg(escaped(figure.title), QString::fromLatin1(QUrl::toPercentEncoding(name, "/")));
    }
    QString words(const ReportRow& row) {
        QString out;
        for (const ReportFigure& figure : row.figures) out += words(figure);
        return out;
    }

    const Answer& answer_;
    QString path_;
    std::vector<ReportFile> files_;
};

}  // namespace

std::vector<ReportFile> report_markdown(const ReportDocument& document, const Answer& answer,
                                        const QString& path) {
    return MarkdownWriter(document, answer, path).files();
}

}  // namespace shardscope
