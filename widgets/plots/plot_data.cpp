#include "widgets/plots/plot_data.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "containers/no_value.h"
#include "evidence/measured.h"
#include "evidence/runs.h"
#include "explore/repair.h"
#include "scenario/gpu_groups.h"
#include "text/csv.h"

namespace shardscope {
namespace {

// The GPU counts at which scaling curves are tried.
constexpr double kFewestGpus = 1;
constexpr double kMostGpus = 16384;

std::string verdict_cell(bool valid, Verdict verdict) {
    return valid ? std::string(name_of(verdict)) : std::string("invalid");
}

std::string header(std::string_view name, const std::string& unit) {
    return std::string(name) + "[" + unit + "]";
}

const CurvePoint* point_at(const Curve& curve, double gpus) {
    const auto found = std::ranges::find(curve, gpus, &CurvePoint::x);
    return found == curve.end() ? nullptr : &*found;
}

SweepPoint sweep_point(double x, const Answer& answer, bool valid, const std::vector<Output>& outputs,
                       bool hypothetical, std::optional<Output> against) {
    SweepPoint point{x, x, valid, answer.estimate.verdict, answer.estimate.wall, {}};
    point.value.fill(kNoValue);
    if (against) point.along = valid ? value_of(*against, answer, hypothetical) : kNoValue;
    for (std::size_t i = 0; valid && i < outputs.size(); ++i)
        point.value[i] = value_of(outputs[i], answer, hypothetical);
    return point;
}

}  // namespace

std::string parameter_cell(P id, double value) {
    const Parameter& row = parameter(id);
    return is_named(row, value) ? written(id, value) : exact_or_empty(value / plot_unit(row.quantity).factor);
}
std::string parameter_header(P id) {
    const Parameter& row = parameter(id);
    return row.named_only ? std::string(row.key) : header(row.key, plot_unit(row.quantity).symbol);
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

double ScalingData::y(double tokens_per_s_per_gpu, const CurvePoint& at, ScalingY quantity) const {
    switch (quantity) {
        case ScalingY::mfu: return tokens_per_s_per_gpu / full_rate;
        case ScalingY::tokens_per_s_per_gpu: return tokens_per_s_per_gpu;
        case ScalingY::tokens_per_s: return tokens_per_s_per_gpu * at.x;
        case ScalingY::days: return at.run_tokens / (tokens_per_s_per_gpu * at.x) / kSecondsPerDay;
        case ScalingY::memory: return at.peak_memory / kGiB;
    }
    return kNoValue;
}

double ScalingData::y(double tokens_per_s_per_gpu, double gpus, ScalingY quantity) const {
    CurvePoint there = current;
    there.x = gpus;
    return y(tokens_per_s_per_gpu, there, quantity);
}

double ScalingData::y(const MeasuredPoint& run, ScalingY quantity) const {
    if (quantity == ScalingY::memory) return kNoValue;
    return quantity == ScalingY::mfu ? run.mfu : y(run.tokens_per_s_per_gpu, run.gpus, quantity);
}

double ScalingData::y(const CurvePoint& point, ScalingY quantity) const {
    const bool known = quantity == ScalingY::memory ? point.valid : shows(point);
    return known ? y(point.tokens_per_s_per_gpu, point, quantity) : kNoValue;
}

double ScalingData::ideal_y(const CurvePoint& point, ScalingY quantity) const {
    // The closed form gives zero if it leaves no memory for activations.
    if (!point.valid || !(point.ideal_tokens_per_s_per_gpu > 0) || quantity == ScalingY::memory)
        return kNoValue;
    if (quantity == ScalingY::mfu) return point.ideal_mfu;
    return y(point.ideal_tokens_per_s_per_gpu, point, quantity);
}

ScalingData scaling_data(const Answer& answer, const std::optional<Measurement>& own, bool hypothetical,
                         bool held, const std::stop_token& stop) {
    ScalingData out;
    if (!answer.valid()) return out;
    const Settings& s = answer.settings;
    const Scenario scenario = held ? locked(answer.scenario) : answer.scenario;
    if (answer.scenario.automatic.any()) out.plan = held ? SweepPlan::held : SweepPlan::replanned;
    out.curves = scaling(scenario, kFewestGpus, kMostGpus, stop);
    out.current = curve_point(s[P::gpus], answer, true);
    out.full_rate = answer.compiled.peak / answer.compiled.flops_per_token;
    out.training_tokens = answer.compiled.training_tokens;
    out.capacity = answer.estimate.memory.capacity;
    out.global_batch = s[P::global_batch];
    out.replica_gpus = gpus_per_replica(s);
    out.sequences_per_replica = s[P::global_batch] / data_parallel(s);
    out.hypothetical = hypothetical;
    if (own) {
        const Residual found = residual(answer, *own);
        out.measured.push_back({.gpus = found.gpus,
                                .tokens_per_s_per_gpu = found.tokens_per_s_per_gpu,
                                .same_settings = true,
                                .own = true,
                                .name = "my measured run",
                                .source = "this scenario",
                                .mfu = found.mfu,
                                .sequence = s[P::sequence_length]});
    }
    for (const ComparableRun& run : comparable_runs(answer)) {
        if (run.run->tokens_per_s_per_gpu > 0) {
            out.measured.push_back({.gpus = run.run->gpus,
                                    .tokens_per_s_per_gpu = run.run->tokens_per_s_per_gpu,
                                    .same_settings = run.same_settings,
                                    .own = false,
                                    .name = run.run->id,
                                    .source = run.run->source,
                                    .mfu = run.mfu,
                                    .mfu_published = run.run->mfu > 0,
                                    .sequence = run.sequence});
        }
    }
    return out;
}

void show_repair(ScalingData& data, const Repair* repair, const std::stop_token& stop) {
    data.repaired.clear();
    data.repair.clear();
    if (!repair || data.shown_y(ScalingY::mfu) != ScalingY::memory) return;
    const Scenario planned = locked(repair->planned);
    data.repaired = scaling(planned, kFewestGpus, kMostGpus, stop).weak;
    keep_plan(data.repaired, with_hold(planned, Hold::per_gpu_batch));
    data.repaired_capacity = repair->capacity;
    data.repair = repair->label;
}

SweepData sweep_data(const Answer& answer, const std::vector<Axis>& axes, const std::vector<Output>& outputs,
                     bool hypothetical, bool held, std::optional<Output> against,
                     const std::stop_token& stop) {
    SweepData out;
    if (!answer.valid()) return out;
    const Settings& s = answer.settings;
    constexpr int kSteps = 80;
    constexpr double kFewest = 0.125;  // of the current value: a slider's range is too wide for a figure
    std::vector<Axis> used = axes;
    if (used.empty()) {
        const P id = P::sequence_length;
        const Parameter& row = parameter(id);
        const double low = std::max(row.slider_low, s[id] * kFewest);
        const double high = std::max(low, std::min(row.slider_high, s[id] / kFewest));
        used.push_back(make_axis(answer.scenario, id, low, high, kSteps, true));
        // The curve contains the scenario itself as a point.
        auto& values = used.front().values;
        const auto place = std::ranges::lower_bound(values, s[id]);
        if (place == values.end() || *place != s[id]) values.insert(place, s[id]);
    }
    out.outputs = outputs.empty() ? std::vector<Output>{Output::mfu, Output::peak_memory} : outputs;
    if (out.outputs.size() > kMaxPanels) out.outputs.resize(kMaxPanels);
    out.x = used[0].id;
    out.against = against;
    out.capacity = answer.estimate.memory.capacity;
    out.hypothetical = hypothetical;
    if (answer.scenario.automatic.any()) out.plan = held ? SweepPlan::held : SweepPlan::replanned;
    const Scenario scenario = held ? locked(answer.scenario) : answer.scenario;
    out.current = sweep_point(s[out.x], answer, true, out.outputs, hypothetical, against);

    std::vector<Axis> order;  // the family is the outer loop, x the inner one
    if (used.size() > 1) {
        const P family = used[1].id;
        out.family = family;
        order.push_back(used[1]);
        for (const double member : used[1].values) out.series.push_back({member, member == s[family], {}});
    } else {
        out.series.push_back({0, true, {}});
    }
    order.push_back(used[0]);
    Answer scratch;
    for (std::size_t i = 0; i < combinations(order) && !stop.stop_requested(); ++i) {
        const std::vector<std::size_t> at = indices_of(order, i);
        const bool valid = answer_point(scenario, order, at, scratch);
        SweepSeries& series = out.series[at.size() > 1 ? at[0] : 0];
        series.points.push_back(
            sweep_point(used[0].values[at.back()], scratch, valid, out.outputs, hypothetical, against));
    }
    return out;
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

PlotTable scaling_table(const ScalingData& data) {
    PlotTable out;
    out.columns = {"gpus[1]",
                   "verdict",
                   "wall",
                   "mfu_weak[%]",
                   "mfu_band_low[%]",
                   "mfu_band_high[%]",
                   "mfu_strong[%]",
                   "mfu_ideal[%]",
                   "tokens_per_s_per_gpu_weak[tokens/s]",
                   "tokens_per_s_per_gpu_strong[tokens/s]",
                   "tokens_per_s_weak[tokens/s]",
                   "tokens_per_s_strong[tokens/s]",
                   "days_weak[days]",
                   "days_strong[days]",
                   "mfu_measured[%]",
                   "tokens_per_s_per_gpu_measured[tokens/s]",
                   "run",
                   "settings",
                   "peak_memory_weak[GiB]",
                   "sharded_memory_weak[GiB]",
                   "peak_memory_strong[GiB]",
                   "peak_memory_repaired[GiB]"};
    constexpr double kPercent = 0.01;
    for (const CurvePoint& weak : data.curves.weak) {
        const CurvePoint* strong = point_at(data.curves.strong, weak.x);
        const auto weakly = [&](ScalingY y) { return data.y(weak, y); };
        const auto strongly = [&](ScalingY y) { return strong ? data.y(*strong, y) : kNoValue; };
        const CurvePoint* repaired = point_at(data.repaired, weak.x);
        const double mfu = weakly(ScalingY::mfu);
        out.rows.push_back(
            {exact_or_empty(weak.x),
             verdict_cell(weak.valid, weak.verdict),
             weak.valid ? std::string(name_of(weak.wall)) : std::string(),
             exact_or_empty(mfu / kPercent),
             exact_or_empty((std::isnan(mfu) ? kNoValue : data.y(weak.band_low, weak, ScalingY::mfu)) /
                            kPercent),
             exact_or_empty((std::isnan(mfu) ? kNoValue : data.y(weak.band_high, weak, ScalingY::mfu)) /
                            kPercent),
             exact_or_empty(strongly(ScalingY::mfu) / kPercent),
             exact_or_empty(data.ideal_y(weak, ScalingY::mfu) / kPercent),
             exact_or_empty(weakly(ScalingY::tokens_per_s_per_gpu)),
             exact_or_empty(strongly(ScalingY::tokens_per_s_per_gpu)),
             exact_or_empty(weakly(ScalingY::tokens_per_s)),
             exact_or_empty(strongly(ScalingY::tokens_per_s)),
             exact_or_empty(weakly(ScalingY::days)),
             exact_or_empty(strongly(ScalingY::days)),
             "",
             "",
             "",
             "",
             exact_or_empty(weakly(ScalingY::memory)),
             exact_or_empty(weak.valid ? weak.sharded_memory / kGiB : kNoValue),
             exact_or_empty(strongly(ScalingY::memory)),
             exact_or_empty(repaired ? data.y(*repaired, ScalingY::memory) : kNoValue)});
    }
    // Measured runs follow in separate rows, because several may share a GPU count.
    for (const MeasuredPoint& run : data.measured) {
        std::vector<std::string> row(out.columns.size());
        row[0] = exact_or_empty(run.gpus);
        row[14] = exact_or_empty(data.y(run, ScalingY::mfu) / kPercent);
        row[15] = exact_or_empty(run.tokens_per_s_per_gpu);
        row[16] = run.name;
        row[17] = run.same_settings ? "same" : "other";
        out.rows.push_back(std::move(row));
    }
    return out;
}

PlotTable sweep_table(const SweepData& data) {
    PlotTable out;
    out.columns.push_back(parameter_header(data.x));
    if (data.family) out.columns.push_back(parameter_header(*data.family));
    // The quantity of the x axis has its own column unless it is one of the outputs.
    const bool has_own_column =
        data.against && std::ranges::find(data.outputs, *data.against) == data.outputs.end();
    if (has_own_column)
        out.columns.push_back(
            header(output(*data.against).path, plot_unit(output(*data.against).quantity).symbol));
    for (const Output id : data.outputs)
        out.columns.push_back(header(output(id).path, plot_unit(output(id).quantity).symbol));
    const bool planned = data.plan != SweepPlan::as_set;
    if (planned) out.columns.emplace_back("plan");
    out.columns.emplace_back("verdict");
    for (const SweepSeries& series : data.series) {
        for (const SweepPoint& point : series.points) {
            std::vector<std::string> row{parameter_cell(data.x, point.x)};
            if (data.family) row.push_back(parameter_cell(*data.family, series.member));
            if (has_own_column)
                row.push_back(exact_or_empty(point.along / plot_unit(output(*data.against).quantity).factor));
            for (std::size_t i = 0; i < data.outputs.size(); ++i) {
                row.push_back(
                    exact_or_empty(point.value[i] / plot_unit(output(data.outputs[i]).quantity).factor));
            }
            if (planned) row.emplace_back(data.plan == SweepPlan::held ? "held" : "found anew");
            row.push_back(verdict_cell(point.valid, point.verdict));
            out.rows.push_back(std::move(row));
        }
    }
    return out;
}

PlotTable memory_table(const Answer& answer) {
    PlotTable out;
    out.columns = {"term", "family", "memory[GiB]", "moment", "stage", "verdict"};
    if (!answer.valid()) return out;
    const MemoryUse& memory = answer.estimate.memory;
    const double gib = plot_unit(Quantity::bytes).factor;
    const std::string moment(name_of(memory.peak_moment));
    const std::string stage = exact_or_empty(memory.stage + 1);
    const std::string verdict(name_of(answer.estimate.verdict));
    for (std::size_t i = 0; i < kMemoryTerms; ++i) {
        out.rows.push_back({std::string(name_of(static_cast<MemoryTerm>(i))),
                            i < kShardableMemoryTerms ? "shared" : "each",
                            exact_or_empty(memory.terms()[i] / gib), moment, stage, verdict});
    }
    out.rows.push_back({"peak", "", exact_or_empty(memory.peak / gib), moment, stage, verdict});
    out.rows.push_back({"capacity", "", exact_or_empty(memory.capacity / gib), "", "", verdict});
    out.rows.push_back({"risk_margin", "", exact_or_empty(memory.margin / gib), "", "", verdict});
    return out;
}

PlotTable waterfall_table(const Answer& answer, bool hypothetical) {
    PlotTable out;
    out.columns = {"term", "start[ms]", "exposed[ms]", "hidden[ms]", "verdict"};
    if (!answer.valid()) return out;
    constexpr double kMilli = 1e-3;
    const StepTime& step = answer.estimate.step;
    const bool shown = hypothetical || answer.fits();
    const std::string verdict(name_of(answer.estimate.verdict));
    const auto time = [&](double seconds) {
        return shown ? exact_or_empty(seconds / kMilli) : std::string();
    };
    double start = 0;
    for (std::size_t i = 0; i < kStepTerms; ++i) {
        const auto term = static_cast<StepTerm>(i);
        out.rows.push_back({std::string(name_of(term)), time(start), time(step.terms[i]),
                            term == StepTerm::network ? time(step.hidden_communication) : std::string(),
                            verdict});
        start += step.terms[i];
    }
    out.rows.push_back({"step", time(0), time(step.total), "", verdict});
    return out;
}

}  // namespace shardscope
