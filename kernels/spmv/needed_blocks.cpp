// SPDX-License-Identifier: MIT
#include "kernels/spmv/needed_blocks.hpp"

namespace finegrain::kernels {

std::vector<std::int64_t> needed_blocks(const SpmvInput& input, const OwnRows& own) {
  const problem::Distribution& distribution = input.distribution;
  std::vector<bool> is_needed(static_cast<std::size_t>(distribution.blocks()));
  for (const Block& block : input.own_blocks)
    is_needed[static_cast<std::size_t>(distribution.block_of(block.global_begin))] = true;
  for (std::int64_t i = 0; i < input.own_rows() * own.r_nz; ++i)
    is_needed[static_cast<std::size_t>(distribution.block_of(own.columns[i]))] = true;
  std::vector<std::int64_t> needed;
  for (std::int64_t block = 0; block < distribution.blocks(); ++block)
    if (is_needed[static_cast<std::size_t>(block)]) needed.push_back(block);
  return needed;
}

}  // namespace finegrain::kernels
