// Runs everything that reads or writes again and again while one operation after another fails: the n-th
// allocation or the n-th call to the file system, until all succeed. Each run is a separate process, so that
// none depends on what another has left.
//
// After any failure the existing files are whole, no partial file is left, and the message gives the reason.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <functional>
#include <map>
#include <vector>

#include "app/commands/command.h"
#include "app/program.h"
#include "faults/failing_memory.h"
#include "files/session_file.h"
#include "support/failing_files.h"
#include "support/folder.h"
#include "support/text.h"
#include "system/file_io.h"

using namespace shardscope;
using namespace shardscope::testing;

namespace {

// One use of the program that reads or writes files.
struct Path {
    std::string name;
    std::vector<std::string> arguments;  // of the program
    std::map<std::string, std::string> inputs;
    std::vector<std::string> outputs;
    bool draws = false;  // whether it draws with Qt
};

const std::vector<Path>& paths() {
    static const std::string scenario = R"({"name": "of the test", "cluster": {"gpus": 256}})";
    static const std::vector<Path> all{
        {"estimate", {"estimate", "in.json", "--format", "json"}, {{"in.json", scenario}}, {}},
        {"estimate with a preset of one's own",
         {"estimate", "in.json"},
         {{"in.json", R"({"model": {"preset": "own.json"}})"},
          {"own.json", read_file(SHARDSCOPE_SOURCE_DIR "/presets/models/mpt-7b.json")}},
         {}},
        {"sweep",
         {"sweep", "in.json", "--axis", "gpus=8:64:3", "-o", "out.csv"},
         {{"in.json", scenario}},
         {"out.csv"}},
        {"plan",
         {"plan", "in.json", "--free", "micro_batch", "-o", "out.txt"},
         {{"in.json", scenario}},
         {"out.txt"}},
        {"plan, a share",
         {"plan", "in.json", "--free", "micro_batch", "--shard", "1/2", "-o", "out.jsonl"},
         {{"in.json", scenario}},
         {"out.jsonl"}},
        {"launch",
         {"launch", "in.json", "--for", "megatron", "-o", "out.sh"},
         {{"in.json", scenario}},
         {"out.sh"}},
        {"calibration",
         {"calibrate", "--runs", "runs.csv", "-o", "out.json"},
         {{"runs.csv", read_file(SHARDSCOPE_SOURCE_DIR "/tests/fuzz/corpus/runs/runs.csv")}},
         {"out.json"}},
        {"import of a model",
         {"import", "hf", "config.json"},
         {{"config.json", R"({"model_type": "llama", "hidden_size": 4096})"}},
         {}},
        {"import of launch settings",
         {"import", "launch", "in.sh"},
         {{"in.sh", read_file(SHARDSCOPE_SOURCE_DIR "/tests/fuzz/corpus/megatron/first-launch.sh")}},
         {}},
        {"figure",
         {"export", "in.json", "--plot", "memory", "-o", "out.svg"},
         {{"in.json", scenario}},
         {"out.svg"},
         true},
        {"figure as PDF",
         {"export", "in.json", "--plot", "memory", "-o", "out.pdf"},
         {{"in.json", scenario}},
         {"out.pdf"},
         true},
        {"figure as PNG",
         {"export", "in.json", "--plot", "memory", "-o", "out.png"},
         {{"in.json", scenario}},
         {"out.png"},
         true},
        {"table of a figure",
         {"export", "in.json", "--plot", "memory", "-o", "out.csv"},
         {{"in.json", scenario}},
         {"out.csv"},
         true},
        {"figure and report with its figures",
         {"export", "in.json", "--plot", "memory", "-o", "out.csv", "--report", "out.md"},
         {{"in.json", scenario}},
         {"out.csv", "out.md", "out-figures/memory.svg"},
         true},
    };
    return all;
}

using Contents = std::map<std::string, std::string>;

Contents contents_of(const std::string& folder) {
    Contents out;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        const std::string name = fs::relative(entry.path(), folder).string();
        out[name] = entry.is_directory() ? std::string("a folder") : read_file(entry.path());
    }
    return out;
}

struct Result {
    int status = 0;
    std::string err;
    Contents files;
    std::string failed;  // the call that failed; empty: none
    std::size_t count = 0;
    [[nodiscard]] int code() const { return WIFEXITED(status) ? WEXITSTATUS(status) : -1; }
};

constexpr int kThrown = 98;  // an exit code that the program does not have

