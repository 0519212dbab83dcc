// Fuzzes DeepSpeed's settings (JSON): the resulting scenario can be estimated and written for every tool.
#include "fuzz/fuzz.h"
#include "fuzz/json_mutation.h"
#include "fuzz/launch.h"
using namespace shardscope;

namespace {

void run(std::string_view text) { fuzz::read_launch("deepspeed", text); }

const fuzz::Registration kRegistered({"deepspeed", run, fuzz::mutate_json});

}  // namespace
