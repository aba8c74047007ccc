// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>

namespace finegrain {

/// UTF-8's, with which some editors begin a text.
inline constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

/// A whole file, mapped read-only into memory.
class MappedFile {
 public:
  /// @throws InputError if it is missing, not a regular file, or cannot be mapped
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;

  std::span<const std::byte> bytes() const { return bytes_; }
  /// The same as text, from behind a byte order mark of UTF-8.
  std::string_view text() const;

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace finegrain
