// SPDX-License-Identifier: MIT
// The usual network: messages are flows that share links max-min fairly, as in SimGrid's CM02.
#include "sim/replay/engine/networks.hpp"
#include "sim/replay/engine/shared_flows.hpp"

namespace finegrain::replay {
namespace {

class SharedNetwork final : public OneFlowPerMessage, private FlowListener {
 public:
  explicit SharedNetwork(const NetworkParts& parts)
      : OneFlowPerMessage(parts.user),
        costs_(parts.platform.costs),
        link_bandwidths_bytes_per_s_(parts.link_bandwidths_bytes_per_s),
        flows_(parts, *this) {}

  void add_route(const LoadedPlatform::Route& route) override {
    routes_.push_back(&route);
    flows_.add_route(route.shared_links, most_bytes_per_s(route, costs_));
    rates_bytes_per_s_.push_back(alone_bytes_per_s(route, link_bandwidths_bytes_per_s_, costs_));
  }
  void dispatch(std::size_t source) override { flows_.dispatch(source); }
  void settle() override { flows_.settle(); }
  void set_bandwidth(std::size_t link, double bytes_per_s) override {
    flows_.set_bandwidth(link, bytes_per_s);
  }
  void follow_latencies() override { flows_.follow_latencies(routes_, costs_); }
  std::int64_t flows() const override { return flows_.started(); }

 private:
  double rate_bytes_per_s(std::size_t route) const override { return rates_bytes_per_s_[route]; }
  double alone_s(const Sending& sending, const Flow& flow) const override {
    return Network::alone_s(sending, flow) / part_of_share(sending.bytes, flow, costs_);
  }
  void start_flow(std::size_t route, double bytes, const Flow& flow, bool is_later) override {
    flows_.start(route, *routes_[route], bytes, flow, is_later, part_of_share(bytes, flow, costs_));
  }
  void flow_started(const Flow& flow, std::uint32_t number, const LoadedPlatform::Route& route, double bytes,
                    bool is_later) override {
    user_.flow_started(flow, number, route, bytes, is_later);
  }
  void flow_ended(const Flow& flow, std::uint32_t number) override { user_.flow_ended(flow, number); }
  void ended(const Flow& flow) override { end_flow(flow); }

  const platform::PlatformCosts& costs_;
  const std::vector<double>& link_bandwidths_bytes_per_s_;
  std::vector<double> rates_bytes_per_s_;  ///< a lone flow's on each route
  SharedFlows flows_;
};

}  // namespace

std::unique_ptr<Network> make_shared_network(const NetworkParts& parts) {
  return std::make_unique<SharedNetwork>(parts);
}

}  // namespace finegrain::replay
