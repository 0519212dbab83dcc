// Scripts that start Megatron-LM: a scenario that comes out can be estimated, and written for any tool.
#include "fuzz/fuzz.h"
#include "fuzz/launch.h"

using namespace shardscope;

namespace {

void run(std::string_view text) { fuzz::read_launch("megatron", text); }

const fuzz::Registration kRegistered({"megatron", run});

}  // namespace
