// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <tuple>
#include <vector>

#include "sim/replay/clock.hpp"

namespace finegrain::replay {

/// Whose result a master takes next that takes results as they come, as an MPI library does: of those whose
/// envelopes have arrived the first. That of a long message arrives before its bytes.
class TaskAssignment {
 public:
  /// A message that its master may take, or its envelope, is there then.
  struct Result {
    double at_s;
    std::size_t connection;
    std::int64_t message;
    std::size_t worker;  ///< its sender
    bool operator>(const Result& other) const {
      return std::tie(at_s, connection, message) > std::tie(other.at_s, other.connection, other.message);
    }
  };
  /// What the master can do: take a worker's result, or look again later. Neither: no result is on its way.
  struct Choice {
    std::optional<std::size_t> worker;
    std::optional<double> look_again_s;
  };

  void announce(const Result& result) { results_.push(result); }
  /// @param is_received  whether a result was received by the name of its worker, so that it is no choice
  template <class IsReceived>
  Choice choose(double now_s, IsReceived&& is_received) {
    while (!results_.empty()) {
      const Result first = results_.top();
      const bool is_received_first = is_received(first);
      if (!is_received_first && first.at_s > now_s + clock_resolution_s) return {{}, first.at_s};
      results_.pop();
      if (!is_received_first) return {first.worker, {}};
    }
    return {};
  }

 private:
  std::priority_queue<Result, std::vector<Result>, std::greater<>> results_;
};

}  // namespace finegrain::replay
