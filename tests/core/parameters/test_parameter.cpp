// Tests the table of all parameters.
#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "parameters/parameter.h"

using namespace shardscope;

TEST_CASE("parameters: a key begins with its group's name, except for those of the GPU and the plan",
          "[parameters]") {
    std::map<Group, std::size_t> rows;
    for (const Parameter& row : parameters()) {
        INFO(row.key);
        ++rows[row.group];
        const std::string name(name_of(row.group));
        const std::string section = row.group == Group::gpu    ? "cluster.gpu"
                                    : row.group == Group::plan ? "training"
                                                               : name;
        CHECK(row.key.substr(0, row.key.rfind('.')).starts_with(section));
    }
    std::set<std::string> titles;
    for (const auto& [group, count] : rows) {
        CHECK(count > 0);
        titles.insert(title(group));
    }
    CHECK(titles == std::set<std::string>{"Cluster", "GPU", "Model", "Training", "Plan", "Assumptions"});
}

TEST_CASE("parameters: people read labels, files have names, and both are read back", "[parameters]") {
    const auto sharding = [](Sharding value) { return static_cast<double>(value); };
    CHECK(format(P::sharding, sharding(Sharding::zero3)) == "ZeRO-3");
    CHECK(written(P::sharding, sharding(Sharding::zero3)) == "zero3");
    CHECK(format(P::optimizer, 0) == "AdamW");
    CHECK(format(P::shard_group, 0) == "all (HSDP: a node)");
    CHECK(written(P::shard_group, 0) == "0");
    CHECK(format(P::recompute_modules, 9) == "LayerNorm + MLP");
    CHECK(written(P::recompute_modules, 9) == "layernorm+mlp");
    CHECK(format(P::hidden_size, 5120) == written(P::hidden_size, 5120));
    // A file with a label is not read, because other versions and languages would not know it.
    CHECK_FALSE(parse(P::sharding, "ZeRO-3").ok);
    CHECK(parse(P::recompute_modules, "LayerNorm + MLP", true).value == 9);
    CHECK(parse(P::shard_group, "all (HSDP: a node)", true).value == 0);
    // Lists may be written as in JSON, as messages suggest.
    CHECK(parse(P::layer_pattern, R"(["sliding*5", "full"])").value ==
          parse(P::layer_pattern, "sliding*5,full").value);
    CHECK(parse(P::recompute_modules, R"(["layernorm", "mlp"])").value == 9);
    CHECK(parse(P::moment_precision, R"(["bf16", "fp32"])").value ==
          parse(P::moment_precision, "bf16+fp32").value);
    for (std::size_t i = 0; i < kParameters; ++i) {
        const P id = static_cast<P>(i);
        std::set<std::string> labels;
        for (const Named& named : parameter(id).names) {
            INFO(parameter(id).key << " " << named.name);
            CHECK(written(id, named.value) == named.name);
            CHECK(parse(id, written(id, named.value)).value == named.value);
            CHECK(parse(id, format(id, named.value), true).value == named.value);
            CHECK(labels.insert(format(id, named.value)).second);
        }
    }
}
