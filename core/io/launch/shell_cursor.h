// A position in the text of a shell script, which may be a part of a longer script: the body of a function or
// a here-document.
#pragma once

#include <cstddef>
#include <string_view>

namespace shardscope::launch {

// Returns whether a character separates words on a line.
bool is_blank(char c);
// Returns whether a character ends a command: the end of a line or of the text, ; & or |.
bool ends_command(char c);

class ShellCursor {
  public:
    explicit ShellCursor(std::string_view text, int line = 1) : text_(text), line_(line) {}

    [[nodiscard]] bool at_end() const { return at_ == text_.size(); }
    [[nodiscard]] int line() const { return line_; }
    // Returns the character at the position or after it; '\0' after the end of the text.
    [[nodiscard]] char here(std::size_t ahead = 0) const {
        return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
    }
    [[nodiscard]] char before() const { return at_ > 0 ? text_[at_ - 1] : '\0'; }
    // Returns the next character that is no blank.
    [[nodiscard]] char next_letter() const;
    [[nodiscard]] std::string_view rest() const { return text_.substr(at_); }
    // Returns the text from an earlier position up to this one.
    [[nodiscard]] std::string_view since(const ShellCursor& earlier) const {
        return text_.substr(earlier.at_, at_ - earlier.at_);
    }
    // Returns a cursor at the same position whose text has only `length` more characters.
    [[nodiscard]] ShellCursor part(std::size_t length) const;

    // Moves on, at most to the end of the text.
    void step(std::size_t length = 1);
    // Skips a backslash at the end of a line; returns whether there was one.
    bool skip_continuation();
    // Skips blanks, continued lines and comments, and with `lines` also the ends of lines.
    void skip_blanks(bool lines);

  private:
    std::string_view text_;
    std::size_t at_ = 0;
    int line_;
};

}  // namespace shardscope::launch
