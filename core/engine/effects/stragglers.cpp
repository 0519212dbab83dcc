#include "effects/stragglers.h"

#include <cmath>

namespace shardscope {

double mean_of_largest(double n) {
    if (n <= 1) return 0;
    // Blom's approximation: the value that a normal variable exceeds with this probability.
    const double exceeded = 0.625 / (n + 0.25);
    // Newton's method for the logarithm of the probability, which is concave. It approaches the value from
    // above, because the probability is at most exp(−x²/2) ÷ 2.
    double x = std::sqrt(-2 * std::log(2 * exceeded));
    constexpr int kSteps = 6;
    for (int i = 0; i < kSteps; ++i) {
        const double probability = std::erfc(x / M_SQRT2) / 2;
        const double density = std::exp(-x * x / 2) / std::sqrt(2 * M_PI);
        x += std::log(probability / exceeded) * probability / density;
    }
    return x;
}

}  // namespace shardscope
