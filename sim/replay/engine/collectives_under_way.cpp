// SPDX-License-Identifier: MIT
#include <utility>

#include "sim/replay/engine/simulation.hpp"

namespace finegrain::replay {

/// The next step of the collective that the strand carries out; none: it carries out none any more.
const Step* FlowSimulation::next_step(Strand& strand) {
  while (strand.collective != nullptr) {
    const UnderWay& collective = *strand.collective;
    if (collective.step < collective.round.steps.size()) return &collective.round.steps[collective.step];
    if (!next_round(strand)) strand.collective.reset();
  }
  return nullptr;
}

bool FlowSimulation::next_round(Strand& strand) {
  UnderWay& collective = *strand.collective;
  if (collective.next_round == collective.rounds) {
    // Those of its rounds are complete.
    const std::int64_t complete = strand.requests.newest() - collective.first_request;
    if (complete > 0 && &strand == &ranks_[strand.rank]) {
      for (Observer* observer : observers_)
        observer->requests_closed(strand.rank, complete, now_s());
    }
    while (strand.requests.newest() > collective.first_request)
      strand.requests.close();
    return false;
  }
  collective.round = compiler_.compile_round(collective.collective, collective.next_round++,
                                             static_cast<int>(strand.rank), collective.instance);
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

/// The rank goes on when it has carried it out.
void FlowSimulation::begin_collective(Rank& rank, const Step& step) {
  rank.collective = under_way(rank.program->collectives[step.collective], 0);
  rank.collective->first_request = rank.requests.newest();
  rank.entered = {now_s(), static_cast<std::int32_t>(rank.rank), Partner::Role::member};
  rank.delayed_s = 0;
  ++rank.step;
}

/// The collective goes on beside its rank, as if the MPI library had a thread for it or the network did the
/// work. Collectives of one communicator are told apart by numbers that are used again: one waits for the
/// end of the rank's earlier one with the same number, so that their messages do not mix. Blocking
/// collectives have the number 0, also if their rank waits without posting them.
void FlowSimulation::post_collective(Rank& rank, const Step& step) {
  constexpr std::int32_t most_at_once = 64;
  const CompiledBody::CollectiveStep& collective = rank.program->collectives[step.collective];
  const std::int32_t instance =
      collective.call.blocking ? 0 : 1 + rank.instances[collective.communicator]++ % most_at_once;
  const std::size_t number = beside_.add(rank.rank);
  rank.requests.open(1);
  rank.requests.start();
  Strand& posted = strand(number);
  posted.collective = under_way(collective, instance);
  posted.entered = {now_s(), static_cast<std::int32_t>(rank.rank), Partner::Role::member};
  posted.posting = {collective.communicator, instance};
  posted.request = rank.requests.newest();
  std::deque<std::size_t>& of_instance = rank.posted[posted.posting];
  of_instance.push_back(number);
  if (of_instance.size() == 1) wake(number, now_s());
}

void FlowSimulation::go_on_posted(std::size_t number) {
  if (strand(number).collective == nullptr) {
    end_copy(number);
    return;
  }
  Strand& posted = strand(number);
  UnderWay& collective = *posted.collective;
  if (collective.step < collective.round.steps.size()) ++collective.step;  // the awaited step is done
  while (const Step* step = next_step(posted)) {
    if (!execute(posted, number, *step)) return;
    ++collective.step;
  }
  end_posted(number);
}

void FlowSimulation::end_posted(std::size_t number) {
  const Strand& ended = strand(number);
  Rank& rank = ranks_[ended.rank];
  const auto of_instance = rank.posted.find(ended.posting);
  of_instance->second.pop_front();
  if (of_instance->second.empty()) {
    rank.posted.erase(of_instance);
  } else {
    wake(of_instance->second.front(), now_s());
  }
  const Partner entered = ended.entered;
  const double delayed_s = ended.delayed_s;
  beside_.end(number);
  complete(ended.rank, ended.request, {now_s(), now_s() - delayed_s}, entered);
}

void FlowSimulation::wake_beside() {
  while (const auto number = beside_.next_due())
    is_rank(*number) ? network_->look(*number) : go_on_posted(*number);
}

}  // namespace finegrain::replay
