#include "launch/shell_words.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <utility>

#include "launch/shell_arithmetic.h"
#include "launch/shell_tests.h"
#include "launch/slurm_directives.h"
#include "text/translate.h"

namespace shardscope::launch {
namespace {

class Script {
  public:
    Script(std::string_view text, Problems& problems) : text_(text), problems_(problems) {}

    ShellScript read() {
        if (depth_ == 0) take_directives();
        while (at_ < text_.size() && problems_.empty()) command();
        return {std::move(out_), std::move(unread_), slurm_tasks_};
    }

  private:
    void take_directives() {
        const SlurmJob job = read_slurm_directives(text_);
        for (const auto& [name, variable] : job.variables)
            variables_[name] = {{std::to_string(variable.value), variable.line, "", {}}};
        slurm_tasks_ = job.tasks;
    }

    // Adds the commands in the text that follows `sh -c` or `bash -c`.
    void read_given_commands(const Command& words) {
        constexpr int kDeepest = 4;
        const auto is_shell = [](const Word& word) {
            const std::string name = word.text.substr(word.text.rfind('/') + 1);
            return name == "sh" || name == "bash";
        };
        const auto is_option = [](const Word& word) { return word.text.starts_with('-'); };
        const auto shell = std::ranges::find_if(words, is_shell);
        if (shell == words.end() || depth_ >= kDeepest) return;
        const auto text = std::find_if_not(shell + 1, words.end(), is_option);
        if (text == words.end() || text == shell + 1 || !(text - 1)->text.ends_with('c')) return;
        if (text->from_shell.empty()) read_inner(text->text, text->line);
        else split_commands(*text);
    }

    // Reads another script, which knows the variables of this one, and adds its commands.
    void read_inner(std::string_view text, int line) {
        Problems ignored;
        Script inner(text, ignored);
        inner.line_ = line;
        inner.depth_ = depth_ + 1;
        inner.expanded_ = expanded_;
        inner.variables_.swap(variables_);
        for (Command& command : inner.read().commands) out_.push_back(std::move(command));
        inner.variables_.swap(variables_);
        expanded_ = inner.expanded_;
    }

    // Splits a text whose variables are already replaced into commands and words.
    void split_commands(const Word& text) {
        Command words;
        Word now{"", text.line, "", {}};
        char quote = '\0';
        const auto push = [&] {
            if (!now.text.empty() || !now.unknown.empty()) words.push_back(now);
            now = {"", text.line, "", {}};
        };
        add(now, text, [&](char letter) {
            const bool blank = letter == ' ' || letter == '\t' || letter == '\r';
            if (quote != '\0' ? letter == quote : letter == '"' || letter == '\'')
                quote = quote == '\0' ? letter : '\0';
            else if (quote == '\0' && (blank || ends_command(letter))) push();
            else add(now, letter);
            if (quote != '\0' || !ends_command(letter) || words.empty()) return;
            out_.push_back(std::exchange(words, {}));
        });
        push();
        if (!words.empty()) out_.push_back(std::move(words));
    }

    [[nodiscard]] char here(std::size_t ahead = 0) const {
        return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
    }
    void step() {
        if (here() == '\n') ++line_;
        ++at_;
    }
    // Skips a backslash at the end of a line; returns whether there was one.
    bool skip_continuation() {
        if (here() != '\\') return false;
        const std::size_t length = here(1) == '\n' ? 2 : here(1) == '\r' && here(2) == '\n' ? 3 : 0;
        for (std::size_t i = 0; i < length; ++i) step();
        return length > 0;
    }
    void fail(const std::string& what, int line) {
        problems_.push_back({"", what, translate("it does not end"), translate("close it"), line});
    }

    void skip_blanks(bool lines) {
        while (at_ < text_.size()) {
            const char c = here();
            if (skip_continuation()) continue;
            if (c == '#') {
                while (at_ < text_.size() && here() != '\n') step();
            } else if (c == ' ' || c == '\t' || c == '\r' || (lines && c == '\n')) {
                step();
            } else {
                return;
            }
        }
    }

