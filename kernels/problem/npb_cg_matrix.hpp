// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace finegrain::problem {

/// A problem size of CG, of the NAS Parallel Benchmarks (Bailey et al., RNR-94-007; npb.nasa.gov, cg.f).
struct NpbCgClass {
  std::string name;
  std::int64_t rows;
  int nonzeros;          ///< each random vector's
  int iterations;        ///< outer ones
  double shift;          ///< the eigenvalue's
  double verified_zeta;  ///< that the benchmark's programs must find
};

/// S, W, A, B, C or D. @throws InputError if the name is none of them. @param place  for errors
const NpbCgClass& npb_cg_class(const std::string& name, const std::string& place);

/// How many steps of CG are in an outer iteration; one product more finds the residual.
inline constexpr int npb_cg_steps = 25;

/// The matrix of a class: the weighted sum of the outer products of random sparse vectors, plus a diagonal.
/// It is that of NPB's generator (makea), whose random numbers are x * 5^13 mod 2^46.
class NpbCgMatrix {
 public:
  /// Takes 16 bytes for each of rows x (nonzeros + 1) numbers. The matrix itself is never in memory.
  explicit NpbCgMatrix(const NpbCgClass& of_class);

  const NpbCgClass& of_class() const { return class_; }
  /// Makes one row after the other, in memory of its own.
  class Rows {
   public:
    explicit Rows(const NpbCgMatrix& matrix);
    /// The columns of a row, each once, in no order; valid until the next call.
    std::span<const std::int32_t> columns(std::int64_t row) { return columns_up_to(row, last_column_); }
    /// The columns up to the diagonal, which is half of the work. The others follow from these, since (i, j)
    /// is in the matrix if (j, i) is.
    std::span<const std::int32_t> columns_to_diagonal(std::int64_t row) { return columns_up_to(row, row); }
    /// All columns of a row, ascending, and their values. @param values  is replaced
    std::span<const std::int32_t> entries(std::int64_t row, std::vector<double>& values);

   private:
    std::span<const std::int32_t> columns_up_to(std::int64_t row, std::int64_t last);

    const NpbCgMatrix& matrix_;
    std::int64_t last_column_;
    std::vector<std::int32_t> last_row_;  ///< the last row in which each column was found, shape [rows]
    std::vector<std::int32_t> columns_;
    std::vector<double> sums_;  ///< the row's, by column; shape [rows], or empty
  };

 private:
  NpbCgClass class_;
  std::vector<std::int64_t> begins_;      ///< where each vector's numbers begin, shape [rows + 1]
  std::vector<std::int32_t> places_;      ///< the elements of each vector that are not 0, ascending
  std::vector<double> values_;            ///< the values of these elements
  std::vector<std::int64_t> row_begins_;  ///< where each row's list begins, shape [rows + 1]
  std::vector<std::int32_t> vectors_;     ///< the vectors that have the element of the row
};

}  // namespace finegrain::problem
