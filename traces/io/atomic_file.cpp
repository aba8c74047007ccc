// SPDX-License-Identifier: MIT
#include "traces/io/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "traces/io/input_error.hpp"

namespace finegrain {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, const char* what) {
  throw InputError(fmt::format("{}: {} ({}). Choose a writable place with enough room", path.string(), what,
                               std::strerror(errno)));
}

}  // namespace

AtomicFile::AtomicFile(std::filesystem::path path)
    : path_(std::move(path)), temporary_(path_.string() + fmt::format(".{}.tmp", ::getpid())) {
  std::error_code ignored;
  const auto there = std::filesystem::status(path_, ignored).type();
  if (there != std::filesystem::file_type::not_found && there != std::filesystem::file_type::none &&
      there != std::filesystem::file_type::regular) {
    throw InputError(
        fmt::format("{}: is no regular file, and would be replaced. Give another name", path_.string()));
  }
  descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail(path_, "cannot be created");
}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!committed_) ::unlink(temporary_.c_str());
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(path_, "cannot be written");
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void AtomicFile::write(std::string_view text) {
  write(std::as_bytes(std::span(text)));
}

void AtomicFile::commit() {
  if (::fsync(descriptor_) != 0 && errno != EINVAL) fail(path_, "cannot be synced to disk");
  if (::close(descriptor_) != 0) {
    descriptor_ = -1;
    fail(path_, "cannot be closed");
  }
  descriptor_ = -1;
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail(path_, "cannot be put in place");
  committed_ = true;
}

}  // namespace finegrain
