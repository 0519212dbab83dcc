#include "launch/shell_arithmetic.h"

#include <cctype>

namespace shardscope::launch {

bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

std::optional<long> integer_of(const std::string& text) {
    constexpr std::size_t kMostDigits = 15;
    const std::size_t sign = text.starts_with('-') ? 1 : 0;
    const bool digits = text.size() > sign && text.size() <= kMostDigits &&
                        text.find_first_not_of("0123456789", sign) == std::string::npos;
    return digits ? std::optional(std::stol(text)) : std::nullopt;
}

namespace {

using VariableValue = std::function<std::optional<long>(const std::string&)>;

class Arithmetic {
  public:
    Arithmetic(std::string_view text, const VariableValue& variable) : text_(text), variable_(variable) {}

    std::optional<long> value() {
        const long out = sum();
        skip_blanks();
        return known_ && at_ == text_.size() ? std::optional(out) : std::nullopt;
    }

  private:
    void skip_blanks() {
        while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
    }
    // Takes one of these characters; returns '\0' where there is none.
    char take(std::string_view any_of) {
        skip_blanks();
        if (at_ >= text_.size() || any_of.find(text_[at_]) == std::string_view::npos) return '\0';
        return text_[at_++];
    }
    long sum() {
        long out = product();
        while (const char sign = take("+-")) {
            const long next = product();
            known_ = known_ && !(sign == '+' ? __builtin_add_overflow(out, next, &out)
                                             : __builtin_sub_overflow(out, next, &out));
        }
        return out;
    }
    long product() {
        long out = operand();
        while (const char sign = take("*/%")) {
            const long next = operand();
            if (sign == '*') known_ = known_ && !__builtin_mul_overflow(out, next, &out);
            else if (next > 0) out = sign == '/' ? out / next : out % next;
            else known_ = false;
        }
        return out;
    }
    long operand() {
        constexpr int kDeepest = 32;
        if (take("(")) {
            if (++depth_ > kDeepest) known_ = false;
            const long out = known_ ? sum() : 0;
            --depth_;
            known_ = take(")") && known_;
            return out;
        }
        skip_blanks();
        std::string word;
        while (at_ < text_.size() && in_name(text_[at_])) word += text_[at_++];
        const bool digits = !word.empty() && std::isdigit(static_cast<unsigned char>(word[0]));
        // A number that begins with 0 is octal.
        if (digits && word.size() > 1 && word[0] == '0') known_ = false;
        const std::optional<long> value = digits ? integer_of(word) : variable_(word);
        known_ = known_ && value.has_value();
        return value.value_or(0);
    }

    std::string_view text_;
    const VariableValue& variable_;
    std::size_t at_ = 0;
    int depth_ = 0;
    bool known_ = true;
};

}  // namespace

std::optional<long> arithmetic_value(std::string_view expression, const VariableValue& variable) {
    return Arithmetic(expression, variable).value();
}

bool sets_variable(std::string_view expression) {
    constexpr auto kNone = std::string_view::npos;
    if (expression.find("++") != kNone || expression.find("--") != kNone) return true;
    for (std::size_t at = expression.find('='); at != kNone; at = expression.find('=', at)) {
        const bool is_twice = expression.substr(at + 1).starts_with('=');
        const bool is_after = at > 0 && std::string_view("!<>").find(expression[at - 1]) != kNone;
        if (!is_twice && !is_after) return true;
        at += is_twice ? 2 : 1;
    }
    return false;
}

}  // namespace shardscope::launch
