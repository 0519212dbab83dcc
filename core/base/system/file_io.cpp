#include "system/file_io.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "system/file_system.h"
#include "text/text.h"
#include "text/translate.h"

namespace shardscope {
namespace {

// Repeats a call that a signal interrupted.
template <typename Call>
auto uninterrupted(Call&& call) {
    auto result = call();
    while (result < 0 && errno == EINTR) result = call();
    return result;
}

std::string system_message(int error) { return std::generic_category().message(error); }

// Returns the descriptor that the path of a stream names.
std::optional<int> stream_descriptor(const std::string& path) {
    if (path == "-" || path == "/dev/stdin") return STDIN_FILENO;
    constexpr std::string_view kDescriptors = "/dev/fd/";
    constexpr std::size_t kMostDigits = 9;
    if (!path.starts_with(kDescriptors)) return std::nullopt;
    const std::string number = path.substr(kDescriptors.size());
    if (number.empty() || number.size() > kMostDigits ||
        !std::ranges::all_of(number, [](char c) { return c >= '0' && c <= '9'; }))
        return std::nullopt;
    return std::stoi(number);
}

// Closes a descriptor that this file has opened.
class Descriptor {
  public:
    explicit Descriptor(int number) : number_(number) {}
    ~Descriptor() { close(); }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    [[nodiscard]] int number() const { return number_; }
    // Some file systems report a failed write only here. Linux closes the descriptor even on an error.
    bool close() {
        if (number_ < 0) return true;
        const int closed = file_system().close(std::exchange(number_, -1));
        return closed >= 0 || errno == EINTR;
    }

