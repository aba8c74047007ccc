// SPDX-License-Identifier: MIT
#include "traces/scaling/scaled_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "traces/io/input_error.hpp"
#include "traces/scaling/disturbances.hpp"
#include "traces/scaling/matched_messages.hpp"
#include "traces/scaling/program_rules.hpp"
#include "traces/scaling/program_tree.hpp"
#include "traces/scaling/recorded_ranks.hpp"
#include "traces/scaling/scaled_program.hpp"
#include "traces/scaling/typical_trace.hpp"
#include "traces/scaling/work_times.hpp"
#include "traces/waited_for_cores.hpp"
#include "traces/work_in_flops.hpp"

namespace finegrain::scaling {
namespace {

/// With sides as equal as they can be.
constexpr std::array even_shapes{GridShape{1, false}, GridShape{2, false}, GridShape{2, true},
                                 GridShape{3, false}, GridShape{3, true}};

/// The program by the rules on a grid of one shape.
struct Candidate {
  GridShape shape;
  int tiers;  ///< the sum of its rules'
  ScaledProgram program;
};

/// How far apart in number the ranks are that exchange messages.
std::set<int> distances_in(const Recording& recording) {
  std::set<int> distances;
  for (std::size_t rank = 0; rank < recording.ranks.size(); ++rank)
    for (const RecordedOperation& operation : recording.ranks[rank].operations)
      if (const auto* post = std::get_if<Post>(&operation.operation)) {
        distances.insert(std::abs(post->peer - static_cast<int>(rank)));
      } else if (const auto* of_all = std::get_if<Collective>(&operation.operation);
                 of_all != nullptr && is_of_neighbours(of_all->kind) && !operation.members) {
        // Two numbers of neighbours, then each neighbour and its bytes.
        for (std::size_t at = 2; at < operation.sizes.size(); at += 2)
          distances.insert(std::abs(static_cast<int>(operation.sizes[at]) - static_cast<int>(rank)));
      }
  return distances;
}

/// Those with a constant first or last side that some ranks' messages cross, in all recordings: the next one
/// in the dimension before the last is as many ranks away as the last side is long.
std::vector<GridShape> shapes_with_a_constant_side(const std::vector<Recording>& recordings, int ranks,
                                                   int dimensions) {
  int divisor = ranks;
  for (const Recording& recording : recordings)
    divisor = std::gcd(divisor, recording.rank_count());
  std::vector<std::set<int>> distances;
  for (const Recording& recording : recordings)
    distances.push_back(distances_in(recording));
  std::vector<GridShape> shapes;
  for (int side = 2; side <= divisor; ++side)
    for (const bool is_first : {false, true}) {
      bool is_crossed = divisor % side == 0;
      for (std::size_t r = 0; r < recordings.size() && is_crossed; ++r)
        is_crossed = distances[r].contains(is_first ? recordings[r].rank_count() / side : side);
      if (!is_crossed) continue;
      for (const bool shortest_first : {false, true})
        if (dimensions > 2 || !shortest_first) shapes.push_back({dimensions, shortest_first, side, is_first});
    }
  return shapes;
}

std::string described(const GridShape& shape) {
  std::string text = fmt::format("{} dimensions", shape.dimensions);
  if (shape.constant_side > 0)
    text += fmt::format(" ({} of {} ranks)", shape.is_first_constant ? "the first" : "the last",
                        shape.constant_side);
  return text;
}

std::string described(const std::vector<Obstacle>& obstacles, const Sites& sites) {
  std::string text;
  for (std::size_t o = 0; o < obstacles.size(); ++o)
    text += fmt::format("{}{}{}", o == 0 ? "" : "; ",
                        obstacles[o].site < 0 ? "" : sites.name(obstacles[o].site) + ": ", obstacles[o].what);
  if (obstacles.size() >= most_obstacles) text += "; and more";
  return text;
}

/// Some numbers have no rule. @param obstacles  so many
class NoRules : public NoExactProgram {
 public:
  NoRules(std::size_t obstacles, const std::string& what)
      : NoExactProgram("recordings", what, "Record on one more number of ranks, or on these"),
        obstacles_(obstacles) {}
  std::size_t obstacles() const { return obstacles_; }

