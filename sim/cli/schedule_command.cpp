// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <memory>
#include <numeric>
#include <optional>

#include "kernels/problem/distribution.hpp"
#include "kernels/problem/heat_grid.hpp"
#include "kernels/problem/placement.hpp"
#include "sim/cli/answer.hpp"
#include "sim/cli/commands.hpp"
#include "sim/cli/workload.hpp"
#include "sim/graph/incoming_bytes.hpp"
#include "sim/graph/traffic.hpp"
#include "sim/output/table.hpp"
#include "sim/policy/idle_ranks.hpp"
#include "sim/policy/memory.hpp"
#include "sim/replay/replay.hpp"
#include "sim/study/axis_values.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"

namespace finegrain::cli {
namespace {

/// Above this many ranks a person is shown the spread over the ranks instead of every one.
constexpr std::size_t most_ranks_shown = 32;

struct ScheduleFlags {
  WorkloadOptions workload;
  std::optional<int> rank;
  bool memory = false;
  std::vector<std::string> by_rank;  ///< policies, or BLOCKSIZEs
  std::string format = "table";
};

/// A schedule and where its ranks run.
struct Placed {
  Schedule schedule;
  problem::Placement placement;
};

std::string title_of(const Schedule& schedule) {
  const Run& run = schedule.run;
  std::string title =
      fmt::format("{}: {}, {} per node", describe(run), format_count(run.ranks, "rank"), run.ranks_per_node);
  for (const pattern::Parameter& parameter : pattern::pattern_kind(run).parameters())
    if (parameter.is_axis)
      title += fmt::format(", {} {}", parameter.label, number_of(run.problem, parameter.name, 1));
  for (const auto& setting : policy::settings_of(run))
    std::visit([&](const auto& given) { title += fmt::format(", {} {}", setting.first, given); },
               setting.second);
  return title;
}

/// A row a rank: the columns "ranks" and "rank", and then one a quantity.
output::Table table_of_ranks(const Placed& placed) {
  const auto& [schedule, placement] = placed;
  output::Table table;
  table.columns = {{"ranks", "ranks"},
                   {"rank", "rank"},
                   {"elements", "elements"},
                   {"messages_in_local", "messages in, local"},
                   {"messages_in_remote", "messages in, remote"},
                   {"messages_out_local", "messages out, local"},
                   {"messages_out_remote", "messages out, remote"},
                   {"bytes_in_local", "bytes in, local"},
                   {"bytes_in_remote", "bytes in, remote"},
                   {"bytes_out_local", "bytes out, local"},
                   {"bytes_out_remote", "bytes out, remote"}};
  const auto elements = pattern::pattern_kind(schedule.run).elements_of_ranks(schedule.run);
  const auto traffic = graph::traffic_of(schedule, placement);
  for (std::size_t rank = 0; rank < traffic.size(); ++rank) {
    const graph::RankTraffic& t = traffic[rank];
    table.rows.push_back({std::int64_t{schedule.run.ranks}, static_cast<std::int64_t>(rank), elements[rank],
                          t.in_local.messages, t.in_remote.messages, t.out_local.messages,
                          t.out_remote.messages, t.in_local.bytes, t.in_remote.bytes, t.out_local.bytes,
                          t.out_remote.bytes});
  }
  return table;
}

constexpr std::size_t rank_column = 1;
constexpr std::size_t first_quantity = 2;
constexpr std::size_t first_messages_column = 3;
constexpr std::size_t first_bytes_column = 7;

/// Messages or bytes of every rank, narrow enough for a terminal.
output::Table part_of(const output::Table& ranks, std::size_t first_column, const std::string& title) {
  output::Table part;
  part.title = title;
  part.columns = {{"rank", "rank"},
                  {"elements", "elements"},
                  {"in_local", "in, local"},
                  {"in_remote", "in, remote"},
                  {"out_local", "out, local"},
                  {"out_remote", "out, remote"}};
  for (const auto& row : ranks.rows) {
    part.rows.push_back({row[rank_column], row[first_quantity], row[first_column], row[first_column + 1],
                         row[first_column + 2], row[first_column + 3]});
  }
  return part;
}

/// A row a quantity: its spread over the ranks.
output::Table spread_of(const output::Table& ranks, const std::string& title) {
  output::Table spread;
  spread.title = title;
  spread.columns = {{"quantity", "of a rank"},
                    {"min", "min"},
                    {"median", "median"},
                    {"max", "max"},
                    {"total", "all ranks"}};
  for (std::size_t column = first_quantity; column < ranks.columns.size(); ++column) {
    std::vector<std::int64_t> values;
    std::int64_t total = 0;
    for (const auto& row : ranks.rows) {
      values.push_back(std::get<std::int64_t>(row[column]));
      total += values.back();
    }
    std::sort(values.begin(), values.end());
    spread.rows.push_back({ranks.columns[column].heading, values.front(), values[(values.size() - 1) / 2],
                           values.back(), total});
  }
  return spread;
}

const char* where(const problem::Placement& placement, int rank, int peer) {
  if (rank == peer) return "own";
  return placement.same_node(rank, peer) ? "local" : "remote";
}

/// A row a phase and a row a message, in program order.
output::Table table_of_rank(const Placed& placed, int rank) {
  const Schedule& schedule = placed.schedule;
  const problem::Placement& placement = placed.placement;
  if (rank < 0 || rank >= schedule.run.ranks) {
    throw InputError("--rank",
                     fmt::format("{} is not one of {}", rank, format_count(schedule.run.ranks, "rank")),
                     fmt::format("Give 0 to {}", schedule.run.ranks - 1));
  }
  output::Table table;
  table.columns = {
      {"ranks", "ranks"},     {"step", "step"}, {"phase", "phase"}, {"memory_bytes", "memory bytes"},
      {"message", "message"}, {"peer", "peer"}, {"where", "where"}, {"size_bytes", "bytes"},
      {"repeat", "repeat"}};
  const output::Cell ranks = std::int64_t{schedule.run.ranks};
  const Body& body = schedule.ranks[static_cast<std::size_t>(rank)];
  std::int64_t step = 0;
  for (const Region& region : body.regions) {
    const auto operations = body.operations_of(region);
    const output::Cell name = std::string(region.name.text());
    table.rows.push_back({ranks, step, name, memory_bytes(operations), {}, {}, {}, {}, {}});
    for_each_post(operations, [&](const Post& post) {
      table.rows.push_back({ranks,
                            step,
                            name,
                            {},
                            std::string(to_string(post.kind)),
                            std::int64_t{post.peer},
                            std::string(where(placement, rank, post.peer)),
                            post.size_bytes,
                            post.repeat});
    });
    ++step;
  }
  return table;
}

/// The tables of one rank, or of all.
std::vector<output::Table> tables_for_people(const Placed& placed, const std::optional<int>& rank) {
  const std::string title = title_of(placed.schedule);
  if (rank) {
    output::Table table = table_of_rank(placed, *rank);
    table.title = fmt::format("{}; rank {}", title, *rank);
    // The title says of how many.
    table.columns.erase(table.columns.begin());
    for (auto& row : table.rows)
      row.erase(row.begin());
    return {table};
  }
  const output::Table ranks = table_of_ranks(placed);
  if (ranks.rows.size() > most_ranks_shown) return {spread_of(ranks, title)};
  return {part_of(ranks, first_messages_column, title + "; messages"),
          part_of(ranks, first_bytes_column, title + "; bytes")};
}

/// The same as one table, to which the rows of other numbers of ranks can be added.
output::Table table_for_programs(const Placed& placed, const std::optional<int>& rank) {
  output::Table table = rank ? table_of_rank(placed, *rank) : table_of_ranks(placed);
  table.title = describe(placed.schedule.run);
  if (rank) table.title += fmt::format("; rank {}", *rank);
  return table;
}

bool is_number(const std::string& text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

/// Policies as they are; ranges of BLOCKSIZEs as the numbers that they stand for.
std::vector<std::string> policies_or_sizes(const std::vector<std::string>& texts) {
  std::vector<std::string> each;
  for (const std::string& text : texts) {
    if (text.find_first_of("0123456789") == std::string::npos) {
      each.push_back(text);
      continue;
    }
    for (const std::int64_t size : study::parse_numbers(text, "--by-rank"))
      each.push_back(fmt::format("{}", size));
  }
  return each;
}

/// A row a rank, a column a policy or BLOCKSIZE, and the sums.
output::Table table_beside(const ScheduleFlags& options) {
  output::Table table;
  table.columns = {{"rank", "rank"}};
  std::vector<std::vector<std::int64_t>> columns;
  std::string name;
  std::vector<std::string> notes;
  for (const std::string& one : policies_or_sizes(options.by_rank)) {
    WorkloadOptions flags = options.workload;
    if (is_number(one)) {
      flags.settings["blocksize"] = one;
    } else {
      flags.variant.policy = one;
    }
    const Workload workload(flags);
    if (workload.runs().size() > 1)
      throw InputError("--by-rank", "shows the ranks of one run (--ranks gives several)", "Give one number");
    const Run& run = workload.runs().front();
    columns.push_back(graph::incoming_bytes(workload.schedule(run)));
    const std::string heading = is_number(one) ? fmt::format("B {}", one) : one;
    table.columns.push_back({fmt::format("{}_bytes_in", one), heading});
    name = workload.name();
    notes = workload.pattern()->notes();
    if (table.title.empty())
      table.title = fmt::format("{}, bytes that reach each from others in one iteration",
                                format_count(run.ranks, "rank"));
  }
  const std::size_t ranks = columns.front().size();
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    std::vector<output::Cell>& row = table.rows.emplace_back();
    row.emplace_back(static_cast<std::int64_t>(rank));
    for (const std::vector<std::int64_t>& column : columns)
      row.emplace_back(column[rank]);
  }
  std::string sums;
  for (std::size_t i = 0; i < columns.size(); ++i)
    sums += fmt::format("{}{}: {}", i == 0 ? "" : ", ", table.columns[i + 1].heading,
                        std::accumulate(columns[i].begin(), columns[i].end(), std::int64_t{0}));
  table.notes = {fmt::format("All ranks: {}.", sums),
                 fmt::format("{}. A rank's own blocks are not counted here, even if it copies them.", name)};
  std::ranges::move(notes, std::back_inserter(table.notes));
  return table;
}

/// A row what memory is for, of each run.
output::Table table_of_memory(const Workload& workload) {
  const Run& first = workload.runs().front();
  output::Table table;
  table.title = fmt::format("{}, {} per node: bytes of memory", describe(first), first.ranks_per_node);
  table.columns = {{"ranks", "ranks"},
                   {"use", "for"},
                   {"rank_bytes", "rank with most"},
                   {"node_bytes", "node with most"},
                   {"all_bytes", "all ranks"}};
  std::vector<std::vector<pattern::RankCounts>> counts = workload.counts();
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const Run& run = workload.runs()[i];
    const problem::Placement placement = workload.place(run, counts[i]);
    const std::vector<pattern::MemoryUse> uses = policy::memory_of(run, counts[i]);
    if (uses.empty())
      throw InputError("--memory", fmt::format("the arrays of {} are not known", run.problem.pattern),
                       "Give --matrix");
    const auto add = [&](const std::string& name, std::span<const pattern::MemoryUse> some) {
      std::vector<std::int64_t> ranks(static_cast<std::size_t>(run.ranks));
      for (const pattern::MemoryUse& use : some)
        std::ranges::transform(ranks, use.ranks_bytes, ranks.begin(), std::plus());
      table.rows.push_back({std::int64_t{run.ranks}, name, std::ranges::max(ranks),
                            std::ranges::max(policy::bytes_of_nodes(some, placement)),
                            std::accumulate(ranks.begin(), ranks.end(), std::int64_t{0})});
    };
    for (const pattern::MemoryUse& use : uses)
      add(use.what, {&use, 1});
    add("together", uses);
  }
  table.notes = {workload.name() + "."};
  return table;
}

void run_schedule(const ScheduleFlags& options) {
  const output::Format format = output::parse_format(options.format);
  if (!options.by_rank.empty()) return print_answer({table_beside(options)}, "", format);
  const Workload workload(options.workload);
  if (options.memory) return print_answer({table_of_memory(workload)}, "", format);
  std::vector<output::Table> tables;
  bool leaves_out = false;
  for (const Run& run : workload.runs()) {
    Schedule schedule = workload.schedule(run);
    leaves_out = leaves_out || replay::has_collectives(schedule);
    problem::Placement placement = workload.placement(schedule);
    const Placed placed{std::move(schedule), std::move(placement)};
    if (format == output::Format::table) {
      std::ranges::move(tables_for_people(placed, options.rank), std::back_inserter(tables));
    } else if (output::Table table = table_for_programs(placed, options.rank); tables.empty()) {
      tables.push_back(std::move(table));
    } else {
      std::ranges::move(table.rows, std::back_inserter(tables.front().rows));
    }
  }
  tables.back().notes.push_back(workload.name() + "; one iteration.");
  std::ranges::copy(workload.notes(), std::back_inserter(tables.back().notes));
  std::ranges::move(policy::idle_ranks_notes(workload.runs()), std::back_inserter(tables.back().notes));
  if (leaves_out && !options.rank)
    tables.back().notes.emplace_back(
        "Collective operations are not counted: their messages depend on the MPI library.");
  tables.back().notes.push_back(
      "local: between ranks of one node, own blocks included; remote: between nodes.");
  print_answer(tables, "", format);
}

}  // namespace

