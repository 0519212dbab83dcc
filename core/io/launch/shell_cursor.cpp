#include "launch/shell_cursor.h"

namespace shardscope::launch {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

bool ends_command(char c) { return c == '\n' || c == ';' || c == '&' || c == '|' || c == '\0'; }

char ShellCursor::next_letter() const {
    std::size_t next = 0;
    while (is_blank(here(next))) ++next;
    return here(next);
}

ShellCursor ShellCursor::part(std::size_t length) const {
    ShellCursor out = *this;
    out.text_ = text_.substr(0, at_ + length);
    return out;
}

void ShellCursor::step(std::size_t length) {
    for (; length > 0 && !at_end(); --length) {
        if (here() == '\n') ++line_;
        ++at_;
    }
}

bool ShellCursor::skip_continuation() {
    if (here() != '\\') return false;
    const std::size_t length = here(1) == '\n' ? 2 : here(1) == '\r' && here(2) == '\n' ? 3 : 0;
    step(length);
    return length > 0;
}

void ShellCursor::skip_blanks(bool lines) {
    while (!at_end()) {
        if (skip_continuation()) continue;
        if (here() == '#') {
            while (!at_end() && here() != '\n') step();
        } else if (is_blank(here()) || (lines && here() == '\n')) {
            step();
        } else {
            return;
        }
    }
}

}  // namespace shardscope::launch
