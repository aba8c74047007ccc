// SPDX-License-Identifier: MIT
#include "kernels/problem/node_numbers.hpp"

#include <algorithm>

namespace finegrain::problem {
namespace {

constexpr std::int32_t nobody = -1;

/// A table with up to this number of places per node is smaller than the sorted list, and much faster.
constexpr std::uint64_t most_places_a_node = 8;

}  // namespace

NodeNumbers::NodeNumbers(const std::vector<std::int64_t>& numbers) {
  if (numbers.empty()) return;
  const auto [smallest, largest] = std::minmax_element(numbers.begin(), numbers.end());
  smallest_ = *smallest;
  // As unsigned numbers, because the difference of any two is then right.
  const std::uint64_t range = static_cast<std::uint64_t>(*largest) - static_cast<std::uint64_t>(*smallest);
  if (range < most_places_a_node * numbers.size()) {
    dense_.assign(range + 1, nobody);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      std::int32_t& place = dense_[static_cast<std::size_t>(numbers[i] - smallest_)];
      if (place != nobody) repeated_ = numbers[i];
      place = static_cast<std::int32_t>(i);
    }
    return;
  }
  for (std::size_t i = 0; i < numbers.size(); ++i)
    sparse_.emplace_back(numbers[i], static_cast<std::int32_t>(i));
  std::sort(sparse_.begin(), sparse_.end());
  const auto twice = std::adjacent_find(sparse_.begin(), sparse_.end(),
                                        [](const auto& a, const auto& b) { return a.first == b.first; });
  if (twice != sparse_.end()) repeated_ = twice->first;
}

std::optional<std::int32_t> NodeNumbers::index_of(std::int64_t number) const {
  if (!dense_.empty()) {
    const std::uint64_t place = static_cast<std::uint64_t>(number) - static_cast<std::uint64_t>(smallest_);
    if (place >= dense_.size() || dense_[place] == nobody) return std::nullopt;
    return dense_[place];
  }
  const auto found = std::lower_bound(sparse_.begin(), sparse_.end(), std::pair(number, std::int32_t{0}));
  if (found == sparse_.end() || found->first != number) return std::nullopt;
  return found->second;
}

}  // namespace finegrain::problem
