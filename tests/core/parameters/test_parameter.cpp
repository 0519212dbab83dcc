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
