// Reads the words of a shell script: quotes, and the expansions of variables, arrays, arguments and
// arithmetic.
//
// Read are $NAME, ${NAME}, ${NAME[index]}, ${NAME[@]}, $1, $@, ${NAME:-default}, ${NAME:+other} and $(( … )).
// An expansion becomes an expression without a known value if it is of a variable that the script does not
// set, of the output of a command, or of another form, such as ${NAME%%text}.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>

#include "launch/shell_cursor.h"
#include "launch/shell_variables.h"
#include "launch/shell_words.h"
#include "text/problem.h"

namespace shardscope::launch {

// What the expansions of a script and of all that it runs have read.
struct ShellExpansionRecord {
    std::size_t bytes = 0;    // that are read again
    std::set<int> sourced{};  // lines of the `source` commands whose files may set a variable that is read
};

class ShellExpansion {
  public:
    // Reads at `text` and moves it on.
    ShellExpansion(ShellCursor& text, const ShellVariables& variables, ShellExpansionRecord& record,
                   Problems& problems)
        : text_(text), variables_(variables), record_(record), problems_(problems) {}

    // Reads one word, or the words into which the value of an unquoted variable is split. With `whole` such a
    // value is not split.
    void read_word(Words& out, bool whole = false);
    // Reads the words of NAME=( … ) from the parenthesis on.
    void read_list(const std::string& name, Words& out);

    // Counts bytes that are read again; returns false, with a problem, where there are too many of them.
    // Without a limit variables that contain each other twice would grow exponentially.
    bool count(std::size_t bytes);

  private:
    // The words that are read so far, and the one that is being read.
    struct Reading {
        Words& out;
        Word now;
        bool is_quoted = false;  // whether quotes were read; then an empty word counts, too
    };
    void end_word(Reading& reading);
    void read_single_quoted(Word& now);
    void read_double_quoted(Reading& reading, bool whole);
    void fail(const std::string& what, int line);

    // These read an expansion, or the rest of one that began at `start`. A value is one word unless it is a
    // list.
    Words expansion(bool in_double_quotes);
    Words braced_expansion(const ShellCursor& start, bool in_double_quotes);
    Words substitution(const ShellCursor& start);
    Words unknown(const ShellCursor& start, bool is_read = true) const;
    void read_inner_expansion(Word& out);
    std::string read_name();
    std::optional<Words> read_element(const std::string& name, bool in_double_quotes, bool& is_read);
    Word read_default(bool in_double_quotes);

    const Words* words_of(const std::string& name);
    std::optional<Words> scalar_of(const std::string& name);
    std::optional<Words> element_of(const std::string& name, long index);
    std::optional<Word> value_of_arithmetic(const Word& expression);
    void record_sourced(const std::string& name);
    Words counted(const Words& words) { return count(bytes_of(words)) ? words : Words{}; }

    ShellCursor& text_;
    const ShellVariables& variables_;
    ShellExpansionRecord& record_;
    Problems& problems_;
    int nested_ = 0;  // expansions inside of another one
};

}  // namespace shardscope::launch
