#include "explore/solve.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <optional>

#include "containers/no_value.h"
#include "planner/plan.h"
#include "scenario/domain.h"
#include "system/jobs.h"
#include "text/text.h"
#include "text/translate.h"

namespace shardscope {
namespace {

bool meets(const Target& target, const Answer& answer) {
    if (target.is_fit()) return answer.estimate.verdict == Verdict::fits;
    const double reached = value_of(*target.output, answer);
    if (std::isnan(reached)) return false;
    return target.comparison == Comparison::at_least ? reached >= target.value : reached <= target.value;
}

// One value that was tried.
struct Sample {
    double x = 0;
    bool valid = false;  // the value is valid and an edit does not move it
    bool fits = false;   // with the margin to spare
    bool met = false;
    double reached = kNoValue;  // the target's output; NaN if it does not apply
    double excess = 0;          // bytes beyond the capacity less the margin
    double capacity = 0;        // bytes
    MemoryTerms terms{};        // bytes at the fullest moment
};

class ThresholdSearch {
  public:
    ThresholdSearch(const Question& question, const std::stop_token& stop,
                    const std::function<void(double)>& progress)
        : q_(question),
          stop_(stop),
          progress_(progress),
          now_(resolve(question.scenario)),
          for_edit_(settings_for_edit(question.scenario, question.id)) {
        find_range();
    }
    Solution run();

  private:
    void find_range();
    [[nodiscard]] bool has_list() const;
    [[nodiscard]] double next(double value) const;
    [[nodiscard]] std::vector<double> values();
    [[nodiscard]] Sample look(double value, Answer& scratch) const;
    void look_at_all(const std::vector<double>& values);
    void set_share_of_best();
    void find_met_ranges();
    [[nodiscard]] std::pair<double, double> edge(double missed, double met) const;
    void choose();
    [[nodiscard]] const Sample* best() const;
    [[nodiscard]] std::string reason() const;
    [[nodiscard]] std::string reason_of_memory(const std::string& range) const;
    [[nodiscard]] std::string reason_of_value(const std::string& range, const Sample& best) const;
    [[nodiscard]] std::string text(double value) const { return format(q_.id, value); }

