#include "planner/grid.h"

#include <array>
#include <atomic>

#include "explore/jobs.h"
#include "planner/planner.h"

namespace shardscope {

GridReport grid_report(const GridQuestion& question, const std::function<void(double)>& progress) {
    GridReport out;
    out.question = question;
    Scenario base = question.plan.scenario;
    base.automatic = question.plan.free;
    out.points = 1;
    for (const Axis& axis : question.over) out.points *= axis.values.size();

    // Points side by side, each planned by one thread.
    std::vector<Answer> answers(out.points);
    std::atomic<std::size_t> done{0};
    parallel_for(out.points, question.threads, [&](std::size_t i) {
        Scenario point = base;
        std::size_t rest = i;
        for (const Axis& axis : question.over) {
            point = edited(point, axis.id, axis.values[rest % axis.values.size()]);
            rest /= axis.values.size();
        }
        answer_into(point, answers[i]);
        if (progress) progress(static_cast<double>(++done) / static_cast<double>(out.points));
    });

    for (const Output id : {Output::mfu, Output::tokens_per_s_per_gpu, Output::tokens_per_s}) {
        GridBest best{id, {}};
        double most = 0;
        for (const Answer& at : answers) {
            const double value = value_of(id, at);
            if (at.estimate.verdict == Verdict::does_not_fit || !(value > most)) continue;
            most = value;
            best.answer = at;
        }
        out.best.push_back(std::move(best));
    }
    for (const Answer& at : answers) out.feasible += at.estimate.fits() && at.estimate.step.total > 0 ? 1 : 0;
    if (!question.target || !out.best.front().found()) return out;
    Scenario there = out.best.front().answer.scenario;
    there.automatic = question.plan.free;
    for (const P id : {P::inter_node_bandwidth, P::memory}) {
        Question asked{there, id, *question.target};
        asked.threads = question.threads;
        out.thresholds.push_back({id, solve(asked)});
    }
    return out;
}

}  // namespace shardscope
