// SPDX-License-Identifier: MIT
#include "sim/tune/rounds.hpp"

#include <algorithm>
#include <limits>

namespace finegrain::tune {

std::vector<Candidate*> first_of(Queue queue, std::size_t most) {
  std::ranges::stable_sort(queue, {}, &std::pair<double, Candidate*>::first);
  std::vector<Candidate*> first;
  for (std::size_t i = 0; i < std::min(queue.size(), most); ++i)
    first.push_back(queue[i].second);
  return first;
}

double least_s(const std::vector<Candidate>& candidates, study::Answer Candidate::*answer) {
  double least = std::numeric_limits<double>::infinity();
  for (const Candidate& candidate : candidates)
    least = std::min(least, candidate.cost(candidate.*answer).value_or(least));
  return least;
}

bool is_open(const study::Answer& answer) {
  return !answer.total_s && answer.none_because.empty();
}

bool has_barriers(const Run& run) {
  return run.transfer != Transfer::two_sided;
}

}  // namespace finegrain::tune
