// Fuzzes scripts that start Megatron-LM: the resulting scenario can be estimated and written for every tool.
#include "fuzz/fuzz.h"
#include "fuzz/launch.h"

using namespace shardscope;

namespace {

void run(std::string_view text) { fuzz::read_launch("megatron", text); }

const fuzz::Registration kRegistered({"megatron", run});

}  // namespace
