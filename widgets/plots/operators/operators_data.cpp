#include "widgets/plots/operators/operators_data.h"

#include <cmath>

#include "containers/no_value.h"

namespace shardscope {
namespace {}  // namespace

double OperatorsData::achieved(const OperatorRow& row) const {
    return timed && row.flops > 0 && row.forward > 0 ? row.flops / row.forward : kNoValue;
}
double OperatorsData::share(double step_seconds) const {
    return timed && table.seconds > 0 ? step_seconds / table.seconds : kNoValue;
}
bool OperatorsData::drawn(const OperatorRow& row) const { return achieved(row) > 0 && row.intensity() > 0; }

double OperatorsData::moving_share() const {
    double seconds = 0;
    for (const OperatorRow& row : table.rows) {
        if (!row.exchanges() && row.flops <= 0) seconds += row.step;
    }
    return share(seconds);
}

OperatorsData operators_data(const Answer& answer, bool hypothetical) {
    OperatorsData out;
    out.table = operator_table(answer);
    if (!answer.valid()) return out;
    out.timed = answer.fits() || hypothetical;
    out.hypothetical = !answer.fits() && hypothetical;
    out.memory = answer.estimate.memory;
    const GpuRates& gpu = answer.compiled.gpu;
    const bool low = is_low(answer.settings.choice<Precision>(P::precision));
    out.peak = answer.compiled.peak;
    out.reached_peak = (low ? gpu.peak_low : gpu.peak) * gpu.gemm_efficiency;
    out.bandwidth = answer.settings[P::memory_bandwidth];
    out.reached_bandwidth = gpu.memory_bandwidth;
    return out;
}

std::string shape_text(const OperatorRow& row) {
    if (row.m <= 0) return {};
    const auto number = [](double value) { return format(std::round(value), Quantity::count); };
    const std::string times = row.count > 1 ? number(row.count) + " of " : std::string();
    return times + number(row.m) + " × " + number(row.n) + " × " + number(row.k);
}

std::string bound_label(const OperatorRow& row) {
    if (row.bound == Rate::count) return {};
    return label_of(
        static_cast<Wall>(static_cast<std::size_t>(Wall::compute) + static_cast<std::size_t>(row.bound)));
}

std::string block_text(const OperatorSum& block) {
    std::string out(block.name);
    if (block.repeat > 1) out += " ×" + format(block.here, Quantity::count);
    return out;
}

PlotTable operators_table(const OperatorsData& data) {
    PlotTable out;
    out.columns = {"block",
                   "operator",
                   "kind",
                   "blocks[1]",
                   "matrices[1]",
                   "m[1]",
                   "n[1]",
                   "k[1]",
                   "flops[FLOP]",
                   "weights[1]",
                   "saved[B]",
                   "moved[B]",
                   "intensity[FLOP/B]",
                   "forward[ms]",
                   "backward[ms]",
                   "bound",
                   "step[ms]",
                   "share[%]"};
    constexpr double kMilli = 1e-3;
    constexpr double kPercent = 0.01;
    const OperatorTable& table = data.table;
    const auto time = [&](double seconds) {
        return data.timed ? exact_or_empty(seconds / kMilli) : std::string();
    };
    const auto share = [&](double seconds) { return exact_or_empty(data.share(seconds) / kPercent); };
    const auto total = [&](const OperatorSum& sum, const std::string& block, double here) {
        out.rows.push_back({block, "", "total", exact_or_empty(here), "", "", "", "",
                            exact_or_empty(sum.flops), exact_or_empty(sum.weights), exact_or_empty(sum.saved),
                            exact_or_empty(sum.bytes),
                            sum.bytes > 0 ? exact_or_empty(sum.flops / sum.bytes) : "", time(sum.forward),
                            time(sum.backward), "", time(sum.step), share(sum.step)});
    };
    for (const OperatorSum& block : table.blocks) {
        for (std::size_t i = block.first; i < block.first + block.count; ++i) {
            const OperatorRow& row = table.rows[i];
            const bool shaped = row.m > 0;
            const auto size = [&](double value) { return shaped ? exact_or_empty(value) : std::string(); };
            out.rows.push_back({std::string(row.block), std::string(row.name), std::string(row.kind),
                                exact_or_empty(block.here), size(row.count), size(row.m), size(row.n),
                                size(row.k), exact_or_empty(row.flops), exact_or_empty(row.weights),
                                exact_or_empty(row.saved), exact_or_empty(row.bytes),
                                row.exchanges() ? "" : exact_or_empty(row.intensity()), time(row.forward),
                                time(row.backward), std::string(row.bound_name()), time(row.step),
                                share(row.step)});
        }
        total(block, std::string(block.name), block.here);
    }
    if (table.empty()) return out;
    total(table.model, "model", 1);
    const auto other = [&](const std::string& name, double seconds) {
        std::vector<std::string> row(out.columns.size());
        row[0] = "step";
        row[1] = name;
        row[16] = time(seconds);
        row[17] = share(seconds);
        out.rows.push_back(std::move(row));
    };
    for (std::size_t i = 0; i < kStepTerms; ++i) {
        if (table.others[i] > 0) other(std::string(name_of(static_cast<StepTerm>(i))), table.others[i]);
    }
    other("total", table.seconds);
    return out;
}

}  // namespace shardscope
