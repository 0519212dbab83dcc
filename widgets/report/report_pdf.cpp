#include <qcustomplot.h>

#include <QAbstractTextDocumentLayout>
#include <QPdfWriter>
#include <QTextCursor>
#include <QTextDocument>
#include <QTextObjectInterface>
#include <QTextTable>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "widgets/formula.h"
#include "widgets/plots/figure_page.h"
#include "widgets/plots/pdf_file.h"
#include "widgets/report/report_writers.h"
#include "widgets/text.h"
#include "widgets/theme/theme.h"

namespace shardscope {
namespace {

constexpr int kFigureObject = QTextFormat::UserObject + 1;
constexpr int kFigureIndex = QTextFormat::UserProperty + 1;
constexpr int kFigureScale = QTextFormat::UserProperty + 2;
constexpr QSizeF kPage{794, 1123};  // A4 in units of 1/96 inch
constexpr double kSide = (794 - kReportWidth) / 2.0;
constexpr double kHead = 56;
constexpr double kFoot = 64;  // contains the page number

constexpr double kCellPadding = 2;
constexpr double kBetweenColumns = 8;

QSizeF body() { return {kPage.width() - 2 * kSide, kPage.height() - kHead - kFoot}; }

// The width that a column needs for its longest word and for its longest text.
struct ColumnNeed {
    double least = 0;
    double whole = 0;
};
ColumnNeed need_of(const QStringList& texts, const QFontMetricsF& metrics) {
    ColumnNeed out;
    for (const QString& text : texts) {
        out.whole = std::max(out.whole, metrics.horizontalAdvance(text));
        for (const QString& word : text.split(QLatin1Char(' ')))
            out.least = std::max(out.least, metrics.horizontalAdvance(word));
    }
    constexpr double kRounding = 2;
    for (double* width : {&out.least, &out.whole})
        *width = std::ceil(*width) + kCellPadding + kBetweenColumns + kRounding;
    return out;
}

// Returns the widths of the columns. The widest ones are made narrower, to the same width, until all of them
// have space on the page, but each holds its longest word. The last column takes the rest if its text begins
// at the left.
std::vector<double> column_widths(const std::vector<ColumnNeed>& needs, bool fills) {
    const auto widths_up_to = [&](double most) {
        std::vector<double> out;
        for (const ColumnNeed& need : needs) out.push_back(std::max(need.least, std::min(need.whole, most)));
        return out;
    };
    const auto sum = [](const std::vector<double>& widths) {
        return std::accumulate(widths.begin(), widths.end(), 0.0);
    };
    const double page = body().width();
    double low = 0;
    double high = page;
    constexpr double kExact = 0.5;  // px
    while (high - low > kExact) {
        const double middle = (low + high) / 2;
        (sum(widths_up_to(middle)) <= page ? low : high) = middle;
    }
    std::vector<double> out = widths_up_to(low);
    const double used = sum(out);
    if (used > page) {
        for (double& width : out) width *= page / used;
    } else if (fills) {
        out.back() += page - used;
    }
    return out;
}

}  // namespace

// A figure in the text. It is painted, not embedded as an image, so that lines and text stay vectors.
class FigureObject : public QObject, public QTextObjectInterface {
    Q_OBJECT
    Q_INTERFACES(QTextObjectInterface)
  public:
    FigureObject(const Answer& answer, QObject* parent) : QObject(parent), answer_(answer) {}

    // Adds a figure and returns its index, which the format at its place in the text stores.
    int add(const ReportFigure& figure) {
        figures_.push_back(&figure);
        return static_cast<int>(figures_.size()) - 1;
    }

    // Sets the visible area. Figures outside are not painted, because a plot replaces the clip region.
    void set_page(const QRectF& area) { page_ = area; }

    QSizeF intrinsicSize(QTextDocument*, int, const QTextFormat& format) override {
        return QSizeF(request(format).size) * format.doubleProperty(kFigureScale);
    }
    void drawObject(QPainter* painter, const QRectF& rect, QTextDocument*, int,
                    const QTextFormat& format) override {
        if (!page_.intersects(rect)) return;
        painter->save();
        painter->translate(rect.topLeft());
        const double scale = rect.width() / request(format).size.width();
        painter->scale(scale, scale);
        // The document passes on the painter that it is drawn with, which is a QCPPainter.
        paint_page(static_cast<QCPPainter&>(*painter), request(format), answer_);
        painter->restore();
    }

  private:
    [[nodiscard]] const FigureRequest& request(const QTextFormat& format) const {
        return figures_[static_cast<std::size_t>(format.intProperty(kFigureIndex))]->request;
    }

    std::vector<const ReportFigure*> figures_;
    const Answer& answer_;
    QRectF page_;
};

namespace {

class PdfWriter {
    static constexpr double kSmall = 10;  // px: tables and the footer

