// SPDX-License-Identifier: MIT
//
// Policy "cached": MuPC's software cache. A rank keeps lines of each other rank's memory, and an access that
// misses them fetches a line. Phases:
//
//     get        each        compute (gets inside), [put,] [wait,] barrier, barrier
//
// Source: MuPC: A run time system for Unified Parallel C, section 5.3. A fence empties the cache. Its phase
// `put` sends back the lines that were written to, if there are any, in one message to each owner. Its phase
// `wait` waits for single writes that went to their owners at once (--writes through). docs/cached.md says
// what the paper leaves open.
#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "sim/model/terms.hpp"
#include "sim/pattern/memory_bytes.hpp"
#include "sim/policy/counted.hpp"
#include "sim/policy/line_cache.hpp"
#include "sim/policy/policy.hpp"
#include "sim/policy/staged_bodies.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::policy {
namespace {

/// A line is written back together with a bit for each byte, which says whether the byte was written.
constexpr std::int64_t bytes_a_mask_byte = 8;

std::int64_t count_setting(const Run& run, const std::string& name) {
  return std::get<std::int64_t>(setting_of(run, name));
}

CacheShape shape_of(const Run& run) {
  const CacheShape shape{.line_bytes = count_setting(run, "line"),
                         .lines = count_setting(run, "lines"),
                         .ways = count_setting(run, "ways"),
                         .victims = count_setting(run, "victim"),
                         .writes_back = std::get<std::string>(setting_of(run, "writes")) == "back"};
  if (shape.line_bytes % pattern::double_bytes != 0)
    throw InputError("line", fmt::format("a line of {} B does not hold whole doubles", shape.line_bytes),
                     "Give a multiple of 8");
  if (shape.lines % shape.ways != 0)
    throw InputError("lines", fmt::format("{} lines are no sets of {} ways", shape.lines, shape.ways),
                     "Give a multiple of the ways");
  return shape;
}

/// The caches of all ranks. A visitor is told what an access does:
///
///     hit()                 the access finds its line in the cache
///     fetch(owner, bytes)   the line is fetched from its owner
///     put(owner, bytes)     a line that was written to goes to its owner, and the rank waits for that
///     write(owner, bytes)   the written bytes go to their owner at once, and the rank does not wait
///     element(access)       the access bypasses the cache
class Caches {
 public:
  Caches(const pattern::Pattern& pattern, const Run& run)
      : shape_(shape_of(run)), ranks_(static_cast<std::size_t>(run.ranks)) {
    for (int rank = 0; rank < run.ranks; ++rank)
      owned_bytes_.push_back(
          pattern.owned_bytes(run, rank).value_or(std::numeric_limits<std::int64_t>::max()));
  }

  const CacheShape& shape() const { return shape_; }

  template <class Visitor>
  void access(int rank, const pattern::Access& access, Visitor&& visitor) {
    // The paper's cache is for scalars, which fit into a line; larger accesses bypass it.
    if (shape_.lines == 0 || access.size_bytes > shape_.line_bytes) return visitor.element(access);
    LineCache& cache = ranks_[static_cast<std::size_t>(rank)].try_emplace(access.owner, shape_).first->second;
    const std::int64_t end = access.address + access.size_bytes;
    for (std::int64_t line = access.address / shape_.line_bytes; begin_of(line) < end; ++line) {
      const LineCache::Access found = cache.access(line, access.writes);
      if (found.is_hit) {
        visitor.hit();
      } else {
        visitor.fetch(access.owner, bytes_of(access.owner, line));
      }
      if (found.written_back) visitor.put(access.owner, dirty_bytes_of(access.owner, *found.written_back));
      if (access.writes && !shape_.writes_back)
        visitor.write(access.owner,
                      std::min(end, begin_of(line + 1)) - std::max(access.address, begin_of(line)));
    }
  }

