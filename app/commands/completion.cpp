// `shardscope completion SHELL`: prints the script with which a shell completes the program's arguments. The
// scripts contain only the interface to the shell. They get the completions from the program, so that these
// are always up to date and include the user's own presets.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "app/commands/command.h"
#include "system/file_io.h"
#include "text/text.h"

namespace shardscope::commands {
namespace {

constexpr const char* kBash =
    R"(# Completion of shardscope's arguments in bash, by `shardscope completion bash`.
_shardscope() {
    # Bash breaks words at = and : too; what was typed together belongs together.
    local -a words=()
    local -i i
    local word before=
    for ((i = 1; i <= COMP_CWORD; ++i)); do
        word=${COMP_WORDS[i]}
        if [[ -z $word && ${COMP_LINE:0:COMP_POINT} == *[[:blank:]] ]]; then
            words+=("")
        elif [[ ${#words[@]} -gt 0 && ($word == [=:]* || $before == *[=:]) ]]; then
            words[-1]+=$word
        else
            words+=("${word#[\"\']}")
        fi
        before=$word
    done
    # The part of the word that bash leaves as it is.
    local kept=${words[-1]%"${COMP_WORDS[COMP_CWORD]#[=:\"\']}"}
    local reply files=
    COMPREPLY=()
    while IFS=$'\t' read -r reply _; do
        if [[ $reply == :files ]]; then files=yes; else COMPREPLY+=("${reply#"$kept"}"); fi
    done < <(printf '%s\n' "${words[@]}" | "${1/#\~/$HOME}" completion words 2>/dev/null)
    if [[ $files ]]; then
        compopt -o filenames 2>/dev/null
        while IFS= read -r reply; do COMPREPLY+=("$reply"); done < <(compgen -f -- "${words[-1]#"$kept"}")
    fi
    [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null
    return 0
}
complete -F _shardscope shardscope
)";

constexpr const char* kZsh = R"(#compdef shardscope
# Completion of shardscope's arguments in zsh, by `shardscope completion zsh`.
_shardscope() {
    local line word files
    local -a whole open
    for line in "${(@f)$(print -rl -- "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" | "${(Q)words[1]}" completion words 2>/dev/null)}"; do
        word="${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}"
        case $line in
            :files) files=yes ;;
            *=$'\t'*) open+=("$word") ;;
            ?*) whole+=("$word") ;;
        esac
    done
    _describe -t values value whole -- open -S ''
    [[ -z $files ]] || _files
}
if [[ $funcstack[1] == _shardscope ]]; then
    _shardscope "$@"
else
    compdef _shardscope shardscope
fi
)";

constexpr const char* kFish =
    R"(# Completion of shardscope's arguments in fish, by `shardscope completion fish`.
function __shardscope_candidates
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l program $words[1]
    set -e words[1]
    for line in (printf '%s\n' $words "$current" | $program completion words 2>/dev/null)
        if test "$line" = :files
            __fish_complete_path "$current"
        else
            echo $line
        end
    end
end
complete -c shardscope -f -a '(__shardscope_candidates)'
)";

}  // namespace

void add_completion(Command& program) {
    Command& command = program.add_command("completion", "A shell's script that completes these commands");
    command.most_commands = 1;
    std::vector<std::string> shells;
    const auto add_shell = [&](const char* name, const char* how, const char* script) {
        command.add_command(name, how).run = [script] {
            std::fputs(script, stdout);
            return kDone;
        };
        shells.emplace_back(name);
    };
    add_shell("bash", "For bash: . <(shardscope completion bash)", kBash);
    add_shell("zsh", "For zsh, after compinit: . <(shardscope completion zsh)", kZsh);
    add_shell("fish", "For fish: shardscope completion fish | source", kFish);
    // The scripts call this subcommand. It reads the words from standard input, one per line, because on the
    // command line they would be parsed as its own options.
    Command& words = command.add_command("words", "What may stand in the place of the last word");
    words.hidden = true;
    words.run = [&program] {
        Problems none;  // problems are not reported, because the shell reads only words
        std::vector<std::string> typed = split(read_text("-", none), '\n');
        if (typed.back().empty()) typed.pop_back();  // after the end of the last line
        print_text(candidates(program, typed));
        return kDone;
    };
    // Extra words are allowed so that this function can report them with the names of the shells.
    command.allows_extra_words = true;
    command.run = [&command, shells] {
        if (std::ranges::any_of(command.commands, &Command::named)) return kDone;
        const std::vector<std::string>& unknown = command.extra_words;
        const bool none = unknown.empty();
        report({{none ? "completion" : "completion " + unknown.front(),
                 none ? "the shell is missing" : "there is no script for this shell", "",
                 "use one of " + joined(shells, ", ") + ", as in `shardscope completion bash`"}},
               {});
        return kUnusable;
    };
}

}  // namespace shardscope::commands
