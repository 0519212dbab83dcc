// Commands that set, plan or show one parameter: "seq 32k", "gpus 512", "200 Gbit/s", "tp auto", "zero2",
// "bandwidth".
#include <QRegularExpression>
#include <QStringList>
#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "app/command_line/window_command.h"
#include "evidence/validated.h"
#include "scenario/domain.h"
#include "text/encode.h"
#include "widgets/live_model.h"
#include "widgets/panels/control_group.h"
#include "widgets/panels/controls_panel.h"
#include "widgets/rows/parameter_row.h"
#include "widgets/text.h"

namespace shardscope {
namespace {

// The words of a command, split into the name of a parameter and its value.
struct Assignment {
    QString name;
    QString value;
};

// Returns all ways to read the words as a name and a value. "=" and ":" may stand between them.
std::vector<Assignment> assignments(QString words) {
    words.replace(QLatin1Char('='), QLatin1Char(' ')).replace(QLatin1Char(':'), QLatin1Char(' '));
    const QStringList all = words.simplified().split(QLatin1Char(' '));
    std::vector<Assignment> out;
    for (qsizetype names = all.size() - 1; names >= 1; --names)
        out.push_back({all.first(names).join(QLatin1Char(' ')), all.sliced(names).join(QLatin1Char(' '))});
    return out;
}

QString assignment_text(P id, double value) {
    return text_of(label_of(id)) + QLatin1Char(' ') + text_of(format(id, value));
}

WindowCommand set_command(P id, double value, WordMatch match, LiveModel& model) {
    const Scenario& scenario = model.answer().scenario;
    const Settings& now = model.answer().settings;
    // Automatic parameters may make room for the value.
    const double nearest = resolve(edited(scenario, id, value))[id];
    const QString label = text_of(label_of(id));
    WindowCommand out{QStringLiteral("set/") + text_of(parameter(id).key),
                      assignment_text(id, nearest),
                      {},
                      match,
                      [&model, id, value] { model.edit(id, value); }};
    QStringList effect;
    if (nearest != value) {
        effect << QObject::tr("nearest to %1").arg(text_of(format(id, value)));
        if (match < WordMatch::whole) out.match = WordMatch::mentioned;  // rarely meant
    }
    if (nearest == now[id]) {
        out.run = [] {};
        effect << QObject::tr("is set already");
    } else {
        effect << QObject::tr("now %1").arg(text_of(format(id, now[id])));
        // With the present plan where it allows the value.
        out.leads_to = [&model, id, nearest] {
            const Scenario held = edited(locked(model.answer().scenario), id, nearest);
            return resolve(held)[id] == nearest ? held : locked(edited(model.answer().scenario, id, nearest));
        };
    }
    out.effect = effect.join(kBetweenParts);
    return out;
}

// Returns the command that sets the program with which the scenario trains, which may be unknown.
WindowCommand software_command(const std::string& program, LiveModel& model) {
    if (const std::optional<Value> known = software_of(program))
        return set_command(P::software, *known, WordMatch::whole, model);
    const auto with = [&model, program](Scenario scenario) {
        scenario.give_software(program);
        return scenario;
    };
    const QString text = text_of(label_of(P::software)) + QLatin1Char(' ') + text_of(program);
    return {QStringLiteral("set/cluster.software"),
            text,
            text_of(unknown_software_sentence(program)),
            WordMatch::mentioned,
            [&model, with, text] { model.replace(with(model.answer().scenario), text); },
            [&model, with] { return with(locked(model.answer().scenario)); }};
}

// Returns the command for one parameter and a typed value; none if the name does not match.
std::optional<WindowCommand> command_of(P id, const Assignment& typed, LiveModel& model) {
    const WordMatch match = match_parameter(id, typed.name);
    if (match < WordMatch::name) return std::nullopt;
    const Parameter& row = parameter(id);
    if (is_text(row.quantity)) return std::nullopt;  // a pattern or a layout is written in a file
    const QString key = text_of(row.key);
    if (row.of_plan() &&
        match_words(typed.value, {QStringLiteral("auto"), QObject::tr("auto")}, {}) == WordMatch::whole) {
        return WindowCommand{
            QStringLiteral("auto/") + key, QObject::tr("%1: automatic").arg(text_of(label_of(id))),
            QObject::tr("the planner chooses it"), match, [&model, id] { model.set_automatic(id, true); }};
    }
    const std::string value = typed.value.toStdString();
    const Parsed parsed = parse(id, value, true);
    const bool by_label = match_words(typed.name, {text_of(label_of(id))}, {}) == WordMatch::whole;
    if (!parsed.ok && id == P::software && by_label) return software_command(clean_title(value), model);
    if (parsed.ok) {
        // A constant of the calibration is rarely meant where its name only contains the words.
        const bool constant = row.group == Group::assumptions && match < WordMatch::whole;
        return set_command(id, parsed.value, constant ? WordMatch::mentioned : match, model);
    }
    // A value that cannot be read is explained only if its parameter is certain.
    if (match < WordMatch::whole) return std::nullopt;
    return WindowCommand{QStringLiteral("set/") + key, text_of(label_of(id)), text_of(parsed.problem),
                         WordMatch::mentioned};
}

// Returns the commands that set a choice by the name of its value alone: "zero2", "fp8".
void add_choices(const QString& words, LiveModel& model, WindowCommands& out) {
    for (std::size_t i = 0; i < kParameters; ++i) {
        const auto id = static_cast<P>(i);
        const Parameter& row = parameter(id);
        if (row.quantity != Quantity::choice || !applies_to(id, model.answer().settings)) continue;
        for (const Named& named : row.names) {
            const auto is_called = [&](const QString& name) {
                return name.compare(words, Qt::CaseInsensitive) == 0;
            };
            if ((is_called(text_of(named.name)) || is_called(text_of(label_of(named)))) &&
                row.prominence != Prominence::file)
                out.push_back(set_command(id, named.value, WordMatch::whole, model));
        }
    }
}

// Returns the commands that set a parameter to a value with a unit alone: "200 Gbit/s", "80 GB", "8k". Those
// that show the number as it was typed come first. The case of the unit does not matter, because the list
// shows the value.
WindowCommands unit_commands(const QString& words, std::span<const P> order, LiveModel& model) {
    static const QRegularExpression form(QStringLiteral("^([\\d.,]+) ?(\\D+)$"));
    const QRegularExpressionMatch typed = form.match(words);
    if (!typed.hasMatch()) return {};
    const QString number = typed.captured(1);
    WindowCommands out;
    for (const P id : order) {
        const Parameter& row = parameter(id);
        const auto units = units_of(row.quantity);
        if (units.empty() || row.prominence == Prominence::file || !applies_to(id, model.answer().settings))
            continue;
        Parsed parsed = parse(id, words.toStdString(), true);
        for (const Unit& unit : units) {
            if (!parsed.ok && text_of(unit.symbol).compare(typed.captured(2), Qt::CaseInsensitive) == 0)
                parsed = parse(id, number.toStdString() + std::string(unit.symbol), true);
        }
        if (!parsed.ok || parsed.value < row.slider_low || parsed.value > row.slider_high) continue;
        const WordMatch match = row.group == Group::assumptions ? WordMatch::mentioned : WordMatch::whole;
        out.push_back(set_command(id, parsed.value, match, model));
    }
    std::ranges::stable_partition(out, [&](const WindowCommand& command) {
        return command.text.contains(QLatin1Char(' ') + number + QLatin1Char(' '));
    });
    return out;
}

// Returns the command that shows a parameter's row.
WindowCommand show_command(P id, WordMatch match, const CommandTargets& targets) {
    return {QStringLiteral("show/") + text_of(parameter(id).key),
            QObject::tr("Go to %1").arg(text_of(label_of(id))),
            QObject::tr("now %1").arg(text_of(format(id, targets.model.answer().settings[id]))), match,
            [&controls = targets.controls, id] {
                if (ParameterRow* row = controls.row(id)) row->editor()->setFocus(Qt::ShortcutFocusReason);
            }};
}

}  // namespace

WindowCommands value_commands(const QString& words, const CommandTargets& targets) {
    const Settings& now = targets.model.answer().settings;
    const std::vector<Assignment> typed = assignments(words);
    // Of equal matches the walls come first, as in the controls.
    std::array<P, kParameters> order{};
    for (std::size_t i = 0; i < kParameters; ++i) order[i] = static_cast<P>(i);
    std::stable_partition(order.begin(), order.end(), [](P id) {
        return std::ranges::find(kWallParameters, id) != kWallParameters.end();
    });
    WindowCommands out = unit_commands(words, order, targets.model);
    add_choices(words, targets.model, out);
    for (const P id : order) {
        if (!applies_to(id, now)) continue;
        std::optional<WindowCommand> best;
        for (const Assignment& one : typed) {
            auto found = command_of(id, one, targets.model);
            if (found && (!best || found->match > best->match)) best = std::move(found);
        }
        if (best) out.push_back(std::move(*best));
        if (parameter(id).prominence == Prominence::file) continue;
        if (const WordMatch match = match_parameter(id, words); match >= WordMatch::name)
            out.push_back(show_command(id, match, targets));
    }
    return out;
}

}  // namespace shardscope
