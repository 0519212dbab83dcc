// Moves the labels of one column apart as little as possible and keeps their order.
#pragma once

#include <algorithm>
#include <vector>

namespace shardscope {

// `y` contains the preferred centres in ascending order. Afterwards they are at least `line` px apart and, if
// there is enough space, within `low` … `high`. Labels that would overlap form a pile around the mean of
// their preferred positions (isotonic regression); the limits push the piles inwards.
inline void spread_apart(std::vector<double>& y, double low, double high, double line) {
    struct Pile {
        double sum;
        int count;
        [[nodiscard]] double mean() const { return sum / count; }
    };
    std::vector<Pile> piles;
    for (std::size_t i = 0; i < y.size(); ++i) {
        piles.push_back({y[i] - line * static_cast<double>(i), 1});
        while (piles.size() > 1 && piles[piles.size() - 2].mean() > piles.back().mean()) {
            piles[piles.size() - 2].sum += piles.back().sum;
            piles[piles.size() - 2].count += piles.back().count;
            piles.pop_back();
        }
    }
    const double most = high - line * static_cast<double>(y.empty() ? 0 : y.size() - 1);
    std::size_t i = 0;
    for (const Pile& pile : piles) {
        const double base = std::max(low, std::min(pile.mean(), most));
        for (int n = 0; n < pile.count; ++n, ++i) y[i] = base + line * static_cast<double>(i);
    }
}

}  // namespace shardscope
