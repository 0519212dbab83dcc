// Helpers that read numbers and words from the lines of training logs.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace shardscope::logs {

inline constexpr double kMilli = 1e-3;  // s: several tools print milliseconds

// One line of a log without colours. A progress bar rewrites its line after a carriage return; each version
// of it is a line of its own with the same number.
struct LogLine {
    std::string_view text;
    int number = 0;  // 1-based, of the file
    [[nodiscard]] bool has(std::string_view words) const {
        return text.find(words) != std::string_view::npos;
    }
};

// Returns the text without escape sequences of a terminal, such as colours.
std::string without_colours(std::string_view text);

// Returns the position after the first `label` that does not continue a longer name, and after the blanks,
// colons, equals signs and quotation marks that follow it; nothing where there is none. "step:" is not found
// in "global_step:".
std::optional<std::size_t> after_label(std::string_view text, std::string_view label);

// Return the number at the start of the text, and the one that follows a label. Commas between thousands are
// skipped. Numbers that are not finite are not returned.
std::optional<double> leading_number(std::string_view text);
std::optional<double> number_after(const LogLine& line, std::string_view label);
// Does the same for a number with a decimal suffix: 3.9K, 1.07M, 34G, 2.1T.
std::optional<double> scaled_number_after(const LogLine& line, std::string_view label);
// Does the same for a size with its unit. Tools that write MB or GB count in powers of 1,024 (PyTorch's
// functions return bytes, and the tools divide by 1024²), so KB, MB and GB mean KiB, MiB and GiB here.
std::optional<double> bytes_after(const LogLine& line, std::string_view label);
// Returns the word after a label, up to the next blank, comma, quotation mark or bracket; "" where there is
// none.
std::string_view word_after(const LogLine& line, std::string_view label);

// Returns the text without what launchers write in front of each line of a process: "[rank0]:" and
// "[default3]:" of torchrun, "12: " of srun, and "train/0 " of NeMo-Run, in front of those of torchrun. A
// time such as 2026-03-02T10:20:30Z may precede them, and what Primus writes may follow:
// "[20260601 10:00:00][rank-0/8][INFO ] [--------trainer.py:100] : ".
std::string_view without_rank(std::string_view text);
// Returns a number that identifies the process of such a prefix; nothing where there is none.
std::optional<int> rank_of(std::string_view text);

}  // namespace shardscope::logs
