#include "explore/timeline_memory.h"

#include <algorithm>

namespace shardscope {
namespace {

double bytes(const MemoryUse& use, Moment moment, MemoryTerm term) {
    return use.by_moment[static_cast<std::size_t>(moment)][static_cast<std::size_t>(term)];
}

}  // namespace

std::vector<MemoryPoint> memory_of_passes(const std::vector<TimedPass>& passes, const MemoryUse& use,
                                          double done, double end, const MemoryContext& context) {
    const Settings& s = context.compiled.settings;
    // Fragmentation grows with the memory that is allocated and freed during the step.
    const double holes = 1 + s[P::fragmentation];
    const auto at = [&](Moment moment, MemoryTerm term) { return bytes(use, moment, term); };
    const double states = use.at(Moment::optimizer_step);
    // Freed weights and tensors of collectives may not be reusable yet.
    const auto held_back = [&](Moment moment) {
        return at(moment, MemoryTerm::allocator) -
               s[P::fragmentation] * (at(moment, MemoryTerm::gathered) + at(moment, MemoryTerm::activations) +
                                      at(moment, MemoryTerm::logits));
    };
    // Only weights are gathered in the forward pass.
    const double forward =
        states + holes * at(Moment::forward_end, MemoryTerm::gathered) + held_back(Moment::forward_end);
    const double backward =
        states + holes * at(Moment::backward, MemoryTerm::gathered) + held_back(Moment::backward);
    const double held = use.resident;
    // Workspaces, which are there throughout, are part of `states`.
    const double always = held + at(Moment::optimizer_step, MemoryTerm::activations);
    // Buffers of context parallelism, which each forward pass needs.
    const double attention = holes * (at(Moment::forward_end, MemoryTerm::activations) - always);
    const double recomputed = holes * (at(Moment::backward, MemoryTerm::activations) - always);
    const double logits = holes * at(Moment::forward_end, MemoryTerm::logits);
    const double most = max_in_flight(passes, {}, context.splits_backward);  // passes
    const double per_pass = most > 0 ? holes * held / most : 0;

    std::vector<MemoryPoint> out;
    out.reserve(3 * passes.size() + 4);
    const double begin = passes.empty() ? 0 : passes.front().start;
    double live = 0;
    const auto level = [&](double time, double value) { out.push_back({time, value}); };
    level(0, states);
    if (begin > 0) level(begin, states);
    for (const TimedPass& pass : passes) {
        const double ended = pass.end();
        switch (pass.kind) {
            case PassKind::forward:
                level(pass.start, forward + live * per_pass + attention);
                live += 1;
                if (logits > 0 && pass.virtual_stage == context.head_virtual_stage &&
                    context.head_share > 0) {
                    const double share = std::min(1.0, context.head_share);
                    level(ended - share * pass.seconds.total(),
                          forward + (live - share) * per_pass + attention);
                    level(ended, forward + live * per_pass + logits);
                } else {
                    level(ended, forward + live * per_pass + attention);
                }
                break;
            case PassKind::backward:
                level(pass.start, backward + live * per_pass + recomputed);
                if (!context.splits_backward) live -= 1;
                level(ended, backward + live * per_pass + recomputed);
                break;
            case PassKind::weight_gradient:
                level(pass.start, backward + live * per_pass);
                live -= 1;
                level(ended, backward + live * per_pass);
                break;
            case PassKind::count: break;
        }
        // This memory stays allocated until the next pass.
        level(ended, forward + live * per_pass);
    }
    level(done, forward);
    level(done, states);
    level(end, states);
    return out;
}

std::vector<MemoryPoint> wrapped(const std::vector<MemoryPoint>& points, double end) {
    std::vector<MemoryPoint> now;
    std::vector<MemoryPoint> before;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const MemoryPoint& point = points[i];
        if (point.time > end && !now.empty() && before.empty()) {
            const MemoryPoint& from = points[i - 1];
            const double share = (end - from.time) / (point.time - from.time);
            const double bytes = from.bytes + share * (point.bytes - from.bytes);
            now.push_back({end, bytes});
            before.push_back({0, bytes});
        }
        if (point.time > end) before.push_back({point.time - end, point.bytes});
        else now.push_back(point);
    }
    if (before.empty()) return now;
    // The previous step's points end here; this step's points follow.
    const double since = before.back().time;
    for (const MemoryPoint& point : now) {
        if (point.time >= since) before.push_back(point);
    }
    return before;
}

}  // namespace shardscope
