#include "widgets/plots/plans/plans_data.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <set>

#include "containers/no_value.h"
#include "planner/planner.h"
#include "text/text.h"
#include "training/critical_batch.h"

namespace shardscope {
namespace {

PlanPoint point_of(PlanMark mark, const Candidate& candidate) {
    return {mark, candidate.plan, candidate.verdict, candidate.peak, candidate.tokens_per_s_per_gpu, 0};
}

PlanPoint point_of(PlanMark mark, const Answer& answer) {
    const Estimate& e = answer.estimate;
    return {mark, plan_of(answer.settings), e.verdict, e.memory.peak, e.tokens_per_s_per_gpu, 0};
}

std::vector<PlanPoint> points_of(const PlanReport& report, const std::vector<Candidate>& of_cells) {
    std::vector<PlanPoint> out;
    std::set<Plan> seen;
    const auto add = [&](PlanPoint point, std::size_t neighbour = 0) {
        point.neighbour = neighbour;
        if (seen.insert(point.plan).second) out.push_back(point);
    };
    if (report.found()) add(point_of(PlanMark::best, report.plans.front()));
    for (std::size_t i = 0; i < report.neighbours.size(); ++i)
        add(point_of(PlanMark::neighbour, report.neighbours[i].answer), i);
    for (const Candidate& edge : report.frontier) add(point_of(PlanMark::frontier, edge));
    for (const Candidate& cut : of_cells) add(point_of(PlanMark::cut, cut));
    std::ranges::stable_sort(out, {}, &PlanPoint::peak);
    return out;
}

// The last search and its result.
struct Made {
    std::mutex mutex;
    PlansSubject subject;
    SharedPlans plans;
};
Made& last_made() {
    static Made made;
    return made;
}

std::string column(Output id) {
    return std::string(output(id).path) + "[" + plot_unit(output(id).quantity).symbol + "]";
}

std::string cell(Output id, double value) {
    return std::isfinite(value) ? exact(value / plot_unit(output(id).quantity).factor) : std::string();
}

std::string_view name_of(PlanMark mark) {
    switch (mark) {
        case PlanMark::cut: return "cut";
        case PlanMark::frontier: return "frontier";
        case PlanMark::neighbour: return "neighbour";
        case PlanMark::best: break;
    }
    return "best";
}

}  // namespace

bool compares_plans(Output id) { return std::ranges::find(kPlanOutputs, id) != kPlanOutputs.end(); }

// ---- the data --------------------------------------------------------------------------------------------

const Neighbour* PlansData::neighbour_of(const PlanPoint& point) const {
    return point.mark == PlanMark::neighbour ? &report.neighbours[point.neighbour] : nullptr;
}

Scenario PlansData::scenario_of(const PlanPoint& point) const {
    // A neighbour may differ in more than the plan: its batch may have followed.
    if (const Neighbour* neighbour = neighbour_of(point)) return neighbour->answer.scenario;
    return with_plan(report.question.scenario, point.plan, report.question.free);
}

double PlansData::at_best(Output id) const {
    const double value = best() ? output(id).get(*best()) : kNoValue;
    return value > 0 ? value : kNoValue;
}

double PlansData::value(Output id, double tokens_per_s_per_gpu) const {
    if (!best()) return kNoValue;
    const double faster = tokens_per_s_per_gpu / best()->estimate.tokens_per_s_per_gpu;
    return less_is_better(id) ? at_best(id) / faster : at_best(id) * faster;
}

bool PlansData::depends_on_batch(Output id) const {
    return best() && less_is_better(id) && std::isfinite(best()->estimate.run.critical_batch);
}

double PlansData::tokens_against_best(const Scenario& scenario) const {
    const TrainingRun& run = best()->estimate.run;
    const Settings s = resolve(scenario);
    const double batch = s[P::global_batch] * s[P::sequence_length];
    return tokens_at_batch(1, batch, run.critical_batch) / tokens_at_batch(1, run.batch, run.critical_batch);
}

double PlansData::value(Output id, const Candidate& candidate) const {
    const double same_tokens = value(id, candidate.tokens_per_s_per_gpu);
    if (!depends_on_batch(id)) return same_tokens;
    return same_tokens *
           tokens_against_best(with_plan(report.question.scenario, candidate.plan, report.question.free));
}

double PlansData::value(Output id, const PlanPoint& point, bool hypothetical) const {
    if (!point.fits() && !hypothetical) return kNoValue;
    const double same_tokens = value(id, point.tokens_per_s_per_gpu);
    return depends_on_batch(id) ? same_tokens * tokens_against_best(scenario_of(point)) : same_tokens;
}

bool PlansSubject::makes_sense() const { return is_valid(without_plan(resolve(scenario))); }

PlansSubject plans_subject(const Scenario& scenario, bool all_free) {
    PlansSubject out;
    out.free = all_free ? default_free_parameters() | scenario.automatic : free_of(scenario);
    Plan plain;
    for (const P id : kPlanParameters) plain[id] = parameter(id).fallback;
    // Where the plan is set by hand, its global batch is the job for which other plans are searched, as it is
    // from the first automatic parameter on.
    const Scenario job = scenario.automatic.none() ? with_hold(scenario, Hold::global_batch) : scenario;
    out.scenario = with_plan(without_mfu_override(locked(job)), plain, out.free);
    return out;
}

SharedPlans plans_data(const PlansSubject& subject, unsigned threads, const std::stop_token& stop,
                       const std::function<void(double)>& progress) {
    Made& made = last_made();
    {
        const std::scoped_lock lock(made.mutex);
        if (made.plans && made.subject == subject) return made.plans;
    }
    PlanQuestion question;
    question.scenario = subject.scenario;
    question.free = subject.free;
    question.top = 1;
    SearchOptions options = options_of(question);
    options.best_of_cells = true;
    options.threads = threads;
    options.stop = stop;
    options.progress = progress;
    const Settings settings = resolve(question.scenario);
    const SearchResult found = search_plans(settings, question.free, options);
    if (found.stopped) return nullptr;
    auto out = std::make_shared<PlansData>();
    out->report = plan_report(question, found);
    out->points = points_of(out->report, found.of_cells);
    out->limits = memory_limits(settings);
    const std::scoped_lock lock(made.mutex);
    made.subject = subject;
    made.plans = out;
    return out;
}

// ---- scenarios among the plans ---------------------------------------------------------------------------

double PlanDot::of(Output id) const {
    return value[static_cast<std::size_t>(std::ranges::find(kPlanOutputs, id) - kPlanOutputs.begin())];
}

std::optional<PlanDot> plan_dot(char letter, const Answer& answer, bool hypothetical) {
    if (!answer.valid()) return std::nullopt;
    PlanDot out;
    out.letter = letter;
    out.fits = answer.fits();
    out.peak = answer.estimate.memory.peak;
    out.plan = plan_of(answer.settings);
    Answer predicted;
    answer_into(without_mfu_override(locked(answer.scenario)), predicted);
    for (std::size_t i = 0; i < kPlanOutputs.size(); ++i)
        out.value[i] = value_of(kPlanOutputs[i], predicted, hypothetical);
    return out;
}

// ---- table -----------------------------------------------------------------------------------------------

PlotTable plans_table(const PlansData& data, const Answer& current, const std::vector<Pin>& pins,
                      bool hypothetical) {
    constexpr std::array kNumbers{Output::mfu, Output::tokens_per_s_per_gpu, Output::tokens_per_s,
                                  Output::training_days, Output::cost};
    constexpr std::array kBatch{P::accumulation, P::global_batch};
    PlotTable out;
    out.columns = {"kind", "verdict", column(Output::peak_memory)};
    for (const Output id : kNumbers) out.columns.push_back(column(id));
    for (const P id : kPlanParameters) out.columns.push_back(parameter_header(id));
    for (const P id : kBatch) out.columns.push_back(parameter_header(id));
    out.columns.insert(out.columns.end(), {"step", "why"});

    const auto add = [&](std::string_view kind, Verdict verdict, double peak, const auto& number,
                         const Settings& settings, const Neighbour* neighbour) {
        std::vector<std::string> row{std::string(kind), std::string(name_of(verdict)),
                                     cell(Output::peak_memory, peak)};
        for (const Output id : kNumbers) row.push_back(cell(id, number(id)));
        for (const P id : kPlanParameters) row.push_back(parameter_cell(id, settings[id]));
        for (const P id : kBatch) row.push_back(parameter_cell(id, settings[id]));
        row.push_back(neighbour ? title(*neighbour) : std::string());
        row.push_back(neighbour ? why(*neighbour) : std::string());
        out.rows.push_back(std::move(row));
    };
    const auto add_plan_of = [&](const std::string& kind, const Answer& of) {
        if (of.valid())
            add(
                kind, of.estimate.verdict, of.estimate.memory.peak,
                [&](Output id) { return value_of(id, of, hypothetical); }, of.settings, nullptr);
    };
    add_plan_of("current", current);
    for (const Pin& pin : pins) add_plan_of(std::string("pinned ") + pin.letter, pin.answer);
    for (const PlanPoint& point : data.points)
        add(
            name_of(point.mark), point.verdict, point.peak,
            [&](Output id) { return data.value(id, point, hypothetical); }, resolve(data.scenario_of(point)),
            data.neighbour_of(point));
    return out;
}

}  // namespace shardscope
