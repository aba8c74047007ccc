// SPDX-License-Identifier: MIT
#include "kernels/problem/distribution.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "traces/io/input_error.hpp"

namespace finegrain::problem {

Distribution::Distribution(std::int64_t n, int ranks, std::int64_t block_size)
    : n_(n), ranks_(ranks), block_size_(block_size), blocks_(0) {
  if (n < 1) throw InputError("distribution", fmt::format("{} rows (there must be at least one)", n));
  if (ranks < 1)
    throw InputError("ranks", fmt::format("{} is not a number of ranks", ranks), "Give 1 or more");
  if (block_size < 1) {
    throw InputError("BLOCKSIZE", fmt::format("{} is not a block size", block_size),
                     fmt::format("Give 1 or more, e.g. {}", one_block_per_rank(n, ranks)));
  }
  blocks_ = (n - 1) / block_size + 1;
}

std::int64_t Distribution::block_length(std::int64_t block) const {
  return std::min(block_size_, n_ - block_begin(block));
}

std::int64_t Distribution::blocks_of(int rank) const {
  return blocks_ / ranks_ + (rank < blocks_ % ranks_ ? 1 : 0);
}

std::int64_t Distribution::elements_of(int rank) const {
  const std::int64_t blocks = blocks_of(rank);
  const bool owns_last = owner_of_block(blocks_ - 1) == rank;
  return owns_last ? (blocks - 1) * block_size_ + block_length(blocks_ - 1) : blocks * block_size_;
}

std::int64_t one_block_per_rank(std::int64_t n, int ranks) {
  return (n - 1) / ranks + 1;
}

}  // namespace finegrain::problem
