#include "launch/shell_script.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "launch/shell_arithmetic.h"
#include "launch/shell_branches.h"
#include "launch/shell_cursor.h"
#include "launch/shell_expansion.h"
#include "launch/shell_here_documents.h"
#include "launch/shell_tests.h"
#include "launch/shell_variables.h"
#include "launch/slurm_directives.h"
#include "text/translate.h"

namespace shardscope::launch {
namespace {

// What commands may change. Another shell that the script starts has a copy.
struct Shell {
    ShellVariables variables;
    std::map<std::string, ShellCursor> functions{};  // their bodies, by their names
    std::map<std::string, ShellCursor> files{};      // that here-documents write, by their names
};

// What is read of a script and of those that it runs.
struct Reading {
    ShellScript script;
    ShellExpansionRecord expansions{};
};

std::string name_of_program(const Word& word) { return word.text.substr(word.text.rfind('/') + 1); }

std::string file_name(const Word& word) { return word.text.substr(word.text.starts_with("./") ? 2 : 0); }

bool is_shell(const Word& word) {
    const std::string name = name_of_program(word);
    return name == "sh" || name == "bash";
}

// Returns whether a program runs the script that it is given as its input or as a file.
bool runs_script(const Word& word) {
    const std::string name = name_of_program(word);
    return is_shell(word) || name == "sbatch" || name == "ssh";
}

// Returns whether another command follows the word, or assignments, which may follow options: `export -n`.
bool is_before_command(const std::string& word) {
    static const std::set<std::string> kWords{"then",   "do",      "else",  "{",        "}",
                                              "export", "declare", "local", "readonly", "typeset"};
    return kWords.contains(word) || (word.starts_with('-') && !word.starts_with("--"));
}

// Returns whether the words begin a test in which > compares.
bool begins_comparison(const Command& words) {
    constexpr std::size_t kMost = 3;  // if ! [[
    const auto end = words.begin() + static_cast<std::ptrdiff_t>(std::min(words.size(), kMost));
    return std::any_of(words.begin(), end, [](const Word& word) { return word.text == "[["; });
}

class Script {
  public:
    Script(const ShellCursor& text, Shell& shell, Reading& reading, Problems& problems,
           Truth outer = Truth::yes, int depth = 0)
        : text_(text),
          shell_(shell),
          reading_(reading),
          problems_(problems),
          expansion_(text_, shell.variables, reading.expansions, problems),
          branches_(outer, reading.script.unread),
          depth_(depth) {}

    // Reads the commands up to an `exit` or `return` that certainly runs. Returns whether an `exit` ended the
    // shell.
    bool read() {
        while (!text_.at_end() && problems_.empty() && !returns_) {
            read_command();
            if (!std::exchange(leaves_subshell_, false)) continue;
            shell_.variables.restore(subshells_.back());
            subshells_.pop_back();
        }
        shell_.variables.restore(locals_);
        return exits_;
    }

  private:
    // How long the assignments before a command hold.
    struct Scope {
        ShellVariables::Saved replaced{};  // by assignments that may be only for the command
        bool is_local = false;             // they are those of a function: `local`
        bool declares = false;             // they are not only for the command: `export`
    };

    void read_command() {
        Command words;
        Scope scope;
        CommandEnd end = CommandEnd::line;
        text_.skip_blanks(false);
        const bool is_continued = joins_ && text_.here() == '\n';  // after && or ||
        while (!text_.at_end() && problems_.empty()) {
            text_.skip_blanks(false);
            if (text_.at_end()) break;
            const char c = text_.here();
            if (c == '<' && text_.here(1) == '<') {
                documents_.read_operator(text_);
            } else if (ends_command(c) || c == '(' || c == ')' || c == '<' || c == '>') {
                if (words.empty() && read_arithmetic(words)) continue;
                if (c == '>' && !begins_comparison(words)) read_redirection();
                else if (read_separator(words, end)) break;
            } else if (!words.empty() || !read_assignment(scope)) {
                read_word(words, scope);
            }
        }
        if (is_continued) return;
        joins_ = end == CommandEnd::both || end == CommandEnd::either;
        run(words, scope, end);
    }

