// SPDX-License-Identifier: MIT
#include "kernels/bench/scratch_matrix.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <system_error>

#include "kernels/problem/left_ventricle_matrix.hpp"
#include "kernels/problem/matrix_file.hpp"
#include "kernels/run/together.hpp"

namespace finegrain::kernels {
namespace {

constexpr std::uint64_t seed = 1;

std::filesystem::path scratch_path() {
  return std::filesystem::temp_directory_path() / fmt::format("finegrain-bench-{}.fgm", ::getpid());
}

}  // namespace

ScratchMatrix::ScratchMatrix(const Session& session, std::int64_t tets)
    : path_(session.all_texts(together(session, [] { return scratch_path().string(); }))[0]),
      is_mine_(session.is_first()) {
  together(session, [&] {
    if (!is_mine_) return;
    write_matrix(path_, left_ventricle_matrix(tets, problem::RowOrder::sbd, seed).view(),
                 fmt::format("left ventricle, {} tetrahedra, order sbd", tets));
  });
}

SpmvInput open_matrix(const Session& session, const std::filesystem::path& matrix, std::int64_t tets) {
  SpmvOptions options;
  options.matrix = matrix;
  if (!matrix.empty()) return open_input(session, options);
  const ScratchMatrix scratch(session, tets);
  options.matrix = scratch.path();
  return open_input(session, options);
}

ScratchMatrix::~ScratchMatrix() {
  std::error_code ignored;
  if (is_mine_) std::filesystem::remove(path_, ignored);
}

}  // namespace finegrain::kernels
