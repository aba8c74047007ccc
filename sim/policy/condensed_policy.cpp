// SPDX-License-Identifier: MIT
//
// Policy "condensed": a rank gets all distinct elements that it needs of another in one message (UPCv3,
// Listing 5 of Lagravière et al. 2019; MPI programs do the same). Phases:
//
//     put        each        pack, put, barrier, [copy,] unpack, compute, fences
//     put        together    pack, put, wait, barrier, [copy,] unpack, compute, fences
//     put        overlapped  pack, put, [copy,] compute, wait, barrier, unpack, compute, fences
//     get        each        pack, barrier, get, [copy,] unpack, compute, fences
//     get        together    pack, barrier, get, wait, [copy,] unpack, compute, fences
//     get        overlapped  pack, barrier, get, [copy,] compute, wait, unpack, compute, fences
//     two-sided  together    receive, pack, send, [copy,] wait, unpack, compute
//     two-sided  overlapped  receive, pack, send, [copy,] compute, wait, unpack, compute
//     two-sided  collective  compute, pack, the operation, unpack, compute
//
// An update follows at the end, if the pattern has one. "collective" stands for patterns that exchange data
// by collective operations. [copy] copies the rank's own elements, if the pattern needs that. A compact copy
// does without it: its x has room for the others' elements behind its own, and the column indices are local.
// Overlapped programs compute twice: first the elements that need no other rank's, then the rest.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sim/model/terms.hpp"
#include "sim/pattern/memory_bytes.hpp"
#include "sim/policy/counted.hpp"
#include "sim/policy/policy.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::policy {
namespace {

bool is_compact(const Run& run) {
  return std::get<std::string>(setting_of(run, "copy")) == "compact";
}

[[noreturn]] void throw_no_copy(const pattern::Pattern& pattern) {
  throw InputError("copy", fmt::format("{} keeps no copy that could be compact", pattern.name()), "Use full");
}

/// The work of unpacking into consecutive places: no store costs a cache line of its own.
Work compact_unpack(const Work& unpack) {
  return {.memory_bytes = unpack.memory_bytes - unpack.scattered_stores * pattern::cache_line_bytes};
}

/// Writes the body of one rank.
class ExchangeWriter {
 public:
  ExchangeWriter(const Run& run, const pattern::Pattern& pattern)
      : run_(run),
        pattern_(pattern),
        overlapped_(run.completion == Completion::overlapped),
        compact_(is_compact(run)) {}

  void add(const pattern::RankExchange& exchange, bool writes) {
    if (compact_ && !exchange.copy) throw_no_copy(pattern_);
    if (run_.transfer == Transfer::two_sided) {
      add_two_sided(exchange);
    } else {
      // Only the rank that wrote an element can move it, by a put.
      add_one_sided(exchange, writes ? Transfer::put : run_.transfer);
    }
  }
  Body take() { return std::move(body_); }

 private:
  void add_one_sided(const pattern::RankExchange& exchange, Transfer transfer) {
    body_.add_region(regions::pack, exchange.pack);
    if (transfer == Transfer::get) {
      body_.add_region(regions::barrier, Collective{});
      add_transfers(regions::get, TransferKind::get, exchange.in);
    } else {
      add_transfers(regions::put, TransferKind::put, exchange.out);
    }
    if (overlapped_) add_early_work(exchange);
    if (run_.completion != Completion::each) body_.add_region(regions::wait, Complete::all());
    if (transfer == Transfer::put) body_.add_region(regions::barrier, Collective{});
    if (!overlapped_) add_copy(exchange);
    add_work(exchange);
    add_fences(body_, pattern_);
    add_update(exchange);
  }

  void add_two_sided(const pattern::RankExchange& exchange) {
    add_transfers(regions::receive, TransferKind::receive, exchange.in);
    body_.add_region(regions::pack, exchange.pack);
    add_transfers(regions::send, TransferKind::send, exchange.out);
    if (overlapped_) {
      add_early_work(exchange);
    } else {
      add_copy(exchange);
    }
    body_.add_region(regions::wait, Complete::all());
    add_work(exchange);
    add_update(exchange);
  }

