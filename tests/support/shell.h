// The program as a shell calls it, and a folder of one's own to call it in.
#pragma once

#include <sys/wait.h>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace shardscope::testing {

namespace fs = std::filesystem;

struct Ran {
    int code = -1;
    std::string out;
    std::string err;
};

inline std::string slurp(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

// A folder of its own for every test.
class Folder {
  public:
    Folder() {
        // Tests run side by side, so every folder needs a name of its own.
        std::string name = (fs::temp_directory_path() / "shardscope-cli-XXXXXX").string();
        REQUIRE(::mkdtemp(name.data()) != nullptr);
        path_ = name;
    }
    ~Folder() { fs::remove_all(path_); }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    [[nodiscard]] std::string path() const { return path_.string(); }
    [[nodiscard]] std::string file(const std::string& name) const { return (path_ / name).string(); }
    std::string write(const std::string& name, const std::string& text) const {
        fs::create_directories(fs::path(file(name)).parent_path());
        std::ofstream(file(name), std::ios::binary) << text;
        return file(name);
    }
    [[nodiscard]] std::size_t count() const {
        return static_cast<std::size_t>(std::distance(fs::directory_iterator(path_), {}));
    }

  private:
    fs::path path_;
};

inline Ran run(const std::string& arguments, const std::string& input = "{}") {
    const Folder folder;
    const std::string in = folder.write("in", input);
    const std::string command =
        "env -u DISPLAY -u WAYLAND_DISPLAY XDG_DATA_HOME=/nonexistent " SHARDSCOPE_PROGRAM " " + arguments +
        " < " + in + " > " + folder.file("out") + " 2> " + folder.file("err");
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, slurp(folder.file("out")),
            slurp(folder.file("err"))};
}

// The same with `folder` as the working and the user's data folder.
inline Ran run_in(const Folder& folder, const std::string& arguments) {
    const std::string command = "cd " + folder.path() +
                                " && env -u DISPLAY -u WAYLAND_DISPLAY XDG_DATA_HOME=" + folder.path() +
                                " " SHARDSCOPE_PROGRAM " " + arguments + " > out 2> err < /dev/null";
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, slurp(folder.file("out")),
            slurp(folder.file("err"))};
}

}  // namespace shardscope::testing
