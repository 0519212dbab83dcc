// TOML with the line of every value, its keys by their full names ("training.seq_len"), which remember
// whether they were asked for.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/problem.h"

namespace shardscope::launch {

class Toml {
  public:
    // A problem with its line where the text is no TOML.
    Toml(std::string_view text, Problems& problems);

    [[nodiscard]] bool has(const std::string& key) const { return values_.contains(key); }
    [[nodiscard]] int line(const std::string& key) const;
    // Of another type: a problem, and nothing.
    std::optional<double> number(const std::string& key, Problems& problems);
    std::optional<bool> flag(const std::string& key, Problems& problems);
    std::optional<std::string> text(const std::string& key, Problems& problems);
    // Of a list, or of one text with commas between.
    std::vector<std::string> list(const std::string& key, Problems& problems);
    // Keys nobody asked for; "job" for all of [job].
    [[nodiscard]] std::vector<std::string> unused() const;

  private:
    enum class Kind { number, flag, text, list, other };
    struct Value {
        Kind kind = Kind::other;
        double number = 0;  // of a flag: 1 or 0
        std::vector<std::string> texts;
        int line = 0;
        bool used = false;
    };
    // Of another kind: a problem that says so with the phrase `not_one`.
    const Value* take(const std::string& key, Kind kind, const char* not_one, Problems& problems);

    std::map<std::string, Value> values_;
};

}  // namespace shardscope::launch