  void add_transfers(RegionName region, TransferKind kind, const std::vector<pattern::PeerBytes>& transfers) {
    const bool is_one_sided = kind == TransferKind::put || kind == TransferKind::get;
    body_.begin_region(region);
    for (const pattern::PeerBytes& transfer : transfers) {
      body_.add(Post{.kind = kind,
                     .blocking = is_one_sided && run_.completion == Completion::each,
                     .private_memory = is_one_sided && pattern_.uses_private_memory(),
                     .peer = transfer.peer,
                     .size_bytes = transfer.size_bytes});
    }
  }
  void add_copy(const pattern::RankExchange& exchange) {
    if (exchange.copy && !compact_) body_.add_region(regions::copy, *exchange.copy);
  }
  void add_early_work(const pattern::RankExchange& exchange) {
    add_copy(exchange);
    if (exchange.work) body_.add_region(regions::compute, exchange.interior_work);
  }
  void add_work(const pattern::RankExchange& exchange) {
    body_.add_region(regions::unpack, compact_ ? compact_unpack(exchange.unpack) : exchange.unpack);
    if (!exchange.work) return;
    Work rest = *exchange.work;
    if (overlapped_) rest.memory_bytes -= exchange.interior_work.memory_bytes;
    body_.add_region(regions::compute, rest);
  }
  void add_update(const pattern::RankExchange& exchange) {
    if (exchange.update) body_.add_region(regions::copy, *exchange.update);
  }

  const Run& run_;
  const pattern::Pattern& pattern_;
  bool overlapped_;
  bool compact_;
  Body body_;
};

Body body_of(const std::vector<pattern::CollectiveStage>& stages) {
  Body body;
  for (const pattern::CollectiveStage& stage : stages) {
    body.add_region(regions::compute, stage.before);
    body.add_region(regions::pack, stage.pack);
    Collective operation = stage.operation;
    operation.first_size = static_cast<std::int32_t>(body.sizes.size());
    operation.size_count = static_cast<std::int32_t>(stage.sizes.size());
    body.sizes.insert(body.sizes.end(), stage.sizes.begin(), stage.sizes.end());
    body.add_region(RegionName(to_string(operation.kind)), operation);
    body.add_region(regions::unpack, stage.unpack);
    body.add_region(regions::compute, stage.after);
  }
  return body;
}

class Condensed : public Policy {
 public:
  std::string name() const override { return "condensed"; }
  std::string help() const override { return "UPCv3, MPI"; }
  int order() const override { return 3; }
  bool is_usual() const override { return true; }
  Transfer usual_transfer() const override { return Transfer::two_sided; }

  std::vector<Variant> variants(const pattern::PatternKind& kind) const override {
    std::vector<Variant> all;
    for (const Transfer transfer : kind.transfers()) {
      if (transfer != Transfer::two_sided) all.push_back({name(), transfer, Completion::each});
      all.push_back({name(), transfer, Completion::together});
      if (kind.overlaps()) all.push_back({name(), transfer, Completion::overlapped});
    }
    return all;
  }

  std::vector<pattern::Parameter> parameters() const override {
    return {{.name = "copy",
             .label = "copy",
             .help = "Condensed: where x is read: full (a copy of all of x on every rank, as in Listing 5), "
                     "compact (only the elements that a rank needs, as MPI codes do). Default: full",
             .words = {"full", "compact"},
             .is_axis = true,
             .usual = std::string("full"),
             .is_said_if_usual = false}};
  }

