#include "files/session_file.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "files/scenario_file.h"
#include "files/view_json.h"
#include "presets/json_values.h"
#include "text/encode.h"
#include "text/translate.h"

namespace shardscope {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr const char* kFormat = "shardscope-session";
constexpr char kLastPin = kFirstPin + static_cast<char>(kMostPins) - 1;
const std::vector<std::string> kFields{"format",  "version",  "scenarios", "current",
                                       "letters", "compared", "view",      "plots"};

// Returns a letter from B to G, or 0 and a problem.
char letter_of(const json& value, const std::string& pointer, Problems& problems) {
    const std::string text = value.is_string() ? value.get<std::string>() : std::string();
    if (text.size() == 1 && text[0] >= kFirstPin && text[0] <= kLastPin) return text[0];
    problems.push_back({pointer,
                        translate("{1} is not the letter of a pin", {json_text(value)}),
                        translate("pins have the letters B to G"),
                        {}});
    return 0;
}

void check_header(const json& file, Problems& problems) {
    for (const auto& [field, value] : file.items()) {
        if (std::ranges::find(kFields, field) == kFields.end())
            problems.push_back(unknown_field("", field, kFields));
    }
    if (const auto form = file.find("format"); form == file.end() || *form != kFormat)
        problems.push_back({"/format",
                            translate("this is not a session"),
                            translate("format must be “shardscope-session”"),
                            {}});
    if (const auto version = file.find("version"); version != file.end() && *version != 1) {
        problems.push_back({"/version",
                            translate("version {1} is not known", {json_text(*version)}),
                            translate("this program reads version 1"),
                            {}});
    }
}

std::size_t read_current(const json& file, std::size_t scenarios, Problems& problems) {
    const auto entry = file.find("current");
    if (entry == file.end()) return 0;
    if (entry->is_number_integer() && entry->get<std::int64_t>() >= 0 &&
        entry->get<std::uint64_t>() < scenarios)
        return entry->get<std::size_t>();
    problems.push_back({"/current", translate("{1} is not the index of a scenario", {json_text(*entry)}),
                        translate("indices start at 0"),
                        translate("use 0 to {1}", {std::to_string(scenarios - 1)})});
    return 0;
}

// Returns the letters of the scenarios; that of the current one is 0.
std::vector<char> read_letters(const json& file, std::size_t scenarios, std::size_t current,
                               Problems& problems) {
    std::vector<char> out(scenarios, 0);
    char next = kFirstPin;
    const auto entry = file.find("letters");
    if (entry == file.end()) {
        for (std::size_t i = 0; i < scenarios; ++i) {
            if (i != current) out[i] = next++;
        }
        return out;
    }
    if (!entry->is_array() || entry->size() != scenarios) {
        problems.push_back({"/letters", translate("letters must be a list with one letter per scenario"), "",
                            translate("write for instance [\"A\", \"B\"], or leave it out")});
        return out;
    }
    for (std::size_t i = 0; i < scenarios; ++i) {
        if (i == current) continue;
        const std::string pointer = "/letters/" + std::to_string(i);
        const char letter = letter_of((*entry)[i], pointer, problems);
        if (letter != 0 && std::ranges::find(out, letter) != out.end())
            problems.push_back(
                {pointer, translate("two pins are called {1}", {std::string(1, letter)}), "", {}});
        out[i] = letter;
    }
    return out;
}

// Reads the views of the plots that are not shown.
std::vector<View> read_plots(const json& plots, const Scenario& scenario, Catalogue& catalogue,
                             Problems& problems) {
    std::vector<View> out;
    if (!plots.is_array()) {
        problems.push_back({"/plots", translate("plots must be a list of views"), "", {}});
        return out;
    }
    for (std::size_t i = 0; i < plots.size(); ++i) {
        const std::string pointer = "/plots/" + std::to_string(i);
        if (!plots[i].is_object()) {
            problems.push_back({pointer, translate("view must be an object"), "", {}});
            continue;
        }
        Problems own;
        out.push_back(read_view(plots[i], scenario, catalogue, own));
        constexpr std::string_view kView = "/view";  // begins the pointers of read_view
        for (Problem& problem : own) {
            if (problem.where.starts_with(kView))
                problem.where = pointer + problem.where.substr(kView.size());
            problems.push_back(std::move(problem));
        }
    }
    return out;
}

}  // namespace

