// The options of a training command of Megatron-LM, collected from a shell script, from the MODEL_ARGS
// section of a YAML file or from the list of arguments in a log.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "launch/shell_words.h"
#include "text/problem.h"

namespace shardscope::launch {

// An option with the line of the file that states it. A flag has no value.
struct MegatronArgument {
    std::string option;  // "--num-layers"
    std::string value;
    int line = 0;
};

// The options by their names, each with the words after it. Reading an option marks it as used. A value that
// cannot be read adds a problem, and the default value is returned.
class MegatronCommand {
  public:
    MegatronCommand(std::span<const MegatronArgument> arguments, Problems& problems);
    // Reads a shell script or a YAML file. The training command of a script is the one with the most options.
    MegatronCommand(std::string_view file, Problems& problems);

    // Returns the lines of tests and loops that depend on values which the script does not set.
    [[nodiscard]] const std::vector<int>& unread() const { return unread_; }
    // Returns the lines of the commands of a script that train a model, and the line of the one that is read.
    [[nodiscard]] const std::vector<int>& trainings() const { return trainings_; }
    [[nodiscard]] int training() const { return training_; }
    // Returns the lines in which the script reads a file with `source` that may set variables it uses.
    [[nodiscard]] const std::vector<int>& sourced() const { return sourced_; }
    [[nodiscard]] bool has(std::string_view option) const { return options_.contains(std::string(option)); }
    bool flag(std::string_view option);
    double number(std::string_view option, double otherwise);
    // Returns the words after an option; none where it is absent.
    std::vector<std::string> words(std::string_view option);
    std::string text(std::string_view option, const char* otherwise);
    // Returns the option's first word; "" where it is absent or only the shell knows it.
    std::string text_if_known(std::string_view option);
    // Returns the expression whose default is the option's value, such as ${SLURM_NNODES:-1}; nullptr where
    // the script states the value.
    [[nodiscard]] const FromShell* shell_default(std::string_view option) const;
    // Returns the number of processes that srun, mpirun or the directives of a SLURM job state; 0 without
    // them.
    [[nodiscard]] double slurm_tasks() const { return slurm_tasks_; }
    // Returns the Python program that the command starts; an empty word where it names none.
    [[nodiscard]] const Word& program() const { return program_; }
    // Marks an option as used if it has the value of `argument`.
    void ignore_same(const MegatronArgument& argument);
    void problem(std::string_view option, const std::string& what, const std::string& why,
                 const std::string& suggestion);
    // Returns the expressions of the script whose value is not known and may contain options, such as
    // $EXTRA_ARGS and "$@". All options have to be read before.
    [[nodiscard]] std::vector<FromShell> unknown_words() const;
    // Returns the names of the options that were not read, without those of torchrun: all of them, or the
    // flags.
    [[nodiscard]] std::vector<std::string> unused(bool with_values) const;

  private:
    struct Option {
        int line = 0;
        std::vector<Word> values;
        bool used = false;
        bool is_flag = false;  // has no value
    };
    // A word without a known value, and its place after an option.
    struct UnknownWord {
        FromShell from;
        std::string option;
        std::size_t place = 0;
    };
    void add(std::span<const MegatronArgument> arguments);
    void read_script(std::string_view script);
    Option* mark_used(std::string_view option);
    // Returns the option's first word; nullptr where there is none, or where its value is not known.
    const Word* known_value(std::string_view option);

    Problems& problems_;
    std::map<std::string, Option> options_;
    std::vector<int> unread_, sourced_;
    std::vector<UnknownWord> unknown_words_;
    double slurm_tasks_ = 0;
    std::vector<int> trainings_;
    int training_ = 0;
    Word program_;
};

}  // namespace shardscope::launch