  bool needs_counts() const override { return true; }
  std::vector<Body> programs(const pattern::Pattern& pattern, const Run& run,
                             std::span<const pattern::RankCounts> counts) const override {
    std::vector<Body> bodies;
    for (const auto& stages : pattern.collective_stages(run)) {
      if (is_compact(run)) throw_no_copy(pattern);
      bodies.push_back(body_of(stages));
    }
    if (!bodies.empty()) return bodies;
    std::vector<ExchangeWriter> writers(static_cast<std::size_t>(run.ranks), ExchangeWriter(run, pattern));
    for (const auto& [writes, ranks] : pattern.exchanges(run, counts))
      for (std::size_t rank = 0; rank < ranks.size(); ++rank)
        writers[rank].add(ranks[rank], writes);
    for (ExchangeWriter& writer : writers)
      bodies.push_back(writer.take());
    return bodies;
  }

  bool needs_lists(const Run& run) const override { return settings_of(run) == Settings{}; }

  pattern::Volume volume(const pattern::PeerCounts& need) const override {
    return {1, need.values * pattern::double_bytes};
  }
  std::int64_t messages(const Run& /*run*/, std::span<const pattern::RankCounts> counts) const override {
    return total(counts, &pattern::RankCounts::messages_out_local, &pattern::RankCounts::messages_out_remote);
  }

  std::vector<pattern::MemoryUse> memory(const Run& run,
                                         std::span<const pattern::RankCounts> counts) const override {
    // Patterns without single accesses keep no copies, and say what they keep for messages.
    if (!pattern::pattern_kind(run).has_accesses()) return {};
    const bool compact = is_compact(run);
    std::vector<pattern::MemoryUse> uses;
    if (!compact) uses.push_back(copy_of_x(run));
    if (counts.empty()) return uses;
    const auto values_in = [](const pattern::RankCounts& rank) {
      return rank.values_in_local + rank.values_in_remote;
    };
    const auto values = [&](const pattern::RankCounts& rank) {
      return values_in(rank) + rank.values_out_local + rank.values_out_remote;
    };
    // x and y are swapped after each iteration, so both need the room.
    if (compact)
      uses.push_back(memory_use("others' elements in x and y", counts, [&](const pattern::RankCounts& rank) {
        return 2 * values_in(rank) * pattern::double_bytes;
      }));
    uses.push_back(memory_use("message buffers", counts, [&](const pattern::RankCounts& rank) {
      return values(rank) * pattern::double_bytes;
    }));
    uses.push_back(memory_use("lists", counts, [&](const pattern::RankCounts& rank) {
      return values(rank) * pattern::index_bytes;
    }));
    return uses;
  }

  bool has_formula() const override { return true; }
  model::Formula formula(const Run& run, std::span<const pattern::RankCounts> counts, model::ClosedForm form,
                         const problem::Placement& placement) const override;

  std::string formula_gap(const Run& run) const override {
    return is_compact(run) ? "closed form: a compact copy is not the paper's (docs/model.md)" : "";
  }

