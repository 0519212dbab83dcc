#include "training/critical_batch.h"

#include <cmath>
#include <limits>

namespace shardscope {

double converged_loss(double parameters, const Settings& s) {
    return std::pow(s[P::loss_parameters] / parameters, s[P::loss_exponent]);
}

double critical_batch(double parameters, double tokens, const Settings& s) {
    constexpr double kReference = 100e9;  // tokens, see `data_batch`
    switch (s.choice<CriticalBatchLaw>(P::critical_batch_law)) {
        case CriticalBatchLaw::none: break;
        case CriticalBatchLaw::kaplan:
            return s[P::loss_batch] * std::pow(converged_loss(parameters, s), -1 / s[P::loss_batch_exponent]);
        case CriticalBatchLaw::bergsma:
            return s[P::data_batch] * std::pow(tokens / kReference, s[P::data_batch_exponent]);
        case CriticalBatchLaw::fixed: return s[P::critical_batch];
    }
    return std::numeric_limits<double>::infinity();
}

}  // namespace shardscope
