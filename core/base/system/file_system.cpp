#include "system/file_system.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>
#include <cstdio>

namespace shardscope {
namespace {

FileSystem* replaced = nullptr;

}  // namespace

int FileSystem::open(const char* path, int flags, ::mode_t mode) { return ::open(path, flags, mode); }
int FileSystem::fstat(int descriptor, struct ::stat* status) { return ::fstat(descriptor, status); }
int FileSystem::stat(const char* path, struct ::stat* status) { return ::stat(path, status); }
int FileSystem::access(const char* path, int mode) { return ::faccessat(AT_FDCWD, path, mode, AT_EACCESS); }
::ssize_t FileSystem::readlink(const char* path, char* target, std::size_t size) {
    return ::readlink(path, target, size);
}
::ssize_t FileSystem::read(int descriptor, void* into, std::size_t size) {
    return ::read(descriptor, into, size);
}
::ssize_t FileSystem::write(int descriptor, const void* from, std::size_t size) {
    return ::write(descriptor, from, size);
}
int FileSystem::wait_readable(int descriptor) {
    ::pollfd asked{descriptor, POLLIN, 0};
    return ::poll(&asked, 1, -1);
}
int FileSystem::fchmod(int descriptor, ::mode_t mode) { return ::fchmod(descriptor, mode); }
int FileSystem::fsync(int descriptor) { return ::fsync(descriptor); }
int FileSystem::close(int descriptor) { return ::close(descriptor); }
int FileSystem::link(const char* from, const char* to) { return ::link(from, to); }
int FileSystem::rename(const char* from, const char* to) { return ::rename(from, to); }
int FileSystem::unlink(const char* path) { return ::unlink(path); }
int FileSystem::mkdir(const char* path, ::mode_t mode) { return ::mkdir(path, mode); }
int FileSystem::rmdir(const char* path) { return ::rmdir(path); }

FileSystem& file_system() {
    static FileSystem system;
    return replaced ? *replaced : system;
}

void replace_file_system(FileSystem* replacement) { replaced = replacement; }

}  // namespace shardscope
