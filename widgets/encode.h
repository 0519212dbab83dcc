// Escapes text for HTML and for Qt's widgets. This is the only place that does so; text/encode.h escapes the
// engine's outputs.
#pragma once

#include <QString>

namespace shardscope {

// Returns the text with U+FFFD in place of characters that XML does not allow.
QString xml_characters(QString text);
// Escapes the text for HTML and XML; characters that XML does not allow become U+FFFD.
QString html_text(const QString& plain);
// Returns a tool tip that shows the text literally, even if Qt would interpret it as markup.
QString tool_tip(const QString& plain);
// Does the same, but always as rich text, so that a long text wraps.
QString wrapped_tool_tip(const QString& plain);
// Escapes every & in the text of an action or a button, so that it is shown and marks no access key.
QString action_text(const QString& plain);
// Escapes "[*]" in a window title, so that it is shown and does not act as Qt's mark of unsaved changes.
QString window_title(const QString& plain);

}  // namespace shardscope
