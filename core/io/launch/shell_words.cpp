#include "launch/shell_words.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>
#include <optional>
#include <set>
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
        while (at_ < text_.size() && problems_.empty()) {
            command();
            if (!std::exchange(leaves_subshell_, false)) continue;
            restore(subshells_.back());
            subshells_.pop_back();
        }
        return {std::move(out_), std::move(unread_), slurm_tasks_};
    }

  private:
    // A text that may be read as commands later.
    struct Text {
        std::string_view text;
        int line = 1;
    };
    // What commands may change, and a shell that the script starts changes only for itself.
    struct State {
        std::map<std::string, std::vector<Word>> variables;
        std::map<std::string, Text> functions;
        std::map<std::string, Text> files;             // that here-documents write, by their names
        std::optional<std::vector<Word>> arguments{};  // $1, $2, …; none where they are not known
    };

    // A variable that an assignment has replaced for a while, and its value before, if it had one.
    struct ReplacedVariable {
        std::string name;
        std::optional<std::vector<Word>> value;
    };
    using Replaced = std::vector<ReplacedVariable>;

    void take_directives() {
        const SlurmJob job = read_slurm_directives(text_);
        for (const auto& [name, variable] : job.variables)
            state_.variables[name] = {{std::to_string(variable.value), variable.line, "", {}}};
        slurm_tasks_ = job.tasks;
    }

    static std::string name_of_program(const Word& word) {
        return word.text.substr(word.text.rfind('/') + 1);
    }
    static bool is_shell(const Word& word) {
        const std::string name = name_of_program(word);
        return name == "sh" || name == "bash";
    }
    // Returns whether a program runs the script that it is given as its input or as a file.
    static bool runs_script(const Word& word) {
        const std::string name = name_of_program(word);
        return is_shell(word) || name == "sbatch" || name == "ssh";
    }

    // Adds the commands that this command runs: those of a function, of a file that the script has written,
    // and of the text that follows `sh -c` or `bash -c`.
    void read_given_commands(const Command& words) {
        if (const auto function = state_.functions.find(words[0].text); function != state_.functions.end()) {
            const std::optional<std::vector<Word>> arguments = state_.arguments;
            const Text body = function->second;
            state_.arguments = {words.begin() + 1, words.end()};
            read_inner(body);
            state_.arguments = arguments;
            return;
        }
        const bool is_run = std::ranges::any_of(words, runs_script);
        for (const Word& word : words) {
            const auto file = state_.files.find(file_name(word));
            if (file != state_.files.end() && (is_run || &word == words.data()))
                read_in_new_shell(Text(file->second));
        }
        const auto is_option = [](const Word& word) { return word.text.starts_with('-'); };
        const auto shell = std::ranges::find_if(words, is_shell);
        if (shell == words.end()) return;
        const auto text = std::find_if_not(shell + 1, words.end(), is_option);
        if (text == words.end() || text == shell + 1 || !(text - 1)->text.ends_with('c')) return;
        if (text->from_shell.empty()) read_in_new_shell({text->text, text->line});
        else split_commands(*text);
    }
    static std::string file_name(const Word& word) {
        return word.text.substr(word.text.starts_with("./") ? 2 : 0);
    }

    // Reads another script, which knows and may change the state of this one, and adds its commands.
    void read_inner(const Text& script) {
        constexpr int kDeepest = 4;
        if (depth_ >= kDeepest || !count_expanded(script.text.size())) return;
        Problems ignored;
        Script inner(script.text, ignored);
        inner.line_ = script.line;
        inner.depth_ = depth_ + 1;
        inner.expanded_ = expanded_;
        inner.outer_ = running();
        std::swap(inner.state_, state_);
        ShellScript read = inner.read();
        inner.restore(inner.locals_);
        std::ranges::move(read.commands, std::back_inserter(out_));
        std::ranges::move(read.unread, std::back_inserter(unread_));
        std::swap(inner.state_, state_);
        expanded_ = inner.expanded_;
        count_expanded(0);
    }
    // Reads another script in a shell of its own, which does not change the state of this one.
    void read_in_new_shell(const Text& script) {
        std::size_t size = 0;
        for (const auto& [name, words] : state_.variables) {
            size += name.size() + 1;
            for (const Word& word : words) size += word.text.size() + 1;
        }
        if (!count_expanded(size)) return;
        State before = state_;
        state_.arguments.reset();
        read_inner(script);
        state_ = std::move(before);
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
    // Returns the next character that is no blank.
    [[nodiscard]] char next_letter() const {
        std::size_t next = 0;
        while (here(next) == ' ' || here(next) == '\t' || here(next) == '\r') ++next;
        return here(next);
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
        Truth out = both(outer_, guard_);
        for (const Branch& branch : branches_) out = both(out, branch.runs);
        return out;
    }
    [[nodiscard]] bool sets() const { return running() == Truth::yes; }
    void enter(Truth runs, int line, bool is_if) {
        if (runs == Truth::unknown && running() != Truth::no) unread_.push_back(line);
        branches_.push_back({runs, runs, is_if, false, "", {}});
    }
    // Begins `{ … }`, whose commands run as one, or only when the function of this name is called.
    void enter_group() {
        const Truth runs = function_.empty() ? guard_ : Truth::no;
        branches_.push_back({runs, runs, false, true, std::exchange(function_, {}), {{}, line_}});
        branches_.back().body.text = text_.substr(at_);
        guard_ = Truth::yes;
    }
    // Ends `{ … }`. The position is after the brace.
    void leave_group() {
        if (branches_.empty() || !branches_.back().is_group) return;
        Branch group = std::move(branches_.back());
        branches_.pop_back();
        if (group.function.empty() || running() == Truth::no) return;
        const std::size_t length = group.body.text.size() - (text_.size() - at_) - 1;
        state_.functions[group.function] = {group.body.text.substr(0, length), group.body.line};
    }
    // Reads "()" after the name of a function; returns whether there is one.
    bool begins_function(const Command& words) {
        if (words.size() == 2 && words[0].text == "function") {
            function_ = words[1].text;
            return true;
        }
        std::size_t next = 0;
        const auto skip = [&] {
            while (here(next) == ' ' || here(next) == '\t') ++next;
        };
        skip();
        if (words.size() != 1 || here(next) != '(') return false;
        ++next;
        skip();
        if (here(next) != ')') return false;
        at_ += next + 1;
        function_ = words[0].text;
        return true;
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
            if (first == "for" && words.size() > 1) state_.variables.erase(words[1].text);
            enter(Truth::unknown, line, false);
        } else if (first == "fi" || first == "done" || first == "esac") {
            if (!branches_.empty() && !branches_.back().is_group) branches_.pop_back();
        } else {
            return false;
        }
        return true;
    }

    void command() {
        Command words;
        Replaced replaced;      // by assignments before the command, which are only for it
        bool is_local = false;  // whether assignments are those of a function
        bool declares = false;  // whether they are not only for a command
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
                if (words.empty() && arithmetic_command(words)) continue;
                if (c == '>' && !begins_comparison(words)) {
                    redirection();
                    continue;
                }
                step();
                if (c == '(' && words.empty()) subshells_.emplace_back();
                if (c == ')' && !subshells_.empty()) {
                    leaves_subshell_ = true;
                    break;
                }
                if (ends && std::ranges::any_of(words, runs_script)) feeds_shell_ = true;
                if (c == '\n') read_here_documents();
                if (c == '&' || c == '|') {
                    end = here() != c ? End::other : c == '&' ? End::both : End::either;
                    if (here() == c) step();
                }
                if (ends) break;
                continue;
            }
            if (words.empty() && assignment(is_local             ? &locals_
                                            : subshells_.empty() ? nullptr
                                                                 : &subshells_.back(),
                                            replaced))
                continue;
            word(words);
            const bool is_stream = here() == '>' && !words.empty() && integer_of(words.back().text);
            if (is_stream && text_[at_ - 1] != ' ') words.pop_back();  // 2> file
            if (begins_function(words)) words.clear();
            // Another command follows these words.
            if (words.size() != 1) continue;
            const std::string first = words[0].text;
            if (first == "else") next_branch(Truth::yes, words[0].line);
            if (first == "{") enter_group();
            else if (first == "}") leave_group();
            else function_.clear();
            if (first == "local" || first == "declare" || first == "typeset") is_local = true;
            if (first == "export" || first == "readonly") declares = true;
            if (is_before_command(first)) words.clear();
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
            set_by(words);
            read_given_commands(words);
        }
        if (!declares) restore(replaced);
        guard_ = Truth::yes;
        const bool decides = is_test(words) || words[0].text == "((";
        if (!decides || (end != End::both && end != End::either)) return;
        // [ … ] && NAME=value
        const Truth holds = test_of(words);
        guard_ = both(ran, end == End::both ? holds : negated(holds));
        if (guard_ == Truth::unknown && ran != Truth::unknown && running() != Truth::no)
            unread_.push_back(words[0].line);
    }

    // Returns whether another command follows the word, or assignments, which may follow options: `export
    // -n`.
    static bool is_before_command(const std::string& word) {
        static const std::set<std::string> kWords{"then",   "do",      "else",  "{",        "}",
                                                  "export", "declare", "local", "readonly", "typeset"};
        return kWords.contains(word) || (word.starts_with('-') && !word.starts_with("--"));
    }

    // Handles the commands that set the arguments or variables of the script to values that are not read.
    void set_by(const Command& words) {
        const std::string& name = words[0].text;
        if (name == "read" || name == "mapfile" || name == "readarray" || name == "let" || name == "unset")
            for (const Word& word : words) forget(word.text);
        if (name == "printf" && words.size() > 2 && words[1].text == "-v") forget(words[2].text);
        if (name == "eval")
            for (const Word& word : words) forget_assigned(word.text);
        if (!sets()) return;
        if (name == "set" && words.size() > 1 && words[1].text == "--")
            state_.arguments = {words.begin() + 2, words.end()};
        if (name != "shift" || !state_.arguments) return;
        const bool is_one = words.size() == 1 && !state_.arguments->empty();
        if (is_one && count_expanded(state_.arguments->size()))
            state_.arguments->erase(state_.arguments->begin());
        else state_.arguments.reset();
    }
    // Makes the value of the variable unknown whose name the text begins with.
    void forget(std::string_view text) {
        std::size_t length = 0;
        while (length < text.size() && in_name(text[length])) ++length;
        state_.variables.erase(std::string(text.substr(0, length)));
    }

    // Makes the values of the variables unknown that a text assigns.
    void forget_assigned(std::string_view text) {
        std::size_t begin = 0;
        for (std::size_t at = 0; at < text.size(); ++at) {
            if (text[at] == '=') forget(text.substr(begin));
            if (!in_name(text[at])) begin = at + 1;
        }
    }

    // Reads (( … )) as one word. Its result is not known, nor are the variables that it sets.
    bool arithmetic_command(Command& words) {
        constexpr std::size_t kMost = 1000;
        const std::string_view next = text_.substr(at_, kMost);
        const std::size_t length = next.find("))");
        if (!next.starts_with("((") || length == std::string_view::npos) return false;
        const std::string_view expression = next.substr(0, length);
        const bool sets = sets_variable(expression) && running() != Truth::no;
        words.push_back({"((", line_, "", {}});
        for (std::size_t i = 0; i < length + 2; ++i) {
            if (sets && in_name(here()) && !in_name(text_[at_ - 1])) forget(expression.substr(i));
            step();
        }
        return true;
    }
    static bool sets_variable(std::string_view expression) {
        if (expression.find("++") != std::string_view::npos ||
            expression.find("--") != std::string_view::npos)
            return true;
        for (std::size_t at = expression.find('='); at != std::string_view::npos;
             at = expression.find('=', at)) {
            const bool is_twice = expression.substr(at + 1).starts_with('=');
            const bool compares =
                is_twice || std::string_view("!<>").find(expression[at - 1]) != std::string_view::npos;
            if (!compares) return true;
            at += is_twice ? 2 : 1;
        }
        return false;
    }

    // Skips > or >> and the name of the file after it.
    void redirection() {
        while (here() == '>' || here() == '&' || here() == '|') step();
        skip_blanks(false);
        if (here() == '(') return;
        std::vector<Word> file;
        word(file);
        output_ = file.empty() ? std::string() : file_name(file.back());
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

    // Reads the here-documents that begin on this line. Each is the script of a shell, a file, which may be
    // run later, or other text.
    void read_here_documents() {
        const std::string output = std::exchange(output_, {});
        const bool feeds_shell = std::exchange(feeds_shell_, false);
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
            const Text script{text_.substr(at_, next - at_), line_};
            if (running() != Truth::no && feeds_shell) read_in_new_shell(script);
            else if (running() != Truth::no && !output.empty()) state_.files[output] = script;
            while (at_ < next) step();
            while (at_ < text_.size() && here() != '\n') step();
        }
    }

    // Returns whether the words begin a test in which > compares.
    static bool begins_comparison(const Command& words) {
        constexpr std::size_t kMost = 3;  // if ! [[
        const auto end = words.begin() + static_cast<std::ptrdiff_t>(std::min(words.size(), kMost));
        return std::any_of(words.begin(), end, [](const Word& word) { return word.text == "[["; });
    }

    // Gives variables the values that they had before the assignments.
    void restore(Replaced& replaced) {
        for (; !replaced.empty(); replaced.pop_back()) {
            if (replaced.back().value) state_.variables[replaced.back().name] = *replaced.back().value;
            else state_.variables.erase(replaced.back().name);
        }
    }

    // Reads NAME=value or NAME=(words …), also with +=; returns false if there is none. The value before is
    // added to `scope`, the variables of a function or a subshell, or to `command` if a command follows.
    bool assignment(Replaced* scope, Replaced& command) {
        std::size_t length = 0;
        while (in_name(here(length))) ++length;
        if (length > 0 && here(length) == '[') return element_assignment(length);
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
        if (!scope && !ends_command(next_letter())) scope = &command;
        if (scope) {
            const auto before = state_.variables.find(name);
            const bool is_set = before != state_.variables.end();
            scope->push_back({name, is_set ? std::optional(value_of(before->second)) : std::nullopt});
        }
        std::vector<Word>& old = state_.variables[name];
        if (!more || old.empty()) {
            old = std::move(value);
        } else if (list) {
            old.insert(old.end(), value.begin(), value.end());
        } else {
            Word& first = old.front();
            add(first, value.front(), [&](char letter) { add(first, letter); });
        }
        return true;
    }
    // Makes an array's value unknown if NAME[index]=value follows; returns false.
    bool element_assignment(std::size_t length) {
        std::size_t end = length;
        while (here(end) != ']' && !ends_command(here(end))) ++end;
        const bool sets_element = here(end) == ']' && (here(end + 1) == '=' || here(end + 1) == '+');
        if (sets_element && running() != Truth::no) forget(text_.substr(at_, length));
        return false;
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
                read_double_quoted(now, out, any, whole);
            } else if (c == '\\') {
                step();
                if (at_ < text_.size()) add(now, here());
                step();
            } else if (c == '$' || c == '`') {
                std::vector<Word> value = expansion();
                if (whole) value = {joined_words(value)};
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

    void read_double_quoted(Word& now, std::vector<Word>& out, bool& any, bool whole) {
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
                std::vector<Word> value = expansion(true);
                if (whole) value = {joined_words(value)};
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

    static Word joined_words(const std::vector<Word>& words) {
        Word out{"", words.empty() ? 1 : words.front().line, "", {}};
        for (const Word& word : words) {
            if (&word != words.data()) add(out, ' ');
            add(out, word, [&](char letter) { add(out, letter); });
        }
        return out;
    }

    // Counts bytes that are read again; returns false, with a problem, where there are too many of them.
    // Without a limit variables that contain each other twice would grow exponentially.
    bool count_expanded(std::size_t bytes) {
        constexpr std::size_t kMost = std::size_t{1} << 22;
        expanded_ += bytes;
        if (expanded_ <= kMost) return true;
        if (!problems_.empty()) return false;
        problems_.push_back({"", translate("the script is too long"),
                             translate("its variables expand to more than 4 MiB"),
                             translate("give only the command"), line_});
        return false;
    }
    std::vector<Word> value_of(const std::vector<Word>& words) {
        std::size_t bytes = 0;
        for (const Word& word : words) bytes += word.text.size() + word.from_shell.size() + 1;
        return count_expanded(bytes) ? words : std::vector<Word>{};
    }

    // Reads the rest of ${NAME:-"value"} up to the brace, without its quotes. A brace between them does not
    // end it. In double quotes an apostrophe is a letter.
    Word default_value(bool in_double_quotes) {
        Word out{"", line_, "", {}};
        char quote = '\0';
        while (at_ < text_.size() && (quote != '\0' || here() != '}')) {
            const char c = here();
            if ((c == '$' || c == '`') && quote != '\'') {
                add_expansion(out);
                continue;
            }
            if (quote != '\0' && c == quote) quote = '\0';
            else if (quote == '\0' && (c == '"' || (c == '\'' && !in_double_quotes))) quote = c;
            else add(out, c);
            step();
        }
        return out;
    }
    // Reads an expression that begins with $ inside of another one.
    void add_expansion(Word& out) {
        constexpr int kDeepest = 16;
        if (++nested_ > kDeepest) at_ = text_.size();
        const Word value = joined_words(expansion(true));
        --nested_;
        add(out, value, [&](char letter) { add(out, letter); });
    }

    // Returns the words of an array, or the words of the script's arguments for "@" and "*".
    [[nodiscard]] const std::vector<Word>* words_of(const std::string& name) const {
        if (name == "@" || name == "*") return state_.arguments ? &*state_.arguments : nullptr;
        const auto found = state_.variables.find(name);
        return found == state_.variables.end() ? nullptr : &found->second;
    }
    // Returns the value that a variable or an argument has without an index: of an array, the first word.
    // Returns nothing where it is not known.
    [[nodiscard]] std::optional<std::vector<Word>> scalar_of(const std::string& name) const {
        const bool is_argument = std::isdigit(static_cast<unsigned char>(name[0])) && name != "0";
        return element_of(is_argument ? "@" : name, is_argument ? integer_of(name).value_or(0) - 1 : 0);
    }
    [[nodiscard]] std::optional<std::vector<Word>> element_of(const std::string& name, long index) const {
        const std::vector<Word>* words = words_of(name);
        if (!words) return std::nullopt;
        const auto size = static_cast<long>(words->size());
        if (index < 0) index += size;
        if (index < 0 || index >= size) return std::vector<Word>{};
        return std::vector<Word>{(*words)[static_cast<std::size_t>(index)]};
    }

    // Returns the value of an expression of integers; nothing where it is not known. A value that depends on
    // the default of a variable is marked as one.
    [[nodiscard]] std::optional<Word> value_of_arithmetic(const Word& expression) const {
        if (!expression.unknown.empty()) return std::nullopt;
        Word out{"", line_, "", expression.from_shell};
        const auto value =
            arithmetic_value(expression.text, [&](const std::string& name) -> std::optional<long> {
                const auto words = name.empty() ? std::nullopt : scalar_of(name);
                if (!words || words->size() != 1 || !words->front().unknown.empty()) return std::nullopt;
                for (const FromShell& from : words->front().from_shell) {
                    const bool is_marked = std::ranges::any_of(out.from_shell, [&](const FromShell& other) {
                        return other.expression == from.expression && other.line == from.line;
                    });
                    if (!is_marked) out.from_shell.push_back(from);
                }
                return integer_of(words->front().text);
            });
        if (!value) return std::nullopt;
        out.text = std::to_string(*value);
        for (FromShell& from : out.from_shell) from.at = 0;
        return out;
    }

    // Reads an expression that begins with $ or a backquote. Its value is one word unless it is a list.
    std::vector<Word> expansion(bool in_double_quotes = false) {
        const std::size_t from = at_;
        if (here() == '`') {
            step();
            while (at_ < text_.size() && here() != '`') step();
            step();
            return unknown(from, true);
        }
        step();
        if (here() == '(') return substitution(from);
        if (here() == '{') return braced_expansion(from, in_double_quotes);
        std::string name;
        if (here() == '@' || here() == '*' || std::isdigit(static_cast<unsigned char>(here()))) {
            name = here();
            step();
        } else {
            while (in_name(here())) {
                name += here();
                step();
            }
        }
        const bool is_quoted = here() == '\'' || here() == '"';
        if (is_quoted && !in_double_quotes) return {};  // $'text'
        if (name.empty()) {                             // $?, or a dollar sign that begins no expansion
            if (at_ < text_.size() && !ends_command(here()) && here() != ' ' && here() != '"') step();
            return unknown(from, true);
        }
        const bool is_list = name == "@" || name == "*";
        if (is_list && words_of(name)) return value_of(*words_of(name));
        const auto value = is_list ? std::nullopt : scalar_of(name);
        return value ? value_of(*value) : unknown(from, true);
    }
    // Returns the word of an expression whose value is not known, which began at `from`.
    std::vector<Word> unknown(std::size_t from, bool is_read) {
        at_ = std::min(at_, text_.size());
        const std::string expression(text_.substr(from, at_ - from));
        return {{"", line_, expression, {{0, expression, line_, false, is_read}}}};
    }

    // Reads the rest of $( … ) or $(( … )).
    std::vector<Word> substitution(std::size_t from) {
        const std::size_t start = at_;
        const int line = line_;
        int depth = 0;
        do {
            if (here() == '(') ++depth;
            if (here() == ')') --depth;
            step();
        } while (at_ < text_.size() && depth > 0);
        const std::size_t end = std::min(at_, text_.size());
        const std::string_view read = text_.substr(from, end - from);
        if (!read.starts_with("$((") || !read.ends_with("))")) return unknown(from, true);
        // The shell expands the variables first.
        const std::string_view whole = std::exchange(text_, text_.substr(0, end - 2));
        at_ = start + 2;
        line_ = line;
        Word expression{"", line_, "", {}};
        while (at_ < text_.size()) {
            if (here() == '$') {
                add_expansion(expression);
                continue;
            }
            add(expression, here());
            step();
        }
        text_ = whole;
        at_ = end;
        const std::optional<Word> value = value_of_arithmetic(expression);
        return value ? std::vector<Word>{*value} : unknown(from, true);
    }

    // Reads the rest of ${NAME}, ${NAME[index]}, ${NAME[@]}, ${NAME:-default} or ${NAME:+other}.
    std::vector<Word> braced_expansion(std::size_t from, bool in_double_quotes) {
        step();
        std::string name;
        while (in_name(here()) || (name.empty() && (here() == '@' || here() == '*'))) {
            name += here();
            step();
        }
        std::optional<std::vector<Word>> value;
        bool is_read = !name.empty();
        if (is_read && here() == '[') {
            const std::size_t start = at_ + 1;
            while (at_ < text_.size() && here() != ']') step();
            const std::string index(text_.substr(start, std::min(at_, text_.size()) - start));
            step();
            const bool is_list = index == "@" || index == "*";
            if (is_list && words_of(name)) value = *words_of(name);
            if (index == "*" && value && in_double_quotes) value = {joined_words(*value)};
            if (!is_list && words_of(name)) {
                const auto number = value_of_arithmetic({without_dollars(index), line_, "", {}});
                if (number) value = element_of(name, std::stol(number->text));
                is_read = value.has_value();
            }
        } else if (name == "@" || name == "*") {
            if (words_of(name)) value = *words_of(name);
        } else if (is_read) {
            value = scalar_of(name);
        }
        std::optional<Word> otherwise;
        if (here() == ':' && (here(1) == '-' || here(1) == '+')) {
            const bool replaces = here(1) == '+';
            step();
            step();
            const Word other = default_value(in_double_quotes);
            const bool is_empty = value && joined_words(*value).text.empty() && is_known(*value);
            if (replaces && value && !is_known(*value)) value.reset();
            else if (replaces && value) value = std::vector<Word>(is_empty ? 0 : 1, other);
            else if (!replaces && (!value || is_empty)) otherwise = other, value.reset();
        }
        int depth = 1;
        while (at_ < text_.size()) {
            if (here() == '{') ++depth;
            if (here() == '}' && --depth == 0) break;
            is_read = false;
            step();
        }
        step();
        if (is_read && value) return value_of(*value);
        if (!is_read || !otherwise || !otherwise->unknown.empty()) return unknown(from, is_read);
        at_ = std::min(at_, text_.size());
        otherwise->from_shell.insert(otherwise->from_shell.begin(),
                                     {0, std::string(text_.substr(from, at_ - from)), line_, true, true});
        return {*otherwise};
    }
    static bool is_known(const std::vector<Word>& words) {
        return std::ranges::all_of(words, [](const Word& word) { return word.unknown.empty(); });
    }
    // Returns an index in which variables have no dollar signs; in arithmetic they need none.
    static std::string without_dollars(std::string text) {
        std::erase_if(text, [](char c) { return c == '$' || c == '{' || c == '}'; });
        return text;
    }

    std::string_view text_;
    Problems& problems_;
    std::size_t at_ = 0;
    int line_ = 1;
    std::size_t expanded_ = 0;  // bytes of all expansions so far
    State state_;
    Replaced locals_;
    std::vector<Replaced> subshells_;  // that have begun: ( … )
    bool leaves_subshell_ = false;     // whether the command ends the last one
    std::vector<std::string> ends_;    // end words of the here-documents that begin on the next line
    bool feeds_shell_ = false;         // whether a command of this line runs the here-document
    std::string output_;               // file to which a command of this line writes
    int depth_ = 0;                    // of nested scripts
    int nested_ = 0;                   // of expressions inside of another one
    int unterminated_ = 0;             // number of here-documents whose end was not found
    struct Branch {                    // an `if`, a `case`, a loop or a group that has begun
        Truth runs = Truth::yes;       // whether its current branch runs
        Truth taken = Truth::no;       // of an `if`: whether this or an earlier branch runs
        bool is_if = false;
        bool is_group = false;
        std::string function;  // whose body the group is
        Text body;
    };
    std::string function_;      // whose body begins next
    Truth outer_ = Truth::yes;  // whether the script that has this one runs it
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
