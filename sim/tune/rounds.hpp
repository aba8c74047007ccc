// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "sim/tune/candidates.hpp"

namespace finegrain::tune {

/// How many of a candidate's iterations are simulated.
enum class Depth : std::uint8_t { few, some, all };

/// Simulates candidates. Returns false if no time was left to simulate all of them.
using Simulate = std::function<bool(const std::vector<Candidate*>& candidates, Depth depth)>;

/// The candidates that could win, each with its estimate.
using Queue = std::vector<std::pair<double, Candidate*>>;

/// Those with the least estimates.
std::vector<Candidate*> first_of(Queue queue, std::size_t most);

/// The least cost of an answer of the candidates; infinite if there is none.
double least_s(const std::vector<Candidate>& candidates, study::Answer Candidate::*answer);

/// Whether an answer has not been computed.
bool is_open(const study::Answer& answer);

/// Whether ranks meet at barriers in each iteration.
bool has_barriers(const Run& run);

/// Simulates what a class says comes first, and then what remains in its queue, in batches of at most so
/// many. @returns how many could still win
template <class Round>
std::size_t simulate_rounds(Round round, Depth depth, std::size_t most, const Simulate& simulate) {
  std::vector<Candidate*> next = round.first();
  while (!next.empty() && simulate(next, depth))
    next = first_of(round.queue(), most);
  return next.empty() ? 0 : round.queue().size();
}

}  // namespace finegrain::tune
