// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

#include "kernels/run/session.hpp"
#include "kernels/spmv/spmv_input.hpp"

namespace finegrain::kernels {

/// A left ventricle's matrix, order sbd, in a temporary file that lives as long as this object: all ranks of
/// a node map one copy.
class ScratchMatrix {
 public:
  /// Collective, on one node. @throws KernelExit{1} on every rank where it cannot be made
  ScratchMatrix(const Session& session, std::int64_t tets);
  ~ScratchMatrix();
  ScratchMatrix(const ScratchMatrix&) = delete;
  ScratchMatrix& operator=(const ScratchMatrix&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  bool is_mine_;
};

/// Collective. The given matrix; if none is given, one of `tets` tetrahedra, made for this run.
SpmvInput open_matrix(const Session& session, const std::filesystem::path& matrix, std::int64_t tets);

}  // namespace finegrain::kernels