    // Reads a character that separates commands or words; returns whether it ends the command.
    bool read_separator(const Command& words, CommandEnd& end) {
        const char c = text_.here();
        text_.step();
        if (c == '(' && words.empty()) subshells_.emplace_back();
        if (c == ')' && !subshells_.empty()) return leaves_subshell_ = true;
        if (!ends_command(c)) return false;
        if (std::ranges::any_of(words, runs_script)) feeds_shell_ = true;
        if (c == '\n') read_here_documents();
        if (c != '&' && c != '|') return true;
        end = text_.here() != c ? CommandEnd::other : c == '&' ? CommandEnd::both : CommandEnd::either;
        if (text_.here() == c) text_.step();
        return true;
    }

    // Reads a word of the command, and handles those that another command follows.
    void read_word(Command& words, Scope& scope) {
        expansion_.read_word(words);
        const bool is_stream = text_.here() == '>' && !words.empty() && integer_of(words.back().text);
        if (is_stream && text_.before() != ' ') words.pop_back();  // 2> file
        if (begins_function(words)) words.clear();
        if (words.size() != 1) return;
        const std::string first = words[0].text;
        if (first == "else") branches_.begin_else(words[0].line);
        if (first == "{") branches_.begin_group({std::exchange(function_, {}), text_});
        else if (first == "}") end_group();
        else function_.clear();
        if (first == "local" || first == "declare" || first == "typeset") scope.is_local = true;
        if (first == "export" || first == "readonly") scope.declares = true;
        if (is_before_command(first)) words.clear();
    }

    // Ends `{ … }`. The position is after the brace.
    void end_group() {
        const std::optional<ShellGroup> group = branches_.end_group();
        if (!group) return;
        const std::size_t length = text_.since(group->body).size() - 1;
        shell_.functions.insert_or_assign(group->function, group->body.part(length));
    }

    // Reads "()" after the name of a function; returns whether there is one.
    bool begins_function(const Command& words) {
        if (words.size() == 2 && words[0].text == "function") {
            function_ = words[1].text;
            return true;
        }
        if (words.size() != 1 || text_.next_letter() != '(') return false;
        ShellCursor after = text_;
        after.step(after.rest().find('(') + 1);
        if (after.next_letter() != ')') return false;
        after.step(after.rest().find(')') + 1);
        if (after.next_letter() == '(' || !subshells_.empty()) refuse_function(words[0]);
        text_ = after;
        function_ = words[0].text;
        return true;
    }

    // A function whose body is a subshell, and one that only a subshell knows, are not followed.
    void refuse_function(const Word& name) {
        problems_.push_back({"", translate("the function {1} is not read", {name.text}),
                             translate("its body, or the place where it is defined, is a subshell: ( … )"),
                             translate("write { … } instead of ( … )"), name.line});
    }

    // Reads (( … )) as one word. Its result is not known, nor are the variables that it sets.
    bool read_arithmetic(Command& words) {
        constexpr std::size_t kMost = 1000;
        const std::string_view next = text_.rest().substr(0, kMost);
        const std::size_t length = next.find("))");
        if (!next.starts_with("((") || length == std::string_view::npos) return false;
        const std::string_view expression = next.substr(2, length - 2);
        if (sets_variable(expression) && branches_.running() != Truth::no)
            shell_.variables.forget_named(expression, false);
        words.push_back(empty_word(text_.line()));
        words.back().text = "((";
        text_.step(length + 2);
        return true;
    }

    // Skips > or >> and the name of the file after it.
    void read_redirection() {
        while (text_.here() == '>' || text_.here() == '&' || text_.here() == '|') text_.step();
        text_.skip_blanks(false);
        if (text_.here() == '(') return;
        Words file;
        expansion_.read_word(file);
        output_ = file.empty() ? std::string() : file_name(file.back());
    }

    // Reads the here-documents that begin on this line. Each is the script of a shell, a file, which may be
    // run later, or other text.
    void read_here_documents() {
        const std::string output = std::exchange(output_, {});
        const bool feeds_shell = std::exchange(feeds_shell_, false);
        for (const ShellCursor& text : documents_.read_texts(text_)) {
            if (branches_.running() == Truth::no) continue;
            if (feeds_shell) run_in_new_shell(text);
            else if (!output.empty()) shell_.files.insert_or_assign(output, text);
        }
    }

