// Answers and requests for tests of figures.
#pragma once

#include <string>

#include "planner/answer.h"
#include "scenario/scenario.h"
#include "widgets/plots/figure_export.h"

namespace shardscope::testing {

inline FigureRequest plot_request(const std::string& plot) {
    FigureRequest out;
    out.plot = plot;
    return out;
}

inline Answer first_answer() { return answer(Scenario::first_launch()); }
// That of a scenario that does not fit.
inline Answer too_long_answer() {
    return answer(edited(Scenario::first_launch(), P::sequence_length, 16384));
}

}  // namespace shardscope::testing
