// SPDX-License-Identifier: MIT
#include "sim/cli/trace_changes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <optional>
#include <vector>

#include "sim/cli/evaluated.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/recorded_program.hpp"
#include "sim/replay/replay.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"
#include "traces/program_changes.hpp"

namespace finegrain::cli {
namespace {

/// A change by less than this share of the simulated time is not worth a row.
constexpr double least_share = 0.001;

/// One of the two recordings.
struct Side {
  ProgramSummary program;
  int ranks = 1;
  replay::RegionSeconds simulated_s = {};  ///< empty: no platform
  double total_s = 0;                      ///< simulated
  std::vector<std::string> notes = {};

  double simulated_mean_s(const std::string& region) const {
    const auto found = simulated_s.find(region);
    return found == simulated_s.end() ? 0 : replay::sum_over_ranks(found->second) / ranks;
  }
};

Side read_side(const std::string& path, const ChangeFlags& flags, const WorkloadOptions& workload) {
  const Trace trace = open_trace(path, flags.names);
  if (!trace.names_functions())
    throw InputError(path,
                     "is no recording of an MPI program (its phases and messages are compared without --by)",
                     "Leave --by out");
  const int ranks = trace.manifest().run.ranks;
  Side side{
      .program = with_progress("reading rank", ranks,
                               [&](const OnRank& on_rank) { return summarize_program(trace, on_rank); }),
      .ranks = ranks};
  if (!side.program.problems.empty())
    throw InputError(path, "cannot be read to its end", "See finegrain trace info");
  if (flags.platform.files.empty()) return side;
  const std::string name = std::filesystem::path(path).filename().string();
  ProgramOptions program;
  program.names = flags.names;
  with_program_job(trace, path, program, workload, flags.platform,
                   [&](const replay::ReplayJob& job, const std::vector<std::string>& notes) {
                     const auto answers = evaluate_with_progress({{.job = job}}, 1, {});
                     side.simulated_s = replay::region_seconds(*answers.front().simulated);
                     side.total_s = answers.front().simulated->total_s;
                     for (const std::string& note : notes)
                       side.notes.push_back(fmt::format("{}: {}", name, note));
                   });
  return side;
}

/// What is known of one place before and after.
struct Row {
  std::string place;
  const FunctionSummary* before = nullptr;
  const FunctionSummary* after = nullptr;
  double measured_s = 0;   ///< more than before, of a rank
  double simulated_s = 0;  ///< likewise

