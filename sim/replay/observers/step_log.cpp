// SPDX-License-Identifier: MIT
#include "sim/replay/observers/step_log.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"

namespace finegrain::replay {
namespace {

/// It goes neither when its step is done nor with a flow of its own.
bool leaves_later(const Step& step) {
  using enum Step::Kind;
  return step.kind == offer || step.kind == offer_copy || step.kind == copy;
}

}  // namespace

void StepLog::iteration_began(std::size_t rank) {
  places_[rank] = {0, places_[rank].iteration + 1, ranks_[rank].size()};
}

void StepLog::step_done(std::size_t rank, const Step& step, double now_s) {
  if (left_steps_-- == 0)
    throw InputError("timeline",
                     fmt::format("the ranks do more than {}, which are all kept in memory",
                                 format_count(most_steps_, "step")),
                     of_ == Of::schedule ? "Ask for fewer iterations, or fewer ranks"
                                         : "Record a shorter run, or one on fewer ranks");
  auto& [region, iteration, first_step] = places_[rank];
  std::deque<LoggedStep>& steps = ranks_[rank];
  steps.push_back({step, now_s, 0, region, iteration});
  if (step.kind != Step::Kind::end_region) return;
  ++region;
  // A program's region has a place of its own, which its end says.
  for (; of_ == Of::program && first_step < steps.size(); ++first_step)
    steps[first_step].region = static_cast<std::int32_t>(step.region);
}

void StepLog::flow_started(std::size_t rank, const StartedFlow& flow) {
  if (flow.is_later) {
    steps_of_flows_.erase(flow.number);
  } else {
    steps_of_flows_[flow.number] = ranks_[rank].size();
  }
}

void StepLog::flow_ended(std::size_t rank, std::uint32_t flow, double now_s) {
  const auto step = steps_of_flows_.find(flow);
  // A rank that blocks on a flow goes on when it has ended.
  if (step != steps_of_flows_.end() && step->second < ranks_[rank].size())
    ranks_[rank][step->second].flow_end_s = now_s;
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
      const bool sends =
          step.kind == Step::Kind::send || step.kind == Step::Kind::deliver || leaves_later(step);
      const bool expects = step.kind == Step::Kind::receive || step.kind == Step::Kind::collect;
      if (!sends && !expects) continue;
      if (step.connection >= connections.size()) connections.resize(step.connection + 1);
      Ends& ends = connections[step.connection];
      (sends ? ends.sent : ends.expected).push_back({rank, number});
    }
  }
  std::vector<MatchedMessage> messages;
  for (std::size_t connection = 0; connection < connections.size(); ++connection) {
    const Ends& ends = connections[connection];
    for (std::size_t m = 0; m < std::min(ends.sent.size(), ends.expected.size()); ++m) {
      const LoggedStep& sent = at(ends.sent[m]);
      if (leaves_later(sent.step)) {
        const auto ended = left_s_.find({connection, static_cast<std::int64_t>(m)});
        if (ended == left_s_.end()) continue;
        const LoggedStep& expected = at(ends.expected[m]);
        const double latency_s = expected.step.latency_s;
        // The sender of a copy knows it at once.
        const bool is_copy = sent.step.kind == Step::Kind::copy;
        const auto went_on = went_on_s_.find(ended->first);
        const double left_s = went_on != went_on_s_.end()
                                  ? went_on->second
                                  : ended->second - (is_copy ? sent.step.latency_s : 0);
        const double more_s = sent.step.kind == Step::Kind::offer ? sent.step.more_latency_s : 0;
        messages.push_back(
            {ends.sent[m], ends.expected[m], ended->second + latency_s + more_s, left_s, !is_copy});
        continue;
      }
      const double arrival_s =
          sent.step.kind == Step::Kind::send
              ? sent.flow_end_s + at(ends.expected[m]).step.latency_s + sent.step.more_latency_s
              : sent.done_s + sent.step.latency_s;
      messages.push_back({ends.sent[m], ends.expected[m], arrival_s});
    }
  }
  return messages;
}

}  // namespace finegrain::replay
