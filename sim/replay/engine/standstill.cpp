// SPDX-License-Identifier: MIT
// When nothing happens any more: which ranks wait, for what, and whether one of them may go on.
#include <fmt/format.h>

#include <algorithm>

#include "sim/replay/engine/simulation.hpp"

namespace finegrain::replay {

bool FlowSimulation::pass_over_a_wait() {
  Rank* first = nullptr;
  for (Rank& rank : ranks_) {
    if (rank.program == nullptr || rank.collective != nullptr) continue;
    const bool may_go_on = std::ranges::any_of(rank.posted, [&](const auto& of_instance) {
      return std::ranges::any_of(of_instance.second, [&](std::size_t number) {
        const collectives::Call& call = strand(number).collective->collective.call;
        return call.blocking && waits_depend_on_algorithm(call.kind) &&
               rank.requests.awaits(strand(number).request);
      });
    });
    // The one that has waited longest is the least likely to wait only because others do.
    if (may_go_on && (first == nullptr || rank.region_start_s < first->region_start_s)) first = &rank;
  }
  if (first == nullptr || early_end().ranks > 0) return false;
  ++passed_over_;
  first->requests.pass_over();
  events_.schedule(first->rank, now_s_);
  return true;
}

EarlyEnd FlowSimulation::early_end() const {
  EarlyEnd end;
  for (const Rank& rank : ranks_) {
    if (!rank.has_finished || !iterations_->ends_early(rank.rank)) continue;
    if (end.ranks++ > 0 && rank.replay.finish_s >= end.first_s) continue;
    end.first_rank = static_cast<std::int32_t>(rank.rank);
    end.first_s = rank.replay.finish_s;
  }
  if (end.ranks > 0) end.waiting = where_ranks_wait();
  return end;
}

std::string FlowSimulation::where_ranks_wait() const {
  constexpr std::size_t most_named = 3;
  ReplayResult names;
  iterations_->report(names);
  std::vector<std::string> places;
  std::size_t waiting = 0;
  for (std::size_t number = 0; number < ranks_.size(); ++number) {
    const Rank& rank = ranks_[number];
    if (rank.has_finished || rank.program == nullptr || ++waiting > most_named) continue;
    const std::string name = names.regions.empty()
                                 ? std::string(job_.schedule->ranks[number].regions[rank.region].name.text())
                                 : names.regions[number][rank.program->region_places[rank.region]];
    places.push_back(fmt::format("rank {} in {}", number, name));
  }
  if (waiting > most_named) places.push_back(fmt::format("{} others", waiting - most_named));
  return fmt::format("{}", fmt::join(places, ", "));
}

UnreceivedMessages FlowSimulation::unreceived() const {
  UnreceivedMessages all;
  for (std::size_t c = 0; c < channels_.size(); ++c) {
    const std::int64_t count = channels_[c].unreceived();
    const Connection& connection = compiler_.connections()[c];
    if (count == 0) continue;
    if (all.count == 0) all = {0, connection.sender, connection.receiver, connection.tag};
    all.count += count;
  }
  return all;
}

}  // namespace finegrain::replay
