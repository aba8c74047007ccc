// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "traces/scaling/process_grid.hpp"

namespace finegrain::scaling {

/// A quantity that was recorded on a grid of ranks: all messages from a place, or their mean size.
struct Recorded {
  const ProcessGrid* grid;
  double value;
};

/// How a quantity may follow the number of ranks.
struct Law {
  std::function<double(const ProcessGrid&)> value;
  std::string text;
  double doubt = 0;  ///< how much worse than others it may fit, and still is not taken
};

/// The law that the recordings obey best.
struct FittedLaw {
  std::string text;
  /// The largest quotient of a recorded value and the law's, divided by the smallest; its logarithm.
  double spread = 0;
  double ratio = 1;  ///< the wanted grid's value divided by the base's
};

/// Pairs of ranks that are next to each other in these dimensions, and equal in the others: in a grid that is
/// not closed. Bit d of ways: dimension d.
double open_pairs(const ProcessGrid& grid, unsigned ways);
/// The product of the sides in which such pairs are equal.
double sides_across(const ProcessGrid& grid, unsigned ways);

/// The different ranks that a rank has next to it in these dimensions of a closed grid: one where a side has
/// two ranks.
double closed_neighbours(const ProcessGrid& grid, unsigned ways);

/// Laws of all messages of a kind together. @param ways  0: not between neighbours @param is_closed  some
/// pass the end of a side
std::vector<Law> laws_of_messages(int dimensions, unsigned ways, bool is_closed);
/// Laws of the mean size of a message.
std::vector<Law> laws_of_sizes(unsigned ways);
/// Laws of the calls that a rank makes.
std::vector<Law> laws_of_calls();

/// The law with the smallest sum of spread and doubt; or a power of the ranks, if none of them fits well.
/// @param recorded  not empty, the base among them; values of 0 say nothing
FittedLaw fitted_law(std::span<const Law> laws, std::span<const Recorded> recorded, const ProcessGrid& base,
                     const ProcessGrid& wanted);

}  // namespace finegrain::scaling
