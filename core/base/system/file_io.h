// Reads and writes files. Everything that the program reads or writes by a path goes through here.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "text/problem.h"

namespace shardscope {

// The largest input, bytes: a file or what a stream delivers.
inline constexpr std::size_t kLargestInput = std::size_t{16} << 20;

// Whether the path is read as a stream: "-", "/dev/stdin" or "/dev/fd/N". Such an input has no folder in
// which relative paths begin.
bool is_stream(const std::string& path);

// Returns the content of a regular file (links are followed) or of a stream, without a UTF-8 byte order mark.
// Adds a problem and returns an empty text where the path names something else, where the system refuses, and
// where the content is larger than kLargestInput, of which no more than that is read.
std::string read_text(const std::string& path, Problems& problems);

// Whether what is written must survive a power failure. To wait for the disk takes milliseconds, too long for
// what is written many times a second.
enum class Durability { power_failure, program_end };

// One file to write. A link stays a link: the file that it points to is replaced. A file that is there keeps
// its permissions.
struct NewFile {
    std::string path;
    std::string_view content;
    bool makes_folder = false;  // its folder is made where it is missing, in a folder that is there
};

// Removes the files that programs left beside this one because they were killed while they wrote it. Those of
// programs that still run stay.
void remove_leftovers(const std::string& path);

// Writes all the files, or none: each is written under another name in the same folder, and the names are
// exchanged when all are written. Returns false and adds one problem when something fails; then every file
// is as it was and nothing is left beside them, and `failed` is the path it is about. What is no regular file
// and what is write-protected is not replaced.
bool write_all(const std::vector<NewFile>& files, Problems& problems, std::string& failed,
               Durability durability = Durability::power_failure);
// The same for one file.
bool write_whole(const std::string& path, std::string_view content, Problems& problems,
                 Durability durability = Durability::power_failure);

// Gives a file another name in the same file system; a file that has that name is replaced. Returns false
// where the system refuses.
bool move_file(const std::string& from, const std::string& to);

}  // namespace shardscope