bool is_session(std::string_view text) {
    Problems none;
    const json file = parse_json(text, none);
    return file.is_object() && file.value("format", json()) == kFormat;
}

SavedSession read_session(std::string_view text, Catalogue& catalogue, const std::string& folder,
                          Problems& problems) {
    SavedSession out;
    out.current = SavedScenario(Scenario::first_launch(catalogue));
    const std::size_t before = problems.size();
    const json file = parse_json(text, problems);
    if (problems.size() > before) return out;
    if (!file.is_object()) {
        problems.push_back({"", translate("a session must be a JSON object"), "", translate("write {…}")});
        return out;
    }
    check_header(file, problems);
    const auto scenarios = file.find("scenarios");
    if (scenarios == file.end() || !scenarios->is_array() || scenarios->empty()) {
        problems.push_back({"/scenarios",
                            translate("a session must have a list of scenarios"),
                            translate("with at least one"),
                            {}});
        return out;
    }
    if (scenarios->size() > 1 + kMostPins) {
        problems.push_back({"/scenarios", translate("{1} scenarios", {std::to_string(scenarios->size())}),
                            translate("a session holds the current one and up to six pins"),
                            translate("leave some out")});
        return out;
    }
    const std::size_t current = read_current(file, scenarios->size(), problems);
    const std::vector<char> letters = read_letters(file, scenarios->size(), current, problems);
    for (std::size_t i = 0; i < scenarios->size(); ++i) {
        Problems own;
        // The entry is passed on as text, so that read_scenario() reports an entry that is not a scenario.
        const std::string one = json_text((*scenarios)[i]);
        SavedScenario scenario = read_scenario(one, catalogue, folder, own);
        for (Problem& problem : own) {
            problem.where = "/scenarios/" + std::to_string(i) + problem.where;
            problem.line = 0;  // of the scenario alone
            problems.push_back(std::move(problem));
        }
        if (i == current) out.current = std::move(scenario);
        else out.pins.push_back({letters[i], std::move(scenario)});
    }
    std::ranges::sort(out.pins, {}, &SavedPin::letter);
    if (!out.pins.empty()) out.compared = out.pins.front().letter;
    if (const auto compared = file.find("compared"); compared != file.end()) {
        out.compared = letter_of(*compared, "/compared", problems);
        if (out.compared != 0 &&
            std::ranges::find(out.pins, out.compared, &SavedPin::letter) == out.pins.end())
            problems.push_back(
                {"/compared", translate("there is no pin {1}", {std::string(1, out.compared)}), "", {}});
    }
    if (const auto view = file.find("view"); view != file.end()) {
        if (view->is_object()) out.view = read_view(*view, out.current, catalogue, problems);
        else problems.push_back({"/view", translate("view must be an object"), "", {}});
    }
    if (const auto plots = file.find("plots"); plots != file.end())
        out.plots = read_plots(*plots, out.current, catalogue, problems);
    return out;
}

std::string write_session(const SavedSession& session, bool pretty) {
    ordered_json out = ordered_json::object();
    out["format"] = kFormat;
    out["version"] = 1;
    out["scenarios"] = ordered_json::array({ordered_json::parse(write_scenario(session.current, false))});
    out["current"] = 0;
    if (!session.pins.empty()) {
        out["letters"] = ordered_json::array({"A"});
        for (const SavedPin& pin : session.pins) {
            out["scenarios"].push_back(ordered_json::parse(write_scenario(pin.scenario, false)));
            out["letters"].push_back(std::string(1, pin.letter));
        }
        if (session.compared != 0) out["compared"] = std::string(1, session.compared);
    }
    if (const json view = write_view({session.view, {}, {}}); !view.empty()) out["view"] = view;
    for (const View& plot : session.plots) out["plots"].push_back(ordered_json(write_view({plot, {}, {}})));
    return json_text(out, pretty ? 2 : -1) + "\n";
}

}  // namespace shardscope
