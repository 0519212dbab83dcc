#include "app/command_line/window_command.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "app/command_line/prediction.h"
#include "widgets/live_model.h"

namespace shardscope {

WindowCommands commands_for(const QString& typed, const CommandTargets& targets) {
    constexpr std::array kKinds{value_commands,  preset_commands, action_commands,
                                export_commands, solve_commands,  help_commands};
    constexpr std::size_t kMost = 9;
    const QString words = typed.simplified();
    WindowCommands out;
    if (words.isEmpty()) return out;
    for (const auto kind : kKinds) std::ranges::move(kind(words, targets), std::back_inserter(out));
    std::ranges::stable_sort(out, std::greater{}, &WindowCommand::match);
    if (out.size() > kMost) out.resize(kMost);
    for (WindowCommand& command : out) {
        // Each search takes some milliseconds, so only the first entry has its answer.
        if (command.finds && &command == &out.front()) command.effect = command.finds();
        if (!command.leads_to) continue;
        const QString follows = predicted(command.leads_to(), targets.model.answer());
        command.effect =
            command.effect.isEmpty() ? follows : follows + kBetweenParts.toString() + command.effect;
    }
    return out;
}

}  // namespace shardscope
