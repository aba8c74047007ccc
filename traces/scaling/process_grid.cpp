// SPDX-License-Identifier: MIT
#include "traces/scaling/process_grid.hpp"

#include <algorithm>
#include <functional>

namespace finegrain::scaling {

namespace {

/// As equal as they can be, the longest first.
std::vector<int> sides_of(int ranks, int dimensions) {
  std::vector<int> primes;
  for (int prime = 2; ranks > 1; ++prime)
    for (; ranks % prime == 0; ranks /= prime)
      primes.push_back(prime);
  std::vector<int> sides(static_cast<std::size_t>(dimensions), 1);
  std::ranges::reverse(primes);
  for (const int prime : primes)
    *std::ranges::min_element(sides) *= prime;
  std::ranges::sort(sides, std::greater<>());
  return sides;
}

}  // namespace

ProcessGrid::ProcessGrid(int ranks, const GridShape& shape, int reach) : ranks_(ranks), reach_(reach) {
  const bool has_constant = shape.constant_side > 0;
  sides_ =
      sides_of(has_constant ? ranks / shape.constant_side : ranks, shape.dimensions - (has_constant ? 1 : 0));
  if (shape.shortest_first) std::ranges::reverse(sides_);
  if (has_constant)
    sides_.insert(shape.is_first_constant ? sides_.begin() : sides_.end(), shape.constant_side);
}

std::vector<int> ProcessGrid::place_of(int rank) const {
  std::vector<int> place(sides_.size());
  for (std::size_t d = sides_.size(); d-- > 0; rank /= sides_[d])
    place[d] = rank % sides_[d];
  return place;
}

int ProcessGrid::rank_at(const std::vector<int>& place) const {
  int rank = 0;
  for (std::size_t d = 0; d < sides_.size(); ++d)
    rank = rank * sides_[d] + place[d];
  return rank;
}

int ProcessGrid::neighbour(int rank, const std::vector<int>& steps, std::int64_t times) const {
  const std::vector<int> place = place_of(rank);
  int other = 0;
  for (std::size_t d = 0; d < sides_.size(); ++d) {
    const auto along = static_cast<int>((place[d] + times * steps[d]) % sides_[d]);
    other = other * sides_[d] + (along + sides_[d]) % sides_[d];
  }
  return other;
}

std::vector<int> ProcessGrid::border_of(int rank) const {
  const std::vector<int> place = place_of(rank);
  std::vector<int> border;
  for (std::size_t d = 0; d < sides_.size(); ++d) {
    border.push_back(std::min(place[d], reach_));
    border.push_back(std::min(sides_[d] - 1 - place[d], reach_));
  }
  return border;
}

}  // namespace finegrain::scaling
