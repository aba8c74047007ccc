// SPDX-License-Identifier: MIT
#include "kernels/problem/spmv_problem.hpp"

namespace finegrain::problem {

SpmvProblem::operator Problem() const {
  return {"spmv",
          {{"matrix", matrix},
           {"matrix_digest", matrix_digest},
           {"rows", rows},
           {"r_nz", std::int64_t{r_nz}},
           {"blocksize", block_size}}};
}

SpmvProblem SpmvProblem::of(const Problem& problem) {
  return {text_of(problem, "matrix"), text_of(problem, "matrix_digest"), number_of(problem, "rows", 1),
          static_cast<int>(number_of(problem, "r_nz", 0, std::numeric_limits<int>::max())),
          number_of(problem, "blocksize", 1)};
}

}  // namespace finegrain::problem
