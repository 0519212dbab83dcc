// E12: a step ends when the slowest GPU has finished it. If interruptions lengthen the step of every GPU by a
// time that varies from GPU to GPU, the step waits for the longest of them, which grows with their number.
//
// Sources: Petrini et al. 2003, doi 10.1145/1048935.1050204 (interruptions in large machines); Blom 1958
// (mean of the largest of n normal values).
#pragma once

namespace shardscope {

// Returns the mean of the largest of `n` independent normal values with mean 0 and standard deviation 1: 0
// for one, 2.5 for 100, 4.1 for 16,384. The approximation is within 0.03.
double mean_of_largest(double n);

// Returns the time by which a step of `gpus` GPUs waits for the slowest one; s. `jitter`: standard deviation
// of the time by which interruptions lengthen the step of one GPU; s.
inline double straggler_wait(double jitter, double gpus) {
    return jitter > 0 ? jitter * mean_of_largest(gpus) : 0;
}

}  // namespace shardscope
