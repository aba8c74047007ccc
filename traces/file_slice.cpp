// SPDX-License-Identifier: MIT
#include "traces/file_slice.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <list>
#include <mutex>
#include <utility>

#include "traces/io/input_error.hpp"

namespace finegrain {

namespace {

/// So many files are kept open. Where a program may have fewer descriptors than usual, 1,024, it still has
/// most of them for itself.
constexpr std::size_t most_open_files = 256;

int opened(const char* path) {
  // A pipe without a writer must not make this wait.
  return ::open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

}  // namespace

/// A file that is open, or was and is opened again when it is read.
class FileSlice::File {
 public:
  explicit File(const std::string& path) : path_(path), descriptor_(opened(path.c_str())) {
    if (descriptor_ < 0) throw InputError(path, fmt::format("cannot be opened ({})", std::strerror(errno)));
    struct stat status {};
    if (::fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) {
      ::close(descriptor_);
      throw InputError(path, "is not a regular file (but a pipe, device or folder)", "Give a file");
    }
    size_bytes_ = static_cast<std::uint64_t>(status.st_size);
    device_ = status.st_dev;
    inode_ = status.st_ino;
    const std::scoped_lock lock(open_files().mutex);
    keep_open();
  }
  ~File() {
    const std::scoped_lock lock(open_files().mutex);
    if (descriptor_ < 0) return;
    open_files().order.erase(place_);
    ::close(descriptor_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  std::uint64_t size_bytes() const { return size_bytes_; }

  /// As pread(2). The file stays open at least until it returns.
  ssize_t read(std::span<std::byte> out, off_t offset) {
    const std::scoped_lock lock(open_files().mutex);
    if (descriptor_ < 0) open_again();
    return ::pread(descriptor_, out.data(), out.size(), offset);
  }

 private:
  struct OpenFiles {
    std::mutex mutex;
    std::list<File*> order;  ///< the one that was opened first is closed first
  };
  static OpenFiles& open_files() {
    static OpenFiles files;
    return files;
  }

  /// @pre the mutex is locked, and the file is open
  void keep_open() {
    std::list<File*>& order = open_files().order;
    place_ = order.insert(order.end(), this);
    if (order.size() <= most_open_files) return;
    File& oldest = *order.front();
    ::close(std::exchange(oldest.descriptor_, -1));
    order.pop_front();
  }

  void open_again() {
    const int descriptor = opened(path_.c_str());
    struct stat status {};
    if (descriptor < 0 || ::fstat(descriptor, &status) != 0) {
      const int error = errno;
      if (descriptor >= 0) ::close(descriptor);
      throw InputError(path_, fmt::format("cannot be opened again ({})", std::strerror(error)));
    }
    if (status.st_dev != device_ || status.st_ino != inode_) {
      ::close(descriptor);
      throw InputError(path_, "was replaced by another file while it was read", "Start again");
    }
    descriptor_ = descriptor;
    keep_open();
  }

  std::string path_;
  int descriptor_;                    ///< negative: the file is closed
  std::list<File*>::iterator place_;  ///< among the open files
  std::uint64_t size_bytes_ = 0;
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

FileSlice::FileSlice(const std::filesystem::path& path)
    : file_(std::make_shared<File>(path.string())), name_(path.string()), size_bytes_(file_->size_bytes()) {}

FileSlice FileSlice::part(std::uint64_t offset, std::uint64_t size_bytes, std::string name) const {
  FileSlice slice = *this;
  slice.name_ = std::move(name);
  slice.offset_ += offset;
  slice.size_bytes_ = size_bytes;
  return slice;
}

void FileSlice::read(std::uint64_t offset, std::span<std::byte> out) const {
  while (!out.empty()) {
    const ssize_t count = file_->read(out, static_cast<off_t>(offset_ + offset));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      throw InputError(name_, fmt::format("byte {}: cannot be read ({})", offset,
                                          count == 0 ? "the file became shorter" : std::strerror(errno)));
    }
    out = out.subspan(static_cast<std::size_t>(count));
    offset += static_cast<std::uint64_t>(count);
  }
}

}  // namespace finegrain
