// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace finegrain::platform {

/// A file that exists only in memory, as long as this object. This process and its children can open it.
class MemoryFile {
 public:
  /// @param instead_of  the file that it is a changed copy of, for the error
  /// @throws InputError if there is no memory for it
  MemoryFile(std::string_view text, const std::string& instead_of);
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  std::filesystem::path path() const;

 private:
  int descriptor_;
};

}  // namespace finegrain::platform