void add_schedule_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "schedule",
      "What every rank sends and receives in one iteration: worked out from the matrix's column indices\n"
      "(or the heat grid) alone, messages and bytes, to ranks of the same node (local) and of others\n"
      "(remote). With --rank, the steps and messages of that rank in program order, and the bytes that\n"
      "each step moves over the node's memory (the papers' equations).");
  const auto options = std::make_shared<ScheduleFlags>();
  add_workload_options(*command, options->workload);
  CLI::Option* rank = command->add_option("--rank", options->rank, "Show this rank's steps and messages");
  command
      ->add_flag("--memory", options->memory,
                 "Instead: the memory that the ranks need, by what it is for (a matrix only)")
      ->excludes(rank);
  command
      ->add_option("--by-rank", options->by_rank,
                   fmt::format("A row for each rank: the bytes that reach it, side by side for several "
                               "policies, e.g.\n{}, or BLOCKSIZEs of --policy, e.g. 1024,8192 or \"powers of "
                               "two 1024..8192\"",
                               fmt::join(candidate_names(), ",")))
      ->delimiter(',')
      ->excludes("--rank", "--memory");
  add_format_option(*command, options->format);
  command->footer(
      "A table of more than 32 ranks shows their least, median and greatest; csv and json list every rank.\n"
      "Example: finegrain schedule --matrix heart.fgm --ranks 64 --ranks-per-node 16\n"
      "         finegrain schedule --matrix heart.fgm --ranks 64 --ranks-per-node 16 --memory\n"
      "         finegrain schedule --heat 2000x1000 --mprocs 4 --nprocs 2 --rank 3");
  command->callback([options] { run_schedule(*options); });
}

}  // namespace finegrain::cli
