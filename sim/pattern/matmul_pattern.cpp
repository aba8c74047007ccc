// SPDX-License-Identifier: MIT
//
// Pattern "matmul": the naive product of two square matrices (Zhang & Seidel 2006, section 5.2):
//
//     upc_forall (i = 0; i < N; i++; &A[i][0])
//       for (j = 0; j < N; j++) {
//         C[i][j] = 0;
//         for (k = 0; k < N; k++) C[i][j] += A[i][k] * B[k][j];
//       }
//     upc_barrier;
//
// Rows of A and C, and columns of B, are dealt out one by one (cyclic) or in one piece each (block). The
// paper's declaration of the cyclic B deals out rows; here columns are dealt out, as the paper's text says.
// As in the paper, the store of 0 is not counted, and C[i][j] is read and written once for each k.
#include <fmt/format.h>

#include "sim/pattern/addressed_accesses.hpp"
#include "sim/pattern/memory_bytes.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"

namespace finegrain::pattern {
namespace {

constexpr std::int64_t most_matmul_rows = 100'000;

struct MatmulProblem {
  std::int64_t rows;  ///< and columns
  bool is_cyclic;
};

MatmulProblem matmul_of(const Problem& problem) {
  return {number_of(problem, "rows", 1, most_matmul_rows), text_of(problem, "striping") == "cyclic"};
}

std::int64_t matmul_rows_of_rank(const Run& run) {
  const std::int64_t rows = matmul_of(run.problem).rows;
  if (rows % run.ranks == 0) return rows / run.ranks;
  throw InputError("problem",
                   fmt::format("{} cannot be divided evenly among {}", format_count(rows, "row"),
                               format_count(run.ranks, "rank")),
                   "Choose ranks that divide them, as the paper does");
}

OwnAccesses matmul_own_accesses(const Run& run) {
  const std::int64_t rows = matmul_of(run.problem).rows;
  const std::int64_t own_rows = matmul_rows_of_rank(run);
  // The rank's rows of A and C, and its columns of B.
  return {.reads = own_rows * rows * (2 * rows + own_rows), .writes = own_rows * rows * rows};
}

class Matmul : public OwnAccessPattern {
 public:
  explicit Matmul(std::int64_t rows) : rows_(rows) {}

  std::string title() const override { return fmt::format("product of two {0} x {0} matrices", rows_); }
  std::string name() const override { return fmt::format("{}", rows_); }

  Problem problem(int ranks, const Settings& given) const override {
    const auto striping = given.find("striping");
    Problem problem{"matmul", {{"rows", rows_}, {"striping", std::string("cyclic")}}};
    if (striping != given.end()) problem.settings["striping"] = striping->second;
    set_block_bytes(problem, given);
    matmul_rows_of_rank({.problem = problem, .policy = "", .ranks = ranks});
    return problem;
  }

  OwnAccesses own_accesses(const Run& run, int /*rank*/) const override { return matmul_own_accesses(run); }
  bool writes(const Run& /*run*/) const override { return false; }

  void list(const Run& run, const OnAccess& visit) const override {
    const auto [rows, is_cyclic] = matmul_of(run.problem);
    const std::int64_t own = matmul_rows_of_rank(run);
    for (int rank = 0; rank < run.ranks; ++rank) {
      for (std::int64_t row = 0; row < own; ++row) {
        for (std::int64_t column = 0; column < rows; ++column) {
          const std::int64_t owner = is_cyclic ? column % run.ranks : column / own;
          const std::int64_t place = is_cyclic ? column / run.ranks : column % own;
          for (std::int64_t k = 0; k < rows && owner != rank; ++k) {
            visit({.rank = rank,
                   .owner = static_cast<std::int32_t>(owner),
                   .address = (k * own + place) * double_bytes,
                   .size_bytes = static_cast<std::int32_t>(double_bytes)});
          }
        }
      }
    }
  }

 private:
  std::int64_t rows_;
};

class MatmulKind : public NumberedKind {
 public:
  MatmulKind() : NumberedKind("rows", "rows", 1, most_matmul_rows) {}

  std::string name() const override { return "matmul"; }
  int order() const override { return 4; }
  std::string flag() const override { return "matmul"; }
  std::string flag_help() const override {
    return "Instead: the naive product of two square matrices of this many rows (docs/patterns.md)";
  }
  std::vector<Parameter> parameters() const override {
    return {{.name = "striping",
             .label = "",
             .help = "Matmul: rows of A and C and columns of B are dealt out one by one (cyclic), or in one "
                     "piece a rank (block). Default: cyclic",
             .words = {"cyclic", "block"}},
            block_bytes_parameter()};
  }

  std::string describe(const Problem& problem) const override {
    return fmt::format("{0} x {0} elements, {1} stripes", matmul_of(problem).rows,
                       text_of(problem, "striping"));
  }
  std::string case_of(const Problem& problem) const override { return text_of(problem, "striping"); }
  std::vector<std::int64_t> elements_of_ranks(const Run& run) const override {
    return std::vector<std::int64_t>(static_cast<std::size_t>(run.ranks),
                                     matmul_rows_of_rank(run) * matmul_of(run.problem).rows);
  }
  /// Section 5.2 calls B vector-local on all platforms, whether or not they make vectors of it.
  std::vector<model::Partition> partitions(const Run& run,
                                           model::ReferencePattern /*unit_stride*/) const override {
    const std::int64_t rows = matmul_of(run.problem).rows;
    const std::int64_t own = matmul_rows_of_rank(run);
    const std::int64_t each = own * rows * rows;
    return {{.references = "C[i][j], written", .writes = true, .local = each},
            {.references = "C[i][j], read", .local = each},
            {.references = "A[i][k]", .local = each},
            {.references = "B[k][j]",
             .local = own * rows * own,
             .remote = each - own * rows * own,
             .remote_pattern = model::ReferencePattern::vector}};
  }

 private:
  std::shared_ptr<const Pattern> of_number(std::int64_t number) const override {
    return std::make_shared<Matmul>(number);
  }
};

}  // namespace

const PatternKind& matmul_pattern() {
  static const MatmulKind kind;
  return kind;
}

}  // namespace finegrain::pattern
