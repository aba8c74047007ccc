// SPDX-License-Identifier: MIT
#include "traces/io/atomic_file.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <random>
#include <string_view>
#include <utility>

#include "traces/io/descriptor.hpp"
#include "traces/io/file_size_signal.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/mapped_file.hpp"

namespace finegrain {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& path, const char* what) {
  throw InputError(path.string(), fmt::format("{} ({})", what, std::strerror(errno)),
                   "Choose a writable place with enough room");
}

/// Names of this process's temporaries. A signal handler may look at any moment, so there is no lock.
std::array<std::atomic<const char*>, 64> temporaries{};
static_assert(std::atomic<const char*>::is_always_lock_free);
/// A process that was forked from this one must leave them alone.
std::atomic<pid_t> owner{0};

void list(const char* name) {
  owner = ::getpid();
  for (auto& place : temporaries) {
    const char* none = nullptr;
    if (place.compare_exchange_strong(none, name)) return;
  }
}

void unlist(const char* name) {
  for (auto& place : temporaries) {
    const char* listed = name;
    if (place.compare_exchange_strong(listed, nullptr)) return;
  }
}

/// Removes a file, or a folder with all that is in it. Calls nothing that a signal's handler must not call.
/// @param parent  folder to which the name is relative
void remove_quietly(const char* name, int parent = AT_FDCWD) noexcept {
  if (::unlinkat(parent, name, 0) == 0 || errno != EISDIR) return;
  const int folder = ::openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  alignas(dirent64) std::array<char, 4096> entries;
  ssize_t bytes = 0;
  while ((bytes = ::getdents64(folder, entries.data(), entries.size())) > 0) {
    for (ssize_t at = 0; at < bytes;) {
      const auto* entry = reinterpret_cast<const dirent64*>(entries.data() + at);
      const std::string_view found = entry->d_name;
      if (found != "." && found != "..") remove_quietly(entry->d_name, folder);
      at += entry->d_reclen;
    }
  }
  ::close(folder);
  ::unlinkat(parent, name, AT_REMOVEDIR);
}

fs::path without_link(const fs::path& path) {
  std::error_code error;
  if (!fs::is_symlink(fs::symlink_status(path, error))) return path;
  fs::path target = fs::canonical(path, error);
  if (!error) return target;
  throw InputError(path.string(), fmt::format("is a link to nothing ({})", error.message()),
                   "Give another name");
}

fs::path random_name_beside(const fs::path& path) {
  // No one can guess the name and put something there. A name of any allowed length stays allowed.
  std::random_device random;
  constexpr std::size_t most_kept_bytes = 200;
  return path.parent_path() / fmt::format("{}.{:08x}{:08x}.tmp",
                                          path.filename().string().substr(0, most_kept_bytes), random(),
                                          random());
}