    static bool ends_command(char c) { return c == '\n' || c == ';' || c == '&' || c == '|' || c == '\0'; }

    // How a command ends.
    enum class End { line, both, either, other };

    // Returns whether what follows runs.
    [[nodiscard]] Truth running() const {
        Truth out = guard_;
        for (const Branch& branch : branches_) out = both(out, branch.runs);
        return out;
    }
    [[nodiscard]] bool sets() const { return running() == Truth::yes; }
    void enter(Truth runs, int line, bool is_if) {
        if (runs == Truth::unknown && running() != Truth::no) unread_.push_back(line);
        branches_.push_back({runs, runs, is_if});
    }
    // Begins the next branch of an `if`, whose test is `holds`.
    void next_branch(Truth holds, int line) {
        if (branches_.empty() || !branches_.back().is_if) return;
        Branch& branch = branches_.back();
        const bool known = branch.taken != Truth::unknown;
        branch.runs = both(negated(branch.taken), holds);
        if (branch.taken != Truth::yes && branch.runs != Truth::no)
            branch.taken = branch.runs == Truth::yes ? Truth::yes : Truth::unknown;
        if (known && branch.runs == Truth::unknown) unread_.push_back(line);
    }
    // Joins the next test of an `if` to those before it, from left to right as bash does.
    void join(const Command& words, End end) {
        const Truth next = is_test(words) && end != End::other ? test_of(words) : Truth::unknown;
        joined_->holds = joined_->by == End::both ? both(joined_->holds, next)
                                                  : negated(both(negated(joined_->holds), negated(next)));
        joined_->by = end;
        if (end != End::both && end != End::either) end_of_test();
    }
    void end_of_test() {
        const Joined test = *joined_;
        joined_.reset();
        if (test.is_if) enter(test.holds, test.line, true);
        else next_branch(test.holds, test.line);
    }
    // Handles the words that begin and end branches and loops; returns whether the command was one.
    bool controls(const Command& words, End end) {
        const std::string& first = words[0].text;
        const int line = words[0].line;
        if (first == "if" || first == "elif") {
            Truth holds = test_of({words.begin() + 1, words.end()});
            if (end == End::other) holds = Truth::unknown;
            joined_ = Joined{holds, end, first == "if", line};
            if (end != End::both && end != End::either) end_of_test();
        } else if (first == "for" || first == "while" || first == "until" || first == "case") {
            enter(Truth::unknown, line, false);
        } else if (first == "fi" || first == "done" || first == "esac") {
            if (!branches_.empty()) branches_.pop_back();
        } else {
            return false;
        }
        return true;
    }

    void command() {
        Command words;
        End end = End::line;
        while (at_ < text_.size() && problems_.empty()) {
            skip_blanks(false);
            if (at_ >= text_.size()) break;
            if (here() == '<' && here(1) == '<') {
                here_document();
                continue;
            }
            if (ends_command(here()) || here() == '(' || here() == ')' || here() == '<' || here() == '>') {
                const char c = here();
                const bool ends = ends_command(c);
                step();
                if (c == '\n') read_here_documents();
                if (c == '&' || c == '|') {
                    end = here() != c ? End::other : c == '&' ? End::both : End::either;
                    if (here() == c) step();
                }
                if (ends) break;
                continue;
            }
            if (words.empty() && assignment()) continue;
            word(words);
            // Another command follows these words.
            if (words.size() != 1) continue;
            if (words[0].text == "else") next_branch(Truth::yes, words[0].line);
            if (words[0].text == "export" || words[0].text == "then" || words[0].text == "do" ||
                words[0].text == "else")
                words.clear();
        }
        if (words.empty()) {
            if (end == End::line) guard_ = Truth::yes;
            return;
        }
        if (joined_) {
            join(words, end);
            guard_ = Truth::yes;
            return;
        }
        if (controls(words, end)) {
            guard_ = Truth::yes;
            return;
        }
        const Truth ran = guard_;
        if (running() != Truth::no) {
            out_.push_back(words);
            read_given_commands(words);
        }
        guard_ = Truth::yes;
        if (!is_test(words) || (end != End::both && end != End::either)) return;
        // [ … ] && NAME=value
        const Truth holds = test_of(words);
        guard_ = both(ran, end == End::both ? holds : negated(holds));
        if (guard_ == Truth::unknown && ran != Truth::unknown && running() != Truth::no)
            unread_.push_back(words[0].line);
    }

