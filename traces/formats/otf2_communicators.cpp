// SPDX-License-Identifier: MIT
#include <algorithm>
#include <numeric>

#include "traces/formats/otf2_rank.hpp"

namespace finegrain::formats {

Otf2Communicators::Otf2Communicators(const Otf2Definitions& definitions)
    : ranks_(static_cast<std::int32_t>(definitions.locations_of_ranks.size())) {
  std::vector<std::int32_t> all(static_cast<std::size_t>(ranks_));
  std::iota(all.begin(), all.end(), 0);
  for (const auto& [number, communicator] : definitions.communicators) {
    if (definitions.groups_of_self.contains(communicator.group)) {
      numbers_[number] = of_self;
      continue;
    }
    const auto group = definitions.groups.find(communicator.group);
    if (group == definitions.groups.end()) continue;
    std::vector<std::int32_t> ranks;
    for (const std::uint64_t rank : group->second) {
      if (rank < static_cast<std::uint64_t>(ranks_)) ranks.push_back(static_cast<std::int32_t>(rank));
    }
    if (ranks.size() != group->second.size() || ranks.empty()) continue;
    if (communicator.is_of_all && ranks == all) {
      numbers_[number] = 0;
      continue;
    }
    communicators_.push_back({std::move(ranks)});
    numbers_[number] = static_cast<std::int32_t>(communicators_.size());
  }
  first_self_ = static_cast<std::int32_t>(communicators_.size()) + 1;
  for (const std::int32_t rank : all)
    communicators_.push_back({{rank}});
}

std::optional<std::int32_t> Otf2Communicators::number_of(std::uint32_t communicator,
                                                         std::int32_t rank) const {
  const auto found = numbers_.find(communicator);
  if (found == numbers_.end()) return std::nullopt;
  const std::int32_t number = found->second == of_self ? first_self_ + rank : found->second;
  if (rank_in(number, rank) < 0) return std::nullopt;
  return number;
}

std::optional<std::int32_t> Otf2Communicators::rank_of_run(std::int32_t number, std::uint32_t rank) const {
  if (rank >= static_cast<std::uint32_t>(size(number))) return std::nullopt;
  if (number == 0) return static_cast<std::int32_t>(rank);
  return communicators_[static_cast<std::size_t>(number) - 1].ranks[rank];
}

std::int32_t Otf2Communicators::rank_in(std::int32_t number, std::int32_t rank) const {
  if (number == 0) return rank;
  const std::vector<std::int32_t>& ranks = communicators_[static_cast<std::size_t>(number) - 1].ranks;
  const auto found = std::ranges::find(ranks, rank);
  return found == ranks.end() ? -1 : static_cast<std::int32_t>(found - ranks.begin());
}

std::int32_t Otf2Communicators::size(std::int32_t number) const {
  if (number == 0) return ranks_;
  return static_cast<std::int32_t>(communicators_[static_cast<std::size_t>(number) - 1].ranks.size());
}

}  // namespace finegrain::formats
