// SPDX-License-Identifier: MIT
//
// Preloaded into a program, makes one kind of its calls on files fail, from the n-th on:
//   FAULT="write ENOSPC 3"   write, sync, rename, open, map, read; an errno's name, or "short" (half is done,
//   once), or SIGTERM (which the program gets before the call)
// EINTR, too, comes once. Only files in the current folder count: what a program loads and logs does not.
// The file named by FAULT_LOG is made when the first call fails.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

namespace {

template <typename Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

struct Fault {
  std::array<char, 16> call{};
  std::array<char, 16> what{};
  int first = 0;
  int seen = 0;
  std::string folder;

  Fault() {
    const char* text = std::getenv("FAULT");
    if (text == nullptr || std::sscanf(text, "%15s %15s %d", call.data(), what.data(), &first) != 3)
      first = 0;
    std::array<char, 4096> here{};
    if (::getcwd(here.data(), here.size()) != nullptr) folder = std::string(here.data()) + "/";
  }

  bool is(std::string_view name) const { return what.data() == name; }
  int error() const {
    return is("ENOSPC") ? ENOSPC : is("EIO") ? EIO : is("EINTR") ? EINTR : is("EACCES") ? EACCES : ENOMEM;
  }

  /// Whether this call is to fail; errno is set then.
  bool strikes(std::string_view name) {
    if (first == 0 || call.data() != name || ++seen < first) return false;
    if (seen > first && (is("short") || is("EINTR"))) return false;
    if (seen == first) {
      if (const char* log = std::getenv("FAULT_LOG"); log != nullptr)
        ::close(real<int(const char*, int, ...)>("open")(log, O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
    }
    if (is("SIGTERM")) return ::raise(SIGTERM) != 0;
    errno = error();
    return true;
  }

  bool holds(const char* path) const {
    return path != nullptr && (path[0] != '/' || std::string_view(path).starts_with(folder)) &&
           std::string_view(path).find("/dev/") != 0;
  }
  bool holds(int descriptor) const {
    const int before = errno;
    std::array<char, 64> link{};
    std::snprintf(link.data(), link.size(), "/proc/self/fd/%d", descriptor);
    std::array<char, 4096> path{};
    const bool found = ::readlink(link.data(), path.data(), path.size() - 1) > 0 && path[0] == '/';
    errno = before;
    return descriptor > 2 && found && holds(path.data());
  }
};

Fault& fault() {
  static Fault the;
  return the;
}

/// A call that moves bytes: fails, does half, or does all.
template <typename Call>
ssize_t move(const char* name, int descriptor, std::size_t size, Call call) {
  if (!fault().holds(descriptor) || !fault().strikes(name)) return call(size);
  if (fault().is("short")) return call((size + 1) / 2);
  return -1;
}

int open_file(const char* name, int at, const char* path, int flags, mode_t mode) {
  // A temporary folder can be read by who made it, as it is when it is removed.
  const bool own = (flags & O_DIRECTORY) != 0 && std::string_view(path).ends_with(".tmp");
  if (!own && fault().holds(path) && fault().strikes("open")) return -1;
  return real<int(int, const char*, int, ...)>(name)(at, path, flags, mode);
}

mode_t mode_of(int flags, va_list arguments) {
  return (flags & (O_CREAT | __O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
}

}  // namespace

extern "C" {

ssize_t write(int descriptor, const void* bytes, std::size_t size) {
  static const auto call = real<ssize_t(int, const void*, std::size_t)>("write");
  return move("write", descriptor, size, [&](std::size_t n) { return call(descriptor, bytes, n); });
}
ssize_t pwrite(int descriptor, const void* bytes, std::size_t size, off_t at) {
  static const auto call = real<ssize_t(int, const void*, std::size_t, off_t)>("pwrite");
  return move("write", descriptor, size, [&](std::size_t n) { return call(descriptor, bytes, n, at); });
}
ssize_t pwrite64(int descriptor, const void* bytes, std::size_t size, off_t at) {
  return pwrite(descriptor, bytes, size, at);
}
ssize_t writev(int descriptor, const iovec* parts, int count) {
  static const auto call = real<ssize_t(int, const iovec*, int)>("writev");
  return move("write", descriptor, 2,
              [&](std::size_t n) { return call(descriptor, parts, n == 2 ? count : 1); });
}
ssize_t read(int descriptor, void* bytes, std::size_t size) {
  static const auto call = real<ssize_t(int, void*, std::size_t)>("read");
  return move("read", descriptor, size, [&](std::size_t n) { return call(descriptor, bytes, n); });
}
ssize_t pread(int descriptor, void* bytes, std::size_t size, off_t at) {
  static const auto call = real<ssize_t(int, void*, std::size_t, off_t)>("pread");
  return move("read", descriptor, size, [&](std::size_t n) { return call(descriptor, bytes, n, at); });
}
ssize_t pread64(int descriptor, void* bytes, std::size_t size, off_t at) {
  return pread(descriptor, bytes, size, at);
}

int fsync(int descriptor) {
  static const auto call = real<int(int)>("fsync");
  return fault().holds(descriptor) && fault().strikes("sync") ? -1 : call(descriptor);
}
int fdatasync(int descriptor) {
  static const auto call = real<int(int)>("fdatasync");
  return fault().holds(descriptor) && fault().strikes("sync") ? -1 : call(descriptor);
}

int rename(const char* from, const char* to) {
  static const auto call = real<int(const char*, const char*)>("rename");
  return fault().holds(to) && fault().strikes("rename") ? -1 : call(from, to);
}
int link(const char* from, const char* to) {
  static const auto call = real<int(const char*, const char*)>("link");
  return fault().holds(to) && fault().strikes("rename") ? -1 : call(from, to);
}

int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return open_file("openat", AT_FDCWD, path, flags, mode);
}
int open64(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return open_file("openat", AT_FDCWD, path, flags, mode);
}
int openat(int at, const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return open_file("openat", at, path, flags, mode);
}

void* mmap(void* address, std::size_t size, int protection, int flags, int descriptor, off_t at) {
  static const auto call = real<void*(void*, std::size_t, int, int, int, off_t)>("mmap");
  if (descriptor >= 0 && fault().holds(descriptor) && fault().strikes("map")) return MAP_FAILED;
  return call(address, size, protection, flags, descriptor, at);
}
void* mmap64(void* address, std::size_t size, int protection, int flags, int descriptor, off_t at) {
  return mmap(address, size, protection, flags, descriptor, at);
}

}  // extern "C"
