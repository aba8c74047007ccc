// SPDX-License-Identifier: MIT
// Messages share links max-min, as in the shared network, but a policy chooses their ways (routing.hpp). A
// message stays one flow. Where its packets take several ways, a part of the flow crosses each of their
// links: with four ways, an uplink carries a quarter of its rate.
//
//     Four uplinks of 1 MB/s, two messages of 4 MB that are sprayed, hosts of 4 MB/s:
//     load of each uplink = 2 flows x 1/4, so each flow gets 1 MB/s / (2/4) = 2 MB/s, and both end after 2 s.
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "sim/replay/engine/networks.hpp"
#include "sim/replay/engine/routing.hpp"
#include "sim/replay/engine/shared_flows.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::replay {
namespace {

using Route = LoadedPlatform::Route;

/// How often messages that start at one time choose, each knowing what the others chose last: packets follow
/// the queues all the time. With 8 rounds, a tornado on a dragonfly is within 10 % of packets (ugal); with 4
/// it is 19 % slower, with 16 as with 8 (tests/routing/compare).
constexpr int rounds_of_choice = 8;

class RoutedNetwork final : public OneFlowPerMessage, private FlowListener {
 public:
  RoutedNetwork(const NetworkParts& parts, const Routing& routing)
      : OneFlowPerMessage(parts.user),
        costs_(parts.platform.costs),
        bandwidths_bytes_per_s_(parts.link_bandwidths_bytes_per_s),
        loaded_(parts.loaded),
        routing_(routing),
        waiting_flows_(parts.link_bandwidths_bytes_per_s.size(), 0),
        flows_(parts, *this) {
    check_topology(parts);
  }

  void add_route(const Route& route) override;
  void dispatch(std::size_t source) override { flows_.dispatch(source); }
  void settle() override {
    start_waiting();
    flows_.settle();
  }
  void set_bandwidth(std::size_t link, double bytes_per_s) override {
    flows_.set_bandwidth(link, bytes_per_s);
  }
  void follow_latencies() override {}  // none change: check_topology()
  std::int64_t flows() const override { return flows_.started(); }

 private:
  /// Ways with a number of packets on each. It is a route of FlowNetwork, with the same number as here.
  struct Mix {
    PacketsOfWays packets;
    Route route;        ///< what is told of
    double late_s = 0;  ///< how much longer than the shortest way its longest takes
  };
  struct WholeWay {
    std::vector<std::size_t> places;  ///< in Ends::links
    double latency_s;
  };
  /// Between two nodes.
  struct Ends {
    std::vector<std::size_t> links;  ///< all ways', each once; the last is that to the node
    std::vector<WholeWay> whole;     ///< the shortest ways, then the detours
    WaysOfMessage ways;
    double alone_bytes_per_s = 0;
    std::vector<std::size_t> mixes;
  };
  /// A message whose way depends on what else starts at this time.
  struct Waiting {
    std::size_t route;
    double bytes;
    Flow flow;
    PacketsOfWays packets = {};
  };

  /// @throws InputError if the policy has nothing to choose there
  void check_topology(const NetworkParts& parts) const;
  Ends ends_of(const Wires::Ways& ways) const;
  /// @param is_free  as if no message were on the way
  LinkLoads loads(const Ends& ends, bool is_free) const;
  /// How many packets cross each link of Ends::links.
  static std::vector<std::size_t> packets_on_links(const Ends& ends, const PacketsOfWays& packets);
  Mix mixed(const Route& route, const Ends& ends, PacketsOfWays packets) const;
  std::size_t add_mix(Mix mix, Ends& ends);
  std::size_t find_mix(std::size_t route, PacketsOfWays packets);
  /// Counts a waiting message as on its ways, or no longer.
  void count_waiting(const Waiting& message, double flows);
  void start_waiting();
  void start_on(std::size_t mix, double bytes, const Flow& flow, bool is_later);

  double rate_bytes_per_s(std::size_t route) const override { return ends_[route].alone_bytes_per_s; }
  double alone_s(const Sending& sending, const Flow& flow) const override {
    return Network::alone_s(sending, flow) / part_of_share(sending.bytes, flow, costs_);
  }
  void start_flow(std::size_t route, double bytes, const Flow& flow, bool is_later) override {
    if (routing_.follows_loads)
      waiting_.push_back({route, bytes, flow});
    else
      start_on(ends_[route].mixes.front(), bytes, flow, is_later);
  }
  void flow_started(const Flow& flow, std::uint32_t number, const Route& route, double bytes,
                    bool is_later) override {
    user_.flow_started(flow, number, route, bytes, is_later);
  }
  void flow_ended(const Flow& flow, std::uint32_t number) override { user_.flow_ended(flow, number); }
  void ended(const Flow& flow) override { end_flow(flow); }

