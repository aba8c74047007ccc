// SPDX-License-Identifier: MIT
// A fat tree or a dragonfly of ns-3's point-to-point links, over which the packets of some messages go: the
// other side of tests/routing/compare. It knows nothing of finegrain: the wiring, the ways and the policies
// are written here once more, and packets, queues and time are ns-3's.
//
//     packets SHAPE ROUTING BYTES_PER_S LATENCY_NS PACKET_BYTES WINDOW_PACKETS < messages
//     SHAPE     fat_tree:LEAVES,HOSTS,SPINES or dragonfly:GROUPS,CABLES,CHASSIS,CABLES,BLADES,CABLES,HOSTS
//     ROUTING   minimal, spray, adaptive, valiant or ugal
//     messages  a line each: source, destination, bytes
//
// A node has one output queue for each cable, of any length, so no packet is lost. A message has at most
// WINDOW_PACKETS packets on their way; that one has arrived is known after the latency of its way back, and
// takes no bandwidth. Prints when each node has all that it waits for: its own messages received by others,
// and those of others; in seconds, a line for each node.
#include <ns3/core-module.h>
#include <ns3/network-module.h>
#include <ns3/point-to-point-module.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace {

using ns3::Ptr;

struct Options {
  std::string shape;
  std::string routing;
  double bytes_per_s;
  std::int64_t latency_ns;
  std::uint32_t packet_bytes;
  std::uint32_t window;
};

/// One direction of a cable.
struct Port {
  Ptr<ns3::PointToPointNetDevice> device;
  std::uint32_t queued_bytes() const { return device->GetQueue()->GetNBytes(); }
};

/// Nodes and the directions of their cables.
class Fabric {
 public:
  explicit Fabric(const Options& options) : options_(options) {}

  std::size_t add_node() {
    nodes_.push_back(ns3::CreateObject<ns3::Node>());
    return nodes_.size() - 1;
  }
  void connect(std::size_t a, std::size_t b, double cables = 1) {
    ns3::PointToPointHelper helper;
    const double bits_per_s = options_.bytes_per_s * 8 * cables;
    helper.SetDeviceAttribute("DataRate", ns3::DataRateValue(static_cast<std::uint64_t>(bits_per_s)));
    helper.SetDeviceAttribute("InterframeGap", ns3::TimeValue(ns3::Seconds(0)));
    helper.SetChannelAttribute(
        "Delay", ns3::TimeValue(ns3::NanoSeconds(static_cast<std::uint64_t>(options_.latency_ns))));
    helper.SetQueue("ns3::DropTailQueue", "MaxSize", ns3::StringValue("4000000000B"));
    const ns3::NetDeviceContainer both = helper.Install(nodes_[a], nodes_[b]);
    add_port(a, b, both.Get(0));
    add_port(b, a, both.Get(1));
  }
  /// From one node to a neighbour. @pre there is a cable
  Port& port(std::size_t from, std::size_t to) { return ports_.at({from, to}); }
  void on_arrival(std::function<void(const Ptr<const ns3::Packet>&)> told) { told_ = std::move(told); }

 private:
  void add_port(std::size_t from, std::size_t to, Ptr<ns3::NetDevice> device) {
    ports_[{from, to}] = {ns3::DynamicCast<ns3::PointToPointNetDevice>(device)};
    nodes_[from]->RegisterProtocolHandler(
        [this](Ptr<ns3::NetDevice>, Ptr<const ns3::Packet> packet, std::uint16_t, const ns3::Address&,
               const ns3::Address&, ns3::NetDevice::PacketType) { told_(packet); },
        0, device);
  }

  Options options_;
  std::vector<Ptr<ns3::Node>> nodes_;
  std::map<std::pair<std::size_t, std::size_t>, Port> ports_;
  std::function<void(const Ptr<const ns3::Packet>&)> told_;
};

/// Nodes that a packet visits, both hosts included.
using Way = std::vector<std::size_t>;

