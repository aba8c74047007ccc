// SPDX-License-Identifier: MIT
#include "traces/scaling/scaled_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "traces/io/input_error.hpp"
#include "traces/scaling/rules.hpp"

namespace finegrain::scaling {
namespace {

constexpr std::int64_t most_operations = 1'000'000;  ///< in memory: of all recordings together

/// One call, without the work before it.
struct Call {
  RegionName function;
  std::vector<Operation> operations;
  std::vector<std::int64_t> sizes;
  double work_ns = 0;
};
using Program = std::vector<Call>;

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
      Call one{body.regions.back().name, {}, body.sizes, 0};
      for (const Operation& operation : body.operations_of(body.regions.back()))
        one.operations.push_back(operation);
      if (body.regions.size() == 2)
        one.work_ns = static_cast<double>(call->regions.front().end_ns - call->regions.front().start_ns);
      operations += std::ssize(one.operations) + 1;
      if (operations > most_operations)
        throw InputError(trace.file_name(rank),
                         fmt::format("the recordings have more than {} operations", most_operations),
                         "Record fewer iterations");
      program.push_back(std::move(one));
    }
    if (program.empty()) throw InputError(trace.file_name(rank), "it has no calls", "Record it again");
    recording.ranks.push_back(std::move(program));
  }
  return recording;
}

/// A rank of a recording.
struct Origin {
  const ProcessGrid* grid;
  int rank;
  const Program* program;
};

/// The operation without what rules give.
Operation without_numbers(const Operation& operation) {
  if (const auto* post = std::get_if<Post>(&operation)) {
    Post shape = *post;
    shape.peer = 0;
    shape.size_bytes = 0;
    return shape;
  }
  if (const auto* collective = std::get_if<Collective>(&operation)) {
    Collective shape = *collective;
    shape.root = 0;
    shape.size_bytes = 0;
    shape.first_size = 0;
    shape.size_count = shape.size_count > 0 ? 1 : 0;
    return shape;
  }
  return operation;
}

bool same_shape(const Call& a, const Call& b) {
  return a.function == b.function &&
         std::ranges::equal(a.operations, b.operations, {}, without_numbers, without_numbers);
}

/// Where two programs differ first, beyond numbers; their length if they do not.
std::optional<std::size_t> first_difference(const Program& a, const Program& b) {
  const auto [one, other] = std::ranges::mismatch(a, b, same_shape);
  if (one == a.end() && other == b.end()) return std::nullopt;
  return static_cast<std::size_t>(one - a.begin());
}

/// Why grids of so many dimensions explain nothing.
struct Refusal {
  Outcome outcome = Outcome::known;
  std::string what;
};

/// Whose peers have one rule: all ranks that make the same calls, or only those at the same border of the
/// grid. Corners make the same calls, and each has its neighbours on other sides.
enum class OneRule : std::uint8_t { of_same_calls, of_same_border };

/// The program on grids of a number of dimensions. Ranks with the same border do the same; where even those
/// of several borders do, their sizes are looked at together.
class Scaling {
 public:
  Scaling(const std::vector<Recording>& recordings, int dimensions, int reach, int ranks, OneRule one_rule)
      : one_rule_(one_rule), grid_(ranks, dimensions, reach) {
    for (const Recording& recording : recordings)
      grids_.emplace_back(static_cast<int>(recording.ranks.size()), dimensions, reach);
    for (std::size_t r = 0; r < recordings.size(); ++r)
      for (std::size_t rank = 0; rank < recordings[r].ranks.size(); ++rank)
        add({&grids_[r], static_cast<int>(rank), &recordings[r].ranks[rank]});
    for (int rank = 0; rank < ranks && refusal_.outcome != Outcome::no_rule; ++rank)
      make(rank);
  }

  const Refusal& refusal() const { return refusal_; }
  const std::vector<formats::RankCalls>& programs() const { return programs_; }
  const std::vector<std::int64_t>& peers() const { return peers_; }  ///< of all ranks, in order
  bool peers_disagree() const { return peers_disagree_; }

 private:
  void add(const Origin& origin) {
    const auto group = std::ranges::find_if(groups_, [&](const std::vector<Origin>& origins) {
      return !first_difference(*origins.front().program, *origin.program);
    });
    const auto number = static_cast<std::size_t>(group - groups_.begin());
    if (group == groups_.end()) groups_.emplace_back();
    groups_[number].push_back(origin);
    const auto [known, is_new] = group_of_border_.try_emplace(origin.grid->border_of(origin.rank), number);
    if (is_new || known->second == number) return;
    const Program& other = *groups_[known->second].front().program;
    const std::size_t at = *first_difference(*origin.program, other);
    refuse(Outcome::no_rule, *origin.program, std::min(at, origin.program->size() - 1),
           "ranks at the same place of the grid go on differently");
  }

  void refuse(Outcome outcome, const Program& program, std::size_t call, const std::string& why) {
    if (refusal_.outcome == Outcome::no_rule || refusal_.outcome == outcome) return;
    refusal_ = {outcome, fmt::format("call {}, {}: {}", call + 1, program[call].function.text(), why)};
  }

