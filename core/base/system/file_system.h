// Wraps the system calls that reading and writing files consists of, so that a test can make the n-th call
// fail.
#pragma once

#include <sys/stat.h>
#include <sys/types.h>
#include <cstddef>

namespace shardscope {

// Each function makes the system call of the same name: on failure it returns a negative value and sets
// errno.
class FileSystem {
  public:
    FileSystem() = default;
    virtual ~FileSystem() = default;
    FileSystem(const FileSystem&) = delete;
    FileSystem& operator=(const FileSystem&) = delete;

    virtual int open(const char* path, int flags, ::mode_t mode);
    virtual int fstat(int descriptor, struct ::stat* status);
    virtual int stat(const char* path, struct ::stat* status);
    virtual int access(const char* path, int mode);
    virtual ::ssize_t readlink(const char* path, char* target, std::size_t size);
    virtual ::ssize_t read(int descriptor, void* into, std::size_t size);
    virtual ::ssize_t write(int descriptor, const void* from, std::size_t size);
    // Waits until the descriptor can be read.
    virtual int wait_readable(int descriptor);
    virtual int fchmod(int descriptor, ::mode_t mode);
    virtual int fsync(int descriptor);
    virtual int close(int descriptor);
    virtual int link(const char* from, const char* to);
    virtual int rename(const char* from, const char* to);
    virtual int unlink(const char* path);
    virtual int mkdir(const char* path, ::mode_t mode);
    virtual int rmdir(const char* path);
};

// Returns the file system that all file access uses: the operating system's, unless a test replaces it.
FileSystem& file_system();
// Replaces the file system for the whole program; nullptr restores the operating system's. Only tests call
// this, and no other thread may access files at the same time.
void replace_file_system(FileSystem* replacement);

}  // namespace shardscope