  /// A fence: all lines leave the cache. Those that were written to go back, in one message to each owner.
  template <class Visitor>
  void fence(int rank, Visitor&& visitor) {
    for (auto& [owner, cache] : ranks_[static_cast<std::size_t>(rank)]) {
      std::int64_t size_bytes = 0;
      for (const std::int64_t line : cache.invalidate())
        size_bytes += dirty_bytes_of(owner, line);
      if (size_bytes > 0) visitor.put(owner, size_bytes);
    }
  }

 private:
  std::int64_t begin_of(std::int64_t line) const { return line * shape_.line_bytes; }
  std::int64_t bytes_of(std::int32_t owner, std::int64_t line) const {
    return std::min(shape_.line_bytes, owned_bytes_[static_cast<std::size_t>(owner)] - begin_of(line));
  }
  std::int64_t dirty_bytes_of(std::int32_t owner, std::int64_t line) const {
    const std::int64_t size_bytes = bytes_of(owner, line);
    return size_bytes + (size_bytes + bytes_a_mask_byte - 1) / bytes_a_mask_byte;
  }

  CacheShape shape_;
  std::vector<std::int64_t> owned_bytes_;                 ///< shape [ranks]
  std::vector<std::map<std::int32_t, LineCache>> ranks_;  ///< each rank's caches, by owner
};

/// Writes the body of one rank.
class CacheWriter {
 public:
  CacheWriter(const pattern::Pattern& pattern, const CacheShape& shape) : pattern_(&pattern), shape_(shape) {}

  CacheWriter& to(Body& body) {
    body_ = &body;
    return *this;
  }

  void hit() { ++hits_; }
  void fetch(std::int32_t owner, std::int64_t size_bytes) {
    post(TransferKind::load, true, owner, size_bytes);
  }
  void put(std::int32_t owner, std::int64_t size_bytes) { post(TransferKind::put, true, owner, size_bytes); }
  void write(std::int32_t owner, std::int64_t size_bytes) {
    post(TransferKind::put, false, owner, size_bytes);
    has_writes_under_way_ = true;
  }
  void element(const pattern::Access& access) {
    if (access.writes && !shape_.writes_back) return write(access.owner, access.size_bytes);
    post(access.writes ? TransferKind::store : TransferKind::load, true, access.owner, access.size_bytes);
  }

  void end_stage(Caches& caches, int rank) {
    if (hits_ > 0) body_->add(Work{.calls = std::exchange(hits_, 0)});
    const std::size_t before = body_->operations.size();
    body_->begin_region(regions::put);
    caches.fence(rank, *this);
    if (body_->operations.size() == before) body_->regions.pop_back();
    if (std::exchange(has_writes_under_way_, false)) body_->add_region(regions::wait, Complete::all());
  }

 private:
  void post(TransferKind kind, bool blocking, std::int32_t peer, std::int64_t size_bytes) {
    add_or_repeat(*body_, {.kind = kind,
                           .blocking = blocking,
                           .private_memory = pattern_->uses_private_memory(),
                           .peer = peer,
                           .size_bytes = size_bytes});
  }

  const pattern::Pattern* pattern_;
  CacheShape shape_;
  Body* body_ = nullptr;
  std::int64_t hits_ = 0;
  bool has_writes_under_way_ = false;
};

/// Counts what one rank reads. There is no closed form for writes.
class CacheCounter {
 public:
  explicit CacheCounter(pattern::RankCounts& rank) : rank_(rank) {}

  void hit() { ++rank_.calls; }
  void fetch(std::int32_t owner, std::int64_t size_bytes) {
    const auto need = std::ranges::lower_bound(rank_.needs, owner, {}, &pattern::PeerCounts::peer);
    assert(need != rank_.needs.end() && need->peer == owner);
    ++need->fetches;
    need->fetched_bytes += size_bytes;
  }
  void element(const pattern::Access& access) { fetch(access.owner, access.size_bytes); }
  void put(std::int32_t /*owner*/, std::int64_t /*size_bytes*/) { assert(false); }
  void write(std::int32_t /*owner*/, std::int64_t /*size_bytes*/) { assert(false); }

