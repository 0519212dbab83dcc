#include "widgets/encode.h"

#include <QTextDocument>

namespace shardscope {

QString xml_characters(QString text) {
    for (qsizetype i = 0; i < text.size(); ++i) {
        const QChar c = text[i];
        const bool control = c < QLatin1Char(' ') && c != QLatin1Char('\t') && c != QLatin1Char('\n') &&
                             c != QLatin1Char('\r');
        const bool pair = c.isHighSurrogate() && i + 1 < text.size() && text[i + 1].isLowSurrogate();
        if (pair) ++i;
        else if (control || c.isSurrogate() || c.unicode() >= 0xFFFE) text[i] = QChar::ReplacementCharacter;
    }
    return text;
}

QString html_text(const QString& plain) { return xml_characters(plain.toHtmlEscaped()); }

QString tool_tip(const QString& plain) {
    return Qt::mightBeRichText(plain) ? wrapped_tool_tip(plain) : plain;
}

QString wrapped_tool_tip(const QString& plain) {
    return QStringLiteral("<span>%1</span>")
        .arg(html_text(plain).replace(QLatin1Char('\n'), QLatin1String("<br>")));
}

QString action_text(const QString& plain) {
    return QString(plain).replace(QLatin1Char('&'), QLatin1String("&&"));
}

QString window_title(const QString& plain) {
    return QString(plain).replace(QLatin1String("[*]"), QLatin1String("[*][*]"));
}

}  // namespace shardscope
