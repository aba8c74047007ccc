// SPDX-License-Identifier: MIT
#include "sim/replay/observers/spans.hpp"

namespace finegrain::replay {

std::vector<PhaseSpan> phase_spans(const StepLog& log) {
  std::vector<PhaseSpan> spans;
  for (std::size_t rank = 0; rank < log.ranks(); ++rank) {
    double start_s = 0;
    for (const LoggedStep& logged : log.of(rank)) {
      if (logged.step.kind != Step::Kind::end_region) continue;
      spans.push_back(
          {static_cast<std::int32_t>(rank), logged.region, logged.iteration, start_s, logged.done_s});
      start_s = logged.done_s;
    }
  }
  return spans;
}

std::vector<MessageSpan> message_spans(const StepLog& log) {
  std::vector<MessageSpan> spans;
  const auto place_of = [](const LoggedStep& logged) {
    return MessageSpan::Place{logged.iteration, logged.region};
  };
  for (std::size_t rank = 0; rank < log.ranks(); ++rank) {
    const auto own = static_cast<std::int32_t>(rank);
    double before_s = 0;
    for (const LoggedStep& logged : log.of(rank)) {
      const Step& step = logged.step;
      const double started_end_s = logged.flow_end_s + step.latency_s;
      const bool started = step.kind == Step::Kind::start_put || step.kind == Step::Kind::start_get;
      const double end_s = started ? started_end_s : logged.done_s;
      if (step.kind == Step::Kind::put || step.kind == Step::Kind::start_put)
        spans.push_back({TransferKind::put, own, step.peer, step.bytes, before_s, end_s, place_of(logged)});
      if (step.kind == Step::Kind::get || step.kind == Step::Kind::start_get)
        spans.push_back({TransferKind::get, step.peer, own, step.bytes, before_s, end_s, place_of(logged)});
      before_s = logged.done_s;
    }
  }
  for (const MatchedMessage& message : log.matched_messages()) {
    const LoggedStep& sent = log.at(message.sent);
    const LoggedStep& expected = log.at(message.expected);
    spans.push_back({TransferKind::send, static_cast<std::int32_t>(message.sent.rank),
                     static_cast<std::int32_t>(message.expected.rank), sent.step.bytes, sent.done_s,
                     message.arrival_s, place_of(sent), place_of(expected), expected.done_s,
                     static_cast<std::int32_t>(sent.step.connection)});
  }
  return spans;
}

}  // namespace finegrain::replay
