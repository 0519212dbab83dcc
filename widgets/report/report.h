// Writes a report of a scenario and its pins: HTML in one file, PDF, or Markdown with its figures in separate
// files. The scenarios are embedded in the report, so that dropping it on the window opens them. The same
// request gives the same bytes.
//
// A QApplication is needed; the offscreen platform is sufficient.
#pragma once

#include <QByteArray>
#include <QString>
#include <optional>
#include <string>
#include <vector>

#include "widgets/plots/figure_export.h"

namespace shardscope {

enum class ReportFormat { html, pdf, markdown };
// Returns the format for the file's extension in upper or lower case; empty for an unknown extension.
std::optional<ReportFormat> report_format_of(const QString& file);

struct ReportRequest {
    std::vector<FigureRequest> figures;  // in their order
    std::vector<Pin> pins;               // beside the scenario
    SavedView view;                      // of the scenario
    bool hypothetical = false;           // show rates even if it does not fit, labelled as hypothetical
    std::string carries;                 // JSON to embed: a scenario or a session
};
// Returns the plots that a report has by default.
std::vector<FigureRequest> usual_figures();

// Returns the request's figures with its pins, without the figures that cannot be drawn for this scenario.
std::vector<FigureRequest> figures_of(const ReportRequest& request, const Answer& answer);

// A file of a report. The figures of a Markdown report are in a folder beside it and come before it.
struct ReportFile {
    QString path;
    QByteArray bytes;
};
// Returns no files, with the reason in `problem`, if the extension is unknown, the scenario is not valid, or
// the figures of a new report would overwrite existing files.
std::vector<ReportFile> render_report(const ReportRequest& request, const Answer& answer, const QString& file,
                                      QString* problem = nullptr);

// Writes all files and creates the folder of the figures. If a file cannot be written, it returns false with
// the path in `failed`, and all files stay as they were.
bool write_files(const std::vector<ReportFile>& files, Problems& problems, std::string& failed);

}  // namespace shardscope
