// SPDX-License-Identifier: MIT
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "patterns.hpp"
#include "sim/pattern/counts.hpp"
#include "sim/pattern/strips.hpp"

using namespace finegrain;
using namespace finegrain::pattern;
using namespace finegrain::problem;
using test::MatrixPattern;

namespace {

/// The paper's definitions (eq. (1), sections 5.2.3 to 5.2.5) written down as sets: slow, and with nothing of
/// the counting under test or of Distribution and Placement.
class NaiveCounts {
 public:
  NaiveCounts(const MatrixPattern& pattern, int ranks, int ranks_per_node, std::int64_t block_size)
      : pattern_(pattern),
        ranks_(ranks),
        ranks_per_node_(ranks_per_node),
        block_size_(block_size),
        needs_(static_cast<std::size_t>(ranks)) {
    for (std::int64_t entry = 0; entry < pattern_.rows * pattern_.r_nz; ++entry) {
      const std::int64_t row = entry / pattern_.r_nz;
      const std::int64_t element = pattern_.columns.at(static_cast<std::size_t>(entry));
      if (owner(row) == owner(element)) continue;
      Need& need = needs_.at(static_cast<std::size_t>(owner(row)))[owner(element)];
      ++need.accesses;
      need.rows.insert(row);
      need.values.insert(element);
      need.blocks.insert(element / block_size_);
    }
  }

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

  const std::map<int, Need>& needs_of(int rank) const { return needs_.at(static_cast<std::size_t>(rank)); }