    const Question& q_;
    const std::stop_token& stop_;
    const std::function<void(double)>& progress_;
    Settings now_;
    Settings for_edit_;      // whose rules an edit of the input obeys: automatic degrees are chosen anew
    bool complete_ = false;  // every valid value was tried
    std::vector<Sample> samples_;
    Solution out_;
};

bool ThresholdSearch::has_list() const { return parameter(q_.id).named_only || q_.id == P::recompute; }

void ThresholdSearch::find_range() {
    const Parameter& row = parameter(q_.id);
    constexpr double kBeyond = 1000;
    double low = row.minimum;
    double high = row.maximum;
    if (row.slider_low > 0) low = std::max(low, row.slider_low / kBeyond);
    if (row.slider_high > 0) high = std::min(high, row.slider_high * kBeyond);
    if (q_.id == P::gpus) high = std::min(high, std::max(row.slider_high, now_[P::gpus]));
    // The range always includes the scenario's value.
    low = std::min(low, now_[q_.id]);
    high = std::max(high, now_[q_.id]);
    if (!std::isnan(q_.low)) low = q_.low;
    if (!std::isnan(q_.high)) high = q_.high;
    out_.low = low;
    out_.high = high;
}

// The next larger valid value of a whole number, or one above `high` if there is none.
double ThresholdSearch::next(double value) const {
    const auto valid_from = [&](double v) { return nearest_valid(q_.id, v, for_edit_); };
    double stride = 1;
    while (valid_from(value + stride) <= value) {
        if (value + stride > out_.high) return value + stride;
        stride *= 2;
    }
    double miss = value + std::floor(stride / 2);
    double hit = value + stride;
    while (hit - miss > 1) {
        const double middle = std::floor((hit + miss) / 2);
        (valid_from(middle) <= value ? miss : hit) = middle;
    }
    return valid_from(hit);
}

// All valid values if there are few; else points along the slider and, logarithmically, over the whole range.
std::vector<double> ThresholdSearch::values() {
    if (has_list()) {
        complete_ = true;
        return domain(q_.id, for_edit_).stops;
    }
    const Parameter& row = parameter(q_.id);
    // Planning again at every point is slow.
    const int points = q_.scenario.automatic.any() ? 60 : 240;
    std::vector<double> out;
    const auto add = [&](double value) {
        const double valid = nearest_valid(q_.id, std::clamp(value, out_.low, out_.high), for_edit_);
        if (valid >= out_.low && valid <= out_.high) out.push_back(valid);
    };
    if (row.whole) {
        add(out_.low);
        if (out.empty()) out.push_back(next(out_.low));
        while (out.back() <= out_.high && out.size() <= 2 * static_cast<std::size_t>(points))
            out.push_back(next(out.back()));
        complete_ = out.back() > out_.high;
        std::erase_if(out, [&](double value) { return value > out_.high; });
        if (complete_) return out;
        out.clear();
    }
    const auto between = [&](double low, double high, bool logarithmic) {
        for (int i = 0; i <= points; ++i) {
            const double t = static_cast<double>(i) / points;
            add(logarithmic ? low * std::pow(high / low, t) : low + (high - low) * t);
        }
    };
    if (row.slider_high > row.slider_low)
        between(row.slider_low, row.slider_high, row.logarithmic && row.slider_low > 0);
    constexpr double kDecades = 1e-9;  // lower end ÷ upper end, if the lower one is zero
    if (out_.high > 0) between(std::max(out_.low, out_.high * kDecades), out_.high, true);
    add(out_.low);
    add(out_.high);
    add(now_[q_.id]);
    std::ranges::sort(out);
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

Sample ThresholdSearch::look(double value, Answer& scratch) const {
    Sample sample;
    sample.x = value;
    sample.valid =
        answer_into(edited(q_.scenario, q_.id, value), scratch) && scratch.settings[q_.id] == value;
    if (!sample.valid) return sample;
    const MemoryUse& memory = scratch.estimate.memory;
    sample.fits = scratch.estimate.verdict == Verdict::fits;
    sample.excess = memory.peak - memory.most_that_fits();
    sample.capacity = memory.capacity;
    sample.terms = memory.terms();
    if (!out_.target.is_fit()) sample.reached = value_of(*out_.target.output, scratch);
    sample.met = meets(out_.target, scratch);
    return sample;
}

void ThresholdSearch::look_at_all(const std::vector<double>& values) {
    samples_.resize(values.size());
    std::atomic<std::size_t> done{0};
    constexpr std::size_t kBlock = 8;
    parallel_for((values.size() + kBlock - 1) / kBlock, q_.threads, [&](std::size_t block) {
        Answer scratch;
        for (std::size_t i = block * kBlock; i < std::min(values.size(), (block + 1) * kBlock); ++i) {
            if (stop_.stop_requested()) return;
            samples_[i] = look(values[i], scratch);
            if (progress_) progress_(static_cast<double>(++done) / static_cast<double>(values.size()));
        }
    });
    std::erase_if(samples_, [](const Sample& sample) { return !sample.valid; });
}

// The sample with the best value of the target's output; nullptr if no sample has one.
const Sample* ThresholdSearch::best() const {
    const Sample* found = nullptr;
    for (const Sample& sample : samples_) {
        if (std::isnan(sample.reached)) continue;
        const bool better =
            !found || (out_.target.comparison == Comparison::at_least ? sample.reached > found->reached
                                                                      : sample.reached < found->reached);
        if (better) found = &sample;
    }
    return found;
}

void ThresholdSearch::set_share_of_best() {
    out_.target.of_best = false;
    const Sample* most = best();
    if (!most) return;
    const bool at_least = out_.target.comparison == Comparison::at_least;
    out_.target.value = at_least ? most->reached * out_.target.value : most->reached / out_.target.value;
    for (Sample& sample : samples_) {
        sample.met = !std::isnan(sample.reached) &&
                     (at_least ? sample.reached >= out_.target.value : sample.reached <= out_.target.value);
    }
}

// The adjacent values between which the target starts to be met: the one that misses and the one that meets.
std::pair<double, double> ThresholdSearch::edge(double missed, double met) const {
    if (complete_) return {missed, met};
    constexpr double kClose = 1e-9;
    const bool whole = parameter(q_.id).whole;
    Answer scratch;
    while (!stop_.stop_requested()) {
        double middle = (missed + met) / 2;
        if (whole) {
            middle = nearest_valid(q_.id, std::floor(middle), for_edit_);
            const double low = std::min(missed, met);
            const double high = std::max(missed, met);
            if (middle <= low || middle >= high) middle = next(low);
            if (middle >= high) break;
        } else if (std::fabs(met - missed) <= kClose * std::fabs(met)) {
            break;
        }
        (look(middle, scratch).met ? met : missed) = middle;
    }
    return {missed, met};
}

void ThresholdSearch::find_met_ranges() {
    for (std::size_t i = 0; i < samples_.size() && !stop_.stop_requested(); ++i) {
        if (!samples_[i].met) continue;
        MetRange stretch{samples_[i].x, samples_[i].x, kNoValue, kNoValue};
        if (i > 0) std::tie(stretch.below, stretch.from) = edge(samples_[i - 1].x, samples_[i].x);
        while (i + 1 < samples_.size() && samples_[i + 1].met) ++i;
        stretch.to = samples_[i].x;
        if (i + 1 < samples_.size())
            std::tie(stretch.above, stretch.to) = edge(samples_[i + 1].x, stretch.to);
        out_.met.push_back(stretch);
    }
}

void ThresholdSearch::choose() {
    const bool wanted = is_benefit(q_.id);
    const MetRange& stretch = wanted ? out_.met.back() : out_.met.front();
    const bool runs_down = std::isnan(stretch.below);
    const bool runs_up = std::isnan(stretch.above);
    out_.largest = runs_down == runs_up ? wanted : runs_down;
    out_.value = out_.largest ? stretch.to : stretch.from;
    out_.scenario = edited(q_.scenario, q_.id, out_.value);
}

// ---- reasons for no solution -----------------------------------------------------------------------------

std::string ThresholdSearch::reason() const {
    std::string range = label_of(q_.id);
    if (samples_.empty())
        return translate("No solution for {1} because none of its values is valid here.", {range});
    if (!has_list())
        range = translate("{1} from {2} to {3}", {range, text(samples_.front().x), text(samples_.back().x)});
    const Sample* nearest = best();
    return nearest ? reason_of_value(range, *nearest) : reason_of_memory(range);
}

// The memory term that is too large at every value. If there is none, the largest terms at the value that
// exceeds the capacity least.
std::string ThresholdSearch::reason_of_memory(const std::string& range) const {
    const auto bytes = [](double value) { return format(value, Quantity::bytes); };
    double capacity = 0;
    MemoryTerms least = samples_.front().terms;
    for (const Sample& sample : samples_) {
        capacity = std::max(capacity, sample.capacity);
        for (std::size_t i = 0; i < kMemoryTerms; ++i) least[i] = std::min(least[i], sample.terms[i]);
    }
    const auto largest = static_cast<std::size_t>(std::ranges::max_element(least) - least.begin());
    const Sample& nearest = *std::ranges::min_element(samples_, {}, &Sample::excess);
    const double peak = std::max(0.0, [&] {
        double sum = 0;
        for (const double term : nearest.terms) sum += term;
        return sum;
    }());
    if (least[largest] > capacity) {
        // Where the term hardly depends on the input, it is that of the scenario itself, which the headline
        // names, too.
        constexpr double kHardly = 1.1;
        Answer now;
        const double own =
            answer_into(q_.scenario, now) ? now.estimate.memory.terms()[largest] : least[largest];
        const bool constant = own < kHardly * least[largest];
        return translate(
            constant ? translatable("No solution for {1} because {2} alone need {3} of {4}; the smallest "
                                    "total, at {5}, is {6}.")
                     : translatable("No solution for {1} because {2} alone need at least {3} of {4}; the "
                                    "smallest total, at {5}, is {6}."),
            {range, label_of(static_cast<MemoryTerm>(largest)), bytes(constant ? own : least[largest]),
             bytes(capacity), text(nearest.x), bytes(peak)});
    }
    std::array<std::size_t, kMemoryTerms> order{};
    for (std::size_t i = 0; i < kMemoryTerms; ++i) order[i] = i;
    std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t i) { return nearest.terms[i]; });
    std::string names;
    double together = 0;
    std::size_t count = 0;
    const double room = peak - nearest.excess;
    for (; count < kMemoryTerms && together <= room; ++count) {
        const std::size_t i = order[count];
        const std::string term = label_of(static_cast<MemoryTerm>(i)) + " (" + bytes(nearest.terms[i]) + ")";
        names = count > 0 ? translate("{1} and {2}", {names, term}) : term;
        together += nearest.terms[i];
    }
    return translate(
        count > 1
            ? translatable("No solution for {1} because {2} together need {3} of {4}; the smallest total, at "
                           "{5}, is {6}.")
            : translatable(
                  "No solution for {1} because {2} need {3} of {4}; the smallest total, at {5}, is {6}."),
        {range, names, bytes(together), bytes(nearest.capacity), text(nearest.x), bytes(peak)});
}

std::string ThresholdSearch::reason_of_value(const std::string& range, const Sample& best) const {
    const Output id = *out_.target.output;
    const OutputRow& row = output(id);
    const bool at_least = out_.target.comparison == Comparison::at_least;
    const std::string label = label_of(id);
    const std::string reached = format(best.reached, row.quantity);
    Answer there;
    answer_into(edited(q_.scenario, q_.id, best.x), there);
    if (row.requires_fit) {
        return translate(at_least ? translatable("No solution for {1}: {2} is at most {3}, at {4}; the wall "
                                                 "there is {5}, {6} of the step.")
                                  : translatable("No solution for {1}: {2} is at least {3}, at {4}; the wall "
                                                 "there is {5}, {6} of the step."),
                         {range, label, reached, text(best.x), label_of(there.estimate.wall),
                          format(value_of(Output::wall, there), Quantity::percent)});
    }
    if (id == Output::peak_memory) {
        const auto largest =
            static_cast<std::size_t>(std::ranges::max_element(best.terms) - best.terms.begin());
        return translate(
            at_least ? translatable(
                           "No solution for {1}: {2} is at most {3}, at {4}; its largest term is {5}, {6}.")
                     : translatable(
                           "No solution for {1}: {2} is at least {3}, at {4}; its largest term is {5}, {6}."),
            {range, label, reached, text(best.x), label_of(static_cast<MemoryTerm>(largest)),
             format(best.terms[largest], Quantity::bytes)});
    }
    return translate(at_least ? translatable("No solution for {1}: {2} is at most {3}, at {4}.")
                              : translatable("No solution for {1}: {2} is at least {3}, at {4}."),
                     {range, label, reached, text(best.x)});
}

Solution ThresholdSearch::run() {
    out_.target = q_.target;
    look_at_all(values());
    if (stop_.stop_requested()) return out_;
    if (out_.target.of_best) set_share_of_best();
    find_met_ranges();
    if (out_.found()) choose();
    else out_.reason = reason();
    return out_;
}

}  // namespace

