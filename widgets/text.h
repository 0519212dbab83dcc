// Texts of the engine as Qt's, and texts of what is no QObject in the language spoken.
#pragma once

#include <QCoreApplication>
#include <QString>
#include <string_view>

#include "base/said.h"

namespace shardscope {

inline QString text_of(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

// What a preset says of itself, in the language spoken. The catalogue has the words of the studies and
// calibrations that ship (`./dev translate` finds them); names, and what presets of one's own say, stay as
// they are.
inline QString preset_text(std::string_view text) { return text_of(said(text)); }

// The text with U+FFFD in place of what XML cannot hold.
QString xml_characters(QString text);
// HTML, and XML, that shows the text as it is, as far as XML can hold it.
QString html_text(const QString& plain);
// A tool tip that shows the text as it is, whatever Qt would take for markup.
QString tool_tip(const QString& plain);
// The same as rich text, so that a long text wraps.
QString wrapped_tool_tip(const QString& plain);
// The text of an action or a button that shows every & instead of taking it for an access key.
QString action_text(const QString& plain);
// A window's title that shows "[*]" instead of taking it for the mark of what is not saved.
QString window_title(const QString& plain);

// As QObject::tr; the catalogue tells no contexts apart.
inline QString tr(const char* english) { return QCoreApplication::translate("", english); }

}  // namespace shardscope
