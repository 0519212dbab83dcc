// Reads the text of a PDF that Qt wrote, without its spaces: each font's own map turns glyphs into letters.
#pragma once

#include <QByteArray>
#include <QFile>
#include <QHash>
#include <QRegularExpression>
#include <QString>
#include <QStringList>
#include <QtEndian>

namespace shardscope::testing {

// Returns every stream of the file, inflated if it is deflated.
inline QList<QByteArray> streams_of_pdf(const QByteArray& file) {
    QList<QByteArray> out;
    for (qsizetype at = file.indexOf("stream\n"); at >= 0; at = file.indexOf("stream\n", at + 7)) {
        if (at >= 3 && file.mid(at - 3, 3) == "end") continue;
        const qsizetype begin = at + 7;
        const qsizetype end = file.indexOf("endstream", begin);
        const QByteArray body = file.mid(begin, end - begin);
        // qUncompress needs the uncompressed size in front; an estimate is enough.
        QByteArray sized(4, '\0');
        qToBigEndian<quint32>(static_cast<quint32>(16 * body.size()), sized.data());
        constexpr char kDeflated = 0x78;
        out.append(body.startsWith(kDeflated) ? qUncompress(sized + body) : body);
    }
    return out;
}

// Returns the text of each page.
inline QStringList pages_of_pdf(const QString& path) {
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) return {};
    const QList<QByteArray> streams = streams_of_pdf(file.readAll());
    QList<QHash<int, QChar>> fonts;
    for (const QByteArray& stream : streams) {
        if (!stream.contains("beginbfrange") && !stream.contains("beginbfchar")) continue;
        QHash<int, QChar> letters;
        const QRegularExpression range(
            QStringLiteral("<([0-9a-fA-F]+)>\\s*<([0-9a-fA-F]+)>\\s*(?:\\[([^\\]]*)\\]|<([0-9a-fA-F]+)>)"));
        auto found = range.globalMatch(QString::fromLatin1(stream.mid(stream.indexOf("beginbf"))));
        while (found.hasNext()) {
            const auto match = found.next();
            const int first = match.captured(1).toInt(nullptr, 16);
            const int last = match.captured(2).toInt(nullptr, 16);
            const QStringList listed = match.captured(3).split(QLatin1Char('>'), Qt::SkipEmptyParts);
            for (int glyph = first; glyph <= last && glyph - first < 65536; ++glyph) {
                const int i = glyph - first;
                int letter = match.captured(4).toInt(nullptr, 16) + i;
                if (i < listed.size())
                    letter = QString(listed[i]).remove(QLatin1Char('<')).trimmed().toInt(nullptr, 16);
                letters[glyph] = QChar(letter);
            }
        }
        fonts.append(letters);
    }
    QStringList out;
    for (const QByteArray& stream : streams) {
        static const QRegularExpression shown(QStringLiteral("<([0-9a-fA-F]{4,})>\\s*Tj"));
        if (!shown.match(QString::fromLatin1(stream)).hasMatch()) continue;
        // The font of a glyph is not tracked: the text is read with each font in turn.
        QString page;
        for (const auto& letters : fonts) {
            auto found = shown.globalMatch(QString::fromLatin1(stream));
            while (found.hasNext()) {
                const QString glyphs = found.next().captured(1);
                for (qsizetype i = 0; i + 4 <= glyphs.size(); i += 4)
                    page += letters.value(glyphs.mid(i, 4).toInt(nullptr, 16), QLatin1Char(' '));
            }
            page += QLatin1Char('\n');
        }
        page.removeIf([](QChar letter) { return letter.isSpace(); });
        out.append(page);
    }
    return out;
}

inline QString text_of_pdf(const QString& path) { return pages_of_pdf(path).join(QString()); }

}  // namespace shardscope::testing
