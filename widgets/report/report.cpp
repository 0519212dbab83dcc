#include "widgets/report/report.h"

#include <QFileInfo>
#include <array>
#include <utility>

#include "system/file_io.h"
#include "widgets/plots/plot_kind.h"
#include "widgets/report/report_writers.h"
#include "widgets/text.h"

namespace shardscope {
namespace {

constexpr std::array<std::string_view, 6> kUsualFigures{"memory", "waterfall", "scaling",
                                                        "walls",  "sweep",     "sensitivity"};

// Returns the path of a figure that exists although the report does not, and so belongs to something else;
// empty if there is none.
QString conflicting_file(const std::vector<ReportFile>& files) {
    if (QFileInfo::exists(files.back().path)) return {};
    for (const ReportFile& file : files) {
        if (QFileInfo::exists(file.path)) return file.path;
    }
    return {};
}

}  // namespace

std::optional<ReportFormat> report_format_of(const QString& file) {
    constexpr std::array kEndings{".html", ".pdf", ".md"};  // in the order of ReportFormat
    for (std::size_t i = 0; i < kEndings.size(); ++i) {
        if (file.endsWith(QLatin1String(kEndings[i]), Qt::CaseInsensitive))
            return static_cast<ReportFormat>(i);
    }
    return std::nullopt;
}

std::vector<FigureRequest> usual_figures() {
    std::vector<FigureRequest> out;
    for (const std::string_view plot : kUsualFigures) {
        out.emplace_back();
        out.back().plot = plot;
    }
    return out;
}

std::vector<FigureRequest> figures_of(const ReportRequest& request, const Answer& answer) {
    std::vector<FigureRequest> out;
    for (FigureRequest figure : request.figures) {
        const PlotKind* kind = plot_kind(figure.plot);
        figure.pins = request.pins;
        figure.view = request.view;
        figure.hypothetical = request.hypothetical;
        // Without times there is no waterfall.
        if (figure.plot == "waterfall" && !answer.fits() && !request.hypothetical) continue;
        if (!kind || (kind->objection && !kind->objection(figure, answer).isEmpty())) continue;
        out.push_back(std::move(figure));
    }
    return out;
}

std::vector<ReportFile> render_report(const ReportRequest& request, const Answer& answer, const QString& file,
                                      QString* problem) {
    const auto refuse = [&](const QString& text) {
        if (problem) *problem = text;
        return std::vector<ReportFile>();
    };
    const auto format = report_format_of(file);
    if (!format) return refuse(tr("the file extension sets the format; use .html, .pdf or .md"));
    if (!answer.valid()) return refuse(text_of(answer.problems.front().text()));
    const ReportDocument document = report_document(request, answer);
    switch (*format) {
        case ReportFormat::html: return {{file, report_html(document, answer)}};
        case ReportFormat::pdf: return {{file, report_pdf(document, answer)}};
        case ReportFormat::markdown: break;
    }
    std::vector<ReportFile> files = report_markdown(document, answer, file);
    if (const QString other = conflicting_file(files); !other.isEmpty())
        return refuse(tr("its figure would overwrite %1, and there is no report of this name; move that file "
                         "away or give the report another name")
                          .arg(other));
    return files;
}

bool write_files(const std::vector<ReportFile>& files, Problems& problems, std::string& failed) {
    std::vector<NewFile> out;
    for (const ReportFile& file : files) {
        const std::string_view bytes(file.bytes.constData(), static_cast<std::size_t>(file.bytes.size()));
        // The folder of the figures may be created, but not the folder of the report.
        out.push_back({file.path.toStdString(), bytes, &file != &files.back()});
    }
    return write_files_atomically(out, problems, failed);
}

}  // namespace shardscope
