// SPDX-License-Identifier: MIT
// Transfers where connections keep an order: what goes from one rank to another passes one after the other,
// as with TCP. A put is complete when its answer is back; a get begins when its request has arrived; a long
// message sends its request's bytes first, and the rest when it is permitted. Such replies wait behind data
// in the same direction, and until the rank that has to give them is in a call (docs/testbed.md). Where links
// serve in order what comes first, all wait in front of the last link. Where a connection is ahead of others
// that begin at the same time, these wait in front of the first link. Latencies of two-sided messages are
// added at their ends, as for transfers that do not wait.
//
// An example, with `replies` = behind_data and links of 1 MB/s: rank 0 puts 1 MB to rank 1, which puts 2 MB
// to rank 0. A put is two legs: its data, and the reply that they are there.
//
//     wire 0 -> 1:  1 MB of rank 0, until 1 s;  the reply to rank 1, at 2 s
//     wire 1 -> 0:  2 MB of rank 1, until 2 s;  the reply to rank 0, there since 1 s, behind them: at 2 s
//
// So both puts are complete at 2 s, where replies that overtake data would end the first at 1 s.
#include "sim/replay/engine/networks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <functional>
#include <optional>
#include <queue>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "sim/replay/engine/shared_flows.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::replay {
namespace {

/// What goes over the connections of two ranks, leg after leg. A leg begins when all that was put on its
/// connection before has passed.
struct Transfer {
  struct Leg {
    double bytes = 0;
    bool is_data = false;  ///< otherwise a reply, which takes no time of its own
    bool is_back = false;  ///< from `to` to `from`
    /// The target of a put or get answers. Its library does this after everything else that has arrived.
    bool is_late = false;
  };

  Flow flow;  ///< what ends with it
  std::int32_t from;
  std::int32_t to;
  std::size_t route;
  std::size_t route_back;  ///< a fetch's
  bool is_one_sided = false;
  double latency_s = 0;  ///< one-sided: each leg's, after which it has arrived
  std::array<Leg, 4> legs = {};
  std::uint8_t leg_count = 0;
  std::uint8_t next = 0;
  std::uint8_t permitted = 4;  ///< legs before this one may go
  bool is_later = false;       ///< its data begin while its rank may have gone on