  private:
    int number_;
};

Problem unreadable(const std::string& why, const std::string& suggestion) {
    return {"", translate("the file cannot be read"), why, suggestion};
}

// Returns why a file of this kind is not read; nothing for a regular file.
std::optional<Problem> wrong_kind(::mode_t mode) {
    if (S_ISREG(mode)) return std::nullopt;
    if (S_ISDIR(mode))
        return Problem{"", translate("this is a folder"), translate("a file is expected"),
                       translate("name a file in it")};
    return Problem{"",
                   S_ISFIFO(mode)   ? translate("this is a named pipe")
                   : S_ISSOCK(mode) ? translate("this is a socket")
                                    : translate("this is a device"),
                   translate("only regular files are read"),
                   translate("save its content in a file, or pass it through standard input")};
}

Problem too_large(std::size_t most) {
    if (most == kLargestLog)
        return {"", translate("the log is larger than 1 GiB"), translate("all its lines are read"),
                translate("give the part with the settings and the steps")};
    return {"", translate("the input is larger than 16 MiB"), translate("no scenario or table is that large"),
            translate("check the path")};
}

// Returns why the file could not be opened, according to errno.
Problem not_opened(const std::string& path) {
    const int error = errno;
    struct ::stat status {};
    // ENXIO may mean a socket, which open() cannot open.
    if (error == ENXIO && file_system().stat(path.c_str(), &status) == 0) {
        if (auto wrong = wrong_kind(status.st_mode)) return *wrong;
    }
    if (error == ENOENT) return unreadable(translate("it does not exist"), translate("check the path"));
    if (error == EACCES || error == EPERM)
        return unreadable(system_message(error), translate("check its permissions"));
    return unreadable(system_message(error), translate("check the path"));
}

// Reads at most `size` bytes and returns their number, 0 at the end of the input; nothing, with a problem, on
// an error.
std::optional<std::size_t> read_some(int descriptor, char* into, std::size_t size, bool waits,
                                     Problems& problems) {
    FileSystem& files = file_system();
    while (true) {
        const ::ssize_t count = uninterrupted([&] { return files.read(descriptor, into, size); });
        if (count >= 0) return static_cast<std::size_t>(count);
        if (errno == EAGAIN && waits && uninterrupted([&] { return files.wait_readable(descriptor); }) > 0)
            continue;
        problems.push_back(unreadable(system_message(errno), translate("check the path")));
        return std::nullopt;
    }
}

// Reads to the end of the input, but not beyond kLargestInput.
std::string read_descriptor(int descriptor, std::size_t expected, bool waits, Problems& problems) {
    constexpr std::size_t kSmallest = 4096;
    std::string text;
    std::size_t used = 0;
    while (used <= kLargestInput) {
        if (used == text.size())
            text.resize(std::min(std::max({2 * used, expected + 1, kSmallest}), kLargestInput + 1));
        const auto count = read_some(descriptor, text.data() + used, text.size() - used, waits, problems);
        if (!count) return {};
        if (*count == 0) {
            text.resize(used);
            return text;
        }
        used += *count;
    }
    problems.push_back(too_large(kLargestInput));
    return {};
}

// Returns the path with the links at its end followed; the file at the end need not exist. Returns nothing if
// a link cannot be followed, and sets errno.
std::optional<std::string> link_target(std::string path) {
    constexpr int kMostLinks = 40;  // the limit of Linux
    for (int followed = 0; followed < kMostLinks; ++followed) {
        std::array<char, PATH_MAX> target{};
        const ::ssize_t size = file_system().readlink(path.c_str(), target.data(), target.size());
        if (size < 0 && (errno == EINVAL || errno == ENOENT)) return path;  // no link, or no file yet
        if (size < 0) return std::nullopt;
        const std::string_view to(target.data(), static_cast<std::size_t>(size));
        path = to.starts_with('/') ? std::string(to) : path.substr(0, path.rfind('/') + 1) + std::string(to);
    }
    errno = ELOOP;
    return std::nullopt;
}

// While a file is written, its new content is in the same folder, under the file's name with the ending
// kPart. Its old content is kept under the ending kOld until all files are in place. The process number
// follows each ending.
constexpr std::string_view kPart = ".shardscope-part";
constexpr std::string_view kOld = ".shardscope-old";

// Returns what the names of these two temporary files begin with.
std::string name_beside(const std::string& target) {
    constexpr std::size_t kLongest = 200;  // a name may have 255 bytes
    const auto slash = target.rfind('/');
    const std::size_t name = slash == std::string::npos ? 0 : slash + 1;
    return target.substr(0, name) + target.substr(name, kLongest);
}

// Returns whether `ending` belongs to a temporary file whose process has ended: ".shardscope-part123" or
// ".shardscope-part123-1".
bool is_left_over(std::string_view ending) {
    for (const std::string_view kind : {kPart, kOld}) {
        if (!ending.starts_with(kind)) continue;
        constexpr std::size_t kMostDigits = 9;
        const std::string number(ending.substr(kind.size(), ending.find('-', kind.size()) - kind.size()));
        if (number.empty() || number.size() > kMostDigits ||
            number.find_first_not_of("0123456789") != std::string::npos)
            return false;
        return ::kill(std::stoi(number), 0) < 0 && errno == ESRCH;
    }
    return false;
}

// Reads the folder with POSIX functions, because the directory iterators of libstdc++ end the program if
// memory fails between two entries.
void remove_leftovers_beside(const std::string& beside) {
    const std::size_t name_at = beside.rfind('/') + 1;  // 0 without a folder
    const std::string folder = name_at == 0 ? "./" : beside.substr(0, name_at);
    const std::string_view name = std::string_view(beside).substr(name_at);
    const auto close = [](::DIR* entries) { ::closedir(entries); };
    const std::unique_ptr<::DIR, decltype(close)> entries(::opendir(folder.c_str()), close);
    if (!entries) return;
    while (const ::dirent* entry = ::readdir(entries.get())) {
        const std::string_view other = entry->d_name;
        if (other.starts_with(name) && is_left_over(other.substr(name.size())))
            file_system().unlink((folder + entry->d_name).c_str());
    }
}

// Replaces one file in the steps prepare(), replace() and finish(). Without finish() the destructor restores
// the old state.
class Replacement {
  public:
    explicit Replacement(const NewFile& file) : file_(file) {}
    ~Replacement() { undo(); }
    Replacement(const Replacement&) = delete;
    Replacement& operator=(const Replacement&) = delete;

    // Writes the content under a temporary name. Returns false and sets `problem` on failure.
    bool prepare(Durability durability, Problem& problem) {
        if (!find_target(problem) || !make_folder(problem)) return false;
        FileSystem& files = file_system();
        Descriptor descriptor(create());
        if (descriptor.number() < 0) return fail(translate("the file cannot be written"), problem);
        written_ = true;
        const auto failed = [&] { return fail(translate("the file cannot be written completely"), problem); };
        if (mode_ && uninterrupted([&] { return files.fchmod(descriptor.number(), *mode_); }) < 0)
            return failed();
        std::string_view left = file_.content;
        while (!left.empty()) {
            const ::ssize_t count =
                uninterrupted([&] { return files.write(descriptor.number(), left.data(), left.size()); });
            if (count == 0) errno = EIO;
            if (count <= 0) return failed();
            left.remove_prefix(static_cast<std::size_t>(count));
        }
        if (durability == Durability::power_failure &&
            uninterrupted([&] { return files.fsync(descriptor.number()); }) < 0)
            return failed();
        return descriptor.close() || failed();
    }

