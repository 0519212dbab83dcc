#include "evidence/validated.h"

#include <algorithm>
#include <array>
#include <set>

#include "evidence/runs.h"
#include "schedules/schedule.h"
#include "text/translate.h"

namespace shardscope {
namespace {

// Inputs that are validated up to their largest value among the public runs.
constexpr std::array kReach{
    P::gpus,          P::sequence_length, P::tensor_parallel, P::context_parallel, P::pipeline_parallel,
    P::virtual_stages};

struct Reach {
    std::array<double, kReach.size()> largest{};
    double parameters = 0;
    std::set<double> software;
    std::set<std::string> gpus;
};

const Reach& reach() {
    static const Reach found = [] {
        Reach out;
        for (const PublicRun& measured : public_runs()) {
            if (!(measured.run->step_time > 0)) continue;
            for (std::size_t i = 0; i < kReach.size(); ++i)
                out.largest[i] = std::max(out.largest[i], measured.settings[kReach[i]]);
            out.software.insert(measured.settings[P::software]);
            out.gpus.insert(measured.run->gpu);
            out.parameters = std::max(out.parameters, measured.parameters);
        }
        return out;
    }();
    return found;
}

}  // namespace

std::vector<std::string> extrapolation_warnings(const Answer& answer) {
    std::vector<std::string> out;
    const Settings& s = answer.settings;
    for (std::size_t i = 0; i < kReach.size(); ++i) {
        const P id = kReach[i];
        if (s[id] <= reach().largest[i]) continue;
        out.push_back(translate("{1} {2} is beyond the public runs, which end at {3}.",
                                {label_of(id), format(id, s[id]), format(id, reach().largest[i])}));
    }
    if (answer.compiled.parameters > 1.1 * reach().parameters) {
        out.push_back(translate("A model of {1} parameters is beyond the public runs, which end at {2}.",
                                {format(answer.compiled.parameters, Quantity::big_count),
                                 format(reach().parameters, Quantity::big_count)}));
    }
    if (s[P::experts] > 0) out.push_back(translate("No public run of a mixture of experts was compared."));
    const auto kind = s.choice<ScheduleKind>(P::schedule);
    const bool orders = s[P::pipeline_parallel] > 1 || (schedule_of(kind).layered && s[P::accumulation] > 1);
    if (orders && kind != ScheduleKind::one_f_one_b && kind != ScheduleKind::interleaved)
        out.push_back(translate("No public run of the schedule {1} was compared.",
                                {translate(schedule_of(kind).title)}));
    if (s.choice<Offload>(P::offload) != Offload::none)
        out.push_back(translate("No public run with offload was compared."));
    if (s.listed())
        out.push_back(
            translate("No public run of a list of operators was compared: the error band is wide."));
    if (s[P::kv_lora_rank] > 0) out.push_back(translate("No public run of latent attention was compared."));
    const Preset* gpu = answer.scenario.gpu_preset();
    if (!gpu || !reach().gpus.contains(gpu->name))
        out.push_back(translate("No public run of this GPU was compared."));
    if (!reach().software.contains(s[P::software]))
        out.push_back(translate("No public run of this software was compared: the error band is wide."));
    return out;
}

}  // namespace shardscope
