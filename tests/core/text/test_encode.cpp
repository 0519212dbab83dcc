// Tests encoding: every hostile text goes through every writer of the engine and is read again by other
// parsers.
#include "text/encode.h"

#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>

#include "explore/plan_report.h"
#include "files/plan_file.h"
#include "files/result.h"
#include "files/scenario_file.h"
#include "files/session_file.h"
#include "launch/launch.h"
#include "presets/calibration_file.h"
#include "presets/hf_config.h"
#include "support/hostile.h"
#include "support/outside_parsers.h"
#include "support/scenarios.h"
#include "text/csv.h"

using namespace shardscope;
using namespace shardscope::testing;
using nlohmann::json;

namespace {

// Catalogues cannot be copied, so all tests share this one.
Catalogue& titled_presets() {
    static Problems none;
    static Catalogue catalogue = Catalogue::with_folder("", none);
    return catalogue;
}

std::string quoted(const std::string& text) {
    return json(text).dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string hex(const std::string& bytes) {
    std::string out;
    for (const char c : bytes) {
        constexpr const char* kDigits = "0123456789abcdef";
        out += kDigits[static_cast<unsigned char>(c) >> 4U];
        out += kDigits[static_cast<unsigned char>(c) & 15U];
    }
    return out;
}

// Returns a model with this title, from a file of its own.
const Preset* model_titled(const std::string& title) {
    static int files = 0;
    Problems problems;
    const Preset* out = titled_presets().add(
        R"({"format": "shardscope-preset", "version": 1, "kind": "model", "name": "mine", "title": )" +
            quoted(title) + R"(, "source": )" + quoted(title) +
            R"(, "values": {"layers": 4, "hidden_size": 256, "ffn_size": 1024, "heads": 4, "kv_heads": 4, "vocab_size": 1024}})",
        "/models/" + std::to_string(++files) + ".json", problems);
    INFO((problems.empty() ? std::string() : problems.front().text()));
    REQUIRE(out != nullptr);
    return out;
}

Answer answer_titled(const std::string& title) {
    Scenario scenario = Scenario::first_launch(titled_presets());
    scenario = with_model(scenario, *model_titled(title));
    scenario.give(P::gpus, 8);
    scenario.give(P::micro_batch, 1);
    Answer out = answer(scenario);
    INFO((out.valid() ? std::string() : out.problems.front().text()));
    REQUIRE(out.valid());
    return out;
}

}  // namespace

TEST_CASE("encode: names are cleaned when they are read", "[encode]") {
    CHECK(one_line("a \r\n b") == "a b");
    CHECK(one_line("\n a  b\t") == "a  b");
    CHECK(one_line(" a ") == " a ");
    CHECK(one_line("a\xE2\x80\xAE"
                   "b\xC2\x9B"
                   "c") == "a b c");
    CHECK(one_line("a\xFF") == "a\xEF\xBF\xBD");
    CHECK(clean_title(std::string(kLongestTitle, 'x')) == std::string(kLongestTitle, 'x'));
    CHECK(clean_title(std::string(kLongestTitle + 1, 'x')) == std::string(kLongestTitle - 1, 'x') + "…");
    for (const char* good : {"dgx-h100", "llama-3.1-405b", "A", "9_x+y"}) CHECK(is_preset_name(good));
    for (const char* bad : {"", "-o", ".x", "../../x", "a b", "a/b", "a\nb", "é", "+a"}) {
        INFO(bad);
        CHECK_FALSE(is_preset_name(bad));
    }
    CHECK(is_preset_name(std::string(kLongestPresetName, 'x')));
    CHECK_FALSE(is_preset_name(std::string(kLongestPresetName + 1, 'x')));
}

TEST_CASE("encode: control characters are escaped for terminals", "[encode]") {
    CHECK(terminal_text("a\tb\r\nc\n") == "a\tb\r\nc\n");
    CHECK(terminal_text("a\rb\x1b[31m\x7f\xC2\x9B\xFF\xE2\x80\xAE") ==
          "a\\u000db\\u001b[31m\\u007f\\u009b\\xff\\u202e");
    CHECK(terminal_line("a\tb\r\nc") == "a\\tb\\u000d\\nc");
    CHECK(terminal_text("über 日本語 🦙") == "über 日本語 🦙");
    CHECK(Problem{"/a\nb", "x\x1b", "", "", 3}.text("f\n.json") == "f\\n.json:3:/a\\nb: x\\u001b");
}

TEST_CASE("encode: Markdown special characters are escaped, and numbers stay readable", "[encode]") {
    CHECK(markdown_text("0.446 × of 1.3B") == "0.446 × of 1.3B");
    CHECK(markdown_text("-1.5 %") == "-1.5 %");
    CHECK(markdown_text("1. x") == "1\\. x");
    CHECK(markdown_text("2)") == "2\\)");
    CHECK(markdown_text("- x") == "\\- x");
    CHECK(markdown_text("---") == "\\---");
    CHECK(markdown_text("===") == "\\===");
    CHECK(markdown_text(" <b> a_b & [x] | c\n") == "\\<b\\> a\\_b \\& \\[x\\] \\| c");
}

TEST_CASE("encode: a CSV field that would be a formula gets an apostrophe in front, and reads back",
          "[encode]") {
    CHECK(csv_field("plain") == "plain");
    CHECK(csv_field("a,\"b\"") == "\"a,\"\"b\"\"\"");
    CHECK(csv_field("=1+1") == "'=1+1");
    CHECK(csv_field("-1.5e3") == "-1.5e3");
    CHECK(csv_field("+3") == "+3");
    CHECK(csv_field("-1+1") == "'-1+1");
    CHECK(csv_field("'=1") == "''=1");
    for (const std::string& text : hostile_texts(500)) {
        const std::string valid = valid_utf8(text);
        const std::vector<CsvRow> rows = read_csv("x," + csv_field(text) + "\n");
        REQUIRE(rows.size() == 1);
        REQUIRE(rows[0].fields.size() == 2);
        CHECK(rows[0].fields[1] == valid);
    }
}

TEST_CASE("encoding: hostile titles and names are plain text to every parser of the engine's output",
          "[encoding]") {
    ExternalParsers parsers;
    const std::vector<std::string> texts = hostile_texts(200);
    const Answer plain = answer_titled("Plain");
    std::map<std::string_view, std::string> plain_file;
    for (const LaunchFormat* format : launch_formats())
        plain_file[format->name] = parsers.keep(format->write(plain).text);

    const std::map<const LaunchFormat*, std::string> kinds{
        {&kMegatron, "shell"},        {&kTorchtitan, "toml"},
        {&kFsdp2, "python"},          {&kTorchtitanPython, "python"},
        {&kMegatronBridge, "python"}, {&kAccelerate, "yaml"},
        {&kPrimus, "yaml"},           {&kAxolotl, "yaml"},
        {&kMaxText, "yaml"},
    };
    json csv_texts = json::array();
    json words = json::array();
    std::string csv;
    std::string command = "words";
    for (const std::string& text : texts) {
        const Answer found = answer_titled(text);
        const std::string title = found.scenario.title();
        parsers.expect("title", {{"text", found.scenario.model->title}});
        for (const LaunchFormat* format : launch_formats()) {
            const LaunchText written = format->write(found);
            if (format == &kDeepspeed) {
                CHECK(written.text == kDeepspeed.write(plain).text);  // it contains no names
                continue;
            }
            parsers.add(kinds.at(format), written.text,
                        {{"plain", plain_file[format->name]}, {"text", title}});
        }
        // The scenario's own name, in the outputs for people and for programs.
        Problems problems;
        const Scenario named =
            read_scenario(R"({"name": )" + quoted(text) + "}", titled_presets(), {}, problems);
        REQUIRE(problems.empty());
        CHECK(named.name == clean_title(valid_utf8(text)));
        const json name{{"place", {"name"}}, {"text", named.title()}};
        if (!named.name.empty()) parsers.add("json", write_scenario(named), name);
        parsers.add("json", result_json(answer(named), false), name);
        parsers.add("terminal", result_text(answer(named), false), {{"holds", named.title()}});
        parsers.add("json", invalid_json(text, {{text, text, text, text}}),
                    {{"place", {"name"}}, {"text", valid_utf8(text)}});
        parsers.add("json", write_session({SavedScenario(named), {{'B', SavedScenario(named)}}}),
                    {{"place", {"current"}}, {"text", 0}});
        parsers.add("json", write_calibration({}, text, text),
                    {{"place", {"source"}}, {"text", valid_utf8(text)}});
        const ImportedModel imported =
            import_hf_config(R"({"model_type": "llama", "hidden_size": 64, "num_hidden_layers": 2,
                "num_attention_heads": 2, "vocab_size": 99, "intermediate_size": 128, "_name_or_path": )" +
                                 quoted(text) + "}",
                             {}, problems);
        REQUIRE(problems.empty());
        CHECK(is_preset_name(imported.name));
        parsers.add("json", imported.preset, {{"place", {"name"}}, {"text", imported.name}});
        parsers.expect("title", {{"text", json::parse(imported.preset)["title"]}});
        // The text stays one word, one field and one line.
        if (text.find('\0') == std::string::npos) {  // no argument can contain it
            command += " " + shell_word(text);
            words.push_back(hex(text));
        }
        csv += std::to_string(csv_texts.size()) + "," + csv_field(text) + "\r\n";
        csv_texts.push_back(valid_utf8(text));
        const std::string line = markdown_text(text);
        if (!one_line(text).empty() && one_line(text).find_first_not_of(' ') != std::string::npos) {
            const auto document = [](const std::string& one) {
                return "# " + one + "\n\n" + one + "\n\n| " + one + " | b |\n|---|---|\n| c | " + one +
                       " |\n";
            };
            static const std::string plain_document = parsers.keep(document("Plain"));
            parsers.add(
                "markdown", document(line),
                {{"text", one_line(text)}, {"plain", plain_document}, {"shown_in", {"h1", "p", "th", "td"}}});
        }
        parsers.add("terminal", terminal_text(text));
        parsers.add("terminal", terminal_line(text), {{"allowed", ""}});
        parsers.add("terminal", comment_line(text));
    }
    parsers.add("words", command + "\n", {{"words", words}});
    parsers.add("csv", csv, {{"texts", csv_texts}});
    parsers.judge();
}

