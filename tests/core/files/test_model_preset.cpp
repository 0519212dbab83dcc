// Tests presets written from the model of a scenario, and the positions of imported models.
#include "files/model_preset.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "explain/output.h"
#include "planner/answer.h"
#include "presets/hf_config.h"
#include "support/check_scenario.h"
#include "support/scenarios.h"

using namespace shardscope;
using namespace shardscope::testing;

namespace {

using nlohmann::json;

// The fields of huggingface.co/meta-llama/Llama-2-7b-hf config.json that give the shape.
constexpr const char* kLlama2 =
    R"({"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 4096,
        "intermediate_size": 11008, "max_position_embeddings": 4096, "num_attention_heads": 32,
        "num_hidden_layers": 32, "num_key_value_heads": 32, "tie_word_embeddings": false,
        "vocab_size": 32000})";

bool warns_of_positions(const Scenario& scenario) {
    const std::vector<std::string> all = warnings(answer(scenario));
    return std::ranges::any_of(all, [](const std::string& one) {
        return one.find("longer than the context of") != std::string::npos;
    });
}

}  // namespace

TEST_CASE("model preset: fields of an unexpected JSON type do not stop a model from being saved",
          "[preset]") {
    Catalogue catalogue = own_catalogue();
    Problems problems;
    const Preset* model = catalogue.add(
        R"({"format": "shardscope-preset", "version": 1, "kind": "model", "name": "ours", "title": "Ours",
            "sources": "our paper", "unverified": "layers",
            "values": {"layers": 24, "hidden_size": 2048, "heads": 16, "vocab_size": 32000}})",
        "/models/ours.json", problems);
    REQUIRE(problems.empty());
    REQUIRE(model);
    Scenario scenario = with_model(Scenario::first_launch(catalogue), *model);
    scenario.give(P::layers, 12);
    const json written = json::parse(write_model_preset(scenario, "Ours smaller"));
    CHECK(written["values"]["layers"] == 12);
    CHECK(written["title"] == "Ours smaller");
}

TEST_CASE("model preset: an import keeps its name and its positions, and warns above them", "[preset]") {
    Catalogue catalogue = own_catalogue();
    Problems problems;
    const Preset* model = catalogue.add(kLlama2, "/models/Acme-7B/config.json", problems);
    REQUIRE(model);
    CHECK(model->name == "acme-7b");
    CHECK(model->title == "Acme-7B");
    CHECK(model->context == 4096);
    Scenario scenario = with_model(Scenario::first_launch(catalogue), *model);
    scenario.give(P::sequence_length, 4096);
    CHECK_FALSE(exceeds_context(answer(scenario)));
    CHECK_FALSE(warns_of_positions(scenario));
    scenario.give(P::sequence_length, 4097);
    CHECK(exceeds_context(answer(scenario)));
    CHECK(warns_of_positions(scenario));
    // No token attends beyond its document.
    Scenario packed = scenario;
    packed.give(P::packing, 2048);
    CHECK_FALSE(exceeds_context(answer(packed)));
    // The cache of huggingface_hub has the commit as the folder of the file.
    const Preset* cached = catalogue.add(
        kLlama2, "/hub/models--meta-llama--Llama-2-7b-hf/snapshots/01c7f73d771dfac7d292/config.json",
        problems);
    REQUIRE(cached);
    CHECK(cached->title == "Llama-2-7b-hf");
    // The repository that the file names comes before the folder, but not the folder of a training.
    const auto titled = [&](const std::string& name) {
        std::string config = kLlama2;
        config.insert(1, "\"_name_or_path\": \"" + name + "\", ");
        const Preset* preset = catalogue.add(config, "/downloads/new/config.json", problems);
        REQUIRE(preset);
        return preset->title;
    };
    CHECK(titled("acme/Acme-9B") == "Acme-9B");
    CHECK(titled("gpt2") == "gpt2");
    for (const char* path : {"", ".", "./out/Acme", "../Acme", "/home/me/Acme", "~/Acme", "C:\\\\Acme",
                             "out/Acme/checkpoint-500"}) {
        INFO(path);
        CHECK(titled(path) == "new");
    }
}

TEST_CASE("model preset: models with learned positions or ALiBi have no context limit", "[preset]") {
    const auto context = [](const char* config) {
        Problems problems;
        return json::parse(import_hf_config(config, "a", problems).preset).value("context", 0);
    };
    CHECK(context(kLlama2) == 4096);
    // OPT learns its positions, which are a parameter.
    CHECK(context(R"({"model_type": "opt", "max_position_embeddings": 2048})") == 0);
    CHECK(context(R"({"model_type": "falcon", "alibi": true, "max_position_embeddings": 2048})") == 0);
    // A file without the field says nothing about it.
    CHECK(context(R"({"model_type": "mistral"})") == 0);
}

