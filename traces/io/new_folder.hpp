// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "traces/io/atomic_file.hpp"
#include "traces/io/descriptor.hpp"
#include "traces/io/file_size_signal.hpp"

namespace finegrain {

/// A folder of files that appears under its name only when all of them are whole: written beside it as a
/// temporary, synced to disk all at once, then renamed by commit(). Destroyed without commit(), it leaves
/// nothing behind. A file costs three system calls, so that a trace may have a file for each of many ranks.
/// One thread uses it.
class NewFolder {
 public:
  /// @throws InputError if the folder cannot be made
  explicit NewFolder(const std::filesystem::path& folder);
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;

  /// @throws InputError naming the file, on a full disk or any other failed write
  void write(const std::string& name, std::span<const std::byte> bytes);
  /// @throws InputError if syncing or renaming fails
  void commit();

 private:
  [[noreturn]] void fail(const std::string& name, const char* what) const;
  bool sync() const;

  std::filesystem::path folder_;
  Temporary temporary_;
  NoFileSizeSignal no_signal_;
  Descriptor descriptor_;
  std::vector<std::string> names_;  ///< the files', while they are few
};

}  // namespace finegrain
