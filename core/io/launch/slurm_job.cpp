// Writes a job for the SLURM workload manager.
//
// Source: the manual pages of sbatch and srun (SLURM 24.05). A node has one task, because torchrun and
// Accelerate's launcher start one process per GPU on their node. Source of how programs start on the hosts of
// TPUs: docs.cloud.google.com, "Run JAX code on TPU slices"; AI-Hypercomputer/xpk, README.md.
#include "launch/launch.h"
#include "launch/writing.h"
#include "text/encode.h"
#include "text/translate.h"

namespace shardscope {

Problems problems_of_slurm_job(const Scenario& scenario) {
    if (!launch::has_tpus(scenario)) return {};
    return {{"--slurm", translate("is not possible for a cluster of TPUs"),
             translate("SLURM does not start the hosts of TPUs"),
             translate("leave it out, and start the command on every host, for instance with XPK or with "
                       "gcloud compute tpus tpu-vm ssh --worker=all")}};
}

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