    // Renames the written file to its final name. `can_undo` keeps the old file until finish().
    bool replace(bool can_undo, Problem& problem) {
        FileSystem& files = file_system();
        // On a file system without hard links the old file is not kept, so this file cannot be restored.
        if (can_undo && mode_) kept_ = files.link(target_.c_str(), old_.c_str()) == 0;
        if (uninterrupted([&] { return files.rename(temporary_.c_str(), target_.c_str()); }) < 0)
            return fail(translate("the file cannot be moved into place"), problem);
        written_ = false;
        replaced_ = true;
        return true;
    }

    // Removes the old file once all files are in place, and also the temporary files that killed programs
    // left. The search for the latter is skipped for files that are written often, where it would take too
    // long.
    void finish(Durability durability) {
        if (kept_) file_system().unlink(old_.c_str());
        kept_ = replaced_ = made_folder_ = false;
        if (durability != Durability::power_failure) return;
        try {
            remove_leftovers_beside(beside_);
        } catch (const std::bad_alloc&) {
            // The file is complete; the next one that is written here removes the leftovers.
        }
    }

    [[nodiscard]] const std::string& path() const { return file_.path; }

  private:
    static bool fail(const std::string& what, Problem& problem) {
        problem = {"", what, system_message(errno), translate("choose another location")};
        return false;
    }

    bool find_target(Problem& problem) {
        struct ::stat status {};
        const bool is_there = file_system().stat(file_.path.c_str(), &status) == 0;
        if (!is_there && errno != ENOENT) return fail(translate("the file cannot be written"), problem);
        if (is_there && !S_ISREG(status.st_mode)) {
            problem = {"", translate("this is not a regular file"), translate("it would be replaced"),
                       translate("choose another location")};
            return false;
        }
        const std::optional<std::string> target = link_target(file_.path);
        if (!target) return fail(translate("the file cannot be written"), problem);
        target_ = *target;
        const auto slash = target_.rfind('/');
        const std::size_t name = slash == std::string::npos ? 0 : slash + 1;
        folder_ = target_.substr(0, name);
        beside_ = name_beside(target_);
        old_ = beside_ + std::string(kOld) + std::to_string(::getpid());
        if (!is_there) return true;
        if (file_system().access(target_.c_str(), W_OK) < 0)
            return fail(translate("the file is write-protected"), problem);
        constexpr ::mode_t kPermissions = 0777;
        mode_ = status.st_mode & kPermissions;
        return true;
    }

    bool make_folder(Problem& problem) {
        if (!file_.makes_folder || folder_.empty()) return true;
        constexpr ::mode_t kFolder = 0777;  // the user's umask removes some of these
        made_folder_ = file_system().mkdir(folder_.c_str(), kFolder) == 0;
        return made_folder_ || errno == EEXIST || fail(translate("the folder cannot be created"), problem);
    }

    // Creates a new file, which therefore is neither somebody else's nor a link.
    int create() {
        constexpr int kAttempts = 100;
        constexpr ::mode_t kUsual = 0666;    // the user's umask removes some of these
        constexpr ::mode_t kPrivate = 0600;  // until the file gets the permissions of the old one
        const ::mode_t mode = mode_ ? kPrivate : kUsual;
        const std::string stem = beside_ + std::string(kPart) + std::to_string(::getpid());
        for (int attempt = 0; attempt < kAttempts; ++attempt) {
            temporary_ = attempt == 0 ? stem : stem + "-" + std::to_string(attempt);
            const int made = uninterrupted([&] {
                return file_system().open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
            });
            if (made >= 0 || errno != EEXIST) return made;
        }
        return -1;
    }

    void undo() {
        FileSystem& files = file_system();
        if (written_) files.unlink(temporary_.c_str());
        if (kept_ && replaced_) files.rename(old_.c_str(), target_.c_str());
        else if (kept_) files.unlink(old_.c_str());
        else if (replaced_ && !mode_) files.unlink(target_.c_str());
        if (made_folder_) files.rmdir(folder_.c_str());
    }

