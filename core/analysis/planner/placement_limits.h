// Compares the memory that the work of a plan needs with what the placements of the model states leave for
// it, all placements at once.
#pragma once

#include <span>
#include <vector>

#include "memory/memory.h"

namespace shardscope {

class PlacementLimits {
  public:
    // `limits` has an entry for each placement and stage, placement by placement: the most that the work may
    // need for a peak of `bytes`. Every byte of work adds `growth` bytes to the peak.
    PlacementLimits(std::vector<ActivationBytes> limits, std::size_t stages, double bytes, double growth);
    PlacementLimits() = default;

    // Returns the number of placements in which the work of every stage stays within its limit.
    // `fits(placement)` decides where the work is too close to the limit.
    template <typename Fits>
    [[nodiscard]] double count(std::span<const ActivationBytes> work, Fits&& fits) const {
        const std::size_t none = first_that_may_fit(work);
        const std::size_t all = first_after_which_all_fit(work, none);
        std::size_t fitting = order_.size() - all;
        for (std::size_t i = none; i < all; ++i) {
            const double left = spare(work, &limits_[order_[i] * stages_]);
            if (left > rounding_ || (left >= -rounding_ && fits(order_[i]))) ++fitting;
        }
        return static_cast<double>(fitting);
    }
    // Returns the number of placements for which `fits(placement)` holds, without those in which the work
    // exceeds its limit. It is for work that needs more memory in some placements than `work` says.
    template <typename Fits>
    [[nodiscard]] double count_each(std::span<const ActivationBytes> work, Fits&& fits) const {
        std::size_t fitting = 0;
        for (std::size_t i = first_that_may_fit(work); i < order_.size(); ++i) {
            if (spare(work, &limits_[order_[i] * stages_]) >= -rounding_ && fits(order_[i])) ++fitting;
        }
        return static_cast<double>(fitting);
    }
    // Returns a lower bound of the peak with this work in any placement, or in one; bytes.
    [[nodiscard]] double least_peak(std::span<const ActivationBytes> work) const;
    [[nodiscard]] double least_peak(std::span<const ActivationBytes> work, std::size_t placement) const {
        return peak_of(spare(work, &limits_[placement * stages_]));
    }

  private:
    // Returns the bytes by which the work could grow on the stage that is closest to its limit.
    [[nodiscard]] double spare(std::span<const ActivationBytes> work, const ActivationBytes* limits) const;
    [[nodiscard]] double peak_of(double spare) const { return bytes_ - growth_ * spare - rounding_; }
    [[nodiscard]] std::size_t first_that_may_fit(std::span<const ActivationBytes> work) const;
    [[nodiscard]] std::size_t first_after_which_all_fit(std::span<const ActivationBytes> work,
                                                        std::size_t from) const;

    std::size_t stages_ = 0;
    double bytes_ = 0, growth_ = 1, rounding_ = 0;
    std::vector<ActivationBytes> limits_;  // by placement and stage
    std::vector<std::size_t> order_;       // the placements, those with the lowest limits first
    // In that order, by stage: the highest limits of all placements up to each, and the lowest from each on.
    std::vector<ActivationBytes> highest_before_, lowest_after_;
};

}  // namespace shardscope
