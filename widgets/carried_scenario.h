// The scenario that a figure or a report carries: where it stands in a file of each format, and its reader.
//
// SVG: the text of the first <desc>. PNG: a text chunk. PDF: an element of the XMP metadata. HTML: a script
// element of JSON in the head. Markdown: the first code block of JSON.
#pragma once

#include <QByteArray>

namespace shardscope {

inline constexpr const char* kScenarioInPng = "shardscope-scenario";  // the text chunk's keyword
inline constexpr const char* kScenarioInPdf = "shardscope:scenario";  // the element's name
inline constexpr const char* kScenarioInHtml = R"(<script type="application/json" id="shardscope-scenario">)";

// The JSON of the scenario that the file carries; empty where it carries none.
QByteArray carried_scenario(const QByteArray& file);

}  // namespace shardscope
