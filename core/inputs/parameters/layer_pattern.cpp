#include "parameters/layer_pattern.h"

#include <algorithm>
#include <cmath>

#include "parameters/interned_text.h"
#include "text/text.h"
#include "text/translate.h"

namespace shardscope {
namespace {

using Element = LayerPattern::Element;

constexpr std::size_t kMostLayers = 10'000;  // layers of one repetition, as many as a model may have

constexpr std::array<std::string_view, 6> kMixers{"full", "sliding", "chunked", "linear", "mamba2", "none"};
constexpr std::array<std::string_view, 3> kFeedForwards{"dense", "experts", "none"};

template <std::size_t kCount>
std::size_t find(const std::array<std::string_view, kCount>& names, std::string_view name) {
    return static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
}

std::string not_known(const std::string& word) { return translate("“{1}” is not a kind of layer", {word}); }

// Reads "mamba2/none". Sets `problem` if it is not a kind of layer.
Element parse_element(const std::string& word, std::string& problem) {
    const std::size_t slash = word.find('/');
    const std::size_t mixer = find(kMixers, trim(word.substr(0, slash)));
    Element out;
    if (mixer == kMixers.size()) {
        problem = not_known(word);
        return out;
    }
    out.mixer = static_cast<Mixer>(mixer);
    if (slash == std::string::npos) return out;
    const std::size_t after = find(kFeedForwards, trim(word.substr(slash + 1)));
    if (after == kFeedForwards.size()) {
        problem = not_known(word);
        return out;
    }
    out.by_position = false;
    out.feed_forward = static_cast<FeedForward>(after);
    if (out.mixer == Mixer::none && out.feed_forward == FeedForward::none)
        problem = translate("a layer of kind “{1}” does nothing", {word});
    return out;
}

// Reads the repetitions after "*" and removes them from `word`.
std::size_t take_repetitions(std::string& word, std::string& problem) {
    const std::size_t star = word.find('*');
    if (star == std::string::npos) return 1;
    const std::string digits = trim(word.substr(star + 1));
    word = trim(word.substr(0, star));
    const bool is_number = !digits.empty() && digits.size() < 6 &&
                           std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; });
    const std::size_t times = is_number ? std::stoul(digits) : 0;
    if (times == 0) problem = translate("a number must follow “*”");
    return times;
}

std::string too_many_kinds() {
    return translate("a model can have {1} kinds of layers", {std::to_string(kLayerKinds)});
}

void add_element(LayerPattern& out, const Element& element, std::size_t times) {
    auto found = std::ranges::find(out.elements, element);
    if (found == out.elements.end()) {
        if (out.elements.size() == kLayerKinds) {
            out.problem = too_many_kinds();
            return;
        }
        out.elements.push_back(element);
        found = out.elements.end() - 1;
    }
    if (out.layers.size() + times > kMostLayers) {
        out.problem = translate("the pattern is too long");
        return;
    }
    const auto index = static_cast<std::size_t>(found - out.elements.begin());
    for (std::size_t i = 0; i < times; ++i) {
        out.layers.push_back(index);
        out.before.push_back(out.before.back());
        ++out.before.back()[index];
    }
}

}  // namespace

LayerPattern parse_layer_pattern(std::string_view text) {
    LayerPattern out;
    out.before.emplace_back();
    for (const std::string& part : split(text, ',')) {
        std::string word = trim(part);
        const std::size_t times = take_repetitions(word, out.problem);
        if (!out.problem.empty()) break;
        const Element element = parse_element(word, out.problem);
        if (out.problem.empty()) add_element(out, element, times);
        if (!out.problem.empty()) break;
    }
    return out;
}

namespace {

// The pattern that is set, whether it can be used or not.
const LayerPattern* written_pattern(const Settings& s) {
    const double text = s[P::layer_pattern];
    if (text == 0) return nullptr;
    return &parsed_once(text, parse_layer_pattern);
}

}  // namespace

const LayerPattern* layer_pattern(const Settings& s) {
    const LayerPattern* pattern = written_pattern(s);
    return pattern != nullptr && pattern->problem.empty() ? pattern : nullptr;
}

LayerSequence::LayerSequence(double dense, double sparse, double predictions)
    : layers_(dense + sparse), predictions_(predictions), dense_(dense) {
    leading_[0] = static_cast<unsigned char>(add({Mixer::full, FeedForward::dense}));
    following_[0] = static_cast<unsigned char>(add({Mixer::full, FeedForward::experts}));
}

