// Tests presets and overrides, derived fields, held batches and valid values.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "planner/answer.h"
#include "planner/plan.h"
#include "scenario/domain.h"
#include "scenario/gpu_groups.h"
#include "scenario/scenario.h"
#include "support/scenarios.h"

using namespace shardscope;
using namespace shardscope::testing;

TEST_CASE("scenario: the first launch has the documented values", "[scenario]") {
    const Settings s = resolve(first());
    CHECK(s[P::gpus] == 64);
    CHECK(s[P::micro_batch] == 2);
    CHECK(s[P::global_batch] == 128);
    CHECK(s[P::sequence_length] == 2048);
    CHECK(s.choice<Sharding>(P::sharding) == Sharding::zero3);
    CHECK(s[P::peak_flops] == 989.5e12);
    CHECK(s[P::inter_node_bandwidth] == 50e9);
    CHECK(check(first(), s).empty());
}

TEST_CASE("scenario: heads and feed-forward size follow the width", "[scenario]") {
    Scenario wide = edited(first(), P::hidden_size, 8192);
    Settings s = resolve(wide);
    CHECK(s[P::heads] == 64);
    CHECK(s[P::kv_heads] == 64);
    CHECK(s[P::head_size] == 128);
    CHECK(s[P::ffn_size] == 4 * 8192);
    // A gated model keeps its ratio and multiple, and the number of key heads stays the same.
    Scenario llama = with_model(first(), *Catalogue::shipped().find(PresetKind::model, "llama-3-8b"));
    llama = edited(llama, P::hidden_size, 8000);
    s = resolve(llama);
    CHECK(std::fmod(s[P::hidden_size], 128 * 8) == 0);
    CHECK(s[P::kv_heads] == 8);
    CHECK(s[P::ffn_size] == Approx(s[P::hidden_size] * 3.5).epsilon(0.02));
    CHECK(check(llama, s).empty());
}

TEST_CASE("scenario: an edit of the peak sets that of the current precision", "[scenario]") {
    Scenario scenario = first();
    scenario.give(P::peak_flops, 500e12);
    CHECK(resolve(scenario)[P::peak_flops_bf16] == 500e12);
    scenario = edited(scenario, P::precision, Precision::fp8);
    CHECK(resolve(scenario)[P::peak_flops] == 1979e12);
    CHECK(resolve(scenario)[P::peak_flops_bf16] == 500e12);
}

TEST_CASE("scenario: values of presets that are kept are replaced when any preset changes", "[scenario]") {
    const Catalogue& presets = Catalogue::shipped();
    const auto pick = [&](PresetKind kind, std::size_t i) {
        const auto all = presets.all(kind);
        return all[i % all.size()];
    };
    PresetSettings kept;
    std::mt19937 random(7);
    Scenario scenario = first();
    for (int i = 0; i < 2000; ++i) {
        const auto n = static_cast<std::size_t>(random() >> 3);
        switch (random() % 7) {
            case 0: scenario.model = pick(PresetKind::model, n); break;
            case 1: scenario.cluster = n % 5 == 0 ? nullptr : pick(PresetKind::cluster, n); break;
            case 2: scenario.gpu = n % 2 == 0 ? nullptr : pick(PresetKind::gpu, n); break;
            case 3: scenario.calibration = n % 2 == 0 ? nullptr : pick(PresetKind::calibration, n); break;
            case 4: scenario.give(P::software, static_cast<double>(n % 12)); break;
            case 5: scenario.withdraw(n % 2 == 0 ? P::software : P::software_version); break;
            case 6: scenario.give(P::gpus, static_cast<double>(8 * (1 + n % 100))); break;
        }
        const Settings fresh = resolve(scenario);
        const Settings reused = resolve(scenario, kept);
        REQUIRE(reused.all_differences(fresh, [](P) { return false; }));
        for (std::size_t id = 0; id < kParameters; ++id)
            REQUIRE(reused.origin(static_cast<P>(id)) == fresh.origin(static_cast<P>(id)));
    }
}