 private:
  pattern::RankCounts& rank_;
};

class Cached : public Policy {
 public:
  std::string name() const override { return "cached"; }
  std::string help() const override { return "individual through MuPC's software cache"; }
  int order() const override { return 5; }

  std::vector<Variant> variants(const pattern::PatternKind& kind) const override {
    if (!kind.has_accesses()) return {};
    return {{name(), Transfer::get, Completion::each}};
  }

  std::vector<pattern::Parameter> parameters() const override {
    return {
        {.name = "line",
         .label = "line",
         .help = "Cached: bytes of a line. Default: 1024",
         .is_axis = true,
         .usual = std::int64_t{1024}},
        {.name = "lines",
         .label = "lines",
         .help = "Cached: how many lines a rank keeps of each other rank; 0 keeps none. Default: 256",
         .is_axis = true,
         .usual = std::int64_t{256},
         .least = 0},
        {.name = "ways",
         .label = "ways",
         .help = "Cached: how many lines a set has; a line has its place in one set. Default: 1",
         .is_axis = true,
         .usual = std::int64_t{1}},
        {.name = "victim",
         .label = "victim",
         .help =
             "Cached: how many lines a rank keeps of each other rank after they were replaced. Default: 0",
         .is_axis = true,
         .usual = std::int64_t{0},
         .least = 0},
        {.name = "writes",
         .label = "writes",
         .help = "Cached: what is written waits in its line (back), or goes to its owner at once "
                 "(through). Default: back",
         .words = {"back", "through"},
         .is_axis = true,
         .usual = std::string("back")}};
  }

  std::vector<Body> programs(const pattern::Pattern& pattern, const Run& run,
                             std::span<const pattern::RankCounts> /*counts*/) const override {
    Caches caches(pattern, run);
    std::vector<CacheWriter> writers(static_cast<std::size_t>(run.ranks),
                                     CacheWriter(pattern, caches.shape()));
    return staged_bodies(
        pattern, run,
        [&](int rank, Body& body, std::span<const pattern::Access> accesses) {
          CacheWriter& writer = writers[static_cast<std::size_t>(rank)].to(body);
          for (const pattern::Access& access : accesses)
            caches.access(rank, access, writer);
        },
        [&](int rank, Body& body) {
          writers[static_cast<std::size_t>(rank)].to(body).end_stage(caches, rank);
        });
  }

  bool has_own_counts() const override { return true; }
  void add_counts(const pattern::Pattern& pattern, const Run& run,
                  std::vector<pattern::RankCounts>& counts) const override {
    Caches caches(pattern, run);
    for (pattern::RankCounts& rank : counts) {
      rank.calls = 0;
      for (pattern::PeerCounts& need : rank.needs)
        need.fetches = need.fetched_bytes = 0;
    }
    pattern.accesses(run, [&](int rank, int /*stage*/, std::span<const pattern::Access> accesses) {
      for (const pattern::Access& access : accesses)
        caches.access(rank, access, CacheCounter(counts[static_cast<std::size_t>(rank)]));
    });
  }

