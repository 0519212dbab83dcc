// Reads the texts of an SVG figure with Qt's own XML parser.
#pragma once

#include <QByteArray>
#include <QStringList>
#include <QXmlStreamReader>

namespace shardscope::testing {

struct Svg {
    bool parses = false;
    QStringList texts;
};
inline Svg read_svg(const QByteArray& bytes) {
    Svg out;
    QXmlStreamReader reader(bytes);
    while (!reader.atEnd()) {
        if (reader.readNext() == QXmlStreamReader::StartElement && reader.name() == QLatin1String("text")) {
            out.texts.append(reader.readElementText().trimmed());
        }
    }
    out.parses = !reader.hasError();
    return out;
}

}  // namespace shardscope::testing