  void add(const Leg& leg) { legs[leg_count++] = leg; }
  const Leg& leg() const { return legs[next]; }
  std::size_t data_route() const { return leg().is_back ? route_back : route; }
  std::int32_t sender_of(const Leg& leg) const { return leg.is_back ? to : from; }
};

/// All ranks of a run fit 31 bits.
std::uint64_t wire_of(std::int32_t from, std::int32_t to) {
  return std::uint64_t{static_cast<std::uint32_t>(from)} << 32U | static_cast<std::uint32_t>(to);
}

std::uint64_t wire_of(const Transfer& transfer) {
  return transfer.leg().is_back ? wire_of(transfer.to, transfer.from) : wire_of(transfer.from, transfer.to);
}

/// Adds data. Of a long message, `request_bytes` go first.
void add_data(Transfer& transfer, double bytes, double request_bytes, Sending::Way way) {
  const bool is_long = request_bytes > 0 && bytes > request_bytes;
  const bool is_got = way == Sending::Way::get || way == Sending::Way::gets;
  transfer.add({.bytes = is_long ? request_bytes : bytes, .is_data = true, .is_late = is_got});
  if (!is_long) return;
  transfer.add({.is_back = true, .is_late = !is_got});
  transfer.add({.bytes = bytes - request_bytes, .is_data = true});
}

/// A put, a get or a message that needs no permission.
Transfer transfer_of(const Sending& sending, const Flow& flow, double request_bytes) {
  using enum Sending::Way;
  if (sending.way == puts || sending.way == gets) request_bytes = 0;
  Transfer transfer{
      .flow = flow, .from = sending.from, .to = sending.to, .route = sending.route, .route_back = 0};
  if (sending.way != message) {
    transfer.is_one_sided = true;
    transfer.latency_s = std::exchange(transfer.flow.latency_s, 0) / 2;
  }
  switch (sending.way) {
    case message:
      transfer.add({.bytes = sending.bytes, .is_data = true});
      break;
    case put:
    case puts:
      add_data(transfer, sending.bytes, request_bytes, sending.way);
      transfer.add({.is_back = true, .is_late = true});
      break;
    case get:
    case gets:
      transfer.add({.is_back = true});
      add_data(transfer, sending.bytes, request_bytes, sending.way);
      break;
    case fetch:  // what comes back follows as its second part
      transfer.add({.bytes = sending.bytes, .is_data = true});
      transfer.add({.bytes = flow.bytes_back, .is_data = true, .is_back = true, .is_late = true});
      transfer.flow.kind = Flow::Kind::started;
      transfer.route_back = flow.connection;
      break;
  }
  return transfer;
}

/// A long two-sided message: the bytes with its request go now, the rest when the receiver permits it.
Transfer transfer_of_request(const Sending& sending, const Flow& flow, double request_bytes) {
  const double first_bytes = std::min(sending.bytes, request_bytes);
  Transfer transfer{
      .flow = flow, .from = sending.from, .to = sending.to, .route = sending.route, .route_back = 0};
  if (first_bytes > 0) transfer.add({.bytes = first_bytes, .is_data = true});
  transfer.permitted = transfer.leg_count;
  transfer.add({.is_back = true});
  if (sending.bytes > first_bytes || sending.bytes == 0)
    transfer.add({.bytes = sending.bytes - first_bytes, .is_data = true});
  return transfer;
}

/// Transfers by their places, which are used again.
class Transfers {
 public:
  std::uint32_t add(const Transfer& transfer) {
    if (ended_.empty()) {
      ended_.push_back(static_cast<std::uint32_t>(transfers_.size()));
      transfers_.emplace_back();
    }
    const std::uint32_t place = ended_.back();
    ended_.pop_back();
    transfers_[place] = transfer;
    return place;
  }
  Transfer& operator[](std::uint32_t place) { return transfers_[place]; }
  void end(std::uint32_t place) { ended_.push_back(place); }

 private:
  std::vector<Transfer> transfers_;
  std::vector<std::uint32_t> ended_;
};

/// What goes from one rank to another.
struct Wire {
  std::deque<std::uint32_t> waiting;  ///< transfers
  bool is_busy = false;               ///< with the data of the first
  double free_s = -1;                 ///< since when it is not
};

/// The end of a transfer's leg; or the begin of its data, which waited for those of others.
struct Arrival {
  double at_s;
  bool is_answered_late;
  std::int64_t number;  ///< what left its connection first is first
  std::uint32_t transfer;
  bool begins;  ///< rather than arrives
  bool operator>(const Arrival& other) const {
    return std::tie(at_s, is_answered_late, number) >
           std::tie(other.at_s, other.is_answered_late, other.number);
  }
};

/// A rank that answers others.
struct Answering {
  bool is_away = false;                   ///< at work, so that it answers nobody
  std::vector<std::uint32_t> unanswered;  ///< transfers whose next leg it has to answer with
};

class OrderedNetwork final : public Network, private FlowListener {
 public:
  explicit OrderedNetwork(const NetworkParts& parts)
      : Network(true),
        platform_(parts.platform),
        link_bandwidths_bytes_per_s_(parts.link_bandwidths_bytes_per_s),
        events_(parts.events),
        user_(parts.user),
        arrivals_source_(parts.events.add_source()),
        flows_(parts, *this),
        leads_bytes_(parts.link_bandwidths_bytes_per_s.size(), 0),
        ranks_(parts.ranks) {}

  void add_route(const LoadedPlatform::Route& route) override;
  void begin(const Sending& sending, const Flow& flow) override {
    begin_leg(transfers_.add(transfer_of(sending, flow, costs().request_bytes)));
  }
  std::uint32_t begin_request(const Sending& sending, const Flow& flow) override;
  void begin_permitted(std::uint32_t request, const Sending& sending, const Flow& flow) override;

