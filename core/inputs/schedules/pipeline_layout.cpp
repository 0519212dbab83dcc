#include "schedules/pipeline_layout.h"

#include "parameters/interned_text.h"
#include "text/translate.h"

namespace shardscope {
namespace {

constexpr std::size_t kMostSymbols = 100'000;  // symbols of an expanded layout

// Expands groups and repetitions: “Et*3|(tt|)*2” becomes “Ettt|tt|tt|”.
class Expansion {
  public:
    explicit Expansion(std::string_view text) : text_(text) {}
    std::string run() {
        std::string out = sequence(0);
        if (at_ < text_.size() && problem_.empty())
            problem_ = translate("a closing parenthesis is not opened");
        return out;
    }
    [[nodiscard]] const std::string& problem() const { return problem_; }

  private:
    std::string sequence(int depth) {
        constexpr int kDeepest = 16;
        std::string out;
        while (at_ < text_.size() && text_[at_] != ')' && problem_.empty()) {
            std::string item;
            const char symbol = text_[at_++];
            if (symbol == ' ' || symbol == ',') continue;
            if (symbol == '(') {
                if (depth == kDeepest) problem_ = translate("parentheses are nested too deeply");
                else item = sequence(depth + 1);
                if (at_ >= text_.size() || text_[at_] != ')') {
                    if (problem_.empty()) problem_ = translate("a parenthesis is not closed");
                    break;
                }
                ++at_;
            } else if (std::string_view("EtmL|").find(symbol) != std::string_view::npos) {
                item = symbol;
            } else {
                problem_ = translate("“{1}” is not a symbol of a layout", {std::string(1, symbol)});
                break;
            }
            const std::size_t times = repetitions();
            if (out.size() + times * item.size() > kMostSymbols) {
                problem_ = translate("the layout is too long");
                break;
            }
            for (std::size_t i = 0; i < times; ++i) out += item;
        }
        return out;
    }
    std::size_t repetitions() {
        if (at_ >= text_.size() || text_[at_] != '*') return 1;
        ++at_;
        std::size_t times = 0;
        const std::size_t first = at_;
        while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9' && times < kMostSymbols)
            times = times * 10 + static_cast<std::size_t>(text_[at_++] - '0');
        if (at_ == first) problem_ = translate("a number must follow “*”");
        return times;
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::string problem_;
};

}  // namespace

PipelineLayout parse_pipeline_layout(std::string_view text) {
    PipelineLayout out;
    Expansion expansion(text);
    const std::string symbols = expansion.run();
    out.problem = expansion.problem();
    out.layers.push_back(0);
    for (const char symbol : symbols) {
        const std::size_t stage = out.layers.size() - 1;
        if (symbol == '|') {
            out.layers.push_back(0);
        } else if (symbol == 'm') {
            out.misplaced |= out.predictions > 0 && out.prediction_stage != stage;
            out.prediction_stage = stage;
            ++out.predictions;
        } else if (symbol == 't') {
            out.misplaced |= out.predictions > 0;
            ++out.layers.back();
            ++out.total;
        }
    }
    return out;
}

const PipelineLayout* pipeline_layout(const Settings& s) {
    const double text = s[P::pipeline_layout];
    if (text == 0) return nullptr;
    return &parsed_once(text, parse_pipeline_layout);
}

}  // namespace shardscope
