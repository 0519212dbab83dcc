// E28: how many steps and tokens a run takes at a given batch.
//
// Small batches waste time, large ones waste data. A loss is reached with E tokens in S steps of B = E ÷ S
// tokens, and (S/S_min − 1)·(E/E_min − 1) = 1, so that
//   S = S_min·(1 + B_crit/B),  E = E_min·(1 + B/B_crit),  B_crit = E_min ÷ S_min:
// at the critical batch both are twice their minimum. Source: McCandlish et al. 2018, arXiv 1812.06162.
// E_min are the run's training tokens, what they would be at a small batch. Without a law the batch is taken
// to cost nothing: E = E_min.
#pragma once

#include "parameters/settings.h"

namespace shardscope {

// The loss that `parameters` without the embedding reach with all the data they can use; nats per token.
// L = (N_c ÷ N)^α_N, Kaplan et al. 2020, arXiv 2001.08361, equation 1.1.
double converged_loss(double parameters, const Settings& settings);

// B_crit in tokens by the law in the settings; infinite without one.
//   kaplan: B* ÷ L^(1/α_B) at the converged loss. Kaplan et al. 2020, section 5.1. It is an upper end: a run
//           that stops before convergence ends at a higher loss, where B_crit is smaller.
//   bergsma: B_100 · (D ÷ 100e9)^0.47, whatever the model's size. Bergsma et al. 2025, arXiv 2505.13738; the
//           exponent as quoted from it, B_100 a setting, for the paper's own prefactor was not to be had.
//   fixed: a number that somebody measured.
// `parameters` are those a token passes through, without embedding and head; `tokens` the training tokens.
double critical_batch(double parameters, double tokens, const Settings& settings);

// Tokens that the run needs at batches of `batch` tokens to get as far as `tokens` at small ones.
inline double tokens_at_batch(double tokens, double batch, double critical) {
    return tokens * (1 + batch / critical);
}

}  // namespace shardscope