/// Which ways there are from host to host. Hosts are the first nodes.
struct Topology {
  std::size_t hosts = 0;
  std::function<std::vector<Way>(std::size_t, std::size_t)> shortest;  ///< the first is the static one
  std::function<std::vector<Way>(std::size_t, std::size_t)> detours;
};

/// Two levels. A message to host d takes spine d modulo the spines.
Topology make_fat_tree(Fabric& fabric, const std::vector<std::size_t>& numbers) {
  const std::size_t leaves = numbers.at(0), per_leaf = numbers.at(1), spines = numbers.at(2);
  const std::size_t hosts = leaves * per_leaf;
  for (std::size_t node = 0; node < hosts + leaves + spines; ++node)
    fabric.add_node();
  for (std::size_t host = 0; host < hosts; ++host)
    fabric.connect(host, hosts + host / per_leaf);
  for (std::size_t leaf = 0; leaf < leaves; ++leaf)
    for (std::size_t spine = 0; spine < spines; ++spine)
      fabric.connect(hosts + leaf, hosts + leaves + spine);
  return {hosts,
          [=](std::size_t from, std::size_t to) {
            const std::size_t leaf = hosts + from / per_leaf, other = hosts + to / per_leaf;
            if (leaf == other) return std::vector<Way>{{from, leaf, to}};
            std::vector<Way> ways;
            for (std::size_t turn = 0; turn < spines; ++turn)
              ways.push_back({from, leaf, hosts + leaves + (to + turn) % spines, other, to});
            return ways;
          },
          [](std::size_t, std::size_t) { return std::vector<Way>(); }};
}

/// Groups of chassis of switches. All switches of a chassis are connected, and those with the same place in
/// the chassis of a group. Switch g of a group's first chassis is connected with group g.
Topology make_dragonfly(Fabric& fabric, const std::vector<std::size_t>& numbers) {
  const std::size_t groups = numbers.at(0), chassis = numbers.at(2), blades = numbers.at(4);
  const std::size_t of_switch = numbers.at(6);
  const std::size_t hosts = groups * chassis * blades * of_switch;
  const auto number = [=](std::size_t group, std::size_t at, std::size_t blade) {
    return hosts + (group * chassis + at) * blades + blade;
  };
  for (std::size_t node = 0; node < hosts + groups * chassis * blades; ++node)
    fabric.add_node();
  for (std::size_t host = 0; host < hosts; ++host)
    fabric.connect(host, hosts + host / of_switch);
  for (std::size_t group = 0; group < groups; ++group) {
    for (std::size_t at = 0; at < chassis; ++at)
      for (std::size_t a = 0; a < blades; ++a)
        for (std::size_t b = a + 1; b < blades; ++b)
          fabric.connect(number(group, at, a), number(group, at, b), static_cast<double>(numbers.at(5)));
    for (std::size_t blade = 0; blade < blades; ++blade)
      for (std::size_t a = 0; a < chassis; ++a)
        for (std::size_t b = a + 1; b < chassis; ++b)
          fabric.connect(number(group, a, blade), number(group, b, blade),
                         static_cast<double>(numbers.at(3)));
    for (std::size_t other = group + 1; other < groups; ++other)
      fabric.connect(number(group, 0, other), number(other, 0, group), static_cast<double>(numbers.at(1)));
  }
  struct Switch {
    std::size_t group, chassis, blade;
  };
  const auto switch_of = [=](std::size_t host) {
    const std::size_t place = host / of_switch;
    return Switch{place / blades / chassis, place / blades % chassis, place % blades};
  };
  const auto visit = [=](Way& way, const Switch& at) {
    const std::size_t node = number(at.group, at.chassis, at.blade);
    if (way.back() != node) way.push_back(node);
  };
  const auto go_to_group = [=](Way& way, Switch at, std::size_t group) {
    visit(way, {at.group, at.chassis, group});
    visit(way, {at.group, 0, group});
    visit(way, {group, 0, at.group});
    return Switch{group, 0, at.group};
  };
  const auto arrive = [=](Way& way, const Switch& at, std::size_t to) {
    const Switch target = switch_of(to);
    visit(way, {at.group, at.chassis, target.blade});
    visit(way, target);
    way.push_back(to);
  };
  return {hosts,
          [=](std::size_t from, std::size_t to) {
            Way way{from};
            Switch at = switch_of(from);
            visit(way, at);
            if (at.group != switch_of(to).group) at = go_to_group(way, at, switch_of(to).group);
            arrive(way, at, to);
            return std::vector<Way>{way};
          },
          [=](std::size_t from, std::size_t to) {
            std::vector<Way> ways;
            const std::size_t first = switch_of(from).group, last = switch_of(to).group;
            for (std::size_t group = 0; first != last && group < groups; ++group) {
              if (group == first || group == last) continue;
              Way way{from};
              Switch at = switch_of(from);
              visit(way, at);
              at = go_to_group(way, at, group);
              at = go_to_group(way, at, last);
              arrive(way, at, to);
              ways.push_back(way);
            }
            return ways;
          }};
}

