// SPDX-License-Identifier: MIT
#include "sim/cli/trace_show.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>

#include "sim/cli/progress.hpp"
#include "sim/cli/recorded_program.hpp"
#include "sim/policy/policy.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"
#include "traces/summary.hpp"
#include "traces/trace_reader.hpp"
#include "traces/verify.hpp"

namespace finegrain::cli {
namespace {

/// Only the pattern's name, if this finegrain does not know it.
std::string describe_problem(const Run& run) {
  const auto kind =
      std::ranges::find(pattern::pattern_kinds(), run.problem.pattern, &pattern::PatternKind::name);
  return kind == pattern::pattern_kinds().end() ? run.problem.pattern : (*kind)->describe(run.problem);
}

RecordedIteration find_iteration(const Trace& trace, int rank, std::int64_t wanted) {
  Trace::RankReader reader = trace.rank(rank);
  std::int64_t count = 0;
  for (auto recorded = reader.next(); recorded; recorded = reader.next(), ++count) {
    if (count == wanted) return std::move(*recorded);
  }
  throw InputError(
      "--iteration",
      fmt::format("{} has no iteration {} (it has {}, counted from 0)", trace.file_name(rank), wanted, count),
      "Give a smaller one");
}

/// After what could be read. @throws InputError if it is damaged
void check_damage(const Trace& trace, const std::string& path, bool has_problems) {
  if (!has_problems) return;
  if (verify(trace).is_damaged())
    throw InputError(path, "is damaged, so this is not all of it",
                     "See the notes of the table on standard output");
}

}  // namespace

void show_info(const std::string& path, const CallNames& names, output::Format format) {
  const Trace trace = open_trace(path, names);
  if (trace.names_functions()) {
    const TableOfTrace functions = functions_of_program(trace, path);
    print(std::cout, {functions.table}, format);
    return check_damage(trace, path, functions.has_problems);
  }
  const Manifest& manifest = trace.manifest();
  const Run& run = manifest.run;
  const TraceSummary summary =
      with_progress("reading rank", trace.manifest().run.ranks,
                    [&](const OnRank& on_rank) { return summarize(trace, on_rank); });

  output::Table table{path, {{"item", "item"}, {"value", "value", 2}}, {}, summary.problems};
  const auto add = [&](const std::string& item, output::Cell value) {
    table.rows.push_back({item, std::move(value)});
  };
  add("run", describe(run));
  add("problem", describe_problem(run));
  add("implementation", manifest.implementation);
  add("recorded at", manifest.recorded_at);
  add("complete", std::string(manifest.complete ? "yes" : "no"));
  add("oversubscribed", std::string(manifest.oversubscribed ? "yes: times mean little" : "no"));
  add("ranks", std::int64_t{run.ranks});
  add("ranks per node", std::int64_t{run.ranks_per_node});
  add("threads per rank", std::int64_t{run.threads_per_rank});
  add("iterations", summary.iterations);
  add("warm-up iterations", std::int64_t{manifest.warmup_iterations});
  add("messages", summary.messages);
  add("bytes in rank files", static_cast<std::int64_t>(summary.file_bytes));
  if (summary.messages > 0)
    add("bytes per message", static_cast<double>(summary.file_bytes) / static_cast<double>(summary.messages));
  if (summary.iterations > 0) {
    add("iteration, median us", 1e6 * summary.iteration_time.median_s);
    add("iteration, first decile us", 1e6 * summary.iteration_time.first_decile_s);
    add("iteration, last decile us", 1e6 * summary.iteration_time.last_decile_s);
  }
  for (const auto& [name, value] : manifest.environment)
    add(name, value);
  table.notes.emplace_back("iteration: time of its slowest rank; messages: as each rank posted them");
  print(std::cout, {table}, format);
  check_damage(trace, path, !summary.problems.empty());
}

void show_phases(const std::string& path, output::Format format) {
  const Trace trace(path);
  const TraceSummary summary =
      with_progress("reading rank", trace.manifest().run.ranks,
                    [&](const OnRank& on_rank) { return summarize(trace, on_rank); });
  const bool has_calls = trace.names_functions();
  output::Table table{fmt::format("{}: {}, {}, {}", path, describe(trace.manifest().run),
                                  format_count(trace.manifest().run.ranks, "rank"),
                                  has_calls ? format_count(summary.iterations, "call") + " of a rank"
                                            : format_count(summary.iterations, "iteration")),
                      {{"phase", "#"},
                       {"kind", "phase"},
                       {"mean_us", "mean us", 2, output::Origin::measured},
                       {"slowest_rank_us", "slowest rank us", 2, output::Origin::measured},
                       {"longest_us", "longest us", 2, output::Origin::measured},
                       {"messages", "messages"},
                       {"message_bytes", "message B", 0},
                       {"memory_bytes", "memory B", 0}},
                      {},
                      summary.problems};
  for (const RegionSummary& phase : summary.regions) {
    const double runs = static_cast<double>(phase.times_run);
    table.rows.push_back({std::int64_t{phase.index}, std::string(phase.name.text()), 1e6 * phase.mean_s,
                          1e6 * phase.slowest_rank_mean_s, 1e6 * phase.longest_s, phase.messages,
                          phase.message_bytes / runs, phase.memory_bytes / runs});
  }
  const char* const each = has_calls ? "call" : "iteration";
  table.notes.push_back(
      fmt::format("mean over ranks and {0}s; slowest rank: its mean over {0}s; "
                  "messages: all together; message B and memory B: a rank's, {1} {0}",
                  each, has_calls ? "a" : "an"));
  print(std::cout, {table}, format);
  check_damage(trace, path, !summary.problems.empty());
}

void show_iteration(const std::string& path, const CallNames& names, int rank, std::int64_t wanted,
                    const std::string& table, output::Format format) {
  const Trace trace = open_trace(path, names);
  const RecordedIteration recorded = find_iteration(trace, rank, wanted);
  const auto after_start_us = [&](std::int64_t time_ns) {
    return 1e-3 * static_cast<double>(Interval{recorded.time.start_ns, time_ns}.length_ns());
  };
  output::Table phases{fmt::format("{}: iteration {}, {} us", trace.file_name(rank), wanted,
                                   format_decimals(after_start_us(recorded.time.end_ns), 2)),
                       {{"phase", "#"},
                        {"kind", "phase"},
                        {"start_us", "start us", 3, output::Origin::measured},
                        {"end_us", "end us", 3, output::Origin::measured},
                        {"messages", "messages"},
                        {"memory_bytes", "memory B"}},
                       {},
                       {},
                       "phases"};
  output::Table messages{"messages",
                         {{"message", "message"},
                          {"phase", "#"},
                          {"kind", "kind"},
                          {"peer", "peer"},
                          {"size_bytes", "bytes"},
                          {"repeat", "repeat"},
                          {"start_us", "start us", 3, output::Origin::measured},
                          {"end_us", "end us", 3, output::Origin::measured}},
                         {},
                         {"times count from the iteration's start, on rank 0's clock"},
                         "messages"};
  std::size_t number = 0;
  for (std::size_t r = 0; r < recorded.regions.size(); ++r) {
    const Region& region = recorded.body.regions[r];
    const auto operations = recorded.body.operations_of(region);
    const auto index = static_cast<std::int64_t>(r);
    phases.rows.push_back(
        {index, std::string(region.name.text()), after_start_us(recorded.regions[r].start_ns),
         after_start_us(recorded.regions[r].end_ns), count_posts(operations), memory_bytes(operations)});
    for_each_post(operations, [&](const Post& post) {
      const Interval& time = recorded.posts[number];
      messages.rows.push_back({static_cast<std::int64_t>(number), index, std::string(to_string(post.kind)),
                               std::int64_t{post.peer}, post.size_bytes, post.repeat,
                               after_start_us(time.start_ns), after_start_us(time.end_ns)});
      ++number;
    });
  }
  print(std::cout, output::chosen({phases, messages}, table), format);
}

void show_window(const std::string& path, const CallNames& names, const SelectionOptions& options,
                 output::Format format) {
  constexpr std::size_t most_rows = 500;
  const Trace trace = open_trace(path, names);
  const RegionsInWindow found = regions_in_window(trace, selection_of(options, trace), most_rows);
  output::Table table{
      fmt::format("{}: from {} to {}", path, options.from, options.until.empty() ? "the end" : options.until),
      {{"rank", "rank"},
       {"iteration", trace.knows_iterations() ? "iteration" : "call"},
       {"region", trace.names_functions() ? "function" : "phase"},
       {"start_us", "start us", 2, output::Origin::measured},
       {"end_us", "end us", 2, output::Origin::measured},
       {"time_us", "us", 2, output::Origin::measured},
       {"messages", "messages"},
       {"message_bytes", "message B", 0}},
      {},
      found.problems};
  for (const RegionInWindow& region : found.regions) {
    table.rows.push_back({std::int64_t{region.rank}, region.iteration, std::string(region.name.text()),
                          region.start_us, region.end_us, region.end_us - region.start_us, region.messages,
                          region.message_bytes});
  }
  table.notes.emplace_back("times count from the first rank's start, on rank 0's clock");
  if (found.left_out > 0)
    table.notes.push_back(
        fmt::format("{} more lie in the window: give a later --from, an earlier --until or fewer --ranks",
                    found.left_out));
  print(std::cout, {table}, format);
}

}  // namespace finegrain::cli