  std::int64_t elements_in(const std::set<std::int64_t>& blocks) const {
    std::int64_t elements = 0;
    for (const std::int64_t b : blocks)
      elements += std::min(block_size_, pattern_.rows - b * block_size_);
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
      const auto need = needs_of(reader).find(rank);
      if (need == needs_of(reader).end()) continue;
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

  const MatrixPattern& pattern_;
  int ranks_;
  int ranks_per_node_;
  std::int64_t block_size_;
  std::vector<std::map<int, Need>> needs_;  ///< each rank's, by the rank it needs them of
};

std::vector<RankCounts> naive_counts(const MatrixPattern& pattern, const Layout& layout) {
  return NaiveCounts(pattern, layout.distribution.ranks(), layout.placement.most_ranks_on_a_node(),
                     layout.distribution.block_size())
      .all();
}

/// Each layout alone, all of them together, and together on several threads.
void check_against_naive(const MatrixPattern& pattern, const std::vector<Layout>& layouts) {
  const auto together = count_accesses(pattern.view(), layouts, 1);
  const auto on_three_threads = count_accesses(pattern.view(), layouts, 3);
  REQUIRE(together.size() == layouts.size());
  for (std::size_t i = 0; i < layouts.size(); ++i) {
    CAPTURE(layouts[i].distribution.ranks(), layouts[i].placement.most_ranks_on_a_node(),
            layouts[i].distribution.block_size());
    const auto expected = naive_counts(pattern, layouts[i]);
    CHECK((count_accesses(pattern.view(), layouts[i]) == expected));
    CHECK((together[i] == expected));
    CHECK((on_three_threads[i] == expected));
  }
}

/// Many layouts of a small matrix.
void check_against_naive(const MatrixPattern& pattern) {
  std::vector<Layout> layouts;
  for (const int ranks : {1, 2, 3, 4, 7, 16, 33}) {
    for (const std::int64_t block_size :
         {std::int64_t{64}, std::int64_t{7}, std::int64_t{2}, std::int64_t{1},
          one_block_per_rank(pattern.rows, ranks), pattern.rows + 5, std::int64_t{1} << 40}) {
      for (const int ranks_per_node : {1, 2, 3, 4, 16})
        layouts.push_back({Distribution(pattern.rows, ranks, block_size), Placement(ranks, ranks_per_node)});
    }
  }
  check_against_naive(pattern, layouts);
}

/// A few layouts of a matrix that is larger than the panels that it is counted in, with BLOCKSIZEs that
/// divide one another and some that do not.
void check_panels_against_naive(const MatrixPattern& pattern) {
  REQUIRE(pattern.rows > 2 * panel_length);
  std::vector<Layout> layouts;
  for (const std::int64_t block_size :
       {std::int64_t{50000}, std::int64_t{32768}, std::int64_t{1024}, std::int64_t{64}, std::int64_t{1000},
        one_block_per_rank(pattern.rows, 5)})
    layouts.push_back({Distribution(pattern.rows, 5, block_size), Placement(5, 2)});
  layouts.push_back({Distribution(pattern.rows, 40, 256), Placement(40, 16)});
  check_against_naive(pattern, layouts);
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

TEST_CASE("counts equal a naive count on a matrix of several panels with entries anywhere") {
  check_panels_against_naive(test::random_pattern(70001, 2, 5));
}

TEST_CASE("counts equal a naive count on a banded matrix of several panels") {
  check_panels_against_naive(test::banded_pattern(70001, 3, 300, 6));
}

TEST_CASE("counts do not depend on the number of threads, nor on the order of the layouts") {
  const MatrixPattern pattern = test::banded_pattern(70001, 4, 5000, 7);
  std::vector<Layout> layouts;
  for (const std::int64_t block_size : {1, 64, 96, 4096, 65536})
    layouts.push_back({Distribution(pattern.rows, 9, block_size), Placement(9, 4)});
  const auto counts = count_accesses(pattern.view(), layouts, 1);
  std::reverse(layouts.begin(), layouts.end());
  for (const int threads : {1, 2, 5, 16}) {
    CAPTURE(threads);
    auto reversed = count_accesses(pattern.view(), layouts, threads);
    std::reverse(reversed.begin(), reversed.end());
    CHECK((reversed == counts));
  }
}

TEST_CASE("no layouts have no counts") {
  CHECK(count_accesses(test::random_pattern(10, 2, 8).view(), std::vector<Layout>()).empty());
}

TEST_CASE("rows of more entries than a core's cache holds are counted like any others") {
  // Row 0 reads element 1 and row 2 element 0, 10,000 times each; row 1 reads nothing.
  constexpr int r_nz = 10'000;
  MatrixPattern pattern{3, r_nz, std::vector<std::int32_t>(3 * r_nz, 1)};
  std::fill(pattern.columns.begin() + 2 * r_nz, pattern.columns.end(), 0);
  const auto counts = count_accesses(pattern.view(), Layout{Distribution(3, 3, 1), Placement(3, 1)});
  CHECK((counts[0].needs == std::vector<PeerCounts>{{1, r_nz, 1, 1, 1}}));
  CHECK(counts[1].needs.empty());
  CHECK((counts[2].needs == std::vector<PeerCounts>{{0, r_nz, 1, 1, 1}}));
}

TEST_CASE("padding entries are never counted") {
  const MatrixPattern padding{3, 2, {0, 0, 1, 1, 2, 2}};
  for (const RankCounts& rank :
       count_accesses(padding.view(), Layout{Distribution(3, 3, 1), Placement(3, 1)}))
    CHECK(rank.needs.empty());
}

TEST_CASE("an element accessed twice is two accesses, one value, one block") {
  const MatrixPattern pattern{4, 2, {2, 2, 3, 2, 2, 2, 3, 3}};
  const auto counts = count_accesses(pattern.view(), Layout{Distribution(4, 2, 2), Placement(2, 1)});
  CHECK((counts[0].needs == std::vector<PeerCounts>{{1, 2 + 2, 2, 1, 2}}));
  CHECK(counts[1].values_out_remote == 2);
  CHECK(counts[1].messages_out_remote == 1);
}

TEST_CASE("a row with several foreign entries is one boundary row, the others are interior") {
  // Rank 0 owns rows 0 and 1: row 0 reads elements 2 and 3 of rank 1, row 1 only its own.
  const MatrixPattern pattern{4, 2, {2, 3, 0, 1, 2, 2, 3, 0}};
  const auto counts = count_accesses(pattern.view(), Layout{Distribution(4, 2, 2), Placement(2, 1)});
  CHECK(counts[0].interior_rows == 2 - 1);
  CHECK(counts[1].interior_rows == 2 - 1);
}

TEST_CASE("the partial last block counts with its own length, and own blocks count as local") {
  // Blocks {0 1} {2 3} {4} of ranks 0, 1, 0; row 3 reads element 4.
  const MatrixPattern pattern{5, 1, {0, 1, 2, 4, 4}};
  const auto counts = count_accesses(pattern.view(), Layout{Distribution(5, 2, 2), Placement(2, 1)});
  CHECK(counts[0].block_values_local == 2 + 1);
  CHECK(counts[1].block_values_remote == 1);
  CHECK(counts[0].blocks_local == 2);
  CHECK(counts[1].blocks_local == 1);
}

TEST_CASE("counts: the node values of a node's ranks are the distinct elements that the node needs") {
  for (const auto& pattern : {test::banded_pattern(1013, 5, 90, 7), test::random_pattern(301, 3, 8)}) {
    for (const std::int64_t block_size : {1, 7, 64, 300}) {
      for (const int ranks_per_node : {1, 3, 4, 11}) {
        constexpr int ranks = 11;
        const Distribution distribution(pattern.rows, ranks, block_size);
        std::map<std::pair<int, int>, std::set<std::int32_t>> expected;  // by node and owner
        for (std::size_t entry = 0; entry < pattern.columns.size(); ++entry) {
          const int reader = distribution.owner(static_cast<std::int64_t>(entry) / pattern.r_nz);
          const int owner = distribution.owner(pattern.columns[entry]);
          if (owner / ranks_per_node != reader / ranks_per_node)
            expected[{reader / ranks_per_node, owner}].insert(pattern.columns[entry]);
        }
        const auto counts =
            count_accesses(pattern.view(), {distribution, Placement(ranks, ranks_per_node), ranks_per_node});
        std::map<std::pair<int, int>, std::int64_t> found;
        for (int reader = 0; reader < ranks; ++reader) {
          for (const PeerCounts& need : counts[static_cast<std::size_t>(reader)].needs) {
            CHECK(need.node_values <= need.values);
            if (need.peer / ranks_per_node == reader / ranks_per_node) {
              CHECK(need.node_values == 0);
            } else {
              found[{reader / ranks_per_node, need.peer}] += need.node_values;
            }
          }
        }
        REQUIRE(found.size() == expected.size());
        for (const auto& [of, elements] : expected)
          CHECK(found[of] == static_cast<std::int64_t>(elements.size()));
      }
    }
  }
}
