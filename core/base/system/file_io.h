// Reads and writes files. All access to files by path uses these functions.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "text/problem.h"

namespace shardscope {

// The size limit of an input (a file or a stream), in bytes.
inline constexpr std::size_t kLargestInput = std::size_t{16} << 20;
// The size limit of a training log, which is read piece by piece.
inline constexpr std::size_t kLargestLog = std::size_t{1} << 30;

// Returns whether the path is read as a stream: "-", "/dev/stdin" or "/dev/fd/N". A stream has no folder to
// which paths could be relative.
bool is_stream(const std::string& path);

// Returns the content of a regular file (links are followed) or of a stream, without a UTF-8 byte order mark.
// Adds a problem and returns an empty text if the path names something else, if the system reports an error,
// or if the content is larger than kLargestInput; reading stops at that size.
std::string read_text(const std::string& path, Problems& problems);

// Reads a regular file or a stream up to kLargestLog and passes its bytes to `take`, piece by piece. Returns
// false, with a problem, in the same cases as read_text.
bool read_pieces(const std::string& path, const std::function<void(std::string_view)>& take,
                 Problems& problems);

// Whether written data must survive a power failure or only the end of the program. Waiting for the disk
// takes milliseconds, which is too long for files that are written many times a second.
enum class Durability { power_failure, program_end };

// One file to write. If the path is a link, the file that it points to is replaced. An existing file keeps
// its permissions.
struct NewFile {
    std::string path;
    std::string_view content;
    bool makes_folder = false;  // creates the file's folder if it is missing; its parent must exist
};

// Removes the temporary files that programs left next to this file because they were killed while they wrote
// it. Temporary files of running programs are kept.
void remove_leftovers(const std::string& path);

// Writes all the files, or none: each file is written under a temporary name in the same folder, and all are
// renamed when every one is written. On failure the function returns false, adds one problem, sets `failed`
// to the path that failed, leaves every file as it was and removes the temporary files. Only regular files
// that are not write-protected are replaced.
bool write_files_atomically(const std::vector<NewFile>& files, Problems& problems, std::string& failed,
                            Durability durability = Durability::power_failure);
// Writes one file in the same way.
bool write_file_atomically(const std::string& path, std::string_view content, Problems& problems,
                           Durability durability = Durability::power_failure);

// Renames a file within its file system and replaces an existing file of the new name. Returns false if the
// system reports an error.
bool move_file(const std::string& from, const std::string& to);

}  // namespace shardscope