TEST_CASE("model preset: a changed model is written and read back with the same values", "[preset]") {
    Catalogue catalogue = own_catalogue();
    Scenario scenario = Scenario::first_launch(catalogue);
    SECTION("of a shipped preset") {
        scenario = with_model(scenario, *catalogue.find(PresetKind::model, "mixtral-8x7b"));
        scenario.give(P::layers, 40);
        scenario.give(P::hidden_size, 5120);
    }
    SECTION("of layers that differ") {
        scenario = with_model(scenario, *catalogue.find(PresetKind::model, "nemotron-h-56b"));
    }
    SECTION("of a list of operators") {
        scenario = with_model(scenario, *catalogue.find(PresetKind::model, "resnet-50"));
        scenario.give(P::image_size, 448);
    }
    SECTION("without a preset") {
        scenario.model = nullptr;
        scenario.give(P::layers, 12);
    }
    const Settings before = resolve(scenario);
    const std::string text = write_model_preset(scenario, "Our Model v2");
    Problems problems;
    const Preset* written = catalogue.add(text, "/presets/Our Model v2.json", problems);
    INFO(text);
    REQUIRE(problems.empty());
    REQUIRE(written);
    CHECK(written->name == "our-model-v2");
    CHECK(written->title == "Our Model v2");
    const Scenario taken = with_model(scenario, *written);
    CHECK_FALSE(is_modified(taken, Group::model));
    const Settings after = resolve(taken);
    for (std::size_t i = 0; i < kParameters; ++i) {
        const P id = static_cast<P>(i);
        INFO(parameter(id).key);
        CHECK((after[id] == before[id] || (std::isnan(after[id]) && std::isnan(before[id]))));
    }
}

TEST_CASE("model preset: the source says what was changed, and the published count is left out", "[preset]") {
    Scenario scenario = first();
    const json same = json::parse(write_model_preset(scenario, "Same"));
    CHECK(same.contains("parameters"));
    CHECK(same["source"] == scenario.model->source);
    scenario = edited(scenario, P::layers, 48);
    const json changed = json::parse(write_model_preset(scenario, "Deeper"));
    CHECK_FALSE(changed.contains("parameters"));
    CHECK(changed["values"]["layers"] == 48);
    CHECK(changed["source"].get<std::string>().ends_with("Changed by hand: layers"));
}

TEST_CASE("model preset: year and positions have to be whole numbers in their range", "[preset]") {
    Catalogue catalogue = own_catalogue();
    const auto problems_of = [&](const json& changes) {
        json preset{{"format", "shardscope-preset"}, {"version", 1}, {"kind", "model"}, {"name", "a"}};
        preset.update(changes);
        Problems problems;
        catalogue.add(preset.dump(), "", problems);
        return problems.empty() ? std::string() : problems.front().where;
    };
    CHECK(problems_of({{"year", 2024}, {"context", 8192}}).empty());
    CHECK(problems_of({{"year", 24}}) == "/year");
    CHECK(problems_of({{"year", "2024"}}) == "/year");
    CHECK(problems_of({{"context", 0}}) == "/context");
    CHECK(problems_of({{"context", 8192.5}}) == "/context");
}

TEST_CASE("GPU preset: a vendor is one of the known ones, and every shipped GPU has one", "[preset]") {
    Catalogue catalogue = own_catalogue();
    Problems problems;
    catalogue.add(
        R"({"format": "shardscope-preset", "version": 1, "kind": "gpu", "name": "a", "vendor": "amb"})", "",
        problems);
    REQUIRE_FALSE(problems.empty());
    CHECK(problems.front().where == "/vendor");
    CHECK(problems.front().suggestion.find("amd") != std::string::npos);
    for (const Preset* gpu : Catalogue::shipped().all(PresetKind::gpu)) {
        INFO(gpu->name);
        CHECK_FALSE(gpu->vendor.empty());
    }
    CHECK(Catalogue::shipped().find(PresetKind::gpu, "mi300x")->vendor == "amd");
    CHECK(Catalogue::shipped().find(PresetKind::gpu, "tpu-v6e")->vendor == "google");
}

TEST_CASE("model preset: every shipped GPU and model has the year of its release", "[preset]") {
    const Catalogue& catalogue = Catalogue::shipped();
    for (const PresetKind kind : {PresetKind::gpu, PresetKind::model}) {
        for (const Preset* preset : catalogue.all(kind)) {
            INFO(preset->name);
            CHECK(preset->year >= 2015);
        }
    }
    // NVIDIA announced the H100 at GTC 2022, AMD the MI300X in December 2023; Touvron et al. 2023,
    // arXiv 2307.09288, trained Llama 2 with 4,096 positions.
    CHECK(catalogue.find(PresetKind::gpu, "h100-sxm-80gb")->year == 2022);
    CHECK(catalogue.find(PresetKind::gpu, "mi300x")->year == 2023);
    CHECK(catalogue.find(PresetKind::model, "llama-2-7b")->context == 4096);
}
