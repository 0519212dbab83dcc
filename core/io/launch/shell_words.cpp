#include "launch/shell_words.h"

#include <algorithm>
#include <utility>

#include "launch/shell_cursor.h"

namespace shardscope::launch {

Word empty_word(int line) { return {"", line, "", {}}; }

void append(Word& word, const Word& value) {
    append(word, value, [&](char letter) { word.text += letter; });
}

Word joined_words(const Words& words) {
    Word out = empty_word(words.empty() ? 1 : words.front().line);
    for (const Word& word : words) {
        if (&word != words.data()) out.text += ' ';
        append(out, word);
    }
    return out;
}

bool is_known(const Words& words) {
    return std::ranges::all_of(words, [](const Word& word) { return word.unknown.empty(); });
}

std::size_t bytes_of(const Words& words) {
    std::size_t out = 0;
    for (const Word& word : words) out += word.text.size() + word.from_shell.size() + 1;
    return out;
}

std::vector<Command> split_commands(const Word& text) {
    std::vector<Command> out;
    Command words;
    Word now = empty_word(text.line);
    char quote = '\0';
    const auto end_word = [&] {
        if (!now.text.empty() || !now.unknown.empty()) words.push_back(now);
        now = empty_word(text.line);
    };
    const auto end_command = [&] {
        if (!words.empty()) out.push_back(std::exchange(words, {}));
    };
    append(now, text, [&](char letter) {
        if (quote != '\0' ? letter == quote : letter == '"' || letter == '\'')
            quote = quote == '\0' ? letter : '\0';
        else if (quote == '\0' && (is_blank(letter) || ends_command(letter))) end_word();
        else now.text += letter;
        if (quote == '\0' && ends_command(letter)) end_command();
    });
    end_word();
    end_command();
    return out;
}

}  // namespace shardscope::launch