  bool is_alike() const {
    return before != nullptr && after != nullptr && finegrain::is_alike(*before, *after);
  }
};

std::vector<Row> rows_of(const Side& before, const Side& after) {
  std::vector<Row> rows = {
      {.place = "compute",
       .measured_s = after.program.work_s / after.ranks - before.program.work_s / before.ranks,
       .simulated_s = after.simulated_mean_s("compute") - before.simulated_mean_s("compute")}};
  for (const PlaceChange& change : match_places(before.program.functions, after.program.functions)) {
    Row row;
    if (change.before) {
      row.before = &before.program.functions[*change.before];
      row.place = row.before->name.text();
      row.measured_s -= row.before->seconds / before.ranks;
      row.simulated_s -= before.simulated_mean_s(row.place);
    }
    if (change.after) {
      row.after = &after.program.functions[*change.after];
      row.place = row.after->name.text();
      row.measured_s += row.after->seconds / after.ranks;
      row.simulated_s += after.simulated_mean_s(row.place);
    }
    rows.push_back(row);
  }
  return rows;
}

/// How many more than before; nothing where that is none.
template <class Number>
output::Cell more(const Row& row, Number FunctionSummary::*count) {
  const Number before = row.before == nullptr ? Number{} : row.before->*count;
  const Number after = row.after == nullptr ? Number{} : row.after->*count;
  return after == before ? output::Cell() : output::Cell(after - before);
}

output::Table table_of(const std::vector<Row>& rows, const Side& before, const Side& after,
                       const std::string& platform) {
  output::Table table;
  const int decimals = decimals_for(after.program.measured_s);
  table.columns = {{"place", "place"},
                   {"calls", "calls"},
                   {"calls_change", "more"},
                   {"messages_change", "messages"},
                   {"message_bytes_change", "bytes", 0},
                   {"measured_change_s", "measured", decimals, output::Origin::measured}};
  if (!platform.empty())
    table.columns.push_back({"simulated_change_s", platform, decimals, output::Origin::simulated});
  const double longest_s = std::max(before.total_s, after.total_s);
  const auto add = [&](std::vector<output::Cell> cells, double measured_s, double simulated_s) {
    cells.emplace_back(measured_s);
    const bool is_rounding = std::abs(simulated_s) < 1e-12 * longest_s;
    if (!platform.empty()) cells.emplace_back(is_rounding ? 0 : simulated_s);
    table.rows.push_back(std::move(cells));
  };
  Row others, all;
  int alike = 0;
  for (const Row& row : rows) {
    all.measured_s += row.measured_s;
    all.simulated_s += row.simulated_s;
    const bool is_work = row.before == nullptr && row.after == nullptr;
    const bool takes_longer = longest_s > 0 && std::abs(row.simulated_s) > least_share * longest_s;
    if (!is_work && row.is_alike() && !takes_longer) {
      others.measured_s += row.measured_s;
      others.simulated_s += row.simulated_s;
      ++alike;
      continue;
    }
    std::vector<output::Cell> cells = {
        row.place, is_work ? output::Cell() : output::Cell(row.after == nullptr ? 0 : row.after->calls),
        more(row, &FunctionSummary::calls), more(row, &FunctionSummary::messages),
        more(row, &FunctionSummary::message_bytes)};
    add(std::move(cells), row.measured_s, row.simulated_s);
  }
  const auto without_counts = [](std::string what) {
    std::vector<output::Cell> cells(5);
    cells.front() = std::move(what);
    return cells;
  };
  if (alike > 0) add(without_counts(fmt::format("{} alike", alike)), others.measured_s, others.simulated_s);
  add(without_counts("sum"), all.measured_s, all.simulated_s);
  return table;
}

}  // namespace

void show_changes(const ChangeFlags& flags, const WorkloadOptions& workload, output::Format format) {
  if (flags.platform.files.size() > 1)
    throw InputError("--platform", "changes are shown on one platform", "Give one");
  const Side before = read_side(flags.before, flags, workload);
  const Side after = read_side(flags.after, flags, workload);
  if (before.ranks != after.ranks)
    throw InputError(
        flags.after,
        fmt::format("has {}, and {} has {}", format_count(after.ranks, "rank"), flags.before, before.ranks),
        "Record both with the same number of ranks");
  const std::string platform =
      flags.platform.files.empty() ? "" : read_simulated_platforms(flags.platform).front().name;
  const std::vector<Row> rows = rows_of(before, after);
  output::Table table = table_of(rows, before, after, platform);
  const auto differing = std::ranges::count_if(rows, [](const Row& row) {
    return (row.before != nullptr || row.after != nullptr) && !row.is_alike();
  });
  table.title =
      fmt::format("{} -> {}: {}", flags.before, flags.after,
                  differing == 0 ? "the same calls, messages and bytes"
                                 : fmt::format("{} changed", format_count(differing, flags.names.by)));
  table.notes.push_back(
      fmt::format("measured{}: seconds of a rank (mean), how many more than before. Those that were measured "
                  "are of one run "
                  "each, and differ from run to run",
                  platform.empty() ? "" : ", " + platform));
  if (!platform.empty())
    table.notes.push_back(fmt::format("{}: {:.6g} s before, {:.6g} s now ({:+.1f} %); replay", platform,
                                      before.total_s, after.total_s,
                                      100 * (after.total_s / before.total_s - 1)));
  table.notes.emplace_back(
      "calls: now, of all ranks; more: than before; messages, bytes: how many more. A line that only moved "
      "is "
      "the same place");
  for (const Side* side : {&before, &after})
    std::ranges::copy(side->notes, std::back_inserter(table.notes));
  print(std::cout, {table}, format);
  if (differing > 0)
    throw InputError(
        flags.after,
        fmt::format("differs from {} at {}", flags.before, format_count(differing, flags.names.by)),
        "See the list on standard output");
}

}  // namespace finegrain::cli
