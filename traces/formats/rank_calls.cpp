// SPDX-License-Identifier: MIT
#include "traces/formats/rank_calls.hpp"

#include <algorithm>

namespace finegrain::formats {

void RankCalls::begin(RegionName function, std::int64_t start_ns) {
  calls.push_back({function, start_ns, start_ns, operations.size()});
}

std::int64_t RankCalls::add(const Operation& operation) {
  operations.push_back(operation);
  return makes_request(operation) ? ++requests : 0;
}

std::int64_t RankCalls::add(Collective collective, std::span<const std::int64_t> bytes) {
  collective.first_size = static_cast<std::int32_t>(sizes.size());
  collective.size_count = static_cast<std::int32_t>(bytes.size());
  sizes.insert(sizes.end(), bytes.begin(), bytes.end());
  return add(Operation(collective));
}

void RankCalls::complete(std::vector<std::int64_t> numbers) {
  std::ranges::sort(numbers);
  for (std::size_t first = 0; first < numbers.size();) {
    std::size_t after = first + 1;
    while (after < numbers.size() && numbers[after] == numbers[after - 1] + 1)
      ++after;
    add(Complete{requests + 1 - numbers[first], static_cast<std::int64_t>(after - first)});
    first = after;
  }
}

std::span<const Operation> RankCalls::operations_of(std::size_t call) const {
  const std::size_t first = calls[call].first_operation;
  const std::size_t after = call + 1 < calls.size() ? calls[call + 1].first_operation : operations.size();
  return std::span(operations).subspan(first, after - first);
}

}  // namespace finegrain::formats
