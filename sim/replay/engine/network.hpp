// SPDX-License-Identifier: MIT
// What a simulation asks of a network, and what a network tells the simulation.
//
// A network carries bytes from one node to another, and decides how long they take. It knows links, routes
// and sizes, and nothing of steps, requests or matching. There are several, a file each:
//
//     shared_network.cpp   flows share links max-min fairly (the usual one)
//     routed_network.cpp   the same, but a policy chooses the ways of each message
//     striped_network.cpp  the same, but long messages are divided among rails
//     ordered_network.cpp  as with TCP: what goes from one rank to another passes one after the other, and
//                          replies wait behind data
//
// make_network() (networks.cpp) chooses one by the platform's properties. An example, with the shared one, of
// 1 MB on a free link of 1 MB/s:
//
//     simulation                          network
//     start(1 MB, flow)               ->  events: route 0 at 1 s
//     settle(), before time passes    ->  shares are fair
//     dispatch(route 0), at 1 s       ->
//                                     <-  ended(flow)
//
// Latencies are the simulation's: it adds them when a flow has ended.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sim/platform/platform.hpp"
#include "sim/replay/engine/event_queue.hpp"
#include "sim/replay/engine/flow.hpp"
#include "sim/replay/loaded_platform.hpp"
#include "sim/replay/replay.hpp"

namespace finegrain::replay {

/// Told what becomes of flows.
class FlowListener {
 public:
  virtual ~FlowListener() = default;
  /// @param number  that no other flow has until this one has ended
  /// @param is_later  it goes after the step that started it
  virtual void flow_started(const Flow& flow, std::uint32_t number, const LoadedPlatform::Route& route,
                            double bytes, bool is_later) = 0;
  virtual void flow_ended(const Flow& flow, std::uint32_t number) = 0;
  /// All that was started with this flow has passed. After flow_ended(); once for what takes several flows.
  virtual void ended(const Flow& flow) = 0;
};

/// Whom a network serves: the simulation of the ranks.
class NetworkUser : public FlowListener {
 public:
  /// The answer to a request has passed; flow.latency_s later its sender may go on. Only of flows that are
  /// `permitted`; ended() follows.
  virtual void permission_came(const Flow& flow) = 0;
  /// A request has passed. It is at its receiver a latency later.
  virtual void request_left(const Flow& flow) = 0;
  /// When a rank went on last, or will.
  virtual double goes_on_s(std::size_t rank) const = 0;
  /// When a rank goes on that waits for what happens then: later, where noise is simulated.
  virtual double noticed_s(std::size_t rank, double at_s) = 0;
  /// Calls look(rank) at this time.
  virtual void look_at(std::size_t rank, double at_s) = 0;
  /// The place of the route between two ranks' nodes, which the network may not know yet: add_route()
  /// follows.
  virtual std::size_t route_between(std::int32_t from, std::int32_t to) = 0;
};

/// What is to go from one rank to another, on another node.
struct Sending {
  /// puts, gets: several, one after the other, each of which is permitted while others are on their way.
  enum class Way : std::uint8_t { message, put, puts, get, gets, fetch };
  std::int32_t from;  ///< a get's: the rank that has the bytes
  std::int32_t to;
  std::size_t route;
  double bytes;
  Way way = Way::message;
};

/// What a network is made of. All of it outlives the network.
struct NetworkParts {
  EventQueue& events;
  NetworkUser& user;
  const platform::Platform& platform;
  const std::vector<double>& link_bandwidths_bytes_per_s;
  std::size_t ranks;
  double share_tolerance;  ///< ReplayOptions
  const LoadedPlatform& loaded;
};

/// Times are EventQueue::now_s(). Events of the sources that a network has added to the queue are its own.
class Network {
 public:
  virtual ~Network() = default;
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  /// Routes are numbered as they are added.
  /// @param route  outlives the network. @throws InputError if this network has no such routes
  virtual void add_route(const LoadedPlatform::Route& route) = 0;
  std::size_t routes() const { return routes_.size(); }

  /// ended(flow) says when all has passed.
  void start(const Sending& sending, const Flow& flow) {
    count(sending, flow);
    begin(sending, with_alone(sending, flow));
  }
  /// A long message asks its receiver for permission. Bytes that go at once are on their way.
  /// @returns its number, for permit()
  std::uint32_t request(const Sending& sending, const Flow& flow) {
    count(sending, flow);
    return begin_request(sending, flow);
  }
  /// The message's receiver has permitted it. If nothing hinders the answer, it is there after
  /// flow.latency_s. @param flow  that ends with the message
  void permit(std::uint32_t request, const Sending& sending, const Flow& flow) {
    begin_permitted(request, sending, with_alone(sending, flow));
  }

