#include "planner/space.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "scenario/constraint.h"
#include "scenario/domain.h"
#include "scenario/gpu_groups.h"
#include "scenario/software_support.h"
#include "schedules/schedule.h"

namespace shardscope {

constexpr ScheduleKind kPlain = ScheduleKind::one_f_one_b;

namespace {

// Returns whether the rules about one of these parameters hold. Values that are not free may not suit the
// degrees.
bool suits(const Settings& s, std::initializer_list<P> ids) {
    return std::ranges::all_of(parallelism_constraints(), [&](const Constraint& rule) {
        const bool concerned = std::ranges::any_of(
            rule.parameters, [&](P id) { return std::ranges::find(ids, id) != ids.end(); });
        return !concerned || rule.holds(s);
    });
}
bool experts_can_be_split(const Settings& s) {
    return suits(s, {P::expert_parallel, P::expert_tensor_parallel});
}

bool overlaps_experts(const Settings& s) { return s[P::experts] > 0 && s.on(P::moe_overlap); }

// Returns whether the size is a power of two or three times one. Other sizes are tried only to divide a given
// global batch.
bool is_usual_size(double micro_batch) {
    double odd = micro_batch;
    while (odd > 1 && std::fmod(odd, 2) == 0) odd /= 2;
    return odd == 1 || odd == 3;
}

}  // namespace

std::vector<double> tried_values(P id, const Settings& s) {
    const bool continuous = id == P::activation_offload;
    return continuous ? std::vector<double>{0, 0.25, 0.5, 0.75, 1} : domain(id, s).stops;
}

// The loops over the degrees, with the settings chosen so far.
struct PlanSpace::Build {
    PlanSpace& space;
    Settings s;
    const Settings& base;
    const ParameterSet& free;
    double most;  // plans

    [[nodiscard]] bool is_free(P id) const { return free[index(id)]; }
    void set(P id, Value value) { s.set(id, value, s.origin(id)); }
    // The values to try, given those chosen so far.
    [[nodiscard]] std::vector<double> values(P id) const {
        return is_free(id) ? tried_values(id, s) : std::vector<double>{base[id]};
    }
    // The values of a switch that has an effect only if `matters`.
    [[nodiscard]] std::vector<double> flags(P id, bool matters) const {
        if (!is_free(id)) return {base[id]};
        return matters ? std::vector<double>{0, 1} : std::vector<double>{0};
    }

    [[nodiscard]] std::vector<double> context_kinds() const;
    [[nodiscard]] std::vector<double> expert_tensor_degrees() const;
    [[nodiscard]] std::vector<double> dispatchers() const;

    // Lists made so far: by context parallelism and stages, by the number of GPUs that shard the states and
    // whether there is a pipeline, and by degrees. The latter serve all values of sequence and asynchronous
    // tensor parallelism.
    std::map<std::array<double, 2>, std::vector<std::span<const ScheduleChoice>>> schedule_choices_of{};
    std::map<std::pair<int, bool>, std::span<const StateSharding>> shardings_of{};
    std::map<std::array<double, 5>, std::vector<std::uint32_t>> degrees_of{};
    std::vector<bool> available{};  // by ScheduleKind: whether the software has the schedule

