// SPDX-License-Identifier: MIT
#include "sim/replay/observers/link_uses.hpp"

#include <algorithm>
#include <utility>

namespace finegrain::replay {
namespace {

constexpr std::int32_t no_node = -1;
constexpr std::int32_t unknown = -2;

}  // namespace

LinkUses::LinkUses(const LoadedPlatform& loaded, std::span<const int> groups) : groups_(groups) {
  const std::size_t count = groups.empty() ? 0 : static_cast<std::size_t>(std::ranges::max(groups)) + 1;
  for (std::string& name : loaded.link_names())
    uses_.push_back({std::move(name), loaded.link_bandwidths_bytes_per_s()[uses_.size()], 0, unknown,
                     std::vector<double>(count, 0)});
}

void LinkUses::flow_started(std::size_t rank, const StartedFlow& flow) {
  if (flow.route.stripes.empty()) count(rank, flow.route, flow.bytes);
  for (const LoadedPlatform::Route::Stripe& stripe : flow.route.stripes)
    count(rank, *stripe.route, flow.bytes * stripe.part);
}

void LinkUses::count(std::size_t rank, const LoadedPlatform::Route& route, double bytes) {
  for (std::size_t place = 0; place < route.shared_links.size(); ++place) {
    const std::size_t link = route.shared_links[place];
    const double crossing_bytes = bytes * route.part(place);
    uses_[link].bytes += crossing_bytes;
    if (!groups_.empty())
      uses_[link].bytes_of_groups[static_cast<std::size_t>(groups_[rank])] += crossing_bytes;
    std::int32_t node = no_node;
    if (link == route.shared_links.back()) node = route.to;
    if (link == route.shared_links.front()) node = route.from;
    uses_[link].node = uses_[link].node == unknown || uses_[link].node == node ? node : no_node;
  }
}

std::vector<LinkUse> LinkUses::crossed() const {
  std::vector<LinkUse> crossed = uses_;
  std::erase_if(crossed, [](const LinkUse& use) { return use.bytes == 0; });
  return crossed;
}

}  // namespace finegrain::replay
