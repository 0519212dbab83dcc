// Text as HTML and Qt's widgets take it, as base/encode.h has it for the engine's outputs: the only place
// where it is escaped for them.
#pragma once

#include <QString>

namespace shardscope {

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

}  // namespace shardscope
