// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>

namespace finegrain {

/// A file that appears under its name only when it is whole: written beside it as a temporary, synced, then
/// renamed by commit(). Destroyed without commit(), it leaves nothing behind.
class AtomicFile {
 public:
  /// @throws InputError if the temporary cannot be created
  explicit AtomicFile(std::filesystem::path path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// @throws InputError on a full disk or any other failed write
  void write(std::span<const std::byte> bytes);
  void write(std::string_view text);
  /// @throws InputError if syncing or renaming fails
  void commit();

 private:
  std::filesystem::path path_;
  std::filesystem::path temporary_;
  int descriptor_ = -1;
  bool committed_ = false;
};

}  // namespace finegrain
