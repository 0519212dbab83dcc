// The content of a report in any file format. Its first page answers: verdict, the pins against the scenario,
// a recommendation and two figures. The appendix has the other figures, all numbers with their formulas and
// sources, assumptions, evidence and all parameters.
#pragma once

#include <QByteArray>
#include <QString>
#include <QStringList>
#include <variant>
#include <vector>

#include "widgets/report/report.h"

namespace shardscope {

// The width of the text on A4, and the gap between figures of a row, in units of 1/96 inch.
inline constexpr int kReportWidth = 682;
inline constexpr int kReportGap = 10;

struct ReportParagraph {
    QString text;
    bool strong = false;
};
struct ReportList {
    QStringList items;
};
struct ReportTable {
    QStringList header;
    std::vector<QStringList> rows;
    int numbers_from = -1;  // the first column of right-aligned numbers; −1: none
    int formulas = -1;      // the column of formulas; −1: none
};
// A figure without the sentences and the footer that all figures would repeat: the report has them once.
struct ReportFigure {
    FigureRequest request;
    QString title;  // alternative text
};
// Figures beside each other.
struct ReportRow {
    std::vector<ReportFigure> figures;
};
using ReportBlock = std::variant<ReportParagraph, ReportList, ReportTable, ReportFigure, ReportRow>;

struct ReportSection {
    QString title;
    std::vector<ReportBlock> blocks;
};

struct ReportDocument {
    QString title;
    QString subtitle;
    std::vector<ReportSection> answers;   // the first page
    std::vector<ReportSection> appendix;  // begins on a new page
    QString footer;      // the version and the parameters that influence the numbers most; ends the appendix
    QByteArray carries;  // the JSON to embed, which restores the scenarios
};
// Returns the title over the appendix.
QString appendix_title();

// `answer` must be valid.
ReportDocument report_document(const ReportRequest& request, const Answer& answer);

}  // namespace shardscope