Target parse_target(const std::string& text, Problems& problems) {
    const std::string where = "--target " + text;
    const std::string how = translate("write fits, FIELD>=VALUE or FIELD<=VALUE");
    Target target;
    if (trim(text) == "fits") return target;
    std::size_t at = text.find_first_of("<>");
    if (at == std::string::npos || at + 1 >= text.size() || text[at + 1] != '=') {
        problems.push_back({where, translate("is not a target"), "", how});
        return target;
    }
    target.comparison = text[at] == '>' ? Comparison::at_least : Comparison::at_most;
    const std::string field = trim(text.substr(0, at));
    target.output = find_output(field);
    if (!target.output) {
        std::vector<std::string> known;
        for (const OutputRow& row : outputs()) {
            known.emplace_back(row.path);
            known.emplace_back(row.path.substr(row.path.rfind('.') + 1));
        }
        problems.push_back(
            {where, translate("there is no output “{1}”", {field}), "", suggestion(field, known, how)});
        return target;
    }
    std::string number = trim(text.substr(at + 2));
    constexpr std::string_view kOfBest = "of best";
    if (number.ends_with(kOfBest)) {
        target.of_best = true;
        number = trim(number.substr(0, number.size() - kOfBest.size()));
    }
    const Parsed parsed = parse(number, target.of_best ? Quantity::percent : output(*target.output).quantity);
    if (!parsed.ok || (target.of_best && !(parsed.value > 0 && parsed.value <= 1))) {
        problems.push_back(
            {where, parsed.ok ? translate("a share of the best must be between 0 and 1") : parsed.problem, "",
             parsed.ok ? translate("write {1}", {"95 % of best"}) : parsed.suggestion});
        return target;
    }
    target.value = parsed.value;
    return target;
}

