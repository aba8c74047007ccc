// SPDX-License-Identifier: MIT
//
// Policy "node-aware": what several ranks of a node need of another node crosses the network once, in the one
// message between the two nodes. A node is run.ranks_per_node consecutive ranks. For each ordered pair of
// nodes A and B, one rank of A is the sending leader, and one rank of B the receiving leader. Three rounds
// follow one another:
//
//     gather     each rank sends every other rank of its node one message: the elements that the other reads,
//                and the rank's parts of the messages between nodes that the other sends as a leader
//     exchange   the sending leader puts the parts together and sends them to the receiving leader
//     scatter    the receiving leader sends each rank of its node the elements that this rank reads
//
// Phases:
//
//     put        pack, put, wait, barrier, gather, exchange, copy, wait, barrier, scatter, wait, barrier,
//                unpack, compute, fences
//     two-sided  receive, pack, send, wait, gather, exchange, copy, wait, scatter, wait, unpack, compute
//
// Overlapped: the elements that need no other rank's are computed after copy, while the messages between
// nodes are under way. docs/node-aware.md says when that is worth it.
#include <fmt/format.h>

#include <map>
#include <utility>

#include "sim/model/terms.hpp"
#include "sim/pattern/memory_bytes.hpp"
#include "sim/policy/counted.hpp"
#include "sim/policy/node_aware_plan.hpp"
#include "sim/policy/policy.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::policy {
namespace node_aware {
namespace {

/// The number of doubles, which the equations count in; rounded up.
std::int64_t values_of(std::int64_t size_bytes) {
  return (size_bytes + pattern::double_bytes - 1) / pattern::double_bytes;
}

/// Writes the bodies of all ranks.
class NodeAwareWriter {
 public:
  NodeAwareWriter(const Run& run, const pattern::Pattern& pattern)
      : run_(run), pattern_(pattern), bodies_(static_cast<std::size_t>(run.ranks)) {}

  void add(const pattern::StageExchange& stage) {
    if (stage.writes)
      throw InputError(
          "policy",
          fmt::format("node-aware is for ranks that only read, and in {} some write", pattern_.name()),
          "Use condensed");
    std::vector<std::vector<pattern::PeerBytes>> needs;
    for (const pattern::RankExchange& rank : stage.ranks)
      needs.push_back(rank.in);
    const Plan plan = plan_of(run_, needs);
    const std::vector<Messages> gather = messages_of(plan.gather(), bodies_.size());
    const std::vector<Messages> exchange = messages_of(plan.exchange, bodies_.size());
    const std::vector<Messages> scatter = messages_of(plan.scatter, bodies_.size());
    const Totals totals(plan, bodies_.size());
    for (std::size_t rank = 0; rank < bodies_.size(); ++rank) {
      body_ = &bodies_[rank];
      add_gather(gather[rank], totals.packed[rank]);
      add_exchange(exchange[rank], totals.gathered[rank], stage.ranks[rank]);
      add_scatter(scatter[rank], totals.scattered[rank]);
      add_work(stage.ranks[rank]);
    }
  }
  std::vector<Body> take() { return std::move(bodies_); }

 private:
  bool two_sided() const { return run_.transfer == Transfer::two_sided; }
  bool overlapped() const { return run_.completion == Completion::overlapped; }

  void add_gather(const Messages& messages, std::int64_t packed_bytes) {
    if (two_sided()) {
      body_->begin_region(regions::receive);
      post(TransferKind::receive, messages.in);
    }
    body_->add_region(regions::pack, pack_work(packed_bytes));
    body_->begin_region(two_sided() ? regions::send : regions::put);
    post_out(messages);
    complete();
  }
  void add_exchange(const Messages& messages, std::int64_t gathered_bytes,
                    const pattern::RankExchange& rank) {
    body_->add_region(
        RegionName("gather"),
        Work{.memory_bytes = pattern::copy_bytes(values_of(gathered_bytes)), .copied_bytes = gathered_bytes});
    body_->begin_region(RegionName("exchange"));
    if (two_sided()) post(TransferKind::receive, messages.in);
    post_out(messages);
    if (rank.copy) body_->add_region(regions::copy, *rank.copy);
    if (overlapped() && rank.work) body_->add_region(regions::compute, rank.interior_work);
    complete();
  }
  void add_scatter(const Messages& messages, std::int64_t scattered_bytes) {
    body_->add_region(RegionName("scatter"), pack_work(scattered_bytes));
    if (two_sided()) post(TransferKind::receive, messages.in);
    post_out(messages);
    complete();
  }
  void add_work(const pattern::RankExchange& rank) {
    body_->add_region(regions::unpack, rank.unpack);
    if (rank.work) {
      Work rest = *rank.work;
      if (overlapped()) rest.memory_bytes -= rank.interior_work.memory_bytes;
      body_->add_region(regions::compute, rest);
    }
    if (!two_sided()) add_fences(*body_, pattern_);
  }