 private:
  std::size_t obstacles_;
};

/// Those on the grid on which there are fewest; if there are as many, on the one on which rules were found
/// for most of the program.
std::vector<Obstacle> fewest_obstacles(const ProgramTree& tree, const std::vector<Recording>& recordings) {
  std::vector<Obstacle> fewest;
  int found = -1;
  for (const GridShape& shape : even_shapes) {
    const ProgramRules rules(tree, recordings, shape, most_obstacles);
    if (found >= 0 && std::pair(rules.obstacles().size(), -rules.found()) >= std::pair(fewest.size(), -found))
      continue;
    fewest = rules.obstacles();
    found = rules.found();
  }
  return fewest;
}

/// The program on the grid on which it obeys the most usual rules; of these, on that of fewest dimensions.
/// Sides that are constant are tried if there are no rules with others.
/// @throws NoRules, or NoExactProgram where it may be one of two programs
ScaledProgram program_on(const ProgramTree& tree, const std::vector<Recording>& recordings,
                         const Sites& sites, int ranks, const ScaleProgress& shown) {
  const WorkTimes times(tree, recordings);
  std::vector<Candidate> candidates;
  const auto try_all = [&](std::span<const GridShape> shapes) {
    std::size_t tries = 0;
    for (const GridShape& shape : shapes) {
      const ProgramRules rules(tree, recordings, shape, 1);
      if (rules.obstacles().empty())
        candidates.push_back({shape, rules.tiers(), scaled_program(tree, rules, times, sites, ranks)});
      shown("finding rules", ++tries, shapes.size());
    }
  };
  try_all(even_shapes);
  for (int dimensions = 2; dimensions <= 3 && candidates.empty(); ++dimensions)
    try_all(shapes_with_a_constant_side(recordings, ranks, dimensions));
  const auto best = std::ranges::min_element(candidates, {}, &Candidate::tiers);
  const std::vector<Obstacle> obstacles =
      best != candidates.end() ? best->program.obstacles : fewest_obstacles(tree, recordings);
  if (!obstacles.empty())
    throw NoRules(obstacles.size(),
                  fmt::format("no rule for {} ranks: {}", ranks, described(obstacles, sites)));
  // Rules that fit by chance are far less usual ones.
  const auto is_as_usual = [&](int tiers) { return tiers == best->tiers || tiers < 2 * best->tiers; };
  for (const Candidate& other : candidates)
    if (is_as_usual(other.tiers) && other.program.obstacles.empty() &&
        other.program.fingerprint != best->program.fingerprint)
      throw NoExactProgram("recordings",
                           fmt::format("grids of {} and of {} fit them, and differ on {} ranks",
                                       described(best->shape), described(other.shape), ranks),
                           "Record on one more number of ranks");
  return std::move(best->program);
}

/// With loops nested in one way, or else in another. @throws NoExactProgram that says why there is none
ScaledProgram program_in_any_way(const std::vector<Recording>& recordings, const Sites& sites, int ranks,
                                 const ScaleProgress& shown) {
  const ProgramTree tree(recordings, sites, Nesting::all);
  try {
    return program_on(tree, recordings, sites, ranks, shown);
  } catch (const NoRules& first) {
    const ProgramTree other(recordings, sites, Nesting::ends_apart);
    if (other.size() == tree.size()) throw;
    try {
      return program_on(other, recordings, sites, ranks, shown);
    } catch (const NoRules& second) {
      if (second.obstacles() < first.obstacles()) throw;
    }
    throw;
  }
}

/// Recordings of two programs have no rule. (An imported trace has its file's name for a command.)
std::string hint_of_commands(const std::vector<const Trace*>& traces) {
  std::string first;
  for (const Trace* trace : traces) {
    if (trace->manifest().environment.contains("imported")) continue;
    const std::string& command = text_of(trace->manifest().run.problem, "command");
    if (first.empty()) first = command;
    if (command != first) return fmt::format("; the recorded commands differ: '{}' and '{}'", first, command);
  }
  return "";
}

void check(const std::vector<const Trace*>& traces) {
  std::vector<int> ranks;
  for (const Trace* trace : traces) {
    if (!trace->names_functions())
      throw InputError(trace->file_name(0), "it is of a pattern of finegrain's own, which needs no recording",
                       "Ask for the schedule with other --ranks");
    if (trace->manifest().environment.contains("scaled"))
      throw InputError(trace->file_name(0), "it was extrapolated (a rule needs what really ran)",
                       "Give recordings only");
    ranks.push_back(trace->manifest().run.ranks);
  }
  std::ranges::sort(ranks);
  if (ranks.size() < 2 || std::ranges::adjacent_find(ranks) != ranks.end())
    throw InputError("recordings", "a rule needs two numbers of ranks or more",
                     "Record on another number of ranks");
}

/// As many as the largest recording had; if this was on one node, all.
int ranks_per_node_of(const std::vector<const Trace*>& traces, int ranks) {
  const Trace* largest =
      *std::ranges::max_element(traces, {}, [](const Trace* trace) { return trace->manifest().run.ranks; });
  const Run& run = largest->manifest().run;
  return run.ranks_per_node < run.ranks ? std::min(run.ranks_per_node, ranks) : ranks;
}

/// @param scaled  from what, and how
formats::Origin origin_of_scaled(const std::vector<const Trace*>& traces, int ranks, std::string scaled) {
  formats::Origin origin{text_of(traces.front()->manifest().run.problem, "command"),
                         {{"scaled", std::move(scaled)}},
                         ranks_per_node_of(traces, ranks)};
  if (std::ranges::all_of(
          traces, [](const Trace* recorded) { return work_flops_per_s(recorded->manifest()).has_value(); }))
    origin.environment.insert(work_in_flops());
  const auto& recorded_in = traces.front()->manifest().environment;
  if (const auto threads = recorded_in.find(threads_of_a_rank); threads != recorded_in.end())
    origin.environment.insert(*threads);
  return origin;
}

std::string seconds_and_share(double time_ns, double of_ns) {
  return fmt::format("{:.3g} s ({:.2g} % of the work)", time_ns * 1e-9, 100 * time_ns / of_ns);
}

std::vector<std::string> notes_on(const LeftOut& left_out) {
  std::vector<std::string> notes;
  if (left_out.disturbed > 0)
    notes.push_back(fmt::format(
        "{} of {} stretches of work took more than 5 times as long as usual, as if something had disturbed "
        "them: {} are left out",
        left_out.disturbed, left_out.stretches, seconds_and_share(left_out.added_ns, left_out.work_ns)));
  if (left_out.on_shared_cores_ns > 0)
    notes.push_back(fmt::format(
        "The recorded ranks shared cores: what came and went on single ranks, {}, is left out. What is left "
        "begins with cold caches after each wait, so short stretches of work are still too long",
        seconds_and_share(left_out.on_shared_cores_ns, left_out.work_ns)));
  return notes;
}

}  // namespace

formats::Import scale_trace(const std::vector<const Trace*>& traces, int ranks,
                            const std::filesystem::path& folder, Exactly exactly,
                            const ScaleProgress& progress, Sites::IsBefore is_before, CallsNamed named) {
  const auto shown = [&](const char* what, std::size_t done, std::size_t of) {
    if (progress) progress(what, done, of);
  };
  check(traces);
  std::int64_t operations = 0;
  Sites sites(std::move(is_before), named);
  std::vector<Recording> recordings;
  std::string from;
  for (const Trace* trace : traces) {
    recordings.push_back(read_recording(*trace, sites, operations));
    from += fmt::format("{}{}", from.empty() ? "" : ", ", trace->manifest().run.ranks);
  }
  const LeftOut left_out = leave_out_disturbances(recordings);
  std::ranges::sort(recordings, std::ranges::greater(), &Recording::rank_count);
  std::string why_typical;
  const ScaledProgram found = [&] {
    try {
      return program_in_any_way(recordings, sites, ranks, shown);
    } catch (const NoExactProgram& error) {
      shown("finding rules", even_shapes.size(), even_shapes.size());
      if (exactly != Exactly::typical)
        throw NoExactProgram(error.where(), error.problem() + hint_of_commands(traces), error.remedy());
      why_typical = error.problem();
      return ScaledProgram();
    }
  }();
  if (exactly == Exactly::one_rule && !found.choices.empty())
    throw InputError("recordings", fmt::format("several rules fit: {}", described(found.choices, sites)),
                     "Record on one more number of ranks, or allow the usual rule");
  const auto origin_of = [&](const std::string& how) {
    return origin_of_scaled(traces, ranks,
                            fmt::format("from {} ranks; {}times of work are extrapolated", from, how));
  };
  const auto show_written = [&](int rank) {
    shown("writing", static_cast<std::size_t>(rank), static_cast<std::size_t>(ranks));
  };
  if (!why_typical.empty()) {
    TypicalTrace typical = write_typical(
        recordings, sites, ranks, folder,
        [&](const std::string& error) {
          return origin_of(fmt::format("typical, and not exact (off on {}); ", error));
        },
        show_written);
    std::vector<std::string>& notes = typical.written.notes;
    notes.push_back(
        fmt::format(
            "This is typical, and not exact: ranks do what the recorded ones did at such places of a "
            "grid, as often and as much as laws of the number of ranks say. There is no exact rule: {}",
            why_typical) +
        hint_of_commands(traces));
    notes.push_back(fmt::format("How far off this is: on {}", typical.error));
    std::ranges::move(notes_on(left_out), std::back_inserter(notes));
    return typical.written;
  }
  formats::ImportedTrace trace(folder, ranks, found.communicators);
  for (int rank = 0; rank < ranks; ++rank) {
    trace.write(rank, found.programs[static_cast<std::size_t>(rank)]);
    show_written(rank + 1);
  }
  formats::Import result = trace.finish(origin_of(""));
  const bool is_recorded = std::ranges::any_of(
      traces, [&](const Trace* recorded) { return recorded->manifest().run.ranks == ranks; });
  result.notes.push_back(
      fmt::format(
          "{}: operations follow the rules of the recordings on {} ranks, times of work are extrapolated",
          is_recorded ? fmt::format("A run on {} ranks was recorded, which has its own times", ranks)
                      : fmt::format("No run on {} ranks was recorded", ranks),
          from) +
      hint_of_commands(traces));
  for (const Obstacle& choice : found.choices)
    result.notes.push_back(fmt::format("{}: several rules fit, of which the usual one was taken; {}",
                                       sites.name(choice.site), choice.what));
  std::ranges::move(notes_on(left_out), std::back_inserter(result.notes));
  return result;
}

}  // namespace finegrain::scaling
