// The data of the collectives plot: measured tables of collective operations, the sigmoid fitted to each, and
// the bandwidth that the engine assumes for the same operation on the scenario's fabric.
#pragma once

#include <string>
#include <vector>

#include "evidence/bandwidth_curve.h"
#include "widgets/plots/plot_table.h"

namespace shardscope {

struct CollectiveSeries {
    MeasuredTable measured;
    bool own = false;  // from a log file that the user loaded
    BandwidthFit fit;
    [[nodiscard]] std::string title() const;  // "all_reduce, 8 × A100"
    [[nodiscard]] std::string where() const;  // "8 × A100"
};

struct CollectivesData {
    std::vector<CollectiveSeries> series;  // the user's own tables first
    std::size_t shown = 0;                 // index of the selected table
    NetworkRates network;                  // of the scenario

    [[nodiscard]] const CollectiveSeries& current() const { return series[shown]; }
    // Returns the bus bandwidth that the engine's law gives, B/s.
    [[nodiscard]] double engine(const CollectiveTable& table, double bytes) const;
};
// The series are the `own` tables, followed by the public ones. Without `shown` the first own table is
// selected or, if there is none, a public table of the scenario's GPU, if there is one.
CollectivesData collectives_data(const Answer& answer, const std::vector<MeasuredTable>& own,
                                 std::optional<std::size_t> shown = {});

// Names the tables of an nccl-tests log after its file.
std::vector<MeasuredTable> named_after(const std::string& file, const std::vector<CollectiveTable>& tables);

// The table has one row per measurement.
PlotTable collectives_table(const CollectivesData& data);

}  // namespace shardscope
