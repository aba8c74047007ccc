// SPDX-License-Identifier: MIT
#include "kernels/problem/distribution.hpp"

#include <catch2/catch.hpp>
#include <vector>

#include "traces/io/input_error.hpp"

namespace finegrain::problem {
namespace {

TEST_CASE("distribution: 10 elements in blocks of 3 on 2 ranks") {
  const Distribution distribution(10, 2, 3);  // 0: 012 678, 1: 345 9
  REQUIRE(distribution.blocks() == 4);
  std::vector<int> owners;
  for (std::int64_t element = 0; element < 10; ++element)
    owners.push_back(distribution.owner(element));
  REQUIRE(owners == std::vector<int>{0, 0, 0, 1, 1, 1, 0, 0, 0, 1});
  REQUIRE(distribution.elements_of(0) == 3 + 3);
  REQUIRE(distribution.elements_of(1) == 3 + 1);
  REQUIRE(distribution.block_begin(3) == 9);
  REQUIRE(distribution.block_length(3) == 1);
}

TEST_CASE("distribution: blocks and elements of a rank are those that it owns, whatever divides what") {
  for (const std::int64_t n : {1, 7, 12, 100}) {
    for (int ranks = 1; ranks <= n + 4; ranks += 3) {
      for (const std::int64_t block_size : {1, 2, 5, 12, 99, 1000}) {
        CAPTURE(n, ranks, block_size);
        const Distribution distribution(n, ranks, block_size);
        std::vector<std::int64_t> elements(static_cast<std::size_t>(ranks));
        std::vector<std::int64_t> blocks(static_cast<std::size_t>(ranks));
        for (std::int64_t element = 0; element < n; ++element) {
          const auto owner = static_cast<std::size_t>(element / block_size % ranks);  // eq. (1)
          REQUIRE(distribution.owner(element) == static_cast<int>(owner));
          ++elements[owner];
          blocks[owner] += element % block_size == 0 ? 1 : 0;
        }
        for (int rank = 0; rank < ranks; ++rank) {
          REQUIRE(distribution.elements_of(rank) == elements[static_cast<std::size_t>(rank)]);
          REQUIRE(distribution.blocks_of(rank) == blocks[static_cast<std::size_t>(rank)]);
        }
      }
    }
  }
}

TEST_CASE("distribution: one block a rank leaves no rank more than one") {
  REQUIRE(one_block_per_rank(12, 4) == 3);
  REQUIRE(one_block_per_rank(13, 4) == 4);
  REQUIRE(Distribution(13, 4, one_block_per_rank(13, 4)).blocks() == 4);
}

TEST_CASE("distribution: no rows, no ranks, no BLOCKSIZE are input errors") {
  REQUIRE_THROWS_AS(Distribution(0, 1, 1), InputError);
  REQUIRE_THROWS_AS(Distribution(5, 0, 1), InputError);
  REQUIRE_THROWS_AS(Distribution(5, -1, 1), InputError);
  REQUIRE_THROWS_AS(Distribution(5, 2, 0), InputError);
  REQUIRE_THROWS_AS(Distribution(5, 2, -3), InputError);
}

}  // namespace
}  // namespace finegrain::problem
