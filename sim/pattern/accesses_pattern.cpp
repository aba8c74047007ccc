// SPDX-License-Identifier: MIT
//
// Pattern "accesses": what a user's own program accesses of other ranks' memory, from a file
// (docs/accesses-file.md). Between two sequence points the ranks read and write; all meet at the point.
#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "sim/pattern/accesses_file.hpp"
#include "sim/pattern/memory_bytes.hpp"
#include "sim/pattern/pattern.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/mapped_file.hpp"

namespace finegrain::pattern {
namespace {

constexpr std::int64_t usual_block_bytes = 4096;

/// In doubles, as the equations count.
std::int64_t values_of(std::int64_t size_bytes) {
  return (size_bytes + double_bytes - 1) / double_bytes;
}

/// Bytes of one rank's memory.
struct Range {
  std::int64_t begin;
  std::int64_t end;

  friend auto operator<=>(const Range&, const Range&) = default;
};

/// What one rank accesses of another, as it comes.
using Ranges = std::vector<Range>;

/// How many bytes they are together, each counted once.
std::int64_t united_bytes(Ranges ranges) {
  std::ranges::sort(ranges);
  std::int64_t bytes = 0;
  std::int64_t end = 0;
  for (const Range& range : ranges) {
    bytes += std::max<std::int64_t>(0, range.end - std::max(range.begin, end));
    end = std::max(end, range.end);
  }
  return bytes;
}

/// What the ranks of each node access of each owner, so far.
class NodeRanges {
 public:
  explicit NodeRanges(const Run& run) : ranks_per_node_(static_cast<std::size_t>(run.ranks_per_node)) {}

  /// @returns how many of the bytes no rank of the node has accessed before, if the owner is on another
  std::int64_t add(std::size_t rank, std::int32_t owner, const Ranges& ranges) {
    const std::size_t node = rank / ranks_per_node_;
    if (static_cast<std::size_t>(owner) / ranks_per_node_ == node) return 0;
    Ranges& known = ranges_[{node, owner}];
    const std::int64_t before = united_bytes(known);
    known.insert(known.end(), ranges.begin(), ranges.end());
    std::ranges::sort(known);
    Ranges united;
    for (const Range& range : known) {
      if (united.empty() || united.back().end < range.begin) {
        united.push_back(range);
      } else {
        united.back().end = std::max(united.back().end, range.end);
      }
    }
    known = std::move(united);
    return united_bytes(known) - before;
  }

 private:
  std::size_t ranks_per_node_;
  std::map<std::pair<std::size_t, std::int32_t>, Ranges> ranges_;  ///< ascending, apart from one another
};

/// Of one rank between two sequence points, by the owner.
struct Stage {
  std::map<std::int32_t, Ranges> read;
  std::map<std::int32_t, Ranges> written;
};

/// Where a block lies.
using BlockKey = std::pair<std::int32_t, std::int64_t>;  // its owner, its number there

class Accesses : public Pattern {
 public:
  explicit Accesses(const std::string& file) : file_(file), summary_(read_accesses(file)) {
    const MappedFile mapped(file_);
    digest_ = fmt::format("{:016x}", XXH3_64bits(mapped.bytes().data(), mapped.bytes().size()));
  }

  std::string title() const override {
    return fmt::format("{} ({} accesses of {} ranks, {} sequence points)", name(), summary_.lines,
                       summary_.ranks, summary_.points);
  }
  std::string name() const override { return file_.filename().string(); }
  std::string digest() const override { return digest_; }

  std::optional<int> ranks(const Settings& /*given*/) const override { return summary_.ranks; }

  Problem problem(int ranks, const Settings& given) const override {
    if (ranks != summary_.ranks)
      throw InputError(file_.string(),
                       fmt::format("names {} ranks, and {} are asked for", summary_.ranks, ranks),
                       "Leave the number out");
    const auto block_bytes = given.find("block-bytes");
    Problem problem{"accesses", {{"accesses", name()}, {"block-bytes", usual_block_bytes}}};
    if (block_bytes != given.end()) problem.settings["block-bytes"] = block_bytes->second;
    number_of(problem, "block-bytes", 1);
    return problem;
  }

