#include "widgets/plots/timeline/timeline_data.h"

#include "text/units.h"

namespace shardscope {

double TimelineData::seconds(Activity activity) const {
    double out = 0;
    const StageTimeline& stage = line.stages[line.slowest];
    for (const auto* lane : {&stage.compute, &stage.communication}) {
        for (const Interval& interval : *lane) {
            if (interval.activity == activity && interval.exposed) out += interval.seconds();
        }
    }
    return out;
}

TimelineData timeline_data(const Answer& answer, bool hypothetical) {
    return {step_timeline(answer.compiled, answer.estimate), answer.estimate.memory, answer.fits(),
            hypothetical && !answer.fits()};
}

PlotTable timeline_table(const TimelineData& data) {
    PlotTable out{{"stage", "lane", "activity", "start[ms]", "end[ms]", "exposed", "micro_batch",
                   "virtual_stage", "layer"},
                  {}};
    if (!data.has_time()) return out;
    constexpr double kMilli = 1e-3;
    const auto number = [](int value) { return value > 0 ? std::to_string(value) : std::string(); };
    for (const StageTimeline& stage : data.line.stages) {
        for (const auto* lane : {&stage.compute, &stage.communication}) {
            const bool communicates = lane == &stage.communication;
            for (const Interval& interval : *lane) {
                out.rows.push_back(
                    {std::to_string(stage.position + 1), communicates ? "communication" : "compute",
                     std::string(name_of(interval.activity)), exact(interval.start / kMilli),
                     exact(interval.end / kMilli), communicates ? (interval.exposed ? "yes" : "no") : "",
                     number(interval.micro_batch), number(interval.virtual_stage), number(interval.layer)});
            }
        }
    }
    return out;
}

}  // namespace shardscope
