#include "logs/log_contents.h"

#include <algorithm>
#include <ranges>

#include "evidence/run_limits.h"

namespace shardscope::logs {

void LogContents::set(P id, double value, int line) {
    const auto same = [&](const StatedSetting& setting) { return setting.id == id; };
    const auto found = std::ranges::find_if(settings, same);
    if (found == settings.end()) {
        settings.push_back({id, value, line});
        return;
    }
    // Each step states its batch, which may grow during a run.
    if (has_steps && found->value != value && id != P::global_batch) other_settings = true;
    *found = {id, value, line};
}

void LogContents::set(P id, std::string_view name, int line) {
    const Parsed parsed = parse(id, name);
    if (parsed.ok) set(id, parsed.value, line);
}

void LogContents::update_peak(Peak peak, double bytes, int line) {
    StatedNumber& largest = peaks[static_cast<std::size_t>(peak)];
    if (bytes > largest.value && bytes <= kLargestMemory) largest = {bytes, line};
}

void LogContents::update_training_peak(Peak peak, double bytes, int line) {
    if (has_steps) return update_peak(peak, bytes, line);
    StatedNumber& early = early_peaks[static_cast<std::size_t>(peak)];
    if (bytes > early.value) early = {bytes, line};
}

void LogContents::start_again() {
    peaks = early_peaks = {};
    out_of_memory_line = 0;
    has_steps = other_settings = false;
}

int LogContents::line_of(P id) const {
    for (const StatedSetting& setting : settings)
        if (setting.id == id) return setting.line;
    const std::string_view option = launch::option_of(id);
    for (const launch::MegatronArgument& argument : megatron)
        if (!option.empty() && argument.option == option) return argument.line;
    return 0;
}

}  // namespace shardscope::logs
