// SPDX-License-Identifier: MIT
//
// Policy "inspector": inspector and executor, as the XLUPC compiler makes them of a loop with single accesses
// (Alvanos et al. 2016). The loop is cut into windows of a given number of iterations. For each window, the
// inspector finds which elements are accessed. They are fetched in one message from each owner, each element
// once. Then the executor does the window's work and finds each element in a sorted buffer. All of this is in
// the phase `compute`, as with "individual". The steps for one window:
//
//     get        together    inspect, get, wait, execute, put, wait
//     get        overlapped  inspect, get, execute the window before, put, wait
//
// A wait is only there if something was posted. Departures from the paper are in docs/inspector.md.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <optional>
#include <utility>

#include "sim/model/terms.hpp"
#include "sim/pattern/memory_bytes.hpp"
#include "sim/policy/access_windows.hpp"
#include "sim/policy/counted.hpp"
#include "sim/policy/policy.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::policy {
namespace {

/// A put carries an address with the value of each written element: the place where it goes.
constexpr std::int64_t address_bytes = 8;

/// Comparisons of a binary search among this many sorted elements: log2, rounded up.
std::int64_t search_steps(std::int64_t elements) {
  return elements < 2 ? 0
                      : static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(elements - 1)));
}

/// The settings of a run.
struct Inspector {
  explicit Inspector(const Run& run)
      : window(std::get<std::int64_t>(setting_of(run, "window"))),
        form(std::get<std::string>(setting_of(run, "form"))),
        checks_inline(std::get<std::string>(setting_of(run, "inline-checks")) == "yes") {}

  /// The references of a window that go through the runtime.
  std::int64_t tracked(const AccessWindow& of) const { return checks_inline ? of.foreign : of.references; }

  Work inspect_work(const AccessWindow& of) const {
    if (form == "compact") return {.calls = 1};
    return {.memory_bytes = of.references * pattern::index_bytes,
            .calls = form == "calls" ? tracked(of) : 1,
            .steps = of.elements * search_steps(of.elements)};
  }
  /// Adds to the executor's work what it costs to find each element again.
  void add_dereferences(const AccessWindow& of, Work& work) const {
    if (form == "compact") return;
    work.calls += tracked(of);
    work.steps += of.foreign * search_steps(of.elements);
  }

  std::int64_t window;
  std::string form;
  bool checks_inline;
};

void check_form(const Inspector& inspector, const pattern::Pattern& pattern) {
  if (inspector.form != "compact" || pattern.is_regular()) return;
  throw InputError("form",
                   fmt::format("form compact needs places that follow from the iteration, and those of {} do "
                               "not",
                               pattern.name()),
                   "Use vector or calls");
}

/// Writes the body of one rank, window after window.
class InspectorWriter {
 public:
  InspectorWriter(const pattern::Pattern& pattern, const Run& run, const Inspector& inspector, int rank)
      : pattern_(pattern),
        run_(run),
        inspector_(inspector),
        rank_(rank),
        overlapped_(run.completion == Completion::overlapped) {
    begin_stage();
  }

  void add(const AccessWindow& window) {
    finish_stages_until(window.stage);
    body_.add(inspector_.inspect_work(window));
    for (const pattern::PeerBytes& read : window.reads)
      post(TransferKind::get, read.peer, read.size_bytes);
    Fetched fetched{window, work_of(window)};
    if (overlapped_) {
      if (fetched_) execute(*fetched_);
      fetched_ = std::move(fetched);
      wait();
    } else {
      wait();
      execute(fetched);
      wait();
    }
  }

  Body take() {
    finish_stages_until(pattern_.stages(run_));
    return std::move(body_);
  }

 private:
  struct Fetched {
    AccessWindow window;
    Work work;
  };

  void begin_stage() {
    body_.begin_region(regions::compute);
    stage_work_ = pattern_.work(run_, rank_, stage_);
  }

  Work work_of(const AccessWindow& window) const {
    Work work{.memory_bytes = window.share_of(stage_work_.memory_bytes),
              .scattered_stores = window.share_of(stage_work_.scattered_stores),
              .copied_bytes = window.share_of(stage_work_.copied_bytes)};
    inspector_.add_dereferences(window, work);
    return work;
  }

  void execute(const Fetched& of) {
    body_.add(of.work);
    for (std::size_t i = 0; i < of.window.writes.size(); ++i)
      post(TransferKind::put, of.window.writes[i].peer,
           of.window.writes[i].size_bytes + of.window.written[i] * address_bytes);
  }

  void post(TransferKind kind, std::int32_t peer, std::int64_t size_bytes) {
    body_.add(Post{.kind = kind,
                   .private_memory = pattern_.uses_private_memory(),
                   .peer = peer,
                   .size_bytes = size_bytes});
    is_waited_for_ = false;
  }
  void wait() {
    if (!std::exchange(is_waited_for_, true)) body_.add(Complete::all());
  }

