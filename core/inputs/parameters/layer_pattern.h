// E31: the kinds of a model's layers and their order (`model.layer_pattern`).
//
// A layer mixes the tokens of a sequence and then processes each token. A pattern names what each layer does
// and is repeated over the layers: "sliding,sliding,full" or, with what follows the mixer, "mamba2/none". An
// element with "*n" stands for n equal layers. Without a pattern all layers have attention, and those with
// experts come last (`model.dense_layers`).
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "parameters/settings.h"

namespace shardscope {

enum class Mixer : unsigned char { full, sliding, chunked, linear, mamba2, none };
constexpr bool is_attention(Mixer mixer) { return mixer <= Mixer::chunked; }
enum class FeedForward : unsigned char { dense, experts, none };

// A layer is a mixer and a feed-forward; either may be missing.
struct LayerKind {
    Mixer mixer = Mixer::full;
    FeedForward feed_forward = FeedForward::dense;
    bool operator==(const LayerKind&) const = default;
};

// The most kinds of layers that a model may have.
inline constexpr std::size_t kLayerKinds = 8;
using LayerCounts = std::array<double, kLayerKinds>;  // layers of each kind

// A pattern as it is written.
struct LayerPattern {
    // One word of the pattern, such as "sliding" or "full/experts".
    struct Element {
        Mixer mixer = Mixer::full;
        // Without what follows the mixer, `model.dense_layers` decides where the experts begin.
        bool by_position = true;
        FeedForward feed_forward = FeedForward::dense;
        bool operator==(const Element&) const = default;
    };
    std::vector<Element> elements;    // the different ones, in the order in which they appear
    std::vector<std::size_t> layers;  // the element of each layer of one repetition
    // The layers of each element among the first i layers of one repetition, for i from 0 on.
    std::vector<LayerCounts> before;
    std::string problem;  // "" for a pattern that can be used
};
LayerPattern parse_layer_pattern(std::string_view text);

// Returns the pattern of the model, which lives as long as the process; nullptr if it has none that can be
// used.
const LayerPattern* layer_pattern(const Settings& settings);

// The layers of a model in their order.
class LayerSequence {
  public:
    // A model without a pattern, whose dense layers come first. The second kind has the experts.
    LayerSequence(double dense, double sparse, double predictions = 0);
    explicit LayerSequence(const Settings& settings);

    [[nodiscard]] std::size_t kinds() const { return count_; }
    [[nodiscard]] const LayerKind& kind(std::size_t i) const { return kinds_[i]; }
    [[nodiscard]] const LayerKind& kind_of_layer(std::size_t layer) const;
    [[nodiscard]] double layers() const { return layers_; }
    // Returns the prediction layers (MTP), which follow these layers and are not part of them.
    [[nodiscard]] double predictions() const { return predictions_; }
    [[nodiscard]] bool has_pattern() const { return pattern_ != nullptr; }
    // Returns whether there are more kinds than the list holds. The others are then counted as the last kind.
    [[nodiscard]] bool has_too_many_kinds() const { return too_many_; }
    // Returns the layers of each kind in the half-open range [from, to) of layers.
    [[nodiscard]] LayerCounts counts(double from, double to) const;
    [[nodiscard]] LayerCounts counts() const { return counts(0, layers_); }

  private:
    [[nodiscard]] double elements_before(std::size_t element, double layer) const;
    std::size_t add(const LayerKind& kind);

    const LayerPattern* pattern_ = nullptr;
    double layers_ = 0;
    double predictions_ = 0;
    double dense_ = 0;  // leading layers without experts
    std::size_t count_ = 0;
    bool too_many_ = false;
    std::array<LayerKind, kLayerKinds> kinds_{};
    // The kind of each element of the pattern among the leading dense layers and after them.
    std::array<unsigned char, kLayerKinds> leading_{}, following_{};
};

// Why a pattern cannot be used.
enum class PatternFault : unsigned char { none, unreadable, kinds, experts, window, linear, mamba2 };
// Returns the fault of the settings' pattern. Allocates no memory, so that plan searches can call it.
PatternFault fault_of_layer_pattern(const Settings& settings);
// Returns a message that describes the fault; "" if the pattern can be used.
std::string problem_of_layer_pattern(const Settings& settings);

// Return the number of value heads of linear attention and their width; by default those of the keys.
double linear_value_heads(const Settings& settings);
double linear_value_head_size(const Settings& settings);

// Returns whether the pattern of the model has a layer with this mixer.
bool has_mixer(const Settings& settings, Mixer mixer);

}  // namespace shardscope
