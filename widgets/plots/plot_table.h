// The data of a plot as a table: the table view and the CSV print it. Every plot makes one of its data.
//
// Rates are in SI units in a plot's data; a table's numbers are in the unit that its header names.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "explain/output.h"
#include "widgets/pin.h"

namespace shardscope {

struct PlotTable {
    std::vector<std::string> columns;  // "gpus[1]", "mfu_weak[%]"
    std::vector<std::vector<std::string>> rows;
};
std::string to_csv(const PlotTable& table);
// "NAME[UNIT]", a verdict's cell, and a wall's cell: its name in files, but "host-link" for the link to the
// host.
std::string column_header(std::string_view name, const std::string& unit);
std::string verdict_cell(bool valid, Verdict verdict);
std::string wall_cell(Wall wall);
// The header of a parameter's column, and the parameter's value in tables: the name of a choice, a number in
// its unit.
std::string parameter_header(P id);
std::string parameter_cell(P id, double value);

// The unit of a quantity on an axis: "%" and 0.01, "GiB" and 2^30; "1" and 1 for bare numbers.
struct PlotUnit {
    std::string symbol;
    double factor = 1;
};
PlotUnit plot_unit(Quantity quantity);

// Appends the pins' tables below the scenario's table and adds a first column with the scenario's letter.
// Without pins the table is returned unchanged.
PlotTable with_pins(PlotTable table, const std::vector<std::pair<char, PlotTable>>& pinned);
// The same for ghosts, which have a letter and the data from which `table_of` makes a table.
template <typename Ghost, typename TableOf>
PlotTable with_ghosts(PlotTable table, const std::vector<Ghost>& ghosts, TableOf table_of) {
    std::vector<std::pair<char, PlotTable>> pinned;
    pinned.reserve(ghosts.size());
    for (const Ghost& ghost : ghosts) pinned.emplace_back(ghost.letter, table_of(ghost.data));
    return with_pins(std::move(table), pinned);
}
PlotTable with_pins(const std::function<PlotTable(const Answer&)>& table_of, const Answer& answer,
                    const std::vector<Pin>& pins);

}  // namespace shardscope