LayerSequence::LayerSequence(const Settings& s) : layers_(s[P::layers]), predictions_(s[P::mtp_layers]) {
    const bool has_experts = s[P::experts] > 0;
    dense_ = has_experts ? std::min(layers_, s[P::dense_layers]) : layers_;
    pattern_ = layer_pattern(s);
    if (pattern_ == nullptr) {
        const Mixer mixer = s[P::attention_window] > 0 ? Mixer::sliding : Mixer::full;
        leading_[0] = static_cast<unsigned char>(add({mixer, FeedForward::dense}));
        if (has_experts) following_[0] = static_cast<unsigned char>(add({mixer, FeedForward::experts}));
        return;
    }
    for (std::size_t i = 0; i < pattern_->elements.size(); ++i) {
        const Element& element = pattern_->elements[i];
        const auto add_with = [&](FeedForward by_position) {
            const FeedForward after = element.by_position ? by_position : element.feed_forward;
            return static_cast<unsigned char>(add({element.mixer, after}));
        };
        following_[i] = add_with(has_experts ? FeedForward::experts : FeedForward::dense);
        leading_[i] = dense_ > 0 ? add_with(FeedForward::dense) : following_[i];
    }
}

std::size_t LayerSequence::add(const LayerKind& kind) {
    const auto end = kinds_.begin() + static_cast<std::ptrdiff_t>(count_);
    if (const auto found = std::find(kinds_.begin(), end, kind); found != end)
        return static_cast<std::size_t>(found - kinds_.begin());
    if (count_ == kLayerKinds) {
        too_many_ = true;
        return kLayerKinds - 1;
    }
    kinds_[count_] = kind;
    return count_++;
}

const LayerKind& LayerSequence::kind_of_layer(std::size_t layer) const {
    const std::size_t element = pattern_ != nullptr ? pattern_->layers[layer % pattern_->layers.size()] : 0;
    return kinds_[(static_cast<double>(layer) < dense_ ? leading_ : following_)[element]];
}

double LayerSequence::elements_before(std::size_t element, double layer) const {
    const auto length = static_cast<double>(pattern_->layers.size());
    const double repetitions = std::floor(layer / length);
    const double rest = layer - repetitions * length;
    return repetitions * pattern_->before.back()[element] +
           pattern_->before[static_cast<std::size_t>(rest)][element];
}

LayerCounts LayerSequence::counts(double from, double to) const {
    LayerCounts out{};
    const double border = std::clamp(dense_, from, to);
    if (pattern_ == nullptr) {
        out[leading_[0]] += border - from;
        out[following_[0]] += to - border;
        return out;
    }
    for (std::size_t i = 0; i < pattern_->elements.size(); ++i) {
        const double at_border = elements_before(i, border);
        out[leading_[i]] += at_border - elements_before(i, from);
        out[following_[i]] += elements_before(i, to) - at_border;
    }
    return out;
}

namespace {

PatternFault fault_of(const Element& element, const Settings& s) {
    const bool experts = !element.by_position && element.feed_forward == FeedForward::experts;
    if (experts && s[P::experts] <= 0) return PatternFault::experts;
    switch (element.mixer) {
        case Mixer::full:
        case Mixer::none: return PatternFault::none;
        case Mixer::sliding:
        case Mixer::chunked: return s[P::attention_window] > 0 ? PatternFault::none : PatternFault::window;
        case Mixer::linear:
            return s[P::linear_key_heads] > 0 && s[P::linear_key_head_size] > 0 ? PatternFault::none
                                                                                : PatternFault::linear;
        case Mixer::mamba2:
            return s[P::ssm_heads] > 0 && s[P::ssm_state_size] > 0 ? PatternFault::none
                                                                   : PatternFault::mamba2;
    }
    return PatternFault::none;
}

}  // namespace

PatternFault fault_of_layer_pattern(const Settings& s) {
    const LayerPattern* pattern = written_pattern(s);
    if (pattern == nullptr) return PatternFault::none;
    if (!pattern->problem.empty()) return PatternFault::unreadable;
    for (const Element& element : pattern->elements) {
        if (const PatternFault fault = fault_of(element, s); fault != PatternFault::none) return fault;
    }
    return LayerSequence(s).has_too_many_kinds() ? PatternFault::kinds : PatternFault::none;
}

std::string problem_of_layer_pattern(const Settings& s) {
    switch (fault_of_layer_pattern(s)) {
        case PatternFault::none: return {};
        case PatternFault::unreadable: return written_pattern(s)->problem;
        case PatternFault::kinds: return too_many_kinds();
        case PatternFault::experts: return translate("it names experts, but model.experts is 0");
        case PatternFault::window:
            return translate("it names sliding or chunked layers, but model.attention_window is 0");
        case PatternFault::linear: return translate("it names linear layers, but their heads are not given");
        case PatternFault::mamba2:
            return translate("it names mamba2 layers, but ssm_heads or ssm_state_size is 0");
    }
    return {};
}

double linear_value_heads(const Settings& s) {
    return s[P::linear_value_heads] > 0 ? s[P::linear_value_heads] : s[P::linear_key_heads];
}

double linear_value_head_size(const Settings& s) {
    return s[P::linear_value_head_size] > 0 ? s[P::linear_value_head_size] : s[P::linear_key_head_size];
}

bool has_mixer(const Settings& s, Mixer mixer) {
    const LayerPattern* pattern = layer_pattern(s);
    return pattern != nullptr &&
           std::ranges::any_of(pattern->elements, [&](const Element& e) { return e.mixer == mixer; });
}

}  // namespace shardscope
