#include "scenario/software_support.h"

#include "schedules/schedule.h"
#include "text/translate.h"

namespace shardscope {

bool offers_sharding(Sharding sharding, const Settings& s) {
    switch (s.choice<Software>(P::software)) {
        case Software::fsdp2:
        case Software::fsdp2_compile:
        case Software::torchtitan:
            return sharding == Sharding::ddp || sharding == Sharding::zero3 || sharding == Sharding::hsdp;
        case Software::nanotron: return sharding == Sharding::ddp || sharding == Sharding::zero1;
        case Software::deepspeed:
        case Software::deepspeed_2021:
        case Software::megatron_deepspeed:
            return s[P::pipeline_parallel] <= 1 || sharding == Sharding::ddp || sharding == Sharding::zero1;
        case Software::other:
        case Software::jax: return true;
        default: return sharding != Sharding::zero_pp;
    }
}

bool offers_offload(Offload offload, const Settings& s) {
    if (offload == Offload::none) return true;
    const auto sharding = s.choice<Sharding>(P::sharding);
    const auto software = s.choice<Software>(P::software);
    if (is_of_megatron_core(software)) return offload == Offload::optimizer && sharding != Sharding::ddp;
    switch (software) {
        case Software::fsdp1:
        case Software::fsdp1_compile:
        case Software::fsdp2:
        case Software::fsdp2_compile:
        case Software::torchtitan: return offload == Offload::optimizer_and_parameters && is_fsdp(sharding);
        case Software::deepspeed:
        case Software::deepspeed_2021:
        case Software::megatron_deepspeed:
            return offload == Offload::optimizer ? sharding != Sharding::ddp : is_fsdp(sharding);
        case Software::maxtext: return offload != Offload::optimizer_nvme;
        case Software::nanotron:
        case Software::megatron_2021:
        case Software::megatron_2022: return false;
        default: return true;
    }
}

bool offers_dispatcher(MoeDispatcher dispatcher, const Settings& s) {
    switch (s.choice<Software>(P::software)) {
        case Software::fsdp2:
        case Software::fsdp2_compile:
        case Software::torchtitan: return dispatcher != MoeDispatcher::all_gather;
        case Software::maxtext:
        case Software::jax: return dispatcher != MoeDispatcher::deepep;
        case Software::deepspeed:
        case Software::deepspeed_2021:
        case Software::megatron_deepspeed:
        case Software::megatron_2021:
        case Software::megatron_2022:
        case Software::internevo:
        case Software::nanotron:
        case Software::fsdp1:
        case Software::fsdp1_compile: return dispatcher == MoeDispatcher::all_to_all;
        default: return true;
    }
}

bool runs_on(Software software, std::string_view vendor) {
    if (software == Software::other) return true;
    if (vendor == "google") return software == Software::maxtext || software == Software::jax;
    if (vendor == "amazon") return software == Software::jax;  // NeuronX Distributed is “other”
    if (vendor == "intel")                                     // HabanaAI/Megatron-LM and Intel's DeepSpeed
        return software == Software::deepspeed || software == Software::megatron_core ||
               software == Software::megatron_deepspeed;
    return true;
}

bool megatron_overlaps_experts(const Settings& s) {
    const bool staged = s[P::pipeline_parallel] <= 1 || s[P::virtual_stages] > 1;
    return staged && s[P::recompute] <= 0 && !recomputes(s, RecomputeModule::moe);
}

bool offers_expert_overlap(const Settings& s) {
    // Schedules that Megatron-Core does not have, such as DualPipe, bring their own overlap.
    return !is_of_megatron_core(s.choice<Software>(P::software)) || !is_available(schedule_of(s), s) ||
           megatron_overlaps_experts(s);
}

std::vector<std::string> missing_in_software(const Settings& s) {
    std::vector<std::string> out;
    const std::string software = format(P::software, s[P::software]);
    if (s[P::pipeline_parallel] > 1 && !is_available(schedule_of(s), s))
        out.push_back(
            translate("{1} does not have the schedule {2}.", {software, translate(schedule_of(s).title)}));
    if (!offers_sharding(s.choice<Sharding>(P::sharding), s))
        out.push_back(translate("{1} does not shard the model states like {2} with this plan.",
                                {software, format(P::sharding, s[P::sharding])}));
    if (!offers_offload(s.choice<Offload>(P::offload), s))
        out.push_back(translate("{1} does not offload “{2}” with this plan.",
                                {software, format(P::offload, s[P::offload])}));
    const auto dispatcher = s.choice<MoeDispatcher>(P::moe_dispatcher);
    if (s[P::experts] > 0 && s[P::expert_parallel] > 1 && !offers_dispatcher(dispatcher, s))
        out.push_back(translate("{1} does not have the expert dispatcher “{2}”.",
                                {software, format(P::moe_dispatcher, Value(dispatcher))}));
    if (s[P::experts] > 0 && s.on(P::moe_overlap) && !offers_expert_overlap(s))
        out.push_back(
            translate("{1} overlaps the exchange of experts in a pipeline only with virtual stages, and not "
                      "with recomputed experts.",
                      {software}));
    return out;
}

}  // namespace shardscope
