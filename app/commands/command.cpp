#include "app/commands/command.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "evidence/nccl_log.h"
#include "files/scenario_file.h"
#include "planner/planner.h"
#include "scenario/catalogue.h"
#include "studies/study.h"
#include "system/file_io.h"
#include "text/encode.h"
#include "text/text.h"

namespace shardscope::commands {
namespace {

void print(std::FILE* stream, const std::string& text) {
    const std::string safe = terminal_text(text);
    std::fwrite(safe.data(), 1, safe.size(), stream);
}

std::string formatted(const char* format, std::va_list values) {
    std::va_list again;
    va_copy(again, values);
    const int size = std::vsnprintf(nullptr, 0, format, again);
    va_end(again);
    std::string out(static_cast<std::size_t>(std::max(size, 0)) + 1, '\0');
    std::vsnprintf(out.data(), out.size(), format, values);
    out.pop_back();
    return out;
}

}  // namespace

void print_out(const char* format, ...) {
    std::va_list values;
    va_start(values, format);
    print(stdout, formatted(format, values));
    va_end(values);
}

void print_err(const char* format, ...) {
    std::va_list values;
    va_start(values, format);
    print(stderr, formatted(format, values));
    va_end(values);
}

void print_text(const std::string& text) { print(stdout, text); }

std::string preset_folder() {
    if (const char* data = std::getenv("XDG_DATA_HOME"); data && *data)
        return std::string(data) + "/shardscope/presets";
    if (const char* home = std::getenv("HOME"); home && *home)
        return std::string(home) + "/.local/share/shardscope/presets";
    return {};
}

Catalogue& catalogue() {
    static Catalogue all = [] {
        Problems problems;
        Catalogue loaded = Catalogue::with_folder(preset_folder(), problems, check_study);
        for (const Problem& problem : problems) print_err("warning: %s\n", problem.text().c_str());
        return loaded;
    }();
    return all;
}

void report(const Problems& problems, const std::string& file) {
    constexpr std::size_t kMost = 1000;
    for (std::size_t i = 0; i < std::min(problems.size(), kMost); ++i)
        print_err("%s\n", problems[i].text(file).c_str());
    if (problems.size() > kMost) print_err("and %zu more problems\n", problems.size() - kMost);
}

std::vector<CollectiveTable> read_log(const std::string& file) {
    Problems problems;
    const std::string text = read_text(file, problems);
    std::vector<CollectiveTable> tables;
    if (problems.empty()) tables = read_nccl_log(text, problems);
    for (const Problem& problem : problems)
        print_err("%s%s\n", tables.empty() ? "" : "warning: ", problem.text(file).c_str());
    return tables;
}

int report_unwritten(const Problems& problems, const std::string& file) {
    report(problems, file);
    return kFailed;
}

bool is_standard_output(const std::string& target) {
    return target.empty() || target == "-" || target == "/dev/stdout";
}

int write_output(const std::string& target, const std::string& text) {
    if (is_standard_output(target)) {
        print_text(text);
        return kDone;
    }
    Problems problems;
    return write_file_atomically(target, text, problems) ? kDone : report_unwritten(problems, target);
}

const Preset* scenario_named(const std::string& name) {
    const Preset* scenario = catalogue().find(PresetKind::scenario, name);
    return scenario ? scenario : catalogue().find(PresetKind::study, name);
}

namespace {

// Returns the preset that an input names; nullptr where a file has that name, or where there is neither.
const Preset* input_preset(const std::string& file) {
    std::error_code unusable;  // problems of the path are reported when it is read
    return std::filesystem::exists(file, unusable) ? nullptr : scenario_named(file);
}

}  // namespace

std::string input_folder(const std::string& file) {
    if (is_stream(file)) return {};
    const Preset* preset = input_preset(file);
    return std::filesystem::path(preset ? preset->path : file).parent_path().string();
}

std::string read_input(const std::string& file, Problems& problems) {
    const Preset* preset = input_preset(file);
    std::string text = preset ? preset->text : read_text(file, problems);
    if (!is_study(text)) return text;
    const Study study = read_study(text, catalogue(), input_folder(file), problems);
    return problems.empty() ? write_scenario(study.scenario, false) : std::string();
}

std::optional<Assignment> parse_assignment(const std::string& assignment, const Catalogue& presets,
                                           Problems& problems) {
    const auto equals = assignment.find('=');
    const std::string key = trim(assignment.substr(0, equals));
    const std::string where = "--set " + assignment;
    if (equals == std::string::npos) {
        problems.push_back({where, "has no =", "", "write KEY=VALUE"});
        return std::nullopt;
    }
    const std::string text = trim(assignment.substr(equals + 1));
    for (const PresetKey& option : kPresetKeys) {
        if (key != option.key && key + ".preset" != option.key) continue;  // "cluster" is a short form
        const Preset* preset = presets.find(option.kind, text);
        if (preset) return Assignment{.preset = preset};
        problems.push_back({where, "there is no such preset", "",
                            suggestion(text, presets.names(option.kind), "see `shardscope presets list`")});
        return std::nullopt;
    }
    const std::optional<P> id = parse_key(where, key, problems);
    if (!id) return std::nullopt;
    // A program may be unknown.
    if (*id == P::software && !text.empty()) return Assignment{.id = *id, .software = clean_title(text)};
    const Parsed parsed = parse(*id, text);
    if (parsed.ok) return Assignment{.id = *id, .value = parsed.value};
    problems.push_back({where, parsed.problem, "", parsed.suggestion});
    return std::nullopt;
}

Scenario assigned(const Scenario& scenario, const Assignment& assignment) {
    if (assignment.software.empty()) return shardscope::assigned(scenario, assignment.id, assignment.value);
    Scenario out = scenario;
    out.give_software(assignment.software);
    return out;
}

void assign(Scenario& scenario, const std::string& assignment, Problems& problems) {
    const std::optional<Assignment> read = parse_assignment(assignment, *scenario.catalogue, problems);
    if (!read) return;
    if (!read->preset) scenario = assigned(scenario, *read);
    else if (read->preset->kind == PresetKind::model) scenario = with_model(scenario, *read->preset);
    else if (read->preset->kind == PresetKind::cluster) scenario = with_cluster(scenario, *read->preset);
    else scenario.gpu = read->preset;
}

std::optional<P> parse_key(const std::string& option, const std::string& key, Problems& problems) {
    const std::optional<P> id = find_parameter(key);
    if (id) return id;
    std::vector<std::string> known;
    for (std::size_t i = 0; i < kParameters; ++i) {
        known.emplace_back(parameters()[i].key);
        known.emplace_back(field_of(static_cast<P>(i)));
    }
    problems.push_back({option, "there is no parameter “" + key + "”", "", suggestion(key, known)});
    return std::nullopt;
}

namespace {

std::optional<SavedScenario> load(const std::string& file, const std::vector<std::string>& assignments,
                                  bool plan_is_open) {
    Problems problems;
    SavedScenario out;
    const std::string text = read_input(file, problems);
    if (problems.empty()) out = read_scenario(text, catalogue(), input_folder(file), problems, plan_is_open);
    if (problems.empty()) {
        for (const std::string& assignment : assignments) assign(out, assignment, problems);
    }
    if (problems.empty())
        problems = plan_is_open ? check(out, without_plan(resolve(out))) : answer(out).problems;
    report(problems, file);
    if (!problems.empty()) return std::nullopt;
    return out;
}

}  // namespace

std::optional<SavedScenario> load_scenario(const std::string& file,
                                           const std::vector<std::string>& assignments) {
    return load(file, assignments, false);
}

std::optional<SavedScenario> load_job(const std::string& file, const std::vector<std::string>& assignments) {
    return load(file, assignments, true);
}

std::optional<Output> parse_output(const std::string& option, const std::string& path, Problems& problems) {
    const std::optional<Output> id = find_output(path);
    if (id) return id;
    std::vector<std::string> known;
    for (const OutputRow& row : outputs()) {
        known.emplace_back(row.path);
        known.emplace_back(row.path.substr(row.path.rfind('.') + 1));
    }
    problems.push_back({option + " " + path, "there is no such output", "", suggestion(path, known)});
    return std::nullopt;
}

void add_assignments(Command& command, std::vector<std::string>& into) {
    command
        .add_option("--set", &into, value::kAssignment,
                    "Another value of a parameter or a preset, for instance cluster.gpus=128")
        .repeated = true;
}

std::vector<Axis> parse_axes(const Scenario& scenario, const std::vector<std::string>& texts,
                             Problems& problems) {
    std::vector<Axis> out;
    for (const std::string& text : texts) {
        if (auto axis = parse_axis(scenario, text, problems)) out.push_back(std::move(*axis));
    }
    if (out.size() < texts.size()) out.clear();
    return out;
}

std::vector<Output> parse_outputs(const std::string& list, Problems& problems) {
    std::vector<Output> out;
    for (const std::string& part : split(list, ',')) {
        if (const auto id = parse_output("--output", trim(part), problems)) out.push_back(*id);
    }
    return out;
}

}  // namespace shardscope::commands