  /// @returns the answer's value, 0 if there is none
  std::int64_t value_of(const Answer& answer, const Program& program, std::size_t call, const char* what) {
    if (answer.outcome != Outcome::known)
      refuse(answer.outcome, program, call,
             answer.outcome == Outcome::no_rule
                 ? fmt::format("no rule gives the {}", what)
                 : fmt::format("several rules give the {} in the recordings, and another one here", what));
    return answer.outcome == Outcome::known ? answer.value : 0;
  }

  void make(int rank) {
    formats::RankCalls& calls = programs_.emplace_back();
    const auto border = group_of_border_.find(grid_.border_of(rank));
    // Where all recorded ranks do the same, so does one at any place.
    if (border == group_of_border_.end() && groups_.size() > 1) {
      peers_disagree_ = true;
      if (refusal_.outcome == Outcome::known)
        refusal_ = {Outcome::rules_disagree,
                    fmt::format("rank {}: no rank was recorded at such a place of the grid", rank)};
      return;
    }
    const std::vector<Origin>& group = groups_[border == group_of_border_.end() ? 0 : border->second];
    const Program& first = *group.front().program;
    double now_ns = 0;
    for (std::size_t c = 0; c < first.size(); ++c) {
      now_ns += work_ns(group, c);
      const auto at_ns = static_cast<std::int64_t>(now_ns);
      calls.begin(first[c].function, at_ns);
      for (std::size_t o = 0; o < first[c].operations.size(); ++o)
        add_operation(calls, group, c, o, rank);
    }
  }

  template <class Value>
  std::vector<Sample> samples_of(const std::vector<Origin>& group, std::size_t call, std::size_t operation,
                                 Value&& value) const {
    std::vector<Sample> samples;
    for (const Origin& origin : group) {
      samples.push_back({origin.grid, origin.rank, value((*origin.program)[call].operations[operation])});
    }
    return samples;
  }

  /// @param value  of an operation: the rank that it names
  template <class Value>
  Answer peer_of(const std::vector<Origin>& group, std::size_t call, std::size_t operation, int rank,
                 Value&& value) const {
    if (one_rule_ == OneRule::of_same_calls)
      return peer_at(samples_of(group, call, operation, value), grid_, rank);
    std::vector<Origin> own;
    for (const Origin& origin : group)
      if (origin.grid->border_of(origin.rank) == grid_.border_of(rank)) own.push_back(origin);
    return own.empty() ? Answer() : peer_at(samples_of(own, call, operation, value), grid_, rank);
  }

  void add_operation(formats::RankCalls& calls, const std::vector<Origin>& group, std::size_t c,
                     std::size_t o, int rank) {
    const Program& first = *group.front().program;
    const Operation& operation = first[c].operations[o];
    if (const auto* post = std::get_if<Post>(&operation)) {
      Post own = *post;
      if (own.communicator != 0)
        refuse(Outcome::no_rule, first, c, "it is on a communicator or window of its own");
      const Answer peer = peer_of(
          group, c, o, rank, [](const Operation& one) { return std::int64_t{std::get<Post>(one).peer}; });
      peers_disagree_ = peers_disagree_ || peer.outcome == Outcome::rules_disagree;
      own.peer = static_cast<std::int32_t>(value_of(peer, first, c, "other rank"));
      peers_.push_back(own.peer);
      own.size_bytes = value_of(
          size_at(
              samples_of(group, c, o, [](const Operation& one) { return std::get<Post>(one).size_bytes; }),
              grid_),
          first, c, "size");
      calls.add(own);
    } else if (const auto* collective = std::get_if<Collective>(&operation)) {
      Collective own = *collective;
      if (own.communicator != 0) refuse(Outcome::no_rule, first, c, "it is on a communicator of its own");
      if (own.size_count != 0) refuse(Outcome::no_rule, first, c, "its sizes are a table, one for each rank");
      own.root = static_cast<std::int32_t>(
          value_of(peer_of(group, c, o, rank,
                           [](const Operation& one) { return std::int64_t{std::get<Collective>(one).root}; }),
                   first, c, "root"));
      own.size_bytes = value_of(
          size_at(samples_of(group, c, o,
                             [](const Operation& one) { return std::get<Collective>(one).size_bytes; }),
                  grid_),
          first, c, "size");
      calls.add(own);
    } else {
      if (std::holds_alternative<Lock>(operation)) refuse(Outcome::no_rule, first, c, "it locks a window");
      calls.add(operation);
    }
  }

  /// Goes on as it changed from the second largest recording to the largest.
  double work_ns(const std::vector<Origin>& group, std::size_t call) const {
    std::map<int, std::pair<double, int>> sums;  // by ranks
    for (const Origin& origin : group) {
      auto& [sum_ns, count] = sums[origin.grid->ranks()];
      sum_ns += (*origin.program)[call].work_ns;
      ++count;
    }
    const auto mean = [](const auto& sum) { return sum.second.first / sum.second.second; };
    const auto& last = *sums.rbegin();
    if (sums.size() == 1 || mean(last) <= 0 || mean(*std::next(sums.rbegin())) <= 0) return mean(last);
    const auto& before = *std::next(sums.rbegin());
    const double exponent = std::clamp(
        std::log(mean(last) / mean(before)) / std::log(static_cast<double>(last.first) / before.first), -1.0,
        1.0);
    return mean(last) * std::pow(static_cast<double>(grid_.ranks()) / last.first, exponent);
  }

