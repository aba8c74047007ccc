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
  if (!descriptor_.is_open()) fail("", "cannot be opened");
}

void NewFolder::fail(const std::string& name, const char* what) const {
  throw InputError((name.empty() ? folder_ : folder_ / name).string(),
                   fmt::format("{} ({})", what, std::strerror(errno)),
                   "Choose a writable place with enough room");
}

void NewFolder::write(const std::string& name, std::span<const std::byte> bytes) {
  Descriptor file(::openat(descriptor_.number(), name.c_str(),
                           O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
  if (!file.is_open()) fail(name, "cannot be created");
  if (!write_all(file.number(), bytes)) fail(name, "cannot be written");
  if (!file.close()) fail(name, "cannot be closed");
  if (names_.size() <= few_files) names_.push_back(name);
}

/// @returns false with errno, if anything may not outlive a crash of the machine
bool NewFolder::sync() const {
  // A file system that cannot sync says EINVAL.
  const auto is_synced = [](int result) { return result == 0 || errno == EINVAL; };
  if (names_.size() > few_files) return is_synced(::syncfs(descriptor_.number()));
  return std::ranges::all_of(names_,
                             [&](const std::string& name) {
                               const Descriptor file(::openat(descriptor_.number(), name.c_str(),
                                                              O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
                               return file.is_open() && is_synced(::fsync(file.number()));
                             }) &&
         is_synced(::fsync(descriptor_.number()));
}

void NewFolder::commit() {
  if (!sync()) fail("", "cannot be synced to disk");
  descriptor_.close();
  temporary_.put_in_place();
}

}  // namespace finegrain
