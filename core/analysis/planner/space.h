// Every valid plan of a scenario whose free plan parameters vary while its other parameters are fixed.
//
// Parameters take the values of `tried_values`. Equivalent combinations count once:
// - sequence and asynchronous tensor parallelism vary only with tensor parallelism,
// - the kind of context parallelism varies only with it, and the inner groups of a2a+p2p have more than one
//   GPU and fewer than all,
// - expert tensor parallelism varies only with experts, and 0 stands for the degree of tensor parallelism,
// - dispatchers vary only with expert parallelism, among those that the software has,
// - virtual stages and schedules vary only with a pipeline, and interleaving only with virtual stages,
// - free schedules are those that the software has, or all where it is unknown (a scenario may fix any
//   schedule, and a grid's axis may compare any of them),
// - a shard group is neither one GPU nor all of them,
// - resharding varies only with FSDP.
// A held global batch is split into micro-batches without remainder; otherwise the accumulation is fixed and
// the batch follows from it.
//
// Plans are grouped in cells. The plans of a cell have the same degrees of parallelism and the same
// micro-batch, hence the same operator times. The field `first` of a cell numbers the plans in canonical
// order.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <span>
#include <vector>

#include "planner/plan.h"
#include "schedules/schedule.h"

namespace shardscope {

// How a pipeline's layers are split into virtual stages and scheduled.
struct ScheduleChoice {
    double virtual_stages = 1;
    ScheduleKind schedule = ScheduleKind::one_f_one_b;
    MicroBatchRule micro_batches;
};

// How the model states are sharded over data-parallel GPUs.
struct StateSharding {
    Sharding sharding = Sharding::ddp;
    double group = 0;
    double plans = 1;  // reshardings × offloads
    std::vector<double> reshards, offloads;
};

// What happens to activations after the forward pass.
struct ActivationChoice {
    double recompute = 0;
    double offload = 0;  // share of the layers whose activations are copied to the host
};

struct Degrees {  // how the GPUs are split
    double tensor = 1, context = 1, pipeline = 1, expert = 1, expert_tensor = 0;
    double data = 1;  // data-parallel GPUs
    // The lists belong to the space, because many degrees have the same ones.
    std::span<const ScheduleChoice> schedule_choices;
    std::span<const StateSharding> shardings;
    double sharding_plans = 0;  // sum of `plans` over all shardings
};

struct Cell {                               // fixes everything but sharding, schedule and recomputation
    std::uint32_t degrees = 0;              // index into PlanSpace::degrees()
    std::array<double, kCellSize> value{};  // of the first plan parameters
    double accumulation = 1;
    double first = 0;  // number of its first plan
    double plans = 0;
};

// Returns the valid values of a plan parameter that a search tries: the positions of its slider, or quarters
// where the slider is continuous.
std::vector<double> tried_values(P id, const Settings& settings);

class PlanSpace {  // every valid combination of the free parameters
  public:
    // With more than `most` plans the space is incomplete: it only shows that there are more.
    PlanSpace(const Settings& settings, const ParameterSet& free,
              double most = std::numeric_limits<double>::infinity());
    PlanSpace(const PlanSpace&) = delete;
    PlanSpace& operator=(const PlanSpace&) = delete;

    [[nodiscard]] const std::vector<Degrees>& degrees() const { return degrees_; }
    // Sorted in canonical order. There may be hundreds of thousands, so they are not moved while they are
    // added.
    [[nodiscard]] const std::deque<Cell>& cells() const { return cells_; }
    // In canonical order, so that the last one offloads the most.
    [[nodiscard]] const std::vector<ActivationChoice>& activations() const { return activations_; }
    // The number of plans.
    [[nodiscard]] double size() const { return size_; }

  private:
    struct Build;
    std::deque<std::vector<ScheduleChoice>> schedule_choices_;
    std::deque<std::vector<StateSharding>> shardings_;
    std::vector<Degrees> degrees_;
    std::deque<Cell> cells_;
    std::vector<ActivationChoice> activations_;
    double size_ = 0;
};

}  // namespace shardscope
