// The values of all parameters after presets, calibration, derivation and defaults have been applied.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "parameters/parameter.h"

namespace shardscope {

enum class Origin : unsigned char {
    fallback,     // the table's default
    calibration,  // constants of the GPU, the fabric or the software stack
    gpu,          // the GPU's preset
    cluster,      // the cluster's preset
    model,        // the model's preset
    derived,      // computed from other parameters
    given,        // set in the scenario
};

// Returns whether two values of a parameter are equal; a missing value (NaN) equals a missing one.
inline bool same_value(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

struct ListedModel;

// The values of all parameters of one scenario in SI units, each with its origin.
class Settings {
    static constexpr int kIntMax = std::numeric_limits<int>::max();

  public:
    double operator[](P id) const { return value_[index(id)]; }
    [[nodiscard]] Origin origin(P id) const { return origin_[index(id)]; }
    [[nodiscard]] bool on(P id) const { return value_[index(id)] != 0; }
    // Clamps the value to the range of int from 0 on; values that are not checked yet may be outside.
    [[nodiscard]] int whole(P id) const {
        const double value = value_[index(id)];
        return value >= kIntMax ? kIntMax : value > 0 ? static_cast<int>(value) : 0;
    }
    template <typename Choice>
    [[nodiscard]] Choice choice(P id) const {
        return static_cast<Choice>(static_cast<int>(value_[index(id)]));
    }
    void set(P id, Value value, Origin origin) {
        value_[index(id)] = value;
        origin_[index(id)] = origin;
    }

    // The operators of a model that is not a transformer, owned by its preset; nullptr for transformers.
    [[nodiscard]] const ListedModel* listed() const { return listed_; }
    void set_listed(const ListedModel* model) { listed_ = model; }

    // Returns whether `holds(id)` is true for every parameter whose value is not bitwise equal to that in
    // `other`. This is fast if few values differ.
    template <typename Holds>
    [[nodiscard]] bool all_differences(const Settings& other, Holds&& holds) const {
        constexpr std::size_t kBlock = 32;
        for (std::size_t first = 0; first < kParameters; first += kBlock) {
            const std::size_t last = std::min(first + kBlock, kParameters);
            const auto bytes = (last - first) * sizeof(double);
            if (std::memcmp(&value_[first], &other.value_[first], bytes) == 0) continue;
            for (std::size_t i = first; i < last; ++i) {
                const bool same =
                    std::bit_cast<std::uint64_t>(value_[i]) == std::bit_cast<std::uint64_t>(other.value_[i]);
                if (!same && !holds(static_cast<P>(i))) return false;
            }
        }
        return true;
    }

  private:
    const ListedModel* listed_ = nullptr;
    std::array<double, kParameters> value_{};
    std::array<Origin, kParameters> origin_{};
};

// Returns whether the plan recomputes this module and not whole layers.
inline bool recomputes(const Settings& settings, RecomputeModule module) {
    return settings[P::recompute] == kRecomputeSelective &&
           (static_cast<unsigned>(settings[P::recompute_modules]) & bit(module)) != 0;
}

// Returns the parameter that holds the peak of a number format.
P peak_of(Precision precision);

}  // namespace shardscope
