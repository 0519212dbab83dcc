// A report of a scenario and its pins: HTML in one file, PDF, or Markdown with its figures in files beside
// it. It carries the scenarios, so that dropped on the window it brings them back. The same request gives the
// same bytes.
//
// Needs a QApplication; the offscreen platform will do.
#pragma once

#include <QByteArray>
#include <QString>
#include <optional>
#include <string>
#include <vector>

#include "widgets/plots/figure_export.h"

namespace shardscope {

enum class ReportFormat { html, pdf, markdown };
// By the file's ending, in either case; nothing for another one.
std::optional<ReportFormat> report_format_of(const QString& file);

struct ReportRequest {
    std::vector<FigureRequest> figures;  // in their order
    std::vector<Pin> pins;               // beside the scenario
    bool hypothetical = false;           // rates although it does not fit, said so
    std::string carries;                 // the JSON of the scenario, or of a session
};
// The plots a report has when nobody says which.
std::vector<FigureRequest> usual_figures();

// The request's figures as the report shows them: with its pins, without those that this scenario cannot be
// drawn as.
std::vector<FigureRequest> figures_of(const ReportRequest& request, const Answer& answer);

// Markdown's figures, in a folder of their own beside the report, come before it.
struct ReportFile {
    QString path;
    QByteArray bytes;
};
// None, with what is wrong in `problem`, when the scenario is not valid, a figure cannot be drawn, or a new
// report's figures would overwrite files that are there.
std::vector<ReportFile> render_report(const ReportRequest& request, const Answer& answer, const QString& file,
                                      QString* problem = nullptr);

// Writes all of them, making the figures' folder, or none. False, with the path that failed, when one cannot
// be written; then all files are as they were.
bool write_files(const std::vector<ReportFile>& files, Problems& problems, std::string& failed);

}  // namespace shardscope
