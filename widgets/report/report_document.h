// What a report says, whatever it is written as: verdict, figures, scenarios side by side, assumptions,
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
    int numbers_from = -1;  // the first column of numbers, which are set at the right; −1: none
    int formulas = -1;      // the column of formulas; −1: none
};
struct ReportFigure {
    FigureRequest request;
    QString title;  // for those who cannot see it
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
    QByteArray carries;  // the JSON that brings it back
};

// `answer` must be valid.
ReportDocument report_document(const ReportRequest& request, const Answer& answer);

}  // namespace shardscope
