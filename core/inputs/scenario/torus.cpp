#include "scenario/torus.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>

#include "parameters/interned_text.h"
#include "scenario/valid_values.h"

namespace shardscope {

std::optional<TorusShape> torus_shape(const Settings& settings) {
    const std::string& text = interned_text(settings[P::torus]);
    TorusShape out{};
    const char* at = text.data();
    const char* const end = at + text.size();
    for (double& axis : out) {
        int gpus = 0;
        const auto [after, error] = std::from_chars(at, end, gpus);
        if (error != std::errc() || gpus < 1) return std::nullopt;
        axis = gpus;
        if (after == end) return out;
        if (*after != 'x') return std::nullopt;
        at = after + 1;
    }
    return std::nullopt;
}

TorusShape torus_slice(const TorusShape& torus, double gpus) {
    constexpr double kRounding = 1e-6;  // of the roots
    TorusShape longest = torus;
    for (double& axis : longest) axis = std::max(axis, 1.0);
    if (gpus >= longest[0] * longest[1] * longest[2]) return torus;
    std::ranges::sort(longest);
    TorusShape best = torus;
    double least = std::numeric_limits<double>::infinity();
    // With x ≤ y ≤ z, the sum is the smaller the nearer x is to the cube root, and y to the square root of
    // the rest: the first y is the best one for its x, and x + 2·√(gpus/x) is a lower bound of the sum.
    for (double x = std::min(longest[0], std::floor(std::cbrt(gpus) + kRounding)); x >= 1; --x) {
        if (!divides(x, gpus)) continue;
        const double rest = gpus / x;
        if (x + 2 * std::sqrt(rest) >= least) break;
        double y = std::min(longest[1], std::floor(std::sqrt(rest) + kRounding));
        while (y > x && !divides(y, rest)) --y;
        const double z = rest / y;
        if (!divides(y, rest) || z > longest[2] || x + y + z >= least) continue;
        least = x + y + z;
        best = {x, y, z};
    }
    return best;
}

}  // namespace shardscope
