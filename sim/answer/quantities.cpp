// SPDX-License-Identifier: MIT
#include "sim/answer/quantities.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cassert>
#include <functional>

#include "kernels/problem/placement.hpp"
#include "sim/answer/interval.hpp"
#include "sim/answer/waits.hpp"
#include "sim/graph/traffic.hpp"

namespace finegrain::answer {
namespace {

output::Cell cell(std::optional<double> number) {
  return number ? output::Cell(*number) : output::Cell();
}

std::optional<double> closed_form_s(const Answer& answer) {
  if (!answer.closed_form) return std::nullopt;
  return static_cast<double>(answer.run().iterations) * answer.closed_form->total_s;
}

/// The mean over the ranks of what a schedule sends in an iteration.
std::optional<double> messages_per_rank(const Answer& answer) {
  const Schedule& schedule = *answer.question.job.schedule;
  if (answer.question.job.programs != nullptr || schedule.ranks.empty()) return std::nullopt;
  std::size_t sent = 0;
  for (const Body& rank : schedule.ranks)
    for_each_post(rank.operations,
                  [&](const Post& post) { sent += post.kind != TransferKind::receive ? 1 : 0; });
  return static_cast<double>(sent) / static_cast<double>(schedule.ranks.size());
}

/// Something of the simulation; nothing where there is none.
template <auto Member>
output::Cell of_simulation(const Answer& answer) {
  return answer.simulated ? output::Cell((*answer.simulated).*Member) : output::Cell();
}

/// Something of the simulated energy and time; nothing where the platform does not say its powers.
output::Cell of_energy(const Answer& answer, const auto& value) {
  if (!answer.simulated || !answer.simulated->energy) return {};
  return cell(value(*answer.simulated->energy, answer.simulated->total_s));
}

/// Nothing of a recorded program, whose iterations are not known, and of a run without a schedule.
output::Cell bytes_between_nodes(const Answer& answer) {
  const replay::ReplayJob& job = answer.question.job;
  if (job.programs != nullptr || job.schedule->ranks.empty()) return {};
  std::int64_t bytes = 0;
  for (const graph::RankTraffic& rank : graph::traffic_of(*job.schedule, *job.placement))
    bytes += rank.out_remote.bytes;
  return bytes;
}

/// What the ranks wait for, the mean of them. Nothing where it is not known.
output::Cell of_waits(const Answer& answer, const auto& seconds) {
  if (!answer.simulated || !knows_waits(answer)) return {};
  replay::Waits sum;
  for (const replay::RankReplay& rank : answer.simulated->ranks)
    sum.add(rank.waits.sum());
  return seconds(sum) / static_cast<double>(answer.simulated->ranks.size());
}

/// An end of the interval; nothing where it is not known.
template <auto Member>
output::Cell of_interval(const Answer& answer) {
  const std::optional<Interval> interval = interval_of(answer);
  return interval ? output::Cell((*interval).*Member) : output::Cell();
}

/// A time of a job that runs beside others; nothing for one that has the machine to itself.
template <auto Member>
output::Cell of_shared(const Answer& answer) {
  return answer.beside_others ? output::Cell((*answer.beside_others).*Member) : output::Cell();
}

const Quantity all_quantities[] = {
    {{"platform", "platform"},
     output::Origin::given,
     WhereEmpty::shown,
     [](const Answer& answer) -> output::Cell {
       const platform::Platform* const platform = answer.question.job.platform;
       return platform != nullptr ? platform->name : std::string("as recorded");
     },
     "the machine, by the name of its platform file"},
    {{"nodes", "nodes"},
     output::Origin::given,
     WhereEmpty::shown,
     [](const Answer& answer) -> output::Cell {
       return std::int64_t{answer.question.job.placement->nodes()};
     },
     "nodes that hold ranks"},
    {{"ranks", "ranks"},
     output::Origin::given,
     WhereEmpty::shown,
     [](const Answer& answer) -> output::Cell { return std::int64_t{answer.run().ranks}; },
     "ranks of the run"},
    {{"block_size", "BLOCKSIZE"},
     output::Origin::given,
     WhereEmpty::shown,
     [](const Answer& answer) -> output::Cell {
       const Settings& settings = answer.run().problem.settings;
       const auto block_size = settings.find("blocksize");
       return block_size == settings.end() ? output::Cell() : std::get<std::int64_t>(block_size->second);
     },
     "elements of a block, all of which one rank owns"},
    {{"measured_s", "measured"},
     output::Origin::measured,
     WhereEmpty::shown,
     [](const Answer& answer) { return cell(answer.question.measured_s); },
     "seconds of the whole run, where it was recorded"},
    {{"simulated_s", "simulated"},
     output::Origin::simulated,
     WhereEmpty::shown,
     [](const Answer& answer) { return of_simulation<&replay::ReplayResult::total_s>(answer); },
     "seconds from the start to the end of the last rank"},
    {{"closed_form_s", "closed form"},
     output::Origin::closed_form,
     WhereEmpty::shown,
     [](const Answer& answer) { return cell(closed_form_s(answer)); },
     "seconds of all iterations, by the papers' equations"},
    {{"simulated_over_closed_form", "sim./c.f.", 2},
     output::Origin::simulated,
     WhereEmpty::shown,
     [](const Answer& answer) -> output::Cell {
       const std::optional<double> predicted_s = closed_form_s(answer);
       if (!answer.simulated || !predicted_s) return {};
       return answer.simulated->total_s / *predicted_s;
     },
     "simulated seconds for each second of the closed form"},
    {{"simulated_iterations", "iterations"},
     output::Origin::simulated,
     WhereEmpty::shown,
     [](const Answer& answer) { return of_simulation<&replay::ReplayResult::simulated_iterations>(answer); },
     "iterations that were simulated; the others repeat them"},
    {{"repeat_change", "change", 7},
     output::Origin::simulated,
     WhereEmpty::shown,
     [](const Answer& answer) { return of_simulation<&replay::ReplayResult::repeat_change>(answer); },
     "how much the period of these iterations differs from the one before"},
    {{"flows", "flows"},
     output::Origin::simulated,
     WhereEmpty::shown,
     [](const Answer& answer) { return of_simulation<&replay::ReplayResult::flows>(answer); },
     "transfers that went through the network's model"},
    {{"energy_j", "energy J", 3},
     output::Origin::simulated,
     WhereEmpty::left_out,
     [](const Answer& answer) {
       return of_energy(answer, [](const replay::Energy& energy, double) { return energy.total_j; });
     },
     "joules of the run"},
    {{"idle_j", "of it idle", 3},
     output::Origin::simulated,
     WhereEmpty::left_out,
     [](const Answer& answer) {
       return of_energy(answer, [](const replay::Energy& energy, double) { return energy.idle_j; });
     },
     "joules that the nodes would have drawn without any work"},
    {{"mean_w", "mean W", 1},
     output::Origin::simulated,
     WhereEmpty::left_out,
     [](const Answer& answer) {
       return of_energy(answer, [](const replay::Energy& energy, double total_s) {
         return total_s > 0 ? std::optional(energy.total_j / total_s) : std::nullopt;
       });
     },
     "mean power in watts"},
    {{"j_per_iteration", "J/iteration", 6},
     output::Origin::simulated,
     WhereEmpty::left_out,
     [](const Answer& answer) {
       return of_energy(answer, [&](const replay::Energy& energy, double) {
         return has_pattern(answer.run()) ? std::optional(energy.total_j / answer.iterations())
                                          : std::nullopt;
       });
     },
     "joules of an iteration"},
    {{"energy_delay_js", "J x s", 3},
     output::Origin::simulated,
     WhereEmpty::left_out,
     [](const Answer& answer) {
       return of_energy(
           answer, [](const replay::Energy& energy, double total_s) { return energy.total_j * total_s; });
     },
     "joules times seconds"},
    {{"ranks_per_node", "ranks/node"},
     output::Origin::given,
     WhereEmpty::shown,
     [](const Answer& answer) -> output::Cell {
       return std::int64_t{std::min(answer.run().ranks, answer.run().ranks_per_node)};
     },
     "the most ranks that a node holds"},
    {{"bytes_between_nodes", "bytes between nodes"},
     output::Origin::given,
     WhereEmpty::left_out,
     bytes_between_nodes,
     "bytes that ranks send to ranks of other nodes in an iteration"},
    {{"late_s", "late partners"},
     output::Origin::simulated,
     WhereEmpty::left_out,
     [](const Answer& answer) { return of_waits(answer, std::mem_fn(&replay::Waits::late_s)); },
     "of the simulated seconds, what a rank waits until partners have come, the mean of all ranks"},
    {{"messages_per_rank", "messages/rank", 2},
     output::Origin::given,
     WhereEmpty::left_out,
     [](const Answer& answer) { return cell(messages_per_rank(answer)); },
     "messages that a rank sends in an iteration, the mean of all ranks"},
    {{"start_s", "start", 6},
     output::Origin::given,
     WhereEmpty::left_out,
     [](const Answer& answer) {
       const replay::SharedJob* const shared = answer.question.shared;
       return shared != nullptr ? output::Cell(shared->start_s) : output::Cell();
     },
     "seconds after which a job begins, where several share the machine"},
    {{"alone_s", "alone", 6},
     output::Origin::simulated,
     WhereEmpty::left_out,
     [](const Answer& answer) { return of_shared<&replay::SharedJobTimes::alone_s>(answer); },
     "seconds of a job on its nodes without the other jobs"},
    {{"together_s", "together", 6},
     output::Origin::simulated,
     WhereEmpty::left_out,
     [](const Answer& answer) { return of_shared<&replay::SharedJobTimes::together_s>(answer); },
     "seconds of a job while the other jobs run on theirs"},
    {{"slow_down", "slow-down", 3},
     output::Origin::simulated,
     WhereEmpty::shown,
     [](const Answer& answer) {
       return answer.beside_others ? cell(answer.beside_others->slow_down()) : output::Cell();
     },
     "seconds of a job beside the others for each second alone"},
    {{"simulated_low_s", "low"},
     output::Origin::simulated,
     WhereEmpty::left_out,
     of_interval<&Interval::low_s>,
     "seconds below which the true time lies in 5 of 100 cases",
     "simulated_s"},
    {{"simulated_high_s", "high"},
     output::Origin::simulated,
     WhereEmpty::left_out,
     of_interval<&Interval::high_s>,
     "seconds above which the true time lies in 5 of 100 cases",
     "simulated_s"},
};

constexpr std::string_view names_of_compared_totals[] = {"platform",
                                                         "nodes",
                                                         "ranks",
                                                         "measured_s",
                                                         "simulated_s",
                                                         "closed_form_s",
                                                         "simulated_over_closed_form",
                                                         "energy_j",
                                                         "idle_j",
                                                         "mean_w",
                                                         "j_per_iteration",
                                                         "energy_delay_js",
                                                         "ranks_per_node",
                                                         "bytes_between_nodes",
                                                         "late_s",
                                                         "simulated_low_s",
                                                         "simulated_high_s"};

/// Why an answer lacks a quantity.
std::string reason_of(const Answer& answer, const Quantity& quantity) {
  const Run& run = answer.run();
  const bool is_ratio = quantity.column.key == "simulated_over_closed_form" && answer.simulated;
  switch (is_ratio ? output::Origin::closed_form : quantity.origin) {
    case output::Origin::given:
      return has_pattern(run) ? "the run has none" : "the iterations of a recorded program are not known";
    case output::Origin::measured:
      return answer.question.not_measured.empty() ? "nobody ran this" : answer.question.not_measured;
    case output::Origin::simulated:
      if (answer.beside_others) return "the run takes no time";
      if (!answer.simulated) return "it was not simulated";
      if (quantity.column.key == "late_s") return "with one flow a message, it is not known";
      if (!answer.simulated->energy) return "the platform does not say its powers";
      return has_pattern(run) ? "the run takes no time"
                              : "the iterations of a recorded program are not known";
    case output::Origin::closed_form:
      if (!has_pattern(run)) return "the program is not one of finegrain's patterns";
      if (!answer.question.closed_form) return "it was not asked for";
      return policy::has_closed_form(run) ? "the equations need counts of the problem"
                                          : fmt::format("{} has no equations", run.policy);
  }
  return {};
}

/// Why rows lack a quantity, each reason once; empty where all have it.
std::string reasons_of(std::span<const Answer> answers, const std::vector<output::Cell>& cells,
                       const Quantity& quantity) {
  std::vector<std::string> reasons;
  for (std::size_t row = 0; row < cells.size(); ++row) {
    if (cells[row] != output::Cell()) continue;
    const bool is_as_recorded = answers[row].question.job.platform == nullptr;
    if (is_as_recorded && quantity.origin != output::Origin::measured) continue;
    std::string reason = reason_of(answers[row], quantity);
    if (std::ranges::find(reasons, reason) == reasons.end()) reasons.push_back(std::move(reason));
  }
  return fmt::format("{}", fmt::join(reasons, "; "));
}

}  // namespace

std::span<const Quantity> quantities() {
  return all_quantities;
}

const Quantity& quantity(std::string_view name) {
  const auto found = std::ranges::find(
      all_quantities, name, [](const Quantity& one) -> std::string_view { return one.column.key; });
  assert(found != std::end(all_quantities));
  return *found;
}

output::Column column_of(const Quantity& quantity) {
  output::Column column = quantity.column;
  column.origin = quantity.origin;
  column.help = quantity.help;
  column.interval_of = quantity.interval_of;
  return column;
}

std::span<const std::string_view> compared_totals() {
  return names_of_compared_totals;
}

std::optional<double> number_of(const Answer& answer, std::string_view name) {
  const output::Cell value = quantity(name).value(answer);
  if (const auto* count = std::get_if<std::int64_t>(&value)) return static_cast<double>(*count);
  const auto* number = std::get_if<double>(&value);
  return number != nullptr ? std::optional(*number) : std::nullopt;
}

output::Table table_of(std::span<const Answer> answers, std::span<const std::string_view> names) {
  output::Table table;
  table.rows.resize(answers.size());
  for (const std::string_view name : names) {
    const Quantity& shown = quantity(name);
    std::vector<output::Cell> cells;
    for (const Answer& answer : answers)
      cells.push_back(shown.value(answer));
    output::Column column = column_of(shown);
    column.absent = reasons_of(answers, cells, shown);
    const bool any =
        std::ranges::any_of(cells, [](const output::Cell& one) { return one != output::Cell(); });
    if (!any && shown.where_empty == WhereEmpty::left_out) {
      table.left_out.push_back(std::move(column));
      continue;
    }
    table.columns.push_back(std::move(column));
    for (std::size_t row = 0; row < cells.size(); ++row)
      table.rows[row].push_back(std::move(cells[row]));
  }
  return table;
}

}  // namespace finegrain::answer
