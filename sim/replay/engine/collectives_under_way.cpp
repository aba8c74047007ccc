// SPDX-License-Identifier: MIT
#include <algorithm>
#include <utility>

#include "sim/replay/engine/simulation.hpp"

namespace finegrain::replay {

/// Of the collective that the rank carries out, or of its program; none at the program's end.
const Step* FlowSimulation::next_step(std::size_t number) {
  Rank& rank = ranks_[number];
  while (rank.collective != nullptr) {
    UnderWay& collective = *rank.collective;
    if (collective.step < collective.round.steps.size()) return &collective.round.steps[collective.step];
    if (!next_round(number)) rank.collective.reset();
  }
  return rank.step < rank.program->steps.size() ? &rank.program->steps[rank.step] : nullptr;
}

bool FlowSimulation::next_round(std::size_t number) {
  Rank& rank = ranks_[number];
  UnderWay& collective = *rank.collective;
  if (collective.next_round == collective.rounds) {
    // Those of its rounds are complete.
    while (rank.requests.newest() > collective.first_request)
      rank.requests.close();
    return false;
  }
  collective.round = compiler_.compile_round(collective.collective, collective.next_round++,
                                             static_cast<int>(number), collective.instance);
  collective.step = 0;
  meet_routes();
  return true;
}

std::unique_ptr<UnderWay> FlowSimulation::under_way(const CompiledBody::CollectiveStep& step,
                                                    std::int32_t instance) const {
  auto collective = std::make_unique<UnderWay>();
  collective->collective = step;
  collective->sizes.assign(step.call.sizes.begin(), step.call.sizes.end());
  collective->collective.call.sizes = collective->sizes;
  collective->instance = instance;
  collective->rounds =
      step.call.ranks > 1 ? collectives::rounds(collective->collective.call, step.choice) : 0;
  return collective;
}

void FlowSimulation::begin_collective(std::size_t number, std::unique_ptr<UnderWay> collective) {
  Rank& rank = ranks_[number];
  collective->first_request = rank.requests.newest();
  rank.collective = std::move(collective);
}

/// @returns whether the rank has a collective to carry out before it goes on. One that does not block goes on
/// only while its rank waits for it, as in MPI libraries without a thread of their own.
bool FlowSimulation::begins_collective(std::size_t number, const Step& step) {
  Rank& rank = ranks_[number];
  if (step.kind == Step::Kind::collective) {
    begin_collective(number, under_way(rank.program->collectives[step.target], 0));
    ++rank.step;
    return true;
  }
  const bool is_some = step.kind == Step::Kind::wait_some;
  if (rank.posted.empty() || rank.collective != nullptr || (step.kind != Step::Kind::wait && !is_some))
    return false;
  const std::int64_t newest = rank.requests.newest();
  const std::int64_t from = is_some ? newest + 1 - step.target : 0;
  const std::int64_t to = is_some ? from + step.peer : newest + 1;
  const auto first = rank.posted.lower_bound(from);
  const auto last = rank.posted.lower_bound(to);
  if (first == last) return false;
  // Ranks may have posted them in different orders on different communicators, so they take the communicators
  // in one order. On one communicator all have posted them in the same order, in which they are done, awaited
  // or not.
  const auto communicator = [](const auto& one) { return one.second->collective.communicator; };
  const std::int32_t chosen =
      communicator(*std::min_element(first, last, [&](const auto& one, const auto& other) {
        return communicator(one) < communicator(other);
      }));
  const auto posted =
      std::find_if(rank.posted.begin(), last, [&](const auto& one) { return communicator(one) == chosen; });
  std::unique_ptr<UnderWay> collective = std::move(posted->second);
  rank.posted.erase(posted);
  begin_collective(number, std::move(collective));
  return true;
}

}  // namespace finegrain::replay