// Runs `work` in a separate process, in a folder with these files. Returns its output and the files it
// leaves.
Result in_process(const Contents& before, const std::function<int(Result&)>& work) {
    const Folder folder;
    const Folder told;
    for (const auto& [name, text] : before) folder.write(name, text);
    std::fflush(nullptr);  // so that the child does not write this process's buffer, too
    const ::pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        const ::rlimit none{0, 0};
        ::setrlimit(RLIMIT_CORE, &none);
        if (!std::freopen(told.file("out").c_str(), "w", stdout) ||
            !std::freopen(told.file("err").c_str(), "w", stderr) || ::chdir(folder.path().c_str()) != 0)
            ::_exit(99);
        std::setvbuf(stderr, nullptr, _IONBF, 0);
        Result mine;
        int code = kThrown;
        try {
            code = work(mine);
        } catch (...) {
            // Destructors do not run, because the folder belongs to the parent.
        }
        std::fflush(nullptr);
        told.write("failed", mine.failed);
        told.write("count", std::to_string(mine.count));
        ::_exit(code);
    }
    Result out;
    REQUIRE(::waitpid(child, &out.status, 0) == child);
    out.err = read_file(told.file("err"));
    out.failed = read_file(told.file("failed"));
    out.count = std::strtoul(read_file(told.file("count")).c_str(), nullptr, 10);
    out.files = contents_of(folder.path());
    return out;
}

// The arguments of main(), created before anything fails.
class Arguments {
  public:
    explicit Arguments(const std::vector<std::string>& arguments) : words_{"shardscope"} {
        words_.insert(words_.end(), arguments.begin(), arguments.end());
        for (std::string& word : words_) argv_.push_back(word.data());
        argv_.push_back(nullptr);
    }
    int run() { return run_program(static_cast<int>(words_.size()), argv_.data()); }

  private:
    std::vector<std::string> words_;
    std::vector<char*> argv_;
};

// Returns the files that exist before: the inputs alone, or old outputs, too.
Contents before(const Path& path, bool with_old) {
    Contents out = path.inputs;
    if (!with_old) return out;
    for (const std::string& name : path.outputs) out[name] = "old " + name;
    return out;
}

Contents as_listed(Contents files) {
    // Adds the folders of the outputs, as contents_of lists them.
    Contents out = files;
    for (const auto& [name, text] : files) {
        if (const auto slash = name.rfind('/'); slash != std::string::npos)
            out[name.substr(0, slash)] = "a folder";
    }
    return out;
}

void prepare() {
    ::setenv("XDG_DATA_HOME", "/nonexistent", 1);
    // Qt creates this folder if it is missing.
    static const Folder runtime;
    ::setenv("XDG_RUNTIME_DIR", runtime.path().c_str(), 1);
    // Whatever all runs share is created before the first fork.
    static_cast<void>(commands::catalogue());
}

}  // namespace

TEST_CASE("files: in every command, any call to the file system may fail", "[faults]") {
    prepare();
    for (const Path& path : paths()) {
        for (const bool with_old : {false, true}) {
            // Drawing takes long, so only the harder half is tested.
            if (path.outputs.empty() ? with_old : path.draws && !with_old) continue;
            const Contents old = as_listed(before(path, with_old));
            Contents whole;
            for (const int error : {0, ENOSPC, EIO, EINTR}) {
                if (path.draws && error != 0 && error != ENOSPC) continue;
                bool passed = false;
                for (std::size_t n = error == 0 ? 0 : 1; !passed; ++n) {
                    REQUIRE(n < 200);
                    const Result result = in_process(before(path, with_old), [&](Result& mine) {
                        Arguments arguments(path.arguments);
                        const FailingFiles failing(n, error);
                        const int code = arguments.run();
                        mine.failed = failing.failed();
                        return code;
                    });
                    passed = result.failed.empty();
                    CAPTURE(path.name, with_old, error, n, result.failed, result.err, result.status);
                    if (error == 0) {
                        REQUIRE(result.code() == 0);
                        whole = result.files;
                        for (const std::string& name : path.outputs) CHECK(whole.contains(name));
                        continue;
                    }
                    if (result.code() == 0) {
                        // Only a file that cannot be removed may be left.
                        Contents left = result.files;
                        if (result.failed == "unlink")
                            std::erase_if(left,
                                          [](const auto& file) { return has(file.first, ".shardscope-"); });
                        CHECK((left == whole));
                        continue;
                    }
                    CHECK((result.files == old));
                    CHECK((result.code() == 1 || result.code() == 2));
                    CHECK(has(result.err, std::generic_category().message(error)));
                }
            }
        }
    }
}

