// SPDX-License-Identifier: MIT
#include "traces/io/new_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "traces/io/input_error.hpp"

namespace finegrain {
namespace {

/// So many are synced one after the other. More take longer than syncing the whole file system, which waits
/// for what other programs have written too.
constexpr std::size_t few_files = 32;

}  // namespace

NewFolder::NewFolder(const std::filesystem::path& folder)
    : folder_((folder / "").parent_path()),
      temporary_(folder_),
      descriptor_(
          (temporary_.make_folder(), ::open(temporary_.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC))) {
  if (descriptor_ < 0) fail("", "cannot be opened");
}

NewFolder::~NewFolder() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void NewFolder::fail(const std::string& name, const char* what) const {
  throw InputError((name.empty() ? folder_ : folder_ / name).string(),
                   fmt::format("{} ({})", what, std::strerror(errno)),
                   "Choose a writable place with enough room");
}

void NewFolder::write(const std::string& name, std::span<const std::byte> bytes) {
  const int file =
      ::openat(descriptor_, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (file < 0) fail(name, "cannot be created");
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      const int error = errno;
      ::close(file);
      errno = error;
      fail(name, "cannot be written");
    }
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  if (::close(file) != 0) fail(name, "cannot be closed");
  if (names_.size() <= few_files) names_.push_back(name);
}

/// @returns false with errno, if anything may not outlive a crash of the machine
bool NewFolder::sync() const {
  // A file system that cannot sync says EINVAL.
  const auto is_synced = [](int result) { return result == 0 || errno == EINVAL; };
  if (names_.size() > few_files) return is_synced(::syncfs(descriptor_));
  return std::ranges::all_of(names_,
                             [&](const std::string& name) {
                               const int file =
                                   ::openat(descriptor_, name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
                               if (file < 0) return false;
                               const bool file_is_synced = is_synced(::fsync(file));
                               const int error = errno;
                               ::close(file);
                               errno = error;
                               return file_is_synced;
                             }) &&
         is_synced(::fsync(descriptor_));
}

void NewFolder::commit() {
  if (!sync()) fail("", "cannot be synced to disk");
  ::close(std::exchange(descriptor_, -1));
  temporary_.put_in_place();
}

}  // namespace finegrain