    // Reads the start of a here-document: <<WORD, <<-WORD or <<'WORD'. Its text begins on the next line and
    // ends before the line that consists of the word. After <<< an ordinary word follows.
    void here_document() {
        step();
        step();
        if (here() == '<') {
            step();
            return;
        }
        if (here() == '-') step();
        skip_blanks(false);
        std::string end;
        while (at_ < text_.size() && (in_name(here()) || here() == '\'' || here() == '"' || here() == '\\')) {
            if (in_name(here())) end += here();
            step();
        }
        constexpr int kMostUnterminated = 32;  // the search for each end word reads the rest of the text
        if (!end.empty() && unterminated_ < kMostUnterminated) ends_.push_back(std::move(end));
    }

    // Reads the here-documents that begin on this line. Each may be prose or another script; the commands
    // that can be read in it are added.
    void read_here_documents() {
        for (const std::string& end : std::exchange(ends_, {})) {
            std::size_t next = at_;
            bool found = false;
            while (!found && next < text_.size()) {
                const std::size_t stop = std::min(text_.find('\n', next), text_.size());
                std::string_view line = text_.substr(next, stop - next);
                while (line.starts_with('\t')) line.remove_prefix(1);
                while (line.ends_with('\r')) line.remove_suffix(1);
                found = line == end;
                if (!found) next = std::min(stop + 1, text_.size());
            }
            if (!found) {  // no here-document, but for instance a shift in arithmetic
                ++unterminated_;
                return;
            }
            if (constexpr int kDeepest = 4; depth_ < kDeepest)
                read_inner(text_.substr(at_, next - at_), line_);
            while (at_ < next) step();
            while (at_ < text_.size() && here() != '\n') step();
        }
    }

    // Reads NAME=value or NAME=(words …), also with +=; returns false if there is none.
    bool assignment() {
        std::size_t length = 0;
        while (in_name(here(length))) ++length;
        const bool more = here(length) == '+' && here(length + 1) == '=';
        if (length == 0 || std::isdigit(static_cast<unsigned char>(here())) || (here(length) != '=' && !more))
            return false;
        const std::string name(text_.substr(at_, length));
        for (std::size_t i = 0; i < length + (more ? 2 : 1); ++i) step();
        // The new value is read first, because it may refer to the variable's old value.
        std::vector<Word> value;
        const bool list = here() == '(';
        if (list) list_of_words(name, value);
        else if (!ends_command(here()) && here() != ' ' && here() != '\t') word(value, true);
        if (!list && value.empty()) value.push_back({"", line_, "", {}});
        if (list && running() != Truth::no) out_.push_back(value);
        if (!sets()) return true;
        std::vector<Word>& old = variables_[name];
        if (!more || old.empty()) {
            old = std::move(value);
        } else if (list) {
            old.insert(old.end(), value.begin(), value.end());
        } else {
            Word& end = old.back();
            add(end, value.front(), [&](char letter) { add(end, letter); });
        }
        return true;
    }

    void list_of_words(const std::string& name, std::vector<Word>& out) {
        const int start = line_;
        step();
        while (problems_.empty()) {
            skip_blanks(true);
            if (at_ >= text_.size()) {
                fail(translate("the list {1}=( is open", {name}), start);
                return;
            }
            if (here() == ')') break;
            if (here() == '(' || here() == '<' || here() == '>' || ends_command(here())) step();
            else word(out);
        }
        step();
    }

