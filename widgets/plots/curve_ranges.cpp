#include "widgets/plots/curve_ranges.h"

#include <algorithm>

namespace shardscope {

std::vector<AxisRange> unfit_ranges(const std::vector<double>& x, const std::vector<bool>& fits) {
    std::vector<double> edges = x;
    std::ranges::sort(edges);
    const auto place = [&edges](double value) {
        return static_cast<std::size_t>(std::ranges::lower_bound(edges, value) - edges.begin());
    };
    // The number of curve segments that cover the interval between two neighbouring edges.
    std::vector<int> unfit(edges.size() + 1);
    std::vector<int> fit(edges.size() + 1);
    for (std::size_t i = 1; i < x.size(); ++i) {
        const auto [from, to] = std::minmax({place(x[i - 1]), place(x[i])});
        std::vector<int>& covered = fits[i - 1] && fits[i] ? fit : unfit;
        ++covered[from];
        --covered[to];
    }
    std::vector<AxisRange> out;
    int unfit_here = 0;
    int fit_here = 0;
    for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
        unfit_here += unfit[i];
        fit_here += fit[i];
        if (unfit_here == 0 || fit_here > 0 || edges[i] == edges[i + 1]) continue;
        if (!out.empty() && out.back().to == edges[i]) out.back().to = edges[i + 1];
        else out.push_back({edges[i], edges[i + 1]});
    }
    return out;
}

std::vector<WallRange> wall_ranges(const std::vector<WallSample>& samples) {
    std::vector<WallRange> out;
    bool before_fits = true;
    for (const WallSample& sample : samples) {
        if (out.empty()) {
            out.push_back({{sample.x, sample.x}, sample.wall});
        } else if (out.back().wall == sample.wall) {
            out.back().to = sample.x;
        } else {
            // The wall changes somewhere between the two points; an interval that does not fit extends to the
            // end of the curve, as its hatch does.
            double edge = (out.back().to + sample.x) / 2;
            if (!sample.fits) edge = out.back().to;
            if (!before_fits) edge = sample.x;
            out.back().to = edge;
            out.push_back({{edge, sample.x}, sample.wall});
        }
        before_fits = sample.fits;
    }
    return out;
}

}  // namespace shardscope
