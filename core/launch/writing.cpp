#include "launch/writing.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "base/said.h"
#include "base/units.h"
#include "explain/output.h"

namespace shardscope::launch {

std::string whole(double value) {
    constexpr double kMost = 9e18;
    return std::to_string(static_cast<long long>(std::round(std::fmin(value, kMost))));
}

std::string Plan::whole(P id) const { return launch::whole(s[id]); }

std::string Plan::named(P id) const { return said(parameter(id).label) + " " + format(id, s[id]); }

void Plan::lacks(const LaunchFormat& tool, P id, const char* sentence, std::string_view written) {
    note(said(sentence, {tool.label, named(id), written}));
}

void Plan::check_stack(const LaunchFormat& tool) {
    const std::string predicted = format(P::software, s[P::software]);
    if (predicted.starts_with(tool.stack)) return;
    note(said("The prediction is for the software {1}; for {2} choose {3}.",
              {predicted, tool.label, tool.stack}));
}

std::string header(const LaunchFormat& tool, const Answer& answer, const std::string& how_to_start) {
    const InEnglish written;
    std::string out = "# " + answer.scenario.title() + ", by Shardscope " SHARDSCOPE_VERSION "\n";
    const std::string memory =
        text_of(Output::peak_memory, answer) + " of " + text_of(Output::capacity, answer);
    if (answer.fits()) {
        out += "# Predicted: " + text_of(Output::step_time, answer) + " a step, MFU " +
               text_of(Output::mfu, answer) + ", " + memory + " at peak\n";
    } else {
        out += "# Predicted: does not fit, " + memory + " at peak\n";
    }
    out += "# Option names: " + std::string(tool.checked) + "\n";
    return out + how_to_start;
}

std::string to_be_run(const std::string& launcher, const std::string& program) {
    return "# Start on every node:\n#   " + launcher + " \\\n#       " + program + "\n";
}

std::string shell_word(const std::string& file) {
    std::string name = (file.starts_with('-') ? "./" : "") + file;
    const auto control = [](unsigned char c) { return c < ' ' || c == 0x7f; };
    const auto plain = [](unsigned char c) {
        return c >= 0x80 || std::isalnum(c) ||
               std::string_view("_./-+@%:,=").find(static_cast<char>(c)) != std::string_view::npos;
    };
    if (!name.empty() && std::ranges::all_of(name, plain)) return name;
    // Line breaks have a word of their own in quotes that begin with a dollar.
    const bool escaped = std::ranges::any_of(name, control);
    std::string out = escaped ? "$'" : "'";
    for (const char c : name) {
        const auto byte = static_cast<unsigned char>(c);
        if (control(byte)) {
            constexpr int kDigit = 8;
            out += '\\';
            for (const int unit : {kDigit * kDigit, kDigit, 1})
                out += static_cast<char>('0' + byte / unit % kDigit);
        } else if (escaped && (c == '\'' || c == '\\')) {
            out += std::string("\\") + c;
        } else if (c == '\'') {
            out += "'\\''";
        } else {
            out += c;
        }
    }
    return out + "'";
}

Hosts hosts(const Settings& s) {
    const double gpus = std::fmin(s[P::gpus], s[P::gpus_per_node]);
    return {s[P::gpus] / gpus, gpus};
}

std::string torchrun(Plan& plan) {
    const Hosts on = hosts(plan.s);
    constexpr double kMostInAHost = 16;
    if (on.gpus > kMostInAHost) {
        plan.note(
            said("A node of the scenario, {1} GPUs, is more than one host: start as many processes on each "
                 "as it has GPUs.",
                 {whole(on.gpus)}));
    }
    std::string out = "torchrun --nnodes=" + whole(on.nodes) + " --nproc-per-node=" + whole(on.gpus);
    if (on.nodes > 1) out += " --rdzv-backend=c10d --rdzv-endpoint=\"$HEAD_NODE:29500\"";
    return out;
}

double steps(const Answer& answer) {
    const Settings& s = answer.settings;
    if (s[P::training_tokens] <= 0) return 0;
    return std::ceil(s[P::training_tokens] / (s[P::global_batch] * s[P::sequence_length]));
}

}  // namespace shardscope::launch
