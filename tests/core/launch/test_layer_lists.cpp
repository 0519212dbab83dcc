// Tests Megatron-LM's lists with a 0 or a 1 for each layer.
#include "launch/layer_lists.h"

#include <catch2/catch.hpp>

using shardscope::launch::flags_of_list;
using shardscope::launch::layer_list;
using shardscope::launch::LayerFlags;
using shardscope::launch::leading_unset;
using shardscope::launch::stride_of_unset;

TEST_CASE("layer lists: every list of up to ten layers is written and read back", "[launch]") {
    for (std::size_t count = 1; count <= 10; ++count) {
        for (unsigned bits = 0; bits < (1U << count); ++bits) {
            LayerFlags flags;
            for (std::size_t i = 0; i < count; ++i) flags.push_back(((bits >> i) & 1U) != 0);
            const std::string text = layer_list(flags);
            INFO(text);
            CHECK(flags_of_list(text, count) == flags);
            CHECK_FALSE(flags_of_list(text, count - 1));
        }
    }
}

TEST_CASE("layer lists: the shortest part is repeated", "[launch]") {
    CHECK(layer_list({false, false, false, true, true}) == "([0]*3+[1]*2)");
    CHECK(layer_list({true, true, true}) == "([1]*3)");
    CHECK(layer_list({true, false, true, false}) == "([1]*1+[0]*1)*2");
    CHECK(layer_list({true, true, false, true, true, false}) == "([1]*2+[0]*1)*2");
}

TEST_CASE("layer lists: other forms of Python are read, and anything else is not", "[launch]") {
    const LayerFlags flags{true, true, false};
    for (const char* text : {"[1,1,0]", " [ 1 , 1 ] + [0] ", "[1]*2+[0]", "([1]*2+[0])", "(([1]))*2+[0]*1",
                             "[1,1]*1+[0]", "([1]*2+[0])*1"}) {
        INFO(text);
        CHECK(flags_of_list(text, 100) == flags);
    }
    for (const char* text : {"", "3", "[2]", "[]", "[1", "[1,]", "([1]*2", "[1]*2)", "[1]*", "[1]*x", "[1]+",
                             "[1]**2", "2*[1]", "[1]*101", "[1]*99999999999999999999", "[1]*50*3", "[-1]",
                             "((((((((((((((((((((([1])))))))))))))))))))))"}) {
        INFO(text);
        CHECK_FALSE(flags_of_list(text, 100));
    }
}

TEST_CASE("layer lists: strides and leading layers", "[launch]") {
    CHECK(stride_of_unset({true, true, false, true, true, false}) == 3);
    CHECK(stride_of_unset({true, true, false, true}) == 3);
    CHECK(stride_of_unset({true, false, true, true}) == 0);
    CHECK(stride_of_unset({true, true}) == 0);
    CHECK(stride_of_unset({false, false}) == 0);
    CHECK(leading_unset({false, false, true}) == 2U);
    CHECK(leading_unset({true, true}) == 0U);
    CHECK(leading_unset({false, false}) == 2U);
    CHECK_FALSE(leading_unset({false, true, false}));
}
