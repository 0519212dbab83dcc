#include "widgets/plots/pdf_file.h"
#include "widgets/encode.h"

#include <qcustomplot.h>

#include <QBuffer>
#include <QPageSize>
#include <QPdfWriter>

#include "widgets/carried_scenario.h"

namespace shardscope {
namespace {

QByteArray xmp_packet(const QByteArray& json) {
    QByteArray out =
        "<?xpacket begin=\"\xEF\xBB\xBF\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?>\n"
        "<x:xmpmeta xmlns:x=\"adobe:ns:meta/\"><rdf:RDF "
        "xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\">"
        "<rdf:Description rdf:about=\"\" xmlns:xmp=\"http://ns.adobe.com/xap/1.0/\" "
        "xmlns:shardscope=\"https://shardscope.org/xmp/1/\">";
    out += "<xmp:CreatorTool>" + QByteArray("Shardscope " SHARDSCOPE_VERSION) + "</xmp:CreatorTool>";
    out += QByteArray("<") + kScenarioInPdf + '>' + html_text(QString::fromUtf8(json)).toUtf8() + "</" +
           kScenarioInPdf + '>';
    out += "</rdf:Description></rdf:RDF></x:xmpmeta>\n<?xpacket end=\"w\"?>\n";
    return out;
}

// Replaces the creation date, the only thing in Qt's PDF that differs between two runs. Its length differs
// between time zones: "Z" is written for UTC, else "+09'00'". So everything after the date moves, and with it
// the offsets in the table of objects.
void fix_creation_date(QByteArray& pdf) {
    const QByteArray key = "/CreationDate (D:";
    const QByteArray fixed = "20000101000000Z";
    const QByteArray start = "startxref\n";
    const qsizetype from = pdf.indexOf(key) + key.size();
    const qsizetype end = pdf.indexOf(')', from);
    const qsizetype start_at = pdf.lastIndexOf(start) + start.size();
    const qsizetype start_end = pdf.indexOf(' ', start_at);
    const qsizetype table = pdf.mid(start_at, start_end - start_at).toLongLong();
    const qsizetype table_end = pdf.indexOf("trailer", table);
    // A PDF of another structure was not written by this version of Qt. It is left unchanged, so that it
    // stays valid.
    if (from < key.size() || start_at < end || table < end || table_end < 0 || pdf.mid(table, 5) != "xref\n")
        return;
    const qsizetype moved = fixed.size() - (end - from);

    // Edit from the end of the file, so that no position moves before it is edited.
    pdf.replace(start_at, start_end - start_at, QByteArray::number(table + moved));
    // An entry has ten digits of offset, a generation, and n if it is in use.
    constexpr qsizetype kDigits = 10;
    constexpr qsizetype kEntry = 20;
    constexpr qsizetype kUse = 17;
    const qsizetype first = pdf.indexOf('\n', table + 5) + 1;
    for (qsizetype at = first; at + kEntry <= table_end; at += kEntry) {
        const qsizetype offset = pdf.mid(at, kDigits).toLongLong();
        if (pdf[at + kUse] == 'n' && offset > from)
            pdf.replace(at, kDigits, QByteArray::number(offset + moved).rightJustified(kDigits, '0'));
    }
    pdf.replace(from, end - from, fixed);
}

}  // namespace

QByteArray write_pdf(const QSizeF& page, const QString& title, const QByteArray& scenario_json,
                     const std::function<void(QPdfWriter&, QCPPainter&)>& paint) {
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    {
        QPdfWriter writer(&buffer);
        // The resolution is finer than the layout's unit, because glyphs are placed on the writer's grid.
        constexpr int kFiner = 10;
        constexpr double kPointsPerUnit = 72.0 / kUnitsPerInch;
        writer.setPdfVersion(QPagedPaintDevice::PdfVersion_1_6);
        writer.setResolution(kUnitsPerInch * kFiner);
        writer.setPageSize(QPageSize(page * kPointsPerUnit, QPageSize::Point, {}, QPageSize::ExactMatch));
        writer.setPageMargins(QMarginsF(0, 0, 0, 0));
        writer.setTitle(title);
        writer.setCreator(QStringLiteral("Shardscope " SHARDSCOPE_VERSION));
        writer.setDocumentXmpMetadata(xmp_packet(scenario_json));
        QCPPainter painter(&writer);
        painter.setModes(QCPPainter::pmVectorized | QCPPainter::pmNoCaching);
        painter.scale(kFiner, kFiner);
        paint(writer, painter);
    }
    QByteArray out = buffer.data();
    fix_creation_date(out);
    return out;
}

}  // namespace shardscope
