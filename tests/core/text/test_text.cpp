// Tests helpers on text: the suggestion for an unknown word.
#include <catch2/catch.hpp>

#include "text/text.h"

using namespace shardscope;

TEST_CASE("nearest: the result is the candidate with the fewest edits, or none", "[text]") {
    const std::vector<std::string> known{"gpus", "gpus_per_node", "overlap", "tensor_parallel"};
    CHECK(nearest("gpu", known) == "gpus");
    CHECK(nearest("gpus_per_nod", known) == "gpus_per_node");
    CHECK(nearest("tensor", known) == "tensor_parallel");  // the beginning of the name
    CHECK(nearest("overlpa", known) == "overlap");
    CHECK(nearest("gpus", known) == "gpus");
    CHECK(nearest("pipeline", known).empty());
    CHECK(nearest("", known).empty());
    CHECK(nearest("gpus", {}).empty());
}

TEST_CASE("nearest: a word much longer than every candidate is not compared with them", "[text]") {
    // A comparison letter by letter would take minutes.
    const std::string word(std::size_t{16} << 20, 'g');
    const std::vector<std::string> known(200, "gpus_per_node");
    CHECK(nearest(word, known).empty());
}
