#include "launch/layer_lists.h"

#include <algorithm>

namespace shardscope::launch {
namespace {

// Returns the length of the shortest part that, repeated a whole number of times, is the list.
std::size_t repeated_part(const LayerFlags& flags) {
    for (std::size_t part = 1; part < flags.size(); ++part) {
        if (flags.size() % part != 0) continue;
        bool repeats = true;
        for (std::size_t i = part; i < flags.size() && repeats; ++i) repeats = flags[i] == flags[i - part];
        if (repeats) return part;
    }
    return flags.size();
}

class ListReader {
  public:
    ListReader(std::string_view text, std::size_t most) : text_(text), most_(most) {}

    std::optional<LayerFlags> read() {
        auto out = sum(0);
        skip_spaces();
        if (at_ < text_.size()) return std::nullopt;
        return out;
    }

  private:
    static constexpr int kDeepest = 16;  // nested parentheses

    void skip_spaces() {
        while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    }
    bool take(char expected) {
        skip_spaces();
        if (at_ >= text_.size() || text_[at_] != expected) return false;
        ++at_;
        return true;
    }
    // Returns a whole number of at most `most_`.
    std::optional<std::size_t> number() {
        skip_spaces();
        std::size_t out = 0;
        const std::size_t begin = at_;
        for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
            out = 10 * out + static_cast<std::size_t>(text_[at_] - '0');
            if (out > most_) return std::nullopt;
        }
        if (at_ == begin) return std::nullopt;
        return out;
    }
    std::optional<LayerFlags> sum(int depth) {
        LayerFlags out;
        do {
            const auto part = product(depth);
            if (!part || part->size() > most_ - out.size()) return std::nullopt;
            out.insert(out.end(), part->begin(), part->end());
        } while (take('+'));
        return out;
    }
    std::optional<LayerFlags> product(int depth) {
        auto out = list(depth);
        while (out && take('*')) {
            const auto times = number();
            if (!times || out->size() * *times > most_) return std::nullopt;
            LayerFlags repeated;
            repeated.reserve(out->size() * *times);
            for (std::size_t i = 0; i < *times; ++i)
                repeated.insert(repeated.end(), out->begin(), out->end());
            out = std::move(repeated);
        }
        return out;
    }
    std::optional<LayerFlags> list(int depth) {
        if (depth < kDeepest && take('(')) {
            auto out = sum(depth + 1);
            if (!take(')')) return std::nullopt;
            return out;
        }
        if (!take('[')) return std::nullopt;
        LayerFlags out;
        do {
            const auto flag = number();
            if (!flag || *flag > 1 || out.size() >= most_) return std::nullopt;
            out.push_back(*flag == 1);
        } while (take(','));
        if (!take(']')) return std::nullopt;
        return out;
    }

    std::string_view text_;
    std::size_t most_;
    std::size_t at_ = 0;
};

}  // namespace

std::string layer_list(const LayerFlags& flags) {
    const std::size_t part = repeated_part(flags);
    // Equal layers alone are one run.
    const std::size_t written = part == 1 ? flags.size() : part;
    std::string out = "(";
    for (std::size_t i = 0; i < written;) {
        std::size_t end = i + 1;
        while (end < written && flags[end] == flags[i]) ++end;
        if (i > 0) out += '+';
        out += (flags[i] ? "[1]*" : "[0]*") + std::to_string(end - i);
        i = end;
    }
    out += ')';
    if (written < flags.size()) out += '*' + std::to_string(flags.size() / written);
    return out;
}

std::optional<LayerFlags> flags_of_list(std::string_view text, std::size_t most) {
    return ListReader(text, most).read();
}

std::size_t stride_of_unset(const LayerFlags& flags) {
    const auto first = static_cast<std::size_t>(std::ranges::find(flags, false) - flags.begin());
    if (first == 0 || first == flags.size()) return 0;
    const std::size_t stride = first + 1;
    for (std::size_t i = 0; i < flags.size(); ++i) {
        if (flags[i] != ((i + 1) % stride != 0)) return 0;
    }
    return stride;
}

std::optional<std::size_t> leading_unset(const LayerFlags& flags) {
    const auto first = std::ranges::find(flags, true);
    if (std::find(first, flags.end(), false) != flags.end()) return std::nullopt;
    return static_cast<std::size_t>(first - flags.begin());
}

}  // namespace shardscope::launch
