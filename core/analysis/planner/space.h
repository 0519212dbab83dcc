// Every valid plan of a scenario whose free plan parameters vary and whose other parameters stay.
//
// Values are those of the sliders (`domain`); combinations that mean the same count once: sequence and
// asynchronous tensor parallelism only where tensor parallelism is, virtual stages and schedules only where
// there is a pipeline, interleaving only with virtual stages, of the schedules those that public training
// stacks run (any schedule may be held, and compared with others as a grid's axis), a shard group only where
// it is neither one GPU nor all, resharding only with FSDP. A held global batch is cut into micro-batches
// without remainder; else the accumulation stays and the batch follows.
//
// Plans come in cells: a cell's plans share the degrees of parallelism and the micro-batch, so that they
// share the folded operators. `first` numbers the plans in canonical order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "planner/plan.h"
#include "schedules/schedule.h"

namespace shardscope {

// How a pipeline's layers are cut and worked through.
struct Pieces {
    double virtual_stages = 1;
    double schedule = 0;
    MicroBatchRule micro_batches;
};

// How data-parallel GPUs share out the state.
struct Sharing {
    double sharding = 0;
    double group = 0;
    double plans = 1;  // reshardings × offloads
    std::vector<double> reshards, offloads;
};

struct Degrees {  // how the GPUs are split
    double tensor = 1, context = 1, pipeline = 1, expert = 1;
    double data = 1;  // data-parallel GPUs
    // Lists of the space: many degrees have the same.
    std::span<const Pieces> pieces;
    std::span<const Sharing> sharings;
    double shared_plans = 0;  // of all sharings
};

struct Cell {                   // a choice of all but sharding, schedule and recomputation
    std::uint32_t degrees = 0;  // index into the space's
    double sequence_parallel = 0;
    double async_tensor_parallel = 0;
    double micro_batch = 1;
    double accumulation = 1;
    double first = 0;  // number of its first plan
    double plans = 0;
};

class PlanSpace {  // every valid combination of what is free
  public:
    PlanSpace(const Settings& settings, const ParameterSet& free);
    PlanSpace(const PlanSpace&) = delete;
    PlanSpace& operator=(const PlanSpace&) = delete;

    [[nodiscard]] const std::vector<Degrees>& degrees() const { return degrees_; }
    // In canonical order.
    [[nodiscard]] const std::vector<Cell>& cells() const { return cells_; }
    [[nodiscard]] const std::vector<double>& recomputes() const { return recomputes_; }
    // Number of plans.
    [[nodiscard]] double size() const { return size_; }

  private:
    struct Build;
    std::deque<std::vector<Pieces>> pieces_;
    std::deque<std::vector<Sharing>> sharings_;
    std::vector<Degrees> degrees_;
    std::vector<Cell> cells_;
    std::vector<double> recomputes_;
    double size_ = 0;
};

}  // namespace shardscope
