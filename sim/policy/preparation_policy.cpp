// SPDX-License-Identifier: MIT
//
// Policy "preparation": what programs do once before their first iteration, if owners have to know which of
// their elements each rank needs (section 4.3.1 of Lagravière et al. 2019). Phases:
//
//     two-sided  together    find, counts, lists, places
//     get        together    find, barrier, counts, wait, lists, wait, places, barrier
//
//     find    each index of its rows is read and marks its element; the marked ones are written to lists
//     counts  each owner learns from each other rank how many of its elements that rank needs
//     lists   each owner learns which elements these are
//     places  each owner turns them into places in its own part of x
//
// MPI programs tell the owners by an alltoall and an alltoallv. In UPC++, for condensed puts, each rank
// writes down what it needs, and the owners get these lists.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "sim/model/terms.hpp"
#include "sim/pattern/memory_bytes.hpp"
#include "sim/policy/counted.hpp"
#include "sim/policy/policy.hpp"
#include "sim/policy/preparation.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::policy {

namespace {

/// In UPC++ an owner gets two numbers from each rank: where the list of its elements begins, and its length.
constexpr std::int64_t need_bytes = 16;

/// Every index is read once, a bit for each element of x is cleared and read, and the elements found are
/// written. There is no work without rows.
Work find_work(const pattern::AccessLoop& loop, std::int64_t elements, std::int64_t found) {
  if (loop.references == 0) return {};
  return {.memory_bytes = loop.references * pattern::index_bytes + 2 * ((elements + 7) / 8) +
                          found * pattern::index_bytes};
}

std::int64_t list_bytes(const pattern::PeerBytes& values) {
  return values.size_bytes / pattern::double_bytes * pattern::index_bytes;
}

std::int64_t list_bytes(const std::vector<pattern::PeerBytes>& of_peers) {
  std::int64_t bytes = 0;
  for (const pattern::PeerBytes& values : of_peers)
    bytes += list_bytes(values);
  return bytes;
}

std::int64_t elements_of(const Run& run) {
  std::int64_t elements = 0;
  for (const std::int64_t of_rank : pattern::pattern_kind(run).elements_of_ranks(run))
    elements += of_rank;
  return elements;
}

/// How many values `reader` needs of `owner`.
std::int64_t values_of(std::span<const pattern::RankCounts> counts, int reader, int owner) {
  const auto& needs = counts[static_cast<std::size_t>(reader)].needs;
  const auto need = std::ranges::lower_bound(needs, owner, {}, &pattern::PeerCounts::peer);
  return need == needs.end() || need->peer != owner ? 0 : need->values;
}

void add_collectives(Body& body, const pattern::RankExchange& exchange, std::size_t ranks) {
  body.sizes.resize(2 * ranks);
  for (const pattern::PeerBytes& in : exchange.in)
    body.sizes[static_cast<std::size_t>(in.peer)] = list_bytes(in);
  for (const pattern::PeerBytes& out : exchange.out)
    body.sizes[ranks + static_cast<std::size_t>(out.peer)] = list_bytes(out);
  body.add_region(RegionName("counts"), Collective{.kind = CollectiveKind::alltoall,
                                                   .element_bytes = pattern::int_bytes,
                                                   .size_bytes = pattern::int_bytes});
  body.add_region(RegionName("lists"), Collective{.kind = CollectiveKind::alltoallv,
                                                  .element_bytes = pattern::index_bytes,
                                                  .size_bytes = list_bytes(exchange.in),
                                                  .size_count = static_cast<std::int32_t>(2 * ranks)});
}

void add_gets(Body& body, const pattern::Pattern& pattern, const pattern::RankExchange& exchange, int rank,
              int ranks) {
  const auto get = [&](int peer, std::int64_t size_bytes) {
    body.add(Post{.kind = TransferKind::get,
                  .private_memory = pattern.uses_private_memory(),
                  .peer = peer,
                  .size_bytes = size_bytes});
  };
  body.add_region(regions::barrier, Collective{});
  body.begin_region(RegionName("counts"));
  for (int reader = 0; reader < ranks; ++reader)
    if (reader != rank) get(reader, need_bytes);
  body.add_region(regions::wait, Complete::all());
  body.begin_region(RegionName("lists"));
  for (const pattern::PeerBytes& out : exchange.out)
    get(out.peer, list_bytes(out));
  body.add_region(regions::wait, Complete::all());
}

class Preparation : public Policy {
 public:
  std::string name() const override { return "preparation"; }
  std::string help() const override {
    return "once before condensed: each rank tells the owners which elements it needs";
  }
  int order() const override { return 9; }

