// SPDX-License-Identifier: MIT
#include "sim/cli/timeline_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "kernels/problem/placement.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/workload.hpp"
#include "sim/model/numbered_phase.hpp"
#include "sim/replay/path_waits.hpp"
#include "sim/replay/timeline_file.hpp"
#include "traces/io/units.hpp"

namespace finegrain::cli {
namespace {

constexpr std::size_t most_rows = output::most_terminal_rows;  ///< pieces in turn
constexpr std::int64_t usual_iterations = 10;                  ///< a schedule's

/// The pieces of a path, in words.
class PathText {
 public:
  PathText(const replay::Timeline& timeline, const Schedule& schedule,
           model::PhaseNames names = model::PhaseNames::each)
      : timeline_(timeline) {
    for (const Body& body : schedule.ranks)
      for (const model::NumberedPhase& phase : model::numbered(body.regions, names))
        phases_[&body - schedule.ranks.data()].push_back(phase.name());
  }

  std::string region(std::int32_t rank, std::int32_t phase) const {
    const auto place = static_cast<std::size_t>(phase);
    if (phases_.empty()) return timeline_.regions[static_cast<std::size_t>(rank)][place];
    return phases_.at(rank)[place];
  }
  std::string region(const replay::PathPiece& piece) const { return region(piece.rank, piece.phase); }

  /// What holds the rank up, in the sums over ranks.
  static std::string kind(const replay::PathPiece& piece) {
    switch (piece.kind) {
      case replay::PathPiece::Kind::busy:
        return "work";
      case replay::PathPiece::Kind::transfer:
        return "message";
      case replay::PathPiece::Kind::barrier:
        return "barrier";
      case replay::PathPiece::Kind::other:
        return "other wait";
    }
    return "";
  }

  static std::string what(const replay::PathPiece& piece) {
    if (piece.kind != replay::PathPiece::Kind::transfer) return kind(piece);
    return fmt::format("{} rank {}", piece.is_outgoing ? "to" : "from", piece.peer);
  }

  output::Cell links(const replay::PathPiece& piece) const {
    if (piece.kind != replay::PathPiece::Kind::transfer) return {};
    if (piece.links < 0) return std::string("in the node");
    return timeline_.path_links[static_cast<std::size_t>(piece.links)];
  }

