// SPDX-License-Identifier: MIT
#include "traces/io/mapped_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "traces/io/descriptor.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain {

MappedFile::MappedFile(const std::filesystem::path& path) {
  // A pipe without a writer must not make this wait.
  const Descriptor descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!descriptor.is_open())
    throw InputError(path.empty() ? "''" : path.string(),
                     fmt::format("cannot be opened ({})", std::strerror(errno)));
  struct stat status {};
  if (::fstat(descriptor.number(), &status) != 0 || !S_ISREG(status.st_mode))
    throw InputError(path.string(), "is not a regular file (but a pipe, device or folder)", "Give a file");
  const auto size = static_cast<std::size_t>(status.st_size);
  void* address = size == 0 ? nullptr : ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor.number(), 0);
  if (address == MAP_FAILED)
    throw InputError(path.string(), fmt::format("cannot be mapped into memory ({})", std::strerror(errno)));
  bytes_ = {static_cast<const std::byte*>(address), size};
}

std::string_view MappedFile::text() const {
  std::string_view text(reinterpret_cast<const char*>(bytes_.data()), bytes_.size());
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  return text;
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

MappedFile::MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  return *this;
}

}  // namespace finegrain
