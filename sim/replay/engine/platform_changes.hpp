// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "sim/replay/clock.hpp"
#include "sim/replay/engine/event_queue.hpp"
#include "sim/replay/engine/network.hpp"
#include "sim/replay/loaded_platform.hpp"

namespace finegrain::replay {

/// Links and hosts that change during the run, by the platform's profiles. A bandwidth counts for all flows
/// from its change on, a latency for the messages that start after it. A host's speed needs no event: when
/// work ends is known when it begins.
class PlatformChanges {
 public:
  /// Bandwidths and latencies are the file's again, whatever an earlier simulation has made of them.
  PlatformChanges(EventQueue& events, LoadedPlatform& loaded);

  std::size_t source() const { return source_; }
  /// The next change has an event, as long as something else has one: a profile may come again and again.
  /// Where nothing is on the way until then, only the last change before that counts.
  void schedule();
  /// The same where nothing else had an event so far, because shares were not settled yet.
  void go_on() {
    if (!profiles_.empty() && std::isinf(next_s_)) schedule();
  }
  bool are_due() const { return next_s_ <= events_.now_s() + clock_resolution_s; }
  /// Makes the changes that are due.
  void make(Network& network);

  void flow_started() { ++flows_; }
  void flow_ended() { --flows_; }

  /// How much longer a latency is now than the file says.
  double late_s(const LoadedPlatform::Route& route) const { return profiles_.empty() ? 0 : route.late_s; }
  double late_s(int from_node, int to_node) {
    return profiles_.empty() ? 0 : late_s(loaded_.route(from_node, to_node));
  }
  /// How the node's speed changes; null: it does not.
  const platform::SpeedProfile* speed_of(int node) const {
    return speeds_.empty() ? nullptr : speeds_[static_cast<std::size_t>(node)];
  }

 private:
  /// A profile of the platform, with the links that follow it.
  struct Followed {
    const platform::LinkProfile* profile;
    std::vector<std::size_t> links;
    std::int64_t next = 0;  ///< change
  };
  void make(Network& network, const Followed& followed, double value);

  EventQueue& events_;
  LoadedPlatform& loaded_;
  std::size_t source_;
  std::int64_t flows_ = 0;  ///< on the way
  std::vector<Followed> profiles_;
  std::vector<const platform::SpeedProfile*> speeds_;        ///< LoadedPlatform::speed_profiles()
  double next_s_ = std::numeric_limits<double>::infinity();  ///< the first of all profiles'
};

}  // namespace finegrain::replay
