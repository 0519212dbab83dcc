// Commands that solve for an input: "solve fits", "solve mfu>=50% by inter-node", "longest sequence".
#include <optional>

#include "app/command_line/window_command.h"
#include "explore/solve.h"
#include "widgets/live_model.h"
#include "widgets/panels/solve_panel.h"
#include "widgets/text.h"

namespace shardscope {
namespace {

WindowCommand command_of(const QString& name, const QString& text, const Target& target, P id,
                         WordMatch match, const CommandTargets& targets) {
    const QString label = text_of(label_of(id));
    WindowCommand out{name, text, QObject::tr("sets the answer: %1").arg(label), match,
                      [&solve = targets.solve, target, id] { solve.apply_answer(target, id); }};
    // A plan that is searched at every value takes too long for a list.
    if (!targets.model.answer().valid() || targets.model.scenario().automatic.any()) return out;
    out.finds = [&model = targets.model, target, id, label] {
        const Solution found = shardscope::solve({model.scenario(), id, target});
        if (!found.found()) return text_of(found.reason);
        const double now = model.answer().settings[id];
        const QString value = text_of(format(id, found.value));
        return same_value(found.value, now)
                   ? QObject::tr("%1 is %2 already").arg(label, value)
                   : QObject::tr("sets %1 %2, now %3").arg(label, value, text_of(format(id, now)));
    };
    return out;
}

// Returns the input that best matches the words.
std::optional<P> input_named(const QString& words) {
    std::optional<P> best;
    WordMatch match = WordMatch::mentioned;
    for (std::size_t i = 0; i < kParameters; ++i) {
        const auto id = static_cast<P>(i);
        if (!can_solve_for(id)) continue;
        if (const WordMatch here = match_parameter(id, words); here > match) {
            best = id;
            match = here;
        }
    }
    return best;
}

}  // namespace

WindowCommands solve_commands(const QString& words, const CommandTargets& targets) {
    WindowCommands out;
    const QString solve = QObject::tr("solve");
    for (const PredefinedQuestion& question : predefined_questions()) {
        const QString label = text_of(translate(question.label));
        const P id = question.id.value_or(P::inter_node_bandwidth);
        QStringList names{label, solve + QLatin1Char(' ') + label};
        const bool first = &question == predefined_questions().data();
        if (first) names << QStringLiteral("solve fits");
        const WordMatch match = match_words(words, names, QStringLiteral("solve"));
        if (match != WordMatch::none)
            out.push_back(command_of(QStringLiteral("solve/") + text_of(question.name), label,
                                     question.target, id, match, targets));
    }
    // "solve TARGET" or "solve TARGET by INPUT".
    if (!words.startsWith(QStringLiteral("solve "), Qt::CaseInsensitive)) return out;
    const QString rest = words.mid(6);
    const qsizetype by = rest.indexOf(QStringLiteral(" by "), 0, Qt::CaseInsensitive);
    Problems problems;
    const Target target = parse_target(rest.left(by).toStdString(), problems);
    const auto id = by < 0 ? P::gpus : input_named(rest.mid(by + 4));
    if (problems.empty() && id && !(target.is_fit() && by < 0)) {
        out.push_back(command_of(QStringLiteral("solve"),
                                 QObject::tr("Solve for %1").arg(text_of(text_of(target))), target, *id,
                                 WordMatch::whole, targets));
    }
    return out;
}

}  // namespace shardscope
