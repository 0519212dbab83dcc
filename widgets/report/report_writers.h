// The writers of report documents, one source file per format.
#pragma once

#include "widgets/report/report_document.h"

namespace shardscope {

// Returns a single file with inline SVG figures and the embedded scenario.
QByteArray report_html(const ReportDocument& document, const Answer& answer);
// Returns a PDF in A4 with figures as vector graphics and text as text.
QByteArray report_pdf(const ReportDocument& document, const Answer& answer);
// Returns GitHub's Markdown and its figures, which are files in a folder named after `path`.
std::vector<ReportFile> report_markdown(const ReportDocument& document, const Answer& answer,
                                        const QString& path);

}  // namespace shardscope
