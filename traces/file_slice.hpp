// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

namespace finegrain {

/// A part of a file, read by position: a rank's own file, or its entry in a packed trace. Not mapped, because
/// a file that is cut while it is read must end in an error, not in a signal. Slices of any number of files
/// keep few of them open: a trace may have more ranks than a program may have descriptors.
class FileSlice {
 public:
  /// A whole file. @throws InputError if it cannot be opened
  explicit FileSlice(const std::filesystem::path& path);

  /// @pre offset + size_bytes <= this slice's size
  FileSlice part(std::uint64_t offset, std::uint64_t size_bytes, std::string name) const;

  const std::string& name() const { return name_; }  ///< for errors
  std::uint64_t size_bytes() const { return size_bytes_; }
  /// @pre offset + out.size() <= size_bytes(). @throws InputError if the file is shorter by now, replaced by
  /// another one, or unreadable
  void read(std::uint64_t offset, std::span<std::byte> out) const;

 private:
  class File;
  std::shared_ptr<File> file_;
  std::string name_;
  std::uint64_t offset_ = 0;
  std::uint64_t size_bytes_ = 0;
};

}  // namespace finegrain