  KernelBinary kernel(const Run& run) const override {
    const bool overlapped = run.completion == Completion::overlapped;
    const bool is_upcxx = run.transfer != Transfer::two_sided;
    KernelBinary program{
        run.problem.pattern + (overlapped ? "_overlapped_" : "_condensed_") + (is_upcxx ? "upcxx" : "mpi"),
        {},
        is_upcxx};
    if (is_upcxx && !overlapped) program.arguments = {"--completion", std::string(to_string(run.completion))};
    return program;
  }
  std::int64_t shared_bytes(const pattern::SharedElements& elements, const Run& /*run*/) const override {
    // At most the elements of all other ranks, each with its index.
    return (elements.all - elements.most_of_a_rank) * (pattern::double_bytes + pattern::index_bytes);
  }
};

/// The slowest node up to the barrier, then the slowest rank, eqs. (12) to (15), (18). Eq. (13) is charged to
/// `put` or `get`, or to `wait` if the transfers are only started there. For two-sided MPI the equations stay
/// as they are (the same volumes, the same messages) and eq. (13) is charged to `wait`, where a rank waits
/// for its messages to be complete. Overlap is not in the equations: the total is that of the same messages
/// not overlapped.
///
/// A compact copy is not in the paper: for it, eq. (14) is left out, and eq. (15) has no cache line.
///
/// as_printed counts BLOCKSIZE elements for every block, even the partial last one; as_published counts the
/// elements that a block has.
model::Formula Condensed::formula(const Run& run, std::span<const pattern::RankCounts> counts,
                                  model::ClosedForm form, const problem::Placement& /*placement*/) const {
  const Counted counted(run, counts, form);
  const bool overlapped = run.completion == Completion::overlapped;
  const bool compact = is_compact(run);
  // With gets, a rank counts what comes in: the same messages, seen from their other end.
  const bool gets = run.transfer == Transfer::get;
  model::Formula formula{
      .total_equation = "(18)", .counts_sent = !gets, .phases = {regions::pack}, .terms = {}};
  const auto begin_phase = [&](RegionName name) {
    formula.phases.push_back(name);
    return formula.phases.size() - 1;
  };
  const bool copies_first = overlapped || run.transfer == Transfer::two_sided;
  std::size_t copy = copies_first && !compact ? begin_phase(regions::copy) : 0;
  const std::size_t early = overlapped ? begin_phase(regions::compute) : 0;
  const std::size_t messages = begin_phase(run.completion != Completion::each ? regions::wait
                                           : gets                             ? regions::get
                                                                              : regions::put);
  const model::RemoteTerms remote{"(13)", model::Gathering::sum_of_node, messages};
  if (!copies_first && !compact) copy = begin_phase(regions::copy);
  const std::size_t unpack = begin_phase(regions::unpack);
  model::FormulaTerm compute = counted.compute(begin_phase(regions::compute), model::Gathering::of_rank);
  if (overlapped) {
    compute.early_counts = counted.interior(compute.counts);
    compute.early_phase = early;
  }
  formula.terms = {{.part = "pack",
                    .equation = "(12)",
                    .symbol = "(S_local,out + S_remote,out)",
                    .counted = "values packed",
                    .each = "(2 sizeof(double) + sizeof(int))",
                    .bytes_each = 2 * model::sizeof_double + model::sizeof_int,
                    .gathering = model::Gathering::most_of_node,
                    .counts = counted.sum(&pattern::RankCounts::values_out_local,
                                          &pattern::RankCounts::values_out_remote)},
                   {.part = "local",
                    .equation = "(13)",
                    .symbol = gets ? "S_local,in" : "S_local,out",
                    .counted = gets ? "values got within the node" : "values sent within the node",
                    .each = "2 sizeof(double)",
                    .bytes_each = 2 * model::sizeof_double,
                    .gathering = model::Gathering::most_of_node,
                    .phase = messages,
                    .counts = counted.sum(gets ? &pattern::RankCounts::values_in_local
                                               : &pattern::RankCounts::values_out_local)},
                   remote.messages(gets ? "C_remote,in" : "C_remote,out",
                                   gets ? "messages got from other nodes" : "messages sent between nodes",
                                   counted.sum(gets ? &pattern::RankCounts::messages_in_remote
                                                    : &pattern::RankCounts::messages_out_remote)),
                   remote.values(gets ? "S_remote,in" : "S_remote,out",
                                 gets ? "values got from other nodes" : "values sent between nodes",
                                 counted.sum(gets ? &pattern::RankCounts::values_in_remote
                                                  : &pattern::RankCounts::values_out_remote)),
                   counted.copy(copy),
                   counted.unpack(unpack, counted.sum(&pattern::RankCounts::values_in_local,
                                                      &pattern::RankCounts::values_in_remote)),
                   std::move(compute)};
  if (compact) {
    const auto term = [&](const char* part) {
      return std::ranges::find(formula.terms, part, &model::FormulaTerm::part);
    };
    formula.terms.erase(term("copy"));
    term("unpack")->each = "(sizeof(double) + sizeof(int))";
    term("unpack")->cache_lines_each = 0;
  }
  return formula;
}

}  // namespace

const Policy& condensed_policy() {
  static const Condensed policy;
  return policy;
}

}  // namespace finegrain::policy
