#include "planner/placement_limits.h"

#include <algorithm>
#include <numeric>

namespace shardscope {

PlacementLimits::PlacementLimits(std::span<const WorkBytes> limits, std::size_t stages, double bytes)
    : stages_(stages), rounding_(1e-9 * bytes), order_(limits.size() / stages) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::vector<double> sums(order_.size());
    for (std::size_t i = 0; i < limits.size(); ++i)
        sums[i / stages] += limits[i].forward + limits[i].backward;
    std::ranges::stable_sort(order_, {}, [&](std::size_t placement) { return sums[placement]; });
    limits_.reserve(limits.size());
    for (const std::size_t placement : order_) {
        const auto from = limits.subspan(placement * stages, stages);
        limits_.insert(limits_.end(), from.begin(), from.end());
    }
    highest_before_ = lowest_after_ = limits_;
    for (std::size_t i = stages; i < limits_.size(); ++i) {
        const WorkBytes& before = highest_before_[i - stages];
        WorkBytes& highest = highest_before_[i];
        highest = {std::max(highest.forward, before.forward), std::max(highest.backward, before.backward)};
    }
    for (std::size_t i = limits_.size(); i-- > stages;) {
        const WorkBytes& after = lowest_after_[i];
        WorkBytes& lowest = lowest_after_[i - stages];
        lowest = {std::min(lowest.forward, after.forward), std::min(lowest.backward, after.backward)};
    }
}

bool PlacementLimits::exceeds(std::span<const WorkBytes> work, const WorkBytes* limits) const {
    for (std::size_t i = 0; i < stages_; ++i) {
        if (work[i].forward > limits[i].forward + rounding_ ||
            work[i].backward > limits[i].backward + rounding_)
            return true;
    }
    return false;
}

bool PlacementLimits::stays_within(std::span<const WorkBytes> work, const WorkBytes* limits) const {
    for (std::size_t i = 0; i < stages_; ++i) {
        if (work[i].forward > limits[i].forward - rounding_ ||
            work[i].backward > limits[i].backward - rounding_)
            return false;
    }
    return true;
}

std::size_t PlacementLimits::first_that_may_fit(std::span<const WorkBytes> work) const {
    std::size_t from = 0, to = order_.size();
    while (from < to) {
        const std::size_t middle = (from + to) / 2;
        if (exceeds(work, &highest_before_[middle * stages_])) from = middle + 1;
        else to = middle;
    }
    return from;
}

std::size_t PlacementLimits::first_after_which_all_fit(std::span<const WorkBytes> work,
                                                       std::size_t from) const {
    std::size_t to = order_.size();
    while (from < to) {
        const std::size_t middle = (from + to) / 2;
        if (stays_within(work, &lowest_after_[middle * stages_])) to = middle;
        else from = middle + 1;
    }
    return from;
}

}  // namespace shardscope
