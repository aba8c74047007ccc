// SPDX-License-Identifier: MIT
#include "sim/platform_make/fabric.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <set>

namespace finegrain::platform_make {
namespace {

std::size_t end_of(const Fabric& fabric, const Step& step) {
  const Cable& cable = fabric.cables[step.cable];
  return step.is_forwards ? cable.other : cable.one;
}

constexpr int unreachable = -1;

/// For each vertex, those that a cable leads to.
std::vector<std::set<std::size_t>> neighbours_of(const Fabric& fabric) {
  std::vector<std::set<std::size_t>> neighbours(fabric.vertices.size());
  for (const Cable& cable : fabric.cables) {
    neighbours[cable.one].insert(cable.other);
    neighbours[cable.other].insert(cable.one);
  }
  return neighbours;
}

/// Gives each switch's cables to the first one with the same neighbours. @returns whether there was one
bool merge_once(Fabric& fabric) {
  const std::vector<std::set<std::size_t>> neighbours = neighbours_of(fabric);
  std::map<std::set<std::size_t>, std::size_t> first_with;
  std::vector<std::size_t> becomes(fabric.vertices.size());
  bool is_merged = false;
  for (std::size_t vertex = 0; vertex < becomes.size(); ++vertex) {
    becomes[vertex] = vertex;
    const bool has_node = std::ranges::any_of(
        neighbours[vertex], [&](std::size_t neighbour) { return !fabric.vertices[neighbour].is_switch; });
    if (!fabric.vertices[vertex].is_switch || has_node || neighbours[vertex].empty()) continue;
    const auto [first, is_new] = first_with.emplace(neighbours[vertex], vertex);
    becomes[vertex] = first->second;
    is_merged = is_merged || !is_new;
  }
  for (Cable& cable : fabric.cables) {
    cable.one = becomes[cable.one];
    cable.other = becomes[cable.other];
  }
  return is_merged;
}

}  // namespace

std::size_t count_nodes(const Fabric& fabric) {
  return static_cast<std::size_t>(
      std::ranges::count_if(fabric.vertices, [](const Vertex& vertex) { return !vertex.is_switch; }));
}

Fabric with_merged_switches(Fabric fabric) {
  while (merge_once(fabric)) {
  }
  return fabric;
}

BalancedRoutes::BalancedRoutes(const Fabric& fabric)
    : fabric_(fabric),
      steps_from_(fabric.vertices.size()),
      led_forwards_(fabric.cables.size()),
      led_backwards_(fabric.cables.size()) {
  for (std::size_t cable = 0; cable < fabric.cables.size(); ++cable) {
    steps_from_[fabric.cables[cable].one].push_back({cable, true});
    steps_from_[fabric.cables[cable].other].push_back({cable, false});
  }
}

std::vector<int> BalancedRoutes::hops_to(std::size_t destination) const {
  std::vector<int> hops(fabric_.vertices.size(), unreachable);
  hops[destination] = 0;
  std::deque<std::size_t> to_visit{destination};
  while (!to_visit.empty()) {
    const std::size_t at = to_visit.front();
    to_visit.pop_front();
    if (at != destination && !fabric_.vertices[at].is_switch) continue;
    for (const Step& step : steps_from_[at]) {
      const std::size_t next = end_of(fabric_, step);
      if (hops[next] != unreachable) continue;
      hops[next] = hops[at] + 1;
      to_visit.push_back(next);
    }
  }
  return hops;
}

NextSteps BalancedRoutes::to(std::size_t destination) {
  const std::vector<int> hops = hops_to(destination);
  const auto led = [&](const Step& step) -> std::size_t& {
    return (step.is_forwards ? led_forwards_ : led_backwards_)[step.cable];
  };
  NextSteps next(fabric_.vertices.size());
  for (std::size_t vertex = 0; vertex < next.size(); ++vertex) {
    if (vertex == destination || hops[vertex] == unreachable) continue;
    for (const Step& step : steps_from_[vertex]) {
      const std::size_t end = end_of(fabric_, step);
      const bool may_pass = end == destination || fabric_.vertices[end].is_switch;
      if (!may_pass || hops[end] != hops[vertex] - 1) continue;
      if (!next[vertex] || led(step) < led(*next[vertex])) next[vertex] = step;
    }
    ++led(*next[vertex]);
  }
  return next;
}

std::vector<Step> route_from(const Fabric& fabric, const NextSteps& next, std::size_t from) {
  std::vector<Step> route;
  for (std::size_t at = from; next[at]; at = end_of(fabric, *next[at]))
    route.push_back(*next[at]);
  return route;
}

}  // namespace finegrain::platform_make
