// SPDX-License-Identifier: MIT
#include "sim/replay/engine/platform_changes.hpp"

#include <algorithm>
#include <cmath>

namespace finegrain::replay {

PlatformChanges::PlatformChanges(EventQueue& events, LoadedPlatform& loaded)
    : events_(events), loaded_(loaded), source_(events.add_source()), speeds_(loaded.speed_profiles()) {
  if (loaded_.profiles().empty()) return;
  loaded_.forget_changes();
  for (const platform::LinkProfile& profile : loaded_.profiles())
    profiles_.push_back({&profile, loaded_.links_of(profile)});
}

void PlatformChanges::schedule() {
  next_s_ = std::numeric_limits<double>::infinity();
  const double until_s = events_.next_s();
  if (profiles_.empty() || std::isinf(until_s)) return;
  for (Followed& followed : profiles_) {
    const platform::Profile& profile = followed.profile->profile;
    if (flows_ == 0) followed.next = std::max(followed.next, profile.last_until(until_s));
    next_s_ = std::min(next_s_, profile.at_s(followed.next));
  }
  events_.schedule(source_, next_s_);
}

void PlatformChanges::make(Network& network) {
  for (Followed& followed : profiles_) {
    const platform::Profile& profile = followed.profile->profile;
    for (; profile.at_s(followed.next) <= events_.now_s() + clock_resolution_s; ++followed.next)
      make(network, followed, profile.value(followed.next));
  }
  schedule();
}

void PlatformChanges::make(Network& network, const Followed& followed, double value) {
  for (const std::size_t link : followed.links) {
    if (followed.profile->kind == platform::LinkProfile::Kind::bandwidth) {
      loaded_.set_bandwidth(link, value);
      network.set_bandwidth(link, value);
    } else {
      loaded_.set_latency(link, value);
    }
  }
  network.follow_latencies();
}

}  // namespace finegrain::replay