  void finish_stages_until(int stage) {
    while (stage_ < stage) {
      if (fetched_) execute(*std::exchange(fetched_, std::nullopt));
      wait();
      add_fences(body_, pattern_);
      if (++stage_ < pattern_.stages(run_)) begin_stage();
    }
  }

  const pattern::Pattern& pattern_;
  const Run& run_;
  const Inspector& inspector_;
  int rank_;
  bool overlapped_;
  int stage_ = 0;
  Work stage_work_;
  bool is_waited_for_ = true;       ///< whether all that was posted is complete
  std::optional<Fetched> fetched_;  ///< the window that is fetched and not yet executed
  Body body_;
};

class InspectorPolicy : public Policy {
 public:
  std::string name() const override { return "inspector"; }
  std::string help() const override { return "inspector and executor over windows of iterations"; }
  int order() const override { return 6; }

  std::vector<Variant> variants(const pattern::PatternKind& kind) const override {
    if (!kind.has_accesses()) return {};
    return {{name(), Transfer::get, Completion::together}, {name(), Transfer::get, Completion::overlapped}};
  }

  std::vector<pattern::Parameter> parameters() const override {
    return {
        {.name = "window",
         .label = "window",
         .help = "Inspector: how many iterations are inspected and fetched at once (the paper's prefetch "
                 "factor; SpMV: rows). Default: 512",
         .is_axis = true,
         .usual = std::int64_t{512}},
        {.name = "form",
         .label = "form",
         .help =
             "Inspector: how the program tells the runtime its references: one call for each (calls), one "
             "for each window (vector), or one that describes regular references (compact). Default: vector",
         .words = {"calls", "vector", "compact"},
         .is_axis = true,
         .usual = std::string("vector")},
        {.name = "inline-checks",
         .label = "inline checks",
         .help = "Inspector: whether the program itself recognizes its own elements, for which it then makes "
                 "no calls (yes, no). Default: yes",
         .words = {"yes", "no"},
         .is_axis = true,
         .usual = std::string("yes")}};
  }

  std::vector<Body> programs(const pattern::Pattern& pattern, const Run& run,
                             std::span<const pattern::RankCounts> /*counts*/) const override {
    const Inspector inspector(run);
    check_form(inspector, pattern);
    std::vector<InspectorWriter> writers;
    for (int rank = 0; rank < run.ranks; ++rank)
      writers.emplace_back(pattern, run, inspector, rank);
    for_each_window(pattern, run, inspector.window, [&](const AccessWindow& window) {
      writers[static_cast<std::size_t>(window.rank)].add(window);
    });
    std::vector<Body> bodies;
    for (InspectorWriter& writer : writers)
      bodies.push_back(writer.take());
    return bodies;
  }

  bool has_own_counts() const override { return true; }
  void add_counts(const pattern::Pattern& pattern, const Run& run,
                  std::vector<pattern::RankCounts>& counts) const override {
    const Inspector inspector(run);
    check_form(inspector, pattern);
    for (pattern::RankCounts& rank : counts) {
      rank.inspected_bytes = rank.calls = rank.steps = 0;
      for (pattern::PeerCounts& need : rank.needs)
        need.fetches = need.fetched_bytes = 0;
    }
    for_each_window(pattern, run, inspector.window, [&](const AccessWindow& window) {
      pattern::RankCounts& rank = counts[static_cast<std::size_t>(window.rank)];
      Work work = inspector.inspect_work(window);
      rank.inspected_bytes += work.memory_bytes;
      inspector.add_dereferences(window, work);
      rank.calls += work.calls;
      rank.steps += work.steps;
      for (const auto& [peer, size_bytes, node_bytes] : window.reads) {
        const auto need = std::ranges::lower_bound(rank.needs, peer, {}, &pattern::PeerCounts::peer);
        assert(need != rank.needs.end() && need->peer == peer);
        ++need->fetches;
        need->fetched_bytes += size_bytes;
      }
    });
  }

  /// The most that a window can need: an element and its address for each reference; twice as much if the
  /// next window is fetched meanwhile.
  std::vector<pattern::MemoryUse> memory(const Run& run,
                                         std::span<const pattern::RankCounts> /*counts*/) const override {
    const pattern::PatternKind& kind = pattern::pattern_kind(run);
    const std::int64_t window = Inspector(run).window;
    const std::int64_t windows = run.completion == Completion::overlapped ? 2 : 1;
    pattern::MemoryUse buffers{"buffers of windows", kind.elements_of_ranks(run)};
    for (std::int64_t& of_rank : buffers.ranks_bytes)
      of_rank = windows * std::min(window, of_rank) * kind.element_work(run.problem).references *
                (pattern::double_bytes + address_bytes);
    return {buffers};
  }
  bool has_formula() const override { return true; }
  model::Formula formula(const Run& run, std::span<const pattern::RankCounts> counts, model::ClosedForm form,
                         const problem::Placement& placement) const override;
  model::Formula formula_between(const Run& run, std::span<const pattern::RankCounts> counts,
                                 model::ClosedForm form, const problem::Placement& placement, int rank,
                                 int peer) const override;
  std::string formula_gap(const Run& /*run*/) const override {
    return "closed form: not in a paper: (I1) of docs/inspector.md";
  }