void check_ending(const fs::path& path, const FileKind& kind) {
  std::string ending = path.extension().string();
  std::ranges::transform(ending, ending.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  // The endings of "run.2" and "v1.5" name no format.
  const bool says_format = ending.size() > 1 && std::isalpha(static_cast<unsigned char>(ending[1])) != 0;
  if (!says_format || kind.endings.empty() || std::ranges::find(kind.endings, ending) != kind.endings.end())
    return;
  throw InputError(path.string(), fmt::format("ends in {}, but would be {}", ending, kind.name),
                   fmt::format("Name it {}{}", path.stem().string(), kind.endings.front()));
}

void check_not_input(const fs::path& path, const std::vector<fs::path>& inputs) {
  std::error_code ignored;
  for (const fs::path& input : inputs) {
    if (fs::equivalent(path, input, ignored))
      throw InputError(
          path.string(),
          fmt::format("is also read by this command ({}), so it is not replaced", input.string()),
          "Give another name");
    const fs::path folder = fs::absolute(path, ignored).parent_path();
    if (fs::is_directory(input, ignored) && fs::equivalent(folder, input, ignored))
      throw InputError(path.string(), "is in a folder that this command reads (which is never changed)",
                       "Give a file elsewhere");
  }
}

/// @throws InputError if the content is not known, because no more file can be opened
bool recognises(const FileKind& kind, const fs::path& path) {
  errno = 0;
  try {
    const MappedFile file(path);
    const auto bytes = file.bytes();
    // Replacing an empty file loses nothing.
    return bytes.empty() ||
           (kind.recognises && kind.recognises({reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
  } catch (const InputError&) {
    if (errno == EMFILE || errno == ENFILE) throw;
    return false;  // the content of an unreadable file is not known
  }
}

void check_existing(const fs::path& path, const FileKind& kind, bool force) {
  std::error_code ignored;
  const auto there = fs::status(path, ignored).type();
  if (there == fs::file_type::not_found || there == fs::file_type::none) return;
  if (there != fs::file_type::regular)
    throw InputError(path.string(), "is no regular file, and would be replaced", "Give another name");
  if (force || recognises(kind, path)) return;
  throw InputError(path.string(), fmt::format("exists, and is not {} that finegrain wrote", kind.name),
                   "Give another name, or force it");
}

}  // namespace

Temporary::Temporary(const fs::path& path) : target_(without_link(path)), path_(random_name_beside(target_)) {
  list(path_.c_str());
}

Temporary::~Temporary() {
  remove_quietly(path_.c_str());
  unlist(path_.c_str());
}

void Temporary::make_folder() {
  std::error_code ignored;  // if this fails, so does mkdir()
  fs::create_directories(target_.parent_path(), ignored);
  if (::mkdir(path_.c_str(), 0777) != 0) fail(target_, "cannot be created");
}

void Temporary::put_in_place() {
  if (::rename(path_.c_str(), target_.c_str()) != 0) fail(target_, "cannot be put in place");
  // Only then does the name outlive a crash of the machine.
  const fs::path folder = target_.has_parent_path() ? target_.parent_path() : ".";
  const Descriptor descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // A folder may be one to write to, but not to read.
  if (descriptor.is_open() && ::fsync(descriptor.number()) != 0 && errno == EIO)
    fail(target_, "may be lost, since its folder cannot be synced to disk");
}

void Temporary::remove_all() noexcept {
  if (owner != ::getpid()) return;
  for (auto& place : temporaries) {
    if (const char* name = place.exchange(nullptr)) remove_quietly(name);
  }
}

void check_absent(const fs::path& folder, const std::string& because, const std::string& remedy) {
  std::error_code error;
  if (fs::exists(folder, error))
    throw InputError(folder.string(), fmt::format("exists ({})", because), remedy);
  if (error)
    throw InputError(folder.string(), fmt::format("cannot be created ({})", error.message()),
                     "Choose a writable place with enough room");
}

void check_replaceable(const fs::path& path, const FileKind& kind, const Protection& protection) {
  check_ending(path, kind);
  check_not_input(path, protection.inputs);
  check_existing(path, kind, protection.force);
}

AtomicFile::AtomicFile(fs::path path, FileKind kind, Protection protection)
    : path_(std::move(path)),
      kind_(std::move(kind)),
      protection_(std::move(protection)),
      temporary_((check_replaceable(path_, kind_, protection_), path_)),
      descriptor_(
          ::open(temporary_.path().c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666)) {
  if (descriptor_ < 0) fail(path_, "cannot be created");
}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  const NoFileSizeSignal no_signal;
  if (!write_all(descriptor_, bytes)) fail(path_, "cannot be written");
}

void AtomicFile::write(std::string_view text) {
  write(std::as_bytes(std::span(text)));
}

void AtomicFile::commit() {
  if (::fsync(descriptor_) != 0 && errno != EINVAL) fail(path_, "cannot be synced to disk");
  if (::close(std::exchange(descriptor_, -1)) != 0) fail(path_, "cannot be closed");
  check_existing(path_, kind_, protection_.force);
  temporary_.put_in_place();
}

}  // namespace finegrain