  /// The equations are of one exchange an iteration, and say nothing of writes: else there are none.
  std::vector<std::vector<RankCounts>> counts(std::span<const Run> runs,
                                              std::span<const problem::Placement> placements,
                                              int /*threads*/) const override {
    std::vector<std::vector<RankCounts>> all(runs.size());
    if (summary_.writes || summary_.points > 1) return all;
    const auto stages = read_stages();
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const std::int64_t block_bytes = number_of(runs[i].problem, "block-bytes", 1);
      NodeRanges nodes(runs[i]);
      for (std::size_t reader = 0; reader < stages.front().size(); ++reader) {
        RankCounts& rank = all[i].emplace_back();
        for (const auto& [owner, ranges] : stages.front()[reader].read) {
          const auto blocks = static_cast<std::int64_t>(blocks_of(owner, ranges, block_bytes).size());
          rank.needs.push_back({.peer = owner,
                                .accesses = static_cast<std::int64_t>(ranges.size()),
                                .values = values_of(united_bytes(ranges)),
                                .blocks = blocks,
                                .block_values = blocks * values_of(block_bytes),
                                .node_values = values_of(nodes.add(reader, owner, ranges))});
        }
      }
      place(all[i], placements[i]);
    }
    return all;
  }

  int stages(const Run& /*run*/) const override { return summary_.points; }
  Work work(const Run& /*run*/, int /*rank*/, int /*stage*/) const override { return {}; }
  int fences() const override { return 1; }
  bool uses_private_memory() const override { return true; }

  void accesses(const Run& /*run*/, const OnAccesses& visit) const override {
    read_accesses(file_, [&](const AccessLine& line) {
      if (line.owner == line.rank) return;
      const Access access{line.owner, line.size_bytes, line.writes};
      visit(line.rank, line.point, {&access, 1});
    });
  }

  void needed_blocks(const Run& run, const OnBlocks& visit) const override {
    const std::int64_t block_bytes = number_of(run.problem, "block-bytes", 1);
    const auto stages = read_stages();
    for (std::size_t point = 0; point < stages.size(); ++point) {
      for (std::size_t rank = 0; rank < stages[point].size(); ++rank) {
        std::map<BlockKey, bool> written;  // whether it is
        for (const auto& [owner, ranges] : stages[point][rank].read)
          for (const BlockKey& block : blocks_of(owner, ranges, block_bytes))
            written.emplace(block, false);
        for (const auto& [owner, ranges] : stages[point][rank].written)
          for (const BlockKey& block : blocks_of(owner, ranges, block_bytes))
            written[block] = true;
        std::vector<NeededBlock> blocks;
        for (const auto& [block, is_written] : written)
          blocks.push_back({block.first, block_bytes, is_written});
        visit(static_cast<int>(rank), static_cast<int>(point), blocks);
      }
    }
  }

  std::vector<StageExchange> exchanges(const Run& run,
                                       std::span<const RankCounts> /*counts*/) const override {
    std::vector<StageExchange> all;
    for (const std::vector<Stage>& ranks : read_stages()) {
      all.push_back({.writes = false, .ranks = std::vector<RankExchange>(ranks.size())});
      NodeRanges nodes(run);
      for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
        all.back().ranks[rank].work = Work{};
        for (const auto& [owner, ranges] : ranks[rank].read)
          add(all.back(), static_cast<std::int32_t>(rank), owner, united_bytes(ranges), true,
              nodes.add(rank, owner, ranges));
      }
      if (!summary_.writes) continue;
      all.push_back({.writes = true, .ranks = std::vector<RankExchange>(ranks.size())});
      for (std::size_t rank = 0; rank < ranks.size(); ++rank)
        for (const auto& [owner, ranges] : ranks[rank].written)
          add(all.back(), static_cast<std::int32_t>(rank), owner, united_bytes(ranges), false);
    }
    return all;
  }

