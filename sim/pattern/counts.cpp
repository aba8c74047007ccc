// SPDX-License-Identifier: MIT
// Counts who reads how much of whom, without making a list of messages. An example: rank 1's rows read the
// elements 0, 0 and 1 of rank 0, which are in one block. That is 3 accesses (what each costs if it is made on
// its own), 2 values (what is sent if each is sent once), and 1 block (what is sent if whole blocks are).
//
// The blocks of an owner are walked as they lie in memory. For each reader, the last element that it read
// tells whether an access reads another value. All layouts (numbers of ranks and BLOCKSIZEs) of one matrix
// share one pass over it, which finds the reads between its strips (strip_reads.hpp).
#include "sim/pattern/counts.hpp"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <numeric>
#include <utility>

#include "sim/pattern/fast_divisor.hpp"
#include "sim/pattern/on_threads.hpp"
#include "sim/pattern/strip_reads.hpp"

namespace finegrain::pattern {
namespace {

/// What is counted of one reader while the blocks of one owner are walked.
struct Met {
  std::int64_t accesses = 0;
  std::int64_t values = 0;
  std::int64_t block_values = 0;
  std::int64_t node_values = 0;
  std::int32_t last_element = -1;  ///< the last one that it read
};

/// What is counted while the blocks of a few owners are walked.
struct Meetings {
  std::vector<Met> ranks;           ///< shape [owners * ranks]
  std::vector<std::int32_t> nodes;  ///< the last element that each node's ranks read; shape [owners * nodes]
};

/// Ranks first ... last - 1.
struct RankRange {
  int first;
  int last;
};

/// Counts one layout from reads between its blocks, for a few consecutive ranks at a time: their blocks are
/// walked as they lie in memory.
class LayoutCounter {
 public:
  LayoutCounter(const problem::EllpackView& matrix, const StripReads& reads, const Layout& layout)
      : matrix_(matrix),
        reads_(reads),
        distribution_(layout.distribution),
        by_block_size_(std::min(distribution_.block_size(), distribution_.size())),
        by_ranks_(distribution_.ranks()) {
    const Strips& strips = reads.strips();
    rank_of_strip_.reserve(strips.count());
    first_strips_.reserve(static_cast<std::size_t>(distribution_.blocks()) + 1);
    for (std::int64_t block = 0; block < distribution_.blocks(); ++block) {
      first_strips_.push_back(rank_of_strip_.size());
      const std::int64_t end = distribution_.block_begin(block) + distribution_.block_length(block);
      while (rank_of_strip_.size() < strips.count() && strips.begin(rank_of_strip_.size()) < end)
        rank_of_strip_.push_back(static_cast<std::uint32_t>(distribution_.owner_of_block(block)));
    }
    first_strips_.push_back(strips.count());
    if (layout.ranks_per_node == 0) return;
    for (int rank = 0; rank < distribution_.ranks(); ++rank)
      node_of_rank_.push_back(static_cast<std::uint32_t>(rank / layout.ranks_per_node));
    nodes_ = node_of_rank_.back() + 1;
  }

  /// Empty counts for this many owners at a time.
  Meetings meetings(int owners) const {
    const auto count = static_cast<std::size_t>(owners);
    return {std::vector<Met>(count * static_cast<std::size_t>(distribution_.ranks())),
            std::vector<std::int32_t>(count * nodes_, -1)};
  }

  /// What the others read of each of `owners`; `peer` is the reader. Shape [owners]
  /// @param meetings  from meetings(); the call leaves them empty again
  std::vector<std::vector<PeerCounts>> readers(RankRange owners, Meetings& meetings) const {
    const auto ranks = static_cast<std::size_t>(distribution_.ranks());
    const auto met_of = [&](int owner) {
      return std::span(meetings.ranks).subspan(static_cast<std::size_t>(owner - owners.first) * ranks, ranks);
    };
    const auto met_nodes_of = [&](int owner) {
      return std::span(meetings.nodes)
          .subspan(static_cast<std::size_t>(owner - owners.first) * nodes_, nodes_);
    };
    std::vector<std::vector<std::uint32_t>> met_ranks(static_cast<std::size_t>(owners.last - owners.first));
    for_each_block_part(
        owners, [&](std::int64_t block, int owner, std::size_t panel, std::size_t first, std::size_t last) {
          add_reads(reads_.reads(panel, first, last), block, owner, met_of(owner), met_nodes_of(owner),
                    met_ranks[static_cast<std::size_t>(owner - owners.first)]);
        });
    std::vector<std::vector<PeerCounts>> readers(met_ranks.size());
    for (int owner = owners.first; owner < owners.last; ++owner) {
      const auto place = static_cast<std::size_t>(owner - owners.first);
      readers[place].reserve(met_ranks[place].size());
      for (const std::uint32_t rank : met_ranks[place]) {
        const Met reader = std::exchange(met_of(owner)[rank], {});
        if (nodes_ > 0) met_nodes_of(owner)[node_of_rank_[rank]] = -1;
        if (static_cast<int>(rank) == owner) continue;
        // All blocks are full but the matrix's last.
        const std::int64_t blocks = (reader.block_values - 1) / distribution_.block_size() + 1;
        readers[place].push_back({static_cast<std::int32_t>(rank), reader.accesses, reader.values, blocks,
                                  reader.block_values, reader.node_values});
      }
    }
    return readers;
  }

