// The first page of a report.
#pragma once

#include "widgets/report/report_document.h"

namespace shardscope {

// Returns the sections "Verdict", "A against B" where there are pins, and "Recommendation". `answer` must be
// valid.
std::vector<ReportSection> report_answers(const ReportRequest& request, const Answer& answer);

}  // namespace shardscope
