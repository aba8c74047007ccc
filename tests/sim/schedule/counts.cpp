// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "patterns.hpp"
#include "sim/schedule/counts.hpp"

using namespace finegrain;
using test::Pattern;

namespace {

/// The paper's definitions (eq. (1), sections 5.2.3 to 5.2.5) written down as sets: slow, and with nothing of
/// the counting under test or of Distribution and Placement.
class NaiveCounts {
 public:
  NaiveCounts(const Pattern& pattern, int ranks, int ranks_per_node, std::int64_t block_size)
      : pattern_(pattern), ranks_(ranks), ranks_per_node_(ranks_per_node), block_size_(block_size) {}

  std::vector<RankCounts> all() const {
    std::vector<RankCounts> counts;
    for (int rank = 0; rank < ranks_; ++rank)
      counts.push_back(of(rank));
    return counts;
  }

 private:
  struct Need {
    std::int64_t accesses = 0;
    std::set<std::int64_t> rows;
    std::set<std::int64_t> values;
    std::set<std::int64_t> blocks;
  };

  int owner(std::int64_t element) const { return static_cast<int>(element / block_size_ % ranks_); }

  std::map<int, Need> needs_of(int rank) const {
    std::map<int, Need> needs;
    for (std::int64_t entry = 0; entry < pattern_.rows * pattern_.r_nz; ++entry) {
      const std::int64_t element = pattern_.columns.at(static_cast<std::size_t>(entry));
      if (owner(entry / pattern_.r_nz) != rank || owner(element) == rank) continue;
      Need& need = needs[owner(element)];
      ++need.accesses;
      need.rows.insert(entry / pattern_.r_nz);
      need.values.insert(element);
      need.blocks.insert(element / block_size_);
    }
    return needs;
  }

  std::int64_t elements_in(const std::set<std::int64_t>& blocks) const {
    std::int64_t elements = 0;
    for (std::int64_t element = 0; element < pattern_.rows; ++element)
      elements += blocks.count(element / block_size_) != 0 ? 1 : 0;
    return elements;
  }

  RankCounts of(int rank) const {
    RankCounts counts;
    std::set<std::int64_t> own_blocks;
    for (std::int64_t element = 0; element < pattern_.rows; ++element) {
      if (owner(element) != rank) continue;
      ++counts.rows;
      own_blocks.insert(element / block_size_);
    }
    counts.blocks = counts.blocks_local = static_cast<std::int64_t>(own_blocks.size());
    counts.blocks_out_local = counts.blocks;
    counts.block_values_local = counts.block_values_out_local = elements_in(own_blocks);
    std::set<std::int64_t> boundary_rows;
    for (const auto& [peer, need] : needs_of(rank)) {
      boundary_rows.insert(need.rows.begin(), need.rows.end());
      const auto values = static_cast<std::int64_t>(need.values.size());
      const auto blocks = static_cast<std::int64_t>(need.blocks.size());
      const std::int64_t block_values = elements_in(need.blocks);
      if (peer / ranks_per_node_ == rank / ranks_per_node_) {
        counts.accesses_local += need.accesses;
        counts.blocks_local += blocks;
        counts.block_values_local += block_values;
        counts.values_in_local += values;
        counts.messages_in_local += 1;
      } else {
        counts.accesses_remote += need.accesses;
        counts.blocks_remote += blocks;
        counts.block_values_remote += block_values;
        counts.values_in_remote += values;
        counts.messages_in_remote += 1;
      }
      counts.needs.push_back({peer, need.accesses, values, blocks, block_values});
    }
    counts.interior_rows = counts.rows - static_cast<std::int64_t>(boundary_rows.size());
    for (int reader = 0; reader < ranks_; ++reader) {
      const auto needs = needs_of(reader);
      const auto need = needs.find(rank);
      if (need == needs.end()) continue;
      const auto values = static_cast<std::int64_t>(need->second.values.size());
      const bool local = reader / ranks_per_node_ == rank / ranks_per_node_;
      (local ? counts.blocks_out_local : counts.blocks_out_remote) +=
          static_cast<std::int64_t>(need->second.blocks.size());
      (local ? counts.block_values_out_local : counts.block_values_out_remote) +=
          elements_in(need->second.blocks);
      (local ? counts.values_out_local : counts.values_out_remote) += values;
      (local ? counts.messages_out_local : counts.messages_out_remote) += 1;
    }
    return counts;
  }