  public:
    PdfWriter(const ReportDocument& document, const Answer& answer) : title_(document.title) {
        QFont font = page_font();
        text_.setDefaultFont(font);
        text_.setUseDesignMetrics(true);
        text_.setDocumentMargin(0);
        text_.setPageSize(body());
        // The handler is registered before any text exists, because a figure's size is requested only once.
        figures_ = new FigureObject(answer, &text_);
        text_.documentLayout()->registerHandler(kFigureObject, figures_);
        cursor_ = QTextCursor(&text_);
        cursor_.beginEditBlock();
        constexpr double kTitle = 22;
        constexpr double kHeading = 15;
        constexpr double kSubheading = 13;
        heading(document.title, kTitle, 0);
        add(ReportParagraph{document.subtitle});
        for (const ReportSection& section : document.answers) add(section, kHeading);
        heading(appendix_title(), kHeading, 0);
        QTextBlockFormat format = cursor_.blockFormat();
        format.setPageBreakPolicy(QTextFormat::PageBreak_AlwaysBefore);
        cursor_.setBlockFormat(format);
        for (const ReportSection& section : document.appendix) add(section, kSubheading);
        paragraph(16, 0);
        cursor_.insertText(document.footer, style(kSmall, false, Theme::print().muted));
        cursor_.endEditBlock();
        keep_headings_with_text();
    }

    void paint(QPagedPaintDevice& device, QCPPainter& painter) {
        const int pages = text_.pageCount();
        for (int page = 0; page < pages; ++page) {
            if (page > 0) device.newPage();
            painter.save();
            painter.translate(kSide, kHead - page * body().height());
            const QRectF area(0, page * body().height(), body().width(), body().height());
            figures_->set_page(area);
            text_.drawContents(&painter, area);
            painter.restore();
            painter.setFont(page_font());
            painter.setPen(Theme::print().muted);
            const QRectF foot(kSide, kPage.height() - kFoot, body().width(), kFoot / 2);
            painter.drawText(foot, Qt::AlignLeft | Qt::AlignBottom,
                             painter.fontMetrics().elidedText(title_, Qt::ElideRight,
                                                              static_cast<int>(foot.width() * 0.8)));
            painter.drawText(foot, Qt::AlignRight | Qt::AlignBottom,
                             tr("page %1 of %2").arg(page + 1).arg(pages));
        }
    }

