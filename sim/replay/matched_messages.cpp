// SPDX-License-Identifier: MIT
#include "sim/replay/matched_messages.hpp"

#include <algorithm>

namespace finegrain {
namespace {

struct Ends {
  std::vector<StepPlace> sent;
  std::vector<StepPlace> expected;
};

}  // namespace

std::vector<MatchedMessage> matched_messages(const RoutedPrograms& routed, const StepTimes& times) {
  std::vector<Ends> connections(routed.connections.size());
  for (std::size_t rank = 0; rank < routed.programs.size(); ++rank) {
    const std::vector<Step>& steps = routed.programs[rank].steps;
    for (std::size_t number = 0; number < times.done_s[rank].size(); ++number) {
      const Step& step = steps[number % steps.size()];
      switch (step.kind) {
        case Step::Kind::send:
        case Step::Kind::deliver:
          connections[step.target].sent.push_back({rank, number});
          break;
        case Step::Kind::receive:
        case Step::Kind::collect:
          connections[step.target].expected.push_back({rank, number});
          break;
        default:
          break;
      }
    }
  }
  std::vector<MatchedMessage> messages;
  for (const Ends& ends : connections) {
    for (std::size_t m = 0; m < std::min(ends.sent.size(), ends.expected.size()); ++m) {
      const auto [from, sent] = ends.sent[m];
      const auto [to, expected] = ends.expected[m];
      const Step& send = routed.programs[from].steps[sent % routed.programs[from].steps.size()];
      const Step& receive = routed.programs[to].steps[expected % routed.programs[to].steps.size()];
      const double arrival_s = send.kind == Step::Kind::send ? times.flow_end_s[from][sent] + receive.amount
                                                             : times.done_s[from][sent] + send.latency_s;
      messages.push_back({ends.sent[m], ends.expected[m], arrival_s});
    }
  }
  return messages;
}

}  // namespace finegrain