std::string text_of(const Target& target) {
    if (target.is_fit()) return translate("it fits");
    const std::string out =
        label_of(*target.output) + (target.comparison == Comparison::at_least ? " ≥ " : " ≤ ");
    if (target.of_best) return out + translate("{1} of the best", {format(target.value, Quantity::percent)});
    return out + format(target.value, output(*target.output).quantity);
}

std::string text_of(P id, const MetRange& range, const Target& target) {
    const auto text = [id](double value) { return format(id, value); };
    const std::string from = text(range.from);
    const std::string to = text(range.to);
    // Continuous values have no next value to name.
    const bool below = !std::isnan(range.below) && text(range.below) != from;
    const bool above = !std::isnan(range.above) && text(range.above) != to;
    const bool fits = target.is_fit();
    if (range.from == range.to && below && above)
        return fits ? translate("Fits at {1}, not at {2} and {3}",
                                {from, text(range.below), text(range.above)})
                    : translate("Met at {1}, not at {2} and {3}",
                                {from, text(range.below), text(range.above)});
    if (below && above)
        return fits ? translate("Fits from {1} to {2}, not at {3} and {4}",
                                {from, to, text(range.below), text(range.above)})
                    : translate("Met from {1} to {2}, not at {3} and {4}",
                                {from, to, text(range.below), text(range.above)});
    if (below || above) {
        const std::string edge = below ? from : to;
        const std::string missed = text(below ? range.below : range.above);
        return fits ? translate("Fits at {1}, not at {2}", {edge, missed})
                    : translate("Met at {1}, not at {2}", {edge, missed});
    }
    if (range.from == range.to)
        return fits ? translate("Fits at {1}", {from}) : translate("Met at {1}", {from});
    if (std::isnan(range.above) && !std::isnan(range.below))
        return fits ? translate("Fits from {1} up", {from}) : translate("Met from {1} up", {from});
    if (std::isnan(range.below) && !std::isnan(range.above))
        return fits ? translate("Fits up to {1}", {to}) : translate("Met up to {1}", {to});
    return fits ? translate("Fits from {1} to {2}", {from, to})
                : translate("Met from {1} to {2}", {from, to});
}