/// The ports that a packet leaves by, one after the other.
using Ports = std::vector<Port*>;

struct Message {
  std::size_t from, to;
  std::int64_t packets;
  std::uint32_t last_bytes;  ///< the last packet's
  std::int64_t sent = 0;
  std::int64_t arrived = 0;
  std::size_t next_way = 0;  ///< of those that take turns
  std::vector<Ports> shortest = {};
  std::vector<Ports> detours = {};
};

struct PacketState {
  std::size_t message;
  const Ports* way;
  std::size_t place = 0;  ///< of its next port
};

class Traffic {
 public:
  Traffic(const Options& options, Fabric& fabric, const Topology& topology)
      : options_(options), fabric_(fabric), topology_(topology), ends_s_(topology.hosts, 0) {
    fabric.on_arrival([this](const Ptr<const ns3::Packet>& packet) { arrive(packet); });
  }

  void add(std::size_t from, std::size_t to, std::int64_t bytes) {
    const std::int64_t size = options_.packet_bytes;
    const std::int64_t packets = (bytes + size - 1) / size;
    messages_.push_back({from, to, packets, static_cast<std::uint32_t>(bytes - (packets - 1) * size)});
    Message& message = messages_.back();
    message.shortest = ports_of(topology_.shortest(from, to));
    message.detours = ports_of(topology_.detours(from, to));
    message.next_way = random_() % 1024;
  }

  /// All messages begin at once; the packets of a node's messages are in its queue by turns.
  void start() {
    for (std::uint32_t turn = 0; turn < options_.window; ++turn)
      for (std::size_t message = 0; message < messages_.size(); ++message)
        send_next(message);
  }

  void print() const {
    for (const double end_s : ends_s_)
      std::printf("%.9f\n", end_s);
  }

 private:
  std::vector<Ports> ports_of(const std::vector<Way>& ways) {
    std::vector<Ports> all;
    for (const Way& way : ways) {
      Ports& ports = all.emplace_back();
      for (std::size_t place = 0; place + 1 < way.size(); ++place)
        ports.push_back(&fabric_.port(way[place], way[place + 1]));
    }
    return all;
  }

  const Ports& way_of_next(Message& message) {
    const bool has_detours = !message.detours.empty();
    if (options_.routing == "spray") return message.shortest[message.next_way++ % message.shortest.size()];
    if (options_.routing == "valiant" && has_detours)
      return message.detours[random_() % message.detours.size()];
    return message.shortest.front();
  }

  void send_next(std::size_t number) {
    Message& message = messages_[number];
    if (message.sent == message.packets) return;
    ++message.sent;
    // The bytes that ns-3 adds in front (PPP) are taken off.
    const std::uint32_t bytes = message.sent == message.packets ? message.last_bytes : options_.packet_bytes;
    const Ptr<ns3::Packet> packet = ns3::Create<ns3::Packet>(std::max(bytes, 3U) - 2);
    PacketState& state = under_way_[packet->GetUid()] = {number, &way_of_next(message)};
    forward(packet, state);
  }

  void forward(const Ptr<ns3::Packet>& packet, PacketState& state) {
    const Port& port = *(*state.way)[state.place++];
    if (!port.device->Send(packet, port.device->GetBroadcast(), 0x0800)) {
      std::fprintf(stderr, "a packet was lost\n");
      std::exit(1);
    }
  }

