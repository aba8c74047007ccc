// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace finegrain {

/// A kind of file that finegrain writes, declared beside the code that writes it.
struct FileKind {
  std::string name;                  ///< with its article, e.g. "a report"
  std::vector<std::string> endings;  ///< which a file's name may have, e.g. ".html". None: any
  /// Whether a file with this content is one that finegrain wrote. Other files are not replaced.
  std::function<bool(std::string_view content)> recognises;
};

/// What a command must not write over.
struct Protection {
  std::vector<std::filesystem::path> inputs{};  ///< files and folders that the command reads
  bool force = false;  ///< replaces a file that is not recognised, but never an input
};

/// A random name beside a file, for a new file or folder that replaces it when it is complete. If it is
/// not put in place, it is removed.
class Temporary {
 public:
  /// @param path  where it will be; a symbolic link is followed, so that the link stays
  /// @throws InputError if the link leads to nothing
  explicit Temporary(const std::filesystem::path& path);
  ~Temporary();
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;

  const std::filesystem::path& path() const { return path_; }
  /// Makes it a folder. @throws InputError
  void make_folder();
  /// Renames it, then syncs the folder. @throws InputError
  void put_in_place();

  /// Removes this process's unfinished files, when it is about to end. A signal's handler may call this.
  static void remove_all() noexcept;

 private:
  std::filesystem::path target_;
  std::filesystem::path path_;
};

/// A file that appears under its name only when it is whole: written beside it as a temporary, synced, then
/// renamed by commit(). Destroyed without commit(), it leaves nothing behind.
class AtomicFile {
 public:
  /// @throws InputError if the temporary cannot be created, the name has another format's ending, or a file
  /// is there that must not be replaced
  AtomicFile(std::filesystem::path path, FileKind kind, Protection protection = {});
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// @throws InputError on a full disk or any other failed write
  void write(std::span<const std::byte> bytes);
  void write(std::string_view text);
  /// @throws InputError if syncing or renaming fails, or a file that must not be replaced has appeared
  void commit();

 private:
  std::filesystem::path path_;
  FileKind kind_;
  Protection protection_;
  Temporary temporary_;
  int descriptor_ = -1;
};

/// Refuses a folder that is to be made, if something is there or nobody can tell.
/// @param because  why it may not be there. @throws InputError
void check_absent(const std::filesystem::path& folder, const std::string& because,
                  const std::string& remedy = "Choose another folder");

/// What AtomicFile checks before anything is written, for files that it does not write.
/// @throws InputError
void check_replaceable(const std::filesystem::path& path, const FileKind& kind, const Protection& protection);

}  // namespace finegrain