  /// An event of one of its sources.
  virtual void dispatch(std::size_t source) = 0;
  /// No more is started at this time. To be called before time passes.
  virtual void settle() {}
  /// From now on. Takes effect with settle().
  virtual void set_bandwidth(std::size_t link, double bytes_per_s) = 0;
  /// Latencies have changed (LoadedPlatform::Route::late_s).
  virtual void follow_latencies() = 0;
  /// So far.
  virtual std::int64_t flows() const = 0;
  const UnloadedTransfers& unloaded() const { return unloaded_; }
  /// When nothing happens any more: why nothing of what was started goes on. Empty: all of it has passed.
  virtual std::string why_nothing_moves() const { return {}; }

  // Whether ranks themselves answer what others ask. Other networks need not be told what ranks do.
  bool follows_ranks() const { return follows_ranks_; }
  /// The rank is at work, and answers nobody.
  virtual void work(std::size_t /*rank*/) {}
  /// The rank is in a call: it answers what others have asked.
  virtual void serve(std::size_t /*rank*/) {}
  /// The rank leaves a barrier: it asked for what is there while it looked for the barrier's end, and answers
  /// it before its own next requests.
  virtual void leave_barrier(std::size_t /*rank*/) {}
  /// The rank looks whether others have asked (NetworkUser::look_at).
  virtual void look(std::size_t /*rank*/) {}

 protected:
  explicit Network(bool follows_ranks = false) : follows_ranks_(follows_ranks) {}
  virtual void begin(const Sending& sending, const Flow& flow) = 0;
  virtual std::uint32_t begin_request(const Sending& sending, const Flow& flow) = 0;
  virtual void begin_permitted(std::uint32_t request, const Sending& sending, const Flow& flow) = 0;
  /// How long it takes from its start until ended(flow) if nothing else is on the way.
  virtual double alone_s(const Sending& sending, const Flow& flow) const;
  /// The most that a route gives one flow.
  virtual double rate_bytes_per_s(std::size_t route) const = 0;
  std::vector<const LoadedPlatform::Route*> routes_;

 private:
  void count(const Sending& sending, const Flow& flow);
  Flow with_alone(const Sending& sending, Flow flow) const {
    flow.alone_s += alone_s(sending, flow);
    return flow;
  }

  const bool follows_ranks_;
  UnloadedTransfers unloaded_;
};

/// A network in which each message is one flow: from its start on, or, if its receiver permits it, from then
/// on. Requests and answers take no part of a link; they are latencies, which the simulation adds. A fetch is
/// two flows: what goes there, and then what comes back.
class OneFlowPerMessage : public Network {
 public:
  void begin(const Sending& sending, const Flow& flow) final {
    start_flow(sending.route, sending.bytes, flow, false);
  }
  std::uint32_t begin_request(const Sending& /*sending*/, const Flow& flow) final {
    user_.request_left(flow);
    return 0;
  }
  /// Links count as busy from now on, which is one or two latencies too early; all ends are later by the same
  /// time.
  void begin_permitted(std::uint32_t /*request*/, const Sending& sending, const Flow& flow) final {
    start_flow(sending.route, sending.bytes, flow, true);
    if (flow.kind == Flow::Kind::permitted) user_.permission_came(flow);
  }

 protected:
  explicit OneFlowPerMessage(NetworkUser& user) : user_(user) {}
  /// end_flow() when it has passed. @param is_later  as in FlowListener::flow_started()
  virtual void start_flow(std::size_t route, double bytes, const Flow& flow, bool is_later) = 0;
  void end_flow(const Flow& flow) {
    if (flow.kind == Flow::Kind::fetches)
      start_flow(flow.connection, flow.bytes_back,
                 {.kind = Flow::Kind::started,
                  .strand = flow.strand,
                  .request = flow.request,
                  .latency_s = flow.latency_s,
                  .alone_s = flow.alone_s},
                 true);
    else
      user_.ended(flow);
  }

  NetworkUser& user_;
};

/// Which part of its share a flow uses: a two-sided message by its size (bandwidth_factors), others all of
/// it.
double part_of_share(double bytes, const Flow& flow, const platform::PlatformCosts& costs);

/// The most that one flow on a route gets, however few there are: its narrowest private link's bandwidth, or
/// that of TCP's window.
double most_bytes_per_s(const LoadedPlatform::Route& route, const platform::PlatformCosts& costs);

/// What a flow on a route gets that is alone: a link that it crosses twice gives it half.
double alone_bytes_per_s(const LoadedPlatform::Route& route,
                         const std::vector<double>& link_bandwidths_bytes_per_s,
                         const platform::PlatformCosts& costs);

/// @throws InputError if the platform's `network` or `routing` names none, or one that does not follow its
/// other properties
void check_network(const platform::Platform& platform);

/// The network of a platform, by its properties (docs/platforms.md). @throws as check_network()
std::unique_ptr<Network> make_network(const NetworkParts& parts);

}  // namespace finegrain::replay
