#include "evidence/run_limits.h"

#include "text/translate.h"

namespace shardscope {

void complete_rate(MeasuredRun& run, double tokens, const std::string& place) {
    if (!(run.gpus > 0)) return;
    const bool timed = run.step_time > 0;
    if (timed == (run.tokens_per_s_per_gpu > 0)) return;
    if (timed) {
        const double step = run.step_time;
        run.tokens_per_s_per_gpu = tokens / (step * run.gpus);
        if (run.tokens_per_s_per_gpu <= kMostTokens) return;
        run.problems.push_back(
            {place + "step_time_s", translate("“{1}” is not a valid value", {exact(step)}),
             translate("a GPU would process {1}", {format(run.tokens_per_s_per_gpu, Quantity::rate)}),
             translate("correct it or leave it blank"), run.line});
    } else {
        run.step_time = tokens / (run.tokens_per_s_per_gpu * run.gpus);
        if (run.step_time >= kShortestStep && run.step_time <= kLongestStep) return;
        if (!(run.step_time > 0)) return;
        run.problems.push_back(
            {place + "tokens_per_s_per_gpu",
             translate("“{1}” is not a valid value", {exact(run.tokens_per_s_per_gpu)}),
             translate("a step would take {1}", {format(run.step_time, Quantity::seconds)}),
             translate("correct it or leave it blank"), run.line});
    }
}

}  // namespace shardscope