  private:
    // Starts a new paragraph; the first call formats the empty paragraph at the start.
    void paragraph(double above, double below) {
        QTextBlockFormat format;
        format.setTopMargin(above);
        format.setBottomMargin(below);
        constexpr double kLine = 130;  // per cent
        format.setLineHeight(kLine, QTextBlockFormat::ProportionalHeight);
        if (text_.isEmpty()) cursor_.setBlockFormat(format);
        else cursor_.insertBlock(format);
    }
    static QTextCharFormat style(double pixels, bool bold, const QColor& color) {
        QFont font = page_font();
        font.setPixelSize(static_cast<int>(pixels));
        font.setBold(bold);
        QTextCharFormat out;
        out.setFont(font);
        out.setForeground(color);
        return out;
    }
    void heading(const QString& text, double pixels, double above) {
        paragraph(above, 4);
        cursor_.insertText(text, style(pixels, true, Theme::print().text));
        headings_.push_back(cursor_.block());
    }
    // Returns the end of what must be on the page of a heading: the first paragraph or figure below it, or
    // the first row of a table below the row of its titles.
    [[nodiscard]] double end_of_first(const QTextBlock& heading) const {
        QTextBlock below = heading.next();
        while (below.isValid() && below.length() <= 1) below = below.next();
        if (!below.isValid()) return 0;
        if (const QTextTable* table = QTextCursor(below).currentTable(); table && table->rows() > 1)
            below = table->cellAt(1, 0).lastCursorPosition().block();
        return text_.documentLayout()->blockBoundingRect(below).bottom();
    }
    // Moves a heading to the next page where what it announces begins there.
    void keep_headings_with_text() {
        const auto page_of = [](double y) { return std::floor(y / body().height()); };
        for (const QTextBlock& heading : headings_) {
            const double top = text_.documentLayout()->blockBoundingRect(heading).top();
            if (page_of(top) == page_of(end_of_first(heading) - 1)) continue;
            QTextBlockFormat format = heading.blockFormat();
            format.setPageBreakPolicy(QTextFormat::PageBreak_AlwaysBefore);
            QTextCursor(heading).setBlockFormat(format);
        }
    }
    void add(const ReportSection& section, double pixels) {
        heading(section.title, pixels, 16);
        for (const ReportBlock& block : section.blocks)
            std::visit([this](const auto& one) { add(one); }, block);
    }
    void add(const ReportParagraph& one) {
        paragraph(4, 4);
        cursor_.insertText(one.text, style(12, one.strong, Theme::print().text));
    }
    void add(const ReportList& list) {
        for (const QString& item : list.items) add(ReportParagraph{QStringLiteral("•  ") + item});
    }
    void add(const ReportTable& table) {
        QTextTableFormat format;
        format.setBorder(0);
        format.setCellPadding(kCellPadding);
        format.setCellSpacing(0);
        format.setTopMargin(6);
        format.setBottomMargin(6);
        format.setHeaderRowCount(1);
        const auto columns = static_cast<int>(table.header.size());
        const QFontMetricsF metrics(style(kSmall, true, {}).font());
        std::vector<ColumnNeed> needs;
        for (int column = 0; column < columns; ++column) {
            QStringList texts{table.header[column]};
            for (const QStringList& row : table.rows) texts << row.value(column);
            needs.push_back(need_of(texts, metrics));
        }
        QList<QTextLength> widths;
        for (const double width : column_widths(needs, table.numbers_from < 0))
            widths << QTextLength(QTextLength::FixedLength, width);
        format.setColumnWidthConstraints(widths);
        paragraph(0, 0);
        QTextTable* cells = cursor_.insertTable(static_cast<int>(table.rows.size()) + 1, columns, format);
        const auto fill = [&](int row, const QStringList& texts, const QTextCharFormat& look) {
            for (int column = 0; column < columns; ++column) {
                QTextTableCell cell = cells->cellAt(row, column);
                QTextTableCellFormat edge;
                edge.setBottomBorder(0.5);
                edge.setBottomBorderStyle(QTextFrameFormat::BorderStyle_Solid);
                edge.setBottomBorderBrush(Theme::print().line);
                edge.setPadding(kCellPadding);
                edge.setRightPadding(column + 1 < columns ? kBetweenColumns : kCellPadding);
                cell.setFormat(edge);
                QTextCursor at = cell.firstCursorPosition();
                if (table.numbers_from >= 0 && column >= table.numbers_from) {
                    QTextBlockFormat right;
                    right.setAlignment(Qt::AlignRight);
                    at.setBlockFormat(right);
                }
                if (column != table.formulas) {
                    at.insertText(texts.value(column), look);
                    continue;
                }
                for (const FormulaPart& part : formula_parts(texts.value(column))) {
                    QTextCharFormat face = look;
                    if (part.lowered) face.setVerticalAlignment(QTextCharFormat::AlignSubScript);
                    at.insertText(part.text, face);
                }
            }
        };
        fill(0, table.header, style(kSmall, true, Theme::print().muted));
        for (std::size_t i = 0; i < table.rows.size(); ++i)
            fill(static_cast<int>(i) + 1, table.rows[i], style(kSmall, false, Theme::print().text));
        cursor_.movePosition(QTextCursor::End);
    }
    void add(const ReportFigure& figure) { add_figures({&figure}); }
    void add(const ReportRow& row) {
        std::vector<const ReportFigure*> figures;
        for (const ReportFigure& figure : row.figures) figures.push_back(&figure);
        add_figures(figures);
    }
    // Adds figures to one line, scaled down together where they are wider than the page.
    void add_figures(const std::vector<const ReportFigure*>& figures) {
        double width = kReportGap * static_cast<double>(figures.size() - 1);
        for (const ReportFigure* figure : figures) width += figure->request.size.width();
        const double scale = std::min(1.0, body().width() / width);
        paragraph(8, 8);
        QTextBlockFormat whole;  // lines as high as the figures
        whole.setTopMargin(8);
        whole.setBottomMargin(8);
        cursor_.setBlockFormat(whole);
        for (const ReportFigure* figure : figures) {
            if (figure != figures.front()) cursor_.insertText(QStringLiteral(" "));
            QTextCharFormat format;
            format.setObjectType(kFigureObject);
            format.setProperty(kFigureIndex, figures_->add(*figure));
            format.setProperty(kFigureScale, scale);
            cursor_.insertText(QString(QChar::ObjectReplacementCharacter), format);
        }
    }

    QString title_;
    QTextDocument text_;
    QTextCursor cursor_;
    FigureObject* figures_ = nullptr;
    std::vector<QTextBlock> headings_;
};

}  // namespace

QByteArray report_pdf(const ReportDocument& document, const Answer& answer) {
    PdfWriter report(document, answer);
    return write_pdf(kPage, document.title, document.carries,
                     [&](QPdfWriter& device, QCPPainter& painter) { report.paint(device, painter); });
}

}  // namespace shardscope

#include "report_pdf.moc"
