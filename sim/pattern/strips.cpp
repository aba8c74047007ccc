// SPDX-License-Identifier: MIT
#include "sim/pattern/strips.hpp"

#include <algorithm>
#include <iterator>

namespace finegrain::pattern {
namespace {

std::vector<std::int32_t> multiples_below(std::int64_t n, std::int64_t step) {
  std::vector<std::int32_t> multiples;
  multiples.reserve(static_cast<std::size_t>((n - 1) / step + 1));
  for (std::int64_t multiple = 0; multiple < n; multiple += step)
    multiples.push_back(static_cast<std::int32_t>(multiple));
  return multiples;
}

}  // namespace

Strips::Strips(std::int64_t n, std::span<const std::int64_t> block_sizes)
    : begins_(multiples_below(n, panel_length)) {
  std::vector<std::int64_t> sizes{panel_length};  // the sizes whose multiples are cuts
  for (const std::int64_t block_size : block_sizes) {
    const auto divides_block_size = [&](std::int64_t size) { return block_size % size == 0; };
    if (std::any_of(sizes.begin(), sizes.end(), divides_block_size)) continue;
    sizes.push_back(block_size);
    const std::vector<std::int32_t> cuts = multiples_below(n, std::min(block_size, n));
    std::vector<std::int32_t> all;
    all.reserve(begins_.size() + cuts.size());
    std::set_union(begins_.begin(), begins_.end(), cuts.begin(), cuts.end(), std::back_inserter(all));
    begins_ = std::move(all);
  }
  for (std::size_t strip = 0; strip < begins_.size(); ++strip) {
    if (begins_[strip] % panel_length == 0) first_strips_.push_back(strip);
  }
  first_strips_.push_back(begins_.size());
  begins_.push_back(static_cast<std::int32_t>(n));
}

}  // namespace finegrain::pattern
