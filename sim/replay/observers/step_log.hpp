// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "sim/replay/engine/observer.hpp"

namespace finegrain::replay {

/// A step that a rank has done, and when.
struct LoggedStep {
  Step step;
  double done_s;          ///< the rank went on
  double flow_end_s = 0;  ///< a step's that starts a flow
  std::int32_t region =
      0;  ///< index into Body::regions; of a program, into ReplayResult::regions of the rank
  std::int64_t iteration = 0;
};

/// A step of a rank: its place in the log.
struct StepPlace {
  std::size_t rank;
  std::size_t number;
};

/// A message between two ranks, from the step that sends or delivers it to the one that expects it.
struct MatchedMessage {
  StepPlace sent;
  StepPlace expected;
  double arrival_s;  ///< may be before it is expected
  /// When the sender of one that was offered, or copied beside its rank's work, knows that it has left, or
  /// that a copy was taken.
  std::optional<double> left_s = {};
  bool is_offer = false;  ///< it went when it was expected
};

/// Everything that the ranks do.
class StepLog : public Observer {
 public:
  enum class Of : std::uint8_t { schedule, program };
  /// @param most_steps  all ranks' together; where they do more, the log throws InputError
  explicit StepLog(std::size_t ranks, Of of = Of::schedule,
                   std::size_t most_steps = std::numeric_limits<std::size_t>::max())
      : of_(of), most_steps_(most_steps), left_steps_(most_steps), ranks_(ranks), places_(ranks) {}

  void iteration_began(std::size_t rank) override;
  void step_done(std::size_t rank, const Step& step, double now_s) override;
  void flow_started(std::size_t rank, const StartedFlow& flow) override;
  void message_left(std::size_t connection, std::int64_t message, double at_s) override {
    left_s_[{connection, message}] = at_s;
  }
  void sender_went_on(std::size_t connection, std::int64_t message, double at_s) override {
    went_on_s_[{connection, message}] = at_s;
  }
  /// As a step: many are closed at once.
  void requests_closed(std::size_t rank, std::int64_t count, double now_s) override {
    Step closes(Step::Kind::close);
    closes.requests = static_cast<std::int32_t>(count);
    step_done(rank, closes, now_s);
  }
  void flow_ended(std::size_t rank, std::uint32_t flow, double now_s) override;

  std::size_t ranks() const { return ranks_.size(); }
  /// In pieces: a vector that grows has room for twice as many.
  const std::deque<LoggedStep>& of(std::size_t rank) const { return ranks_[rank]; }
  const LoggedStep& at(StepPlace place) const { return ranks_[place.rank][place.number]; }

  /// Two-sided messages: the first sent on a connection is the first expected. In the order of connections.
  std::vector<MatchedMessage> matched_messages() const;

 private:
  struct Place {
    std::int32_t region = 0;
    std::int64_t iteration = -1;
    std::size_t first_step = 0;  ///< the region's
  };
  Of of_;
  std::size_t most_steps_;
  std::size_t left_steps_;
  std::vector<std::deque<LoggedStep>> ranks_;
  std::vector<Place> places_;                                         ///< where each rank is
  std::map<std::uint32_t, std::size_t> steps_of_flows_;               ///< numbers among their ranks' steps
  std::map<std::pair<std::size_t, std::int64_t>, double> left_s_;     ///< by connection and message
  std::map<std::pair<std::size_t, std::int64_t>, double> went_on_s_;  ///< their senders, if before
};

}  // namespace finegrain::replay
