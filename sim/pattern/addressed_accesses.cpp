// SPDX-License-Identifier: MIT
#include "sim/pattern/addressed_accesses.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "sim/pattern/memory_bytes.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::pattern {
namespace {

constexpr std::int64_t usual_block_bytes = 4096;

/// Bytes of one rank's memory.
struct Range {
  std::int64_t begin;
  std::int64_t end;

  friend auto operator<=>(const Range&, const Range&) = default;
};

/// Sorts the ranges, and unites those that touch or overlap.
void unite(std::vector<Range>& ranges) {
  std::ranges::sort(ranges);
  std::size_t united = 0;
  for (const Range& range : ranges) {
    if (united == 0 || ranges[united - 1].end < range.begin) {
      ranges[united++] = range;
    } else {
      ranges[united - 1].end = std::max(ranges[united - 1].end, range.end);
    }
  }
  ranges.resize(united);
}

/// What one rank accesses of another. Memory grows with the distinct bytes, not with the accesses.
class Ranges {
 public:
  void add(const Range& range) {
    constexpr std::size_t few = 1024;
    if (!ranges_.empty() && ranges_.back().end == range.begin) {
      ranges_.back().end = range.end;
      return;
    }
    if (ranges_.size() >= 2 * united_ + few) {
      unite(ranges_);
      united_ = ranges_.size();
    }
    ranges_.push_back(range);
  }
  /// The ranges in ascending order. No two of them touch.
  std::vector<Range> united() const {
    std::vector<Range> ranges = ranges_;
    unite(ranges);
    return ranges;
  }

 private:
  std::vector<Range> ranges_;
  std::size_t united_ = 0;  ///< how many ranges the last unite() left
};

std::int64_t bytes_of(std::span<const Range> ranges) {
  std::int64_t bytes = 0;
  for (const Range& range : ranges)
    bytes += range.end - range.begin;
  return bytes;
}

/// What the ranks of each node access of each owner, so far.
class NodeRanges {
 public:
  explicit NodeRanges(const Run& run) : ranks_per_node_(static_cast<std::size_t>(run.ranks_per_node)) {}

  /// @returns how many of the bytes no rank of the node has accessed before; 0 if the owner is on this node
  std::int64_t add(std::size_t rank, std::int32_t owner, std::span<const Range> ranges) {
    const std::size_t node = rank / ranks_per_node_;
    if (static_cast<std::size_t>(owner) / ranks_per_node_ == node) return 0;
    std::vector<Range>& known = ranges_[{node, owner}];
    const std::int64_t before = bytes_of(known);
    known.insert(known.end(), ranges.begin(), ranges.end());
    unite(known);
    return bytes_of(known) - before;
  }