  /// Rows of each of `ranks` that read another rank's element. Shape [ranks]
  std::vector<std::int64_t> boundary_rows(RankRange ranks) const {
    std::vector<std::int64_t> boundary_rows(static_cast<std::size_t>(ranks.last - ranks.first));
    for_each_block_part(
        ranks, [&](std::int64_t block, int rank, std::size_t panel, std::size_t first, std::size_t last) {
          const auto begin = static_cast<std::int32_t>(distribution_.block_begin(block));
          const auto end = static_cast<std::int32_t>(begin + distribution_.block_length(block));
          std::int64_t count = 0;
          for (const LeavingRow& row : reads_.leaving_rows(panel, first, last)) {
            const bool reads_below = row.lowest < begin;
            if (owner(reads_below ? row.lowest : row.highest) != rank) {
              ++count;
            } else if (reads_below || row.highest >= end) {
              count += reads_others(row.row, rank) ? 1 : 0;
            }
          }
          boundary_rows[static_cast<std::size_t>(rank - ranks.first)] += count;
        });
    return boundary_rows;
  }

 private:
  /// Calls visit(block, its owner, panel, first strip, last strip) for the part in each panel of every block
  /// of `owners`, as they lie in memory.
  template <class Visit>
  void for_each_block_part(RankRange owners, const Visit& visit) const {
    for (std::int64_t round = 0; round < distribution_.blocks(); round += distribution_.ranks()) {
      const std::int64_t end = std::min(round + owners.last, distribution_.blocks());
      for (std::int64_t block = round + owners.first; block < end; ++block) {
        const auto owner = static_cast<int>(block - round);
        std::size_t strip = first_strips_[static_cast<std::size_t>(block)];
        const std::size_t last_strip = first_strips_[static_cast<std::size_t>(block) + 1];
        while (strip < last_strip) {
          const std::size_t panel = static_cast<std::uint32_t>(reads_.strips().begin(strip)) / panel_length;
          const std::size_t last = std::min(last_strip, reads_.strips().first_strip(panel + 1));
          visit(block, owner, panel, strip, last);
          strip = last;
        }
      }
    }
  }

  /// @param met_ranks  gets the readers that are met for the first time
  void add_reads(std::span<const ElementReads> all_reads, std::int64_t block, int owner, std::span<Met> met,
                 std::span<std::int32_t> met_nodes, std::vector<std::uint32_t>& met_ranks) const {
    const auto block_begin = static_cast<std::int32_t>(distribution_.block_begin(block));
    const std::int64_t block_length = distribution_.block_length(block);
    const std::uint32_t own_node = met_nodes.empty() ? 0 : node_of_rank_[static_cast<std::size_t>(owner)];
    for (const ElementReads& reads : all_reads) {
      const std::uint32_t rank = rank_of_strip_[reads.strip];
      const auto element = static_cast<std::int32_t>(reads.element);
      Met& reader = met[rank];
      if (reader.last_element < 0) met_ranks.push_back(rank);
      reader.accesses += reads.times;
      reader.values += reader.last_element != element ? 1 : 0;
      reader.block_values += reader.last_element < block_begin ? block_length : 0;
      reader.last_element = element;
      if (met_nodes.empty() || node_of_rank_[rank] == own_node) continue;
      std::int32_t& last_of_node = met_nodes[node_of_rank_[rank]];
      reader.node_values += last_of_node != element ? 1 : 0;
      last_of_node = element;
    }
  }

  int owner(std::int32_t element) const {
    return static_cast<int>(
        by_ranks_.remainder(by_block_size_.quotient(static_cast<std::uint32_t>(element))));
  }

  bool reads_others(std::int32_t row, int rank) const {
    const auto r_nz = static_cast<std::size_t>(matrix_.r_nz);
    const auto entries = matrix_.columns.subspan(static_cast<std::size_t>(row) * r_nz, r_nz);
    return std::any_of(entries.begin(), entries.end(),
                       [&](std::int32_t element) { return owner(element) != rank; });
  }

