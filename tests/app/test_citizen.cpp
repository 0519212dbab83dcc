// Tests what desktops, shells and package managers use of the program: equal versions, completions, the
// manual page, and an installation in another place.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "support/shell.h"

using namespace shardscope::testing;

namespace {

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> out;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) out.push_back(line);
    return out;
}

bool has_word(const std::vector<std::string>& list, const std::string& word) {
    return std::find(list.begin(), list.end(), word) != list.end();
}

// Returns the text between two others.
std::string between(const std::string& text, const std::string& before, const std::string& after) {
    const auto begin = text.find(before);
    if (begin == std::string::npos) return {};
    const auto start = begin + before.size();
    return text.substr(start, text.find(after, start) - start);
}

// Returns what bash offers after `typed` with the cursor at its end. `words` is the input as bash splits it.
std::vector<std::string> bash_offers(const std::string& words, const std::string& typed) {
    const Folder folder;
    folder.write("completion.bash", run("completion bash").out);
    folder.write("my-scenario.json", "{}");
    folder.write("ask.bash", ". ./completion.bash\nCOMP_WORDS=(shardscope " + words +
                                 ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\nCOMP_LINE='shardscope " + typed +
                                 "'\nCOMP_POINT=${#COMP_LINE}\n_shardscope " SHARDSCOPE_PROGRAM
                                 "\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n");
    const std::string command =
        "cd " + folder.path() + " && XDG_DATA_HOME=/nonexistent bash -u ask.bash > out 2> err";
    CHECK(std::system(command.c_str()) == 0);
    CHECK(read_file(folder.file("err")).empty());
    return lines_of(read_file(folder.file("out")));
}

// Returns the names of the commands in a help text.
std::vector<std::string> commands_in(const std::string& help) {
    std::vector<std::string> out;
    bool inside = false;
    for (const std::string& line : lines_of(help)) {
        if (line == "Subcommands:") inside = true;
        else if (inside && line.starts_with("  ") && line.size() > 2 && line[2] != ' ')
            out.push_back(line.substr(2, line.find(' ', 2) - 2));
    }
    return out;
}

// Returns every command's arguments: "estimate", "presets show".
std::vector<std::string> all_commands() {
    std::vector<std::string> out;
    for (const std::string& command : commands_in(run("--help").out)) {
        out.push_back(command);
        for (const std::string& inner : commands_in(run(command + " --help").out))
            out.push_back(command + " " + inner);
    }
    return out;
}

}  // namespace

TEST_CASE("version: program, changelog, metainfo and packages agree", "[cli]") {
    const std::string version = run("--version").out;
    const std::string newest =
        between(read_file(SHARDSCOPE_SOURCE_DIR "/resources/CHANGELOG.md"), "\n## ", "\n");
    const std::string number = newest.substr(0, newest.find(' '));
    const std::string date = between(newest, "(", ")");
    CHECK(version == "shardscope " + number + "\n");
    const std::string made = SHARDSCOPE_RESOURCES;
    CHECK(between(read_file(made + "/org.shardscope.Shardscope.metainfo.xml"), "<release version=", ">") ==
          "\"" + number + "\" date=\"" + date + "\"");
    CHECK(read_file(made + "/changelog.Debian").starts_with("shardscope (" + number + "-1) "));
    CHECK(run("manual").out.find(".TH SHARDSCOPE 1 " + date + " \"Shardscope " + number + "\"") !=
          std::string::npos);
}

TEST_CASE("completion: bash is offered commands, options, keys, values, presets and files", "[cli]") {
    CHECK(bash_offers("est", "est") == std::vector<std::string>{"estimate"});
    CHECK(has_word(bash_offers("''", ""), "my-scenario.json"));
    CHECK(bash_offers("estimate --hyp", "estimate --hyp") == std::vector<std::string>{"--hypothetical"});
    CHECK(bash_offers("estimate --format ''", "estimate --format ") ==
          std::vector<std::string>{"text", "json"});
    CHECK(bash_offers("parameters --format ''", "parameters --format ") ==
          std::vector<std::string>{"markdown", "schema", "preset-schema"});
    CHECK(bash_offers("estimate my", "estimate my") == std::vector<std::string>{"my-scenario.json"});
    CHECK(bash_offers("estimate scaling-trends-h", "estimate scaling-trends-h") ==
          std::vector<std::string>{"scaling-trends-hardware"});
    CHECK(bash_offers("presets show dgx-h", "presets show dgx-h") ==
          std::vector<std::string>{"dgx-h100", "dgx-h200"});
    CHECK(has_word(bash_offers("solve x --for cluster.gp", "solve x --for cluster.gp"), "cluster.gpus"));
    CHECK(has_word(bash_offers("export x --plot ''", "export x --plot "), "walls"));
    // --against takes one output, --output takes several.
    CHECK(bash_offers("export x --against ideal.mfu_b", "export x --against ideal.mfu_b") ==
          std::vector<std::string>{"ideal.mfu_bound"});
    CHECK(has_word(bash_offers("export x --output mfu,ideal.mfu_b", "export x --output mfu,ideal.mfu_b"),
                   "mfu,ideal.mfu_bound"));
    // Neither hidden commands nor words with another beginning are offered.
    CHECK_FALSE(has_word(bash_offers("''", ""), "manual"));
    CHECK(bash_offers("estimate --format y", "estimate --format y").front().empty());
    // A key is completed with its equals sign, which bash treats as a separate word.
    CHECK(bash_offers("estimate x --set training.recomp", "estimate x --set training.recomp") ==
          std::vector<std::string>{"training.recompute=", "training.recompute_modules="});
    CHECK(bash_offers("estimate x --set recompute =", "estimate x --set recompute=") ==
          std::vector<std::string>{"none", "selective", "full"});
    CHECK(bash_offers("estimate x --set recompute = se", "estimate x --set recompute=se") ==
          std::vector<std::string>{"selective"});
    CHECK(bash_offers("estimate x --set model.preset = mpt-13", "estimate x --set model.preset=mpt-13") ==
          std::vector<std::string>{"mpt-13b"});
    // The next word begins after a blank.
    CHECK(has_word(bash_offers("sweep x --axis gpus = ''", "sweep x --axis gpus= "), "my-scenario.json") ==
          false);
    // A list is completed at its end.
    CHECK(bash_offers("sweep x --output mfu,step_ti", "sweep x --output mfu,step_ti") ==
          std::vector<std::string>{"mfu,step_time_s"});
    CHECK(bash_offers("sweep x --axis sharding = zero1,h", "sweep x --axis sharding=zero1,h") ==
          std::vector<std::string>{"zero1,hsdp"});
}