 private:
  std::size_t ranks_per_node_;
  std::map<std::pair<std::size_t, std::int32_t>, std::vector<Range>> ranges_;
};

/// The accesses of one rank between two sequence points, by owner.
struct PointAccesses {
  std::map<std::int32_t, Ranges> read;
  std::map<std::int32_t, Ranges> written;
  std::map<std::int32_t, std::int64_t> reads;  ///< how many read accesses
};

/// The accesses of all ranks, shape [points][ranks].
std::vector<std::vector<PointAccesses>> points_of(const AddressedPattern& pattern, const Run& run) {
  std::vector<std::vector<PointAccesses>> points(
      static_cast<std::size_t>(pattern.stages(run)),
      std::vector<PointAccesses>(static_cast<std::size_t>(run.ranks)));
  pattern.list(run, [&](const AddressedAccess& access) {
    if (access.owner == access.rank) return;
    PointAccesses& point =
        points.at(static_cast<std::size_t>(access.point)).at(static_cast<std::size_t>(access.rank));
    (access.writes ? point.written : point.read)[access.owner].add(
        {access.address, access.address + access.size_bytes});
    if (!access.writes) ++point.reads[access.owner];
  });
  return points;
}

/// Where a block lies.
using BlockKey = std::pair<std::int32_t, std::int64_t>;  // its owner, its number there

std::vector<BlockKey> blocks_of(std::int32_t owner, std::span<const Range> ranges, std::int64_t block_bytes) {
  std::vector<BlockKey> blocks;
  for (const Range& range : ranges)
    for (std::int64_t block = range.begin / block_bytes; block * block_bytes < range.end; ++block)
      if (blocks.empty() || blocks.back().second < block) blocks.emplace_back(owner, block);
  return blocks;
}

/// @param reads  whether `rank` reads; otherwise it writes
void add(StageExchange& exchange, std::int32_t rank, std::int32_t owner, std::int64_t size_bytes, bool reads,
         std::int64_t node_bytes = 0) {
  const auto [from, to] = reads ? std::pair(owner, rank) : std::pair(rank, owner);
  const std::int64_t values = values_of(size_bytes);
  RankExchange& sender = exchange.ranks[static_cast<std::size_t>(from)];
  sender.out.push_back({to, size_bytes});
  sender.pack.memory_bytes += pack_bytes(values);
  RankExchange& receiver = exchange.ranks[static_cast<std::size_t>(to)];
  receiver.in.push_back({from, size_bytes, node_bytes});
  receiver.unpack.memory_bytes += unpack_bytes(values);
  receiver.unpack.scattered_stores += values;
}

}  // namespace

Parameter block_bytes_parameter() {
  return {
      .name = "block-bytes",
      .label = "block bytes",
      .help =
          "Accesses with addresses: how many bytes of one owner policy block moves together. Default: 4096",
      .is_axis = true};
}

void set_block_bytes(Problem& problem, const Settings& given) {
  const auto block_bytes = given.find("block-bytes");
  problem.settings["block-bytes"] = block_bytes != given.end() ? block_bytes->second : usual_block_bytes;
  block_bytes_of(problem);
}

std::int64_t block_bytes_of(const Problem& problem) {
  return number_of(problem, "block-bytes", 1);
}

std::int64_t values_of(std::int64_t size_bytes) {
  return (size_bytes + double_bytes - 1) / double_bytes;
}

model::ElementWork own_access_work() {
  return {.bytes = model::sizeof_double,
          .text = "sizeof(double)",
          .counted = "accesses of the rank's own part",
          .block_elements = 1};
}

std::vector<std::int64_t> AddressedPattern::worked_elements(const Run& run) const {
  return std::vector<std::int64_t>(static_cast<std::size_t>(run.ranks), 0);
}

std::vector<std::vector<RankCounts>> AddressedPattern::counts(std::span<const Run> runs,
                                                              std::span<const problem::Placement> placements,
                                                              int /*threads*/) const {
  std::vector<std::vector<RankCounts>> all(runs.size());
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (writes(runs[i]) || stages(runs[i]) > 1) continue;
    const std::int64_t block_bytes = block_bytes_of(runs[i].problem);
    const std::vector<std::int64_t> worked = worked_elements(runs[i]);
    const auto points = points_of(*this, runs[i]);
    NodeRanges nodes(runs[i]);
    for (std::size_t reader = 0; reader < points.front().size(); ++reader) {
      const PointAccesses& own = points.front()[reader];
      RankCounts& rank = all[i].emplace_back();
      rank.rows = worked[reader];
      rank.blocks = worked[reader];
      for (const auto& [owner, read] : own.read) {
        const std::vector<Range> ranges = read.united();
        const auto blocks = static_cast<std::int64_t>(blocks_of(owner, ranges, block_bytes).size());
        rank.needs.push_back({.peer = owner,
                              .accesses = own.reads.at(owner),
                              .values = values_of(bytes_of(ranges)),
                              .blocks = blocks,
                              .block_values = blocks * values_of(block_bytes),
                              .node_values = values_of(nodes.add(reader, owner, ranges))});
      }
    }
    place(all[i], placements[i]);
  }
  return all;
}

