// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace finegrain::problem {

/// The part of the 2D heat grid that one rank updates: inner points only, halo not counted (m-2 and n-2 in
/// the paper).
struct HeatPart {
  std::int64_t first_row = 0;
  std::int64_t rows = 0;
  std::int64_t first_column = 0;
  std::int64_t columns = 0;
};

enum class Side { left, right, up, down };

/// rows x columns inner points cut into mprocs x nprocs parts, ranks numbered row-major (iproc = rank /
/// nprocs, kproc = rank % nprocs; paper, section 8.1.1). Where the parts do not divide the grid, the first
/// ones are larger by one.
class HeatGrid {
 public:
  /// @throws InputError if a number is < 1, or there are more parts than points in a direction
  HeatGrid(std::int64_t rows, std::int64_t columns, int mprocs, int nprocs);

  std::int64_t rows() const { return rows_; }
  std::int64_t columns() const { return columns_; }
  int mprocs() const { return mprocs_; }
  int nprocs() const { return nprocs_; }
  int ranks() const { return mprocs_ * nprocs_; }
  HeatPart part(int rank) const;
  /// The rank across one side; none at the edge of the grid.
  std::optional<int> neighbour(int rank, Side side) const;

 private:
  std::int64_t rows_;
  std::int64_t columns_;
  int mprocs_;
  int nprocs_;
};

struct GridSize {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
};

/// "20000x40000". @throws InputError that names where the text was: a flag, or a file and line
GridSize parse_grid(std::string_view text, std::string_view where);

}  // namespace finegrain::problem