    // Reads NAME=value or NAME=(words …), also with +=; returns false if there is none.
    bool read_assignment(Scope& scope) {
        std::size_t length = 0;
        while (in_name(text_.here(length))) ++length;
        const std::string name(text_.rest().substr(0, length));
        if (length > 0 && text_.here(length) == '[') return read_element_assignment(name);
        const bool adds = text_.here(length) == '+' && text_.here(length + 1) == '=';
        if (length == 0 || std::isdigit(static_cast<unsigned char>(name[0])) ||
            (text_.here(length) != '=' && !adds))
            return false;
        text_.step(length + (adds ? 2 : 1));
        // The new value is read first, because it may refer to the variable's old value.
        Words value;
        const bool is_list = text_.here() == '(';
        if (is_list) expansion_.read_list(name, value);
        else expansion_.read_word(value, true);
        if (!is_list && value.empty()) value.push_back(empty_word(text_.line()));
        if (is_list && branches_.running() != Truth::no) reading_.script.commands.push_back(value);
        if (branches_.running() != Truth::yes) return true;
        save(name, scope);
        if (!adds) shell_.variables.set(name, std::move(value));
        else if (is_list) shell_.variables.add(name, value);
        else shell_.variables.append(name, value.front());
        return true;
    }
    // Makes an array's value unknown if NAME[index]=value follows; returns false.
    bool read_element_assignment(const std::string& name) {
        std::size_t end = name.size();
        while (text_.here(end) != ']' && !ends_command(text_.here(end))) ++end;
        const bool sets =
            text_.here(end) == ']' && (text_.here(end + 1) == '=' || text_.here(end + 1) == '+');
        if (sets && branches_.running() != Truth::no) shell_.variables.forget(name);
        return false;
    }
    // Saves the value that an assignment replaces if it holds only for a function, a subshell or the command
    // that follows.
    void save(const std::string& name, Scope& scope) {
        ShellVariables::Saved* saved = nullptr;
        if (scope.is_local) saved = &locals_;
        else if (!subshells_.empty()) saved = &subshells_.back();
        else if (!ends_command(text_.next_letter())) saved = &scope.replaced;
        if (!saved) return;
        const Words* value = shell_.variables.find(name);
        if (!value || expansion_.count(bytes_of(*value))) shell_.variables.save(name, *saved);
    }

    // Adds a command to those of the script, and does what it does to the shell and to the branches.
    void run(const Command& words, Scope& scope, CommandEnd end) {
        if (!words.empty()) {
            if (words[0].text == "for" && words.size() > 1) shell_.variables.forget(words[1].text);
            if (branches_.control(words, end)) return;
            if (branches_.running() != Truth::no) {
                reading_.script.commands.push_back(words);
                set_by(words);
                // `exec` with a command replaces the shell.
                const bool exits = run_given_commands(words) || words[0].text == "exit" ||
                                   (words[0].text == "exec" && words.size() > 1);
                // In a subshell or a pipeline an `exit` ends only that.
                const bool ends_shell =
                    branches_.is_certain() && subshells_.empty() && end != CommandEnd::other;
                exits_ = exits && ends_shell;
                returns_ = exits_ || (words[0].text == "return" && ends_shell);
            }
            if (!scope.declares) shell_.variables.restore(scope.replaced);
        }
        branches_.end_command(words, end);
    }

    // Handles the commands that set the arguments or variables of the script to values that are not read.
    void set_by(const Command& words) {
        static const std::set<std::string> kSetters{"read", "mapfile", "readarray", "let", "unset"};
        const std::string& name = words[0].text;
        ShellVariables& variables = shell_.variables;
        if (kSetters.contains(name))
            for (const Word& word : words) variables.forget_at_start(word.text);
        if (name == "printf" && words.size() > 2 && words[1].text == "-v")
            variables.forget_at_start(words[2].text);
        if (name == "eval")
            for (const Word& word : words) variables.forget_named(word.text, true);
        if (branches_.running() != Truth::yes) return;
        if (name == "set" && words.size() > 1 && words[1].text == "--")
            variables.set("@", {words.begin() + 2, words.end()});
        const Words* arguments = variables.find("@");
        if (name != "shift" || !arguments) return;
        const bool is_one = words.size() == 1 && !arguments->empty();
        if (is_one && expansion_.count(arguments->size()))
            variables.set("@", {arguments->begin() + 1, arguments->end()});
        else variables.forget("@");
    }

