// Tests reading and writing files: what is refused, where a stream ends, and what remains after a failure.
#include "system/file_io.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <thread>

#include "scenario/catalogue.h"
#include "support/failing_files.h"
#include "support/folder.h"
#include "support/text.h"

using namespace shardscope;
using namespace shardscope::testing;

namespace {

// Returns the one problem of reading this path.
std::string refusal(const std::string& path) {
    Problems problems;
    const std::string text = read_text(path, problems);
    CHECK(text.empty());
    REQUIRE(problems.size() == 1);
    return problems.front().text();
}

// Both ends of a pipe; the end for reading is given as a path.
struct Pipe {
    Pipe() { REQUIRE(::pipe(ends) == 0); }
    ~Pipe() {
        ::close(ends[0]);
        end_writing();
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;
    void end_writing() {
        if (ends[1] >= 0) ::close(ends[1]);
        ends[1] = -1;
    }
    [[nodiscard]] std::string path() const { return "/dev/fd/" + std::to_string(ends[0]); }
    int ends[2] = {-1, -1};
};

// Returns all files below a folder with their contents.
std::map<std::string, std::string> content_of(const Folder& folder) {
    std::map<std::string, std::string> out;
    for (const auto& entry : fs::recursive_directory_iterator(folder.path())) {
        const bool is_file = entry.is_regular_file();
        out[entry.path().string()] = is_file ? read_file(entry.path()) : std::string("a folder");
    }
    return out;
}

}  // namespace

TEST_CASE("reading: a path must lead to a regular file", "[files][streams]") {
    const Folder folder;
    // A named pipe without a writer would block the reader.
    REQUIRE(::mkfifo(folder.file("pipe").c_str(), 0600) == 0);
    CHECK(has(refusal(folder.file("pipe")), "this is a named pipe (only regular files are read)"));
    CHECK(has(refusal("/dev/zero"), "this is a device"));
    CHECK(has(refusal("/dev/null"), "this is a device"));
    CHECK(has(refusal(folder.path()), "this is a folder"));
    const int listening = ::socket(AF_UNIX, SOCK_STREAM, 0);
    ::sockaddr_un address{};
    address.sun_family = AF_UNIX;
    folder.file("socket").copy(address.sun_path, sizeof address.sun_path - 1);
    REQUIRE(::bind(listening, reinterpret_cast<const ::sockaddr*>(&address), sizeof address) == 0);
    CHECK(has(refusal(folder.file("socket")), "this is a socket"));
    ::close(listening);
    // The same holds for links, which are followed.
    fs::create_symlink(folder.file("pipe"), folder.file("link"));
    CHECK(has(refusal(folder.file("link")), "this is a named pipe"));
    fs::create_symlink(folder.file("loop"), folder.file("loop"));
    CHECK(has(refusal(folder.file("loop")), "Too many levels of symbolic links"));
    CHECK(has(refusal(folder.file("nothing")), "it does not exist"));
    // This file has no size and cannot be read.
    CHECK(has(refusal("/proc/self/mem"), "Input/output error"));
    folder.write("file", "\xEF\xBB\xBF{}");
    fs::create_symlink(folder.file("file"), folder.file("to-file"));
    Problems problems;
    CHECK(read_text(folder.file("to-file"), problems) == "{}");
    // The system reports that this file has no size.
    CHECK(has(read_text("/proc/self/status", problems), "VmPeak"));
    CHECK(problems.empty());
}

TEST_CASE("reading: a file or stream may have at most 16 MiB", "[files][streams][limits]") {
    const Folder folder;
    const std::string full(kLargestInput, ' ');
    Problems problems;
    CHECK(read_text(folder.write("full", full), problems).size() == kLargestInput);
    CHECK(problems.empty());
    CHECK(has(refusal(folder.write("more", full + ' ')), "larger than 16 MiB"));
    for (const bool too_large : {false, true}) {
        Pipe pipe;
        std::thread writer([&] {
            std::size_t left = full.size() + (too_large ? 1 : 0);
            while (left > 0) {
                const ::ssize_t taken = ::write(pipe.ends[1], full.data(), std::min(left, full.size()));
                if (taken <= 0) break;
                left -= static_cast<std::size_t>(taken);
            }
            pipe.end_writing();
        });
        Problems own;
        const std::string text = read_text(pipe.path(), own);
        writer.join();
        CHECK(text.size() == (too_large ? 0 : kLargestInput));
        CHECK(own.size() == (too_large ? 1 : 0));
    }
}

TEST_CASE("reading: a log is read in pieces, up to 1 GiB", "[files][streams][limits]") {
    const Folder folder;
    std::string text;
    for (int i = 0; i < 400'000; ++i) text += std::to_string(i) + '\n';  // more than two pieces
    std::string read;
    std::size_t pieces = 0;
    Problems problems;
    const auto take = [&](std::string_view piece) {
        read += piece;
        ++pieces;
    };
    CHECK(read_pieces(folder.write("run.log", text), take, problems));
    CHECK(read == text);
    CHECK(pieces > 2);
    // A sparse file that is one byte too long is refused before it is read.
    const std::string large = folder.write("large.log", "");
    REQUIRE(::truncate(large.c_str(), static_cast<::off_t>(kLargestLog) + 1) == 0);
    pieces = 0;
    CHECK_FALSE(read_pieces(large, take, problems));
    CHECK(pieces == 0);
    REQUIRE(problems.size() == 1);
    CHECK(has(problems.front().text(), "larger than 1 GiB"));
    problems.clear();
    CHECK_FALSE(read_pieces(folder.file("absent"), take, problems));
    CHECK_FALSE(read_pieces(folder.path(), take, problems));
    CHECK(problems.size() == 2);
}

TEST_CASE("reading: the reader waits for a stream, even for a non-blocking one", "[files][streams]") {
    Pipe pipe;
    REQUIRE(::fcntl(pipe.ends[0], F_SETFL, O_NONBLOCK) == 0);
    // The writer starts when the reader waits.
    struct Waited : FileSystem {
        explicit Waited(Pipe& from) : pipe(from) { replace_file_system(this); }
        ~Waited() override { replace_file_system(nullptr); }
        int wait_readable(int descriptor) override {
            CHECK(::write(pipe.ends[1], "{}", 2) == 2);
            pipe.end_writing();
            ++waits;
            return FileSystem::wait_readable(descriptor);
        }
        Pipe& pipe;
        int waits = 0;
    } files(pipe);
    Problems problems;
    CHECK(read_text(pipe.path(), problems) == "{}");
    CHECK(problems.empty());
    CHECK(files.waits == 1);
    CHECK(is_stream(pipe.path()));
    CHECK(is_stream("-"));
    CHECK(is_stream("/dev/stdin"));
    for (const char* path : {"/dev/fd/", "/dev/fd/3x", "/dev/fd/99999999999", "/dev/fd/../zero", "x"})
        CHECK_FALSE(is_stream(path));
    CHECK(has(refusal("/dev/fd/876543"), "Bad file descriptor"));
}

TEST_CASE("presets: pipes, devices and folders in a folder of presets are refused without waiting for them",
          "[files][limits]") {
    const Folder folder;
    folder.write("good.json",
                 R"({"format": "shardscope-preset", "version": 1, "kind": "model", "name": "good"})");
    REQUIRE(::mkfifo(folder.file("pipe.json").c_str(), 0600) == 0);
    fs::create_symlink("/dev/zero", folder.file("zero.json"));
    fs::create_symlink(folder.file("loop.json"), folder.file("loop.json"));
    fs::create_directory(folder.file("folder.json"));
    Problems problems;
    const Catalogue catalogue = Catalogue::with_folder(folder.path(), problems);
    CHECK(catalogue.find(PresetKind::model, "good"));
    REQUIRE(problems.size() == 4);
    for (const Problem& problem : problems) CHECK(problem.where.starts_with(folder.path()));
    CHECK(has(problems[0].text(), "this is a folder"));
    CHECK(has(problems[1].text(), "Too many levels of symbolic links"));
    CHECK(has(problems[2].text(), "this is a named pipe"));
    CHECK(has(problems[3].text(), "this is a device"));
}

TEST_CASE("presets: a folder has limits, and exceeding them is reported", "[files][limits]") {
    const auto problems_of = [](const std::string& path) {
        Problems problems;
        const Catalogue catalogue = Catalogue::with_folder(path, problems);
        CHECK_FALSE(catalogue.find(PresetKind::model, "good"));
        REQUIRE(problems.size() == 1);
        return problems.front().text();
    };
    const std::string good =
        R"({"format": "shardscope-preset", "version": 1, "kind": "model", "name": "good"})";
    const std::string limit_message = "more than 1,000 JSON files or 10,000 entries";
    {
        const Folder folder;
        folder.write("good.json", good);
        for (int i = 0; i < 1000; ++i) std::ofstream(folder.file(std::to_string(i) + ".json"));
        CHECK(has(problems_of(folder.path()), limit_message));
    }
    {
        const Folder folder;
        folder.write("good.json", good);
        for (int i = 0; i < 10000; ++i) std::ofstream(folder.file(std::to_string(i)));
        CHECK(has(problems_of(folder.path()), limit_message));
    }
    {
        // The files have 16 MiB each; after 64 MiB no more are read in full.
        const Folder folder;
        const std::string large = "{\"format\": \"shardscope-scenario\", \"name\": \"" +
                                  std::string(kLargestInput - 100, 'x') + "\"}";
        for (int i = 0; i < 6; ++i) folder.write(std::to_string(i) + ".json", large);
        folder.write("good.json", good);
        CHECK(has(problems_of(folder.path()), "larger than 64 MiB together"));
    }
    // The link leads to the whole file system.
    const Folder folder;
    fs::create_directory_symlink("/", folder.file("root"));
    CHECK(has(problems_of(folder.file("root")), limit_message));
    // Links inside a folder are not followed to other folders.
    Problems problems;
    const Catalogue catalogue = Catalogue::with_folder(folder.path(), problems);
    CHECK(problems.empty());
}

TEST_CASE("writing: a file keeps its permissions, and a link stays a link", "[files]") {
    const Folder folder;
    folder.write("real", "old");
    REQUIRE(::chmod(folder.file("real").c_str(), 0640) == 0);
    fs::create_symlink("real", folder.file("link"));
    fs::create_symlink("missing", folder.file("dangling"));
    Problems problems;
    CHECK(write_file_atomically(folder.file("link"), "new", problems));
    CHECK(fs::is_symlink(folder.file("link")));
    CHECK(read_file(folder.file("real")) == "new");
    CHECK(fs::status(folder.file("real")).permissions() == fs::perms(0640));
    CHECK(write_file_atomically(folder.file("dangling"), "made", problems));
    CHECK(fs::is_symlink(folder.file("dangling")));
    CHECK(read_file(folder.file("missing")) == "made");
    // No other files remain beside them, and a name may be as long as the system allows.
    CHECK(write_file_atomically(folder.file(std::string(255, 'n')), "long", problems));
    CHECK(folder.count() == 5);
    CHECK(problems.empty());
}

TEST_CASE("writing: only regular files are replaced", "[files]") {
    const Folder folder;
    REQUIRE(::mkfifo(folder.file("pipe").c_str(), 0600) == 0);
    fs::create_symlink(folder.file("pipe"), folder.file("link"));
    fs::create_symlink(folder.file("loop"), folder.file("loop"));
    for (const std::string& path : {folder.file("pipe"), folder.file("link"), folder.path(),
                                    std::string("/dev/null"), folder.file("loop")}) {
        CAPTURE(path);
        Problems problems;
        CHECK_FALSE(write_file_atomically(path, "x", problems));
        REQUIRE(problems.size() == 1);
        CHECK(has(problems.front().text(), "choose another location"));
    }
    CHECK(folder.count() == 3);
}

TEST_CASE("writing: a file that a killed program left does not prevent writing", "[files]") {
    const Folder folder;
    const std::string left = folder.write("out.part" + std::to_string(::getpid()), "left");
    // Someone else could create this link to have another file overwritten.
    fs::create_symlink(folder.write("victim", "whole"), left + "-1");
    Problems problems;
    CHECK(write_file_atomically(folder.file("out"), "new", problems));
    CHECK(read_file(folder.file("out")) == "new");
    CHECK(read_file(left) == "left");
    CHECK(read_file(folder.file("victim")) == "whole");
    CHECK(problems.empty());
}

TEST_CASE("writing: if any call fails, either all files have their old contents or all have the new ones",
          "[files][faults]") {
    // The cases are a new file, an old one, an old one through a link, and a report with figures in a folder,
    // new and old.
    struct Files {
        std::vector<std::string> old;
        std::vector<std::pair<std::string, bool>> written;  // whether its folder is created
    };
    const std::vector<Files> all{
        {{}, {{"new", false}}},
        {{"old"}, {{"old", false}}},
        {{"target"}, {{"link", false}}},
        {{}, {{"r-figures/a", true}, {"r-figures/b", true}, {"r.md", false}}},
        {{"r-figures/a", "r.md"}, {{"r-figures/a", true}, {"r-figures/b", true}, {"r.md", false}}}};
    for (std::size_t set = 0; set < all.size(); ++set) {
        for (const int error : {ENOSPC, EIO, EACCES, EDQUOT, EFBIG, EROFS, EINTR}) {
            bool passed = false;
            for (std::size_t n = 1; !passed; ++n) {
                REQUIRE(n < 100);
                const Folder folder;
                for (const std::string& name : all[set].old) folder.write(name, "old " + name);
                if (set == 2) fs::create_symlink("target", folder.file("link"));
                const auto before = content_of(folder);
                std::vector<NewFile> files;
                std::vector<std::string> contents;
                for (const auto& [name, makes_folder] : all[set].written) contents.push_back("new " + name);
                for (std::size_t i = 0; i < contents.size(); ++i)
                    files.push_back(
                        {folder.file(all[set].written[i].first), contents[i], all[set].written[i].second});
                Problems problems;
                std::string about;
                bool written = false;
                std::string failed;
                {
                    const FailingFiles failing(n, error);
                    written = write_files_atomically(files, problems, about);
                    failed = failing.failed();
                }
                passed = failed.empty();
                CAPTURE(set, error, n, failed);
                const auto after = content_of(folder);
                if (!written) {
                    CHECK(after == before);
                    REQUIRE(problems.size() == 1);
                    CHECK(has(problems.front().text(), std::generic_category().message(error)));
                    CHECK(has(problems.front().text(), "choose another location"));
                    CHECK(std::ranges::count(files, about, &NewFile::path) == 1);
                    continue;
                }
                CHECK(problems.empty());
                for (std::size_t i = 0; i < files.size(); ++i) CHECK(read_file(files[i].path) == contents[i]);
                // Only a file that cannot be removed remains.
                std::size_t expected = before.size();
                for (const NewFile& file : files) expected += before.contains(file.path) ? 0 : 1;
                if (!before.contains(folder.file("r-figures")) && files.size() > 1) ++expected;
                CHECK(after.size() == expected + (failed == "unlink" ? 1 : 0));
            }
        }
    }
}

TEST_CASE("writing: files that a killed program left beside a file are removed at its next writing",
          "[files]") {
    const Folder folder;
    const std::string file = folder.write("a.json", "old");
    const ::pid_t gone = ::fork();
    if (gone == 0) ::_exit(0);
    REQUIRE(::waitpid(gone, nullptr, 0) == gone);
    const std::string dead = std::to_string(gone);
    const std::string alive = std::to_string(::getppid());
    for (const std::string& name :
         {"a.json.shardscope-part" + dead, "a.json.shardscope-part" + dead + "-1",
          "a.json.shardscope-old" + dead, "a.json.shardscope-part" + alive, "a.json.part" + dead,
          std::string("a.json.shardscope-part"), "b.json.shardscope-part" + dead})
        folder.write(name, "left");
    const auto is_there = [&](const std::string& name) { return std::filesystem::exists(folder.file(name)); };
    Problems problems;
    SECTION("not with one that is made many times a second") {
        REQUIRE(write_file_atomically(file, "new", problems, Durability::program_end));
        CHECK(is_there("a.json.shardscope-part" + dead));
        remove_leftovers(file);
    }
    SECTION("with any other") { REQUIRE(write_file_atomically(file, "new", problems)); }
    SECTION("when it is asked for") { remove_leftovers(file); }
    CHECK_FALSE(is_there("a.json.shardscope-part" + dead));
    CHECK_FALSE(is_there("a.json.shardscope-part" + dead + "-1"));
    CHECK_FALSE(is_there("a.json.shardscope-old" + dead));
    // Neither files of running programs nor unrelated files are removed.
    CHECK(is_there("a.json.shardscope-part" + alive));
    CHECK(is_there("a.json.part" + dead));
    CHECK(is_there("a.json.shardscope-part"));
    CHECK(is_there("b.json.shardscope-part" + dead));
    CHECK(is_there("a.json"));
}

TEST_CASE("reading: if any call fails, the reason is reported", "[files][faults]") {
    const Folder folder;
    const std::string file = folder.write("file", "{}");
    for (const int error : {EIO, EACCES, ENOMEM, EMFILE, EINTR}) {
        bool passed = false;
        for (std::size_t n = 1; !passed; ++n) {
            REQUIRE(n < 20);
            Problems problems;
            std::string failed;
            std::string text;
            {
                const FailingFiles failing(n, error);
                text = read_text(file, problems);
                failed = failing.failed();
            }
            passed = failed.empty();
            CAPTURE(error, n, failed);
            // A failing close does not matter for a file that was only read.
            const bool harmless = passed || failed == "close" || (error == EINTR && failed != "fstat");
            CHECK(text == (harmless ? "{}" : ""));
            REQUIRE(problems.size() == (harmless ? 0 : 1));
            if (!harmless) CHECK(has(problems.front().text(), std::generic_category().message(error)));
        }
    }
}
