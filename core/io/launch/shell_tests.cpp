#include "launch/shell_tests.h"

#include <algorithm>
#include <optional>
#include <set>

#include "launch/shell_arithmetic.h"

namespace shardscope::launch {
namespace {

Truth truth_of(bool value) { return value ? Truth::yes : Truth::no; }

// Returns whether a comparison holds; unknown for an operator that is not read here.
Truth compared(const std::string& left, const std::string& operation, const std::string& right,
               bool patterns) {
    if (operation == "=" || operation == "==" || operation == "!=") {
        if (patterns && right.find_first_of("*?[") != std::string::npos) return Truth::unknown;
        return truth_of((left == right) == (operation != "!="));
    }
    const std::optional<long> a = integer_of(left);
    const std::optional<long> b = integer_of(right);
    if (!a || !b) return Truth::unknown;
    if (operation == "-eq") return truth_of(*a == *b);
    if (operation == "-ne") return truth_of(*a != *b);
    if (operation == "-gt") return truth_of(*a > *b);
    if (operation == "-ge") return truth_of(*a >= *b);
    if (operation == "-lt") return truth_of(*a < *b);
    if (operation == "-le") return truth_of(*a <= *b);
    return Truth::unknown;
}

// Returns whether a value is the default for one that SLURM gives in a job.
bool is_default_of_slurm(const FromShell& from) {
    return from.has_default && from.expression.starts_with("${SLURM_");
}

}  // namespace

Truth negated(Truth of) {
    return of == Truth::yes ? Truth::no : of == Truth::no ? Truth::yes : Truth::unknown;
}
Truth both(Truth a, Truth b) {
    if (a == Truth::no || b == Truth::no) return Truth::no;
    return a == Truth::yes && b == Truth::yes ? Truth::yes : Truth::unknown;
}

bool is_test(const Command& words) {
    static const std::set<std::string> kTests{"[", "[[", "test", "true", "false"};
    return !words.empty() && kTests.contains(words[0].text);
}

Truth test_of(Command words) {
    if (words.size() == 1 && words[0].text == "true") return Truth::yes;
    if (words.size() == 1 && words[0].text == "false") return Truth::no;
    if (!is_test(words)) return Truth::unknown;
    const bool patterns = words[0].text == "[[";
    if (words[0].text != "test") {
        if (words.back().text != (patterns ? "]]" : "]")) return Truth::unknown;
        words.pop_back();
    }
    words.erase(words.begin());
    bool negate = false;
    if (!words.empty() && words[0].text == "!") {
        negate = true;
        words.erase(words.begin());
    }
    for (const Word& word : words) {
        if (!word.unknown.empty() || std::ranges::any_of(word.from_shell, is_default_of_slurm))
            return Truth::unknown;
    }
    Truth out = Truth::unknown;
    if (words.size() == 1) out = truth_of(!words[0].text.empty());
    else if (words.size() == 2 && words[0].text == "-z") out = truth_of(words[1].text.empty());
    else if (words.size() == 2 && words[0].text == "-n") out = truth_of(!words[1].text.empty());
    else if (words.size() == 3) out = compared(words[0].text, words[1].text, words[2].text, patterns);
    return negate ? negated(out) : out;
}

}  // namespace shardscope::launch
