// Training logs as measured runs, for `import log`, `calibrate --log` and `explain-gap`.
#pragma once

#include <string>
#include <vector>

#include "app/commands/command.h"
#include "evidence/validation.h"
#include "logs/training_log.h"

namespace shardscope::commands {

struct LogOptions {
    std::string base;                      // the scenario that has what the logs do not state; "": none
    std::vector<std::string> assignments;  // KEY=VALUE
};
// Adds --on and --set.
void add_log_options(Command& command, LogOptions& options);

struct ImportedLog {
    bool is_log = false;    // the file was read; otherwise the other fields are meaningless
    bool complete = false;  // nothing is missing, so that the fields below the scenario are set
    TrainingLog log;
    std::vector<std::string> notes;
    Scenario stated;  // by the log and by the scenario that has what it does not state
    Scenario scenario;
    std::string line;   // of a table of measured runs, JSON
    MeasuredRun run;    // as that line is read
    ValidationRow row;  // its comparison with the prediction; `row.run` is nullptr
};
// Reads a log. Notes and problems, such as missing inputs, are printed to standard error.
ImportedLog import_log(const std::string& file, const LogOptions& options);

}  // namespace shardscope::commands
