// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "kernels/problem/distribution.hpp"
#include "kernels/problem/ellpack.hpp"
#include "sim/pattern/fast_divisor.hpp"

namespace finegrain::pattern {

/// One entry of J, in a row of one rank, that points at an element of another.
struct ForeignAccess {
  std::size_t entry;  ///< its index in J
  std::int64_t row;   ///< in the order of the rank's rows
  std::uint32_t element;
  std::uint32_t block;  ///< that the element lies in
  int owner;
};

/// Calls visit(ForeignAccess) for every entry of J in `rank`'s rows that points at another rank's element, in
/// the program order of Listing 3: own blocks ascending, rows ascending, entries ascending. Padding points at
/// the row itself, so it is never visited.
template <class Visit>
void for_each_foreign_access(const problem::EllpackView& matrix, const problem::Distribution& distribution,
                             int rank, Visit&& visit) {
  // Indices are below n <= 2^31, so a BLOCKSIZE above n divides them as n does: to zero.
  const FastDivisor by_block_size(std::min(distribution.block_size(), distribution.size()));
  const FastDivisor by_ranks(distribution.ranks());
  const auto r_nz = static_cast<std::size_t>(matrix.r_nz);
  std::int64_t first_row = 0;  // the block's
  for (std::int64_t own = rank; own < distribution.blocks(); own += distribution.ranks()) {
    const auto begin = static_cast<std::uint32_t>(distribution.block_begin(own));
    const auto length = static_cast<std::uint32_t>(distribution.block_length(own));
    const std::size_t first_entry = begin * r_nz;
    const auto entries = matrix.columns.subspan(first_entry, length * r_nz);
    // Most entries point into the block itself. The few others are first gathered, without a branch: which
    // they are cannot be foreseen, and mispredicted branches would cost more than all the rest.
    std::array<std::uint32_t, 512> outside;  // their places in the part
    for (std::size_t first = 0; first < entries.size(); first += outside.size()) {
      const auto part = entries.subspan(first, std::min(outside.size(), entries.size() - first));
      std::size_t count = 0;
      for (std::uint32_t place = 0; place < part.size(); ++place) {
        outside[count] = place;
        // Elements below begin wrap around.
        count += static_cast<std::uint32_t>(part[place]) - begin < length ? 0 : 1;
      }
      for (std::size_t i = 0; i < count; ++i) {
        const auto element = static_cast<std::uint32_t>(part[outside[i]]);
        const std::uint32_t block = by_block_size.quotient(element);
        const auto owner = static_cast<int>(by_ranks.remainder(block));
        if (owner == rank) continue;
        const std::size_t entry = first + outside[i];
        visit(ForeignAccess{first_entry + entry, first_row + static_cast<std::int64_t>(entry / r_nz), element,
                            block, owner});
      }
    }
    first_row += length;
  }
}

}  // namespace finegrain::pattern
