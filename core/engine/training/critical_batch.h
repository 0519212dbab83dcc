// E28: the steps and tokens that a run needs at a given batch size.
//
// A small batch needs more steps, a large batch more tokens. A loss is reached with E tokens in S steps of
// B = E ÷ S tokens, and (S/S_min − 1)·(E/E_min − 1) = 1, so that
//   S = S_min·(1 + B_crit/B),  E = E_min·(1 + B/B_crit),  B_crit = E_min ÷ S_min.
// At the critical batch both are twice their minimum. Source: McCandlish et al. 2018, arXiv 1812.06162. E_min
// is the number of training tokens that the run would need with small batches. Without a law a large batch
// needs no additional tokens: E = E_min.
#pragma once

#include "parameters/settings.h"

namespace shardscope {

// Returns the loss at convergence of a model with `parameters` without the embedding; nats per token.
// L = (N_c ÷ N)^α_N, Kaplan et al. 2020, arXiv 2001.08361, equation 1.1.
double converged_loss(double parameters, const Settings& settings);

// Returns B_crit in tokens by the law in the settings; it is infinite without a law.
//   kaplan: B* ÷ L^(1/α_B) at the converged loss. Kaplan et al. 2020, section 5.1. It is an upper bound: a
//           run that stops before convergence ends at a higher loss, where B_crit is smaller.
//   bergsma: B_100 · (D ÷ 100e9)^0.47, independent of the model size. Bergsma et al. 2025, arXiv 2505.13738.
//           The exponent is quoted from it; B_100 is a setting, because its prefactor was not available.
//   fixed: a value that the user gives, for example a measured one.
// `parameters` are those that a token passes through, without embedding and head; `tokens` are for training.
double critical_batch(double parameters, double tokens, const Settings& settings);

// Returns the tokens that a run with batches of `batch` tokens needs for the loss that small batches reach
// with `tokens`.
inline double tokens_at_batch(double tokens, double batch, double critical) {
    return tokens * (1 + batch / critical);
}

}  // namespace shardscope