void AddressedPattern::accesses(const Run& run, const OnAccesses& visit) const {
  list(run, [&](const AddressedAccess& access) {
    if (access.owner == access.rank) return;
    const Access one{access.owner, access.size_bytes, access.writes, access.address, access.iteration};
    visit(access.rank, access.point, {&one, 1});
  });
}

void AddressedPattern::needed_blocks(const Run& run, const OnBlocks& visit) const {
  const std::int64_t block_bytes = block_bytes_of(run.problem);
  const auto points = points_of(*this, run);
  for (std::size_t point = 0; point < points.size(); ++point) {
    for (std::size_t rank = 0; rank < points[point].size(); ++rank) {
      std::map<BlockKey, bool> written;  // whether the block is written
      for (const auto& [owner, read] : points[point][rank].read)
        for (const BlockKey& block : blocks_of(owner, read.united(), block_bytes))
          written.emplace(block, false);
      for (const auto& [owner, ranges] : points[point][rank].written)
        for (const BlockKey& block : blocks_of(owner, ranges.united(), block_bytes))
          written[block] = true;
      std::vector<NeededBlock> blocks;
      for (const auto& [block, is_written] : written)
        blocks.push_back({block.first, block_bytes, is_written});
      visit(static_cast<int>(rank), static_cast<int>(point), blocks);
    }
  }
}

std::vector<StageExchange> AddressedPattern::exchanges(const Run& run,
                                                       std::span<const RankCounts> /*counts*/) const {
  const bool with_writes = writes(run);
  std::vector<StageExchange> all;
  const auto points = points_of(*this, run);
  for (std::size_t point = 0; point < points.size(); ++point) {
    const std::vector<PointAccesses>& ranks = points[point];
    StageExchange& reads = all.emplace_back();
    reads.ranks.resize(ranks.size());
    NodeRanges nodes(run);
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
      reads.ranks[rank].work = work(run, static_cast<int>(rank), static_cast<int>(point));
      for (const auto& [owner, read] : ranks[rank].read) {
        const std::vector<Range> ranges = read.united();
        add(reads, static_cast<std::int32_t>(rank), owner, bytes_of(ranges), true,
            nodes.add(rank, owner, ranges));
      }
    }
    if (!with_writes) continue;
    StageExchange& stores = all.emplace_back();
    stores.writes = true;
    stores.ranks.resize(ranks.size());
    for (std::size_t rank = 0; rank < ranks.size(); ++rank)
      for (const auto& [owner, written] : ranks[rank].written)
        add(stores, static_cast<std::int32_t>(rank), owner, bytes_of(written.united()), false);
  }
  return all;
}

std::vector<std::int64_t> OwnAccessPattern::worked_elements(const Run& run) const {
  std::vector<std::int64_t> accesses;
  for (int rank = 0; rank < run.ranks; ++rank)
    accesses.push_back(own_accesses(run, rank).all());
  return accesses;
}

NumberedKind::NumberedKind(std::string setting, std::string counted, std::int64_t least, std::int64_t most)
    : setting_(std::move(setting)), counted_(std::move(counted)), least_(least), most_(most) {}

std::vector<Transfer> NumberedKind::transfers() const {
  return {Transfer::get, Transfer::put, Transfer::two_sided};
}

std::shared_ptr<const Pattern> NumberedKind::open(const std::string& text, const std::string& place) const {
  const std::int64_t number = std::get<std::int64_t>(parse_value(Parameter{}, text, place));
  if (number >= least_ && number <= most_) return of_number(number);
  throw InputError(place, fmt::format("'{}' {} ({} to {} are possible)", text, counted_, least_, most_),
                   "Give another number");
}

std::shared_ptr<const Pattern> NumberedKind::open_recorded(const Run& run, const std::string& text,
                                                           const std::string& trace) const {
  refuse_text(*this, text, trace);
  return of_number(number_of(run.problem, setting_, least_, most_));
}

}  // namespace finegrain::pattern
