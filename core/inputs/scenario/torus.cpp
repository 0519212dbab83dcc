#include "scenario/torus.h"

#include <algorithm>
#include <charconv>
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
    TorusShape longest = torus;
    for (double& axis : longest) axis = std::max(axis, 1.0);
    if (gpus >= longest[0] * longest[1] * longest[2]) return torus;
    std::ranges::sort(longest);
    TorusShape best = torus;
    double least = std::numeric_limits<double>::infinity();
    for (double x = 1; x <= longest[0]; ++x) {
        if (!divides(x, gpus)) continue;
        for (double y = x; y <= longest[1]; ++y) {
            const double z = gpus / x / y;
            if (!divides(y, gpus / x) || z < y || z > longest[2] || x + y + z >= least) continue;
            least = x + y + z;
            best = {x, y, z};
        }
    }
    return best;
}

}  // namespace shardscope
