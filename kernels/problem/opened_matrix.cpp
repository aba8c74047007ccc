// SPDX-License-Identifier: MIT
#include "kernels/problem/opened_matrix.hpp"

#include <exception>
#include <optional>
#include <thread>
#include <utility>

#include "kernels/problem/input_format.hpp"
#include "kernels/problem/matrix_file.hpp"
#include "kernels/problem/matrix_source.hpp"

namespace finegrain::problem {
namespace {

/// In a thread of its own: a process whose own thread has used OpenMP cannot be forked into one that uses it,
/// too, as simulations are.
MadeMatrix made_of(const std::filesystem::path& input) {
  std::optional<MadeMatrix> made;
  std::exception_ptr failure;
  std::thread([&] {
    try {
      made = make_matrix({.tets = 0, .input = input, .order = {}});
    } catch (...) {
      failure = std::current_exception();
    }
  }).join();
  if (failure) std::rethrow_exception(failure);
  return std::move(*made);
}

}  // namespace

OpenedMatrix open_matrix(const std::filesystem::path& path) {
  if (is_mesh_input(path)) {
    const auto made = std::make_shared<const MadeMatrix>(made_of(path));
    return {made->matrix.view(), path.filename().string(),
            made->description,   digest_of(made->matrix.columns),
            made->notes,         made};
  }
  const auto file = std::make_shared<const MatrixFile>(path);
  return {file->view(), file->name(), file->description(), file->digest(), {}, file};
}

double padding_share(const EllpackView& matrix) {
  std::int64_t padding = 0;
  for (std::int64_t row = 0; row < matrix.rows; ++row)
    for (std::int64_t e = row * matrix.r_nz; e < (row + 1) * matrix.r_nz; ++e)
      padding += matrix.columns[static_cast<std::size_t>(e)] == row ? 1 : 0;
  return static_cast<double>(padding) / (static_cast<double>(matrix.rows) * matrix.r_nz);
}

}  // namespace finegrain::problem