    // Runs the commands that this command is given: those of a function, of a file that the script has
    // written, and of the text that follows `sh -c` or `bash -c`. Returns whether they end this shell.
    bool run_given_commands(const Command& words) {
        if (const auto function = shell_.functions.find(words[0].text); function != shell_.functions.end()) {
            ShellVariables::Saved arguments;
            shell_.variables.save("@", arguments);
            shell_.variables.set("@", {words.begin() + 1, words.end()});
            const bool exits = run_nested(function->second, shell_);
            shell_.variables.restore(arguments);
            return exits;
        }
        if ((words[0].text == "source" || words[0].text == ".") && words.size() > 1)
            return run_file(words[1], words[0].line);
        const bool is_run = std::ranges::any_of(words, runs_script);
        for (const Word& word : words) {
            const auto file = shell_.files.find(file_name(word));
            if (file != shell_.files.end() && (is_run || &word == words.data()))
                run_in_new_shell(file->second);
        }
        const auto is_option = [](const Word& word) { return word.text.starts_with('-'); };
        const auto shell = std::ranges::find_if(words, is_shell);
        if (shell == words.end()) return false;
        const auto text = std::find_if_not(shell + 1, words.end(), is_option);
        if (text == words.end() || text == shell + 1 || !(text - 1)->text.ends_with('c')) return false;
        if (text->from_shell.empty()) run_in_new_shell(ShellCursor(text->text, text->line));
        else std::ranges::move(split_commands(*text), std::back_inserter(reading_.script.commands));
        return false;
    }

    // Reads a file in this shell that the script has written. Any other file may change every variable.
    // Returns whether an `exit` in it ended the shell.
    bool run_file(const Word& name, int line) {
        const auto file = shell_.files.find(file_name(name));
        if (file != shell_.files.end()) return run_nested(file->second, shell_);
        if (expansion_.count(shell_.variables.bytes())) shell_.variables.mark_sourced(line);
        return false;
    }
    // Reads another script in a shell, and adds its commands. Returns whether an `exit` ended the shell.
    bool run_nested(const ShellCursor& text, Shell& shell) {
        constexpr int kDeepest = 4;
        if (depth_ >= kDeepest || !expansion_.count(text.rest().size())) return false;
        Problems ignored;
        const bool exits = Script(text, shell, reading_, ignored, branches_.running(), depth_ + 1).read();
        expansion_.count(0);
        return exits;
    }
    // Reads another script in a shell of its own, which does not change this one.
    void run_in_new_shell(const ShellCursor& text) {
        if (!expansion_.count(shell_.variables.bytes())) return;
        Shell copy = shell_;
        copy.variables.forget("@");
        run_nested(text, copy);
    }

    ShellCursor text_;
    Shell& shell_;
    Reading& reading_;
    Problems& problems_;
    ShellExpansion expansion_;
    ShellBranches branches_;
    int depth_;                                     // of nested scripts
    ShellVariables::Saved locals_;                  // replaced by the local variables of a function
    std::vector<ShellVariables::Saved> subshells_;  // replaced in the subshells ( … ) that have begun
    bool leaves_subshell_ = false;                  // whether the command ends the last one
    std::string function_;                          // whose body begins next
    ShellHereDocuments documents_;
    bool feeds_shell_ = false;  // whether a command of this line runs the here-document
    bool joins_ = false;        // whether && or || is before the command
    bool returns_ = false;      // whether an `exit` or `return` has ended the script
    bool exits_ = false;        // whether it was an `exit`, which ends the shell
    std::string output_;        // file to which a command of this line writes
};

}  // namespace

ShellScript read_shell_script(std::string_view script, Problems& problems) {
    Shell shell;
    Reading reading;
    const SlurmJob job = read_slurm_directives(script);
    for (const auto& [name, variable] : job.variables)
        shell.variables.set(name, {{std::to_string(variable.value), variable.line, "", {}}});
    reading.script.slurm = job;
    Script(ShellCursor(script), shell, reading, problems).read();
    const std::set<int>& sourced = reading.expansions.sourced;
    reading.script.sourced.assign(sourced.begin(), sourced.end());
    return std::move(reading.script);
}

}  // namespace shardscope::launch
