// SPDX-License-Identifier: MIT
#include "traces/scaling/scaled_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "traces/io/input_error.hpp"
#include "traces/scaling/folding.hpp"
#include "traces/scaling/program_rules.hpp"
#include "traces/scaling/rules.hpp"

namespace finegrain::scaling {
namespace {

constexpr std::int64_t most_operations = 1'000'000;  ///< in memory: of all recordings together
constexpr std::int64_t most_calls = 20'000'000;      ///< in memory: of the program that is written

struct Recording {
  std::string file;
  std::vector<Program> ranks;
};

Recording read(const Trace& trace, std::int64_t& operations) {
  Recording recording{trace.file_name(0), {}};
  for (int rank = 0; rank < trace.manifest().run.ranks; ++rank) {
    Program program;
    Trace::RankReader reader = trace.rank(rank);
    while (const std::optional<RecordedIteration> call = reader.next()) {
      const Body& body = call->body;
      Call one{body.regions.back().name, {}, body.sizes, 0, program.size() + 1};
      for (const Operation& operation : body.operations_of(body.regions.back()))
        one.operations.push_back(operation);
      if (body.regions.size() == 2)
        one.work_ns = static_cast<double>(call->regions.front().end_ns - call->regions.front().start_ns);
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

/// Why grids of this number of dimensions explain nothing.
struct Refusal {
  Outcome outcome = Outcome::known;
  std::string what;
};

/// Whose peers have one rule: all ranks that make the same calls, or only those at the same border of the
/// grid. Corners make the same calls, and each has its neighbours on other sides.
enum class OneRule : std::uint8_t { of_same_calls, of_same_border };

/// Which parts of the ranks' programs are compared: calls, or loops of calls.
enum class Compared : std::uint8_t { calls, loops_of_shortest, loops_of_longest };

/// How ranks' programs are compared.
struct Way {
  OneRule one_rule;
  Compared compared;

  Numbers may_differ() const { return compared == Compared::calls ? Numbers::peers_and_sizes : Numbers::all; }
};

/// Where two programs differ first, beyond numbers; their length if they do not.
std::optional<std::size_t> first_difference(const Program& a, const Program& b, Numbers may_differ) {
  const auto [one, other] = std::ranges::mismatch(
      a, b, [may_differ](const Part& x, const Part& y) { return same_shape(x, y, may_differ); });
  if (one == a.end() && other == b.end()) return std::nullopt;
  return static_cast<std::size_t>(one - a.begin());
}

/// The program on grids of a number of dimensions. Ranks with the same border do the same; where even those
/// of several borders do, their sizes are looked at together.
class Scaling {
 public:
  Scaling(const std::vector<Recording>& recordings, int dimensions, int reach, int ranks, const Way& way)
      : way_(way), grid_(ranks, dimensions, reach) {
    for (const Recording& recording : recordings)
      grids_.emplace_back(static_cast<int>(recording.ranks.size()), dimensions, reach);
    for (std::size_t r = 0; r < recordings.size(); ++r)
      for (std::size_t rank = 0; rank < recordings[r].ranks.size(); ++rank)
        add({{&grids_[r], static_cast<int>(rank)}, &recordings[r].ranks[rank]});
    for (int rank = 0; rank < ranks && refusal_.outcome != Outcome::no_rule; ++rank)
      make(rank);
  }

  const Refusal& refusal() const { return refusal_; }
  const std::vector<formats::RankCalls>& programs() const { return programs_; }
  const std::vector<std::int64_t>& peers() const { return peers_; }  ///< of all ranks, in order
  bool peers_disagree() const { return peers_disagree_; }
  /// Whether a rank is at a place of the grid for which no rank was recorded.
  bool lacks_place() const { return lacks_place_; }

 private:
  void add(Origin origin) {
    const std::vector<int> border = origin.place.grid->border_of(origin.place.rank);
    const auto known = group_of_border_.find(border);
    if (known != group_of_border_.end()) {
      const Program& other = *groups_[known->second].front().program;
      const std::optional<std::size_t> at = first_difference(*origin.program, other, way_.may_differ());
      std::optional<Program> aligned_to_other = at ? aligned(*origin.program, other) : std::nullopt;
      if (aligned_to_other)
        origin.program = &aligned_.emplace_back(std::move(*aligned_to_other));
      else if (at)
        refuse(Outcome::no_rule, (*origin.program)[std::min(*at, origin.program->size() - 1)].call,
               "ranks at the same place of the grid go on differently");
      groups_[known->second].push_back(origin);
      return;
    }
    const auto group = std::ranges::find_if(groups_, [&](const std::vector<Origin>& origins) {
      return !first_difference(*origins.front().program, *origin.program, way_.may_differ());
    });
    group_of_border_.emplace(border, group - groups_.begin());
    if (group == groups_.end())
      groups_.push_back({origin});
    else
      group->push_back(origin);
  }

  void refuse(Outcome outcome, const Call& call, const std::string& why) {
    if (refusal_.outcome == Outcome::no_rule || refusal_.outcome == outcome) return;
    refusal_ = {outcome, fmt::format("call {}, {}: {}", call.number, call.function.text(), why)};
  }

  /// @returns the answer's value, 0 if there is none
  std::int64_t value_of(const Answer& answer, const Call& call, const char* what) {
    if (answer.outcome != Outcome::known)
      refuse(answer.outcome, call,
             answer.outcome == Outcome::no_rule
                 ? fmt::format("no rule gives the {}", what)
                 : fmt::format("several rules give the {} in the recordings, and another one here", what));
    return answer.outcome == Outcome::known ? answer.value : 0;
  }

  /// Of the ranks at a border.
  const ProgramRules& rules_at(const std::vector<int>& border, std::size_t group) {
    const bool of_border = way_.one_rule == OneRule::of_same_border;
    const auto [known, is_new] = rules_.try_emplace({group, of_border ? border : std::vector<int>()});
    if (is_new) known->second = rules_of(groups_[group], of_border ? &border : nullptr);
    return known->second;
  }

  void make(int rank) {
    formats::RankCalls& calls = programs_.emplace_back();
    const std::vector<int> place = grid_.border_of(rank);
    const auto border = group_of_border_.find(place);
    // Where all recorded ranks do the same, so does one at any place.
    if (border == group_of_border_.end() && groups_.size() > 1) {
      lacks_place_ = true;
      if (refusal_.outcome == Outcome::known)
        refusal_ = {Outcome::rules_disagree,
                    fmt::format("rank {}: no rank was recorded at such a place of the grid", rank)};
      return;
    }
    const std::size_t group = border == group_of_border_.end() ? 0 : border->second;
    double now_ns = 0;
    for (const Call& call : calls_of(rules_at(place, group), {&grid_, rank})) {
      now_ns += call.work_ns;
      calls.begin(call.function, static_cast<std::int64_t>(now_ns));
      for (const Operation& operation : call.operations) {
        if (const auto* post = std::get_if<Post>(&operation)) peers_.push_back(post->peer);
        calls.add(operation);
      }
    }
    calls_ += std::ssize(calls.calls);
  }

  std::vector<Call> calls_of(const ProgramRules& rules, const Place& place) {
    std::vector<Call> calls;
    for (const PartRules& part : rules) {
      if (part.steps.empty()) {
        calls.push_back(call_of(part, place));
        continue;
      }
      const Call& first = part.part->call;
      Answer count = answer_of_all(part.step_count, place);
      if (!part.steps_known) count.outcome = Outcome::rules_disagree;
      peers_disagree_ = peers_disagree_ || count.outcome == Outcome::rules_disagree;
      const std::int64_t steps = value_of(count, first, "number of steps of the loop that begins here");
      std::vector<Call> one;
      for (std::int64_t step = 0; step < steps && refusal_.outcome != Outcome::no_rule; ++step) {
        if (step == 0 || part.steps.size() > 1 || part.by_step)
          one = calls_of(part.steps[part.steps.size() > 1 ? static_cast<std::size_t>(step) : 0],
                         part.by_step ? Place{place.grid, place.rank, step, steps} : place);
        if (calls_ + std::ssize(calls) + std::ssize(one) > most_calls) {
          refuse(Outcome::no_rule, first,
                 fmt::format("with this loop there are more than {} calls", most_calls));
          return calls;
        }
        calls.insert(calls.end(), one.begin(), one.end());
      }
    }
    return calls;
  }

  Call call_of(const PartRules& rules, const Place& place) {
    const Call& recorded = rules.part->call;
    Call call = recorded;
    call.work_ns = work_ns(rules.work_ns, place);
    for (std::size_t o = 0; o < call.operations.size(); ++o) {
      const OperationRules& own = rules.operations[o];
      if (auto* post = std::get_if<Post>(&call.operations[o])) {
        if (post->communicator != 0)
          refuse(Outcome::no_rule, recorded, "it is on a communicator or window of its own");
        const Answer peer = answer(own.peer, place);
        peers_disagree_ = peers_disagree_ || peer.outcome == Outcome::rules_disagree;
        post->peer = static_cast<std::int32_t>(value_of(peer, recorded, "other rank"));
        post->size_bytes = value_of(answer_of_all(own.size, place), recorded, "size");
        post->tag = static_cast<std::int32_t>(value_of(answer(own.tag, place), recorded, "tag"));
      } else if (auto* collective = std::get_if<Collective>(&call.operations[o])) {
        if (collective->communicator != 0)
          refuse(Outcome::no_rule, recorded, "it is on a communicator of its own");
        if (collective->size_count != 0)
          refuse(Outcome::no_rule, recorded, "its sizes are a table, one for each rank");
        collective->root = static_cast<std::int32_t>(value_of(answer(own.peer, place), recorded, "root"));
        collective->size_bytes = value_of(answer_of_all(own.size, place), recorded, "size");
      } else if (auto* complete = std::get_if<Complete>(&call.operations[o])) {
        complete->oldest = value_of(answer_of_all(own.oldest, place), recorded, "request that it waits for");
        complete->count = value_of(answer_of_all(own.count, place), recorded, "number of requests");
      } else if (std::holds_alternative<Lock>(call.operations[o])) {
        refuse(Outcome::no_rule, recorded, "it locks a window");
      }
    }
    return call;
  }

  Way way_;
  ProcessGrid grid_;
  std::vector<ProcessGrid> grids_;
  std::deque<Program> aligned_;  // with loops of one step
  std::vector<std::vector<Origin>> groups_;
  std::map<std::vector<int>, std::size_t> group_of_border_;
  std::map<std::pair<std::size_t, std::vector<int>>, ProgramRules> rules_;
  Refusal refusal_;
  std::vector<formats::RankCalls> programs_;
  std::vector<std::int64_t> peers_;
  std::int64_t calls_ = 0;  // of all ranks so far
  bool peers_disagree_ = false;
  bool lacks_place_ = false;
};

/// In one dimension, a rank's neighbours are up to two steps away: where the ranks at the very ends are not
/// the only ones that do something else, those beside them are looked at apart too.
Scaling scaling_of(const std::vector<Recording>& recordings, int dimensions, int ranks, const Way& way) {
  Scaling scaling(recordings, dimensions, 1, ranks, way);
  if (dimensions > 1 || scaling.refusal().outcome != Outcome::no_rule) return scaling;
  Scaling farther(recordings, dimensions, 2, ranks, way);
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
                                           const Way& way, Refusal& refusal,
                                           const std::function<void()>& tried) {
  std::optional<Scaling> found;
  for (int dimensions = 1; dimensions <= most_dimensions; ++dimensions) {
    Scaling scaling = scaling_of(recordings, dimensions, ranks, way);
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
        scaling_on_any_grid(own, ranks, {OneRule::of_same_calls, compared}, refusal, tried);
    if (!found)
      found = scaling_on_any_grid(own, ranks, {OneRule::of_same_border, compared}, of_borders, tried);
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
    if (!is_program(trace->manifest().run))
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
  formats::Import result =
      trace.finish({text_of(traces.front()->manifest().run.problem, "command"),
                    {{"scaled", fmt::format("from {} ranks; times of work are extrapolated", from)}},
                    ranks_per_node_of(traces, ranks)});
  const bool is_recorded = std::ranges::any_of(
      traces, [&](const Trace* recorded) { return recorded->manifest().run.ranks == ranks; });
  result.notes.push_back(
      fmt::format(
          "{}: operations follow the rules of the recordings on {} ranks, times of work are extrapolated",
          is_recorded ? fmt::format("A run on {} ranks was recorded, which has its own times", ranks)
                      : fmt::format("No run on {} ranks was recorded", ranks),
          from) +
      hint_of_commands(traces));
  return result;
}

}  // namespace finegrain::scaling
