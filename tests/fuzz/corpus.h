// Replays a target's corpus, so that every test run repeats the inputs that a fuzzer has found.
#pragma once

namespace shardscope::fuzz {

// Runs every target of this program on the files of its corpus, inside a Catch test case.
void replay_corpus();

}  // namespace shardscope::fuzz
