#include "schedules/schedule.h"

#include <algorithm>
#include <array>

#include "schedules/pipeline_layout.h"
#include "text/text.h"

namespace shardscope {
namespace {

// The schedules in the order of ScheduleKind.
constexpr std::array kSchedules{
#define SHARDSCOPE_SCHEDULE(kind, name, label, schedule) &(schedule),
#include "parameters/schedules.inc"
#undef SHARDSCOPE_SCHEDULE
};

}  // namespace

std::span<const Schedule* const> schedules() { return kSchedules; }

bool is_available(const Schedule& schedule, const Settings& s) {
    if (schedule.stacks == kEveryStack || s.choice<Software>(P::software) == Software::other) return true;
    const std::string software = written(P::software, s[P::software]);
    return std::ranges::any_of(split(schedule.stacks, ' '), [&](const std::string& stack) {
        return !stack.empty() && software.starts_with(stack);
    });
}

const Schedule& schedule_of(ScheduleKind kind) {
    // The value may be unchecked.
    const auto at = static_cast<std::size_t>(kind);
    return at < kSchedules.size() ? *kSchedules[at] : kOneFOneB;
}

const Schedule& schedule_of(const Settings& s) { return schedule_of(s.choice<ScheduleKind>(P::schedule)); }

PipelineShape pipeline_shape(const Settings& s) {
    const Schedule& schedule = schedule_of(s);
    PipelineShape shape{s[P::pipeline_parallel], s[P::virtual_stages], s[P::accumulation]};
    if (shape.stages <= 1) return shape;
    if (schedule.fixed_virtual_stages)
        shape.virtual_stages = schedule.fixed_virtual_stages(s[P::layers] / shape.stages);
    if (schedule.splits_sequences) shape.sequence_chunks = s[P::sequence_pieces];
    return shape;
}

MicroBatchRule micro_batch_rule(const Settings& s) {
    if (s[P::pipeline_parallel] <= 1) return {};
    const Schedule& schedule = schedule_of(s);
    return schedule.micro_batches ? schedule.micro_batches(pipeline_shape(s)) : MicroBatchRule{};
}

bool splits_sequences_evenly(const Settings& s) {
    if (!schedule_of(s).splits_sequences || s[P::pipeline_parallel] <= 1) return true;
    return s.on(P::causal) &&
           std::fmod(s[P::sequence_length], s[P::sequence_pieces] * s[P::context_parallel]) == 0;
}

namespace {

// Returns the number of layers that have the cost of the LM head, as nanotron counts it: matrices alone, with
// as many key heads as query heads (huggingface/nanotron, models/llama.py at 2411b02).
double layers_of_head(const Settings& s) {
    const double attention = 4 * s[P::heads] * s[P::head_size];
    const double feed_forward = (s.choice<Mlp>(P::mlp) == Mlp::gated ? 3 : 2) * s[P::ffn_size];
    return s[P::vocab_size] / (attention + feed_forward);
}

}  // namespace

Partition partition_of(const Settings& s) {
    const double stages = s[P::pipeline_parallel];
    const Schedule& schedule = schedule_of(s);
    Partition out{s[P::first_stage_layers], s[P::last_stage_layers], pipeline_layout(s),
                  stages > 1 && schedule.folded};
    const double layers = s[P::layers];
    const bool may_differ =
        stages > 1 && layers >= stages && s[P::virtual_stages] <= 1 && schedule.supports_uneven_stages();
    if (s.on(P::balanced_stages) && out.even() && may_differ) {
        // Each stage takes layers until it exceeds its share of the cost. Where none are left for the last
        // stages, nanotron has the head and the loss on two or three of them, between which it sends the
        // logits; a layer beside the head stands for that time, unless the first stage needs it.
        const double each = (layers + layers_of_head(s)) / stages;
        const double of_first = std::floor(each) + 1;
        const double left = layers - std::floor((stages - 1) * each) - 1;
        out.head_alone = left <= 0 && of_first > layers - (stages - 1);
        out.last = out.head_alone ? 0 : std::max(1.0, left);
        out.first = std::max(1.0, std::min(of_first, layers - out.last - (stages - 2)));
    }
    return out;
}

bool supports_partition(const Settings& s) {
    const Partition partition = partition_of(s);
    if (s[P::pipeline_parallel] <= 1 || partition.even()) return true;
    if (!schedule_of(s).supports_uneven_stages()) return false;
    if (partition.layout) return true;
    return partition.is_feasible(s[P::layers], s[P::pipeline_parallel]) && s[P::virtual_stages] <= 1;
}

double weight_copies(const Settings& s) {
    return s[P::pipeline_parallel] > 1 ? schedule_of(s).weight_copies : 1;
}

PipelinePosition pipeline_position(const Schedule& schedule, const PipelineShape& shape, int micro_batch,
                                   int step) {
    if (schedule.position) return schedule.position(shape, micro_batch, step);
    const int stages = static_cast<int>(shape.stages);
    return {step % stages, step / stages};
}

PipelinePosition folded_position(const PipelineShape& shape, int, int step) {
    const int stages = static_cast<int>(shape.stages);
    return step < stages ? PipelinePosition{step, 0} : PipelinePosition{2 * stages - 1 - step, 1};
}

std::vector<Pass> all_of(PassKind kind, const PipelineShape& shape) {
    std::vector<Pass> out;
    const int micro_batches = static_cast<int>(shape.micro_batches * shape.sequence_chunks);
    out.reserve(static_cast<std::size_t>(micro_batches));
    for (int i = 0; i < micro_batches; ++i) out.push_back({kind, i, 0});
    return out;
}

std::vector<Pass> alternating(const std::vector<Pass>& forward, const std::vector<Pass>& backward,
                              std::size_t warm_up) {
    std::vector<Pass> out;
    out.reserve(forward.size() + backward.size());
    const std::size_t ahead = std::min(warm_up, forward.size());
    for (std::size_t i = 0; i < ahead; ++i) out.push_back(forward[i]);
    for (std::size_t i = 0; i < backward.size(); ++i) {
        if (ahead + i < forward.size()) out.push_back(forward[ahead + i]);
        out.push_back(backward[i]);
    }
    return out;
}

std::vector<Pass> alternating_split(const PipelineShape& shape, std::size_t warm_up, std::size_t delay) {
    const std::vector<Pass> one_by_one =
        alternating(all_of(PassKind::forward, shape), all_of(PassKind::backward, shape), warm_up);
    const auto micro_batches = static_cast<std::size_t>(shape.micro_batches);
    std::vector<Pass> out;
    out.reserve(3 * micro_batches);
    std::size_t backward_passes = 0;
    std::size_t weight_gradients = 0;
    const auto add_weight_gradient = [&] {
        out.push_back({PassKind::weight_gradient, static_cast<int>(weight_gradients++), 0});
    };
    for (const Pass& pass : one_by_one) {
        out.push_back(pass);
        if (pass.kind == PassKind::backward && ++backward_passes > delay) add_weight_gradient();
    }
    while (weight_gradients < micro_batches) add_weight_gradient();
    return out;
}

}  // namespace shardscope