TEST_CASE("completion: for a shell without a script, the shells that have one are named", "[cli]") {
    for (const char* arguments : {"completion tcsh", "completion"}) {
        INFO(arguments);
        const RunResult ran = run(arguments);
        CHECK(ran.code == 2);
        CHECK(ran.out.empty());
        CHECK(ran.err.starts_with(arguments));
        CHECK(ran.err.find("use one of bash, zsh, fish") != std::string::npos);
    }
    CHECK(run("completion bash more").code == 2);
}

TEST_CASE("completion: every option's help describes its value", "[cli]") {
    for (const std::string& command : all_commands()) {
        for (const std::string& line : lines_of(run(command + " --help").out)) {
            INFO("shardscope " << command << ": give the option of this line a type_name from command.h\n"
                               << line);
            CHECK(line.find(" TEXT ") == std::string::npos);
        }
    }
}

TEST_CASE("manual: every command and option is described, and every example runs", "[cli]") {
    const RunResult ran = run("manual");
    REQUIRE(ran.code == 0);
    std::string page;
    for (std::size_t i = 0; i < ran.out.size(); ++i) {
        if (ran.out.compare(i, 2, "\\-") == 0) continue;  // the backslash of a hyphen
        page += ran.out[i];
    }
    const std::vector<std::string> commands = all_commands();
    REQUIRE(commands.size() > 10);
    for (const std::string& command : commands) {
        INFO(command);
        CHECK(page.find("\n.SS " + command) != std::string::npos);
        const std::string own = between(page, "\n.SS " + command, "\n.S");
        for (const std::string& line : lines_of(run(command + " --help").out)) {
            if (!line.starts_with("  --") || line.starts_with("  --help")) continue;
            INFO(line);
            CHECK(own.find("\\fB" + line.substr(2, line.find_first_of(" ,", 2) - 2) + "\\fR") !=
                  std::string::npos);
        }
    }
    const Folder folder;
    int examples = 0;
    for (std::size_t at = page.find("\n.nf\n"); at != std::string::npos; at = page.find("\n.nf\n", at + 1)) {
        std::string example = page.substr(at + 5, page.find('\n', at + 5) - at - 5);
        const auto replace = [&example](const std::string& from, const std::string& to) {
            for (auto i = example.find(from); i != std::string::npos; i = example.find(from, i + to.size()))
                example.replace(i, from.size(), to);
        };
        replace("\\(aq", "'");
        replace("shardscope ", SHARDSCOPE_PROGRAM " ");
        folder.write("example.sh", example);
        INFO(example);
        const std::string command = "cd " + folder.path() + " && sh example.sh > out 2> err";
        CHECK(std::system(command.c_str()) == 0);
        CHECK(read_file(folder.file("err")).empty());
        ++examples;
    }
    CHECK(examples >= 5);
}

TEST_CASE("installed: every file is at its place below another prefix, and the program runs there", "[cli]") {
    const Folder folder;
    const std::string command = "cmake --install " SHARDSCOPE_BUILD_DIR " --component program --prefix " +
                                folder.path() + " > " + folder.file("log");
    REQUIRE(std::system(command.c_str()) == 0);
    for (const std::string place :
         {"share/applications/org.shardscope.Shardscope.desktop",
          "share/metainfo/org.shardscope.Shardscope.metainfo.xml",
          "share/mime/packages/org.shardscope.Shardscope.xml",
          "share/icons/hicolor/scalable/apps/org.shardscope.Shardscope.svg",
          "share/icons/hicolor/symbolic/apps/org.shardscope.Shardscope-symbolic.svg",
          "share/icons/hicolor/48x48/apps/org.shardscope.Shardscope.png", "share/man/man1/shardscope.1.gz",
          "share/bash-completion/completions/shardscope",
          "share/fish/vendor_completions.d/shardscope.fish"}) {
        INFO(place);
        CHECK(fs::file_size(folder.file(place)) > 100);
    }
    const std::string run_it = "echo '{}' | env -u DISPLAY -u WAYLAND_DISPLAY XDG_DATA_HOME=/nonexistent " +
                               folder.file("bin/shardscope") + " estimate - > " + folder.file("out");
    CHECK(std::system(run_it.c_str()) == 0);
    CHECK(read_file(folder.file("out")) == run("estimate -").out);
}
