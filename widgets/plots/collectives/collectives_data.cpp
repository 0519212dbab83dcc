#include "widgets/plots/collectives/collectives_data.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "text/translate.h"

namespace shardscope {
namespace {

// Returns whether the preset, such as "h100-sxm-80gb", is of the table's GPU, such as "H100".
bool of_gpu(const MeasuredTable& table, const std::string& preset) {
    std::string gpu = table.gpu;
    std::ranges::transform(gpu, gpu.begin(), [](unsigned char c) { return std::tolower(c); });
    return !gpu.empty() && preset.starts_with(gpu);
}

}  // namespace

std::string CollectiveSeries::title() const {
    return std::string(name_of(measured.table.operation)) + ", " + where();
}

std::string CollectiveSeries::where() const {
    const CollectiveTable& table = measured.table;
    const auto count = [](int n) { return format(n, Quantity::count); };
    std::string out = measured.gpu.empty() ? translate("{1} GPUs", {count(table.ranks)})
                                           : count(table.ranks) + " × " + measured.gpu;
    if (table.nodes > 1) out = translate("{1} on {2} nodes", {out, count(table.nodes)});
    return own ? out + " (" + measured.name + ")" : out;
}

double CollectivesData::engine(const CollectiveTable& table, double bytes) const {
    const RingGroup group{static_cast<double>(table.ranks) / table.nodes, static_cast<double>(table.nodes)};
    Time time;
    switch (table.operation) {
        case CollectiveTest::all_gather:
        case CollectiveTest::reduce_scatter: time = all_gather_time(bytes, group, network); break;
        case CollectiveTest::all_reduce: time = all_reduce_time(bytes, group, network); break;
        case CollectiveTest::all_to_all: time = all_to_all_time(bytes, group, network); break;
    }
    return bytes * bus_factor(table.operation, table.ranks) / time.total();
}

CollectivesData collectives_data(const Answer& answer, const std::vector<MeasuredTable>& own,
                                 std::optional<std::size_t> shown) {
    // The public tables never change, so they are fitted only once.
    static const std::vector<CollectiveSeries> shipped = [] {
        std::vector<CollectiveSeries> out;
        for (const MeasuredTable& table : shipped_tables())
            out.push_back({table, false, fit_bandwidth(table.table.points)});
        return out;
    }();
    CollectivesData out;
    for (const MeasuredTable& table : own)
        out.series.push_back({table, true, fit_bandwidth(table.table.points)});
    out.series.insert(out.series.end(), shipped.begin(), shipped.end());
    out.network = answer.compiled.network;
    if (shown) {
        out.shown = std::min(*shown, out.series.size() - 1);
    } else if (own.empty()) {
        const Preset* gpu = answer.scenario.gpu_preset();
        const auto found = std::ranges::find_if(out.series, [&](const CollectiveSeries& series) {
            return gpu && of_gpu(series.measured, gpu->name);
        });
        if (found != out.series.end()) out.shown = static_cast<std::size_t>(found - out.series.begin());
    }
    return out;
}

std::vector<MeasuredTable> named_after(const std::string& file, const std::vector<CollectiveTable>& tables) {
    std::vector<MeasuredTable> out;
    out.reserve(tables.size());
    for (const CollectiveTable& table : tables) out.push_back({file, {}, file, table});
    return out;
}

PlotTable collectives_table(const CollectivesData& data) {
    PlotTable out;
    out.columns = {"table",
                   "source",
                   "operation",
                   "gpus[1]",
                   "nodes[1]",
                   "size[B]",
                   "time[us]",
                   "measured[GB/s]",
                   "fitted[GB/s]",
                   "engine[GB/s]",
                   "fit_most[GB/s]",
                   "fit_sharpness[1]",
                   "fit_half[log2 B]",
                   "fit_rms_log_error[1]",
                   "fit_median_error[%]",
                   "fit_r_squared[1]"};
    constexpr double kGiga = 1e9;
    constexpr double kMicro = 1e-6;
    constexpr double kPercent = 0.01;
    for (const CollectiveSeries& series : data.series) {
        const CollectiveTable& table = series.measured.table;
        const BandwidthFit& fit = series.fit;
        const auto fitted = [&](double value) { return fit.points > 0 ? exact(value) : std::string(); };
        for (const CollectivePoint& point : table.points) {
            out.rows.push_back(
                {series.measured.name, series.measured.source, std::string(name_of(table.operation)),
                 exact(table.ranks), exact(table.nodes), exact(point.bytes), exact(point.seconds / kMicro),
                 exact(point.bus_bandwidth / kGiga), fitted(fit.curve.at(point.bytes) / kGiga),
                 exact(data.engine(table, point.bytes) / kGiga), fitted(fit.curve.most / kGiga),
                 fitted(fit.curve.sharpness), fitted(fit.curve.half), fitted(fit.rms_log_error),
                 fitted(fit.median_error / kPercent), fitted(fit.r_squared)});
        }
    }
    return out;
}

}  // namespace shardscope
