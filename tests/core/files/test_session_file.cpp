// Tests session files: every scenario, its letter and the choice are read back, and mistakes are reported
// with their place.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "files/scenario_file.h"
#include "files/session_file.h"
#include "support/check_scenario.h"
#include "support/scenarios.h"

using namespace shardscope;
using namespace shardscope::testing;

namespace {

SavedSession read_saved(const std::string& text, Problems& problems) {
    return read_session(text, shipped_only(), "", problems);
}

std::string session_problems(const std::string& text) {
    Problems problems;
    read_saved(text, problems);
    std::string out;
    for (const Problem& problem : problems) out += problem.text() + "\n";
    return out;
}

bool reports(const std::string& text, const std::string& words) {
    const std::string messages = session_problems(text);
    INFO(messages);
    CHECK(messages.find(words) != std::string::npos);
    return messages.find(words) != std::string::npos;
}

std::string session_of(const std::string& fields) {
    return R"({"format": "shardscope-session", "version": 1, )" + fields + "}";
}

}  // namespace

TEST_CASE("session file: a written session reads back equal, letters and choice included", "[files]") {
    const Scenario start = Scenario::first_launch(shipped_only());
    SavedSession session;
    session.current = SavedScenario(edited(start, P::sequence_length, 4096));
    Scenario named = edited(start, P::gpus, 512);
    named.name = "a “long” name, with {braces}";
    session.pins = {{'B', SavedScenario(start)},
                    {'D', SavedScenario(named)},
                    {'G', SavedScenario(with_auto(start, P::micro_batch, true))}};
    session.compared = 'D';
    View sweep;
    sweep.plot = "sweep";
    sweep.x = P::hidden_size;
    session.plots = {sweep};
    for (const bool pretty : {true, false}) {
        const std::string text = write_session(session, pretty);
        CHECK(is_session(text));
        Problems problems;
        const SavedSession again = read_saved(text, problems);
        REQUIRE(problems.empty());
        CHECK(again.current == session.current);
        REQUIRE(again.pins.size() == 3);
        for (std::size_t i = 0; i < 3; ++i) {
            CHECK(again.pins[i].letter == session.pins[i].letter);
            CHECK(again.pins[i].scenario == session.pins[i].scenario);
        }
        CHECK(again.compared == 'D');
        CHECK(again.plots == session.plots);
        CHECK(write_session(again, pretty) == text);
    }
}

TEST_CASE("session file: a list of scenarios is enough, and any of them may be the current one", "[files]") {
    Problems problems;
    const SavedSession session = read_saved(
        session_of(R"("scenarios": [{"cluster": {"gpus": 128}}, {}, {"name": "third"}], "current": 1)"),
        problems);
    REQUIRE(problems.empty());
    CHECK(session.current == Scenario::first_launch(shipped_only()));
    REQUIRE(session.pins.size() == 2);
    CHECK(session.pins[0].letter == 'B');
    CHECK(resolve(session.pins[0].scenario)[P::gpus] == 128);
    CHECK(session.pins[1].letter == 'C');
    CHECK(session.pins[1].scenario.name == "third");
    CHECK(session.compared == 'B');

    const SavedSession alone = read_saved(session_of(R"("scenarios": [{}])"), problems);
    REQUIRE(problems.empty());
    CHECK(alone.pins.empty());
    CHECK(alone.compared == 0);
    Problems none;
    CHECK(read_saved(write_session(alone), none).pins.empty());
    CHECK(none.empty());
}

TEST_CASE("session file: a scenario is not read as a session, and a session is not read as a scenario",
          "[files]") {
    CHECK_FALSE(is_session("{}"));
    CHECK_FALSE(is_session(write_scenario(first())));
    CHECK_FALSE(is_session("[1]"));
    CHECK_FALSE(is_session("no json {"));
    CHECK(reports("{}", "/format: this is not a session"));
    Problems problems;
    read_scenario(session_of(R"("scenarios": [{}])"), shipped_only(), "", problems);
    REQUIRE_FALSE(problems.empty());
    CHECK(problems.front().text().find("this is a session") != std::string::npos);
}

TEST_CASE("session file: all problems are reported at once, each with its place", "[files]") {
    const std::string text = session_of(
        R"("scenarios": [{"training": {"micro_batch": -3}}, {"model": {"preset": "mpt-13"}}],
           "current": 2, "scenaros": [])");
    CHECK(reports(text, "/scenarios/0/training/micro_batch: "));
    CHECK(reports(text, "/scenarios/1/model/preset: there is no model preset “mpt-13”"));
    CHECK(reports(text, "/current: 2 is not the index of a scenario"));
    CHECK(reports(text, "/scenaros: the field is not known"));
    CHECK(reports(session_of(R"("scenarios": [])"), "/scenarios: "));
    CHECK(reports(session_of(R"("scenarios": {})"), "/scenarios: "));
    CHECK(reports(session_of(R"("scenarios": [{}, 7])"), "/scenarios/1: a scenario must be a JSON object"));
    CHECK(reports(session_of(R"("scenarios": [{},{},{},{},{},{},{},{}])"), "up to six pins"));
    CHECK(reports(session_of(R"("scenarios": [{},{}], "letters": ["A"])"), "/letters: "));
    CHECK(reports(session_of(R"("scenarios": [{},{}], "letters": ["A", "A"])"),
                  "/letters/1: \"A\" is not the letter of a pin"));
    CHECK(reports(session_of(R"("scenarios": [{},{},{}], "letters": ["A", "C", "C"])"),
                  "two pins are called C"));
    CHECK(reports(session_of(R"("scenarios": [{},{}], "compared": "D")"), "there is no pin D"));
    CHECK(reports(session_of(R"("scenarios": [{}], "plots": 3)"), "/plots: "));
    CHECK(reports(session_of(R"("scenarios": [{}], "plots": [7])"), "/plots/0: "));
    CHECK(reports(session_of(R"("scenarios": [{}], "plots": [{}, {"plot": "sweep", "x": "widht"}])"),
                  "/plots/1/x: "));
    CHECK(reports(R"({"format": "shardscope-session", "version": 2, "scenarios": [{}]})",
                  "this program reads version 1"));
    CHECK(reports("{\"format\": ", "line"));
}
