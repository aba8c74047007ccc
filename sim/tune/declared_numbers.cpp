// SPDX-License-Identifier: MIT
#include "sim/tune/declared_numbers.hpp"

namespace finegrain {

std::vector<OtherWinner> other_winners(const std::vector<Candidate>& candidates,
                                       const std::vector<NumberChanged>& numbers) {
  std::vector<OtherWinner> others;
  for (const NumberChanged& number : numbers) {
    std::size_t winner = 0;
    double least_s = 0;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      if (!candidates[i].simulated.total_s) continue;
      const double time_s = *candidates[i].simulated.total_s * number.ratio[i];
      if (i > 0 && time_s >= least_s) continue;
      winner = i;
      least_s = time_s;
    }
    if (winner != 0) others.push_back({&number, winner});
  }
  return others;
}

}  // namespace finegrain
