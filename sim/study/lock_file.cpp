// SPDX-License-Identifier: MIT
#include "sim/study/lock_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>

#include "traces/io/input_error.hpp"

namespace finegrain::study {
namespace {

/// Who holds the lock, as the holder wrote it: "process 1234 on node-3".
std::string holder(int descriptor) {
  std::array<char, 256> text{};
  const ssize_t size = ::pread(descriptor, text.data(), text.size(), 0);
  return size > 0 ? std::string(text.data(), static_cast<std::size_t>(size)) : "another process";
}

std::string this_process() {
  std::array<char, 200> host{};
  ::gethostname(host.data(), host.size() - 1);
  return fmt::format("process {} on {}", ::getpid(), host.data());
}

}  // namespace

LockFile::LockFile(std::filesystem::path path)
    : descriptor_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666)) {
  if (!descriptor_.is_open()) {
    throw InputError(path.string(), fmt::format("cannot be created ({})", std::strerror(errno)),
                     "Give a database in a folder that can be written");
  }
  // Unlike the locks of flock, those of fcntl are also held by the file server on NFS, and the processes that
  // simulate do not inherit them.
  struct flock whole_file {};
  whole_file.l_type = F_WRLCK;
  whole_file.l_whence = SEEK_SET;
  if (::fcntl(descriptor_.number(), F_SETLK, &whole_file) != 0) {
    const int error = errno;
    const std::string who = holder(descriptor_.number());
    if (error == EACCES || error == EAGAIN)
      throw InputError(path.string(), fmt::format("held by {} (one process at a time works on a study)", who),
                       "Wait for it, or end it");
    throw InputError(path.string(), fmt::format("cannot be locked ({})", std::strerror(error)),
                     "Give a database on a file system with locks");
  }
  const std::string before = holder(descriptor_.number());
  struct stat status {};
  if (::fstat(descriptor_.number(), &status) != 0 || !S_ISREG(status.st_mode) ||
      (status.st_size > 0 && !before.starts_with("process ")))
    throw InputError(path.string(), "is no lock of a study", "Move it away, or give another database");
  const std::string who = this_process();
  if (::ftruncate(descriptor_.number(), 0) != 0 ||
      ::pwrite(descriptor_.number(), who.data(), who.size(), 0) < 0) {
    // The lock is taken all the same. Only the error of another process will lack the holder's name.
  }
}

}  // namespace finegrain::study