    void run();
    void with_degrees(double sequence_parallel, double async);
    void with_pipelines(double sequence_parallel, double async);
    [[nodiscard]] const std::vector<std::uint32_t>& degrees();
    [[nodiscard]] std::vector<ScheduleChoice> schedule_choices() const;
    [[nodiscard]] std::vector<std::span<const ScheduleChoice>> by_weights(
        const std::vector<ScheduleChoice>& schedule_choices) const;
    [[nodiscard]] std::vector<StateSharding> shardings() const;
    void add_cells(std::uint32_t degrees, double sequence_parallel, double async);
};

void PlanSpace::Build::run() {
    for (const Schedule* schedule : schedules()) available.push_back(is_available(*schedule, base));
    // Free degrees start at one, so that they do not restrict the degrees chosen before them.
    if (is_free(P::schedule)) set(P::schedule, ScheduleKind::one_f_one_b);
    for (const P id : kDegrees) {
        if (is_free(id)) set(id, 1);
    }
    if (is_free(P::context_parallel_kind)) set(P::context_parallel_kind, ContextParallelKind::p2p);
    for (const double tensor : values(P::tensor_parallel)) {
        if (is_free(P::tensor_parallel) && !is_planned_tensor_degree(tensor, base)) continue;
        set(P::tensor_parallel, tensor);
        for (const double sequence_parallel : flags(P::sequence_parallel, tensor > 1)) {
            for (const double async : flags(P::async_tensor_parallel, tensor > 1))
                with_degrees(sequence_parallel, async);
        }
    }
}

void PlanSpace::Build::with_degrees(double sequence_parallel, double async) {
    for (const double context : values(P::context_parallel)) {
        set(P::context_parallel, context);
        for (const double kind : context_kinds()) {
            set(P::context_parallel_kind, kind);
            if (!suits(s, {P::context_parallel_kind})) continue;
            with_pipelines(sequence_parallel, async);
        }
        if (is_free(P::context_parallel_kind)) set(P::context_parallel_kind, ContextParallelKind::p2p);
    }
    if (is_free(P::context_parallel)) set(P::context_parallel, 1);
}

void PlanSpace::Build::with_pipelines(double sequence_parallel, double async) {
    if (space.size_ > most) return;
    for (const double pipeline : values(P::pipeline_parallel)) {
        set(P::pipeline_parallel, pipeline);
        if (!suits(s, {P::pipeline_parallel})) continue;
        for (const double expert : values(P::expert_parallel)) {
            set(P::expert_parallel, expert);
            for (const double expert_tensor : expert_tensor_degrees()) {
                set(P::expert_tensor_parallel, expert_tensor);
                for (const double dispatcher : dispatchers()) {
                    set(P::moe_dispatcher, dispatcher);
                    for (const std::uint32_t index : degrees()) add_cells(index, sequence_parallel, async);
                }
            }
            if (is_free(P::expert_tensor_parallel)) set(P::expert_tensor_parallel, 1);
        }
        if (is_free(P::expert_parallel)) set(P::expert_parallel, 1);
    }
    if (is_free(P::pipeline_parallel)) set(P::pipeline_parallel, 1);
}

std::vector<double> PlanSpace::Build::context_kinds() const {
    if (!is_free(P::context_parallel_kind)) return {base[P::context_parallel_kind]};
    if (s[P::context_parallel] <= 1) return {Value(ContextParallelKind::p2p)};
    std::vector<double> out = values(P::context_parallel_kind);
    const double inner = context_parallel_inner(s);
    if (inner <= 1 || inner >= s[P::context_parallel]) std::erase(out, Value(ContextParallelKind::a2a_p2p));
    return out;
}

std::vector<double> PlanSpace::Build::expert_tensor_degrees() const {
    if (!is_free(P::expert_tensor_parallel)) return {base[P::expert_tensor_parallel]};
    std::vector<double> out{0};  // as tensor parallelism
    if (s[P::experts] <= 0) return out;
    for (const double degree : values(P::expert_tensor_parallel)) {
        if (degree > 0 && degree != s[P::tensor_parallel] && is_planned_tensor_degree(degree, base))
            out.push_back(degree);
    }
    return out;
}

std::vector<double> PlanSpace::Build::dispatchers() const {
    if (!is_free(P::moe_dispatcher)) return {base[P::moe_dispatcher]};
    if (s[P::experts] <= 0 || s[P::expert_parallel] <= 1) return {Value(MoeDispatcher::all_to_all)};
    std::vector<double> out = tried_values(P::moe_dispatcher, s);
    std::erase_if(out, [&](double dispatcher) {
        return !offers_dispatcher(static_cast<MoeDispatcher>(static_cast<int>(dispatcher)), s);
    });
    return out;
}

// Indices of the degrees that are set now: one for every placement of the weights.
const std::vector<std::uint32_t>& PlanSpace::Build::degrees() {
    const auto [found, made] =
        degrees_of.try_emplace({s[P::tensor_parallel], s[P::context_parallel], s[P::pipeline_parallel],
                                s[P::expert_parallel], s[P::expert_tensor_parallel]});
    std::vector<std::uint32_t>& out = found->second;
    if (!made || !experts_can_be_split(s)) return out;
    const auto [alike, new_stages] =
        schedule_choices_of.try_emplace({s[P::context_parallel], s[P::pipeline_parallel]});
    if (new_stages) alike->second = by_weights(schedule_choices());
    const auto [shared, new_sharers] =
        shardings_of.try_emplace({max_shard_group(s), s[P::pipeline_parallel] > 1});
    if (new_sharers) shared->second = space.shardings_.emplace_back(shardings());
    if (shared->second.empty()) return out;
    double plans = 0;
    for (const StateSharding& sharing : shared->second) plans += sharing.plans;
    for (const std::span<const ScheduleChoice> schedule_choices : alike->second) {
        out.push_back(static_cast<std::uint32_t>(space.degrees_.size()));
        space.degrees_.push_back({s[P::tensor_parallel], s[P::context_parallel], s[P::pipeline_parallel],
                                  s[P::expert_parallel], s[P::expert_tensor_parallel],
                                  static_cast<double>(data_parallel(s)), schedule_choices, shared->second,
                                  plans});
    }
    return out;
}

std::vector<ScheduleChoice> PlanSpace::Build::schedule_choices() const {
    const double stages = s[P::pipeline_parallel];
    // A scenario that gives no schedule interleaves if it has virtual stages.
    const bool follows = !is_free(P::schedule) && base.origin(P::schedule) != Origin::given;
    const auto given = base.choice<ScheduleKind>(P::schedule);
    const ScheduleKind plain = base.origin(P::schedule) == Origin::derived ? kPlain : given;
    std::vector<ScheduleChoice> out;
    Settings pipeline = s;  // with the schedule and the virtual stages to try
    // The values of recomputation are checked apart, see PlanSpace.
    pipeline.set(P::recompute, 0, Origin::given);
    const auto add_all = [&](double virtual_stages) {
        for (const Schedule* schedule : schedules()) {
            const ScheduleKind kind = schedule->kind;
            const bool cut = virtual_stages > 1;
            const bool in_software = available[static_cast<std::size_t>(kind)];
            const bool wanted = is_free(P::schedule) ? in_software && schedule->interleaves == cut
                                : follows ? (cut ? in_software && schedule->interleaves : kind == plain)
                                          : kind == given && (!cut || schedule->interleaves);
            if (!wanted) continue;
            pipeline.set(P::schedule, kind, Origin::given);
            pipeline.set(P::virtual_stages, virtual_stages, Origin::given);
            if (!all_hold(schedule_constraints(), pipeline)) continue;
            if (is_free(P::virtual_stages) && overlaps_experts(pipeline) && !offers_expert_overlap(pipeline))
                continue;
            out.push_back({virtual_stages, kind, micro_batch_rule(pipeline)});
        }
    };
    if (stages <= 1) {
        if (!is_free(P::virtual_stages) && base[P::virtual_stages] > 1) return {};
        return {{1, is_free(P::schedule) ? kPlain : plain, {}}};
    }
    for (const double virtual_stages : values(P::virtual_stages)) add_all(virtual_stages);
    return out;
}

// Groups of the choices whose weights are placed and gathered in the same way.
std::vector<std::span<const ScheduleChoice>> PlanSpace::Build::by_weights(
    const std::vector<ScheduleChoice>& schedule_choices) const {
    std::map<std::array<int, 3>, std::vector<ScheduleChoice>> alike;
    for (const ScheduleChoice& one : schedule_choices) {
        const Schedule& schedule = schedule_of(one.schedule);
        alike[{schedule.layered, schedule.folded, schedule.weight_copies}].push_back(one);
    }
    std::vector<std::span<const ScheduleChoice>> out;
    out.reserve(alike.size());
    for (auto& [placement, list] : alike)
        out.emplace_back(space.schedule_choices_.emplace_back(std::move(list)));
    return out;
}

std::vector<StateSharding> PlanSpace::Build::shardings() const {
    const double gpus = max_shard_group(s);
    const bool group_is_valid =
        is_free(P::shard_group) || valid_values(P::shard_group, s, gpus).contains(base[P::shard_group]);
    if (!group_is_valid) return {};
    const std::vector<double> groups =
        is_free(P::shard_group) ? tried_values(P::shard_group, s) : std::vector<double>{};
    Settings sharded = s;  // with the sharding to try
    std::vector<StateSharding> out;
    for (const double sharding : values(P::sharding)) {
        const auto kind = static_cast<Sharding>(static_cast<int>(sharding));
        // ZeRO++ rounds gradients, which is not the planner's choice.
        if (is_free(P::sharding) && (kind == Sharding::zero_pp || !offers_sharding(kind, s))) continue;
        const bool fsdp = is_fsdp(kind);
        StateSharding one{kind, base[P::shard_group], 0, {}, {}};
        sharded.set(P::sharding, kind, Origin::given);
        one.reshards = is_free(P::reshard_after_forward) && !fsdp
                           ? std::vector<double>{base[P::reshard_after_forward]}
                           : values(P::reshard_after_forward);
        one.offloads = tried_values(P::offload, sharded);
        // Drives are never faster than the host's memory.
        std::erase_if(one.offloads, [&](double offload) {
            if (!is_free(P::offload)) return offload != base[P::offload];
            return offload == Value(Offload::optimizer_nvme) ||
                   !offers_offload(static_cast<Offload>(static_cast<int>(offload)), sharded);
        });
        if (one.offloads.empty()) continue;
        one.plans = static_cast<double>(one.reshards.size() * one.offloads.size());
        if (!is_free(P::shard_group)) {
            out.push_back(std::move(one));
            continue;
        }
        // Zero means all GPUs. ZeRO-3 within a group is the same as hsdp.
        one.group = 0;
        if (kind != Sharding::hsdp) out.push_back(one);
        const bool in_groups = kind == Sharding::hsdp || kind == Sharding::zero1 || kind == Sharding::zero2 ||
                               (fsdp && !is_free(P::sharding));
        for (const double group : groups) {
            if (!in_groups || group <= 1 || group >= gpus) continue;
            one.group = group;
            out.push_back(one);
        }
    }
    return out;
}

void PlanSpace::Build::add_cells(std::uint32_t degrees, double sequence_parallel, double async) {
    const Degrees& d = space.degrees_[degrees];
    const bool global = s.origin(P::global_batch) == Origin::given;
    const double samples = s[P::global_batch] / d.data;  // of one replica
    if (global && samples != std::floor(samples)) return;
    for (const double micro_batch : values(P::micro_batch)) {
        if (is_free(P::micro_batch) && !global && !is_usual_size(micro_batch)) continue;
        Cell cell{degrees, {}, s[P::accumulation], space.size_, 0};
        for (std::size_t i = 0; i < kCellSize; ++i) cell.value[i] = s[kPlanParameters[i]];
        cell.value[Plan::place(P::sequence_parallel)] = sequence_parallel;
        cell.value[Plan::place(P::async_tensor_parallel)] = async;
        cell.value[Plan::place(P::micro_batch)] = micro_batch;
        if (global) cell.accumulation = samples / micro_batch;
        if (cell.accumulation < 1 || cell.accumulation != std::floor(cell.accumulation)) continue;
        double schedule_choices = 0;
        for (const ScheduleChoice& one : d.schedule_choices)
            schedule_choices += one.micro_batches.allows(cell.accumulation) ? 1 : 0;
        cell.plans = schedule_choices * d.sharding_plans * static_cast<double>(space.activations_.size());
        if (cell.plans == 0) continue;
        space.cells_.push_back(cell);
        space.size_ += cell.plans;
    }
}

PlanSpace::PlanSpace(const Settings& settings, const ParameterSet& free, double most) {
    Build build{*this, settings, settings, free, most};
    const bool keeps_overlap = build.is_free(P::recompute) && overlaps_experts(settings);
    Settings one_stage = settings;
    one_stage.set(P::pipeline_parallel, 1, Origin::given);
    const std::vector<double> offloads = build.values(P::activation_offload);
    for (const double recompute : build.values(P::recompute)) {
        one_stage.set(P::recompute, recompute, Origin::given);
        if (keeps_overlap && !offers_expert_overlap(one_stage)) continue;
        for (const double offload : offloads) activations_.push_back({recompute, offload});
    }
    build.run();
}

}  // namespace shardscope
