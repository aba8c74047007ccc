// SPDX-License-Identifier: MIT
#include "sim/replay/observers/rivals.hpp"

#include <algorithm>
#include <utility>

namespace finegrain::replay {

void Rivals::step_began(std::size_t /*rank*/, const Step& /*step*/, double now_s) {
  now_s_ = now_s;
}

void Rivals::step_done(std::size_t /*rank*/, const Step& /*step*/, double now_s) {
  now_s_ = now_s;
}

void Rivals::flow_started(std::size_t rank, const StartedFlow& flow) {
  const LoadedPlatform::Route& route = flow.route;
  const auto started =
      std::make_shared<OfFlow>(OfFlow{.traffic = {static_cast<std::int32_t>(rank), route.from, route.to},
                                      .links = route.shared_links,
                                      .start_s = now_s_,
                                      .alone_s = flow.alone_s});
  for (const std::size_t link : started->links)
    on_link_[link].push_back(started.get());
  in_region_[rank].push_back(started);
  under_way_[flow.number] = started;
}

void Rivals::flow_ended(std::size_t /*rank*/, std::uint32_t flow, double now_s) {
  now_s_ = now_s;
  const auto found = under_way_.find(flow);
  if (found == under_way_.end()) return;
  const std::shared_ptr<OfFlow> ended = found->second;
  under_way_.erase(found);
  for (const std::size_t link : ended->links) {
    std::erase(on_link_[link], ended.get());
    for (OfFlow* const other : on_link_[link]) {
      const double shared_s = now_s - std::max(ended->start_s, other->start_s);
      if (shared_s <= 0) continue;
      ended->shared_s[{link, other->traffic}] += shared_s;
      other->shared_s[{link, ended->traffic}] += shared_s;
    }
  }
  ended->has_ended = true;
  ended->late_s = now_s - ended->start_s - ended->alone_s;
  if (ended->region != unknown) keep(*ended);
}

void Rivals::region_ended(std::size_t rank, std::uint32_t place, double now_s, RankReplay& /*so_far*/) {
  now_s_ = now_s;
  for (const std::shared_ptr<OfFlow>& flow : in_region_[rank]) {
    flow->region = place;
    if (flow->has_ended) keep(*flow);
  }
  in_region_[rank].clear();
}

void Rivals::keep(const OfFlow& flow) {
  constexpr double least_s = 1e-12;
  if (flow.shared_s.empty() || flow.late_s < least_s) return;
  std::map<std::size_t, double> crowding;  // by link
  for (const auto& [shared, seconds] : flow.shared_s)
    crowding[shared.first] += seconds / bandwidths_bytes_per_s_[shared.first];
  const std::size_t link =
      std::ranges::max_element(crowding, {}, [](const auto& one) { return one.second; })->first;
  const Traffic* rival = nullptr;
  double longest_s = 0;
  for (const auto& [shared, seconds] : flow.shared_s) {
    if (shared.first != link || seconds <= longest_s) continue;
    rival = &shared.second;
    longest_s = seconds;
  }
  found_[{flow.traffic, flow.region, link, *rival}] += flow.late_s;
}

std::vector<Contention> Rivals::contentions(const std::vector<std::vector<std::string>>& regions,
                                            const std::vector<std::string>& links) const {
  std::vector<Contention> all;
  for (const auto& [key, late_s] : found_) {
    const auto& [slowed, region, link, rival] = key;
    all.push_back({.region = regions[static_cast<std::size_t>(slowed.rank)][region],
                   .link = links[link],
                   .slowed = slowed,
                   .rival = rival,
                   .late_s = late_s});
  }
  std::ranges::stable_sort(all, std::ranges::greater(), &Contention::late_s);
  return all;
}

}  // namespace finegrain::replay
