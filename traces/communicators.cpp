// SPDX-License-Identifier: MIT
#include "traces/communicators.hpp"

#include <cstddef>

namespace finegrain {

std::int32_t Communicators::number_of(std::uint64_t identity, std::span<const std::int32_t> ranks) {
  const std::lock_guard lock(mutex_);
  const auto [known, is_new] = numbers_.try_emplace(identity, static_cast<std::int32_t>(ranks_.size()) + 1);
  if (is_new) ranks_.emplace_back(ranks.begin(), ranks.end());
  return known->second;
}

std::span<const std::int32_t> Communicators::ranks(std::int32_t number) const {
  const std::lock_guard lock(mutex_);
  const auto place = static_cast<std::size_t>(number) - 1;
  return place < ranks_.size() ? std::span<const std::int32_t>(ranks_[place])
                               : std::span<const std::int32_t>();
}

}  // namespace finegrain