  static Work pack_work(std::int64_t size_bytes) {
    return {.memory_bytes = pattern::pack_bytes(values_of(size_bytes))};
  }

  void post_out(const Messages& messages) {
    post(two_sided() ? TransferKind::send : TransferKind::put, messages.out);
  }
  void post(TransferKind kind, const std::vector<pattern::PeerBytes>& messages) {
    for (const pattern::PeerBytes& message : messages) {
      body_->add(Post{.kind = kind,
                      .private_memory = kind == TransferKind::put && pattern_.uses_private_memory(),
                      .peer = message.peer,
                      .size_bytes = message.size_bytes});
    }
  }
  void complete() {
    body_->add_region(regions::wait, Complete::all());
    if (!two_sided()) body_->add_region(regions::barrier, Collective{});
  }

  const Run& run_;
  const pattern::Pattern& pattern_;
  std::vector<Body> bodies_;
  Body* body_ = nullptr;  ///< the body of the rank that is being written
};

/// Values of one rank that the closed form charges for.
struct Charged {
  double packed = 0;
  double local = 0;  ///< sent within the node, to gather
  double gathered = 0;
  double messages = 0;  ///< between nodes
  double remote = 0;
  double scattered = 0;
  double local_after = 0;  ///< sent within the node, in the later rounds
  double unpacked = 0;
};

double number_of_values(std::int64_t size_bytes) {
  return static_cast<double>(values_of(size_bytes));
}

/// Charges a rank for one message that it sends. @param is_local  whether both ranks run on one node
void charge(Charged& sender, std::int64_t size_bytes, bool is_local, double Charged::*local) {
  sender.*(is_local ? local : &Charged::remote) += number_of_values(size_bytes);
  if (!is_local) sender.messages += 1;
}

/// Shape [ranks].
std::vector<Charged> charged_of(const Plan& plan, const problem::Placement& placement) {
  std::vector<Charged> ranks(static_cast<std::size_t>(placement.ranks()));
  const auto add = [&](const Sizes& round, double Charged::*local) {
    for (const auto& [pair, size_bytes] : round) {
      const auto& [from, to] = pair;
      if (from != to)
        charge(ranks[static_cast<std::size_t>(from)], size_bytes, placement.same_node(from, to), local);
    }
  };
  add(plan.gather(), &Charged::local);
  add(plan.exchange, &Charged::local_after);
  add(plan.scatter, &Charged::local_after);
  const Totals totals(plan, ranks.size());
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    ranks[rank].packed = number_of_values(totals.packed[rank]);
    ranks[rank].gathered = number_of_values(totals.gathered[rank]);
    ranks[rank].scattered = number_of_values(totals.scattered[rank]);
  }
  for (const Sizes* arriving : {&plan.direct, &plan.scatter})
    for (const auto& [pair, size_bytes] : *arriving)
      ranks[static_cast<std::size_t>(pair.second)].unpacked += number_of_values(size_bytes);
  return ranks;
}

/// Charges for what `rank` sends to `peer`. What the peer does with it is counted too.
Charged charged_between(const Plan& plan, bool is_local, int rank, int peer) {
  Charged between;
  const auto size_bytes = [&](const Sizes& round) {
    const auto found = round.find({rank, peer});
    return found == round.end() ? 0 : found->second;
  };
  const std::int64_t direct = size_bytes(plan.direct);
  const std::int64_t parts = size_bytes(plan.parts);
  const std::int64_t exchange = size_bytes(plan.exchange);
  const std::int64_t scatter = size_bytes(plan.scatter);
  if (direct + parts > 0) charge(between, direct + parts, is_local, &Charged::local);
  if (exchange > 0) charge(between, exchange, is_local, &Charged::local_after);
  if (scatter > 0) charge(between, scatter, is_local, &Charged::local_after);
  between.packed = number_of_values(direct + parts);
  between.gathered = number_of_values(parts);
  between.scattered = number_of_values(scatter);
  between.unpacked = number_of_values(direct) + number_of_values(scatter);
  return between;
}

/// Not in the paper: each round is charged as eqs. (12), (13) and (15) charge for packing, sending and
/// unpacking; gathered values are charged as eq. (14) charges copied ones. As in eq. (18), the slowest node
/// counts up to the last barrier, and then the slowest rank. The rank's own copy is charged to the latter,
/// though ranks do it earlier.
model::Formula formula_of_values(const Run& run, const Counted& counted, std::span<const Charged> ranks) {
  const bool overlapped = run.completion == Completion::overlapped;
  model::Formula formula{
      .total_equation = "cf. (18)", .counts_sent = true, .phases = {regions::pack}, .terms = {}};
  const auto begin_phase = [&](RegionName name) {
    formula.phases.push_back(name);
    return formula.phases.size() - 1;
  };
  const std::size_t first_wait = begin_phase(regions::wait);
  const std::size_t gather = begin_phase(RegionName("gather"));
  const std::size_t copy = begin_phase(regions::copy);
  const std::size_t early = overlapped ? begin_phase(regions::compute) : 0;
  const std::size_t second_wait = begin_phase(regions::wait);
  const std::size_t scatter = begin_phase(RegionName("scatter"));
  const std::size_t last_wait = begin_phase(regions::wait);
  const std::size_t unpack = begin_phase(regions::unpack);
  model::FormulaTerm compute = counted.compute(begin_phase(regions::compute), model::Gathering::of_rank);
  if (overlapped) {
    compute.early_counts = counted.interior(compute.counts);
    compute.early_phase = early;
  }
  const auto of_ranks = [&](double Charged::*member) { return model::counts_of(ranks, member); };
  const model::RemoteTerms remote{"cf. (13)", model::Gathering::sum_of_node, second_wait};
  const auto sent_within = [&](std::size_t phase, const char* symbol, const char* text,
                               double Charged::*member) {
    return model::FormulaTerm{.part = "local",
                              .equation = "cf. (13)",
                              .symbol = symbol,
                              .counted = text,
                              .each = "2 sizeof(double)",
                              .bytes_each = 2 * model::sizeof_double,
                              .gathering = model::Gathering::most_of_node,
                              .phase = phase,
                              .counts = of_ranks(member)};
  };
  const auto packed = [&](const char* part, std::size_t phase, const char* symbol, const char* text,
                          double Charged::*member) {
    return model::FormulaTerm{.part = part,
                              .equation = "cf. (12)",
                              .symbol = symbol,
                              .counted = text,
                              .each = "(2 sizeof(double) + sizeof(int))",
                              .bytes_each = 2 * model::sizeof_double + model::sizeof_int,
                              .gathering = model::Gathering::most_of_node,
                              .phase = phase,
                              .counts = of_ranks(member)};
  };
  formula.terms = {
      packed("pack", 0, "(S_local,out + S_node,out)", "values packed, once for each node", &Charged::packed),
      sent_within(first_wait, "S_gather,out", "values sent to ranks of the node and to its leaders",
                  &Charged::local),
      {.part = "gather",
       .equation = "cf. (14)",
       .symbol = "S_gather,in",
       .counted = "values put together for other nodes",
       .each = "2 sizeof(double)",
       .bytes_each = 2 * model::sizeof_double,
       .gathering = model::Gathering::most_of_node,
       .phase = gather,
       .counts = of_ranks(&Charged::gathered)},
      remote.messages("C_node,out", "messages sent between nodes", of_ranks(&Charged::messages)),
      remote.values("S_node,out", "values sent between nodes", of_ranks(&Charged::remote)),
      packed("scatter", scatter, "S_scatter", "values packed again, for each rank of the node",
             &Charged::scattered),
      sent_within(last_wait, "S_scatter,out", "values sent on to ranks of the node", &Charged::local_after),
      counted.copy(copy),
      counted.unpack(unpack, of_ranks(&Charged::unpacked)),
      std::move(compute)};
  return formula;
}

class NodeAware : public Policy {
 public:
  std::string name() const override { return "node-aware"; }
  std::string help() const override { return "one message a pair of nodes"; }
  int order() const override { return 4; }
  Transfer usual_transfer() const override { return Transfer::two_sided; }
  bool looks_at_nodes() const override { return true; }
  bool needs_counts() const override { return true; }