  /// The shortest queue of the first switch, any of those that are equally short.
  const Ports& least_queued(const Message& message) {
    const std::vector<Ports>& ways = message.shortest;
    const std::size_t turn = random_() % ways.size();
    const Ports* best = &ways[turn];
    for (std::size_t i = 1; i < ways.size(); ++i) {
      const Ports& way = ways[(turn + i) % ways.size()];
      if (way[1]->queued_bytes() < (*best)[1]->queued_bytes()) best = &way;
    }
    return *best;
  }

  /// UGAL-G: all queues on a way, without those to and from the hosts, times its links.
  static std::uint64_t cost(const Ports& way) {
    std::uint64_t bytes = 0;
    for (std::size_t place = 1; place + 1 < way.size(); ++place)
      bytes += way[place]->queued_bytes();
    return bytes * way.size();
  }

  const Ports& shortest_or_detour(const Message& message) {
    const Ports& shortest = message.shortest.front();
    const Ports& detour = message.detours[random_() % message.detours.size()];
    return cost(shortest) <= cost(detour) ? shortest : detour;
  }

  void arrive(const Ptr<const ns3::Packet>& packet) {
    const auto found = under_way_.find(packet->GetUid());
    PacketState& state = found->second;
    if (state.place == state.way->size()) {
      const std::size_t message = state.message;
      const ns3::Time back =
          ns3::NanoSeconds(static_cast<std::uint64_t>(options_.latency_ns) * state.way->size());
      under_way_.erase(found);
      ns3::Simulator::Schedule(back, [this, message] { send_next(message); });
      end(messages_[message]);
      return;
    }
    const Message& message = messages_[state.message];
    if (state.place == 1 && options_.routing == "adaptive") state.way = &least_queued(message);
    if (state.place == 1 && options_.routing == "ugal" && !message.detours.empty())
      state.way = &shortest_or_detour(message);
    forward(packet->Copy(), state);
  }

  void end(Message& message) {
    if (++message.arrived < message.packets) return;
    const double now_s = ns3::Simulator::Now().GetSeconds();
    ends_s_[message.from] = std::max(ends_s_[message.from], now_s);
    ends_s_[message.to] = std::max(ends_s_[message.to], now_s);
  }

  Options options_;
  Fabric& fabric_;
  Topology topology_;
  std::vector<Message> messages_;
  std::unordered_map<std::uint64_t, PacketState> under_way_;
  std::vector<double> ends_s_;
  std::mt19937_64 random_{1};
};

std::vector<std::size_t> numbers_of(const std::string& text) {
  std::istringstream in(text.substr(text.find(':') + 1));
  std::vector<std::size_t> numbers;
  for (std::string number; std::getline(in, number, ',');)
    numbers.push_back(std::stoul(number));
  return numbers;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 7) {
    std::fprintf(stderr, "packets SHAPE ROUTING BYTES_PER_S LATENCY_NS PACKET_BYTES WINDOW_PACKETS\n");
    return 2;
  }
  const Options options{argv[1],
                        argv[2],
                        std::stod(argv[3]),
                        std::stol(argv[4]),
                        static_cast<std::uint32_t>(std::stoul(argv[5])),
                        static_cast<std::uint32_t>(std::stoul(argv[6]))};
  ns3::Time::SetResolution(ns3::Time::PS);
  Fabric fabric(options);
  const std::vector<std::size_t> numbers = numbers_of(options.shape);
  const Topology topology = options.shape.rfind("fat_tree:", 0) == 0 ? make_fat_tree(fabric, numbers)
                                                                     : make_dragonfly(fabric, numbers);
  Traffic traffic(options, fabric, topology);
  std::size_t from = 0, to = 0;
  std::int64_t bytes = 0;
  while (std::cin >> from >> to >> bytes)
    traffic.add(from, to, bytes);
  traffic.start();
  ns3::Simulator::Run();
  traffic.print();
  ns3::Simulator::Destroy();
  return 0;
}