Solution solve(const Question& question, const std::stop_token& stop,
               const std::function<void(double)>& progress) {
    return ThresholdSearch(question, stop, progress).run();
}

std::vector<Alternative> alternatives(const Question& question, const std::stop_token& stop,
                                      const std::function<void(double)>& progress) {
    std::vector<Alternative> out;
    constexpr double kAttempts = 2;
    double attempted = 0;
    const auto attempt = [&](const std::string& label, const Scenario& scenario) {
        const double before = attempted++;
        if (scenario == question.scenario || stop.stop_requested()) return;
        Question other = question;
        other.scenario = scenario;
        Solution found = solve(other, stop, [&](double done) {
            if (progress) progress((before + done) / kAttempts);
        });
        if (found.found()) out.push_back({label, std::move(found)});
    };
    // From the first automatic parameter on the global batch is held, because a planner that may change the
    // batch would compare different jobs.
    const bool holds = question.scenario.automatic.none() && question.id != P::accumulation;
    Scenario planned = holds ? with_hold(question.scenario, Hold::global_batch) : question.scenario;
    ParameterSet free = default_free_parameters();
    free.reset(index(question.id));
    free.reset(index(P::offload));  // is not proposed unasked, because it needs memory and time of the host
    planned.automatic |= free;
    attempt(translate("with an automatic plan"), planned);
    if (question.id != P::recompute)
        attempt(translate("with full recompute"), edited(question.scenario, P::recompute, 1));
    return out;
}

bool is_benefit(P id) {
    switch (id) {
        case P::sequence_length:
        case P::micro_batch:
        case P::accumulation:
        case P::global_batch:
        case P::training_tokens: return true;
        default: return parameter(id).group == Group::model;
    }
}

bool can_solve_for(P id) { return parameter(id).prominence != Prominence::file; }

std::span<const PredefinedQuestion> predefined_questions() {
    static constexpr Target kFit{};
    static constexpr std::array kQuestions{
        PredefinedQuestion{"fewest-gpus", translatable("Fewest GPUs that fit"), P::gpus, kFit},
        PredefinedQuestion{"longest-sequence", translatable("Longest sequence that fits"), P::sequence_length,
                           kFit},
        PredefinedQuestion{"largest-micro-batch", translatable("Largest micro-batch that fits"),
                           P::micro_batch, kFit},
        PredefinedQuestion{"least-memory", translatable("Least memory that fits"), P::memory, kFit},
        PredefinedQuestion{"bandwidth",
                           translatable("Bandwidth for 50 % MFU"),
                           P::inter_node_bandwidth,
                           {Output::mfu, Comparison::at_least, 0.5, false}},
        PredefinedQuestion{"ceiling",
                           translatable("95 % of the ceiling"),
                           std::nullopt,
                           {Output::mfu, Comparison::at_least, 0.95, true}},
        PredefinedQuestion{"days",
                           translatable("Done in 30 days"),
                           P::gpus,
                           {Output::training_days, Comparison::at_most, 30, false}},
    };
    return kQuestions;
}

}  // namespace shardscope
