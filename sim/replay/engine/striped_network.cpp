// SPDX-License-Identifier: MIT
// Messages share links max-min, as in the shared network, but some are divided among the rails of their nodes
// (LoadedPlatform::Route::stripes). Each part is a flow, and the message has ended when the last of them has.
//
//     Two rails of 1 MB/s, a message of 1 MB that is divided, and one of 1 MB on the first rail:
//     both rails carry 0.5 MB of the first message; the first rail is shared until that part ends, at 1 s.
//     The part on the second rail ends at 0.5 s, so the message ends at 1 s, and the other one at 1.5 s.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "sim/replay/engine/networks.hpp"
#include "sim/replay/engine/shared_flows.hpp"

namespace finegrain::replay {
namespace {

using Route = LoadedPlatform::Route;

class StripedNetwork final : public OneFlowPerMessage, private FlowListener {
 public:
  explicit StripedNetwork(const NetworkParts& parts)
      : OneFlowPerMessage(parts.user),
        costs_(parts.platform.costs),
        link_bandwidths_bytes_per_s_(parts.link_bandwidths_bytes_per_s),
        flows_(parts, *this) {}

  void add_route(const Route& route) override;
  void dispatch(std::size_t source) override { flows_.dispatch(source); }
  void settle() override { flows_.settle(); }
  void set_bandwidth(std::size_t link, double bytes_per_s) override {
    flows_.set_bandwidth(link, bytes_per_s);
  }
  void follow_latencies() override {}  // none change where nodes have rails: LoadedPlatform
  std::int64_t flows() const override { return started_; }

 private:
  /// The way of a message, or of one of its parts.
  struct Lane {
    std::size_t place;  ///< among the routes of flows_
    const Route* route;
    double part;  ///< the share of the bytes
  };
  /// A message whose parts are on their way.
  struct Divided {
    Flow flow;
    std::size_t parts_left;
  };

  Lane add_lane(const Route& route, double part);
  std::uint32_t add_divided(const Flow& flow, std::size_t parts);
  // Whole and divided messages are numbered by themselves, and must not have the same numbers.
  static std::uint32_t number_of_whole(std::uint32_t place) { return 2 * place; }
  static std::uint32_t number_of_divided(std::uint32_t place) { return 2 * place + 1; }

  double rate_bytes_per_s(std::size_t route) const override { return rates_bytes_per_s_[route]; }
  double alone_s(const Sending& sending, const Flow& flow) const override {
    return Network::alone_s(sending, flow) / part_of_share(sending.bytes, flow, costs_);
  }
  void start_flow(std::size_t route, double bytes, const Flow& flow, bool is_later) override;
  void flow_started(const Flow& flow, std::uint32_t number, const Route& route, double bytes,
                    bool is_later) override {
    if (flow.kind != Flow::Kind::leg)
      user_.flow_started(flow, number_of_whole(number), route, bytes, is_later);
  }
  void flow_ended(const Flow& flow, std::uint32_t number) override {
    if (flow.kind != Flow::Kind::leg) user_.flow_ended(flow, number_of_whole(number));
  }
  void ended(const Flow& flow) override;

  const platform::PlatformCosts& costs_;
  const std::vector<double>& link_bandwidths_bytes_per_s_;
  std::vector<std::vector<Lane>> lanes_;   ///< each route's
  std::vector<double> rates_bytes_per_s_;  ///< a lone message's on each route
  std::vector<Divided> divided_;
  std::vector<std::uint32_t> ended_;  ///< places in divided_ to use again
  std::size_t lanes_of_all_ = 0;
  std::int64_t started_ = 0;
  SharedFlows flows_;
};

StripedNetwork::Lane StripedNetwork::add_lane(const Route& route, double part) {
  flows_.add_route(route.shared_links, most_bytes_per_s(route, costs_));
  return {lanes_of_all_++, &route, part};
}

void StripedNetwork::add_route(const Route& route) {
  routes_.push_back(&route);
  std::vector<Lane>& lanes = lanes_.emplace_back();
  if (route.stripes.empty()) lanes.push_back(add_lane(route, 1));
  for (const Route::Stripe& stripe : route.stripes)
    lanes.push_back(add_lane(*stripe.route, stripe.part));
  rates_bytes_per_s_.push_back(alone_bytes_per_s(route, link_bandwidths_bytes_per_s_, costs_));
}

std::uint32_t StripedNetwork::add_divided(const Flow& flow, std::size_t parts) {
  if (ended_.empty()) {
    ended_.push_back(static_cast<std::uint32_t>(divided_.size()));
    divided_.emplace_back();
  }
  const std::uint32_t place = ended_.back();
  ended_.pop_back();
  divided_[place] = {flow, parts};
  return place;
}

void StripedNetwork::start_flow(std::size_t route, double bytes, const Flow& flow, bool is_later) {
  ++started_;
  const std::vector<Lane>& lanes = lanes_[route];
  const double part_of_share = replay::part_of_share(bytes, flow, costs_);
  if (lanes.size() == 1) {
    flows_.start(lanes.front().place, *routes_[route], bytes, flow, is_later, part_of_share);
    return;
  }
  const std::uint32_t divided = add_divided(flow, lanes.size());
  user_.flow_started(flow, number_of_divided(divided), *routes_[route], bytes, is_later);
  const Flow of_part{.kind = Flow::Kind::leg, .strand = flow.strand, .connection = divided};
  for (const Lane& lane : lanes)
    flows_.start(lane.place, *lane.route, bytes * lane.part, of_part, is_later, part_of_share);
}

void StripedNetwork::ended(const Flow& flow) {
  if (flow.kind != Flow::Kind::leg) {
    end_flow(flow);
    return;
  }
  const auto place = static_cast<std::uint32_t>(flow.connection);
  if (--divided_[place].parts_left > 0) return;
  const Flow whole = divided_[place].flow;  // another may take its place
  ended_.push_back(place);
  user_.flow_ended(whole, number_of_divided(place));
  end_flow(whole);
}

}  // namespace

std::unique_ptr<Network> make_striped_network(const NetworkParts& parts) {
  return std::make_unique<StripedNetwork>(parts);
}

}  // namespace finegrain::replay
