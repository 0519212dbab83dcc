#include "logs/log_lines.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <span>

namespace shardscope::logs {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool continues_name(char c) { return is_digit(c) || is_letter(c) || c == '_' || c == '-' || c == '.'; }

// A number and where it ends in the text.
struct NumberRead {
    double value = 0;
    std::size_t end = 0;
};

std::optional<NumberRead> read_number(std::string_view text) {
    constexpr std::size_t kLongest = 40;
    std::array<char, kLongest> digits{};
    std::size_t used = 0;
    std::size_t at = 0;
    while (at < text.size() && used < kLongest) {
        const char c = text[at];
        const bool thousands =
            c == ',' && used > 0 && at + 1 < text.size() && is_digit(text[at + 1]) && is_digit(text[at - 1]);
        const bool exponent = (c == 'e' || c == 'E') && used > 0 && at + 1 < text.size() &&
                              (is_digit(text[at + 1]) || text[at + 1] == '-' || text[at + 1] == '+');
        const bool sign =
            (c == '-' || c == '+') && (used == 0 || digits[used - 1] == 'e' || digits[used - 1] == 'E');
        if (!thousands) {
            if (!is_digit(c) && c != '.' && !exponent && !sign) break;
            if (!(c == '+' && used == 0)) digits[used++] = c;
        }
        ++at;
    }
    NumberRead out;
    const char* const begin = digits.data();
    const auto [stop, error] = std::from_chars(begin, begin + used, out.value);
    if (error != std::errc() || stop == begin || !std::isfinite(out.value)) return std::nullopt;
    // What from_chars did not read, such as a full stop at the end of a sentence, is not part of the number.
    out.end = at - static_cast<std::size_t>(begin + used - stop);
    return out;
}

std::string_view rest_after(const LogLine& line, std::string_view label) {
    const auto at = after_label(line.text, label);
    return at ? line.text.substr(*at) : std::string_view();
}

struct Suffix {
    std::string_view text;
    double factor;
};

// Returns the number at the begin of the text times the factor of the suffix behind it. A suffix is optional
// unless `required`.
std::optional<double> with_suffix(std::string_view text, std::span<const Suffix> suffixes, bool required) {
    const auto number = read_number(text);
    if (!number) return std::nullopt;
    std::string_view unit = text.substr(number->end);
    while (unit.starts_with(' ')) unit.remove_prefix(1);
    const auto found = std::ranges::find_if(suffixes, [&](const Suffix& suffix) {
        return unit.starts_with(suffix.text) &&
               (unit.size() == suffix.text.size() || !is_letter(unit[suffix.text.size()]));
    });
    if (found != suffixes.end()) return number->value * found->factor;
    if (required) return std::nullopt;
    return number->value;
}

constexpr double kKibi = 1024;

}  // namespace

std::string without_colours(std::string_view text) {
    std::string out;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] != '\x1b') {
            out += text[at];
            continue;
        }
        if (at + 1 >= text.size() || text[at + 1] != '[') continue;
        // ESC [ … ends with a letter.
        at += 2;
        while (at < text.size() && !is_letter(text[at])) ++at;
    }
    return out;
}

std::optional<std::size_t> after_label(std::string_view text, std::string_view label) {
    for (std::size_t at = text.find(label); at != std::string_view::npos; at = text.find(label, at + 1)) {
        if (at > 0 && continues_name(text[at - 1]) && continues_name(label.front())) continue;
        std::size_t end = at + label.size();
        if (end < text.size() && continues_name(label.back()) && continues_name(text[end])) continue;
        while (end < text.size() && std::string_view(" \t:=\"'").find(text[end]) != std::string_view::npos)
            ++end;
        return end;
    }
    return std::nullopt;
}

std::optional<double> leading_number(std::string_view text) {
    const auto number = read_number(text);
    if (!number) return std::nullopt;
    return number->value;
}

std::optional<double> number_after(const LogLine& line, std::string_view label) {
    return leading_number(rest_after(line, label));
}

std::optional<double> scaled_number_after(const LogLine& line, std::string_view label) {
    static constexpr std::array kSuffixes{Suffix{"K", 1e3}, Suffix{"M", 1e6}, Suffix{"G", 1e9},
                                          Suffix{"B", 1e9}, Suffix{"T", 1e12}};
    return with_suffix(rest_after(line, label), kSuffixes, false);
}

std::optional<double> bytes_after(const LogLine& line, std::string_view label) {
    static constexpr std::array kUnits{
        Suffix{"B", 1},
        Suffix{"KiB", kKibi},
        Suffix{"KB", kKibi},
        Suffix{"MiB", kKibi * kKibi},
        Suffix{"MB", kKibi * kKibi},
        Suffix{"GiB", kKibi * kKibi * kKibi},
        Suffix{"GB", kKibi * kKibi * kKibi},
        Suffix{"TiB", kKibi * kKibi * kKibi * kKibi},
    };
    return with_suffix(rest_after(line, label), kUnits, true);
}

std::string_view word_after(const LogLine& line, std::string_view label) {
    const std::string_view rest = rest_after(line, label);
    return rest.substr(0, rest.find_first_of(" \t,\"'()[]{}|"));
}

std::optional<int> rank_of(std::string_view text) {
    for (const std::string_view begin : {"[rank", "[default"}) {
        const std::size_t at = text.substr(0, 64).find(begin);
        if (at == std::string_view::npos) continue;
        int rank = 0;
        const char* const from = text.data() + at + begin.size();
        const auto [end, error] = std::from_chars(from, text.data() + text.size(), rank);
        if (error == std::errc() && end != text.data() + text.size() && *end == ']') return rank;
    }
    return std::nullopt;
}

std::string_view without_rank(std::string_view text) {
    if (rank_of(text)) {
        text.remove_prefix(text.find(']') + 1);
        if (text.starts_with(':')) text.remove_prefix(1);
        return text;
    }
    // srun --label writes "12: ".
    std::size_t at = text.find_first_not_of(' ');
    const std::size_t first = at;
    while (at < text.size() && is_digit(text[at])) ++at;
    if (at > first && at < text.size() && text[at] == ':') text.remove_prefix(at + 1);
    return text;
}

}  // namespace shardscope::logs
