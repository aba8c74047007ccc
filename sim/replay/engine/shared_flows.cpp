// SPDX-License-Identifier: MIT
#include "sim/replay/engine/shared_flows.hpp"

#include <algorithm>
#include <cmath>

namespace finegrain::replay {
namespace {

/// In whole bytes, at least one, as in SimGrid.
double whole_bytes(double bytes) {
  return std::max(1.0, std::round(bytes));
}

}  // namespace

SharedFlows::SharedFlows(const NetworkParts& parts, FlowListener& listener)
    : events_(parts.events),
      listener_(listener),
      first_source_(parts.events.sources()),
      network_(parts.events, first_source_, parts.share_tolerance) {
  for (const double bandwidth_bytes_per_s : parts.link_bandwidths_bytes_per_s)
    network_.add_link(bandwidth_bytes_per_s);
}

void SharedFlows::add_route(std::span<const std::size_t> links, double most_bytes_per_s,
                            std::optional<std::size_t> queue, std::span<const float> parts) {
  network_.add_route(links, most_bytes_per_s, queue, parts);
  events_.add_source();
}

void SharedFlows::follow_latencies(std::span<const LoadedPlatform::Route* const> routes,
                                   const platform::PlatformCosts& costs) {
  for (std::size_t route = 0; route < routes.size(); ++route)
    network_.set_most(route, most_bytes_per_s(*routes[route], costs), events_.now_s());
}

void SharedFlows::start(std::size_t route, const LoadedPlatform::Route& of_route, double bytes,
                        const Flow& flow, bool is_later, double part_of_share) {
  ++started_;
  if (ended_.empty()) {
    ended_.push_back(static_cast<std::uint32_t>(flows_.size()));
    flows_.emplace_back();
  }
  const std::uint32_t place = ended_.back();
  ended_.pop_back();
  flows_[place] = flow;
  listener_.flow_started(flow, place, of_route, bytes, is_later);
  network_.start(route, whole_bytes(bytes) / part_of_share, place, events_.now_s());
}

void SharedFlows::dispatch(std::size_t source) {
  const std::size_t route = source - first_source_;
  const double now_s = events_.now_s();
  while (network_.next_end_s(route) <= now_s + clock_resolution_s) {
    const std::uint32_t place = network_.finish(route, now_s);
    ended_.push_back(place);
    const Flow flow = flows_[place];  // another may take its place
    listener_.flow_ended(flow, place);
    listener_.ended(flow);
  }
  // The event may have come before any flow's end: shares have become smaller.
  events_.schedule(source, network_.next_end_s(route));
}

}  // namespace finegrain::replay