    const NewFile& file_;
    std::string target_;  // the path with links followed
    std::string folder_;
    std::string beside_;  // what the names of the temporary and of the old file begin with
    std::string temporary_;
    std::string old_;
    std::optional<::mode_t> mode_;  // permissions of the existing file
    bool made_folder_ = false;
    bool written_ = false;   // the temporary file exists
    bool kept_ = false;      // the old file exists under the name `old_`
    bool replaced_ = false;  // the new file has its final name
};

// Replaces several files. They are restored from the last to the first, because a folder can only be removed
// when it is empty.
class Replacements {
  public:
    Replacements() = default;
    ~Replacements() {
        while (!all_.empty()) all_.pop_back();
    }
    Replacements(const Replacements&) = delete;
    Replacements& operator=(const Replacements&) = delete;
    Replacement& add(const NewFile& file) { return *all_.emplace_back(std::make_unique<Replacement>(file)); }
    [[nodiscard]] const std::vector<std::unique_ptr<Replacement>>& all() const { return all_; }

  private:
    std::vector<std::unique_ptr<Replacement>> all_;
};

}  // namespace

bool is_stream(const std::string& path) { return stream_descriptor(path).has_value(); }

namespace {

// Opens a regular file or takes the descriptor of a stream, and calls `use` with the descriptor, the size
// that the system states, and whether to wait for more. Adds a problem if the file is of another kind or
// larger than `most`.
template <typename Use>
void with_input(const std::string& path, std::size_t most, Problems& problems, const Use& use) {
    if (const auto stream = stream_descriptor(path)) {
        use(*stream, std::size_t{0}, true);
        return;
    }
    // O_NONBLOCK avoids waiting for a pipe. The kind of the opened file is checked, not that of the path,
    // so that nobody can exchange the file in between.
    const int number = uninterrupted(
        [&] { return file_system().open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY, 0); });
    if (number < 0) {
        problems.push_back(not_opened(path));
        return;
    }
    const Descriptor descriptor(number);
    struct ::stat status {};
    if (file_system().fstat(number, &status) < 0) {
        problems.push_back(unreadable(system_message(errno), translate("check the path")));
    } else if (auto wrong = wrong_kind(status.st_mode)) {
        problems.push_back(*wrong);
    } else if (status.st_size > static_cast<::off_t>(most)) {
        problems.push_back(too_large(most));
    } else {
        use(number, static_cast<std::size_t>(status.st_size), false);
    }
}

}  // namespace

std::string read_text(const std::string& path, Problems& problems) {
    std::string text;
    const std::size_t before = problems.size();
    with_input(path, kLargestInput, problems, [&](int descriptor, std::size_t size, bool waits) {
        text = read_descriptor(descriptor, size, waits, problems);
    });
    if (problems.size() > before) return {};
    // Some editors put a byte order mark before UTF-8 text; it is not part of the content.
    constexpr std::string_view kMark = "\xEF\xBB\xBF";
    if (text.starts_with(kMark)) text.erase(0, kMark.size());
    return text;
}

bool read_pieces(const std::string& path, const std::function<void(std::string_view)>& take,
                 Problems& problems) {
    constexpr std::size_t kPiece = std::size_t{1} << 20;
    const std::size_t before = problems.size();
    with_input(path, kLargestLog, problems, [&](int descriptor, std::size_t, bool waits) {
        std::string piece(kPiece, '\0');
        std::size_t used = 0;
        while (used <= kLargestLog) {
            const auto count = read_some(descriptor, piece.data(), piece.size(), waits, problems);
            if (!count || *count == 0) return;
            used += *count;
            take(std::string_view(piece).substr(0, *count));
        }
        problems.push_back(too_large(kLargestLog));
    });
    return problems.size() == before;
}

void remove_leftovers(const std::string& path) {
    remove_leftovers_beside(name_beside(link_target(path).value_or(path)));
}

bool write_files_atomically(const std::vector<NewFile>& files, Problems& problems, std::string& failed,
                            Durability durability) {
    Replacements replacements;
    Problem problem;
    const auto stop = [&](const Replacement& at) {
        failed = at.path();
        problems.push_back(problem);
        return false;
    };
    for (const NewFile& file : files) {
        Replacement& replacement = replacements.add(file);
        if (!replacement.prepare(durability, problem)) return stop(replacement);
    }
    for (const auto& replacement : replacements.all()) {
        if (!replacement->replace(files.size() > 1, problem)) return stop(*replacement);
    }
    for (const auto& replacement : replacements.all()) replacement->finish(durability);
    return true;
}

bool write_file_atomically(const std::string& path, std::string_view content, Problems& problems,
                           Durability durability) {
    std::string failed;
    return write_files_atomically({{path, content}}, problems, failed, durability);
}

bool move_file(const std::string& from, const std::string& to) {
    FileSystem& files = file_system();
    return uninterrupted([&] { return files.rename(from.c_str(), to.c_str()); }) == 0;
}

}  // namespace shardscope