  std::vector<Variant> variants(const pattern::PatternKind& kind) const override {
    if (!kind.has_accesses()) return {};
    std::vector<Variant> all;
    for (const Transfer transfer : {Transfer::put, Transfer::two_sided})
      for (const Completion completion : {Completion::together, Completion::overlapped})
        all.push_back({name(), transfer, completion});
    return all;
  }

  std::vector<Body> programs(const pattern::Pattern& pattern, const Run& run,
                             std::span<const pattern::RankCounts> counts) const override {
    NodeAwareWriter writer(run, pattern);
    for (const pattern::StageExchange& stage : pattern.exchanges(run, counts))
      writer.add(stage);
    return writer.take();
  }

  void volumes(const Run& run, std::span<const pattern::RankCounts> counts,
               const OnVolume& visit) const override {
    const Plan plan = plan_of(run, counts);
    std::map<Pair, pattern::Volume> all;
    for (const Sizes& round : {plan.gather(), plan.exchange, plan.scatter})
      for (const auto& [pair, size_bytes] : round)
        if (pair.first != pair.second) all[pair] += pattern::Volume{1, size_bytes};
    for (const auto& [pair, volume] : all)
      visit(pair.first, pair.second, volume);
  }

  /// The values that a round sends and receives need buffers, and lists of the places where they are packed
  /// or unpacked.
  std::vector<pattern::MemoryUse> memory(const Run& run,
                                         std::span<const pattern::RankCounts> counts) const override {
    std::vector<pattern::MemoryUse> uses{copy_of_x(run)};
    if (counts.empty()) return uses;
    const Plan plan = plan_of(run, counts);
    const Totals totals(plan, counts.size());
    std::vector<std::int64_t> buffers(counts.size());
    std::vector<std::int64_t> listed(counts.size());
    const auto add = [](std::vector<std::int64_t>& sums, std::int32_t rank, std::int64_t size_bytes) {
      sums[static_cast<std::size_t>(rank)] += size_bytes;
    };
    for (const Sizes& round : {plan.gather(), plan.exchange, plan.scatter}) {
      for (const auto& [pair, size_bytes] : round) {
        add(buffers, pair.second, size_bytes);  // also what a leader scatters to itself
        if (pair.first != pair.second) add(buffers, pair.first, size_bytes);
      }
    }
    for (const Sizes* arriving : {&plan.direct, &plan.scatter})
      for (const auto& [pair, size_bytes] : *arriving)
        add(listed, pair.second, size_bytes);
    for (std::size_t rank = 0; rank < listed.size(); ++rank)
      listed[rank] =
          values_of(listed[rank] + totals.packed[rank] + totals.scattered[rank]) * pattern::index_bytes;
    uses.push_back({"message buffers", std::move(buffers)});
    uses.push_back({"lists", std::move(listed)});
    return uses;
  }
  bool has_formula() const override { return true; }
  model::Formula formula(const Run& run, std::span<const pattern::RankCounts> counts, model::ClosedForm form,
                         const problem::Placement& placement) const override {
    return formula_of_values(run, Counted(run, counts, form), charged_of(plan_of(run, counts), placement));
  }
  model::Formula formula_between(const Run& run, std::span<const pattern::RankCounts> counts,
                                 model::ClosedForm form, const problem::Placement& placement, int rank,
                                 int peer) const override {
    const Charged between =
        charged_between(plan_of(run, counts), placement.same_node(rank, peer), rank, peer);
    const pattern::RankCounts nothing;
    return formula_of_values(run, Counted(run, {&nothing, 1}, form), {&between, 1});
  }
  std::string formula_gap(const Run& /*run*/) const override {
    return "closed form: not the paper's: its eqs. (12) to (15), (18) for each of three rounds "
           "(docs/node-aware.md)";
  }

  KernelBinary kernel(const Run& run) const override {
    const bool is_upcxx = run.transfer != Transfer::two_sided;
    return {run.problem.pattern + "_node_aware_" + (is_upcxx ? "upcxx" : "mpi"),
            {"--completion", std::string(to_string(run.completion))},
            is_upcxx};
  }
  std::int64_t shared_bytes(const pattern::SharedElements& elements, const Run& run) const override {
    const problem::Placement placement(run.ranks, run.ranks_per_node);
    // By gather a rank receives all elements of its node, and those for each node that it leads. By exchange
    // and by scatter it receives at most every element. Before the first iteration it lists the elements that
    // it reads, by their numbers.
    const std::int64_t gathered = placement.nodes() + 2 * placement.most_ranks_on_a_node();
    return gathered * elements.most_of_a_rank * pattern::double_bytes +
           elements.all * (2 * pattern::double_bytes + pattern::index_bytes);
  }
};

}  // namespace
}  // namespace node_aware

const Policy& node_aware_policy() {
  static const node_aware::NodeAware policy;
  return policy;
}

}  // namespace finegrain::policy
