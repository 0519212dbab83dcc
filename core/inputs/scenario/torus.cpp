#include "scenario/torus.h"

#include <charconv>
#include <string>

#include "parameters/interned_text.h"

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

}  // namespace shardscope
