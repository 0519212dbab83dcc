#include "explore/plan_grid.h"

#include <algorithm>
#include <array>
#include <atomic>

#include "planner/planner.h"
#include "system/jobs.h"

namespace shardscope {

GridReport grid_report(const GridQuestion& question, const std::function<void(double)>& progress) {
    GridReport out;
    out.question = question;
    Scenario base = question.plan.scenario;
    base.automatic = question.plan.free;
    out.points = 1;
    for (const Axis& axis : question.over) out.points *= axis.values.size();

    constexpr std::array kBest{Output::mfu, Output::tokens_per_s_per_gpu, Output::tokens_per_s};
    std::array<double, kBest.size()> most{};
    for (const Output id : kBest) out.best.push_back({id, {}});

    // The points are planned in parallel, each by one thread. They come in blocks, because an answer needs
    // kilobytes.
    constexpr std::size_t kBlock = 1024;
    std::vector<Answer> answers;
    std::atomic<std::size_t> done{0};
    for (std::size_t first = 0; first < out.points; first += kBlock) {
        answers.assign(std::min(kBlock, out.points - first), {});
        parallel_for(answers.size(), question.threads, [&](std::size_t i) {
            Scenario point = base;
            std::size_t rest = first + i;
            for (const Axis& axis : question.over) {
                point = edited(point, axis.id, axis.values[rest % axis.values.size()]);
                rest /= axis.values.size();
            }
            if (!answer_into(point, answers[i])) answers[i] = {};
            if (progress) progress(static_cast<double>(++done) / static_cast<double>(out.points));
        });
        for (const Answer& at : answers) {
            const bool is_answer = at.estimate.step.total > 0;
            if (!is_answer || !at.estimate.fits()) continue;
            ++out.feasible;
            for (std::size_t i = 0; i < kBest.size(); ++i) {
                const double value = value_of(kBest.at(i), at);
                if (!(value > most.at(i))) continue;
                most.at(i) = value;
                out.best[i].answer = at;
            }
        }
    }
    if (!question.target || !out.best.front().answer) return out;
    Scenario there = out.best.front().answer->scenario;
    there.automatic = question.plan.free;
    for (const P id : {P::inter_node_bandwidth, P::memory}) {
        Question asked{there, id, *question.target};
        asked.threads = question.threads;
        out.thresholds.push_back({id, solve(asked)});
    }
    return out;
}

}  // namespace shardscope
