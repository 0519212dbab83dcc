// Reads the scenario that is embedded in a figure or a report. Its place depends on the file format.
//
// SVG: the text of the first <desc>. PNG: a text chunk. PDF: an element of the XMP metadata. HTML: a script
// element of JSON in the head. Markdown: the first code block of JSON.
#pragma once

#include <QByteArray>

namespace shardscope {

inline constexpr const char* kScenarioInPng = "shardscope-scenario";  // the text chunk's keyword
inline constexpr const char* kScenarioInPdf = "shardscope:scenario";  // the element's name
inline constexpr const char* kScenarioInHtml = R"(<script type="application/json" id="shardscope-scenario">)";

// Returns the JSON of the scenario that is embedded in the file; empty if there is none.
QByteArray carried_scenario(const QByteArray& file);

}  // namespace shardscope
