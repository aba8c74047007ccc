// SPDX-License-Identifier: MIT
#include "sim/replay/observers/step_log.hpp"

#include <algorithm>

namespace finegrain::replay {

void StepLog::iteration_began(std::size_t rank) {
  places_[rank] = {0, places_[rank].iteration + 1};
}

void StepLog::step_done(std::size_t rank, const Step& step, double now_s) {
  auto& [region, iteration] = places_[rank];
  ranks_[rank].push_back({step, now_s, 0, region, iteration});
  if (step.kind == Step::Kind::end_region) ++region;
}

void StepLog::flow_started(std::size_t rank, std::uint32_t flow, const LoadedPlatform::Route& /*route*/,
                           double /*bytes*/) {
  steps_of_flows_[flow] = ranks_[rank].size();
}

void StepLog::flow_ended(std::size_t rank, std::uint32_t flow, double now_s) {
  const std::size_t step = steps_of_flows_.at(flow);
  // A rank that blocks on a flow goes on when it has ended.
  if (step < ranks_[rank].size()) ranks_[rank][step].flow_end_s = now_s;
}

std::vector<MatchedMessage> StepLog::matched_messages() const {
  struct Ends {
    std::vector<StepPlace> sent;
    std::vector<StepPlace> expected;
  };
  std::vector<Ends> connections;
  for (std::size_t rank = 0; rank < ranks(); ++rank) {
    for (std::size_t number = 0; number < of(rank).size(); ++number) {
      const Step& step = of(rank)[number].step;
      const bool sends = step.kind == Step::Kind::send || step.kind == Step::Kind::deliver;
      const bool expects = step.kind == Step::Kind::receive || step.kind == Step::Kind::collect;
      if (!sends && !expects) continue;
      if (step.target >= connections.size()) connections.resize(step.target + 1);
      Ends& ends = connections[step.target];
      (sends ? ends.sent : ends.expected).push_back({rank, number});
    }
  }
  std::vector<MatchedMessage> messages;
  for (const Ends& ends : connections) {
    for (std::size_t m = 0; m < std::min(ends.sent.size(), ends.expected.size()); ++m) {
      const LoggedStep& sent = at(ends.sent[m]);
      const double arrival_s = sent.step.kind == Step::Kind::send
                                   ? sent.flow_end_s + at(ends.expected[m]).step.amount
                                   : sent.done_s + sent.step.latency_s;
      messages.push_back({ends.sent[m], ends.expected[m], arrival_s});
    }
  }
  return messages;
}

}  // namespace finegrain::replay
