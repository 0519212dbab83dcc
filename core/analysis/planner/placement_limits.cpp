#include "planner/placement_limits.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace shardscope {

PlacementLimits::PlacementLimits(std::vector<ActivationBytes> limits, std::size_t stages, double bytes,
                                 double growth)
    : stages_(stages),
      bytes_(bytes),
      growth_(growth),
      rounding_(1e-9 * bytes),
      limits_(std::move(limits)),
      order_(limits_.size() / stages) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::vector<double> sums(order_.size());
    for (std::size_t i = 0; i < limits_.size(); ++i)
        sums[i / stages] += limits_[i].forward + limits_[i].backward;
    std::ranges::stable_sort(order_, {}, [&](std::size_t placement) { return sums[placement]; });
    highest_before_.reserve(limits_.size());
    for (const std::size_t placement : order_) {
        for (std::size_t i = 0; i < stages; ++i) highest_before_.push_back(limits_[placement * stages + i]);
    }
    lowest_after_ = highest_before_;
    for (std::size_t i = stages; i < limits_.size(); ++i) {
        const ActivationBytes& before = highest_before_[i - stages];
        ActivationBytes& highest = highest_before_[i];
        highest = {std::max(highest.forward, before.forward), std::max(highest.backward, before.backward)};
    }
    for (std::size_t i = limits_.size(); i-- > stages;) {
        const ActivationBytes& after = lowest_after_[i];
        ActivationBytes& lowest = lowest_after_[i - stages];
        lowest = {std::min(lowest.forward, after.forward), std::min(lowest.backward, after.backward)};
    }
}

double PlacementLimits::spare(std::span<const ActivationBytes> work, const ActivationBytes* limits) const {
    double out = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < stages_; ++i)
        out = std::min({out, limits[i].forward - work[i].forward, limits[i].backward - work[i].backward});
    return out;
}

double PlacementLimits::least_peak(std::span<const ActivationBytes> work) const {
    double most = -std::numeric_limits<double>::infinity();
    for (std::size_t i = order_.size(); i-- > 0;) {
        if (spare(work, &highest_before_[i * stages_]) <= most) break;
        most = std::max(most, spare(work, &limits_[order_[i] * stages_]));
    }
    return peak_of(most);
}

std::size_t PlacementLimits::first_that_may_fit(std::span<const ActivationBytes> work) const {
    std::size_t from = 0, to = order_.size();
    while (from < to) {
        const std::size_t middle = (from + to) / 2;
        if (spare(work, &highest_before_[middle * stages_]) < -rounding_) from = middle + 1;
        else to = middle;
    }
    return from;
}

std::size_t PlacementLimits::first_after_which_all_fit(std::span<const ActivationBytes> work,
                                                       std::size_t from) const {
    std::size_t to = order_.size();
    while (from < to) {
        const std::size_t middle = (from + to) / 2;
        if (spare(work, &lowest_after_[middle * stages_]) > rounding_) to = middle;
        else from = middle + 1;
    }
    return from;
}

}  // namespace shardscope