TEST_CASE("scenario: a held batch with fewer sequences than GPUs is valid if the planner may split the model",
          "[scenario]") {
    Scenario scenario = of_model("llama-3-70b", {{P::gpus, 256}, {P::global_batch, 512}});
    // With the plan locked, each GPU has a sequence of its own.
    CHECK(resolve(edited(scenario, P::gpus, 2048))[P::gpus] == 512);
    scenario.automatic = default_free_parameters();
    for (const double gpus : {512, 1024, 2048, 4096}) {
        const Scenario there = edited(scenario, P::gpus, gpus);
        const Answer found = answer(there);
        INFO(gpus);
        REQUIRE(found.valid());
        CHECK(found.settings[P::gpus] == gpus);
        CHECK(found.settings[P::global_batch] == 512);
        CHECK(data_parallel(found.settings) <= 512);
        CHECK(found.fits());
        const std::vector<double> stops = domain(P::gpus, settings_for_edit(scenario, P::gpus)).stops;
        CHECK(std::ranges::find(stops, gpus) != stops.end());
        // The degrees that were planned for this number of GPUs do not restrict the next edit.
        CHECK(domain(P::gpus, settings_for_edit(found.scenario, P::gpus)).stops == stops);
        const Answer back = answer(edited(found.scenario, P::gpus, 64));
        CHECK(back.valid());
        CHECK(back.settings[P::gpus] == 64);
    }
    const Scenario many = edited(scenario, P::gpus, 1024);
    const Answer smaller = answer(edited(many, P::global_batch, 256));
    CHECK(smaller.settings[P::gpus] == 1024);
    CHECK(smaller.settings[P::global_batch] == 256);
    // Three thousand GPUs share 512 sequences in no plan with powers of two.
    CHECK(resolve(edited(scenario, P::gpus, 3000))[P::gpus] != 3000);
}

TEST_CASE("scenario: the slider of the GPUs has whole replicas, also of sizes that are no power of two",
          "[scenario]") {
    const Settings s = resolve(of_model("x-160", {{P::gpus, 81920},
                                                  {P::global_batch, 20480},
                                                  {P::tensor_parallel, 16},
                                                  {P::pipeline_parallel, 20},
                                                  {P::micro_batch, 1}}));
    const std::vector<double> stops = domain(P::gpus, s).stops;
    CHECK(stops.size() > 8);
    CHECK(std::ranges::is_sorted(stops));
    for (const double gpus : {320.0, 20480.0, 40960.0, 81920.0, 163840.0})
        CHECK(std::ranges::count(stops, gpus) == 1);
}

TEST_CASE("scenario: automatic tensor parallelism spreads a held batch over the GPUs that a node may use",
          "[scenario]") {
    // 16 sequences, and 4 of the 8 GPUs of a node: at most 64 GPUs, or 128 with all of them.
    for (const double used : {4, 8}) {
        Scenario scenario = of_model(
            "llama-3-8b",
            {{P::gpus, 16}, {P::gpus_used_per_node, used}, {P::micro_batch, 1}, {P::global_batch, 16}});
        scenario.automatic.set(index(P::tensor_parallel));
        const std::vector<double> stops = domain(P::gpus, settings_for_edit(scenario, P::gpus)).stops;
        REQUIRE_FALSE(stops.empty());
        CHECK(stops.back() == 16 * used);
        for (const double gpus : stops) {
            INFO(gpus << " GPUs, of which " << used << " in a node");
            const Answer found = answer(edited(scenario, P::gpus, gpus));
            CHECK(found.valid());
            CHECK(found.settings[P::gpus] == gpus);
            CHECK(found.settings[P::global_batch] == 16);
        }
    }
}

