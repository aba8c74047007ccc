// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "kernels/problem/ellpack.hpp"
#include "traces/io/atomic_file.hpp"
#include "traces/io/mapped_file.hpp"

namespace finegrain::problem {

/// What write_matrix makes.
FileKind matrix_file_kind();

/// Hexadecimal XXH3-64 of the column indices J, by which a trace or a result names its matrix.
std::string digest_of(std::span<const std::int32_t> columns);

/// Writes an EllPack matrix (docs/matrix-file.md): header, D, J and A, each with a checksum.
/// @param description  how it was made, e.g. "left ventricle, 1000000 tetrahedra, order sbd"; at most 255
/// bytes
/// @throws InputError if the file cannot be written
void write_matrix(const std::filesystem::path& path, const EllpackView& matrix,
                  const std::string& description, const Protection& protection = {});

/// A matrix file mapped into memory. Opening it checks the header, the sizes, J's checksum, and that every
/// index in J is a row of the matrix; D and A are checked by verify_values().
class MatrixFile {
 public:
  /// @throws InputError naming the file and byte if it is missing, truncated, damaged or of another version
  explicit MatrixFile(const std::filesystem::path& path);

  const EllpackView& view() const { return view_; }
  const std::string& name() const { return name_; }  ///< file name without folders
  const std::string& description() const { return description_; }
  /// digest_of(J)
  const std::string& digest() const { return digest_; }
  /// @throws InputError if D or A do not match their checksums
  void verify_values() const;

 private:
  MappedFile file_;
  EllpackView view_;
  std::string name_;
  std::string path_;
  std::string description_;
  std::string digest_;
  std::uint64_t diagonal_checksum_ = 0;
  std::uint64_t values_checksum_ = 0;
};

}  // namespace finegrain::problem