  const Pattern& pattern_;
  int ranks_;
  int ranks_per_node_;
  std::int64_t block_size_;
};

void check_against_naive(const Pattern& pattern) {
  for (const int ranks : {1, 2, 3, 4, 7, 16, 33}) {
    for (const std::int64_t block_size :
         {std::int64_t{1}, std::int64_t{2}, std::int64_t{7}, std::int64_t{64},
          one_block_per_rank(pattern.rows, ranks), pattern.rows + 5, std::int64_t{1} << 40}) {
      for (const int ranks_per_node : {1, 2, 3, 4, 16}) {
        CAPTURE(ranks, ranks_per_node, block_size);
        const auto counts = count_accesses(pattern.view(), Distribution(pattern.rows, ranks, block_size),
                                           Placement(ranks, ranks_per_node));
        CHECK((counts == NaiveCounts(pattern, ranks, ranks_per_node, block_size).all()));
      }
    }
  }
}

}  // namespace

TEST_CASE("counts equal a naive count on a matrix with entries anywhere") {
  check_against_naive(test::random_pattern(101, 3, 1));
}

TEST_CASE("counts equal a naive count on a banded matrix with padding") {
  check_against_naive(test::banded_pattern(131, 4, 9, 2));
}

TEST_CASE("counts equal a naive count where every rank has one row") {
  check_against_naive(test::random_pattern(33, 2, 3));
}

TEST_CASE("counts equal a naive count on a matrix without off-diagonals") {
  check_against_naive(test::random_pattern(40, 0, 4));
}

TEST_CASE("padding entries are never counted") {
  const Pattern padding{3, 2, {0, 0, 1, 1, 2, 2}};
  for (const RankCounts& rank : count_accesses(padding.view(), Distribution(3, 3, 1), Placement(3, 1)))
    CHECK(rank.needs.empty());
}

TEST_CASE("an element accessed twice is two accesses, one value, one block") {
  const Pattern pattern{4, 2, {2, 2, 3, 2, 2, 2, 3, 3}};
  const auto counts = count_accesses(pattern.view(), Distribution(4, 2, 2), Placement(2, 1));
  CHECK((counts[0].needs == std::vector<PeerCounts>{{1, 2 + 2, 2, 1, 2}}));
  CHECK(counts[1].values_out_remote == 2);
  CHECK(counts[1].messages_out_remote == 1);
}

TEST_CASE("a row with several foreign entries is one boundary row; the others are interior") {
  // Rank 0 owns rows 0 and 1: row 0 reads elements 2 and 3 of rank 1, row 1 only its own.
  const Pattern pattern{4, 2, {2, 3, 0, 1, 2, 2, 3, 0}};
  const auto counts = count_accesses(pattern.view(), Distribution(4, 2, 2), Placement(2, 1));
  CHECK(counts[0].interior_rows == 2 - 1);
  CHECK(counts[1].interior_rows == 2 - 1);
}

TEST_CASE("the partial last block counts with its own length, and own blocks count as local") {
  // Blocks {0 1} {2 3} {4} of ranks 0, 1, 0; row 3 reads element 4.
  const Pattern pattern{5, 1, {0, 1, 2, 4, 4}};
  const auto counts = count_accesses(pattern.view(), Distribution(5, 2, 2), Placement(2, 1));
  CHECK(counts[0].block_values_local == 2 + 1);
  CHECK(counts[1].block_values_remote == 1);
  CHECK(counts[0].blocks_local == 2);
  CHECK(counts[1].blocks_local == 1);
}
