// SPDX-License-Identifier: MIT
#include "traces/file_slice.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "traces/io/input_error.hpp"

namespace finegrain {

class FileSlice::Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { ::close(number_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

FileSlice::FileSlice(const std::filesystem::path& path) : name_(path.string()) {
  // A pipe without a writer must not make this wait.
  const int number = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (number < 0) throw InputError(name_, fmt::format("cannot be opened ({})", std::strerror(errno)));
  descriptor_ = std::make_shared<const Descriptor>(number);
  struct stat status {};
  if (::fstat(number, &status) != 0 || !S_ISREG(status.st_mode))
    throw InputError(name_, "is not a regular file (but a pipe, device or folder)", "Give a file");
  size_bytes_ = static_cast<std::uint64_t>(status.st_size);
}

FileSlice FileSlice::part(std::uint64_t offset, std::uint64_t size_bytes, std::string name) const {
  FileSlice slice = *this;
  slice.name_ = std::move(name);
  slice.offset_ += offset;
  slice.size_bytes_ = size_bytes;
  return slice;
}

void FileSlice::read(std::uint64_t offset, std::span<std::byte> out) const {
  while (!out.empty()) {
    const ssize_t count =
        ::pread(descriptor_->number(), out.data(), out.size(), static_cast<off_t>(offset_ + offset));
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
