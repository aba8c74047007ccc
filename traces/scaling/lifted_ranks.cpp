// SPDX-License-Identifier: MIT
#include "traces/scaling/lifted_ranks.hpp"

#include <cstdlib>

namespace finegrain::scaling {

Relation relation_of(const ProcessGrid& grid, int from, int to) {
  Relation relation{.is_near = true};
  const std::vector<int> a = grid.place_of(from);
  const std::vector<int> b = grid.place_of(to);
  for (std::size_t d = 0; d < a.size(); ++d) {
    const int step = b[d] - a[d];
    if (step == 0) continue;
    relation.ways |= 1U << d;
    if (std::abs(step) == 1) {
      relation.step[d] = step;
    } else if (std::abs(step) == grid.sides()[d] - 1) {
      relation.step[d] = step > 0 ? -1 : 1;
      relation.passes_end |= 1U << d;
    } else {
      relation.is_near = false;
    }
  }
  return relation;
}

std::array<int, 3> Relation::steps_in(unsigned dimensions) const {
  std::array<int, 3> steps{};
  for (std::size_t d = 0; d < steps.size(); ++d)
    if ((dimensions >> d & 1U) != 0) steps[d] = step[d];
  return steps;
}

LiftedRanks::LiftedRanks(const ProcessGrid& recorded, const ProcessGrid& wanted) : wanted_(wanted) {
  for (std::size_t d = 0; d < recorded.sides().size(); ++d) {
    along_[d] = (wanted.sides()[d] + recorded.sides()[d] - 1) / recorded.sides()[d];
    copies_ *= along_[d];
  }
  rank_of_.assign(static_cast<std::size_t>(recorded.ranks() * copies_), -1);
  for (int rank = 0; rank < wanted.ranks(); ++rank) {
    std::vector<int> place = wanted.place_of(rank);
    std::array<int, 3> copy{};
    for (std::size_t d = 0; d < place.size(); ++d) {
      copy[d] = place[d] / recorded.sides()[d];
      place[d] %= recorded.sides()[d];
    }
    recorded_of_.push_back(recorded.rank_at(place));
    copy_of_.push_back(copy_at(copy));
    rank_of_[static_cast<std::size_t>(recorded_of_.back() * copies_ + copy_of_.back())] = rank;
  }
}

std::array<int, 3> LiftedRanks::places_of(int copy) const {
  std::array<int, 3> places{};
  for (std::size_t d = along_.size(); d-- > 0; copy /= along_[d])
    places[d] = copy % along_[d];
  return places;
}

int LiftedRanks::copy_at(const std::array<int, 3>& places) const {
  int copy = 0;
  for (std::size_t d = 0; d < along_.size(); ++d)
    copy = copy * along_[d] + places[d];
  return copy;
}

std::optional<int> LiftedRanks::rank_of(int recorded, int copy) const {
  const int rank = rank_of_[static_cast<std::size_t>(recorded * copies_ + copy)];
  return rank < 0 ? std::nullopt : std::optional(rank);
}

std::optional<int> LiftedRanks::moved(int copy, const std::array<int, 3>& steps, unsigned closed) const {
  std::array<int, 3> places = places_of(copy);
  for (std::size_t d = 0; d < places.size(); ++d) {
    places[d] += steps[d];
    if ((closed >> d & 1U) != 0) places[d] = (places[d] % along_[d] + along_[d]) % along_[d];
    if (places[d] < 0 || places[d] >= along_[d]) return std::nullopt;
  }
  return copy_at(places);
}

int LiftedRanks::without(int copy, unsigned ways) const {
  std::array<int, 3> places = places_of(copy);
  for (std::size_t d = 0; d < places.size(); ++d)
    if ((ways >> d & 1U) != 0) places[d] = 0;
  return copy_at(places);
}

}  // namespace finegrain::scaling
