// Tests the description of how the settings of two scenarios differ.
#include <catch2/catch.hpp>

#include "explore/difference.h"
#include "support/scenarios.h"

using namespace shardscope;
using namespace shardscope::testing;

namespace {

std::string words(const Scenario& from, const Scenario& to) {
    return in_words(differences(answer(from), answer(to)));
}

const Preset& cluster(const char* name) { return *Catalogue::shipped().find(PresetKind::cluster, name); }
const Preset& model(const char* name) { return *Catalogue::shipped().find(PresetKind::model, name); }

}  // namespace

TEST_CASE("difference: a scenario has the same settings as itself", "[difference]") {
    CHECK(differences(answer(first()), answer(first())).empty());
    CHECK(words(first(), first()) == "same settings");
    // An override equal to the preset's value is no difference either.
    CHECK(words(first(), with({{P::gpus, 64}})) == "same settings");
}

TEST_CASE("difference: inputs are listed in the table's order, each with its value", "[difference]") {
    Scenario other = edited(first(), P::gpus, 512);
    other = edited(other, P::inter_node_bandwidth, 25e9);
    other = edited(other, P::sequence_length, 4096);
    other = edited(other, P::micro_batch, 1);
    CHECK(words(first(), other) ==
          "512 GPUs · inter-node bandwidth 200 Gbit/s · sequence length 4,096 · micro-batch 1");
    // In the opposite direction the same inputs differ, now with the first scenario's values.
    CHECK(words(other, first()) ==
          "64 GPUs · inter-node bandwidth 400 Gbit/s · sequence length 2,048 · micro-batch 2");
    const std::vector<Difference> list = differences(answer(first()), answer(other));
    REQUIRE(list.size() == 4);
    CHECK(list[1].id == P::inter_node_bandwidth);
    CHECK(list[1].label == "Inter-node bandwidth");
    CHECK(list[1].from == "400 Gbit/s");
    CHECK(list[1].to == "200 Gbit/s");
}

TEST_CASE("difference: values that follow from another input are not repeated", "[difference]") {
    // Heads and the feed-forward size follow the width, the global batch follows the GPUs, and the peak
    // follows the precision.
    CHECK(words(first(), edited(first(), P::hidden_size, 6144)) == "model width 6,144");
    CHECK(words(first(), edited(first(), P::gpus, 128)) == "128 GPUs");
    CHECK(words(first(), with({{P::precision, Precision::fp16}})) == "precision fp16");
}

TEST_CASE("difference: a preset is named once, without its values", "[difference]") {
    const Scenario other = with_model(first(), model("llama-2-7b"));
    CHECK(words(first(), other) == model("llama-2-7b").title);
    const std::string wider = words(first(), edited(other, P::layers, 40));
    CHECK(wider.starts_with(model("llama-2-7b").title + " · 40 layers"));
    // From a modified model back to a preset, the preset's name describes everything.
    CHECK(words(edited(first(), P::layers, 48), other) == model("llama-2-7b").title);
    // From a modified model to its own preset, the modified values are listed.
    CHECK(words(edited(first(), P::layers, 48), first()) == "40 layers");
    const std::string elsewhere = words(first(), with_cluster(first(), cluster("dgx-h200")));
    CHECK(elsewhere == cluster("dgx-h200").title);
}

TEST_CASE("difference: of the batch inputs only the held one is listed", "[difference]") {
    const Scenario held = with_hold(first(), Hold::global_batch);
    CHECK(words(first(), held) == "same settings");
    CHECK(words(first(), edited(held, P::global_batch, 256)) == "global batch 256");
    CHECK(words(held, edited(held, P::gpus, 32)) == "32 GPUs");
    CHECK(words(first(), edited(first(), P::global_batch, 256)) == "accumulation 2");
}

TEST_CASE("difference: switches are listed as on or off, and a planned value counts as a given one",
          "[difference]") {
    CHECK(words(first(), with({{P::reshard_after_forward, false}})) == "reshard after forward off");
    const Scenario planned_batch = with_auto(first(), P::micro_batch, true);
    const Answer found = answer(planned_batch);
    REQUIRE(found.settings[P::micro_batch] != 2);
    CHECK(in_words(differences(answer(first()), found)) ==
          "micro-batch " + format(P::micro_batch, found.settings[P::micro_batch]));
}