  /// A rank has a separate cache for each rank that it reads from.
  std::vector<pattern::MemoryUse> memory(const Run& run,
                                         std::span<const pattern::RankCounts> counts) const override {
    if (counts.empty()) return {};
    const CacheShape shape = shape_of(run);
    return {memory_use("caches", counts, [&](const pattern::RankCounts& rank) {
      return std::ssize(rank.needs) * (shape.lines + shape.victims) * shape.line_bytes;
    })};
  }
  bool has_formula() const override { return true; }
  model::Formula formula(const Run& run, std::span<const pattern::RankCounts> counts, model::ClosedForm form,
                         const problem::Placement& placement) const override;
  model::Formula formula_between(const Run& run, std::span<const pattern::RankCounts> counts,
                                 model::ClosedForm form, const problem::Placement& placement, int rank,
                                 int peer) const override;
  std::string formula_gap(const Run& /*run*/) const override {
    return "closed form: not in a paper: (C1) of docs/cached.md";
  }
};

/// What (C1) counts of one rank.
struct ChargedLines {
  double hits = 0;
  double local_lines = 0;   ///< got within the node
  double local_values = 0;  ///< in those lines
  double remote_lines = 0;  ///< got from other nodes
  double remote_values = 0;
};

void charge_lines(ChargedLines& rank, const pattern::PeerCounts& need, bool is_local) {
  (is_local ? rank.local_lines : rank.remote_lines) += static_cast<double>(need.fetches);
  (is_local ? rank.local_values : rank.remote_values) +=
      static_cast<double>(need.fetched_bytes) / model::sizeof_double;
}

/// (C1): the slowest rank, which gets one line after the other. A line of half a hardware cache line or less
/// costs a hardware cache line within the node, as in eq. (10); a longer one is read and stored.
model::Formula formula_of_lines(const Run& run, const Counted& counted, std::span<const ChargedLines> ranks) {
  const auto of_ranks = [&](double ChargedLines::*member) { return model::counts_of(ranks, member); };
  const model::RemoteTerms remote{"(C1)"};
  const CacheShape shape = shape_of(run);
  const std::int64_t fetch_bytes = shape.lines == 0 ? pattern::double_bytes : shape.line_bytes;
  const model::FormulaTerm local = 2 * fetch_bytes <= pattern::cache_line_bytes
                                       ? model::FormulaTerm{.part = "local",
                                                            .equation = "(C1)",
                                                            .symbol = "M_local",
                                                            .counted = "lines got within the node",
                                                            .each = "sizeof(cache line)",
                                                            .cache_lines_each = 1,
                                                            .counts = of_ranks(&ChargedLines::local_lines)}
                                       : model::FormulaTerm{.part = "local",
                                                            .equation = "(C1)",
                                                            .symbol = "values of M_local",
                                                            .counted = "values of lines got within the node",
                                                            .each = "2 sizeof(double)",
                                                            .bytes_each = 2 * model::sizeof_double,
                                                            .counts = of_ranks(&ChargedLines::local_values)};
  return {.total_equation = "(C1)",
          .phases = {regions::compute},
          .terms = {counted.compute(0, model::Gathering::of_rank),
                    {.part = "compute",
                     .equation = "(C1)",
                     .symbol = "H",
                     .counted = "hits in the cache",
                     .cost = model::Cost::call,
                     .counts = of_ranks(&ChargedLines::hits)},
                    local,
                    remote.messages("M_remote", "lines got from other nodes",
                                    of_ranks(&ChargedLines::remote_lines)),
                    remote.values("values of M_remote", "values of lines got from other nodes",
                                  of_ranks(&ChargedLines::remote_values))}};
}

model::Formula Cached::formula(const Run& run, std::span<const pattern::RankCounts> counts,
                               model::ClosedForm form, const problem::Placement& placement) const {
  std::vector<ChargedLines> ranks;
  for (std::size_t rank = 0; rank < counts.size(); ++rank) {
    ChargedLines& charged = ranks.emplace_back(ChargedLines{.hits = static_cast<double>(counts[rank].calls)});
    for (const pattern::PeerCounts& need : counts[rank].needs)
      charge_lines(charged, need, placement.same_node(static_cast<int>(rank), need.peer));
  }
  return formula_of_lines(run, Counted(run, counts, form), ranks);
}

model::Formula Cached::formula_between(const Run& run, std::span<const pattern::RankCounts> counts,
                                       model::ClosedForm form, const problem::Placement& placement, int rank,
                                       int peer) const {
  ChargedLines between;
  for (const pattern::PeerCounts& need : counts[static_cast<std::size_t>(rank)].needs) {
    if (need.peer != peer) continue;
    charge_lines(between, need, placement.same_node(rank, peer));
    between.hits = static_cast<double>(need.accesses - need.fetches);
  }
  const pattern::RankCounts nothing;
  return formula_of_lines(run, Counted(run, {&nothing, 1}, form), {&between, 1});
}

}  // namespace

const Policy& cached_policy() {
  static const Cached policy;
  return policy;
}

}  // namespace finegrain::policy
