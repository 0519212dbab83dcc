// The directives of a SLURM job, which SLURM reads before the script runs.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace shardscope::launch {

struct SlurmJob {
    struct Variable {
        long value = 0;
        int line = 1;  // of the directive
    };
    // The variables that SLURM sets in the job from its directives: SLURM_NNODES and the like.
    std::map<std::string, Variable> variables;
    long tasks = 0;  // that the job starts; 0: not stated
};
// Reads the lines "#SBATCH …" of a script.
SlurmJob read_slurm_directives(std::string_view script);
// Returns the tasks that srun starts in a job; 0 where neither states them. `words` are srun and its options,
// which replace those of the job.
long tasks_of_srun(const std::vector<std::string>& words, SlurmJob job);

}  // namespace shardscope::launch