TEST_CASE("files: presets and sessions report the call that failed", "[faults]") {
    prepare();
    const std::string good =
        R"({"format": "shardscope-preset", "version": 1, "kind": "model", "name": "good"})";
    for (const int error : {EIO, EACCES, EMFILE}) {
        bool passed = false;
        for (std::size_t n = 1; !passed; ++n) {
            REQUIRE(n < 20);
            const Folder folder;
            folder.write("a.json", good);
            Problems problems;
            std::string failed;
            bool found = false;
            {
                const FailingFiles failing(n, error);
                found = Catalogue::with_folder(folder.path(), problems).find(PresetKind::model, "good");
                failed = failing.failed();
            }
            passed = failed.empty();
            CAPTURE(error, n, failed);
            CHECK(found == (passed || failed == "close"));
            CHECK(problems.size() == (found ? 0 : 1));
            if (!found) CHECK(has(problems.front().text(), std::generic_category().message(error)));
        }
    }
    // The session is written as it is while the window is open.
    const SavedSession session{SavedScenario(Scenario::first_launch(commands::catalogue())), {}};
    for (const int error : {ENOSPC, EIO, EDQUOT}) {
        bool passed = false;
        for (std::size_t n = 1; !passed; ++n) {
            REQUIRE(n < 40);
            const Folder folder;
            const std::string file = folder.write("last.shardscope-session.json", "old");
            Problems problems;
            bool written = false;
            {
                const FailingFiles failing(n, error);
                written = write_file_atomically(file, write_session(session, false), problems,
                                                Durability::program_end);
                passed = failing.failed().empty();
            }
            CAPTURE(error, n);
            CHECK(written == problems.empty());
            CHECK(read_file(file) == (written ? write_session(session, false) : "old"));
            CHECK(folder.count() == 1);
        }
    }
}

namespace {

Result with_failing_memory(const Path& path, bool with_old, std::size_t n, bool on) {
    return in_process(before(path, with_old), [&](Result& mine) {
        Arguments arguments(path.arguments);
        fail_allocation(n, on);
        const int code = arguments.run();
        mine.count = fail_allocation(0, false);
        return code;
    });
}

}  // namespace

TEST_CASE("memory: in every command, any allocation may fail, alone or with all later ones", "[faults]") {
    if (!allocations_can_fail()) {
        WARN("SKIPPED: the address sanitizer brings its own allocation");
        return;
    }
    prepare();
    for (const Path& path : paths()) {
        const bool with_old = !path.outputs.empty();
        const Result undisturbed = with_failing_memory(path, with_old, 0, false);
        REQUIRE(undisturbed.code() == 0);
        REQUIRE(undisturbed.count > 0);
        const Contents old = as_listed(before(path, with_old));
        // Each of the first allocations is tested, then growing steps, because there are up to a million.
        const std::size_t each = path.draws ? 5 : 20;
        for (std::size_t n = 1; n <= undisturbed.count;
             n += n > each ? std::max<std::size_t>(1, n / (path.draws ? 2 : 10)) : 1) {
            for (const bool on : {false, true}) {
                const Result result = with_failing_memory(path, with_old, n, on);
                CAPTURE(path.name, undisturbed.count, n, on, result.status, result.err);
                if (result.code() == 0) {
                    // Some algorithms work with less memory if there is no more.
                    CHECK((result.files == undisturbed.files));
                    continue;
                }
                CHECK((result.files == old));
                // Qt's drawing code does not handle this failure; it may end the program, but not damage a
                // file.
                if (path.draws) continue;
                CHECK(result.code() == 1);
                CHECK(result.err ==
                      "shardscope: out of memory; close other programs, or reduce the request\n");
            }
        }
    }
}

TEST_CASE("memory: several files are all new if they were written, and all old otherwise", "[faults]") {
    if (!allocations_can_fail()) {
        WARN("SKIPPED: the address sanitizer brings its own allocation");
        return;
    }
    const Contents old{{"a.txt", "old a"}, {"b.txt", "old b"}, {"unrelated.txt", "kept"}};
    const Contents written{{"a.txt", "new a"}, {"b.txt", "new b"}, {"unrelated.txt", "kept"}};
    const std::vector<NewFile> files{{"a.txt", "new a"}, {"b.txt", "new b"}};
    const auto write = [&](std::size_t n, bool on) {
        return in_process(old, [&](Result& mine) {
            bool done = false;
            try {
                Problems problems;
                std::string failed;
                fail_allocation(n, on);
                done = write_files_atomically(files, problems, failed);
            } catch (const std::bad_alloc&) {
                done = false;
            }
            mine.count = fail_allocation(0, false);
            return done ? 0 : 1;
        });
    };
    const Result undisturbed = write(0, false);
    REQUIRE(undisturbed.code() == 0);
    REQUIRE(undisturbed.count > 0);
    for (std::size_t n = 1; n <= undisturbed.count; ++n) {
        for (const bool on : {false, true}) {
            const Result result = write(n, on);
            CAPTURE(n, on, result.status, result.err);
            CHECK((result.code() == 0 || result.code() == 1));
            CHECK((result.files == (result.code() == 0 ? written : old)));
        }
    }
}
