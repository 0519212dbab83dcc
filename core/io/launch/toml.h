// A TOML file whose values are found by their full keys ("training.seq_len"). It stores the line of each
// value and whether the value was read.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/problem.h"

namespace shardscope::launch {

class Toml {
  public:
    // Adds a problem with its line where the text is not valid TOML.
    Toml(std::string_view text, Problems& problems);

    [[nodiscard]] bool has(const std::string& key) const { return values_.contains(key); }
    [[nodiscard]] int line(const std::string& key) const;
    // Return the value; nothing where there is none, or where it has another type, which is a problem.
    std::optional<double> number(const std::string& key, Problems& problems);
    std::optional<bool> flag(const std::string& key, Problems& problems);
    std::optional<std::string> text(const std::string& key, Problems& problems);
    // Returns the texts of a list, or the parts of one text that commas separate.
    std::vector<std::string> list(const std::string& key, Problems& problems);
    // Returns the keys that were not read. Where nothing in [job] was read, its keys are "job" together,
    // unless `is_listed` is true for one of them.
    [[nodiscard]] std::vector<std::string> unused(
        const std::function<bool(const std::string&)>& is_listed) const;

  private:
    enum class Kind { number, flag, text, list, other };
    struct Value {
        Kind kind = Kind::other;
        double number = 0;  // 1 or 0 for a flag
        std::vector<std::string> texts;
        int line = 0;
        bool used = false;
    };
    // Returns the value and marks it as used. A value of another kind is a problem with the translatable text
    // `not_one`.
    const Value* take(const std::string& key, Kind kind, const char* not_one, Problems& problems);

    std::map<std::string, Value> values_;
};

}  // namespace shardscope::launch
