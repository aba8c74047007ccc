// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "traces/scaling/process_grid.hpp"

namespace finegrain::scaling {

/// How one rank lies to another one in a grid.
struct Relation {
  bool is_near = false;          ///< at most one step in each dimension
  unsigned ways = 0;             ///< dimensions in which they differ; bit d: dimension d
  unsigned passes_end = 0;       ///< those ways in which one is at the beginning and the other at the end
  std::array<int, 3> step = {};  ///< -1, 0 or 1

  /// The steps in some of these dimensions, and none in the others.
  std::array<int, 3> steps_in(unsigned dimensions) const;
};
Relation relation_of(const ProcessGrid& grid, int from, int to);

/// Many ranks, as copies of few: the grid of the recorded ranks is laid side by side until it covers the
/// wanted one. What is beyond its sides is cut off.
///
///     recorded: 0 1        wanted, 4 x 2:  0 1 | 0 1     copies 0 and 1
///               2 3                        2 3 | 2 3
class LiftedRanks {
 public:
  /// @pre both have the same dimensions, at most 3
  LiftedRanks(const ProcessGrid& recorded, const ProcessGrid& wanted);

  int ranks() const { return wanted_.ranks(); }
  int copies() const { return copies_; }
  int recorded_of(int rank) const { return recorded_of_[static_cast<std::size_t>(rank)]; }
  int copy_of(int rank) const { return copy_of_[static_cast<std::size_t>(rank)]; }
  /// None where it is cut off.
  std::optional<int> rank_of(int recorded, int copy) const;
  /// So many copies on in each dimension. @param closed  dimensions in which the first one follows the last;
  /// in others, there is none beyond
  std::optional<int> moved(int copy, const std::array<int, 3>& steps, unsigned closed) const;
  /// The copy without its part in some dimensions: equal for those that differ in these only.
  int without(int copy, unsigned ways) const;
  /// Copies in a dimension.
  int along(std::size_t dimension) const { return along_[dimension]; }
  const ProcessGrid& wanted() const { return wanted_; }

 private:
  std::array<int, 3> places_of(int copy) const;
  int copy_at(const std::array<int, 3>& places) const;

  ProcessGrid wanted_;
  std::array<int, 3> along_{1, 1, 1};
  int copies_ = 1;
  std::vector<int> recorded_of_;
  std::vector<int> copy_of_;
  std::vector<int> rank_of_;  ///< -1: cut off; shape [recorded ranks][copies]
};

}  // namespace finegrain::scaling
