// SPDX-License-Identifier: MIT
// A lossless network of input-queued switches, as InfiniBand's is. `network` = credit:4x4KiB says that each
// link ends in an input queue of four packets of 4 KiB.
//
// Bytes go in packets, one size each but the last. A packet crosses a link when it is the first in its input
// queue, the link is free, and the queue at the link's end has room: its sender has a credit. It has room for
// the packet from the beginning of the crossing on, and the credit comes back, at once, when the packet has
// crossed its next link, or has arrived. At its source, each message has a queue of its own. Queues whose
// first packets want the same link cross it in turn: who waits longest is first.
//
// The first in a queue holds back all behind it (head-of-line blocking), an example with packets of 1 s a
// link and one credit. Ranks 0 and 1 are behind one switch, and their packets to other switches cross the
// link T:
//
//     rank 0 sends a to rank 2, whose link is full for a while; rank 1 sends b to rank 3, whose link is free.
//     a crosses T, and waits in T's queue. b has no credit for T until a has left it, although b's own way
//     is free.
//
// With max-min shares, b would not notice. tests/sim/replay/engine/credit_network.cpp computes such cases.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <deque>
#include <functional>
#include <queue>
#include <utility>

#include "sim/replay/engine/networks.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"

namespace finegrain::replay {
namespace {

struct Credits {
  int of_link;
  double packet_bytes;
};

/// "4x4KiB"
Credits parse_credits(const std::string& text, const std::string& where) {
  const std::size_t times = text.find('x');
  Credits credits{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), credits.of_link);
  if (times == std::string::npos || error != std::errc() || end != text.data() + times || credits.of_link < 1)
    throw InputError(where, fmt::format("'{}' does not say how many credits there are, of which size", text),
                     "Write it like credit:4x4KiB");
  credits.packet_bytes = parse_size_bytes(std::string_view(text).substr(times + 1), where);
  if (credits.packet_bytes < 1)
    throw InputError(where, fmt::format("'{}' has packets without bytes", text),
                     "Write it like credit:4x4KiB");
  return credits;
}

class CreditNetwork final : public OneFlowPerMessage {
 public:
  CreditNetwork(const NetworkParts& parts, const Credits& credits);

  void add_route(const LoadedPlatform::Route& route) override;
  void dispatch(std::size_t source) override { arrive(source - first_source_); }
  void settle() override;
  /// Packets that begin to cross the link from now on take this rate.
  void set_bandwidth(std::size_t link, double bytes_per_s) override {
    links_[link].bandwidth_bytes_per_s = bytes_per_s;
  }
  void follow_latencies() override {}
  std::int64_t flows() const override { return started_; }
  std::string why_nothing_moves() const override;

 private:
  struct Packet {
    std::uint32_t message;
    std::uint32_t hop;  ///< the link of its route that it crosses next
    double bytes;
  };
  /// The first of a queue that wants a link.
  struct Request {
    double since_s;
    std::size_t queue;
    bool operator>(const Request& other) const {
      return std::pair(since_s, queue) > std::pair(other.since_s, other.queue);
    }
  };
  struct Link {
    double bandwidth_bytes_per_s;
    int credits;
    bool is_crossed = false;
    std::size_t from_queue = 0;  ///< whose first packet is crossing it
    std::priority_queue<Request, std::vector<Request>, std::greater<>> requests = {};
  };
  struct Message {
    Flow flow;
    std::size_t route;
    double bytes_to_send;
    std::int64_t packets_to_arrive;
  };

  void start_flow(std::size_t route, double bytes, const Flow& flow, bool is_later) override;
  /// The narrowest link decides.
  double rate_bytes_per_s(std::size_t route) const override { return routes_[route]->bandwidth_bytes_per_s; }
  /// The first packet crosses one link after the other, and the others follow it.
  double alone_s(const Sending& sending, const Flow& flow) const override;
  const std::vector<std::size_t>& links_of(const Packet& packet) const {
    return routes_[messages_[packet.message].route]->shared_links;
  }
  /// The next packet of a message is the one of its queue.
  void send_packet(std::uint32_t message);
  /// The queue has another first packet, which wants its link.
  void request_link(std::size_t queue);
  void cross(std::size_t link);
  void arrive(std::size_t link);
  void end_packet(std::uint32_t message);

