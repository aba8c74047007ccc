// SPDX-License-Identifier: MIT
#include "traces/scaling/scaling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace finegrain::scaling {
namespace {

constexpr std::int64_t most_calls = 20'000'000;  ///< in memory: of the program that is written

/// Where two programs differ first, beyond numbers; their length if they do not.
std::optional<std::size_t> first_difference(const Program& a, const Program& b, Numbers may_differ) {
  const auto [one, other] = std::ranges::mismatch(
      a, b, [may_differ](const Part& x, const Part& y) { return same_shape(x, y, may_differ); });
  if (one == a.end() && other == b.end()) return std::nullopt;
  return static_cast<std::size_t>(one - a.begin());
}

}  // namespace

Scaling::Scaling(const std::vector<Recording>& recordings, int dimensions, int reach, int ranks,
                 const Way& way, const WorkTrends& trends)
    : way_(way), trends_(&trends), grid_(ranks, dimensions, reach) {
  for (const Recording& recording : recordings)
    grids_.emplace_back(static_cast<int>(recording.ranks.size()), dimensions, reach);
  for (std::size_t r = 0; r < recordings.size(); ++r)
    for (std::size_t rank = 0; rank < recordings[r].ranks.size(); ++rank)
      add({{&grids_[r], static_cast<int>(rank)}, &recordings[r].ranks[rank]});
  for (int rank = 0; rank < ranks && refusal_.outcome != Outcome::no_rule; ++rank)
    make(rank);
}

void Scaling::add(Origin origin) {
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

void Scaling::refuse(Outcome outcome, const Call& call, const std::string& why) {
  if (refusal_.outcome == Outcome::no_rule || refusal_.outcome == outcome) return;
  refusal_ = {outcome, fmt::format("call {}, {}: {}", call.number, call.function.text(), why)};
}

/// @returns the answer's value, 0 if there is none
std::int64_t Scaling::value_of(const Answer& answer, const Call& call, const char* what) {
  if (answer.outcome != Outcome::known)
    refuse(answer.outcome, call,
           answer.outcome == Outcome::no_rule
               ? fmt::format("no rule gives the {}", what)
               : fmt::format("several rules give the {} in the recordings, and another one here", what));
  return answer.outcome == Outcome::known ? answer.value : 0;
}

/// Of the ranks at a border.
const ProgramRules& Scaling::rules_at(const std::vector<int>& border, std::size_t group) {
  const bool of_border = way_.one_rule == OneRule::of_same_border;
  const auto [known, is_new] = rules_.try_emplace({group, of_border ? border : std::vector<int>()});
  if (is_new) known->second = rules_of(groups_[group], of_border ? &border : nullptr);
  return known->second;
}

void Scaling::make(int rank) {
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
  const double factor = factors_.try_emplace(group, groups_[group]).first->second.factor(grid_, rank);
  double now_ns = 0;
  for (const Call& call : calls_of(rules_at(place, group), {&grid_, rank})) {
    now_ns += factor * call.work_ns;
    calls.begin(call.function, static_cast<std::int64_t>(now_ns));
    for (const Operation& operation : call.operations) {
      if (const auto* post = std::get_if<Post>(&operation)) peers_.push_back(post->peer);
      calls.add(operation);
    }
  }
  calls_ += std::ssize(calls.calls);
}

std::vector<Call> Scaling::calls_of(const ProgramRules& rules, const Place& place) {
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

Call Scaling::call_of(const PartRules& rules, const Place& place) {
  const Call& recorded = rules.part->call;
  Call call = recorded;
  call.work_ns = work_ns(rules.work_ns, place, trends_->exponent(recorded));
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

}  // namespace finegrain::scaling