 private:
  const replay::Timeline& timeline_;
  std::map<std::ptrdiff_t, std::vector<std::string>> phases_;  ///< those of each rank of a schedule
};

double length_s(const replay::PathPiece& piece) {
  return piece.end_s - piece.start_s;
}

/// The path from its start to its end; for a terminal, of one with many pieces the longest.
output::Table pieces_in_turn(const replay::Timeline& timeline, const PathText& text) {
  output::Table table;
  table.columns = {{"start_us", "start us", 1, output::Origin::simulated},
                   {"rank", "rank"},
                   {"region", "region"},
                   {"what", "what"},
                   {"links", "links"},
                   {"time_us", "us", 2, output::Origin::simulated},
                   {"percent", "%", 1, output::Origin::simulated}};
  std::vector<std::size_t> pieces;
  for (const replay::PathPiece& piece : timeline.critical_path) {
    pieces.push_back(pieces.size());
    table.rows.push_back({1e6 * piece.start_s, std::int64_t{piece.rank}, text.region(piece),
                          PathText::what(piece), text.links(piece), 1e6 * length_s(piece),
                          100 * length_s(piece) / timeline.makespan_s});
  }
  if (pieces.size() <= most_rows) return table;
  std::ranges::stable_sort(pieces, std::ranges::greater(),
                           [&](std::size_t piece) { return length_s(timeline.critical_path[piece]); });
  pieces.resize(most_rows);
  std::ranges::sort(pieces);
  double shown_s = 0;
  for (const std::size_t piece : pieces) {
    shown_s += length_s(timeline.critical_path[piece]);
    table.sums.push_back(table.rows[piece]);
  }
  table.fewer = fmt::format("The {} longest of {} pieces. All others together: {}.", most_rows,
                            table.rows.size(), format_time(timeline.makespan_s - shown_s));
  return table;
}

/// A row a region, kind of piece and kind of link, the longest first.
std::vector<std::vector<output::Cell>> summed_rows(const replay::Timeline& timeline, const PathText& text) {
  struct Sum {
    std::int64_t pieces = 0;
    double seconds = 0;
  };
  using Key = std::tuple<std::string, std::string, output::Cell>;
  std::map<Key, Sum> sums;
  for (const replay::PathPiece& piece : timeline.critical_path) {
    Sum& sum = sums[{text.region(piece), PathText::kind(piece), text.links(piece)}];
    ++sum.pieces;
    sum.seconds += length_s(piece);
  }
  std::vector<std::pair<Key, Sum>> longest_first(sums.begin(), sums.end());
  std::ranges::stable_sort(longest_first, std::ranges::greater(),
                           [](const auto& row) { return row.second.seconds; });
  std::vector<std::vector<output::Cell>> rows;
  for (const auto& [key, sum] : longest_first) {
    const auto& [region, kind, links] = key;
    rows.push_back(
        {region, kind, links, sum.pieces, 1e6 * sum.seconds, 100 * sum.seconds / timeline.makespan_s});
  }
  return rows;
}

output::Table sums(const replay::Timeline& timeline, const Schedule& schedule) {
  output::Table table;
  table.name = "sums";
  table.title = "The same, summed up by region and kind of link";
  table.columns = {{"region", "region"},
                   {"what", "what"},
                   {"links", "links"},
                   {"pieces", "pieces"},
                   {"time_us", "us", 2, output::Origin::simulated},
                   {"percent", "%", 1, output::Origin::simulated}};
  table.rows = summed_rows(timeline, PathText(timeline, schedule));
  table.sums = summed_rows(timeline, PathText(timeline, schedule, model::PhaseNames::together));
  if (table.sums.size() == table.rows.size()) table.sums.clear();
  return table;
}

/// Who waits for whom on the path, the longest waits first.
std::vector<replay::PathWait> waits_on(const replay::Timeline& timeline, const PathText& text) {
  return replay::path_waits(timeline.critical_path,
                            [&](std::int32_t rank, std::int32_t phase) { return text.region(rank, phase); });
}

/// The waits, by region; for a terminal, numbered phases of one name together, and of many waits the longest.
output::Table hand_overs(const replay::Timeline& timeline, const Schedule& schedule) {
  output::Table table;
  table.name = "hand_overs";
  table.title = "Who waits for whom on it, the longest first";
  table.columns = {{"region", "where"},
                   {"awaited_region", "waits for"},
                   {"awaited_rank", "of rank"},
                   {"awaited_ranks", "ranks"},
                   {"waited_us", "us", 2, output::Origin::simulated},
                   {"percent", "%", 1, output::Origin::simulated}};
  const auto rows_of = [&](const std::vector<replay::PathWait>& waits) {
    std::vector<std::vector<output::Cell>> rows;
    for (const replay::PathWait& wait : waits)
      rows.push_back({wait.place, wait.awaited, std::int64_t{wait.longest_awaited_rank}, wait.awaited_ranks,
                      1e6 * wait.waited_s, 100 * wait.waited_s / timeline.makespan_s});
    return rows;
  };
  const std::vector<replay::PathWait> together =
      waits_on(timeline, PathText(timeline, schedule, model::PhaseNames::together));
  table.rows = rows_of(waits_on(timeline, PathText(timeline, schedule)));
  if (together.size() < table.rows.size() || together.size() > most_rows) table.sums = rows_of(together);
  if (together.size() > most_rows) {
    table.sums.resize(most_rows);
    table.fewer = fmt::format("The {} longest of {}.", most_rows, together.size());
  }
  const bool has_barriers = std::ranges::any_of(timeline.critical_path, [](const replay::PathPiece& piece) {
    return piece.kind == replay::PathPiece::Kind::barrier;
  });
  if (together.empty()) {
    table.notes = {fmt::format("On the path no rank waits for a message of another one{}.",
                               has_barriers ? "; at barriers it waits for the rank that comes last" : "")};
    return table;
  }
  table.notes = {fmt::format("{}.", together.front().text(timeline.makespan_s)),
                 "us: from when the rank began to wait, so it has the other rank's work before the message. "
                 "Where several ranks wait at the same time, it counts once. of rank: the one that was "
                 "awaited longest, of so many "
                 "ranks."};
  return table;
}

/// What crossed each link, the busiest first; for a terminal those alone.
output::Table links(const replay::Timeline& timeline) {
  output::Table table;
  table.name = "links";
  table.title = "Links, the busiest first";
  table.columns = {{"link", "link"},
                   {"bytes", "bytes", 0, output::Origin::simulated},
                   {"gb_per_s", "GB/s", 3, output::Origin::given},
                   {"busy_percent", "busy %", 1, output::Origin::simulated}};
  const auto busy = [&](const replay::LinkUse& link) {
    return link.bytes / link.bandwidth_bytes_per_s / timeline.makespan_s;
  };
  std::vector<replay::LinkUse> busiest = timeline.links;
  std::ranges::stable_sort(busiest, std::ranges::greater(), busy);
  for (const replay::LinkUse& link : busiest)
    table.rows.push_back({link.name, link.bytes, link.bandwidth_bytes_per_s / 1e9, 100 * busy(link)});
  if (table.rows.size() > most_rows) {
    table.sums.assign(table.rows.begin(), table.rows.begin() + most_rows);
    table.fewer = fmt::format("The {} busiest of {}.", most_rows, format_count(table.rows.size(), "link"));
  }
  table.notes = {"busy: the time in which the link's whole bandwidth would move its bytes, of all the time."};
  return table;
}

std::string note_of_ranks(const replay::Timeline& timeline, int ranks) {
  std::map<std::int32_t, double> seconds;
  for (const replay::PathPiece& piece : timeline.critical_path)
    seconds[piece.rank] += length_s(piece);
  if (seconds.empty()) return "No time passes.";
  const auto longest =
      std::ranges::max_element(seconds, {}, [](const auto& of_rank) { return of_rank.second; });
  return fmt::format("It passes over {} of {}; longest over rank {}: {:.1f} % of the time.", seconds.size(),
                     format_count(ranks, "rank"), longest->first,
                     100 * longest->second / timeline.makespan_s);
}

}  // namespace

void add_timeline_options(CLI::App& command, TimelineOptions& options) {
  command.add_flag("--critical-path", options.critical_path,
                   "Show what delays the end of the run instead: its pieces in order, their sums by region "
                   "and kind of link, who waits for whom, and the busiest links. For a schedule, the first "
                   "10 iterations, or --iterations");
  command.add_option("--timeline", options.file,
                     "Write what every rank does at what time, and each message: .json for ui.perfetto.dev, "
                     "or .csv. For as many iterations as --critical-path");
  add_force(command, options.force);
}

std::vector<output::Table> show_timeline(replay::ReplayJob job, const replay::ReplayOptions& replay_options,
                                         std::optional<std::int64_t> iterations,
                                         const TimelineOptions& options,
                                         const std::vector<std::filesystem::path>& inputs) {
  Schedule schedule = *job.schedule;
  schedule.run.iterations = iterations.value_or(std::min(schedule.run.iterations, usual_iterations));
  job.schedule = &schedule;
  const Progress progress("simulating", 1);
  progress.show(0);
  const replay::Timeline timeline = replay_timeline(job, replay_options);
  progress.clear();
  if (!options.file.empty())
    write_timeline(timeline, schedule, *job.placement, options.file, {inputs, options.force});
  output::Table path = pieces_in_turn(timeline, PathText(timeline, schedule));
  path.name = "path";
  path.title = fmt::format(
      "Critical path on {}, {}, {}: {}", job.platform->name, format_count(schedule.run.ranks, "rank"),
      job.programs != nullptr ? "the whole program" : format_count(schedule.run.iterations, "iteration"),
      format_time(timeline.makespan_s));
  output::Table summed = sums(timeline, schedule);
  summed.notes = {
      note_of_ranks(timeline, schedule.run.ranks),
      "work: includes the overheads of messages. from, to: a message, from its start; if it needs both ends, "
      "from the later one's.",
      "links: the narrowest one on its route. other wait: a lock, a fetch or a nonblocking collective."};
  if (!options.file.empty()) summed.notes.push_back(fmt::format("Timeline: {}.", options.file));
  return {path, summed, hand_overs(timeline, schedule), links(timeline)};
}

}  // namespace finegrain::cli