  const platform::PlatformCosts& costs_;
  const std::vector<double>& bandwidths_bytes_per_s_;
  const LoadedPlatform& loaded_;
  const Routing routing_;
  std::vector<Ends> ends_;  ///< of each route
  std::deque<Mix> mixes_;
  std::vector<Waiting> waiting_;
  std::vector<double> waiting_flows_;  ///< on each link, of those that wait
  SharedFlows flows_;
};

std::string_view name_of(std::optional<platform::RegularCluster::Topology> topology) {
  using enum platform::RegularCluster::Topology;
  if (!topology) return "the platform is not one <cluster> alone";
  switch (*topology) {
    case single_switch:
      return "the platform is a single switch";
    case fat_tree:
      return "the platform is a fat tree";
    case torus:
      return "the platform is a torus";
    case dragonfly:
      return "the platform is a dragonfly";
  }
  return "";
}

void RoutedNetwork::check_topology(const NetworkParts& parts) const {
  const std::string where = fmt::format("{}: routing", parts.platform.file.string());
  const std::optional<platform::RegularCluster::Topology> topology = loaded_.wires().topology();
  if (topology != routing_.topology)
    throw InputError(
        where,
        fmt::format(
            "{} chooses among the ways of a {} that is one <cluster>, and {}", routing_.name,
            routing_.topology == platform::RegularCluster::Topology::fat_tree ? "fat tree" : "dragonfly",
            name_of(topology)),
        "Leave routing out");
  if (loaded_.latencies_change())
    throw InputError(
        where, "a LATENCY profile changes a link, which is not followed where messages have several ways",
        "Leave one of them out");
}

RoutedNetwork::Ends RoutedNetwork::ends_of(const Wires::Ways& ways) const {
  Ends ends;
  std::map<std::size_t, std::size_t> places;
  const auto place_of = [&](std::size_t link) {
    const auto [known, is_new] = places.try_emplace(link, ends.links.size());
    if (is_new) ends.links.push_back(link);
    return known->second;
  };
  for (const auto* kind : {&ways.shortest, &ways.detours})
    for (const Wires::Way& way : *kind) {
      if (way.links.back() != ways.shortest.front().links.back())
        throw InputError("routing", "nodes have several cables (all ways have to end with the same link)",
                         "Leave it out");
      // Without the last link, which all ways have.
      WholeWay& whole = ends.whole.emplace_back(WholeWay{{}, way.latency_s});
      for (std::size_t place = 0; place + 1 < way.links.size(); ++place)
        whole.places.push_back(place_of(way.links[place]));
    }
  const std::size_t last = place_of(ways.shortest.front().links.back());
  std::vector<std::size_t> on_ways(ends.links.size(), 0);
  for (WholeWay& whole : ends.whole) {
    whole.places.push_back(last);
    for (const std::size_t place : whole.places)
      ++on_ways[place];
  }
  for (const WholeWay& whole : ends.whole) {
    WaysOfMessage::Way way{{}, static_cast<double>(whole.places.size())};
    for (const std::size_t place : whole.places)
      if (on_ways[place] < ends.whole.size()) way.places.push_back(place);
    const bool is_shortest = ends.ways.shortest.size() < ways.shortest.size();
    (is_shortest ? ends.ways.shortest : ends.ways.detours).push_back(std::move(way));
  }
  return ends;
}

LinkLoads RoutedNetwork::loads(const Ends& ends, bool is_free) const {
  const double most_bytes_per_s =
      std::min(bandwidths_bytes_per_s_[ends.links.front()], bandwidths_bytes_per_s_[ends.links.back()]);
  std::vector<double> loads;
  std::vector<double> of_packet;
  for (const std::size_t link : ends.links) {
    const double of_flow = most_bytes_per_s / bandwidths_bytes_per_s_[link];
    loads.push_back(is_free ? 0 : (flows_.flows_on(link) + waiting_flows_[link]) * of_flow);
    of_packet.push_back(of_flow / packets_of_message);
  }
  return {std::move(loads), std::move(of_packet)};
}

std::vector<std::size_t> RoutedNetwork::packets_on_links(const Ends& ends, const PacketsOfWays& packets) {
  std::vector<std::size_t> on_links(ends.links.size(), 0);
  for (std::size_t way = 0; way < packets.size(); ++way)
    if (packets[way] > 0)
      for (const std::size_t place : ends.whole[way].places)
        on_links[place] += packets[way];
  return on_links;
}

RoutedNetwork::Mix RoutedNetwork::mixed(const Route& route, const Ends& ends, PacketsOfWays packets) const {
  Mix mix{std::move(packets), route};
  const auto all =
      static_cast<float>(std::accumulate(mix.packets.begin(), mix.packets.end(), std::size_t{0}));
  double latency_s = 0;
  for (std::size_t way = 0; way < mix.packets.size(); ++way)
    if (mix.packets[way] > 0) latency_s = std::max(latency_s, ends.whole[way].latency_s);
  mix.late_s = latency_s - route.latency_s;
  mix.route.shared_links.clear();
  const std::vector<std::size_t> on_links = packets_on_links(ends, mix.packets);
  for (std::size_t place = 0; place < on_links.size(); ++place) {
    if (on_links[place] == 0) continue;
    mix.route.shared_links.push_back(ends.links[place]);
    mix.route.parts.push_back(static_cast<float>(on_links[place]) / all);
  }
  return mix;
}

std::size_t RoutedNetwork::add_mix(Mix mix, Ends& ends) {
  // Room for all links: what comes later on this route may use others.
  const std::vector<float> parts(ends.links.size(), 1);
  flows_.add_route(ends.links, most_bytes_per_s(mix.route, costs_), std::nullopt, parts);
  flows_.change_route(mixes_.size(), mix.route.shared_links, mix.route.parts);
  ends.mixes.push_back(mixes_.size());
  mixes_.push_back(std::move(mix));
  return mixes_.size() - 1;
}

void RoutedNetwork::add_route(const Route& route) {
  routes_.push_back(&route);
  Ends& ends = ends_.emplace_back(ends_of(loaded_.ways(route.from, route.to)));
  for (const std::size_t link : ends.links)
    if (loaded_.wires().is_private(link))
      throw InputError(fmt::format("{}: routing", loaded_.wires().link_name(link)),
                       "this link is a FATPIPE, which is never full (there is nothing to choose)",
                       "Leave routing out, or write sharing_policy=\"SPLITDUPLEX\"");
  LinkLoads none = loads(ends, true);
  Mix mix = mixed(route, ends, routing_.packets(ends.ways, none));
  ends.alone_bytes_per_s = most_bytes_per_s(route, costs_);
  for (std::size_t place = 0; place < mix.route.shared_links.size(); ++place)
    ends.alone_bytes_per_s =
        std::min(ends.alone_bytes_per_s,
                 bandwidths_bytes_per_s_[mix.route.shared_links[place]] / mix.route.parts[place]);
  add_mix(std::move(mix), ends);
}

std::size_t RoutedNetwork::find_mix(std::size_t route, PacketsOfWays packets) {
  Ends& ends = ends_[route];
  for (const std::size_t mix : ends.mixes)
    if (mixes_[mix].packets == packets) return mix;
  Mix mix = mixed(*routes_[route], ends, std::move(packets));
  for (const std::size_t number : ends.mixes) {
    if (!flows_.is_free(number)) continue;
    flows_.change_route(number, mix.route.shared_links, mix.route.parts);
    mixes_[number] = std::move(mix);
    return number;
  }
  return add_mix(std::move(mix), ends);
}

void RoutedNetwork::count_waiting(const Waiting& message, double flows) {
  const Ends& ends = ends_[message.route];
  const std::vector<std::size_t> on_links = packets_on_links(ends, message.packets);
  for (std::size_t place = 0; place < on_links.size(); ++place)
    waiting_flows_[ends.links[place]] += flows * static_cast<double>(on_links[place]) / packets_of_message;
}

void RoutedNetwork::start_waiting() {
  if (waiting_.empty()) return;
  const int rounds = waiting_.size() == 1 ? 1 : rounds_of_choice;
  for (int round = 0; round < rounds; ++round)
    for (Waiting& message : waiting_) {
      if (round > 0) count_waiting(message, -1);
      LinkLoads now = loads(ends_[message.route], false);
      message.packets = routing_.packets(ends_[message.route].ways, now);
      count_waiting(message, 1);
    }
  // They are on links from now on.
  std::ranges::fill(waiting_flows_, 0);
  for (Waiting& message : waiting_)
    start_on(find_mix(message.route, std::move(message.packets)), message.bytes, message.flow, true);
  waiting_.clear();
}

void RoutedNetwork::start_on(std::size_t number, double bytes, const Flow& flow, bool is_later) {
  const Mix& mix = mixes_[number];
  Flow timed = flow;
  if (flow.kind == Flow::Kind::started || flow.kind == Flow::Kind::blocked_on)
    timed.latency_s += mix.late_s;
  else
    timed.late_s += mix.late_s * costs_.latency_factors.of(bytes);
  flows_.start(number, mix.route, bytes, timed, is_later, part_of_share(bytes, flow, costs_));
}

}  // namespace

std::unique_ptr<Network> make_routed_network(const NetworkParts& parts, const Routing& routing) {
  return std::make_unique<RoutedNetwork>(parts, routing);
}

}  // namespace finegrain::replay