TEST_CASE("encoding: a search's reports and shares contain the scenario's name as text", "[encoding]") {
    ExternalParsers parsers;
    for (const std::string& text : hostile_texts(20)) {
        Problems problems;
        PlanQuestion question;
        question.scenario =
            read_scenario(R"({"name": )" + quoted(text.empty() ? "x" : text) +
                              R"(, "cluster": {"gpus": 8}, "model": {"preset": "gpt2-1.5b"}})",
                          titled_presets(), {}, problems);
        REQUIRE(problems.empty());
        question.free.set(index(P::micro_batch));
        const std::string title = question.scenario.title();
        const PlanReport report = plan_report(question, 1);
        parsers.add("json", plan_json(report), {{"place", {"name"}}, {"text", title}});
        parsers.add("terminal", plan_text(report), {{"holds", title}});
        const std::string share = shard_lines(question, {}, 1);
        parsers.add("json", share.substr(0, share.find('\n')),
                    {{"place", {"search", "scenario", "cluster", "gpus"}}, {"text", 8}});
        Catalogue& catalogue = titled_presets();
        const PlanReport merged = merge_shards({share}, {"share"}, catalogue, problems);
        REQUIRE(problems.empty());
        CHECK(merged.question.scenario.title() == title);
    }
    parsers.judge();
}
