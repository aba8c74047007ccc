// SPDX-License-Identifier: MIT
// make_test_matrix FILE ROWS R_NZ: a small matrix whose rows read their neighbours, some elements anywhere,
// and, here and there, nothing (padding). Each row's values add up to at most 1, so that no iteration
// amplifies x.
#include <cstdlib>
#include <iostream>
#include <random>

#include "kernels/problem/matrix_file.hpp"
#include "traces/io/input_error.hpp"

namespace {

finegrain::problem::EllpackMatrix make_matrix(std::int32_t rows, int r_nz) {
  std::mt19937 random(20190703);
  finegrain::problem::EllpackMatrix matrix{r_nz, {}, {}, {}};
  for (std::int32_t row = 0; row < rows; ++row) {
    matrix.diagonal.push_back(0.5);
    for (int j = 0; j < r_nz; ++j) {
      const bool is_near = j < r_nz / 2;
      const bool is_padding = random() % 8 == 0;
      const std::int32_t column =
          is_near ? (row + 1 + j) % rows : static_cast<std::int32_t>(random() % static_cast<unsigned>(rows));
      matrix.columns.push_back(is_padding ? row : column);
      matrix.values.push_back(is_padding ? 0.0 : 0.5 / r_nz);
    }
  }
  return matrix;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  try {
    const finegrain::problem::EllpackMatrix matrix = make_matrix(std::atoi(argv[2]), std::atoi(argv[3]));
    finegrain::problem::write_matrix(argv[1], matrix.view(), "test matrix");
  } catch (const finegrain::InputError& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