TEST_CASE("scenario: automatic model parallelism makes room for larger micro-batches of a held batch",
          "[scenario]") {
    Scenario scenario = of_model("llama-2-70b", {{P::gpus, 64}, {P::global_batch, 128}});
    // With the plan locked each GPU has two samples.
    CHECK(resolve(edited(scenario, P::micro_batch, 8))[P::micro_batch] == 2);
    scenario.automatic = default_free_parameters();
    const std::vector<double> stops =
        domain(P::micro_batch, settings_for_edit(scenario, P::micro_batch)).stops;
    for (const double size : {1.0, 2.0, 8.0, 64.0}) {
        INFO(size);
        CHECK(std::ranges::count(stops, size) == 1);
        const Scenario there = edited(scenario, P::micro_batch, size);
        const Settings s = resolve(there);
        CHECK(is_valid(s));
        CHECK(s[P::micro_batch] == size);
        CHECK(s[P::global_batch] == 128);
        CHECK_FALSE(there.automatic[index(P::micro_batch)]);
    }
    // The stages and the schedule that were planned before do not stand in the way.
    scenario.give(P::pipeline_parallel, 8);
    scenario.give(P::virtual_stages, 5);
    scenario.give(P::schedule, ScheduleKind::interleaved);
    scenario.automatic.set(index(P::schedule));
    for (const double size : {8.0, 32.0, 64.0}) {
        const Settings s = resolve(edited(scenario, P::micro_batch, size));
        CHECK(is_valid(s));
        CHECK(s[P::micro_batch] == size);
        CHECK(s[P::gpus] == 64);
    }
}

TEST_CASE("scenario: another degree of parallelism does the same job", "[scenario]") {
    const Scenario scenario = first();
    const Settings before = resolve(scenario);
    for (const P degree : {P::tensor_parallel, P::context_parallel, P::pipeline_parallel}) {
        const Scenario there = edited(scenario, degree, 8);
        const Settings s = resolve(there);
        CHECK(s[degree] == 8);
        CHECK(s[P::global_batch] == before[P::global_batch]);
        CHECK(s[P::micro_batch] == before[P::micro_batch]);
        CHECK(s[P::accumulation] == 8 * before[P::accumulation]);
        CHECK(there.hold() == scenario.hold());
        CHECK(resolve(edited(there, degree, 1))[P::accumulation] == before[P::accumulation]);
    }
    // Fewer than one accumulation step are impossible: the batch then grows with the replicas.
    Scenario one = edited(scenario, P::tensor_parallel, 8);
    one.give(P::accumulation, 1);
    const Settings grown = resolve(edited(one, P::tensor_parallel, 1));
    CHECK(grown[P::micro_batch] == before[P::micro_batch]);
    CHECK(grown[P::global_batch] == 128);
}

TEST_CASE("scenario: an edit of a rate changes nothing else, also beside automatic degrees", "[scenario]") {
    Scenario scenario =
        with_auto(with_auto(first(), P::tensor_parallel, true), P::inter_node_bandwidth, true);
    scenario.give(P::tensor_parallel, 4);
    Scenario expected = scenario;
    expected.automatic.reset(index(P::inter_node_bandwidth));
    expected.give(P::inter_node_bandwidth, 12.5e9);
    CHECK(edited(scenario, P::inter_node_bandwidth, 12.5e9) == expected);
    // Values beyond the range move to its end, and the value stays where there is none.
    CHECK(resolve(edited(scenario, P::overlap, 3))[P::overlap] == parameter(P::overlap).maximum);
    CHECK(resolve(edited(scenario, P::overlap, std::nan("")))[P::overlap] == resolve(scenario)[P::overlap]);
}

TEST_CASE("scenario: with the per-GPU batch held, the global batch follows", "[scenario]") {
    const Settings s = resolve(edited(first(), P::gpus, 256));
    CHECK(s[P::micro_batch] == 2);
    CHECK(s[P::global_batch] == 512);
}

TEST_CASE("scenario: with the global batch held, micro-batches are split until one sequence is left",
          "[scenario]") {
    const Scenario strong = with_hold(first(), Hold::global_batch);
    Settings s = resolve(edited(strong, P::gpus, 128));
    CHECK(s[P::global_batch] == 128);
    CHECK(s[P::micro_batch] == 1);
    s = resolve(edited(strong, P::gpus, 16));
    CHECK(s[P::micro_batch] == 2);
    CHECK(s[P::accumulation] == 4);
    // 256 GPUs would leave half a sequence each, so the nearest count that divides is set.
    CHECK(resolve(edited(strong, P::gpus, 256))[P::gpus] == 128);
    CHECK(resolve(with_hold(strong, Hold::per_gpu_batch))[P::global_batch] == 128);
}

