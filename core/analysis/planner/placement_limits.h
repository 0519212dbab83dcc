// Counts the placements of the model states that leave enough memory for the work of a plan, without looking
// at each of them.
#pragma once

#include <span>
#include <vector>

#include "memory/memory.h"

namespace shardscope {

class PlacementLimits {
  public:
    // The limits of all placements, one after the other, each with one limit per stage. `bytes` is the memory
    // that they allow: work is compared with them to within rounding errors of it.
    PlacementLimits(std::span<const WorkBytes> limits, std::size_t stages, double bytes);
    PlacementLimits() = default;

    // Returns the number of placements in which the work of every stage stays within its limit.
    // `fits(placement)` decides where the work is too close to the limit.
    template <typename Fits>
    [[nodiscard]] double count(std::span<const WorkBytes> work, Fits&& fits) const {
        const std::size_t none = first_that_may_fit(work);
        const std::size_t all = first_after_which_all_fit(work, none);
        std::size_t fitting = order_.size() - all;
        for (std::size_t i = none; i < all; ++i) {
            const WorkBytes* limits = &limits_[i * stages_];
            if (exceeds(work, limits)) continue;
            if (stays_within(work, limits) || fits(order_[i])) ++fitting;
        }
        return static_cast<double>(fitting);
    }

  private:
    // Whether some stage needs more than its limit, by more than rounding errors …
    [[nodiscard]] bool exceeds(std::span<const WorkBytes> work, const WorkBytes* limits) const;
    // … and whether every stage needs less.
    [[nodiscard]] bool stays_within(std::span<const WorkBytes> work, const WorkBytes* limits) const;
    [[nodiscard]] std::size_t first_that_may_fit(std::span<const WorkBytes> work) const;
    [[nodiscard]] std::size_t first_after_which_all_fit(std::span<const WorkBytes> work,
                                                        std::size_t from) const;

    std::size_t stages_ = 0;
    double rounding_ = 0;             // bytes
    std::vector<std::size_t> order_;  // the placements, those with the lowest limits first
    // In that order, by stage: the limits, the highest of all placements up to each, and the lowest of all
    // from each on.
    std::vector<WorkBytes> limits_, highest_before_, lowest_after_;
};

}  // namespace shardscope
