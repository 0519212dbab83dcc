// File operations one of which fails, to test that everything that reads or writes handles the failure.
#pragma once

#include <algorithm>
#include <cerrno>
#include <string>

#include "system/file_system.h"

namespace shardscope::testing {

// During its lifetime the n-th call (from 1) fails with this error; n = 0: none does. EINTR fails once, as in
// reality; to test incomplete writes, every write then only writes half of its data.
class FailingFiles : public FileSystem {
  public:
    explicit FailingFiles(std::size_t n, int error = ENOSPC) : n_(n), error_(error) {
        replace_file_system(this);
    }
    ~FailingFiles() override { replace_file_system(nullptr); }
    FailingFiles(const FailingFiles&) = delete;
    FailingFiles& operator=(const FailingFiles&) = delete;

    [[nodiscard]] std::size_t calls() const { return calls_; }
    // Returns the call that failed, or an empty string if all were successful.
    [[nodiscard]] const std::string& failed() const { return failed_; }

    int open(const char* path, int flags, ::mode_t mode) override {
        return fails("open") ? -1 : FileSystem::open(path, flags, mode);
    }
    int fstat(int descriptor, struct ::stat* status) override {
        return fails("fstat") ? -1 : FileSystem::fstat(descriptor, status);
    }
    int stat(const char* path, struct ::stat* status) override {
        return fails("stat") ? -1 : FileSystem::stat(path, status);
    }
    int access(const char* path, int mode) override {
        return fails("access") ? -1 : FileSystem::access(path, mode);
    }
    ::ssize_t readlink(const char* path, char* target, std::size_t size) override {
        return fails("readlink") ? -1 : FileSystem::readlink(path, target, size);
    }
    ::ssize_t read(int descriptor, void* into, std::size_t size) override {
        return fails("read") ? -1 : FileSystem::read(descriptor, into, size);
    }
    ::ssize_t write(int descriptor, const void* from, std::size_t size) override {
        const std::size_t taken = error_ == EINTR ? std::max<std::size_t>(size / 2, 1) : size;
        return fails("write") ? -1 : FileSystem::write(descriptor, from, taken);
    }
    int wait_readable(int descriptor) override {
        return fails("wait_readable") ? -1 : FileSystem::wait_readable(descriptor);
    }
    int fchmod(int descriptor, ::mode_t mode) override {
        return fails("fchmod") ? -1 : FileSystem::fchmod(descriptor, mode);
    }
    int fsync(int descriptor) override { return fails("fsync") ? -1 : FileSystem::fsync(descriptor); }
    int close(int descriptor) override {
        const int closed = FileSystem::close(descriptor);  // the descriptor is closed even if this fails
        return fails("close") ? -1 : closed;
    }
    int link(const char* from, const char* to) override {
        return fails("link") ? -1 : FileSystem::link(from, to);
    }
    int rename(const char* from, const char* to) override {
        return fails("rename") ? -1 : FileSystem::rename(from, to);
    }
    int unlink(const char* path) override { return fails("unlink") ? -1 : FileSystem::unlink(path); }
    int mkdir(const char* path, ::mode_t mode) override {
        return fails("mkdir") ? -1 : FileSystem::mkdir(path, mode);
    }
    int rmdir(const char* path) override { return fails("rmdir") ? -1 : FileSystem::rmdir(path); }

  private:
    bool fails(const char* call) {
        if (++calls_ != n_) return false;
        failed_ = call;
        errno = error_;
        return true;
    }

    std::size_t n_;
    int error_;
    std::size_t calls_ = 0;
    std::string failed_;
};

}  // namespace shardscope::testing
