// What the collectives plot shows: measured tables of collective operations, the sigmoid fitted to each, and
// what the engine takes for the same operation on the scenario's fabric.
#pragma once

#include <string>
#include <vector>

#include "evidence/bandwidth_curve.h"
#include "widgets/plots/plot_data.h"

namespace shardscope {

struct CollectiveSeries {
    MeasuredTable measured;
    bool own = false;  // of a log the person gave
    BandwidthFit fit;
    [[nodiscard]] std::string title() const;  // "all_reduce, 8 × A100"
    [[nodiscard]] std::string where() const;  // "8 × A100"
};

struct CollectivesData {
    std::vector<CollectiveSeries> series;  // one's own first
    std::size_t shown = 0;                 // the one that is looked at
    NetworkRates network;                  // the scenario's

    [[nodiscard]] const CollectiveSeries& current() const { return series[shown]; }
    // Bus bandwidth by the engine's law, B/s.
    [[nodiscard]] double engine(const CollectiveTable& table, double bytes) const;
};
// `own` tables, then the public ones. Without `shown`: the first of one's own, else a public one of the
// scenario's GPU, if there is one.
CollectivesData collectives_data(const Answer& answer, const std::vector<MeasuredTable>& own,
                                 std::optional<std::size_t> shown = {});

// The tables of an nccl-tests log, named after its file.
std::vector<MeasuredTable> named_after(const std::string& file, const std::vector<CollectiveTable>& tables);

// One row a measurement.
PlotTable collectives_table(const CollectivesData& data);

}  // namespace shardscope
