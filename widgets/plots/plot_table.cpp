#include "widgets/plots/plot_table.h"

#include <algorithm>

#include "text/csv.h"

namespace shardscope {

std::string verdict_cell(bool valid, Verdict verdict) {
    return valid ? std::string(name_of(verdict)) : std::string("invalid");
}

std::string wall_cell(Wall wall) {
    return wall == Wall::host_link ? "host-link" : std::string(name_of(wall));
}

std::string column_header(std::string_view name, const std::string& unit) {
    return std::string(name) + "[" + unit + "]";
}

std::string parameter_cell(P id, double value) {
    const Parameter& row = parameter(id);
    return is_named(row, value) ? written(id, value) : exact_or_empty(value / plot_unit(row.quantity).factor);
}
std::string parameter_header(P id) {
    const Parameter& row = parameter(id);
    return row.named_only ? std::string(row.key) : column_header(row.key, plot_unit(row.quantity).symbol);
}

std::string to_csv(const PlotTable& table) {
    std::string out;
    const auto line = [&](const std::vector<std::string>& fields) {
        for (std::size_t i = 0; i < fields.size(); ++i) {
            if (i > 0) out += ',';
            out += csv_field(fields[i]);
        }
        out += '\n';
    };
    line(table.columns);
    for (const auto& row : table.rows) line(row);
    return out;
}

PlotUnit plot_unit(Quantity quantity) {
    const auto units = units_of(quantity);
    if (units.empty()) return {"1", 1};
    return {std::string(units.front().symbol), units.front().factor};
}

PlotTable with_pins(PlotTable table, const std::vector<std::pair<char, PlotTable>>& pinned) {
    if (pinned.empty()) return table;
    for (auto& row : table.rows) row.insert(row.begin(), "A");
    for (const auto& [letter, other] : pinned) {
        for (const auto& from : other.rows) {
            std::vector<std::string> row{std::string(1, letter)};
            // Columns that the pin's table lacks, such as the family or the plan, stay empty.
            for (const std::string& column : table.columns) {
                const auto found = std::ranges::find(other.columns, column);
                row.push_back(found == other.columns.end()
                                  ? std::string()
                                  : from[static_cast<std::size_t>(found - other.columns.begin())]);
            }
            table.rows.push_back(std::move(row));
        }
    }
    table.columns.insert(table.columns.begin(), "scenario");
    return table;
}

PlotTable with_pins(const std::function<PlotTable(const Answer&)>& table_of, const Answer& answer,
                    const std::vector<Pin>& pins) {
    std::vector<std::pair<char, PlotTable>> pinned;
    for (const Pin& pin : pins) {
        if (pin.answer.valid()) pinned.emplace_back(pin.letter, table_of(pin.answer));
    }
    return with_pins(table_of(answer), pinned);
}

}  // namespace shardscope
