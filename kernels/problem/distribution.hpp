// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace finegrain::problem {

/// Block-cyclic ownership of the elements 0 ... n-1: blocks of BLOCKSIZE consecutive elements go to the ranks
/// in turn. The last block is partial where BLOCKSIZE does not divide n. Where there are fewer blocks than
/// ranks, the last ranks own nothing. Source: eq. (1), Lagravière et al. 2019.
class Distribution {
 public:
  /// @throws InputError if n < 1, ranks < 1, or block_size < 1
  Distribution(std::int64_t n, int ranks, std::int64_t block_size);

  std::int64_t size() const { return n_; }
  int ranks() const { return ranks_; }
  std::int64_t block_size() const { return block_size_; }
  /// ceil(n / BLOCKSIZE)
  std::int64_t blocks() const { return blocks_; }

  std::int64_t block_of(std::int64_t element) const { return element / block_size_; }
  int owner_of_block(std::int64_t block) const { return static_cast<int>(block % ranks_); }
  int owner(std::int64_t element) const { return owner_of_block(block_of(element)); }
  std::int64_t block_begin(std::int64_t block) const { return block * block_size_; }
  /// BLOCKSIZE, or less for the last block.
  std::int64_t block_length(std::int64_t block) const;
  /// Number of blocks of one rank. Source: eq. (5).
  std::int64_t blocks_of(int rank) const;
  /// Number of elements of one rank, the partial last block counted as it is.
  std::int64_t elements_of(int rank) const;

 private:
  std::int64_t n_;
  int ranks_;
  std::int64_t block_size_;
  std::int64_t blocks_;
};

/// BLOCKSIZE that gives every rank one block: ceil(n / ranks).
std::int64_t one_block_per_rank(std::int64_t n, int ranks);

}  // namespace finegrain::problem