TEST_CASE("scenario: a preset drops the overrides of its fields and nothing else", "[scenario]") {
    Scenario scenario = with({{P::inter_node_bandwidth, 1e9}, {P::layers, 10}, {P::sequence_length, 4096}});
    scenario = with_cluster(scenario, *Catalogue::shipped().find(PresetKind::cluster, "dgx-a100-80gb"));
    const Settings s = resolve(scenario);
    CHECK(s[P::inter_node_bandwidth] == 25e9);
    CHECK(s[P::layers] == 10);
    CHECK(s[P::sequence_length] == 4096);
    CHECK(s[P::gpus] == 64);
    CHECK_FALSE(is_modified(scenario, Group::cluster));
    CHECK(is_modified(scenario, Group::model));
}

TEST_CASE(
    "scenario: the release of the software chooses the constants, and those of the stack hold for all others",
    "[scenario]") {
    Problems none;
    Catalogue catalogue = Catalogue::with_folder("", none);
    const auto preset = [&](const std::string& name, const std::string& rest) {
        Problems problems;
        catalogue.add(R"({"format": "shardscope-preset", "version": 1, "kind": "calibration", "name": ")" +
                          name + R"(", "source": "notes of 9.1", "calibration": "stack-nemo", )" + rest + "}",
                      "", problems);
        return problems.empty() ? std::string() : problems.front().where;
    };
    REQUIRE(preset("nemo-9", R"("releases": ["9.1", "9.2"], "values": {"overlap": 0.77})").empty());
    CHECK(preset("bad", R"("releases": "9.1", "values": {})") == "/releases");
    CHECK(preset("bad", R"("releases": [""], "values": {})") == "/releases");
    const auto overlap_of = [&](const char* software, const std::string& version) {
        Scenario scenario = Scenario::first_launch(catalogue);
        scenario.give(P::software, parse(P::software, software).value);
        if (!version.empty()) scenario.give(P::software_version, parse(P::software_version, version).value);
        return resolve(scenario)[P::overlap];
    };
    CHECK(overlap_of("nemo", "NeMo 9.2 (container)") == 0.77);
    CHECK(overlap_of("nemo", "NeMo 9.3") == overlap_of("nemo", ""));
    CHECK(overlap_of("megatron-core", "9.2") == overlap_of("megatron-core", ""));
    // Constants that the release does not name are those of the stack.
    Scenario scenario = Scenario::first_launch(catalogue);
    scenario.give(P::software, parse(P::software, "nemo").value);
    const double before = resolve(scenario)[P::async_tensor_parallel];
    scenario.give(P::software_version, parse(P::software_version, "9.1").value);
    CHECK(resolve(scenario)[P::async_tensor_parallel] == before);
    CHECK(source_of(scenario, resolve(scenario), P::overlap) == "notes of 9.1");
}

TEST_CASE("scenario: every preset makes a valid scenario", "[scenario]") {
    for (const Preset* cluster : Catalogue::shipped().all(PresetKind::cluster)) {
        const Scenario scenario = with_cluster(first(), *cluster);
        const Settings s = resolve(scenario);
        INFO(cluster->name);
        std::string messages;
        for (const Problem& problem : check(scenario, s)) messages += problem.text() + "\n";
        CHECK(messages.empty());
    }
    for (const Preset* model : Catalogue::shipped().all(PresetKind::model)) {
        const Scenario scenario = with_model(first(), *model);
        INFO(model->name);
        CHECK(check(scenario, resolve(scenario)).empty());
    }
}

TEST_CASE("scenario: any chain of edits gives a valid scenario", "[scenario][property]") {
    std::mt19937 random(7);
    Scenario scenario = first();
    for (int i = 0; i < 20000; ++i) {
        const P id = static_cast<P>(random() % kParameters);
        const Parameter& row = parameter(id);
        if (row.prominence == Prominence::file) continue;
        const double t = std::uniform_real_distribution<double>(0, 1)(random);
        const double value = row.slider_high > row.slider_low
                                 ? row.slider_low + t * (row.slider_high - row.slider_low)
                                 : static_cast<double>(random() % 12);
        if (i % 97 == 0) scenario = with_hold(scenario, i % 2 ? Hold::global_batch : Hold::per_gpu_batch);
        const Scenario next = edited(scenario, id, value);
        const Settings s = resolve(next);
        INFO(row.key << " = " << value);
        const Problems problems = check(next, s);
        std::string messages;
        for (const Problem& problem : problems) messages += problem.text() + "\n";
        INFO(messages);
        REQUIRE(problems.empty());
        REQUIRE(is_valid(s));
        scenario = next;
        if (i % 50 == 0) scenario = first();
    }
}