 private:
  /// @param reads  else `rank` writes
  static void add(StageExchange& exchange, std::int32_t rank, std::int32_t owner, std::int64_t size_bytes,
                  bool reads, std::int64_t node_bytes = 0) {
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

  static std::vector<BlockKey> blocks_of(std::int32_t owner, const Ranges& ranges, std::int64_t block_bytes) {
    std::vector<BlockKey> blocks;
    for (const Range& range : ranges)
      for (std::int64_t block = range.begin / block_bytes; block * block_bytes < range.end; ++block)
        blocks.emplace_back(owner, block);
    std::ranges::sort(blocks);
    blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
    return blocks;
  }

  /// Shape [points][ranks]. 16 bytes an access of another rank's memory.
  std::vector<std::vector<Stage>> read_stages() const {
    std::vector<std::vector<Stage>> stages(static_cast<std::size_t>(summary_.points),
                                           std::vector<Stage>(static_cast<std::size_t>(summary_.ranks)));
    read_accesses(file_, [&](const AccessLine& line) {
      if (line.owner == line.rank) return;
      Stage& stage = stages.at(static_cast<std::size_t>(line.point)).at(static_cast<std::size_t>(line.rank));
      (line.writes ? stage.written : stage.read)[line.owner].push_back(
          {line.address, line.address + line.size_bytes});
    });
    return stages;
  }

  std::filesystem::path file_;
  AccessesSummary summary_;
  std::string digest_;
};

class AccessesKind : public PatternKind {
 public:
  std::string name() const override { return "accesses"; }
  int order() const override { return 2; }
  std::string flag() const override { return "accesses"; }
  std::string flag_help() const override {
    return "Instead: what your own program accesses, a file of lines "
           "rank,owner,address,bytes,read|write,point "
           "(docs/accesses-file.md)";
  }
  bool is_file() const override { return true; }
  std::vector<Parameter> parameters() const override {
    return {{.name = "block-bytes",
             .label = "block bytes",
             .help = "Accesses: bytes of an owner that policy block moves together. Default: 4096",
             .is_axis = true}};
  }
  bool has_accesses() const override { return true; }
  bool has_writes() const override { return true; }
  std::vector<Transfer> transfers() const override {
    return {Transfer::get, Transfer::put, Transfer::two_sided};
  }

  std::shared_ptr<const Pattern> open(const std::string& text, const std::string& /*place*/) const override {
    return std::make_shared<Accesses>(text);
  }
  std::shared_ptr<const Pattern> open_recorded(const Run& /*run*/, const std::string& text,
                                               const std::string& /*trace*/) const override {
    return text.empty() ? nullptr : open(text, "");
  }

  std::string describe(const Problem& problem) const override {
    return fmt::format("{}, blocks of {} bytes", text_of(problem, "accesses"),
                       number_of(problem, "block-bytes", 1));
  }
  std::string case_of(const Problem& problem) const override {
    return fmt::format("{} B", number_of(problem, "block-bytes", 1));
  }
  /// The file says what ranks access, not how many elements they have: each counts as one.
  std::vector<std::int64_t> elements_of_ranks(const Run& run) const override {
    return std::vector<std::int64_t>(static_cast<std::size_t>(run.ranks), 1);
  }
  model::ElementWork element_work(const Problem& problem) const override {
    return {.bytes = 0,
            .text = "0",
            .counted = "of the file's own work, which it does not name",
            .block_elements = values_of(number_of(problem, "block-bytes", 1))};
  }
};

}  // namespace

const PatternKind& accesses_pattern() {
  static const AccessesKind kind;
  return kind;
}

}  // namespace finegrain::pattern
