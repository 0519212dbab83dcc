#include "launch/shell_expansion.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "launch/shell_arithmetic.h"
#include "text/translate.h"

namespace shardscope::launch {
namespace {

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

bool ends_word(char c) {
    return ends_command(c) || is_blank(c) || c == '(' || c == ')' || c == '<' || c == '>';
}

bool is_list_of_arguments(const std::string& name) { return name == "@" || name == "*"; }

// Returns an index in which variables have no dollar signs; in arithmetic they need none.
std::string without_dollars(std::string text) {
    std::erase_if(text, [](char c) { return c == '$' || c == '{' || c == '}'; });
    return text;
}

// Adds an expression to those that a value depends on, unless it is one of them.
void add_once(std::vector<FromShell>& all, const FromShell& from) {
    const bool is_added = std::ranges::any_of(all, [&](const FromShell& other) {
        return other.expression == from.expression && other.line == from.line;
    });
    if (!is_added) all.push_back(from);
}

}  // namespace

bool ShellExpansion::count(std::size_t bytes) {
    constexpr std::size_t kMost = std::size_t{1} << 22;
    record_.bytes += bytes;
    if (record_.bytes <= kMost) return true;
    if (!problems_.empty()) return false;
    problems_.push_back({"", translate("the script is too long"),
                         translate("its variables expand to more than 4 MiB"),
                         translate("give only the command"), text_.line()});
    return false;
}

void ShellExpansion::fail(const std::string& what, int line) {
    problems_.push_back({"", what, translate("it does not end"), translate("close it"), line});
}

void ShellExpansion::read_list(const std::string& name, Words& out) {
    const int start = text_.line();
    text_.step();
    while (problems_.empty()) {
        text_.skip_blanks(true);
        if (text_.at_end()) {
            fail(translate("the list {1}=( is open", {name}), start);
            return;
        }
        const char c = text_.here();
        if (c == ')') break;
        if (ends_word(c)) text_.step();
        else read_word(out);
    }
    text_.step();
}

void ShellExpansion::end_word(Reading& reading) {
    Word& now = reading.now;
    if (reading.is_quoted || !now.text.empty() || !now.unknown.empty()) reading.out.push_back(now);
    now = empty_word(text_.line());
    reading.is_quoted = false;
}

void ShellExpansion::read_word(Words& out, bool whole) {
    Reading reading{out, empty_word(text_.line())};
    Word& now = reading.now;
    while (!text_.at_end() && problems_.empty()) {
        if (text_.skip_continuation()) continue;
        const char c = text_.here();
        if (ends_word(c)) break;
        if (c == '\'') {
            reading.is_quoted = true;
            read_single_quoted(now);
        } else if (c == '"') {
            reading.is_quoted = true;
            read_double_quoted(reading, whole);
        } else if (c == '$' || c == '`') {
            Words value = expansion(false);
            if (whole) value = {joined_words(value)};
            for (const Word& word : value) {
                if (&word != value.data()) end_word(reading);
                // Outside of quotes blanks separate words.
                append(now, word, [&](char letter) {
                    const bool separates = letter == ' ' || letter == '\t' || letter == '\n';
                    if (!whole && separates) end_word(reading);
                    else now.text += letter;
                });
            }
        } else {
            if (c == '\\') text_.step();
            if (!text_.at_end()) now.text += text_.here();
            text_.step();
        }
    }
    end_word(reading);
}

void ShellExpansion::read_single_quoted(Word& now) {
    const int start = text_.line();
    text_.step();
    for (; !text_.at_end() && text_.here() != '\''; text_.step()) now.text += text_.here();
    if (text_.at_end()) fail(translate("a quote ' is open"), start);
    text_.step();
}

void ShellExpansion::read_double_quoted(Reading& reading, bool whole) {
    const int start = text_.line();
    Word& now = reading.now;
    text_.step();
    while (!text_.at_end() && text_.here() != '"' && problems_.empty()) {
        if (text_.skip_continuation()) continue;
        const char c = text_.here();
        if (c == '$' || c == '`') {
            // "${LIST[@]}" expands to as many words as the list has.
            Words value = expansion(true);
            if (whole) value = {joined_words(value)};
            reading.is_quoted = !value.empty() || !now.text.empty();
            for (const Word& word : value) {
                if (&word != value.data())
                    reading.out.push_back(std::exchange(now, empty_word(text_.line())));
                append(now, word);
            }
        } else {
            const char next = text_.here(1);
            if (c == '\\' && (next == '"' || next == '\\' || next == '$' || next == '`')) text_.step();
            now.text += text_.here();
            text_.step();
        }
    }
    if (text_.at_end()) fail(translate("a quote \" is open"), start);
    text_.step();
}

Words ShellExpansion::expansion(bool in_double_quotes) {
    const ShellCursor start = text_;
    if (text_.here() == '`') {
        do text_.step();
        while (!text_.at_end() && text_.here() != '`');
        text_.step();
        return unknown(start);
    }
    text_.step();
    if (text_.here() == '(') return substitution(start);
    if (text_.here() == '{') return braced_expansion(start, in_double_quotes);
    std::string name;
    if (is_digit(text_.here())) {
        name = text_.here();
        text_.step();
    } else {
        name = read_name();
    }
    if (name.empty()) {
        const char next = text_.here();
        if ((next == '\'' || next == '"') && !in_double_quotes) return {};  // $'text'
        // $?, or a dollar sign that begins no expansion
        if (!ends_command(next) && next != ' ' && next != '"') text_.step();
        return unknown(start);
    }
    if (is_list_of_arguments(name)) return words_of(name) ? counted(*words_of(name)) : unknown(start);
    const std::optional<Words> value = scalar_of(name);
    return value ? counted(*value) : unknown(start);
}

// Returns the word of an expression whose value is not known.
Words ShellExpansion::unknown(const ShellCursor& start, bool is_read) const {
    const std::string expression(text_.since(start));
    return {{"", text_.line(), expression, {{0, expression, text_.line(), false, is_read}}}};
}

// Reads the rest of $( … ) or $(( … )).
Words ShellExpansion::substitution(const ShellCursor& start) {
    const ShellCursor parenthesis = text_;
    int depth = 0;
    do {
        if (text_.here() == '(') ++depth;
        if (text_.here() == ')') --depth;
        text_.step();
    } while (!text_.at_end() && depth > 0);
    const std::string_view read = text_.since(parenthesis);
    if (!read.starts_with("((") || !read.ends_with("))")) return unknown(start);
    // The shell expands the variables first.
    const ShellCursor end = std::exchange(text_, parenthesis.part(read.size() - 2));
    text_.step(2);
    Word expression = empty_word(text_.line());
    while (!text_.at_end()) {
        if (text_.here() == '$') {
            read_inner_expansion(expression);
            continue;
        }
        expression.text += text_.here();
        text_.step();
    }
    text_ = end;
    const std::optional<Word> value = value_of_arithmetic(expression);
    return value ? Words{*value} : unknown(start);
}

// Reads the rest of ${NAME}, ${NAME[index]}, ${NAME[@]}, ${NAME:-default} or ${NAME:+other}.
Words ShellExpansion::braced_expansion(const ShellCursor& start, bool in_double_quotes) {
    text_.step();
    const std::string name = read_name();
    std::optional<Words> value;
    bool is_read = !name.empty();
    if (is_read && text_.here() == '[') {
        value = read_element(name, in_double_quotes, is_read);
    } else if (is_list_of_arguments(name)) {
        if (words_of(name)) value = *words_of(name);
    } else if (is_read) {
        value = scalar_of(name);
    }
    std::optional<Word> otherwise;
    if (text_.here() == ':' && (text_.here(1) == '-' || text_.here(1) == '+')) {
        const bool replaces = text_.here(1) == '+';
        text_.step(2);
        const Word other = read_default(in_double_quotes);
        const bool is_empty = value && joined_words(*value).text.empty() && is_known(*value);
        if (replaces && value && !is_known(*value)) value.reset();
        else if (replaces && value) value = Words(is_empty ? 0 : 1, other);
        else if (!replaces && (!value || is_empty)) otherwise = other, value.reset();
    }
    // Whatever follows makes it a form of expansion that is not supported.
    for (int depth = 1; !text_.at_end(); text_.step()) {
        if (text_.here() == '{') ++depth;
        if (text_.here() == '}' && --depth == 0) break;
        is_read = false;
    }
    text_.step();
    if (is_read && value) return counted(*value);
    if (!is_read || !otherwise || !otherwise->unknown.empty()) return unknown(start, is_read);
    record_sourced(name);
    otherwise->from_shell.insert(otherwise->from_shell.begin(),
                                 {0, std::string(text_.since(start)), text_.line(), true, true});
    return {*otherwise};
}

// Reads the name of a variable, "@" or "*".
std::string ShellExpansion::read_name() {
    std::string name;
    while (in_name(text_.here()) || (name.empty() && (text_.here() == '@' || text_.here() == '*'))) {
        name += text_.here();
        text_.step();
        if (is_list_of_arguments(name)) break;
    }
    return name;
}

// Reads [index], [@] or [*] after the name of an array and returns the words that it selects. Nothing is
// returned where they are not known; `is_read` becomes false if that is because of the index.
std::optional<Words> ShellExpansion::read_element(const std::string& name, bool in_double_quotes,
                                                  bool& is_read) {
    text_.step();
    const ShellCursor start = text_;
    while (!text_.at_end() && text_.here() != ']') text_.step();
    const std::string index(text_.since(start));
    text_.step();
    const Words* words = words_of(name);
    if (!words) return std::nullopt;
    if (index == "*" && in_double_quotes) return Words{joined_words(*words)};
    if (index == "*" || index == "@") return *words;
    Word expression = empty_word(text_.line());
    expression.text = without_dollars(index);
    const std::optional<Word> number = value_of_arithmetic(expression);
    is_read = number.has_value();
    return is_read ? element_of(name, std::stol(number->text)) : std::nullopt;
}

// Reads the rest of ${NAME:-"value"} up to the brace, without its quotes. A brace between them does not end
// it. In double quotes an apostrophe is a letter.
Word ShellExpansion::read_default(bool in_double_quotes) {
    Word out = empty_word(text_.line());
    char quote = '\0';
    while (!text_.at_end() && (quote != '\0' || text_.here() != '}')) {
        const char c = text_.here();
        if ((c == '$' || c == '`') && quote != '\'') {
            read_inner_expansion(out);
            continue;
        }
        if (quote != '\0' && c == quote) quote = '\0';
        else if (quote == '\0' && (c == '"' || (c == '\'' && !in_double_quotes))) quote = c;
        else out.text += c;
        text_.step();
    }
    return out;
}

// Reads an expansion inside of another one.
void ShellExpansion::read_inner_expansion(Word& out) {
    constexpr int kDeepest = 16;
    if (++nested_ > kDeepest) text_.step(text_.rest().size());
    append(out, joined_words(expansion(true)));
    --nested_;
}

// Returns the words of an array, or the words of the script's arguments for "@" and "*".
const Words* ShellExpansion::words_of(const std::string& name) {
    const Words* words = variables_.find(name == "*" ? "@" : name);
    if (words) record_sourced(name);
    return words;
}

// Records the files that may have set a variable.
void ShellExpansion::record_sourced(const std::string& name) {
    const std::vector<int>& lines = variables_.sourced_since_set(name == "*" ? "@" : name);
    record_.sourced.insert(lines.begin(), lines.end());
}

// Returns the value that a variable or an argument has without an index: of an array, the first word. Returns
// nothing where it is not known.
std::optional<Words> ShellExpansion::scalar_of(const std::string& name) {
    const bool is_argument = is_digit(name[0]) && name != "0";
    return element_of(is_argument ? "@" : name, is_argument ? integer_of(name).value_or(0) - 1 : 0);
}

std::optional<Words> ShellExpansion::element_of(const std::string& name, long index) {
    const Words* words = words_of(name);
    if (!words) return std::nullopt;
    const auto size = static_cast<long>(words->size());
    if (index < 0) index += size;
    if (index < 0 || index >= size) return Words{};
    return Words{(*words)[static_cast<std::size_t>(index)]};
}

// Returns the value of an expression of integers; nothing where it is not known. A value that depends on the
// default of a variable is marked as one.
std::optional<Word> ShellExpansion::value_of_arithmetic(const Word& expression) {
    if (!expression.unknown.empty()) return std::nullopt;
    Word out = empty_word(text_.line());
    out.from_shell = expression.from_shell;
    const auto value_of = [&](const std::string& name) -> std::optional<long> {
        const auto words = name.empty() ? std::nullopt : scalar_of(name);
        if (!words || words->size() != 1 || !is_known(*words)) return std::nullopt;
        for (const FromShell& from : words->front().from_shell) add_once(out.from_shell, from);
        return integer_of(words->front().text);
    };
    const std::optional<long> value = arithmetic_value(expression.text, value_of);
    if (!value) return std::nullopt;
    out.text = std::to_string(*value);
    for (FromShell& from : out.from_shell) from.at = 0;
    return out;
}

}  // namespace shardscope::launch
