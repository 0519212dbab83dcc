// Files for other parsers to read: one run of check_encoding.py checks all files in a folder.
#pragma once

#include <sys/wait.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include "support/folder.h"

namespace shardscope::testing {

class ExternalParsers {
  public:
    // Adds a file of this kind; `entry` describes its expected content for the script's checks.
    void add(const std::string& kind, const std::string& content,
             nlohmann::json entry = nlohmann::json::object()) {
        entry["file"] = keep(content);
        expect(kind, std::move(entry));
    }
    // Writes a file to which entries may refer, and returns its name.
    std::string keep(const std::string& content) {
        const std::string name = std::to_string(files_++);
        folder_.write(name, content);
        return name;
    }
    void expect(const std::string& kind, nlohmann::json entry) {
        entry["kind"] = kind;
        manifest_ += entry.dump() + "\n";
        ++entries_;
    }
    // Checks all files and shows the failures.
    void judge() {
        REQUIRE(entries_ > 0);
        folder_.write("manifest.jsonl", manifest_);
        const std::string log = folder_.file("log");
        const int status =
            std::system(("/usr/bin/python3 -I " SHARDSCOPE_SOURCE_DIR "/tests/support/check_encoding.py " +
                         folder_.path() + " > " + log + " 2>&1")
                            .c_str());
        INFO(read_file(log).substr(0, 20000));
        CHECK(WIFEXITED(status));
        CHECK(WEXITSTATUS(status) == 0);
        CHECK(read_file(log).find("checked: ") != std::string::npos);
    }

  private:
    Folder folder_;
    std::string manifest_;
    std::size_t files_ = 0;
    std::size_t entries_ = 0;
};

}  // namespace shardscope::testing