  void dispatch(std::size_t source) override {
    source == arrivals_source_ ? arrive_due() : flows_.dispatch(source);
  }
  void settle() override { flows_.settle(); }
  void set_bandwidth(std::size_t link, double bytes_per_s) override {
    flows_.set_bandwidth(link, bytes_per_s);
  }
  void follow_latencies() override { flows_.follow_latencies(routes_, costs()); }
  std::int64_t flows() const override { return flows_.started(); }

  void work(std::size_t rank) override { ranks_[rank].is_away = true; }
  void serve(std::size_t rank) override;
  void leave_barrier(std::size_t rank) override;
  void look(std::size_t rank) override;

 private:
  const platform::PlatformCosts& costs() const { return platform_.costs; }
  double rate_bytes_per_s(std::size_t route) const override { return rates_bytes_per_s_[route]; }
  /// The legs of puts and gets have their latencies here.
  double alone_s(const Sending& sending, const Flow& flow) const override {
    if (sending.way == Sending::Way::message) return Network::alone_s(sending, flow);
    const Transfer transfer = transfer_of(sending, flow, costs().request_bytes);
    return Network::alone_s(sending, flow) + transfer.leg_count * transfer.latency_s;
  }
  double now_s() const { return events_.now_s(); }

  void flow_started(const Flow& flow, std::uint32_t number, const LoadedPlatform::Route& route, double bytes,
                    bool is_later) override {
    user_.flow_started(flow, number, route, bytes, is_later);
  }
  void flow_ended(const Flow& flow, std::uint32_t number) override { user_.flow_ended(flow, number); }
  /// The data of a transfer's leg have left.
  void ended(const Flow& flow) override { end_data(static_cast<std::uint32_t>(flow.connection)); }

  void begin_leg(std::uint32_t transfer);
  void go_on_wire(std::uint64_t wire);
  /// Over which the leg's data leave their node; none: they wait for no other connection.
  std::optional<std::size_t> link_to_wait_for(const Transfer& transfer) const;
  /// By which the leg's data are ahead of other connections'.
  double lead_bytes(const Transfer& transfer) const {
    return std::min(costs().connection_lead_bytes, transfer.leg().bytes);
  }
  /// @returns how long the leg's data wait for those that are ahead of them
  double line_up(const Transfer& transfer);
  void start_data(std::uint32_t transfer);
  /// How long what the transfer's leg sends, which leaves its source now, waits in front of the last link.
  double queued_s(const Transfer& transfer);
  void end_data(std::uint32_t transfer);
  void end_leg(std::uint32_t transfer);
  void arrive(std::uint32_t transfer);
  void arrive_at(double at_s, bool is_answered_late, std::uint32_t transfer, bool begins);
  void arrive_due();

