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

// What launchers write in front of a line; a negative number is not stated.
constexpr int kMostProcesses = 100'000;  // of a job, or of a node
constexpr int kMostNodes = 20'000;       // their product fits an int
struct Prefix {
    int node = -1;
    int process = -1;
    std::size_t length = 0;
};

// Returns the number at the start of a text and sets where it ends; a negative number where there is none.
int whole_number(std::string_view text, int most, std::size_t& end) {
    int out = -1;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), out);
    end = static_cast<std::size_t>(stop - text.data());
    return error == std::errc() && out < most ? out : -1;
}

// Reads "train/0 ", with which NeMo-Run (torchx) starts the lines of a node.
void read_node(std::string_view text, Prefix& out) {
    const std::size_t blank = text.find(' ');
    const std::size_t slash = text.substr(0, blank).rfind('/');
    if (blank == std::string_view::npos || slash == std::string_view::npos || !is_letter(text.front()))
        return;
    std::size_t end = 0;
    const int node = whole_number(text.substr(slash + 1), kMostNodes, end);
    if (node < 0 || slash + 1 + end != blank) return;
    out.node = node;
    out.length = blank + 1;
}

// Reads "[rank3]:" or "[default3]:", which may follow a time.
bool read_process(std::string_view text, Prefix& out) {
    constexpr std::size_t kFurthest = 64;
    const std::string_view head = text.substr(out.length, kFurthest);
    for (const std::string_view begin : {"[rank", "[default"}) {
        const std::size_t at = head.find(begin);
        if (at == std::string_view::npos) continue;
        const std::size_t digits = out.length + at + begin.size();
        std::size_t end = 0;
        const int process = whole_number(text.substr(digits), kMostProcesses, end);
        const std::size_t bracket = digits + end;
        if (process < 0 || bracket >= text.size() || text[bracket] != ']') continue;
        out.process = process;
        out.length = bracket + (text.substr(bracket + 1).starts_with(':') ? 2 : 1);
        return true;
    }
    return false;
}

// Reads "12: ", which srun --label writes with blanks in front.
void read_task(std::string_view text, Prefix& out) {
    const std::size_t first = text.find_first_not_of(' ');
    if (first == std::string_view::npos) return;
    std::size_t end = 0;
    const int task = whole_number(text.substr(first), kMostProcesses, end);
    if (task < 0 || !text.substr(first + end).starts_with(": ")) return;
    out.process = task;
    out.length = first + end + 1;
}

// Reads "[20260601 10:00:00][rank-0/8][INFO ] [--------trainer.py:100] : ", with which Primus starts the
// lines of a process; the last part is not in every line. Source: AMD-AGI/Primus,
// primus/core/utils/logger.py.
void read_primus(std::string_view text, Prefix& out) {
    constexpr std::string_view kRank = "][rank-";
    constexpr std::string_view kPlace = "] : ";
    constexpr std::size_t kFurthest = 256;
    const std::string_view head = text.substr(out.length, kFurthest);
    const std::size_t rank = head.starts_with('[') ? head.find(kRank) : std::string_view::npos;
    if (rank == std::string_view::npos) return;
    std::size_t digits = 0;
    const int process = whole_number(head.substr(rank + kRank.size()), kMostProcesses, digits);
    const std::size_t level = head.find("] ", rank);
    if (process < 0 || head.substr(rank + kRank.size() + digits, 1) != "/" || level == std::string_view::npos)
        return;
    out.process = process;
    const std::size_t place = head.substr(level + 2, 1) == "[" ? head.find(kPlace, level) : head.npos;
    out.length += place == std::string_view::npos ? level + 2 : place + kPlace.size();
}

// Returns the length of "2026-03-02T10:20:30.123456Z " at the start of a line, with which Kubernetes, Docker
// and journals begin each line; 0 where there is none.
std::size_t length_of_time(std::string_view text) {
    constexpr std::string_view kForm = "0000-00-00T00:00:00";
    if (text.size() <= kForm.size()) return 0;
    for (std::size_t i = 0; i < kForm.size(); ++i)
        if (kForm[i] == '0' ? !is_digit(text[i]) : text[i] != kForm[i]) return 0;
    // The fraction and the zone follow: "Z", "+01:00".
    const std::size_t blank = text.find_first_not_of("0123456789.,:+-Z", kForm.size());
    return blank != std::string_view::npos && text[blank] == ' ' ? blank + 1 : 0;
}

Prefix launcher_prefix(std::string_view text) {
    Prefix out;
    const std::size_t time = length_of_time(text);
    text.remove_prefix(time);
    if (!text.empty()) {
        read_node(text, out);
        if (!read_process(text, out) && out.length == 0) read_task(text, out);
        read_primus(text, out);
    }
    out.length += time;
    return out;
}

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
    const Prefix prefix = launcher_prefix(text);
    if (prefix.node < 0 && prefix.process < 0) return std::nullopt;
    return std::max(0, prefix.node) * kMostProcesses + std::max(0, prefix.process);
}

std::string_view without_rank(std::string_view text) { return text.substr(launcher_prefix(text).length); }

}  // namespace shardscope::logs