  std::vector<Variant> variants(const pattern::PatternKind& kind) const override {
    if (!kind.has_accesses()) return {};
    std::vector<Variant> all;
    const std::vector<Transfer> transfers = kind.transfers();
    if (std::ranges::find(transfers, Transfer::two_sided) != transfers.end())
      all.push_back({name(), Transfer::two_sided, Completion::together});
    if (std::ranges::any_of(transfers, [](Transfer each) { return each != Transfer::two_sided; }))
      all.push_back({name(), Transfer::get, Completion::together});
    return all;
  }
  Transfer usual_transfer() const override { return Transfer::two_sided; }

  bool needs_counts() const override { return true; }
  std::vector<Body> programs(const pattern::Pattern& pattern, const Run& run,
                             std::span<const pattern::RankCounts> counts) const override {
    const auto stages = pattern.exchanges(run, counts);
    if (stages.size() != 1 || stages.front().writes || !pattern.loop(run, 0, 0))
      throw InputError("policy",
                       fmt::format("what {} reads to prepare its messages is not known", pattern.name()),
                       "Prepare the messages of a matrix");
    const std::int64_t elements = elements_of(run);
    std::vector<Body> bodies;
    for (int rank = 0; rank < run.ranks; ++rank) {
      const pattern::RankExchange& exchange = stages.front().ranks[static_cast<std::size_t>(rank)];
      Body& body = bodies.emplace_back();
      body.add_region(RegionName("find"), find_work(*pattern.loop(run, rank, 0), elements,
                                                    list_bytes(exchange.in) / pattern::index_bytes));
      if (run.transfer == Transfer::two_sided)
        add_collectives(body, exchange, static_cast<std::size_t>(run.ranks));
      else
        add_gets(body, pattern, exchange, rank, run.ranks);
      // Each element is read and written.
      body.add_region(RegionName("places"), Work{2 * list_bytes(exchange.out)});
      if (run.transfer != Transfer::two_sided) body.add_region(regions::barrier, Collective{});
    }
    return bodies;
  }

  /// Visits nothing for MPI: there the library decides which messages a collective operation sends.
  void volumes(const Run& run, std::span<const pattern::RankCounts> counts,
               const OnVolume& visit) const override {
    if (run.transfer == Transfer::two_sided) return;
    for (int reader = 0; reader < run.ranks; ++reader) {
      for (int owner = 0; owner < run.ranks; ++owner) {
        if (owner == reader) continue;
        const std::int64_t values = values_of(counts, reader, owner);
        visit(reader, owner, {values > 0 ? 2 : 1, need_bytes + values * pattern::index_bytes});
      }
    }
  }

  std::vector<pattern::MemoryUse> memory(const Run& /*run*/,
                                         std::span<const pattern::RankCounts> counts) const override {
    return {memory_use("lists", counts, [](const pattern::RankCounts& rank) {
      return pattern::index_bytes *
             (rank.values_in_local + rank.values_in_remote + rank.values_out_local + rank.values_out_remote);
    })};
  }

  bool has_formula() const override { return true; }
  bool is_candidate() const override { return false; }  // it does no iteration
  model::Formula formula(const Run& run, std::span<const pattern::RankCounts> counts, model::ClosedForm form,
                         const problem::Placement& placement) const override;
  model::Formula formula_between(const Run& run, std::span<const pattern::RankCounts> counts,
                                 model::ClosedForm form, const problem::Placement& placement, int rank,
                                 int peer) const override {
    const bool local = placement.same_node(rank, peer);
    pattern::RankCounts pair;
    (local ? pair.values_in_local : pair.values_in_remote) = values_of(counts, rank, peer);
    const std::int64_t told = values_of(counts, peer, rank);
    (local ? pair.values_out_local : pair.values_out_remote) = told;
    model::Formula between = formula(run, {&pair, 1}, form, placement);
    const auto number = std::ranges::find(between.terms, model::Cost::tau, &model::FormulaTerm::cost);
    const auto list =
        std::ranges::find(number + 1, between.terms.end(), model::Cost::tau, &model::FormulaTerm::cost);
    number->counts = {local ? 0. : 1.};
    list->counts = {local || (told == 0 && run.transfer == Transfer::get) ? 0. : 1.};
    return between;
  }
  std::string formula_gap(const Run& /*run*/) const override {
    return "closed form: (P1) is not the paper's (docs/model.md)";
  }

