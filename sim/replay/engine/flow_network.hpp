// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "sim/replay/engine/event_queue.hpp"
#include "sim/replay/engine/fair_queue.hpp"

namespace finegrain::replay {

/// Flows that share links max-min fairly, as SimGrid's do: each has a full link on its route on which no
/// other flow is faster. Flows on one route are equally fast at any time, so that they are one class, with
/// the weight of its members.
///
/// A full link has a *level*: the rate of the flows that it limits. A flow's rate is the lowest level on its
/// route. When flows start, end or are limited elsewhere, a link's load no longer equals its bandwidth. Then
/// its level is computed again, which may change the load of other links, until all loads fit. Where a link
/// has many flows, its load may be off by a tolerance before anything is done: one flow counts for little
/// there, and the next ones make up for it.
class FlowNetwork {
 public:
  /// @param first_source  the first in `events`: route r is its source first_source + r
  /// @param tolerance  that of a link that many flows share: load over bandwidth, relative
  FlowNetwork(EventQueue& events, std::size_t first_source, double tolerance);

  std::size_t add_link(double bandwidth_bytes_per_s);
  /// @param links  that it crosses and flows share; one may be crossed twice
  /// @param most_bytes_per_s  one flow's, however few there are
  /// @param queue  a link behind these where what comes first leaves first: flows do not share it, but end
  ///               later, by its delay
  /// @param parts  how much of each flow crosses each of the links; empty: all of it
  std::size_t add_route(std::span<const std::size_t> links,
                        double most_bytes_per_s = std::numeric_limits<double>::infinity(),
                        std::optional<std::size_t> queue = std::nullopt, std::span<const float> parts = {});
  /// Gives a route other links. @pre no flow is on it; not more links than it was added with
  void change_route(std::size_t route, std::span<const std::size_t> links, std::span<const float> parts);

  /// From now on. Both take effect with share().
  void set_bandwidth(std::size_t link, double bytes_per_s, double now_s);
  void set_most(std::size_t route, double bytes_per_s, double now_s);

  void start(std::size_t route, double bytes, std::uint32_t number, double now_s);
  /// Makes shares fair again; to be called before time passes. Why it ends: no computed level is below the
  /// lowest fair level. So the link with that level finds it at once and keeps it; then the next lowest does.
  void share(double now_s);
  /// When the next flow of a route ends if shares stay.
  double next_end_s(std::size_t route) const { return routes_[route].flows.next_end_s(); }
  /// Ends the next flow of a route. @returns its number. @pre now_s is next_end_s(route)
  std::uint32_t finish(std::size_t route, double now_s);

  bool is_free(std::size_t route) const { return routes_[route].flows.empty(); }
  /// How many flows are on a link, each with the part of it that crosses the link.
  double flows_on(std::size_t link) const { return links_[link].flows; }
  double rate_bytes_per_s(std::size_t route) const { return routes_[route].flows.rate(); }
  /// How long what has passed the other links of a route now has to wait in front of its queue.
  double delay_s(std::size_t route, double now_s) const;

 private:
  static constexpr double infinite = std::numeric_limits<double>::infinity();
  static constexpr auto no_queue = static_cast<std::uint32_t>(-1);

  // Most of a replay's time is spent on going through these, so they are small.
  /// A link on a route.
  struct Crossing {
    std::uint32_t link;
    /// How many times each flow crosses it; a fraction where flows are spread over several ways. With 24
    /// bits, sums of these are exact, so that a link has 0 flows again when all have left.
    float times;
    std::uint32_t place = 0;  ///< the route's among the link's, while it has flows
  };
  struct alignas(64) Route {  // one cache line
    std::uint32_t first_crossing;
    std::uint32_t crossings;
    FairQueue flows;
  };
  static_assert(sizeof(Route) == 64);
  /// In front of a link.
  struct Queue {
    double bytes = 0;
    double coming_bytes_per_s = 0;
    double since_s = 0;
  };
  /// A route on a link.
  struct Use {
    std::uint32_t route;
    std::uint32_t crossing;
    double weight;  ///< all its flows'
  };
  struct Link {
    double load_bytes_per_s = 0;
    double lowest_load_bytes_per_s = 0;  ///< with less or more than these it is shared again
    double highest_load_bytes_per_s = 0;
    bool is_to_share = false;
    double bandwidth_bytes_per_s;
    double flows = 0;              ///< each with the part of it that crosses the link
    std::vector<Use> routes = {};  ///< that have flows
  };
  /// What a route demands of the link at hand.
  struct Demand {
    double weight;
    double limit_bytes_per_s;  ///< a flow's, by the rest of the route
  };

  std::span<Crossing> crossings(const Route& route);
  void add_crossing(Route& route, std::size_t link, float part);
  void enter_links(std::size_t route);
  void leave_links(const Route& route);
  void add_flows(const Route& route, int flows);
  double queued_bytes(std::size_t link, double now_s) const;
  /// @param change_bytes_per_s  the change of what comes over the route to its queue
  void change_queue(std::size_t route, double change_bytes_per_s, double now_s) {
    if (!queue_places_.empty() && queue_places_[route] != no_queue)
      change_queue_of_link(queue_places_[route], change_bytes_per_s, now_s);
  }
  void change_queue_of_link(std::size_t link, double change_bytes_per_s, double now_s);
  void add_load(std::size_t link, double bytes_per_s);
  void share_later(std::size_t link);
  void set_bounds(std::size_t link);

  void share_link(std::size_t link, double now_s);
  double lowest_level(std::size_t route, std::size_t without_link);
  bool has_narrower_link(const Route& route, double rate_bytes_per_s);
  /// The level of a link whose flows are demands_.
  /// @param weight_of_all  that of all these
  /// @param before  its level until now
  double find_level(double bandwidth_bytes_per_s, double weight_of_all, double before) const;
  void set_rate(std::size_t route, double rate_bytes_per_s, double now_s);
  void change_rate(std::size_t route, std::size_t at_link, double rate_bytes_per_s, double now_s);

  EventQueue& events_;
  std::size_t first_source_;
  double tolerance_;
  std::vector<double> levels_bytes_per_s_;  ///< the links'; infinite: it holds nothing back
  std::vector<Link> links_;
  std::vector<Queue> queues_;                ///< the links'
  std::vector<std::uint32_t> queue_places_;  ///< in queues_, of the routes; empty if none has one
  std::vector<Route> routes_;
  std::vector<double> rates_bytes_per_s_;  ///< those of the routes' flows, close together
  std::vector<double> most_bytes_per_s_;   ///< a flow's of each route
  std::vector<Crossing> crossings_;
  std::vector<std::size_t> to_share_;
  std::vector<Demand> demands_;
};

}  // namespace finegrain::replay
