// SPDX-License-Identifier: MIT
#include "sim/replay/engine/copies.hpp"

namespace finegrain::replay {

bool Copies::add(std::size_t rank, double bytes, std::uint32_t from_domain, std::uint32_t to_domain,
                 const Flow& completes) {
  std::deque<Part>& copies = copies_[rank];
  const bool is_first = copies.empty();
  const bool has_parts = from_domain != to_domain;
  if (has_parts) copies.push_back({bytes / 2, from_domain, std::nullopt});
  copies.push_back({has_parts ? bytes / 2 : bytes, to_domain, completes});
  return is_first;
}

const Copies::Part* Copies::current(std::size_t rank) const {
  const auto copies = copies_.find(rank);
  return copies == copies_.end() ? nullptr : &copies->second.front();
}

std::optional<Flow> Copies::end_part(std::size_t rank) {
  const auto copies = copies_.find(rank);
  const std::optional<Flow> completed = copies->second.front().completes;
  copies->second.pop_front();
  if (copies->second.empty()) copies_.erase(copies);
  return completed;
}

}  // namespace finegrain::replay
