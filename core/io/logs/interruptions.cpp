// The lines of all tools that announce an evaluation or a checkpoint.
#include <algorithm>
#include <array>

#include "logs/log_format.h"

namespace shardscope::logs {

Interruption interruption_of(const LogLine& line) {
    struct Mark {
        std::string_view words;
        Interruption interruption;
    };
    // All words below contain one of these; most lines contain neither.
    if (!line.has("aving") && !line.has("val")) return Interruption::none;
    // Sources: Megatron-LM, megatron/training/training.py and checkpointing.py; torchtitan,
    // torchtitan/components/{validate,checkpoint}.py; transformers, src/transformers/trainer.py; DeepSpeed,
    // deepspeed/runtime/engine.py; nanotron, src/nanotron/trainer.py; MLPerf's training policies, events.
    static constexpr std::array kMarks{
        Mark{"validation loss at", Interruption::evaluation},
        Mark{"***** Running Evaluation", Interruption::evaluation},
        Mark{"***** Running evaluation", Interruption::evaluation},
        Mark{"validate step:", Interruption::evaluation},
        Mark{"Evaluating iter", Interruption::evaluation},
        Mark{"validation_step_timing", Interruption::evaluation},
        Mark{"\"key\": \"eval_start\"", Interruption::evaluation},
        Mark{"saving checkpoint at", Interruption::checkpoint},
        Mark{"Saving the checkpoint", Interruption::checkpoint},
        Mark{"Saving model checkpoint", Interruption::checkpoint},
        Mark{"Saving checkpoint", Interruption::checkpoint},
        Mark{"Saving weights", Interruption::checkpoint},
        Mark{"[Torch] Saving", Interruption::checkpoint},
    };
    const auto found = std::ranges::find_if(kMarks, [&](const Mark& mark) { return line.has(mark.words); });
    return found == kMarks.end() ? Interruption::none : found->interruption;
}

}  // namespace shardscope::logs