  KernelBinary kernel(const Run& run) const override {
    return {run.problem.pattern + "_inspector_upcxx",
            {"--completion", std::string(to_string(run.completion))},
            true};
  }
};

/// What (I1) counts of one rank.
struct InspectorCharge {
  double inspected_values = 0;  ///< indices that the inspector reads
  double calls = 0;
  double steps = 0;
  double local = 0;     ///< values fetched within the node
  double remote = 0;    ///< values fetched from other nodes
  double messages = 0;  ///< from other nodes
};

void add_to_charge(InspectorCharge& rank, const pattern::PeerCounts& need, bool is_local) {
  const double values = static_cast<double>(need.fetched_bytes) / model::sizeof_double;
  (is_local ? rank.local : rank.remote) += values;
  if (!is_local) rank.messages += static_cast<double>(need.fetches);
}

/// (I1): the slowest rank, which inspects, fetches and executes one window after the other. Overlap is not in
/// the equation. Everything is charged to `compute`, where the program does it.
model::Formula inspector_formula(const Counted& counted, std::span<const InspectorCharge> ranks) {
  const auto of_ranks = [&](double InspectorCharge::*member) { return model::counts_of(ranks, member); };
  const model::RemoteTerms remote{"(I1)"};
  return {
      .total_equation = "(I1)",
      .phases = {regions::compute},
      .terms = {
          {.part = "inspect",
           .equation = "(I1)",
           .symbol = "R",
           .counted = "indices inspected",
           .each = "sizeof(int)",
           .bytes_each = model::sizeof_int,
           .counts = of_ranks(&InspectorCharge::inspected_values)},
          {.part = "inspect",
           .equation = "(I1)",
           .symbol = "C_calls",
           .counted = "calls of the runtime, to add and to find elements",
           .cost = model::Cost::call,
           .counts = of_ranks(&InspectorCharge::calls)},
          {.part = "inspect",
           .equation = "(I1)",
           .symbol = "C_steps",
           .counted = "steps of sorting and searching",
           .cost = model::Cost::search_step,
           .counts = of_ranks(&InspectorCharge::steps)},
          {.part = "local",
           .equation = "(I1)",
           .symbol = "U_local",
           .counted = "values fetched within the node",
           .each = "2 sizeof(double)",
           .bytes_each = 2 * model::sizeof_double,
           .counts = of_ranks(&InspectorCharge::local)},
          remote.messages("C_remote", "messages from other nodes", of_ranks(&InspectorCharge::messages)),
          remote.values("U_remote", "values fetched from other nodes", of_ranks(&InspectorCharge::remote)),
          counted.compute(0, model::Gathering::of_rank)}};
}

model::Formula InspectorPolicy::formula(const Run& run, std::span<const pattern::RankCounts> counts,
                                        model::ClosedForm form, const problem::Placement& placement) const {
  std::vector<InspectorCharge> ranks;
  for (std::size_t rank = 0; rank < counts.size(); ++rank) {
    const pattern::RankCounts& own = counts[rank];
    InspectorCharge& charged = ranks.emplace_back(
        InspectorCharge{.inspected_values = static_cast<double>(own.inspected_bytes) / model::sizeof_int,
                        .calls = static_cast<double>(own.calls),
                        .steps = static_cast<double>(own.steps)});
    for (const pattern::PeerCounts& need : own.needs)
      add_to_charge(charged, need, placement.same_node(static_cast<int>(rank), need.peer));
  }
  return inspector_formula(Counted(run, counts, form), ranks);
}

model::Formula InspectorPolicy::formula_between(const Run& run, std::span<const pattern::RankCounts> counts,
                                                model::ClosedForm form, const problem::Placement& placement,
                                                int rank, int peer) const {
  InspectorCharge between;
  for (const pattern::PeerCounts& need : counts[static_cast<std::size_t>(rank)].needs)
    if (need.peer == peer) add_to_charge(between, need, placement.same_node(rank, peer));
  const pattern::RankCounts nothing;
  return inspector_formula(Counted(run, {&nothing, 1}, form), {&between, 1});
}

}  // namespace

const Policy& inspector_policy() {
  static const InspectorPolicy policy;
  return policy;
}

}  // namespace finegrain::policy
