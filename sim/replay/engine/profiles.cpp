// SPDX-License-Identifier: MIT
// Links and hosts that change during the run. A bandwidth counts for all flows from its change on, a latency
// for the messages that start after it. A host's speed needs no event: when work ends is known when it
// begins.
#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/replay/engine/simulation.hpp"

namespace finegrain::replay {
namespace {

/// A route without links, as between Vivaldi's coordinates, takes its latency only: the bytes pass at once.
constexpr double without_links_bytes_per_s = 1e18;

}  // namespace

double FlowSimulation::most_bytes_per_s(const LoadedPlatform::Route& route) const {
  double most = route.most_bytes_per_s;
  const std::optional<double>& window_bytes = job_.platform->costs.tcp_window_bytes;
  const double latency_s = route.latency_s + route.late_s;
  if (window_bytes && latency_s > 0) most = std::min(most, *window_bytes / (2 * latency_s));
  if (route.shared_links.empty()) most = std::min(most, without_links_bytes_per_s);
  return most;
}

void FlowSimulation::follow_profiles() {
  speed_profiles_ = loaded_.speed_profiles();
  if (loaded_.profiles().empty()) return;
  loaded_.forget_changes();  // of an earlier simulation
  for (const platform::LinkProfile& profile : loaded_.profiles())
    profiles_.push_back({&profile, loaded_.links_of(profile)});
}

/// A profile that comes again and again goes on only as long as something else happens.
void FlowSimulation::schedule_changes() {
  next_change_s_ = std::numeric_limits<double>::infinity();
  if (profiles_.empty() || std::isinf(events_.next_s())) return;
  for (const FollowedProfile& followed : profiles_)
    next_change_s_ = std::min(next_change_s_, followed.profile->profile.at_s(followed.next));
  events_.schedule(changes_source(), next_change_s_);
}

void FlowSimulation::change_links() {
  for (FollowedProfile& followed : profiles_) {
    const platform::Profile& profile = followed.profile->profile;
    for (; profile.at_s(followed.next) <= now_s() + clock_resolution_s; ++followed.next)
      change(*followed.profile, followed.links, profile.value(followed.next));
  }
  schedule_changes();
}

void FlowSimulation::change(const platform::LinkProfile& profile, const std::vector<std::size_t>& links,
                            double value) {
  for (const std::size_t link : links) {
    if (profile.kind == platform::LinkProfile::Kind::bandwidth) {
      loaded_.set_bandwidth(link, value);
      network_->set_bandwidth(link, value);
    } else {
      loaded_.set_latency(link, value);
    }
  }
  for (std::size_t route = 0; route < network_->routes(); ++route)
    network_->set_most(route, most_bytes_per_s(*compiler_.routes()[route]));
}

double FlowSimulation::work_takes_s(std::size_t number, double work_s) {
  const platform::SpeedProfile* const profile =
      speed_profiles_[static_cast<std::size_t>(placement_.node(static_cast<int>(number)))];
  if (profile == nullptr) return work_s + lost_s(number, now_s(), work_s);
  if (job_.noise == nullptr || now_s() < ranks_[number].begins_s)
    return profile->end_s(now_s(), work_s) - now_s();
  return ranks_[number].noise->end_s(*profile, now_s(), work_s) - now_s();
}

}  // namespace finegrain::replay
