#include "evidence/bandwidth_curve.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>

#include "evidence/least_squares.h"
#include "system/embedded.h"
#include "text/csv.h"
#include "text/units.h"

namespace shardscope {
namespace {

constexpr double kCurveScale = 0.1;  // rms log error of the form on public tables: 0.1–0.2

BandwidthCurve curve_of(const std::vector<double>& x) { return {std::exp(x[0]), x[1], x[2]}; }

void judge(std::span<const CollectivePoint> points, BandwidthFit& fit) {
    double mean = 0;
    for (const CollectivePoint& point : points) mean += std::log(point.bus_bandwidth);
    mean /= static_cast<double>(points.size());
    double left = 0;
    double whole = 0;
    std::vector<double> errors;
    for (const CollectivePoint& point : points) {
        const double fitted = fit.curve.at(point.bytes);
        left += std::pow(std::log(fitted / point.bus_bandwidth), 2);
        whole += std::pow(std::log(point.bus_bandwidth) - mean, 2);
        errors.push_back(std::fabs(fitted / point.bus_bandwidth - 1));
    }
    fit.rms_log_error = std::sqrt(left / static_cast<double>(points.size()));
    fit.r_squared = whole > 0 ? 1 - left / whole : 0;
    const auto middle = errors.begin() + static_cast<std::ptrdiff_t>(errors.size() / 2);
    std::ranges::nth_element(errors, middle);
    fit.median_error = *middle;
    if (errors.size() % 2 == 0) fit.median_error = (*middle + *std::max_element(errors.begin(), middle)) / 2;
}

}  // namespace

double BandwidthCurve::at(double bytes) const {
    return most / (1 + std::exp(-sharpness * (std::log2(bytes) - half)));
}

BandwidthFit fit_bandwidth(std::span<const CollectivePoint> points) {
    std::vector<CollectivePoint> used;
    for (const CollectivePoint& point : points) {
        if (point.bytes >= kSmallestFitted && point.bus_bandwidth > 0) used.push_back(point);
    }
    BandwidthFit out;
    if (used.size() < kFewestBandwidths) return out;
    const auto top = std::ranges::max_element(used, {}, &CollectivePoint::bus_bandwidth);
    const auto half = std::ranges::find_if(
        used, [&](const CollectivePoint& point) { return point.bus_bandwidth >= top->bus_bandwidth / 2; });

    std::vector<std::size_t> all(used.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    FitProblem problem;
    problem.residuals = used.size();
    problem.scale = kCurveScale;
    problem.residual = [&](std::size_t i, const std::vector<double>& x) {
        return std::log(curve_of(x).at(used[i].bytes) / used[i].bus_bandwidth);
    };
    // The priors are wide. They only bound constants that the points do not determine.
    const double most = std::log(top->bus_bandwidth);
    problem.constants = {{most, 1, most - 2, most + 3, all},
                         {0.65, 1, 0.05, 5, all},
                         {std::log2(half->bytes), 10, 0, 60, all}};
    out.curve = curve_of(fit(problem).x);
    out.points = static_cast<int>(used.size());
    judge(used, out);
    return out;
}

const std::vector<MeasuredTable>& shipped_tables() {
    static const std::vector<MeasuredTable> tables = [] {
        std::vector<MeasuredTable> out;
        for (const EmbeddedFile& file : embedded_files()) {
            if (file.path != "collectives/public_tables.csv") continue;
            const std::vector<CsvRow> rows = read_csv(file.text);
            const auto& header = rows.front().fields;
            for (std::size_t i = 1; i < rows.size(); ++i) {
                const auto cell = [&](const char* column) {
                    return rows[i]
                        .fields[static_cast<std::size_t>(std::ranges::find(header, column) - header.begin())];
                };
                const auto number = [&](const char* column) {
                    return parse(cell(column), Quantity::fraction).value;
                };
                if (out.empty() || out.back().name != cell("table")) {
                    MeasuredTable& next = out.emplace_back();
                    next.name = cell("table");
                    next.gpu = cell("gpu");
                    next.source = cell("source");
                    next.source = next.source.substr(0, next.source.find(" line "));
                    next.table.ranks = static_cast<int>(number("ranks"));
                    next.table.nodes = static_cast<int>(number("nodes"));
                }
                CollectiveTable& table = out.back().table;
                const double bandwidth = number("busbw_gb_s") * 1e9;
                const double bytes = number("size_bytes");
                // A bandwidth that was rounded to zero carries no information.
                if (!(bandwidth > 0)) continue;
                table.points.push_back(
                    {bytes, bytes * bus_factor(table.operation, table.ranks) / bandwidth, bandwidth});
            }
        }
        if (out.empty()) {
            std::fprintf(stderr, "shardscope: the shipped tables of collectives cannot be read\n");
            std::abort();
        }
        return out;
    }();
    return tables;
}

}  // namespace shardscope
