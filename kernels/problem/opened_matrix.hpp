// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "kernels/problem/ellpack.hpp"

namespace finegrain::problem {

/// A matrix that others compute with, wherever it comes from.
struct OpenedMatrix {
  EllpackView view;                        ///< what `owner` holds
  std::string name = {};                   ///< file name without folders
  std::string description = {};            ///< how it was made; see MatrixFile::description
  std::string digest = {};                 ///< see MatrixFile::digest
  std::vector<std::string> notes = {};     ///< see MadeMatrix::notes
  std::shared_ptr<const void> owner = {};  ///< none: somebody else keeps the memory
};

/// Opens a matrix file; or makes a matrix, in memory, of a mesh or a Matrix Market file, in its usual order
/// and with the usual limit for padding.
/// @throws InputError as MatrixFile and make_matrix() do
OpenedMatrix open_matrix(const std::filesystem::path& path);

/// Entries of J that point at their own row, as a share of all.
double padding_share(const EllpackView& matrix);

}  // namespace finegrain::problem
