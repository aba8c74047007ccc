// SPDX-License-Identifier: MIT
#include "sim/cli/diff_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "sim/cli/recorded_program.hpp"

namespace finegrain::cli {
namespace {

/// A change by less than this share of the simulated time is not worth a row.
constexpr double least_share = 0.001;

/// Parts of a rank's simulated time, which add up to the whole run's.
struct PartsOfTime {
  double work_s = 0;
  replay::Waits waits;
  double in_calls_s = 0;  ///< overheads and copies: what is neither work nor waiting
  double ended_s = 0;     ///< it has ended, and others have not

  void add(const PartsOfTime& other, double times) {
    work_s += times * other.work_s;
    waits.add(other.waits, times);
    in_calls_s += times * other.in_calls_s;
    ended_s += times * other.ended_s;
  }
  double total_s() const { return work_s + waits.total_s() + in_calls_s + ended_s; }
};

PartsOfTime parts_of(const replay::ReplayResult& simulated, std::size_t rank) {
  const replay::RankReplay& of_rank = simulated.ranks[rank];
  PartsOfTime parts{.waits = of_rank.waits.sum()};
  double all_s = 0;
  for (std::size_t region = 0; region < of_rank.phases_s.size(); ++region) {
    all_s += of_rank.phases_s[region];
    if (simulated.regions[rank][region] == "compute") parts.work_s += of_rank.phases_s[region];
  }
  parts.in_calls_s = all_s - parts.work_s - parts.waits.total_s();
  parts.ended_s = simulated.total_s - all_s;
  return parts;
}

/// Adds what a place took, or takes off what it took before.
void add_times(DiffRow& row, const DiffSide& side, const std::string& place, double measured_s,
               double times) {
  row.measured_s += times * measured_s / side.ranks;
  row.simulated_s.resize(side.simulated.size(), 0);
  for (std::size_t p = 0; p < side.simulated.size(); ++p)
    row.simulated_s[p] += times * side.mean_s(p, place);
}

/// How many more than before; nothing where that is none.
template <class Number>
output::Cell more(const DiffRow& row, Number FunctionSummary::*count) {
  const Number before = row.before == nullptr ? Number{} : row.before->*count;
  const Number after = row.after == nullptr ? Number{} : row.after->*count;
  return after == before ? output::Cell() : output::Cell(after - before);
}

/// What is only rounding is nothing.
double without_rounding(double change_s, double longest_s) {
  return std::abs(change_s) < 1e-12 * longest_s ? 0 : change_s;
}

double longest_s(const DiffSide& before, const DiffSide& after, std::size_t platform) {
  return std::max(before.simulated[platform].total_s, after.simulated[platform].total_s);
}

/// The mean of the ranks of how much longer they have ended before the run does.
double more_ended_s(const DiffSide& before, const DiffSide& after, std::size_t platform) {
  double sum_s = 0;
  for (std::size_t rank = 0; rank < static_cast<std::size_t>(before.ranks); ++rank)
    sum_s += parts_of(after.simulated[platform], rank).ended_s -
             parts_of(before.simulated[platform], rank).ended_s;
  return sum_s / before.ranks;
}

}  // namespace

double DiffSide::mean_s(std::size_t platform, const std::string& region) const {
  const auto found = regions_s[platform].find(region);
  return found == regions_s[platform].end() ? 0 : replay::sum_over_ranks(found->second) / ranks;
}

std::vector<DiffRow> diff_rows(const DiffSide& before, const DiffSide& after) {
  std::vector<DiffRow> rows = {{.place = "compute"}};
  add_times(rows.front(), before, "compute", before.program.work_s, -1);
  add_times(rows.front(), after, "compute", after.program.work_s, 1);
  for (const PlaceChange& change : match_places(before.program.functions, after.program.functions)) {
    DiffRow row;
    if (change.before) {
      row.before = &before.program.functions[*change.before];
      row.place = row.before->name.text();
      add_times(row, before, row.place, row.before->seconds, -1);
    }
    if (change.after) {
      row.after = &after.program.functions[*change.after];
      row.place = row.after->name.text();
      add_times(row, after, row.place, row.after->seconds, 1);
    }
    rows.push_back(row);
  }
  return rows;
}

output::Table diff_of_places(const std::vector<DiffRow>& rows, const DiffSide& before, const DiffSide& after,
                             const std::vector<std::string>& platforms) {
  output::Table table;
  table.name = "places";
  const int decimals = decimals_for(after.program.measured_s);
  table.columns = {{"place", "place"},
                   {"calls", "calls"},
                   {"calls_change", "more"},
                   {"messages_change", "messages"},
                   {"message_bytes_change", "bytes", 0},
                   {"measured_change_s", "measured", decimals, output::Origin::measured}};
  for (const std::string& platform : platforms)
    table.columns.push_back({platforms.size() == 1 ? "simulated_change_s" : platform + "_change_s", platform,
                             decimals, output::Origin::simulated});
  DiffRow all;
  const auto sum_up = [&](DiffRow& sum, const DiffRow& row) {
    sum.measured_s += row.measured_s;
    sum.simulated_s.resize(platforms.size(), 0);
    for (std::size_t p = 0; p < platforms.size(); ++p)
      sum.simulated_s[p] += row.simulated_s[p];
  };
  const bool were_measured = before.program.not_measured.empty() && after.program.not_measured.empty();
  const auto add = [&](std::vector<output::Cell> cells, const DiffRow& row, bool is_measured = true) {
    cells.push_back(is_measured && were_measured ? output::Cell(row.measured_s) : output::Cell());
    for (std::size_t p = 0; p < platforms.size(); ++p)
      cells.emplace_back(without_rounding(row.simulated_s[p], longest_s(before, after, p)));
    table.rows.push_back(std::move(cells));
  };
  DiffRow others;
  int alike = 0;
  for (const DiffRow& row : rows) {
    sum_up(all, row);
    const bool is_work = row.before == nullptr && row.after == nullptr;
    bool takes_longer = false;
    for (std::size_t p = 0; p < platforms.size(); ++p)
      takes_longer |= std::abs(row.simulated_s[p]) > least_share * longest_s(before, after, p);
    if (!is_work && row.is_alike() && !takes_longer) {
      sum_up(others, row);
      ++alike;
      continue;
    }
    std::vector<output::Cell> cells = {
        row.place, is_work ? output::Cell() : output::Cell(row.after == nullptr ? 0 : row.after->calls),
        more(row, &FunctionSummary::calls), more(row, &FunctionSummary::messages),
        more(row, &FunctionSummary::message_bytes)};
    add(std::move(cells), row);
  }
  const auto without_counts = [](std::string what) {
    std::vector<output::Cell> cells(5);
    cells.front() = std::move(what);
    return cells;
  };
  if (alike > 0) add(without_counts(fmt::format("{} alike", alike)), others);
  if (!platforms.empty()) {
    DiffRow ended{.place = "ended"};
    for (std::size_t p = 0; p < platforms.size(); ++p)
      ended.simulated_s.push_back(more_ended_s(before, after, p));
    sum_up(all, ended);
    add(without_counts("ended before others"), ended, false);
  }
  add(without_counts("sum"), all);
  return table;
}

output::Table diff_of_causes(const DiffSide& before, const DiffSide& after,
                             const std::vector<std::string>& platforms) {
  output::Table table;
  table.name = "causes";
  table.title = "Why: simulated seconds of a rank (mean)";
  const int decimals = decimals_for(after.program.measured_s);
  table.columns = {{"cause", "cause"}};
  std::vector<std::array<PartsOfTime, 2>> means;
  for (std::size_t p = 0; p < platforms.size(); ++p) {
    std::array<PartsOfTime, 2>& of_platform = means.emplace_back();
    for (std::size_t rank = 0; rank < static_cast<std::size_t>(before.ranks); ++rank) {
      of_platform[0].add(parts_of(before.simulated[p], rank), 1. / before.ranks);
      of_platform[1].add(parts_of(after.simulated[p], rank), 1. / before.ranks);
    }
    for (const char* const when : {"before", "now", "change"})
      table.columns.push_back({fmt::format("{}_{}_s", platforms[p], when),
                               fmt::format("{} {}", platforms[p], when), decimals,
                               output::Origin::simulated});
  }
  const auto add = [&](std::string_view name, const auto& seconds, bool always = false) {
    bool any = always;
    std::vector<output::Cell> row = {std::string(name)};
    for (std::size_t p = 0; p < platforms.size(); ++p) {
      const double was_s = seconds(means[p][0]);
      const double is_s = seconds(means[p][1]);
      const double least_s = 1e-12 * longest_s(before, after, p);
      any = any || std::abs(was_s) > least_s || std::abs(is_s) > least_s;
      row.insert(row.end(), {was_s, is_s, without_rounding(is_s - was_s, longest_s(before, after, p))});
    }
    if (any) table.rows.push_back(std::move(row));
  };
  add("work", [](const PartsOfTime& parts) { return parts.work_s; });
  add("calls themselves", [](const PartsOfTime& parts) { return parts.in_calls_s; });
  for (const replay::WaitCause& cause : replay::wait_causes())
    add(cause.heading, [&](const PartsOfTime& parts) { return parts.waits.*cause.seconds; });
  add("ended before others", [](const PartsOfTime& parts) { return parts.ended_s; });
  add(
      "sum", [](const PartsOfTime& parts) { return parts.total_s(); }, true);
  table.notes = {
      "sum: the simulated time of the run. ended before others: a rank has nothing more to do, and the run "
      "goes "
      "on. The causes of waiting: docs/waits.md"};
  return table;
}

output::Table diff_of_ranks(const DiffSide& before, const DiffSide& after, const std::string& platform) {
  output::Table table;
  table.name = "ranks";
  table.title = fmt::format("By rank, on {}: how many more simulated seconds", platform);
  const int decimals = decimals_for(after.program.measured_s);
  table.columns = {{"rank", "rank"}};
  for (const auto& [key, heading] :
       {std::pair("work_change_s", "work"), std::pair("calls_change_s", "calls"),
        std::pair("late_change_s", "late partners"),
        std::pair("network_change_s", "transfer, contention, locks"),
        std::pair("ended_change_s", "ended before others"), std::pair("change_s", "sum")})
    table.columns.push_back({key, heading, decimals, output::Origin::simulated});
  const double longest = longest_s(before, after, 0);
  std::vector<std::pair<double, std::size_t>> by_work;
  for (std::size_t rank = 0; rank < static_cast<std::size_t>(before.ranks); ++rank) {
    PartsOfTime more = parts_of(after.simulated.front(), rank);
    more.add(parts_of(before.simulated.front(), rank), -1);
    const auto cell = [&](double seconds) { return output::Cell(without_rounding(seconds, longest)); };
    table.rows.push_back({static_cast<std::int64_t>(rank), cell(more.work_s), cell(more.in_calls_s),
                          cell(more.waits.late_s()), cell(more.waits.total_s() - more.waits.late_s()),
                          cell(more.ended_s), cell(more.total_s())});
    by_work.emplace_back(-std::abs(more.work_s), rank);
  }
  constexpr std::size_t most_shown = 10;
  if (table.rows.size() > output::most_terminal_rows) {
    std::ranges::sort(by_work);
    for (std::size_t i = 0; i < most_shown; ++i)
      table.sums.push_back(table.rows[by_work[i].second]);
    table.fewer = fmt::format("the {} ranks whose work has changed most", most_shown);
  }
  return table;
}

}  // namespace finegrain::cli