  const problem::EllpackView& matrix_;
  const StripReads& reads_;
  const problem::Distribution& distribution_;
  FastDivisor by_block_size_;
  FastDivisor by_ranks_;
  std::vector<std::uint32_t> rank_of_strip_;
  std::vector<std::size_t> first_strips_;    ///< each block's first strip, and the end; shape [blocks + 1]
  std::vector<std::uint32_t> node_of_rank_;  ///< empty: the program knows no nodes
  std::size_t nodes_ = 0;
};

void add_incoming(RankCounts& rank, const PeerCounts& need, bool local) {
  (local ? rank.accesses_local : rank.accesses_remote) += need.accesses;
  (local ? rank.blocks_local : rank.blocks_remote) += need.blocks;
  (local ? rank.block_values_local : rank.block_values_remote) += need.block_values;
  (local ? rank.values_in_local : rank.values_in_remote) += need.values;
  (local ? rank.messages_in_local : rank.messages_in_remote) += 1;
}

void add_outgoing(RankCounts& rank, const PeerCounts& need, bool local) {
  (local ? rank.blocks_out_local : rank.blocks_out_remote) += need.blocks;
  (local ? rank.block_values_out_local : rank.block_values_out_remote) += need.block_values;
  (local ? rank.values_out_local : rank.values_out_remote) += need.values;
  (local ? rank.messages_out_local : rank.messages_out_remote) += 1;
}

/// How many consecutive ranks a thread counts at a time: so few that the counts of their readers stay in its
/// cache, and that every thread has some.
int ranks_at_once(int ranks, int threads) {
  constexpr int met_in_cache = 1 << 14;
  return std::clamp(met_in_cache / ranks, 1, (ranks - 1) / threads + 1);
}

std::vector<RankCounts> count_layout(const problem::EllpackView& matrix, const StripReads& reads,
                                     const Layout& layout, int threads) {
  const problem::Distribution& distribution = layout.distribution;
  const LayoutCounter counter(matrix, reads, layout);
  std::vector<RankCounts> counts(static_cast<std::size_t>(distribution.ranks()));
  std::vector<std::vector<PeerCounts>> readers(counts.size());
  const int at_once = ranks_at_once(distribution.ranks(), threads);
  std::atomic<int> next = 0;
  on_threads(threads, [&](int) {
    Meetings met = counter.meetings(at_once);
    for (int first = next.fetch_add(at_once); first < distribution.ranks(); first = next.fetch_add(at_once)) {
      const RankRange range{first, std::min(first + at_once, distribution.ranks())};
      std::vector<std::vector<PeerCounts>> readers_of = counter.readers(range, met);
      const std::vector<std::int64_t> boundary_rows = counter.boundary_rows(range);
      for (int rank = range.first; rank < range.last; ++rank) {
        readers[static_cast<std::size_t>(rank)] =
            std::move(readers_of[static_cast<std::size_t>(rank - first)]);
        RankCounts& own = counts[static_cast<std::size_t>(rank)];
        own.rows = distribution.elements_of(rank);
        own.interior_rows = own.rows - boundary_rows[static_cast<std::size_t>(rank - first)];
        own.blocks = distribution.blocks_of(rank);
      }
    }
  });
  for (int owner = 0; owner < distribution.ranks(); ++owner) {
    for (PeerCounts& need : std::exchange(readers[static_cast<std::size_t>(owner)], {})) {
      const int reader = std::exchange(need.peer, owner);
      counts[static_cast<std::size_t>(reader)].needs.push_back(need);
    }
  }
  place(counts, layout.placement);
  return counts;
}

}  // namespace

std::vector<std::vector<RankCounts>> count_accesses(const problem::EllpackView& matrix,
                                                    std::span<const Layout> layouts, int threads) {
  if (layouts.empty()) return {};
  threads = static_cast<int>(std::min<std::int64_t>(threads, (matrix.rows - 1) / panel_length + 1));
  std::vector<std::size_t> order(layouts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return layouts[a].distribution.block_size() < layouts[b].distribution.block_size();
  });
  std::vector<std::int64_t> block_sizes;
  for (const std::size_t i : order) {
    assert(layouts[i].distribution.size() == matrix.rows);
    assert(layouts[i].placement.ranks() == layouts[i].distribution.ranks());
    block_sizes.push_back(layouts[i].distribution.block_size());
  }
  StripReads reads(matrix, Strips(matrix.rows, block_sizes), threads);
  std::vector<std::vector<RankCounts>> counts(layouts.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i > 0 && block_sizes[i] != block_sizes[i - 1])
      reads.coarsen(Strips(matrix.rows, std::span(block_sizes).subspan(i)), threads);
    counts[order[i]] = count_layout(matrix, reads, layouts[order[i]], threads);
  }
  return counts;
}

std::vector<RankCounts> count_accesses(const problem::EllpackView& matrix, const Layout& layout) {
  return std::move(count_accesses(matrix, std::span(&layout, 1)).front());
}

void place(std::vector<RankCounts>& counts, const problem::Placement& placement) {
  for (RankCounts& rank : counts) {
    rank = {.rows = rank.rows,
            .interior_rows = rank.interior_rows,
            .blocks = rank.blocks,
            .inspected_bytes = rank.inspected_bytes,
            .calls = rank.calls,
            .steps = rank.steps,
            .needs = std::move(rank.needs)};
    rank.blocks_local = rank.blocks_out_local = rank.blocks;
    rank.block_values_local = rank.block_values_out_local = rank.rows;
  }
  for (std::size_t reader = 0; reader < counts.size(); ++reader) {
    for (const PeerCounts& need : counts[reader].needs) {
      const bool local = placement.same_node(static_cast<int>(reader), need.peer);
      add_incoming(counts[reader], need, local);
      add_outgoing(counts[static_cast<std::size_t>(need.peer)], need, local);
    }
  }
}

}  // namespace finegrain::pattern
