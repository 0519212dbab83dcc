#include "widgets/carried_scenario.h"

#include <QBuffer>
#include <QImageReader>
#include <QXmlStreamReader>
#include <QtEndian>

namespace shardscope {
namespace {

QByteArray between(const QByteArray& file, const QByteArray& open, const QByteArray& close) {
    const qsizetype from = file.indexOf(open);
    const qsizetype to = from < 0 ? -1 : file.indexOf(close, from + open.size());
    return to < 0 ? QByteArray() : file.mid(from + open.size(), to - from - open.size());
}

QByteArray text_of_element(const QByteArray& xml, const QString& name) {
    QXmlStreamReader reader(xml);
    while (!reader.atEnd()) {
        if (reader.readNext() == QXmlStreamReader::StartElement && reader.qualifiedName() == name)
            return reader.readElementText().toUtf8();
    }
    return {};
}

// Returns whether every chunk up to the first image chunk lies within the file. libpng allocates the length
// that a chunk declares, up to two gigabytes, before it reads the chunk.
bool has_whole_chunks(const QByteArray& png) {
    constexpr qsizetype kSignature = 8;
    constexpr qsizetype kFrame = 12;  // length, type and checksum
    for (qsizetype at = kSignature; at + kFrame <= png.size();) {
        const auto length = static_cast<qsizetype>(qFromBigEndian<quint32>(png.constData() + at));
        if (length > png.size() - at - kFrame) return false;
        if (png.mid(at + 4, 4) == "IDAT") return true;
        at += kFrame + length;
    }
    return false;
}

QByteArray carried_by_png(const QByteArray& file) {
    if (!has_whole_chunks(file)) return {};
    QBuffer buffer;
    buffer.setData(file);
    buffer.open(QIODevice::ReadOnly);
    return QImageReader(&buffer, "PNG").text(QString::fromLatin1(kScenarioInPng)).toUtf8();
}

// The metadata stream is not compressed, so it can be found without parsing the PDF's structure.
QByteArray carried_by_pdf(const QByteArray& file) {
    const QByteArray name(kScenarioInPdf);
    return text_of_element("<json>" + between(file, '<' + name + '>', "</" + name + '>') + "</json>",
                           QStringLiteral("json"));
}

}  // namespace

QByteArray carried_scenario(const QByteArray& file) {
    if (file.startsWith("\x89PNG")) return carried_by_png(file);
    if (file.startsWith("%PDF")) return carried_by_pdf(file);
    if (file.startsWith("<!DOCTYPE html>")) return between(file, kScenarioInHtml, "</script>").trimmed();
    // These patterns also match if a transfer has changed the line ends.
    if (file.startsWith("# ")) return between(file, "\n```json", "\n```").trimmed();
    return text_of_element(file, QStringLiteral("desc"));
}

}  // namespace shardscope