  const platform::Platform& platform_;
  EventQueue& events_;
  double packet_bytes_;
  std::size_t first_source_;
  std::vector<Link> links_;                 ///< each a source of events: the end of a crossing
  std::vector<std::deque<Packet>> queues_;  ///< at the ends of links; behind them those of messages
  std::vector<Message> messages_;
  std::vector<std::uint32_t> ended_;   ///< places in messages_ to use again
  std::vector<std::size_t> to_cross_;  ///< links that may be crossed now
  std::int64_t started_ = 0;
};

CreditNetwork::CreditNetwork(const NetworkParts& parts, const Credits& credits)
    : OneFlowPerMessage(parts.user),
      platform_(parts.platform),
      events_(parts.events),
      packet_bytes_(credits.packet_bytes),
      first_source_(parts.events.sources()),
      queues_(parts.link_bandwidths_bytes_per_s.size()) {
  for (const double bandwidth_bytes_per_s : parts.link_bandwidths_bytes_per_s) {
    links_.push_back({.bandwidth_bytes_per_s = bandwidth_bytes_per_s, .credits = credits.of_link});
    events_.add_source();
  }
}

void CreditNetwork::add_route(const LoadedPlatform::Route& route) {
  const double most = most_bytes_per_s(route, platform_.costs);
  const auto is_wider = [&](std::size_t link) { return links_[link].bandwidth_bytes_per_s > most; };
  if (route.shared_links.empty() || std::ranges::any_of(route.shared_links, is_wider))
    throw InputError(platform_.file.string(),
                     "network is credit, and a route has no link that messages share, or something else "
                     "limits them (tcp_window, or a link with FATPIPE)",
                     "Leave network out");
  routes_.push_back(&route);
}

double CreditNetwork::alone_s(const Sending& sending, const Flow& flow) const {
  double seconds = Network::alone_s(sending, flow);
  const double first_bytes = std::min(std::max(1., sending.bytes), packet_bytes_);
  for (const std::size_t link : routes_[sending.route]->shared_links)
    seconds += first_bytes / links_[link].bandwidth_bytes_per_s;
  return seconds - first_bytes / rate_bytes_per_s(sending.route);
}

void CreditNetwork::start_flow(std::size_t route, double bytes, const Flow& flow, bool is_later) {
  ++started_;
  if (ended_.empty()) {
    ended_.push_back(static_cast<std::uint32_t>(messages_.size()));
    messages_.emplace_back();
    queues_.emplace_back();
  }
  const std::uint32_t place = ended_.back();
  ended_.pop_back();
  const double whole_bytes = std::max(1., std::round(bytes));
  messages_[place] = {flow, route, whole_bytes,
                      static_cast<std::int64_t>(std::ceil(whole_bytes / packet_bytes_))};
  user_.flow_started(flow, place, *routes_[route], bytes, is_later);
  send_packet(place);
}

void CreditNetwork::send_packet(std::uint32_t place) {
  Message& message = messages_[place];
  if (message.bytes_to_send <= 0) return;
  const double bytes = std::min(packet_bytes_, message.bytes_to_send);
  message.bytes_to_send -= bytes;
  const std::size_t number = links_.size() + place;
  queues_[number].push_back({place, 0, bytes});
  request_link(number);
}

void CreditNetwork::request_link(std::size_t number) {
  const Packet& first = queues_[number].front();
  const std::size_t link = links_of(first)[first.hop];
  links_[link].requests.push({events_.now_s(), number});
  to_cross_.push_back(link);
}

/// When all of this time has happened, so that who comes at the same time is treated alike.
void CreditNetwork::settle() {
  for (const std::size_t link : to_cross_)
    cross(link);
  to_cross_.clear();
}

void CreditNetwork::cross(std::size_t number) {
  Link& link = links_[number];
  if (link.is_crossed || link.credits == 0 || link.requests.empty()) return;
  link.from_queue = link.requests.top().queue;
  link.requests.pop();
  link.is_crossed = true;
  --link.credits;
  const double bytes = queues_[link.from_queue].front().bytes;
  events_.schedule(first_source_ + number, events_.now_s() + bytes / link.bandwidth_bytes_per_s);
}

/// The packet that crosses the link is at its end.
void CreditNetwork::arrive(std::size_t number) {
  Link& link = links_[number];
  link.is_crossed = false;
  to_cross_.push_back(number);
  std::deque<Packet>& before = queues_[link.from_queue];
  Packet packet = before.front();
  before.pop_front();
  if (link.from_queue < links_.size()) {
    ++links_[link.from_queue].credits;
    to_cross_.push_back(link.from_queue);
    if (!before.empty()) request_link(link.from_queue);
  } else {
    send_packet(packet.message);
  }
  if (++packet.hop == links_of(packet).size()) {
    ++link.credits;
    end_packet(packet.message);
  } else {
    queues_[number].push_back(packet);
    if (queues_[number].size() == 1) request_link(number);
  }
}

void CreditNetwork::end_packet(std::uint32_t place) {
  if (--messages_[place].packets_to_arrive > 0) return;
  const Flow flow = messages_[place].flow;
  ended_.push_back(place);
  user_.flow_ended(flow, place);
  end_flow(flow);
}

std::string CreditNetwork::why_nothing_moves() const {
  const bool are_full = std::ranges::any_of(queues_, [](const auto& queue) { return !queue.empty(); });
  return are_full
             ? "packets wait for one another's credits in a circle (routes of a lossless network must not "
               "have one)"
             : "";
}

}  // namespace

std::unique_ptr<Network> make_credit_network(const NetworkParts& parts, const std::string& parameters) {
  return std::make_unique<CreditNetwork>(
      parts, parse_credits(parameters, fmt::format("{}: network", parts.platform.file.string())));
}

}  // namespace finegrain::replay
