// SPDX-License-Identifier: MIT
// Max-min fair shares, an example. Link A has 12 B/s and link B has 3 B/s. Flow x crosses both, flow y only
// A.
//
//     A alone would give each of its two flows 12 / 2 = 6 B/s, but B gives x only 3 B/s.
//     So B is the full link of x: its level is 3 B/s. A has 12 - 3 = 9 B/s left for y: its level is 9 B/s.
//
// If x ends, the load of A is 9 B/s of 12, so A is shared again, and y gets 12 B/s.
#include "sim/replay/engine/flow_network.hpp"

#include <algorithm>
#include <cmath>

namespace finegrain::replay {
namespace {

/// On a link with up to this number of flows, every change counts. Otherwise a different flow might end
/// first, and ranks that block on one get after the other would go on in another order.
constexpr double few_flows = 32;
constexpr double rounding = 1e-9;
constexpr std::size_t no_link = static_cast<std::size_t>(-1);

}  // namespace

FlowNetwork::FlowNetwork(EventQueue& events, std::size_t first_source, double tolerance)
    : events_(events), first_source_(first_source), tolerance_(std::max(rounding, tolerance)) {}

std::size_t FlowNetwork::add_link(double bandwidth_bytes_per_s) {
  links_.push_back({.bandwidth_bytes_per_s = bandwidth_bytes_per_s});
  queues_.emplace_back();
  levels_bytes_per_s_.push_back(infinite);
  set_bounds(links_.size() - 1);
  return links_.size() - 1;
}

std::size_t FlowNetwork::add_route(std::span<const std::size_t> links, double most_bytes_per_s,
                                   std::optional<std::size_t> queue, std::span<const float> parts) {
  Route route{static_cast<std::uint32_t>(crossings_.size()), 0, {}};
  crossings_.resize(crossings_.size() + links.size());
  for (std::size_t i = 0; i < links.size(); ++i)
    add_crossing(route, links[i], parts.empty() ? 1 : parts[i]);
  if (parts.empty()) crossings_.resize(route.first_crossing + route.crossings);
  routes_.push_back(route);
  rates_bytes_per_s_.push_back(0);
  most_bytes_per_s_.push_back(most_bytes_per_s);
  if (queue || !queue_places_.empty()) queue_places_.resize(routes_.size(), no_queue);
  if (queue) queue_places_.back() = static_cast<std::uint32_t>(*queue);
  return routes_.size() - 1;
}

void FlowNetwork::add_crossing(Route& route, std::size_t link, float part) {
  const auto known = std::ranges::find(crossings(route), link, &Crossing::link);
  if (known != crossings(route).end())
    known->times += part;
  else
    crossings_[route.first_crossing + route.crossings++] = {static_cast<std::uint32_t>(link), part};
}

void FlowNetwork::change_route(std::size_t number, std::span<const std::size_t> links,
                               std::span<const float> parts) {
  Route& route = routes_[number];
  route.crossings = 0;
  for (std::size_t i = 0; i < links.size(); ++i)
    add_crossing(route, links[i], parts[i]);
}

std::span<FlowNetwork::Crossing> FlowNetwork::crossings(const Route& route) {
  return std::span(crossings_).subspan(route.first_crossing, route.crossings);
}

void FlowNetwork::set_bandwidth(std::size_t number, double bytes_per_s, double now_s) {
  change_queue_of_link(number, 0, now_s);
  Link& link = links_[number];
  link.bandwidth_bytes_per_s = bytes_per_s;
  set_bounds(number);
  if (link.flows > 0) share_later(number);
}

void FlowNetwork::set_most(std::size_t number, double bytes_per_s, double now_s) {
  if (most_bytes_per_s_[number] == bytes_per_s) return;
  most_bytes_per_s_[number] = bytes_per_s;
  if (routes_[number].flows.empty()) return;
  const double rate = lowest_level(number, no_link);
  change_rate(number, no_link, std::isinf(rate) ? 0 : rate, now_s);
  if (std::isinf(rate)) share_later(crossings(routes_[number]).front().link);
}

void FlowNetwork::start(std::size_t number, double bytes, std::uint32_t flow, double now_s) {
  Route& route = routes_[number];
  if (route.flows.empty()) {
    enter_links(number);
    const double rate = lowest_level(number, no_link);
    // Any of its links has a level once it was shared, and makes the others depart if it is not the right
    // one. What the route allows a flow may be more than its links have.
    const bool has_rate = rate < most_bytes_per_s_[number] || !has_narrower_link(route, rate);
    set_rate(number, has_rate ? rate : 0, now_s);
    if (!has_rate) share_later(crossings(route).front().link);
  }
  route.flows.add(bytes, flow, now_s);
  add_flows(route, 1);
  change_queue(number, route.flows.rate(), now_s);
  events_.schedule(first_source_ + number, route.flows.next_end_s());
}

std::uint32_t FlowNetwork::finish(std::size_t number, double now_s) {
  Route& route = routes_[number];
  const std::uint32_t flow = route.flows.finish(now_s);
  add_flows(route, -1);
  if (route.flows.empty()) leave_links(route);
  change_queue(number, -route.flows.rate(), now_s);
  events_.schedule(first_source_ + number, route.flows.next_end_s());
  return flow;
}

void FlowNetwork::enter_links(std::size_t number) {
  const Route& route = routes_[number];
  for (std::uint32_t i = route.first_crossing; i < route.first_crossing + route.crossings; ++i) {
    std::vector<Use>& uses = links_[crossings_[i].link].routes;
    crossings_[i].place = static_cast<std::uint32_t>(uses.size());
    uses.push_back({static_cast<std::uint32_t>(number), i, 0});
  }
}

void FlowNetwork::leave_links(const Route& route) {
  for (const Crossing& crossing : crossings(route)) {
    std::vector<Use>& uses = links_[crossing.link].routes;
    uses[crossing.place] = uses.back();
    crossings_[uses.back().crossing].place = crossing.place;
    uses.pop_back();
  }
}

void FlowNetwork::add_flows(const Route& route, int flows) {
  for (const Crossing& crossing : crossings(route)) {
    Link& link = links_[crossing.link];
    link.flows += crossing.times * flows;
    link.routes[crossing.place].weight += crossing.times * flows;
    set_bounds(crossing.link);
    add_load(crossing.link, crossing.times * flows * route.flows.rate());
  }
}

void FlowNetwork::change_queue_of_link(std::size_t link, double change_bytes_per_s, double now_s) {
  Queue& queue = queues_[link];
  queue.bytes = queued_bytes(link, now_s);
  queue.since_s = now_s;
  queue.coming_bytes_per_s += change_bytes_per_s;
}

double FlowNetwork::queued_bytes(std::size_t link, double now_s) const {
  const Queue& queue = queues_[link];
  const double growth_bytes_per_s = queue.coming_bytes_per_s - links_[link].bandwidth_bytes_per_s;
  return std::max(0., queue.bytes + growth_bytes_per_s * (now_s - queue.since_s));
}

double FlowNetwork::delay_s(std::size_t route, double now_s) const {
  if (queue_places_.empty() || queue_places_[route] == no_queue) return 0;
  const std::size_t link = queue_places_[route];
  return queued_bytes(link, now_s) / links_[link].bandwidth_bytes_per_s;
}

void FlowNetwork::add_load(std::size_t number, double bytes_per_s) {
  Link& link = links_[number];
  link.load_bytes_per_s += bytes_per_s;
  if (link.load_bytes_per_s < link.lowest_load_bytes_per_s ||
      link.load_bytes_per_s > link.highest_load_bytes_per_s)
    share_later(number);
}

void FlowNetwork::set_bounds(std::size_t number) {
  Link& link = links_[number];
  const double allowed = (link.flows > few_flows ? tolerance_ : rounding) * link.bandwidth_bytes_per_s;
  link.highest_load_bytes_per_s = link.bandwidth_bytes_per_s + allowed;
  // A link that limits no flow has bandwidth to spare, and is fair as long as it has.
  link.lowest_load_bytes_per_s =
      std::isinf(levels_bytes_per_s_[number]) ? -infinite : link.bandwidth_bytes_per_s - allowed;
}

void FlowNetwork::share_later(std::size_t link) {
  if (links_[link].is_to_share) return;
  links_[link].is_to_share = true;
  to_share_.push_back(link);
}

void FlowNetwork::share(double now_s) {
  for (std::size_t i = 0; i < to_share_.size(); ++i) {
    const std::size_t link = to_share_[i];
    links_[link].is_to_share = false;
    share_link(link, now_s);
  }
  to_share_.clear();
}

bool FlowNetwork::has_narrower_link(const Route& route, double rate_bytes_per_s) {
  return std::ranges::any_of(crossings(route), [&](const Crossing& crossing) {
    return links_[crossing.link].bandwidth_bytes_per_s < rate_bytes_per_s;
  });
}

double FlowNetwork::lowest_level(std::size_t route, std::size_t without_link) {
  double lowest = most_bytes_per_s_[route];
  for (const Crossing& crossing : crossings(routes_[route])) {
    if (crossing.link != without_link) lowest = std::min(lowest, levels_bytes_per_s_[crossing.link]);
  }
  return lowest;
}

void FlowNetwork::share_link(std::size_t number, double now_s) {
  Link& link = links_[number];
  const double before = levels_bytes_per_s_[number];
  demands_.resize(link.routes.size());
  for (std::size_t i = 0; i < demands_.size(); ++i) {
    const Use& use = link.routes[i];
    const double rate = rates_bytes_per_s_[use.route];
    // What the rest of its route allows each flow: its rate, unless this link limits it.
    const bool is_held_back_elsewhere = rate > 0 && rate < before;
    demands_[i] = {use.weight, is_held_back_elsewhere ? rate : lowest_level(use.route, number)};
  }
  const double level = find_level(link.bandwidth_bytes_per_s, link.flows, before);
  levels_bytes_per_s_[number] = level;
  set_bounds(number);
  double load = 0;
  for (std::size_t i = 0; i < demands_.size(); ++i) {
    const std::uint32_t route = link.routes[i].route;
    const double rate = std::min(demands_[i].limit_bytes_per_s, level);
    load += demands_[i].weight * rate;
    if (rate != rates_bytes_per_s_[route]) change_rate(route, number, rate, now_s);
  }
  link.load_bytes_per_s = load;
}

void FlowNetwork::set_rate(std::size_t route, double rate_bytes_per_s, double now_s) {
  rates_bytes_per_s_[route] = rate_bytes_per_s;
  routes_[route].flows.set_rate(rate_bytes_per_s, now_s);
}

void FlowNetwork::change_rate(std::size_t number, std::size_t at_link, double rate_bytes_per_s,
                              double now_s) {
  Route& route = routes_[number];
  const double change = rate_bytes_per_s - route.flows.rate();
  set_rate(number, rate_bytes_per_s, now_s);
  if (change > 0) events_.schedule(first_source_ + number, route.flows.next_end_s());
  const double change_of_all = change * static_cast<double>(route.flows.jobs());
  change_queue(number, change_of_all, now_s);
  for (const Crossing& crossing : crossings(route)) {
    if (crossing.link != at_link) add_load(crossing.link, crossing.times * change_of_all);
  }
}

double FlowNetwork::find_level(double bandwidth_bytes_per_s, double weight_of_all, double before) const {
  if (weight_of_all == 0) return infinite;
  // Equal shares of all; then what some cannot use is shared among the others, until there is none. The level
  // before is near. Begun with one that is too high by now, the next is at most what comes out.
  const double equal_shares = bandwidth_bytes_per_s / weight_of_all;
  double level = std::isinf(before) ? equal_shares : std::max(before, equal_shares);
  for (bool may_fall = level > equal_shares;; may_fall = false) {
    double left = bandwidth_bytes_per_s;
    double weight = 0;
    for (const Demand& demand : demands_) {
      const bool is_limited = demand.limit_bytes_per_s <= level;
      left -= is_limited ? demand.weight * demand.limit_bytes_per_s : 0;
      weight += is_limited ? 0 : demand.weight;
    }
    if (weight == 0 && !may_fall) return infinite;
    const double next = weight == 0 ? equal_shares : left / weight;
    if (may_fall ? next == level : !(next > level)) return level;
    level = next;
  }
}

}  // namespace finegrain::replay
