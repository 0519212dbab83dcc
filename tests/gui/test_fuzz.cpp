// Replays the corpus of the fuzz target for figures and reports, whose reader uses Qt.
#include <catch2/catch.hpp>

#include "fuzz/corpus.h"

TEST_CASE("fuzz: the reader of figures keeps its promises on the corpus", "[fuzz]") {
    shardscope::fuzz::replay_corpus();
}
