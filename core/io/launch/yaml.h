// Writes YAML files with one level of sections.
#pragma once

#include <string>
#include <string_view>

namespace shardscope::launch {

// Values are words, numbers and flags, which need no quotes, or lists of them.
class Yaml {
  public:
    explicit Yaml(std::string head) : text_(std::move(head)) {}
    void put(std::string_view key, const std::string& value) {
        text_ += std::string(inside_ ? "  " : "") + std::string(key) + ": " + value + "\n";
    }
    void put(std::string_view key, const char* value) { put(key, std::string(value)); }
    void put(std::string_view key, bool value) { put(key, std::string(value ? "true" : "false")); }
    void section(std::string_view name) {
        inside_ = false;
        text_ += std::string(name) + ":\n";
        inside_ = true;
    }
    void end_section() { inside_ = false; }
    std::string take() && { return std::move(text_); }

  private:
    std::string text_;
    bool inside_ = false;
};

}  // namespace shardscope::launch
