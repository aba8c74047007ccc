// SPDX-License-Identifier: MIT
#include "sim/cli/explained_run.hpp"

#include <fmt/format.h>

#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "kernels/problem/placement.hpp"
#include "sim/policy/closed_form.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"

namespace finegrain::cli {
namespace {

/// One run, taken apart.
struct Explained {
  Run run;
  problem::Placement placement;
  model::Hardware hardware;
  model::Formula formula;
};

std::string grouped(double count) {
  std::string text = fmt::format("{:.0f}", count);
  for (std::ptrdiff_t at = std::ssize(text) - 3; at > 0; at -= 3)
    text.insert(static_cast<std::size_t>(at), ",");
  return text;
}

output::Cell microseconds(double seconds) {
  return seconds * 1e6;
}

/// One rank's, shape [terms].
std::vector<double> counts_of(const model::Formula& formula, int rank) {
  std::vector<double> counts;
  for (const model::FormulaTerm& term : formula.terms)
    counts.push_back(term.counts[static_cast<std::size_t>(rank)]);
  return counts;
}

double seconds_of(const Explained& run, const std::vector<double>& counts) {
  double sum_s = 0;
  for (std::size_t term = 0; term < counts.size(); ++term)
    sum_s += term_s(run.formula.terms[term], counts[term], run.hardware);
  return sum_s;
}

/// "25 messages sent between nodes * 3.40 us"
std::string numbers_of(const model::FormulaTerm& term, double count, const model::Hardware& hardware) {
  const std::string counted = fmt::format("{} {}", grouped(count), term.counted);
  if (count == 0) return counted;
  const double bytes = term.bytes_each + term.cache_lines_each * hardware.costs.cache_line_bytes;
  if (!apiece_name(term.cost).empty())
    return fmt::format("{} * {}", counted, format_time(apiece_s(term.cost, hardware.costs)));
  return fmt::format(
      "{} * {:g} B / {}", counted, bytes,
      format_bandwidth(term.cost == model::Cost::private_bytes ? hardware.private_bandwidth_bytes_per_s
                                                               : hardware.costs.remote_bandwidth()));
}

/// One term in symbols, and below with numbers and its value.
void add_term(output::Table& table, const model::FormulaTerm& term, double count,
              const model::Hardware& hardware) {
  const auto add_line = [&](std::string equation, std::string text) {
    table.rows.push_back({std::move(equation), std::move(text), ""});
  };
  if (const std::string_view each = apiece_name(term.cost); !each.empty()) {
    add_line(term.equation, fmt::format("{}: {} * {}", term.part, term.symbol, each));
  } else {
    add_line(term.equation, fmt::format("{}: {} * each / {}", term.part, term.symbol,
                                        term.cost == model::Cost::private_bytes ? "W_private" : "W_remote"));
    add_line("", fmt::format("  each: {}", term.each));
  }
  table.rows.push_back(
      {"", "  = " + numbers_of(term, count, hardware), microseconds(term_s(term, count, hardware))});
}

output::Table steps(std::string title) {
  return {.title = std::move(title),
          .columns = {{"equation", "eq."}, {"step", "step"}, {"us", "us", 3, output::Origin::closed_form}},
          .rows = {},
          .notes = {}};
}

/// ", 2 on a core at 1.1 of its rate", where cores may hold several.
std::string on_cores(const platform::PlatformCosts& costs, std::int64_t threads_on_node) {
  if (!costs.hardware_threads) return {};
  const std::int64_t sharing = costs.hardware_threads->threads_on_core(threads_on_node);
  return fmt::format(", {} on a core at {:.3g} x its rate", sharing, costs.hardware_threads->gain(sharing));
}

output::Table table_of_machine(const Explained& run, const std::string& platform, model::ClosedForm form) {
  const platform::PlatformCosts& costs = run.hardware.costs;
  output::Table table{
      .title =
          fmt::format("{}, {} x {}, {}, {}: closed form {}", describe(run.run),
                      format_count(run.run.ranks, "rank"), format_count(run.run.threads_per_rank, "thread"),
                      format_count(run.placement.nodes(), "node"), platform, to_string(form)),
      .columns = {{"symbol", "symbol"}, {"value", "value"}, {"from", "from"}},
      .rows = {},
      .notes = {}};
  const int ranks = run.placement.most_ranks_on_a_node();
  table.rows.push_back(
      {"W_private", format_bandwidth(run.hardware.private_bandwidth_bytes_per_s),
       fmt::format("least of {} of {}{}, {} / {}",
                   format_bandwidth(rank_bandwidth_bytes_per_s(costs, ranks, run.run.threads_per_rank)),
                   format_count(run.run.threads_per_rank, "thread"),
                   on_cores(costs, std::int64_t{ranks} * run.run.threads_per_rank),
                   format_bandwidth(costs.memory_bandwidth_bytes_per_s), format_count(ranks, "rank"))});
  if (costs.remote_bandwidth_bytes_per_s)
    table.rows.push_back(
        {"W_remote", format_bandwidth(*costs.remote_bandwidth_bytes_per_s), "remote_bandwidth of a node"});
  if (costs.tau_s)
    table.rows.push_back({"tau", format_time(*costs.tau_s), "one remote access, or the start of a message"});
  table.rows.push_back({"cache line", format_size(costs.cache_line_bytes), "what a scattered access costs"});
  return table;
}

output::Table table_of_rank(const Explained& run, int rank) {
  const std::vector<double> counts = counts_of(run.formula, rank);
  output::Table table =
      steps(fmt::format("Rank {} (node {}): its own terms", rank, run.placement.node(rank)));
  for (std::size_t term = 0; term < counts.size(); ++term)
    add_term(table, run.formula.terms[term], counts[term], run.hardware);
  table.rows.push_back({"", "together", microseconds(seconds_of(run, counts))});
  return table;
}

output::Table table_of_message(const Explained& run, int rank, int peer, const std::vector<double>& counts) {
  output::Table table = steps(fmt::format("What rank {} {} rank {} ({} node)", rank,
                                          run.formula.counts_sent ? "sends to" : "gets of", peer,
                                          run.placement.same_node(rank, peer) ? "the same" : "another"));
  for (std::size_t term = 0; term < counts.size(); ++term)
    if (counts[term] > 0) add_term(table, run.formula.terms[term], counts[term], run.hardware);
  table.rows.push_back({"", "together", microseconds(seconds_of(run, counts))});
  return table;
}

std::string gathering_text(const model::FormulaTerm& term, const model::Prediction& total) {
  const std::string_view word = apiece_name(term.cost);
  const std::string unit = !word.empty()                            ? fmt::format(", {}", word)
                           : term.cost == model::Cost::remote_bytes ? ", bytes"
                                                                    : "";
  const std::string what = term.part + unit;
  switch (term.gathering) {
    case model::Gathering::most_of_node:
      return fmt::format("node {}: the largest {} of its ranks", total.node, what);
    case model::Gathering::sum_of_node:
      return fmt::format("node {}: the sum of its ranks' {}", total.node, what);
    case model::Gathering::ranks_times_most_of_node:
      return fmt::format("node {}: its ranks times the largest {}", total.node, what);
    case model::Gathering::of_rank:
      return fmt::format("rank {}: {}", total.rank, what);
  }
  return what;
}

output::Table table_of_total(const Explained& run) {
  const model::Prediction prediction = evaluate(run.formula, run.placement, run.hardware);
  output::Table table = steps("The total: the slowest node's terms, then the slowest rank's");
  for (std::size_t t = 0; t < run.formula.terms.size(); ++t) {
    const model::FormulaTerm& term = run.formula.terms[t];
    table.rows.push_back(
        {term.equation, gathering_text(term, prediction), microseconds(prediction.terms_s[t])});
  }
  table.rows.push_back(
      {run.formula.total_equation, "total, of one iteration", microseconds(prediction.total_s)});
  return table;
}

int checked_rank(int rank, const Run& run, std::string_view flag) {
  if (rank >= 0 && rank < run.ranks) return rank;
  throw InputError(flag, fmt::format("there is no rank {} (ranks are 0 to {})", rank, run.ranks - 1),
                   "Name another");
}

int slowest_rank(const Explained& run) {
  int slowest = 0;
  double most_s = 0;
  for (int rank = 0; rank < run.run.ranks; ++rank) {
    const double rank_s = seconds_of(run, counts_of(run.formula, rank));
    if (rank_s <= most_s) continue;
    most_s = rank_s;
    slowest = rank;
  }
  return slowest;
}

}  // namespace

std::vector<output::Table> explained_run(const answer::Answer& answer, model::ClosedForm form,
                                         const ExplainedRank& shown) {
  const Run& run = answer.run();
  if (!policy::has_closed_form(run))
    throw InputError("policy", fmt::format("{} has no closed form (docs/model.md)", run.policy),
                     "Explain another policy");
  const problem::Placement& placement = *answer.question.job.placement;
  const platform::Platform& platform = *answer.question.job.platform;
  const std::span<const pattern::RankCounts> counts = answer.question.counts;
  const Explained explained{run, placement, model::hardware_of(run, placement, platform.costs),
                            policy::formula_of(run, counts, form, placement)};
  const int rank = shown.rank ? checked_rank(*shown.rank, run, "--rank") : slowest_rank(explained);

  std::vector<output::Table> tables = {table_of_machine(explained, platform.name, form),
                                       table_of_rank(explained, rank)};
  tables.front().name = "machine";
  tables.back().name = "rank";
  // With the rank that it costs most to communicate with, unless one is named.
  std::optional<int> peer;
  if (shown.to) peer = checked_rank(*shown.to, run, "--to");
  std::vector<double> with_peer;
  for (int other = 0; other < run.ranks; ++other) {
    if (other == rank || (shown.to && other != *shown.to)) continue;
    std::vector<double> between = policy::counts_with_peer(run, counts, form, placement, rank, other);
    if (!with_peer.empty() && seconds_of(explained, between) <= seconds_of(explained, with_peer)) continue;
    peer = other;
    with_peer = std::move(between);
  }
  const bool any = !with_peer.empty() && seconds_of(explained, with_peer) > 0;
  if (shown.to && !any)
    throw InputError("--to", fmt::format("rank {} has no message with rank {}", rank, *shown.to),
                     "Leave --to out");
  if (any) tables.emplace_back(table_of_message(explained, rank, *peer, with_peer)).name = "message";
  tables.emplace_back(table_of_total(explained)).name = "total";
  return tables;
}

}  // namespace finegrain::cli