  std::int64_t shared_bytes(const pattern::SharedElements& elements, const Run& run) const override {
    // At most the value and the index of every other rank's element; and the two numbers for each rank.
    return (elements.all - elements.most_of_a_rank) * (pattern::double_bytes + pattern::index_bytes) +
           run.ranks * need_bytes;
  }
};

/// (P1), not in the paper: the work before and after, and between them what eq. (13) charges for a node's
/// bytes, where an element of a list has the bytes of an index. The bytes of the counts themselves are left
/// out. A rank pays a tau for each message that it starts, and the ranks of a node start theirs at the same
/// time. In MPI the messages are the rounds of an alltoall by Bruck's algorithm, and a list for each rank on
/// another node, even an empty one.
model::Formula Preparation::formula(const Run& run, std::span<const pattern::RankCounts> counts,
                                    model::ClosedForm form, const problem::Placement& placement) const {
  const Counted counted(run, counts, form);
  const auto references =
      static_cast<double>(pattern::pattern_kind(run).element_work(run.problem).references);
  std::vector<double> rows = counted.sum(&pattern::RankCounts::rows);
  std::vector<double> bits(rows.size());
  std::vector<double> far(rows.size());
  for (std::size_t rank = 0; rank < rows.size(); ++rank) {
    if (rows[rank] > 0) bits[rank] = static_cast<double>(elements_of(run));
    rows[rank] *= references;
    for (int peer = 0; peer < run.ranks; ++peer)
      if (!placement.same_node(static_cast<int>(rank), peer)) ++far[rank];
  }
  const bool gets = run.transfer == Transfer::get;
  const auto rounds = static_cast<double>(std::bit_width(static_cast<unsigned>(run.ranks - 1)));
  std::vector<double> numbers = far;
  std::vector<double> lists = gets ? counted.sum(&pattern::RankCounts::messages_out_remote) : far;
  if (!gets)
    std::ranges::transform(numbers, numbers.begin(), [&](double ranks) { return ranks > 0 ? rounds : 0; });
  model::Formula formula{.total_equation = "(P1)",
                         .phases = {RegionName("find"), gets ? regions::wait : RegionName("counts"),
                                    gets ? regions::wait : RegionName("lists"), RegionName("places")},
                         .terms = {}};
  formula.terms = {
      {.part = "find",
       .equation = "(P1)",
       .symbol = "B_comp r_nz",
       .counted = "indices read",
       .each = "sizeof(int)",
       .bytes_each = model::sizeof_int,
       .gathering = model::Gathering::most_of_node,
       .counts = std::move(rows)},
      {.part = "find",
       .equation = "(P1)",
       .symbol = "n",
       .counted = "elements marked, a bit each, twice",
       .each = "2/8",
       .bytes_each = 2. / 8,
       .gathering = model::Gathering::most_of_node,
       .counts = std::move(bits)},
      {.part = "find",
       .equation = "(P1)",
       .symbol = "(S_local,in + S_remote,in)",
       .counted = "elements listed",
       .each = "sizeof(int)",
       .bytes_each = model::sizeof_int,
       .gathering = model::Gathering::most_of_node,
       .counts = counted.sum(&pattern::RankCounts::values_in_local, &pattern::RankCounts::values_in_remote)},
      model::RemoteTerms{"(P1)", model::Gathering::most_of_node, 1}.messages(
          gets ? "ranks on other nodes" : "ceil(log2 ranks)",
          gets ? "numbers told between nodes" : "rounds in which numbers are told", std::move(numbers)),
      {.part = "local",
       .equation = "(P1)",
       .symbol = "S_local,out",
       .counted = "elements told within the node",
       .each = "2 sizeof(int)",
       .bytes_each = 2 * model::sizeof_int,
       .gathering = model::Gathering::most_of_node,
       .phase = 2,
       .counts = counted.sum(&pattern::RankCounts::values_out_local)},
      model::RemoteTerms{"(P1)", model::Gathering::most_of_node, 2}.messages(
          gets ? "C_remote,out" : "ranks on other nodes", "lists told between nodes", std::move(lists)),
      {.part = "remote",
       .equation = "(P1)",
       .symbol = "S_remote,out",
       .counted = "elements told between nodes",
       .each = "sizeof(int)",
       .bytes_each = model::sizeof_int,
       .cost = model::Cost::remote_bytes,
       .gathering = model::Gathering::sum_of_node,
       .phase = 2,
       .counts = counted.sum(&pattern::RankCounts::values_out_remote)},
      {.part = "places",
       .equation = "(P1)",
       .symbol = "(S_local,out + S_remote,out)",
       .counted = "elements made places",
       .each = "2 sizeof(int)",
       .bytes_each = 2 * model::sizeof_int,
       .phase = 3,
       .counts =
           counted.sum(&pattern::RankCounts::values_out_local, &pattern::RankCounts::values_out_remote)}};
  return formula;
}

}  // namespace

const Policy& preparation_policy() {
  static const Preparation policy;
  return policy;
}

std::optional<Run> preparation_of(const Run& run) {
  const Policy& prepares = preparation_policy();
  if (!policy(run).needs_lists(run) || prepares.variants(pattern::pattern_kind(run)).empty())
    return std::nullopt;
  Run once = run;
  once.policy = prepares.name();
  once.policy_settings = {};
  once.transfer = run.transfer == Transfer::two_sided ? Transfer::two_sided : Transfer::get;
  once.completion = Completion::together;
  once.iterations = 1;
  return once;
}

}  // namespace finegrain::policy
