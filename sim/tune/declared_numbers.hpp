// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "sim/tune/finalists.hpp"

namespace finegrain {

/// One number of one platform, changed: what becomes of the closed forms of the candidates on that platform.
struct NumberChanged {
  std::size_t platform = 0;   ///< index into StudyFile::platforms
  std::string change;         ///< "tau x1.2"
  std::vector<double> ratio;  ///< closed form with it over closed form without, shape [candidates]
};

/// A change under which another candidate wins.
struct OtherWinner {
  const NumberChanged* number;
  std::size_t winner;  ///< index into the candidates
};

/// Of the changes those under which the first candidate no longer is the fastest: each simulated time times
/// the ratio of its closed forms. @pre candidates are ranked
std::vector<OtherWinner> other_winners(const std::vector<Candidate>& candidates,
                                       const std::vector<NumberChanged>& numbers);

}  // namespace finegrain