TEST_CASE("scenario: is_valid and check agree", "[scenario]") {
    for (const auto& [id, value] : std::initializer_list<std::pair<P, Value>>{{P::micro_batch, -2},
                                                                              {P::micro_batch, 1.5},
                                                                              {P::gpus, 12},
                                                                              {P::tensor_parallel, 3},
                                                                              {P::kv_heads, 7},
                                                                              {P::hidden_size, 5000},
                                                                              {P::sequence_length, 0},
                                                                              {P::memory, std::nan("")},
                                                                              {P::gemm_efficiency, 2},
                                                                              {P::global_batch, 100},
                                                                              {P::shard_group, 7}}) {
        const Scenario scenario = with({{id, value}});
        const Settings s = resolve(scenario);
        INFO(parameter(id).key);
        const Problems problems = check(scenario, s);
        CHECK_FALSE(problems.empty());
        for (const Problem& problem : problems) CHECK_FALSE(problem.what.empty());
        // The result is the same whether valid or invalid settings were checked before.
        CHECK_FALSE(is_valid(s));
        CHECK(is_valid(first(), resolve(first())));
        CHECK_FALSE(is_valid(scenario, s));
        CHECK_FALSE(is_valid(s));
    }
}

// Under the sanitizers this finds conversions of numbers that no integer type can hold.
TEST_CASE("scenario: values far beyond their ranges are checked like any other", "[scenario][property]") {
    const Scenario start = Scenario::first_launch();
    for (std::size_t i = 0; i < kParameters; ++i) {
        const auto id = static_cast<P>(i);
        for (const double value : {1.8e19, 1e300, 0.5, 0.0, -1e300}) {
            INFO(parameter(id).key << " = " << value);
            Scenario scenario = start;
            scenario.give(id, value);
            const Settings settings = resolve(scenario);
            CHECK(check(scenario, settings).empty() == is_valid(scenario, settings));
            if (value > parameter(id).maximum) CHECK_FALSE(is_valid(settings));
            for (const P other : {P::gpus, P::tensor_parallel, P::pipeline_parallel, P::expert_parallel,
                                  P::hidden_size, P::micro_batch, P::global_batch, P::shard_group})
                CHECK_FALSE(std::isinf(nearest_valid(other, 8, settings)));
        }
    }
}

TEST_CASE("scenario: a batch that does not divide is refused with the two nearest ones that do",
          "[scenario]") {
    const Scenario scenario = with({{P::global_batch, 100}});
    const Problems problems = check(scenario, resolve(scenario));
    REQUIRE(problems.size() == 1);
    CHECK(problems[0].where == "/training/global_batch");
    CHECK(problems[0].suggestion == "use 128");
    const Scenario larger = with({{P::global_batch, 300}});
    CHECK(check(larger, resolve(larger))[0].suggestion == "use 256 or 384");
}

TEST_CASE("table: every row is complete, and every domain contains its own value", "[table]") {
    const Settings s = resolve(first());
    for (std::size_t i = 0; i < kParameters; ++i) {
        const P id = static_cast<P>(i);
        const Parameter& row = parameter(id);
        INFO(row.key);
        CHECK_FALSE(row.label.empty());
        CHECK(row.help.size() > 3);
        CHECK(find_parameter(row.key) == id);
        CHECK(row.key.find('.') != std::string_view::npos);
        if (row.prominence != Prominence::file && !row.named_only) CHECK(row.slider_high > row.slider_low);
        if (row.prominence != Prominence::file) CHECK(nearest_valid(id, s[id], s) == s[id]);
        for (const Named& named : row.names) CHECK(parse(id, named.name).value == named.value);
    }
    CHECK(find_parameter("micro_batch") == P::micro_batch);
    CHECK(find_parameter("memory") == P::memory);
}
