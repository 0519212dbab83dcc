// Tests that the program uses no network. It runs behind a kernel filter that ends a program that opens a
// forbidden socket: commands may open none, the window those to the display and the desktop's bus.
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <array>
#include <catch2/catch.hpp>
#include <chrono>
#include <cstddef>
#include <thread>
#include <vector>

#include "support/folder.h"

using namespace shardscope::testing;

namespace {

enum class Sockets { none, local };  // local: of the family AF_UNIX

// Installs the filter for this process and all that it starts. This needs no privilege and no tracing.
bool restrict_sockets(Sockets allowed) {
    const auto load = [](std::size_t at) {
        return ::sock_filter BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(at));
    };
    const std::uint32_t family = allowed == Sockets::local ? AF_UNIX : ~0U;  // no family has that number
    constexpr std::uint32_t kKill = SECCOMP_RET_KILL_PROCESS;
    std::array<::sock_filter, 6> program{
        load(offsetof(::seccomp_data, nr)),
        ::sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 0, 3),  // any other call is allowed
        load(offsetof(::seccomp_data, args)),  // the family: the lower half of the first argument
        ::sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, family, 1, 0),
        ::sock_filter BPF_STMT(BPF_RET | BPF_K, kKill),
        ::sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    ::sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
    return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

constexpr int kNoFilter = 120;  // an exit code that the program does not have

// Starts a shell command behind the filter, in a folder that is also the home.
::pid_t start(const Folder& folder, Sockets allowed, const std::string& line) {
    const std::string whole = "cd " + folder.path() + " && export XDG_CONFIG_HOME=" + folder.path() +
                              "/config XDG_DATA_HOME=" + folder.path() +
                              "/data shardscope=" SHARDSCOPE_PROGRAM " && exec > out 2> err < /dev/null && " +
                              line;
    const ::pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        // Without these variables bash asks the system for the user's name, which opens a local socket.
        ::setenv("HOME", folder.path().c_str(), 1);
        ::setenv("SHELL", "/bin/bash", 1);
        if (!restrict_sockets(allowed)) ::_exit(kNoFilter);
        ::execl("/bin/bash", "bash", "-c", whole.c_str(), nullptr);
        ::_exit(kNoFilter);
    }
    return child;
}

int status_of(::pid_t child) {
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    return status;
}

bool is_killed_by_filter(int status) { return WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS; }

// Returns false, with a message, if the kernel or a container does not let a program filter its own calls.
bool filter_works() {
    const Folder folder;
    // bash opens an Internet socket for this path; it cannot open a local socket.
    const int status = status_of(start(folder, Sockets::local, "exec 3<> /dev/udp/127.0.0.1/9"));
    if (WIFEXITED(status) && WEXITSTATUS(status) == kNoFilter) {
        WARN("SKIPPED: this system does not let a program filter its own system calls (seccomp)");
        return false;
    }
    CHECK(is_killed_by_filter(status));
    return true;
}

}  // namespace

TEST_CASE("commands open no socket, except export, which may open local ones", "[network]") {
    if (!filter_works()) return;
    for (const char* arguments :
         {"--help", "--version", "manual", "completion bash", "parameters", "presets list",
          "presets show dgx-h100", "estimate first-launch --format json",
          "sweep first-launch --axis gpus=8:64:3", "plan first-launch --free micro_batch",
          "plan first-launch --free micro_batch --over gpus=8,16",
          "solve first-launch --for sequence_length --target fits",
          "export first-launch --plot memory -o figure.svg",
          "export first-launch --plot memory -o figure.png", "export first-launch --report report.pdf",
          "validate", "launch first-launch", "import hf " SHARDSCOPE_SOURCE_DIR "/tests/app/missing.json"}) {
        const Folder folder;
        // Qt asks for the user's name to find the folder of its runtime files, and glibc may ask a local
        // service.
        const bool draws = std::string(arguments).starts_with("export");
        const int status = status_of(start(folder, draws ? Sockets::local : Sockets::none,
                                           "exec $shardscope " + std::string(arguments)));
        CAPTURE(arguments, status, read_file(folder.file("err")));
        CHECK_FALSE(is_killed_by_filter(status));
        CHECK(WIFEXITED(status));
        CHECK(WEXITSTATUS(status) == (std::string(arguments).starts_with("import") ? 2 : 0));
    }
}

TEST_CASE("the window opens only local sockets: to the display and to the desktop's bus", "[network]") {
    if (!filter_works()) return;
    const Folder folder;
    folder.write("scenario.json", R"({"name": "opened in the window"})");
    // No program listens at the bus's address, but the window still tries it.
    const ::pid_t child =
        start(folder, Sockets::local,
              "export QT_QPA_PLATFORM=offscreen DBUS_SESSION_BUS_ADDRESS=unix:path=" + folder.file("bus") +
                  " && exec $shardscope scenario.json");
    // Once the file is in the list of recent files, the window has started, opened the file and written its
    // settings.
    const std::string settings = folder.file("config/Shardscope/Shardscope.conf");
    int status = 0;
    ::pid_t ended = 0;
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(120);
    while (read_file(settings).find("scenario.json") == std::string::npos && ended == 0 &&
           std::chrono::steady_clock::now() < deadline) {
        ended = ::waitpid(child, &status, WNOHANG);
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    CAPTURE(status, read_file(folder.file("err")));
    CHECK(ended == 0);
    CHECK(read_file(settings).find("scenario.json") != std::string::npos);
    if (ended != 0) return;
    ::kill(child, SIGTERM);
    status = status_of(child);
    CHECK_FALSE(is_killed_by_filter(status));
}
