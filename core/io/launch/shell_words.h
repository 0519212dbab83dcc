// The words of a shell script's commands after the expansions of the shell. A word that depends on something
// that the script does not set names that expression as unknown.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace shardscope::launch {

// An expression in a word whose value the environment of the shell decides.
struct FromShell {
    std::size_t at = 0;  // its place in the word's text
    std::string expression;
    int line = 1;
    bool has_default = false;  // ${NNODES:-1}; the text has the default value
    bool is_read = true;       // false for a form of expansion that is not supported, such as ${A/2/4}
};
struct Word {
    std::string text;
    int line = 1;
    std::string unknown;  // the first expression without a known value ("$NNODES"); "": none
    std::vector<FromShell> from_shell;
};
using Words = std::vector<Word>;
using Command = Words;

Word empty_word(int line);
// Appends a value to a word. The expressions from the shell are marked at their places in the word.
void append(Word& word, const Word& value);
// Appends a value letter by letter: calls `add(letter)`, which may also begin a new `word`.
template <typename Add>
void append(Word& word, const Word& value, Add&& add) {
    auto next = value.from_shell.begin();
    for (std::size_t i = 0; i <= value.text.size(); ++i) {
        for (; next != value.from_shell.end() && next->at == i; ++next) {
            word.from_shell.push_back(*next);
            word.from_shell.back().at = word.text.size();
            if (word.unknown.empty() && !next->has_default) word.unknown = next->expression;
        }
        if (i < value.text.size()) add(value.text[i]);
    }
}
// Returns the words as one, separated by spaces.
Word joined_words(const Words& words);
bool is_known(const Words& words);
// Returns the number of bytes that a copy of the words takes, for limits.
std::size_t bytes_of(const Words& words);

// Splits a text whose variables are already replaced, such as that of `sh -c "$COMMAND"`, into commands.
std::vector<Command> split_commands(const Word& text);

}  // namespace shardscope::launch
