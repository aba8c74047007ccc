// SPDX-License-Identifier: MIT
// The usual network: each message is one flow from its start on, and a message that its receiver permits is
// one from the permission on. Requests and answers take no part of a link; they are latencies, which the
// simulation adds. A fetch is two flows: what goes there, and then what comes back.
#include "sim/replay/engine/shared_network.hpp"

#include "sim/replay/engine/shared_flows.hpp"

namespace finegrain::replay {
namespace {

class SharedNetwork final : public Network, private FlowListener {
 public:
  explicit SharedNetwork(const NetworkParts& parts) : user_(parts.user), flows_(parts, *this) {}

  void add_route(const LoadedPlatform::Route& route, double most_bytes_per_s) override {
    routes_.push_back(&route);
    flows_.add_route(route.shared_links, most_bytes_per_s);
  }
  void start(const Sending& sending, const Flow& flow) override {
    start_flow(sending.route, sending.bytes, flow, false);
  }
  std::uint32_t request(const Sending& /*sending*/, const Flow& flow) override {
    user_.request_left(flow);
    return 0;
  }
  /// Links count as busy from now on, which is one or two latencies too early; all ends are later by the same
  /// time.
  void permit(std::uint32_t /*request*/, const Sending& sending, const Flow& flow) override {
    start_flow(sending.route, sending.bytes, flow, true);
    if (flow.kind == Flow::Kind::permitted) user_.permission_came(flow);
  }
  void dispatch(std::size_t source) override { flows_.dispatch(source); }
  void settle() override { flows_.settle(); }
  void set_bandwidth(std::size_t link, double bytes_per_s) override {
    flows_.set_bandwidth(link, bytes_per_s);
  }
  void set_most(std::size_t route, double bytes_per_s) override { flows_.set_most(route, bytes_per_s); }
  std::int64_t flows() const override { return flows_.started(); }

 private:
  void start_flow(std::size_t route, double bytes, const Flow& flow, bool is_later) {
    flows_.start(route, *routes_[route], bytes, flow, is_later);
  }
  void flow_started(const Flow& flow, std::uint32_t number, const LoadedPlatform::Route& route, double bytes,
                    bool is_later) override {
    user_.flow_started(flow, number, route, bytes, is_later);
  }
  void flow_ended(const Flow& flow, std::uint32_t number) override { user_.flow_ended(flow, number); }
  void ended(const Flow& flow) override {
    if (flow.kind == Flow::Kind::fetches)
      start_flow(flow.connection, flow.bytes_back,
                 {Flow::Kind::started, flow.strand, flow.request, flow.latency_s}, true);
    else
      user_.ended(flow);
  }

  NetworkUser& user_;
  SharedFlows flows_;
};

}  // namespace

std::unique_ptr<Network> make_shared_network(const NetworkParts& parts) {
  return std::make_unique<SharedNetwork>(parts);
}

}  // namespace finegrain::replay
