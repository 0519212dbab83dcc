#include "launch/slurm_directives.h"

#include <optional>
#include <utility>
#include <vector>

#include "launch/shell_arithmetic.h"
#include "text/text.h"

namespace shardscope::launch {
namespace {

// The options of sbatch that state how many nodes, tasks and GPUs a job has, by the variables that SLURM sets
// in the job. Source: SLURM 24.05, sbatch, input and output environment variables.
struct Directive {
    std::string_view option, short_option;
    std::vector<std::string> variables;
};
const std::vector<Directive>& directives() {
    static const std::vector<Directive> kAll{
        {"--nodes", "-N", {"SLURM_NNODES", "SLURM_JOB_NUM_NODES"}},
        {"--ntasks-per-node", "", {"SLURM_NTASKS_PER_NODE"}},
        {"--ntasks", "-n", {"SLURM_NTASKS", "SLURM_NPROCS"}},
        {"--gpus-per-node", "", {"SLURM_GPUS_PER_NODE", "SLURM_GPUS_ON_NODE"}},
        {"--gres", "", {"SLURM_GPUS_ON_NODE"}},
        {"--gpus", "-G", {"SLURM_GPUS"}},
    };
    return kAll;
}

// Returns the words of a line up to a comment.
std::vector<std::string> words_of(std::string_view line) {
    std::vector<std::string> out;
    for (std::string& word : split(line, ' ')) {
        word = trim(word);
        if (word.starts_with('#')) break;
        if (!word.empty()) out.push_back(std::move(word));
    }
    return out;
}

// Returns the value of a directive's option in the words from `at` on: "--nodes=16", "--nodes 16", "-N 16" or
// "-N16"; "" where there is none.
std::string value_of_directive(const Directive& directive, const std::vector<std::string>& words,
                               std::size_t at) {
    const std::string& word = words[at];
    std::string next = at + 1 < words.size() ? words[at + 1] : std::string();
    if (word == directive.option || word == directive.short_option) return next;
    if (word.starts_with(std::string(directive.option) + "="))
        return word.substr(directive.option.size() + 1);
    const bool is_short = !directive.short_option.empty() && word.starts_with(directive.short_option);
    return is_short ? word.substr(directive.short_option.size()) : std::string();
}

// Returns the number that a directive states: "16", or "gpu:h100:8" of --gres and "h100:8" of
// --gpus-per-node.
std::optional<long> number_of_directive(const Directive& directive, const std::string& value) {
    if (directive.option == "--gres" && !value.starts_with("gpu:")) return std::nullopt;
    const bool has_type = directive.option == "--gres" || directive.option.starts_with("--gpus");
    const std::size_t colon = has_type ? value.rfind(':') : std::string::npos;
    const std::optional<long> number =
        integer_of(colon == std::string::npos ? value : value.substr(colon + 1));
    return number && *number > 0 ? number : std::nullopt;
}

// Takes the numbers that the words of a line state.
void read_words(const std::vector<std::string>& words, int line, SlurmJob& out) {
    for (std::size_t i = 0; i < words.size(); ++i) {
        for (const Directive& directive : directives()) {
            const auto value = number_of_directive(directive, value_of_directive(directive, words, i));
            if (!value) continue;
            for (const std::string& name : directive.variables) out.variables[name] = {*value, line};
        }
    }
}

// Sets the number of tasks from the other numbers.
void count_tasks(SlurmJob& out) {
    const auto value_of = [&](const char* name, long otherwise) {
        const auto found = out.variables.find(name);
        return found == out.variables.end() ? otherwise : found->second.value;
    };
    long tasks = value_of("SLURM_NTASKS", 0);
    if (tasks == 0) {
        const auto each = out.variables.find("SLURM_NTASKS_PER_NODE");
        if (each == out.variables.end() ||
            __builtin_mul_overflow(value_of("SLURM_NNODES", 1), each->second.value, &tasks))
            return;
        for (const char* name : {"SLURM_NTASKS", "SLURM_NPROCS"})
            out.variables[name] = {tasks, each->second.line};
    }
    out.tasks = tasks;
}

}  // namespace

SlurmJob read_slurm_directives(std::string_view script) {
    constexpr std::string_view kMark = "#SBATCH";
    SlurmJob out;
    int number = 0;
    for (const std::string& line : split(script, '\n')) {
        ++number;
        if (line.starts_with(kMark)) read_words(words_of(line.substr(kMark.size())), number, out);
    }
    count_tasks(out);
    return out;
}

long tasks_of_srun(const std::vector<std::string>& words, SlurmJob job) {
    SlurmJob own;
    read_words(words, 0, own);
    if (own.variables.contains("SLURM_NNODES") || own.variables.contains("SLURM_NTASKS_PER_NODE"))
        for (const char* name : {"SLURM_NTASKS", "SLURM_NPROCS"}) job.variables.erase(name);
    for (const auto& [name, variable] : own.variables) job.variables[name] = variable;
    job.tasks = 0;
    count_tasks(job);
    return job.tasks;
}

}  // namespace shardscope::launch
