#include "model/operator_launches.h"

#include <algorithm>

#include "effects/chunked_scan.h"

namespace shardscope {
namespace {

double backward_launches(const Operator& op, double forward) {
    switch (op.kind) {
        case OperatorKind::gemm:
        case OperatorKind::convolution: return 2 * forward;
        case OperatorKind::scan: return kScanBackwardLaunches * forward;
        case OperatorKind::collective: {
            if (op.forward_only) return 0;
            // What was gathered, the input of a matrix or keys and values, is gathered again, and its
            // gradient reduced.
            return op.collective == Collective::all_gather ? 2 * forward : forward;
        }
        case OperatorKind::attention:
        case OperatorKind::norm:
        case OperatorKind::elementwise:
        case OperatorKind::softmax:
        case OperatorKind::gather: break;
    }
    return forward;
}

}  // namespace

PassLaunches launches_of(const Operator& op, double unfused) {
    const double forward = op.launches + (op.composed() ? unfused * (op.eager_launches - op.launches) : 0);
    // The average layer of a listed model may count an operator as less than one launch; its casts and the
    // accumulation of its gradient then count in the same proportion.
    const double share = std::min(1.0, op.launches);
    const double casts = op.expert ? 0 : share;
    return {forward + (op.cast_bytes > 0 ? casts : 0), backward_launches(op, forward) +
                                                           (op.gradient_cast_bytes > 0 ? casts : 0) +
                                                           (op.weights > 0 ? share : 0)};
}

}  // namespace shardscope
