#include "widgets/report/report_answers.h"

#include <algorithm>
#include <array>

#include "evidence/likely_range.h"
#include "explain/explanation.h"
#include "explore/difference.h"
#include "explore/repair.h"
#include "planner/plan.h"
#include "planner/planner.h"
#include "widgets/drawing.h"
#include "widgets/panels/scenario_model.h"
#include "widgets/text.h"

namespace shardscope {
namespace {

QString verdict_words(const Answer& answer) {
    const MemoryUse& memory = answer.estimate.memory;
    const QString peak = shown(memory.peak, Quantity::bytes);
    const QString usable = shown(memory.capacity, Quantity::bytes);
    switch (answer.estimate.verdict) {
        case Verdict::fits: return tr("It fits: %1 of %2 on the fullest GPU.").arg(peak, usable);
        case Verdict::risky:
            return tr("Risky: %1 of %2 on the fullest GPU is within the margin of the estimate.")
                .arg(peak, usable);
        case Verdict::does_not_fit: break;
    }
    return tr("It does not fit: %1 are needed, %2 more than the %3.")
        .arg(peak, shown(memory.peak - memory.capacity, Quantity::bytes), usable);
}

// "39.8 % MFU (likely 38.1 % to 41.6 %), 4,794 tokens/s per GPU, 854 ms a step, 9.70 days of
// training."
QString rate_words(const Answer& answer, bool hypothetical) {
    const Estimate& estimate = answer.estimate;
    QString mfu = shown(estimate.mfu, Quantity::percent);
    if (answer.settings[P::mfu_override] > 0) {
        mfu = tr("%1 MFU (set by hand, no estimate)").arg(mfu);
    } else if (answer.fits()) {
        const double full = estimate.tokens_per_s_per_gpu / estimate.mfu;
        const LikelyRange likely = likely_range(answer);
        mfu = tr("%1 MFU (likely %2 to %3)")
                  .arg(mfu, shown(likely.low / full, Quantity::percent),
                       shown(likely.high / full, Quantity::percent));
    } else {
        mfu = tr("%1 MFU").arg(mfu);
    }
    QStringList out{mfu, tr("%1 per GPU").arg(shown(estimate.tokens_per_s_per_gpu, Quantity::rate)),
                    tr("%1 a step").arg(shown(estimate.step.total, Quantity::seconds))};
    if (answer.compiled.training_tokens > 0)
        out << tr("%1 of training").arg(text_of(text_of(Output::training_days, answer, hypothetical)));
    return out.join(QStringLiteral(", ")) + QLatin1Char('.');
}

ReportSection verdict(const Answer& answer, bool hypothetical) {
    ReportSection out{tr("Verdict"), {ReportParagraph{verdict_words(answer), true}}};
    if (answer.fits()) {
        out.blocks.push_back(ReportParagraph{rate_words(answer, false), true});
    } else if (hypothetical) {
        out.blocks.push_back(ReportParagraph{tr("Rates and times are hypothetical: as if memory sufficed.") +
                                             QLatin1Char(' ') + rate_words(answer, true)});
    }
    out.blocks.push_back(ReportParagraph{text_of(wall_sentence(answer))});
    return out;
}

// "B differs from A in GPUs (64 instead of 128)."
QString difference_words(const QString& letter, const std::vector<Difference>& differences) {
    if (differences.empty()) return tr("%1 has the same settings as A.").arg(letter);
    constexpr std::size_t kMost = 6;
    QStringList parts;
    for (std::size_t i = 0; i < std::min(kMost, differences.size()); ++i) {
        const Difference& one = differences[i];
        parts << tr("%1 (%2 instead of %3)").arg(text_of(one.label), text_of(one.to), text_of(one.from));
    }
    const QString names = parts.join(QStringLiteral(", "));
    if (differences.size() <= kMost) return tr("%1 differs from A in %2.").arg(letter, names);
    return tr("%1 differs from A in %2 and %3 more values.")
        .arg(letter, names, QString::number(differences.size() - kMost));
}

// "B differs from A in GPUs (64 instead of 128). B has 41.2 % MFU, A 39.8 %; B makes 0.52 times the tokens
// per second."
QString pin_words(const Pin& pin, const Answer& answer) {
    const QString letter(QLatin1Char(pin.letter));
    const QString out = difference_words(letter, differences(answer, pin.answer));
    if (!pin.answer.fits()) return out + QLatin1Char(' ') + tr("%1 does not fit.").arg(letter);
    if (!answer.fits()) return out + QLatin1Char(' ') + tr("%1 fits, A does not.").arg(letter);
    const double times = pin.answer.estimate.tokens_per_s / answer.estimate.tokens_per_s;
    return out + QLatin1Char(' ') +
           tr("%1 has %2 MFU, A %3; %1 makes %4 times the tokens per second.")
               .arg(letter, shown(pin.answer.estimate.mfu, Quantity::percent),
                    shown(answer.estimate.mfu, Quantity::percent), QString::number(times, 'f', 2));
}

ReportSection comparison(const std::vector<Pin>& pins, const Answer& answer) {
    using enum ScenarioColumn;
    constexpr std::array kColumns{scenario, verdict, memory, mfu, rate, step, network, wall, days, per_joule};
    QStringList letters;
    for (const Pin& pin : pins) letters << QString(QLatin1Char(pin.letter));
    ReportSection out{tr("A against %1").arg(letters.join(QStringLiteral(", "))), {}};
    constexpr int kFirstNumber = 3;
    ReportTable table{{QString()}, {}, kFirstNumber};
    for (const ScenarioColumn column : kColumns) table.header << column_title(column);
    std::vector<ScenarioRow> rows{scenario_row(kCurrentScenario, answer, answer.scenario.title())};
    std::vector<ScenarioNumbers> numbers{numbers_of(answer)};
    for (const Pin& pin : pins) {
        rows.push_back(scenario_row(pin.letter, pin.answer, pin.answer.scenario.title()));
        numbers.push_back(numbers_of(pin.answer));
    }
    write_numbers(rows, numbers);
    for (const ScenarioRow& row : rows) {
        QStringList cells{QString(QLatin1Char(row.letter))};
        for (const ScenarioColumn column : kColumns) cells << row.at(column);
        table.rows.push_back(std::move(cells));
    }
    out.blocks.emplace_back(std::move(table));
    for (const Pin& pin : pins) {
        if (pin.answer.valid()) out.blocks.push_back(ReportParagraph{pin_words(pin, answer)});
    }
    return out;
}

Scenario with_free_plan(const Scenario& scenario) {
    Scenario out = scenario;
    out.automatic |= default_free_parameters();
    return out;
}

// Returns the changes to recommend, best first: the best of all plans where its search is quick, and single
// changes.
std::vector<Repair> recommended(const Answer& answer) {
    // Where planning is slow, the single changes are those of the current plan.
    Answer base = answer;
    if (!plans_within_a_frame(base.scenario)) base.scenario = locked(base.scenario);
    std::optional<Repair> plan;
    if (plans_within_a_frame(with_free_plan(answer.scenario))) plan = other_plan(base.scenario, 1);
    if (needs_repair(answer)) {
        std::vector<Repair> out = with_other_plan(repairs(base.scenario), std::move(plan));
        std::erase_if(out, [](const Repair& repair) { return !repair.works; });
        return out;
    }
    if (plan && (!plan->works || plan->mfu < answer.estimate.mfu + kMinReportedGain)) plan.reset();
    std::vector<Repair> single;
    if (auto fix = best_fix(base)) single.push_back(std::move(*fix));
    return with_other_plan(std::move(single), std::move(plan));
}

// Returns what to say where no change is recommended.
QString no_change_words(const Answer& answer) {
    if (!answer.fits()) return tr("No single change makes it fit.");
    if (needs_repair(answer)) return tr("No single change makes it fit without risk.");
    if (answer.settings[P::mfu_override] > 0) return tr("MFU is set by hand, so plans are not compared.");
    const Scenario free = with_free_plan(answer.scenario);
    if (free.automatic == answer.scenario.automatic)
        return tr("The plan is automatic: the best of all combinations.");
    return plans_within_a_frame(free) ? tr("No other plan has a higher MFU.")
                                      : tr("No single change of the plan raises MFU.");
}

// Returns the pin that trains the same model with the most tokens per second, if it has clearly more than the
// scenario.
const Pin* best_pin(const std::vector<Pin>& pins, const Answer& answer) {
    constexpr double kClearly = 1.02;
    const Pin* best = nullptr;
    double most = answer.fits() ? kClearly * answer.estimate.tokens_per_s : 0;
    for (const Pin& pin : pins) {
        const bool same_model =
            pin.answer.fits() && pin.answer.compiled.parameters == answer.compiled.parameters &&
            pin.answer.settings[P::sequence_length] == answer.settings[P::sequence_length];
        if (!same_model || pin.answer.estimate.tokens_per_s <= most) continue;
        best = &pin;
        most = pin.answer.estimate.tokens_per_s;
    }
    return best;
}

// "B makes 2.27 times the tokens per second of A; the change of A below makes 1.12 times."
QString pin_recommendation(const Pin& pin, const Answer& answer, const std::vector<Repair>& found) {
    const QString letter(QLatin1Char(pin.letter));
    if (!answer.fits()) return tr("Take %1: it fits, A does not.").arg(letter);
    const auto times = [&](double factor) { return QString::number(factor, 'f', 2); };
    const double of_pin = pin.answer.estimate.tokens_per_s / answer.estimate.tokens_per_s;
    const double gpus = pin.answer.settings[P::gpus];
    const QString count = shown(gpus, Quantity::count);
    QString out =
        gpus == answer.settings[P::gpus]
            ? tr("%1 makes %2 times the tokens per second of A on as many GPUs.").arg(letter, times(of_pin))
            : tr("%1 makes %2 times the tokens per second of A on %3 GPUs instead of %4.")
                  .arg(letter, times(of_pin), count, shown(answer.settings[P::gpus], Quantity::count));
    // A change of the plan keeps the GPUs, so that the tokens grow as the MFU does.
    if (!found.empty() && found.front().works)
        out += QLatin1Char(' ') + tr("The best change of A makes %1 times as many.")
                                      .arg(times(found.front().mfu / answer.estimate.mfu));
    return out;
}

ReportSection recommendation(const std::vector<Pin>& pins, const Answer& answer) {
    ReportSection out{tr("Recommendation"), {}};
    std::vector<Repair> found = recommended(answer);
    constexpr std::size_t kMost = 4;
    if (found.size() > kMost) found.resize(kMost);
    const QString best = found.empty()
                             ? no_change_words(answer)
                             : tr("%1: %2.").arg(text_of(found.front().label), text_of(found.front().result));
    if (const Pin* pin = best_pin(pins, answer))
        out.blocks.push_back(ReportParagraph{pin_recommendation(*pin, answer, found), true});
    out.blocks.push_back(ReportParagraph{pins.empty() ? best : tr("A: %1").arg(best), true});
    if (found.size() > 1) {
        ReportTable others{
            {answer.fits() ? tr("Also possible") : tr("What would also make it fit"), tr("Result")}, {}};
        for (auto one = found.begin() + 1; one != found.end(); ++one)
            others.rows.push_back({text_of(one->label), text_of(one->result)});
        out.blocks.emplace_back(std::move(others));
    }
    // A report does not wait for a long search.
    const Scenario free = with_free_plan(answer.scenario);
    if (free.automatic != answer.scenario.automatic && !plans_within_a_frame(free))
        out.blocks.push_back(ReportParagraph{
            tr("Combinations of several changes are not compared here; the planner compares all of them when "
               "the plan is automatic.")});
    return out;
}

}  // namespace

std::vector<ReportSection> report_answers(const ReportRequest& request, const Answer& answer) {
    std::vector<ReportSection> out{verdict(answer, request.hypothetical)};
    if (!request.pins.empty()) out.push_back(comparison(request.pins, answer));
    out.push_back(recommendation(request.pins, answer));
    return out;
}

}  // namespace shardscope
