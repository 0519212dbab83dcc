// The content of a report in any file format: verdict, figures, scenarios side by side, assumptions,
// evidence, all parameters.
#pragma once

#include <QByteArray>
#include <QString>
#include <QStringList>
#include <variant>
#include <vector>

#include "widgets/report/report.h"

namespace shardscope {

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
struct ReportFigure {
    FigureRequest request;
    QString title;  // alternative text
};
using ReportBlock = std::variant<ReportParagraph, ReportList, ReportTable, ReportFigure>;

struct ReportSection {
    QString title;
    std::vector<ReportBlock> blocks;
};

struct ReportDocument {
    QString title;
    QString subtitle;
    std::vector<ReportSection> sections;
    QByteArray carries;  // the JSON to embed, which restores the scenarios
};

// `answer` must be valid.
ReportDocument report_document(const ReportRequest& request, const Answer& answer);

}  // namespace shardscope
