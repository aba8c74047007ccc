// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

namespace finegrain::scaling {

/// How a grid's sides follow from the number of ranks.
struct GridShape {
  int dimensions = 1;
  bool shortest_first = false;  ///< otherwise the longest is first, as MPI_Dims_create gives them
  /// The first or the last side is this one on any number of ranks, and the others share the rest; 0: none
  /// is.
  int constant_side = 0;
  bool is_first_constant = false;

  friend bool operator==(const GridShape&, const GridShape&) = default;
};

/// Ranks in a grid, row by row, with sides as MPI_Dims_create gives them, also where one side is given to it.
class ProcessGrid {
 public:
  /// @param reach  how many steps from an end of a dimension border_of() tells apart
  /// @pre ranks >= 1, shape.dimensions >= 1 (2 with a constant side, which divides the ranks), reach >= 1
  ProcessGrid(int ranks, const GridShape& shape, int reach = 1);

  int ranks() const { return ranks_; }
  int dimensions() const { return static_cast<int>(sides_.size()); }
  const std::vector<int>& sides() const { return sides_; }
  std::vector<int> place_of(int rank) const;
  /// @param place  within the sides
  int rank_at(const std::vector<int>& place) const;
  /// The rank that is `times` the `steps` away in each dimension; the grid is periodic.
  /// @param steps  shape [dimensions], each at most 2 from 0
  /// @param times  at most 2^40 in size
  int neighbour(int rank, const std::vector<int>& steps, std::int64_t times = 1) const;
  /// The steps to each dimension's beginning and to its end, at most `reach`. Equal for ranks that have
  /// the same neighbours so many steps away.
  std::vector<int> border_of(int rank) const;

 private:
  int ranks_;
  int reach_;
  std::vector<int> sides_;
};

}  // namespace finegrain::scaling