    // Reads one word, or the words into which the value of an unquoted variable is split. With `whole` such a
    // value is not split.
    void word(std::vector<Word>& out, bool whole = false) {
        Word now;
        now.line = line_;
        bool any = false;  // whether quotes were read; then an empty word counts, too
        const auto push = [&] {
            if (any || !now.text.empty() || !now.unknown.empty()) out.push_back(now);
            now = {"", line_, "", {}};
            any = false;
        };
        while (at_ < text_.size() && problems_.empty()) {
            const char c = here();
            if (skip_continuation()) continue;
            if (ends_command(c) || c == ' ' || c == '\t' || c == '\r' || c == '(' || c == ')' || c == '<' ||
                c == '>')
                break;
            if (c == '\'') {
                any = true;
                read_single_quoted(now);
            } else if (c == '"') {
                any = true;
                read_double_quoted(now, out, any);
            } else if (c == '\\') {
                step();
                if (at_ < text_.size()) add(now, here());
                step();
            } else if (c == '$' || c == '`') {
                const std::vector<Word> value = expansion();
                for (std::size_t i = 0; i < value.size(); ++i) {
                    if (i > 0) push();
                    // Outside of quotes blanks separate words.
                    add(now, value[i], [&](char letter) {
                        const bool blank = letter == ' ' || letter == '\t' || letter == '\n';
                        if (!whole && blank) push();
                        else add(now, letter);
                    });
                }
            } else {
                add(now, c);
                step();
            }
        }
        push();
    }

    void read_single_quoted(Word& now) {
        const int start = line_;
        step();
        while (at_ < text_.size() && here() != '\'') {
            add(now, here());
            step();
        }
        if (at_ >= text_.size()) fail(translate("a quote ' is open"), start);
        step();
    }

    void read_double_quoted(Word& now, std::vector<Word>& out, bool& any) {
        const int start = line_;
        step();
        while (at_ < text_.size() && here() != '"' && problems_.empty()) {
            if (skip_continuation()) continue;
            if (here() == '\\' && (here(1) == '"' || here(1) == '\\' || here(1) == '$' || here(1) == '`')) {
                step();
                add(now, here());
                step();
            } else if (here() == '$' || here() == '`') {
                // "${LIST[@]}" expands to as many words as the list has.
                const std::vector<Word> value = expansion(true);
                any = !value.empty() || !now.text.empty();
                for (std::size_t i = 0; i < value.size(); ++i) {
                    if (i > 0) {
                        out.push_back(now);
                        now = {"", line_, "", {}};
                    }
                    add(now, value[i], [&](char letter) { add(now, letter); });
                }
            } else {
                add(now, here());
                step();
            }
        }
        if (at_ >= text_.size()) fail(translate("a quote \" is open"), start);
        step();
    }

    static void add(Word& now, char c) { now.text += c; }
    // Adds a value to a word letter by letter. What comes from the shell is marked in the word that it is
    // in.
    template <typename AddLetter>
    static void add(Word& now, const Word& value, AddLetter&& add_letter) {
        auto next = value.from_shell.begin();
        for (std::size_t i = 0; i <= value.text.size(); ++i) {
            for (; next != value.from_shell.end() && next->at == i; ++next) {
                now.from_shell.push_back(*next);
                now.from_shell.back().at = now.text.size();
                if (now.unknown.empty() && !next->has_default) now.unknown = next->expression;
            }
            if (i < value.text.size()) add_letter(value.text[i]);
        }
    }

    // Returns the value of a variable. The size of all expansions is limited, because variables that contain
    // each other twice would grow exponentially.
    std::vector<Word> value_of(const std::vector<Word>& words) {
        constexpr std::size_t kMost = std::size_t{1} << 22;
        for (const Word& word : words) expanded_ += word.text.size() + 1;
        if (expanded_ <= kMost) return words;
        problems_.push_back({"", translate("the script is too long"),
                             translate("its variables expand to more than 4 MiB"),
                             translate("give only the command"), line_});
        return {};
    }

    // Reads the rest of ${NAME:-"value"} up to the brace, without its quotes. A brace between them does not
    // end it. In double quotes an apostrophe is a letter.
    std::string default_value(bool in_double_quotes) {
        std::string out;
        char quote = '\0';
        while (at_ < text_.size() && (quote != '\0' || here() != '}')) {
            const char c = here();
            if (quote != '\0' && c == quote) quote = '\0';
            else if (quote == '\0' && (c == '"' || (c == '\'' && !in_double_quotes))) quote = c;
            else out += c;
            step();
        }
        return out;
    }

