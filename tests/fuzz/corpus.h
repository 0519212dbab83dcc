// The replay of a target's corpus: what a fuzzer has found once is tried by every test run.
#pragma once

namespace shardscope::fuzz {

// Runs every target of this program on the files of its corpus. A Catch test case.
void replay_corpus();

}  // namespace shardscope::fuzz
