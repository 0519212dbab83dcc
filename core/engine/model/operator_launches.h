// E12: how many kernels the host launches for an operator's two passes.
#pragma once

#include "effects/host.h"
#include "model/operators.h"

namespace shardscope {

// Returns the kernels of both passes. `unfused` is 0 in stacks that fuse the steps of norms, rotary
// embeddings and gated units, and 1 where each step is a kernel. In the backward pass a matrix has two
// products, and every weight has one kernel that accumulates its gradient or a call that reduces it. Casts of
// experts are counted by `expert_cast_overhead`.
PassLaunches launches_of(const Operator& op, double unfused);

}  // namespace shardscope