    // Returns the integer that the script gives a variable; none for any other value.
    [[nodiscard]] std::optional<long> integer_of_variable(const std::string& name) const {
        const auto found = variables_.find(name);
        if (found == variables_.end() || found->second.size() != 1) return std::nullopt;
        const Word& word = found->second.front();
        return word.from_shell.empty() ? integer_of(word.text) : std::nullopt;
    }

    // Reads an expression that begins with $ or a backquote. Its value is one word unless it is a list.
    std::vector<Word> expansion(bool in_double_quotes = false) {
        const std::size_t from = at_;
        const auto unknown = [&] {
            const std::string expression(text_.substr(from, at_ - from));
            return std::vector<Word>{{"", line_, expression, {{0, expression, line_, false}}}};
        };
        if (here() == '`') {
            step();
            while (at_ < text_.size() && here() != '`') step();
            step();
            at_ = std::min(at_, text_.size());
            return unknown();
        }
        step();
        if (here() == '(') {
            int depth = 0;
            do {
                if (here() == '(') ++depth;
                if (here() == ')') --depth;
                step();
            } while (at_ < text_.size() && depth > 0);
            const std::string_view read = text_.substr(from, at_ - from);
            if (read.starts_with("$((") && read.ends_with("))")) {
                const auto value =
                    arithmetic_value(read.substr(3, read.size() - 5),
                                     [&](const std::string& name) { return integer_of_variable(name); });
                if (value) return {{std::to_string(*value), line_, "", {}}};
            }
            return unknown();
        }
        std::string name;
        std::string otherwise;
        bool has_otherwise = false;
        if (here() == '{') {
            step();
            while (in_name(here())) {
                name += here();
                step();
            }
            if (here() == '[') {
                while (at_ < text_.size() && here() != ']') step();
                step();
            }
            if (here() == ':' && here(1) == '-') {
                has_otherwise = true;
                step();
                step();
                otherwise = default_value(in_double_quotes);
            }
            while (at_ < text_.size() && here() != '}') {
                step();
                name.clear();  // an unsupported form of expansion
            }
            step();
            at_ = std::min(at_, text_.size());
        } else {
            while (in_name(here())) {
                name += here();
                step();
            }
            if (name.empty()) {  // $@, $?, or a dollar sign that begins no expansion
                if (at_ < text_.size() && !ends_command(here()) && here() != ' ' && here() != '"') step();
                return unknown();
            }
        }
        const auto found = variables_.find(name);
        if (found != variables_.end() && !name.empty()) return value_of(found->second);
        if (has_otherwise && otherwise.find('$') == std::string::npos)
            return {{otherwise, line_, "", {{0, std::string(text_.substr(from, at_ - from)), line_, true}}}};
        return unknown();
    }

    std::string_view text_;
    Problems& problems_;
    std::size_t at_ = 0;
    int line_ = 1;
    std::size_t expanded_ = 0;  // bytes of all expansions so far
    std::map<std::string, std::vector<Word>> variables_;
    std::vector<std::string> ends_;  // end words of the here-documents that begin on the next line
    int depth_ = 0;                  // of nested here-documents
    int unterminated_ = 0;           // number of here-documents whose end was not found
    struct Branch {                  // an `if`, a `case` or a loop that has begun
        Truth runs = Truth::yes;     // whether its current branch runs
        Truth taken = Truth::no;     // of an `if`: whether this or an earlier branch runs
        bool is_if = false;
    };
    std::vector<Branch> branches_;
    Truth guard_ = Truth::yes;  // whether the test before && or || lets the next command run
    // The tests of an `if` that are read so far, and what joins the next one to them.
    struct Joined {
        Truth holds;
        End by;
        bool is_if;  // of an `if`, otherwise of an `elif`
        int line;
    };
    std::optional<Joined> joined_;
    std::vector<int> unread_;
    long slurm_tasks_ = 0;
    std::vector<Command> out_;
};

}  // namespace

ShellScript read_shell_script(std::string_view script, Problems& problems) {
    return Script(script, problems).read();
}

}  // namespace shardscope::launch
