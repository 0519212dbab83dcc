#include "training/run.h"

#include <limits>

#include "containers/no_value.h"
#include "training/critical_batch.h"
#include "training/goodput.h"

namespace shardscope {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

// A checkpoint contains the state from which training continues: one copy of the weights and the optimizer
// state of the whole model. All GPUs write at the same time, after a pause.
double checkpoint_time(const Compiled& c) {
    const Settings& s = c.settings;
    if (s[P::checkpoint_time] > 0) return s[P::checkpoint_time];
    const double bytes = c.parameters * (c.state.weights + c.state.optimizer);
    return kCheckpointPause + bytes / (s[P::storage_bandwidth] * s[P::gpus]);
}

}  // namespace

TrainingRun training_run(const Compiled& c, double tokens_per_s, double power_per_gpu) {
    const Settings& s = c.settings;
    const double gpus = s[P::gpus];
    TrainingRun run;
    run.batch = c.tokens_per_gpu * gpus;
    run.critical_batch = critical_batch(c.active_parameters - c.root_parameters, c.training_tokens, s);
    run.tokens = tokens_at_batch(c.training_tokens, run.batch, run.critical_batch);
    run.steps = run.tokens / run.batch;

    const double hours = s[P::mtbf_hours_per_gpu];
    run.checkpoint = checkpoint_time(c);
    run.mean_time_between = hours > 0 ? hours * 3600 / gpus : kInfinite;
    const Failures failures{run.mean_time_between, run.checkpoint, s[P::restart_time]};
    run.interval = s[P::checkpoint_interval] > 0 ? s[P::checkpoint_interval] : optimal_interval(failures);
    run.goodput = goodput(failures, run.interval);

    run.training = run.tokens / tokens_per_s;
    run.seconds = run.training / run.goodput;
    run.failures = run.seconds / run.mean_time_between;
    run.gpu_hours = run.seconds / 3600 * gpus;
    run.cost = s[P::price_per_gpu_hour] > 0 ? run.gpu_hours * s[P::price_per_gpu_hour] : kNoValue;
    run.energy = power_per_gpu * gpus * run.seconds;
    return run;
}

}  // namespace shardscope
