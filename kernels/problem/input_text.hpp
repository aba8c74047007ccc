// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "traces/io/mapped_file.hpp"

namespace finegrain::problem {

/// The name without the ending of a compressed file: heart.mtx of heart.mtx.gz.
std::filesystem::path without_compression(const std::filesystem::path& path);

/// A file of numbers in memory: mapped, or unpacked if it is compressed (gzip, bzip2, xz, zstd). A byte order
/// mark of UTF-8 is left out; lines that end in carriage returns alone end in line feeds.
class InputText {
 public:
  /// @throws InputError if it cannot be read or unpacked, is an archive of files, or is text in UTF-16
  explicit InputText(const std::filesystem::path& path);
  InputText(const InputText&) = delete;
  InputText& operator=(const InputText&) = delete;

  /// Valid as long as this object.
  std::string_view text() const { return text_; }

 private:
  MappedFile file_;
  std::vector<char> unpacked_;
  std::string_view text_;
};

}  // namespace finegrain::problem
