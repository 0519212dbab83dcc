// Writes a job for the SLURM workload manager.
//
// Source: the manual pages of sbatch and srun (SLURM 24.05). A node has one task, because torchrun and
// Accelerate's launcher start one process per GPU on their node.
#include "launch/launch.h"
#include "launch/writing.h"
#include "text/encode.h"

namespace shardscope {

std::string slurm_job(const LaunchFormat& format, const LaunchText& written) {
    using launch::whole;
    std::string out = "#!/usr/bin/env bash\n" + comment_line("Starts " + std::string(format.label) + ":") +
                      comment_line("  " + written.command) + "#SBATCH --nodes=" + whole(written.hosts.nodes) +
                      "\n#SBATCH --ntasks-per-node=1\n#SBATCH --gpus-per-node=" + whole(written.hosts.gpus) +
                      "\n#SBATCH --exclusive\n#SBATCH --job-name=shardscope\nset -euo pipefail\n";
    if (written.hosts.nodes > 1 && !written.starts_all_nodes)
        out += "HEAD_NODE=$(scontrol show hostnames \"$SLURM_JOB_NODELIST\" | head -n 1)\nexport HEAD_NODE\n";
    return out + (written.starts_all_nodes ? "" : "srun ") + written.job_command + "\n";
}

}  // namespace shardscope