  OneRule one_rule_;
  ProcessGrid grid_;
  std::vector<ProcessGrid> grids_;
  std::vector<std::vector<Origin>> groups_;
  std::map<std::vector<int>, std::size_t> group_of_border_;
  Refusal refusal_;
  std::vector<formats::RankCalls> programs_;
  std::vector<std::int64_t> peers_;
  bool peers_disagree_ = false;
};

/// In one dimension, a rank's neighbours are up to two steps away: where the ranks at the very ends are not
/// the only ones that do something else, those beside them are looked at apart too.
Scaling scaling_of(const std::vector<Recording>& recordings, int dimensions, int ranks, OneRule one_rule) {
  Scaling scaling(recordings, dimensions, 1, ranks, one_rule);
  if (dimensions > 1 || scaling.refusal().outcome != Outcome::no_rule) return scaling;
  Scaling farther(recordings, dimensions, 2, ranks, one_rule);
  if (farther.refusal().outcome == Outcome::no_rule) return scaling;
  return farther;
}

/// On grids of one, two and three dimensions: those that explain the recordings have to agree.
/// @param refusal  why there is none
/// @throws InputError if they do not agree, with one rule for all that make the same calls
std::optional<Scaling> scaling_on_any_grid(const std::vector<Recording>& recordings, int ranks,
                                           OneRule one_rule, Refusal& refusal) {
  std::optional<Scaling> found;
  for (int dimensions = 1; dimensions <= 3; ++dimensions) {
    Scaling scaling = scaling_of(recordings, dimensions, ranks, one_rule);
    if (!found && (dimensions == 1 || scaling.refusal().outcome == Outcome::rules_disagree))
      refusal = scaling.refusal();
    if (scaling.refusal().outcome == Outcome::no_rule) continue;
    if (!scaling.peers_disagree() && (!found || found->peers() == scaling.peers())) {
      if (!found && scaling.refusal().outcome == Outcome::known) found.emplace(std::move(scaling));
      continue;
    }
    if (one_rule == OneRule::of_same_border) return std::nullopt;
    throw InputError("recordings",
                     fmt::format("grids of other dimensions fit them too, and differ on {} ranks ({})", ranks,
                                 refusal.what.empty() ? "other neighbours" : refusal.what),
                     "Record on one more number of ranks");
  }
  return found;
}

void check(const std::vector<const Trace*>& traces) {
  std::vector<int> ranks;
  for (const Trace* trace : traces) {
    if (!is_program(trace->manifest().run))
      throw InputError(trace->file_name(0), "it is of a pattern of finegrain's own, which needs no recording",
                       "Ask for the schedule with other --ranks");
    ranks.push_back(trace->manifest().run.ranks);
  }
  std::ranges::sort(ranks);
  if (ranks.size() < 2 || std::ranges::adjacent_find(ranks) != ranks.end())
    throw InputError("recordings", "a rule needs two numbers of ranks or more",
                     "Record on another number of ranks");
}

}  // namespace

formats::Import scale_trace(const std::vector<const Trace*>& traces, int ranks,
                            const std::filesystem::path& folder) {
  check(traces);
  std::int64_t operations = 0;
  std::vector<Recording> recordings;
  std::string from;
  for (const Trace* trace : traces) {
    recordings.push_back(read(*trace, operations));
    from += fmt::format("{}{}", from.empty() ? "" : ", ", trace->manifest().run.ranks);
  }
  Refusal refusal;
  std::optional<Scaling> found = scaling_on_any_grid(recordings, ranks, OneRule::of_same_calls, refusal);
  if (!found) {
    Refusal of_borders;
    found = scaling_on_any_grid(recordings, ranks, OneRule::of_same_border, of_borders);
  }
  if (!found)
    throw InputError("recordings", fmt::format("no rule for {} ranks ({})", ranks, refusal.what),
                     refusal.outcome == Outcome::rules_disagree ? "Record on one more number of ranks"
                                                                : "Record the program on these ranks");
  formats::ImportedTrace trace(folder, ranks);
  for (int rank = 0; rank < ranks; ++rank)
    trace.write(rank, found->programs()[static_cast<std::size_t>(rank)]);
  formats::Import result =
      trace.finish({text_of(traces.front()->manifest().run.problem, "command"),
                    {{"scaled", fmt::format("from {} ranks; times of work are extrapolated", from)}}});
  result.notes.push_back(fmt::format(
      "No run on {} ranks was recorded: operations follow the rules of the recordings on {} ranks, "
      "times of work are extrapolated",
      ranks, from));
  return result;
}

}  // namespace finegrain::scaling