  const platform::Platform& platform_;
  const std::vector<double>& link_bandwidths_bytes_per_s_;
  EventQueue& events_;
  NetworkUser& user_;
  std::size_t arrivals_source_;
  SharedFlows flows_;
  Transfers transfers_;
  std::unordered_map<std::uint64_t, Wire> wires_;  ///< by both ranks
  std::vector<double> rates_bytes_per_s_;          ///< a lone flow's on each route
  std::vector<double> leads_bytes_;                ///< the sum of all whose data are on a link, by the link
  std::priority_queue<Arrival, std::vector<Arrival>, std::greater<>> arrivals_;
  std::int64_t arrivals_noted_ = 0;
  std::vector<Answering> ranks_;
};

void OrderedNetwork::add_route(const LoadedPlatform::Route& route) {
  const std::span links(route.shared_links);
  const bool has_queue = costs().links_in_order && links.size() > 1;
  if (has_queue && links.size() > 2)
    throw InputError(platform_.file.string(),
                     fmt::format("link_queues is in_order, but a route crosses {} links", links.size()),
                     "In order, a route may cross the links of its two nodes. Leave link_queues out");
  routes_.push_back(&route);
  rates_bytes_per_s_.push_back(alone_bytes_per_s(route, link_bandwidths_bytes_per_s_, costs()));
  const double most = most_bytes_per_s(route, costs());
  if (has_queue)
    flows_.add_route(links.first(1), most, links.back());
  else
    flows_.add_route(links, most);
}

std::uint32_t OrderedNetwork::begin_request(const Sending& sending, const Flow& flow) {
  const std::uint32_t place = transfers_.add(transfer_of_request(sending, flow, costs().request_bytes));
  if (transfers_[place].permitted > 0) {
    begin_leg(place);
  } else {
    user_.request_left(flow);
  }
  return place;
}

void OrderedNetwork::begin_permitted(std::uint32_t place, const Sending& /*sending*/, const Flow& flow) {
  Transfer& transfer = transfers_[place];
  transfer.flow = flow;
  transfer.is_later = true;
  const bool has_waited = transfer.next == transfer.permitted;
  transfer.permitted = transfer.leg_count;
  if (has_waited) begin_leg(place);
}

void OrderedNetwork::begin_leg(std::uint32_t place) {
  const Transfer& transfer = transfers_[place];
  const Transfer::Leg& leg = transfer.leg();
  const bool is_answer = transfer.next > 0;
  if (is_answer && costs().replies_wait) {
    const auto sender = static_cast<std::size_t>(transfer.sender_of(leg));
    const bool is_away = ranks_[sender].is_away;
    const bool goes_on = user_.goes_on_s(sender) == now_s();
    const double looks_s = is_away || goes_on ? now_s() : user_.noticed_s(sender, now_s());
    if (is_away || looks_s > now_s() + clock_resolution_s) {
      ranks_[sender].unanswered.push_back(place);
      if (!is_away) user_.look_at(sender, looks_s);
      return;
    }
  }
  if (!leg.is_data && !costs().replies_wait) return end_leg(place);
  const std::uint64_t wire = wire_of(transfer);
  wires_[wire].waiting.push_back(place);
  go_on_wire(wire);
}

/// The first of those that wait goes: data as a flow, once those have left that are ahead of them; replies
/// at once.
void OrderedNetwork::go_on_wire(std::uint64_t number) {
  Wire& wire = wires_[number];
  while (!wire.waiting.empty() && !wire.is_busy) {
    const std::uint32_t place = wire.waiting.front();
    const Transfer& transfer = transfers_[place];
    if (!transfer.leg().is_data) {
      wire.waiting.pop_front();
      end_leg(place);
      continue;
    }
    wire.is_busy = true;
    const double wait_s = line_up(transfer);
    if (wait_s <= clock_resolution_s || now_s() <= wire.free_s + clock_resolution_s)
      start_data(place);  // what goes on is not behind others
    else
      arrive_at(now_s() + wait_s, false, place, true);
  }
}

void OrderedNetwork::start_data(std::uint32_t place) {
  const Transfer& transfer = transfers_[place];
  const std::size_t route = transfer.data_route();
  flows_.start(route, *routes_[route], transfer.leg().bytes,
               {.kind = Flow::Kind::leg, .strand = transfer.flow.strand, .connection = place},
               transfer.is_later || transfer.next > 0);
}

std::optional<std::size_t> OrderedNetwork::link_to_wait_for(const Transfer& transfer) const {
  const std::vector<std::size_t>& links = routes_[transfer.data_route()]->shared_links;
  if (costs().connection_lead_bytes <= 0 || links.empty()) return std::nullopt;
  return links.front();
}

double OrderedNetwork::line_up(const Transfer& transfer) {
  const auto link = link_to_wait_for(transfer);
  if (!link) return 0;
  const double wait_s = leads_bytes_[*link] / link_bandwidths_bytes_per_s_[*link];
  leads_bytes_[*link] += lead_bytes(transfer);
  return wait_s;
}

void OrderedNetwork::end_data(std::uint32_t place) {
  const std::uint64_t number = wire_of(transfers_[place]);
  Wire& wire = wires_[number];
  wire.is_busy = false;
  wire.free_s = now_s();
  wire.waiting.pop_front();
  if (const auto link = link_to_wait_for(transfers_[place]))
    leads_bytes_[*link] -= lead_bytes(transfers_[place]);
  end_leg(place);
  go_on_wire(number);
}

double OrderedNetwork::queued_s(const Transfer& transfer) {
  if (!costs().links_in_order) return 0;
  return flows_.delay_s(transfer.leg().is_back ? user_.route_between(transfer.to, transfer.from)
                                               : user_.route_between(transfer.from, transfer.to));
}

/// It has left the connection.
void OrderedNetwork::end_leg(std::uint32_t place) {
  const Transfer& transfer = transfers_[place];
  const double delay_s = queued_s(transfer);
  if (!transfer.is_one_sided && delay_s < clock_resolution_s) return arrive(place);
  const bool is_answered_late =
      transfer.next + 1 < transfer.leg_count && transfer.legs[transfer.next + 1].is_late;
  arrive_at(now_s() + delay_s + transfer.latency_s, is_answered_late, place, false);
}

void OrderedNetwork::arrive_at(double at_s, bool is_answered_late, std::uint32_t transfer, bool begins) {
  arrivals_.push({at_s, is_answered_late, ++arrivals_noted_, transfer, begins});
  events_.schedule(arrivals_source_, arrivals_.top().at_s);
}

/// Transfers that are not answered late: the ranks that wait for them go on. The others have an event of
/// their own at the same time.
void OrderedNetwork::arrive_due() {
  const bool are_late = !arrivals_.empty() && arrivals_.top().is_answered_late;
  while (!arrivals_.empty() && arrivals_.top().at_s <= now_s() + clock_resolution_s &&
         arrivals_.top().is_answered_late == are_late) {
    const Arrival arrival = arrivals_.top();
    arrivals_.pop();
    arrival.begins ? start_data(arrival.transfer) : arrive(arrival.transfer);
  }
  if (!arrivals_.empty()) events_.schedule(arrivals_source_, arrivals_.top().at_s);
}

void OrderedNetwork::arrive(std::uint32_t place) {
  Transfer& transfer = transfers_[place];
  const Flow flow = transfer.flow;
  const bool is_permission = flow.kind == Flow::Kind::permitted && transfer.leg().is_back;
  ++transfer.next;
  if (transfer.next == transfer.leg_count) {
    transfers_.end(place);
    user_.ended(flow);
  } else if (transfer.next < transfer.permitted) {
    begin_leg(place);
  } else {
    user_.request_left(flow);
  }
  if (is_permission) user_.permission_came(flow);
}

void OrderedNetwork::serve(std::size_t number) {
  Answering& rank = ranks_[number];
  rank.is_away = false;
  if (rank.unanswered.empty()) return;
  std::vector<std::uint32_t> asked = std::exchange(rank.unanswered, {});
  std::stable_partition(asked.begin(), asked.end(),
                        [&](std::uint32_t place) { return !transfers_[place].leg().is_late; });
  for (const std::uint32_t place : asked)
    begin_leg(place);
}

void OrderedNetwork::leave_barrier(std::size_t rank) {
  ranks_[rank].is_away = true;  // so that all that arrives now is answered in one go
  while (!arrivals_.empty() && arrivals_.top().at_s <= now_s() + clock_resolution_s)
    arrive_due();
  serve(rank);
}

/// Unless it goes on now: then it answers after its own requests.
void OrderedNetwork::look(std::size_t rank) {
  const bool goes_on = std::abs(user_.goes_on_s(rank) - now_s()) <= clock_resolution_s;
  if (!ranks_[rank].is_away && !goes_on) serve(rank);
}

}  // namespace

std::unique_ptr<Network> make_ordered_network(const NetworkParts& parts) {
  return std::make_unique<OrderedNetwork>(parts);
}

}  // namespace finegrain::replay
