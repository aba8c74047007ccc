// SPDX-License-Identifier: MIT
#include "traces/scaling/scaled_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "traces/io/input_error.hpp"
#include "traces/scaling/disturbances.hpp"
#include "traces/scaling/folding.hpp"
#include "traces/scaling/rules.hpp"
#include "traces/scaling/scaling.hpp"
#include "traces/work_in_flops.hpp"

namespace finegrain::scaling {
namespace {

constexpr std::int64_t most_operations = 1'000'000;  ///< in memory: of all recordings together

Recording read(const Trace& trace, std::int64_t& operations) {
  Recording recording{trace.file_name(0), {}};
  for (int rank = 0; rank < trace.manifest().run.ranks; ++rank) {
    Program program;
    Trace::RankReader reader = trace.rank(rank);
    while (const std::optional<RecordedIteration> call = reader.next()) {
      const Body& body = call->body;
      Call one{body.regions.back().name, {}, body.sizes, 0, program.size() + 1};
      if (!program.empty()) one.after = program.back().call.function;
      for (const Operation& operation : body.operations_of(body.regions.back()))
        one.operations.push_back(operation);
      // The time that the rank waited for a core belongs to the computer on which it was recorded.
      if (body.regions.size() == 2)
        one.work_ns =
            static_cast<double>(std::max<std::int64_t>(0, call->regions.front().length_ns() - call->lost_ns));
      operations += std::ssize(one.operations) + 1;
      if (operations > most_operations)
        throw InputError(trace.file_name(rank),
                         fmt::format("the recordings have more than {} operations", most_operations),
                         "Record fewer iterations");
      program.push_back({std::move(one), {}, 0});
    }
    if (program.empty()) throw InputError(trace.file_name(rank), "it has no calls", "Record it again");
    recording.ranks.push_back(std::move(program));
  }
  return recording;
}

/// In one dimension, a rank's neighbours are up to two steps away: where the ranks at the very ends are not
/// the only ones that do something else, those beside them are looked at apart too.
Scaling scaling_of(const std::vector<Recording>& recordings, int dimensions, int ranks, const Way& way,
                   const WorkTrends& trends) {
  Scaling scaling(recordings, dimensions, 1, ranks, way, trends);
  if (dimensions > 1 || scaling.refusal().outcome != Outcome::no_rule) return scaling;
  Scaling farther(recordings, dimensions, 2, ranks, way, trends);
  if (farther.refusal().outcome == Outcome::no_rule) return scaling;
  return farther;
}

constexpr int most_dimensions = 3;
constexpr std::array ways_to_compare{Compared::calls, Compared::loops_of_shortest,
                                     Compared::loops_of_longest};
constexpr std::size_t most_tries = ways_to_compare.size() * 2 * most_dimensions;

/// On grids of one, two and three dimensions: those that explain the recordings have to agree. A grid of more
/// dimensions with places that were not recorded is no objection to one that explains everything: few
/// ranks in many dimensions are all at different borders, and fit any program.
/// @param refusal  why there is none
/// @param tried  called after each grid
/// @throws InputError if they do not agree, with one rule for all that make the same calls
std::optional<Scaling> scaling_on_any_grid(const std::vector<Recording>& recordings, int ranks,
                                           const Way& way, const WorkTrends& trends, Refusal& refusal,
                                           const std::function<void()>& tried) {
  std::optional<Scaling> found;
  for (int dimensions = 1; dimensions <= most_dimensions; ++dimensions) {
    Scaling scaling = scaling_of(recordings, dimensions, ranks, way, trends);
    tried();
    if (!found && (dimensions == 1 || scaling.refusal().outcome == Outcome::rules_disagree))
      refusal = scaling.refusal();
    if (scaling.refusal().outcome == Outcome::no_rule) continue;
    if (found && scaling.lacks_place()) continue;
    if (!scaling.peers_disagree() && !scaling.lacks_place() &&
        (!found || found->peers() == scaling.peers())) {
      if (!found && scaling.refusal().outcome == Outcome::known) found.emplace(std::move(scaling));
      continue;
    }
    if (way.one_rule == OneRule::of_same_border) return std::nullopt;
    throw InputError("recordings",
                     fmt::format("{} fit them, and differ on {} ranks ({})",
                                 found ? "grids of different dimensions" : "several rules", ranks,
                                 refusal.what.empty() ? "other neighbours" : refusal.what),
                     "Record on one more number of ranks");
  }
  return found;
}

std::vector<Recording> folded(std::vector<Recording> recordings, First first) {
  for (Recording& recording : recordings)
    for (Program& program : recording.ranks)
      program = folded(std::move(program), first);
  return recordings;
}

/// First compares each call with the same one of the other recordings. Only if these have no rule, and one
/// more recording would not help, compares loops, whose steps may depend on the number of ranks.
/// @param shown  as that of scale_trace()
/// @throws InputError that says why there is none
Scaling scaling_in_any_way(std::vector<Recording> recordings, int ranks, const ScaleProgress& shown) {
  std::ranges::sort(recordings, std::ranges::greater(),
                    [](const Recording& recording) { return recording.ranks.size(); });
  WorkTrends trends;
  for (const Recording& recording : recordings)
    trends.add(static_cast<int>(recording.ranks.size()), recording.ranks);
  Refusal refusal;
  std::size_t tries = 0;
  const auto tried = [&] { shown("finding rules", ++tries, most_tries); };
  for (const Compared compared : ways_to_compare) {
    const std::vector<Recording> own =
        compared == Compared::calls
            ? recordings
            : folded(recordings, compared == Compared::loops_of_shortest ? First::shortest : First::longest);
    Refusal of_borders;
    std::optional<Scaling> found =
        scaling_on_any_grid(own, ranks, {OneRule::of_same_calls, compared}, trends, refusal, tried);
    if (!found)
      found = scaling_on_any_grid(own, ranks, {OneRule::of_same_border, compared}, trends, of_borders, tried);
    if (found) return std::move(*found);
    if (refusal.outcome == Outcome::rules_disagree) break;
  }
  throw InputError("recordings", fmt::format("no rule for {} ranks ({})", ranks, refusal.what),
                   refusal.outcome == Outcome::rules_disagree ? "Record on one more number of ranks"
                                                              : "Record the program on these ranks");
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

std::string said(const LeftOut& left_out) {
  return fmt::format(
      "{} of {} stretches of work took more than 5 times as long as usual, as if something had disturbed "
      "them: {:.3g} s ({:.2g} % of the work) are left out",
      left_out.disturbed, left_out.stretches, left_out.added_ns * 1e-9,
      100 * left_out.added_ns / left_out.work_ns);
}

}  // namespace

formats::Import scale_trace(const std::vector<const Trace*>& traces, int ranks,
                            const std::filesystem::path& folder, const ScaleProgress& progress) {
  const auto shown = [&](const char* what, std::size_t done, std::size_t of) {
    if (progress) progress(what, done, of);
  };
  check(traces);
  std::int64_t operations = 0;
  std::vector<Recording> recordings;
  std::string from;
  for (const Trace* trace : traces) {
    recordings.push_back(read(*trace, operations));
    from += fmt::format("{}{}", from.empty() ? "" : ", ", trace->manifest().run.ranks);
  }
  const LeftOut left_out = leave_out_disturbances(recordings);
  const Scaling scaling = [&] {
    try {
      Scaling found = scaling_in_any_way(std::move(recordings), ranks, shown);
      shown("finding rules", most_tries, most_tries);
      return found;
    } catch (const InputError& error) {
      shown("finding rules", most_tries, most_tries);
      throw InputError(error.where(), error.problem() + hint_of_commands(traces), error.remedy());
    }
  }();
  formats::ImportedTrace trace(folder, ranks);
  for (int rank = 0; rank < ranks; ++rank) {
    trace.write(rank, scaling.programs()[static_cast<std::size_t>(rank)]);
    shown("writing", static_cast<std::size_t>(rank) + 1, static_cast<std::size_t>(ranks));
  }
  formats::Origin origin{text_of(traces.front()->manifest().run.problem, "command"),
                         {{"scaled", fmt::format("from {} ranks; times of work are extrapolated", from)}},
                         ranks_per_node_of(traces, ranks)};
  if (std::ranges::all_of(
          traces, [](const Trace* recorded) { return work_flops_per_s(recorded->manifest()).has_value(); }))
    origin.environment.insert(work_in_flops());
  formats::Import result = trace.finish(origin);
  const bool is_recorded = std::ranges::any_of(
      traces, [&](const Trace* recorded) { return recorded->manifest().run.ranks == ranks; });
  result.notes.push_back(
      fmt::format(
          "{}: operations follow the rules of the recordings on {} ranks, times of work are extrapolated",
          is_recorded ? fmt::format("A run on {} ranks was recorded, which has its own times", ranks)
                      : fmt::format("No run on {} ranks was recorded", ranks),
          from) +
      hint_of_commands(traces));
  if (left_out.disturbed > 0) result.notes.push_back(said(left_out));
  return result;
}

}  // namespace finegrain::scaling
