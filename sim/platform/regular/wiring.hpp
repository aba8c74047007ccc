// SPDX-License-Identifier: MIT
// The links of a regular cluster have numbers, which follow from the numbers of nodes and switches. So the
// way of a message is computed, without a table of routes and without objects for switches. An example, a fat
// tree "2;2,2;1,2;1,1" of four nodes, two leaf switches and two top switches:
//
//     top          t0      t1
//               4 / \ 6  5 / \ 7     each leaf switch has a cable to each top switch: 4 to 7
//     leaf       s0          s1
//             0 / \ 1     2 / \ 3    each node has a cable to its leaf switch: 0 to 3
//     node     n0  n1     n2   n3
//
//     From n1 to n2: up cable 1 to s0; up cable 4, because uplink (2 / 1) mod 2 = 0 is taken (destination
//     modulo k); down cable 6 to s1; down cable 2.
//
// Names, numbers and ways are as SimGrid 3.32 has them, with all its peculiarities: tests hold every route of
// many small clusters against it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/platform/regular/regular_cluster.hpp"

namespace finegrain::platform {

/// What a cluster has beside its cables.
struct WiringParts {
  bool is_duplex = false;      ///< a cable is two links: up and down
  bool has_loopbacks = false;  ///< from each host to itself
  bool has_limiters = false;   ///< each host and each switch has one
  bool has_backbone = false;   ///< of a single switch
};

/// The links of a regular cluster and the ways over them. Links are numbered: those of cables, then
/// loopbacks, limiters and the backbone.
class Wiring {
 public:
  enum class Kind { cable, loopback, limiter, backbone };

  Wiring(RegularCluster cluster, WiringParts parts) : cluster_(std::move(cluster)), parts_(parts) {}
  virtual ~Wiring() = default;

  /// The links from one host to another, in the order in which a message crosses them.
  std::vector<std::size_t> way(std::size_t from, std::size_t to) const;
  /// The ways of the same length, for networks that choose among them. The first is way()'s. Of more than
  /// most_ways, about so many are taken, which use the cables of the lowest switches equally.
  virtual std::vector<std::vector<std::size_t>> shortest_ways(std::size_t from, std::size_t to) const {
    return {way(from, to)};
  }
  /// Longer ways, for networks that go around full links: in a dragonfly, one by each group that has neither
  /// host, where the hosts are of two groups.
  virtual std::vector<std::vector<std::size_t>> detours(std::size_t /*from*/, std::size_t /*to*/) const {
    return {};
  }
  static constexpr std::size_t most_ways = 64;

  std::size_t links() const;
  std::string name(std::size_t link) const;
  Kind kind(std::size_t link) const;
  /// How many times the bandwidth of a cable a link of a cable has.
  double cables_in_one(std::size_t link) const;

  const RegularCluster& cluster() const { return cluster_; }
  const WiringParts& parts() const { return parts_; }
  std::size_t hosts() const { return cluster_.hosts.size(); }
  virtual std::size_t cables() const = 0;
  virtual std::size_t switches() const = 0;

 protected:
  using Way = std::vector<std::size_t>;

  virtual std::string cable_name(std::size_t cable) const = 0;
  /// The number in the name of a limiter: of a host's, or after these, of a switch's.
  virtual std::size_t limiter_number(std::size_t limiter) const;
  virtual double cables_in_one_of(std::size_t /*cable*/) const { return 1; }
  /// Adds what a message crosses. From a host to itself, only where there are no loopbacks.
  virtual void add_way(std::size_t from, std::size_t to, Way& way) const = 0;

  void add_up(std::size_t cable, Way& way) const;
  void add_down(std::size_t cable, Way& way) const;
  void add_limiter_of_host(std::size_t host, Way& way) const;
  void add_limiter_of_switch(std::size_t number, Way& way) const;
  void add_backbone(Way& way) const;

 private:
  std::size_t cable_links() const { return cables() * (parts_.is_duplex ? 2 : 1); }
  std::size_t first_limiter() const { return cable_links() + (parts_.has_loopbacks ? hosts() : 0); }
  std::size_t limiters() const { return parts_.has_limiters ? hosts() + switches() : 0; }

  RegularCluster cluster_;
  WiringParts parts_;
};

/// Each host has a cable to one switch, which limits nothing but by its backbone.
class SingleSwitch : public Wiring {
 public:
  using Wiring::Wiring;
  std::size_t cables() const override { return hosts(); }
  std::size_t switches() const override { return 0; }

 private:
  std::string cable_name(std::size_t cable) const override;
  std::size_t limiter_number(std::size_t limiter) const override;
  void add_way(std::size_t from, std::size_t to, Way& way) const override;
};

/// Level 0 has the hosts, and each level above it switches. Each node has digits, the first of which counts
/// fastest; a cable leads to those nodes of the next level that differ in one digit only, the level's.
class FatTree : public Wiring {
 public:
  FatTree(RegularCluster cluster, WiringParts parts);
  std::size_t cables() const override { return first_cables_.back(); }
  std::size_t switches() const override { return first_nodes_.back() - hosts(); }
  std::vector<std::vector<std::size_t>> shortest_ways(std::size_t from, std::size_t to) const override;

 private:
  using Digits = std::vector<std::size_t>;
  /// The level of the lowest switches that are above both hosts.
  std::size_t level_above(const Digits& from, const Digits& to) const;
  /// @param shifts  by how many uplinks further than the destination modulo k the message goes, at each level
  void add_shifted_way(std::size_t from, std::size_t to, const Digits& shifts, Way& way) const;
  Digits digits_of(std::size_t position, std::size_t level) const;
  /// The place of a node in its level.
  std::size_t position_of(const Digits& digits, std::size_t level) const;
  /// How many values a digit of the nodes of a level has.
  std::size_t values(std::size_t digit, std::size_t level) const;
  /// @param digits  the lower end's, of `level`
  std::size_t cable(const Digits& digits, std::size_t level, std::size_t parent, std::size_t port) const;
  /// In names: the switches are counted down.
  int number_of(std::size_t node) const;
  void add_limiter(const Digits& digits, std::size_t level, Way& way) const;

  std::string cable_name(std::size_t cable) const override;
  std::size_t limiter_number(std::size_t limiter) const override;
  void add_way(std::size_t from, std::size_t to, Way& way) const override;

  std::size_t levels_;
  std::vector<std::size_t> children_;      ///< each node's of the level above, shape [levels]
  std::vector<std::size_t> parents_;       ///< each node's of a level
  std::vector<std::size_t> ports_;         ///< cables between the two
  std::vector<std::size_t> first_nodes_;   ///< of each level, and how many there are in all
  std::vector<std::size_t> first_cables_;  ///< upwards from each level, and how many there are in all
};

/// Hosts are numbered with the first dimension fastest. From each host, a cable leads to the next one in each
/// dimension. A message goes along one dimension after the other, on the shorter way around.
class Torus : public Wiring {
 public:
  Torus(RegularCluster cluster, WiringParts parts);
  std::size_t cables() const override { return hosts() * sizes_.size(); }
  std::size_t switches() const override { return 0; }

 private:
  /// The neighbour in a dimension.
  std::size_t next(std::size_t host, std::size_t dimension) const;
  std::size_t before(std::size_t host, std::size_t dimension) const;
  std::size_t place(std::size_t host, std::size_t dimension) const;
  std::string cable_name(std::size_t cable) const override;
  void add_way(std::size_t from, std::size_t to, Way& way) const override;

  std::vector<std::size_t> sizes_;
  std::vector<std::size_t> strides_;
};

/// Groups of chassis of switches of hosts. All switches of a chassis are linked (green cables), and so are
/// all that have the same place in the chassis of a group (black). Switch g of the first chassis of a group
/// leads to group g (blue).
class Dragonfly : public Wiring {
 public:
  Dragonfly(RegularCluster cluster, WiringParts parts);
  std::size_t cables() const override { return first_blue_ + pairs(groups_); }
  std::size_t switches() const override { return groups_ * chassis_ * blades_; }
  std::vector<std::vector<std::size_t>> detours(std::size_t from, std::size_t to) const override;

 private:
  struct Switch {
    std::size_t group;
    std::size_t chassis;
    std::size_t blade;
  };
  static std::size_t pairs(std::size_t of) { return of * (of - 1) / 2; }
  /// The place of a pair {low, high} in the order {0, 1}, {0, 2}, ..., {1, 2}, ...
  static std::size_t place_of_pair(std::size_t low, std::size_t high, std::size_t of);
  Switch switch_of(std::size_t host) const;
  std::size_t number_of(const Switch& of) const;
  void cross(std::size_t cable, bool is_up, Way& way) const;
  void add_limiter(const Switch& of, Way& way) const;
  /// To another switch of the chassis, chassis of the group, or group.
  void go_green(const Switch& from, std::size_t blade, Way& way) const;
  void go_black(const Switch& from, std::size_t chassis, Way& way) const;
  void go_blue(const Switch& from, std::size_t group, Way& way) const;
  /// To the switch of another group at which the cable between both ends. @returns it
  Switch go_to_group(Switch at, std::size_t group, Way& way) const;
  void go_within_group(Switch at, const Switch& target, Way& way) const;
  std::string green_name(std::size_t number) const;
  std::string black_name(std::size_t number) const;
  std::string blue_name(std::size_t number) const;

  std::string cable_name(std::size_t cable) const override;
  double cables_in_one_of(std::size_t cable) const override;
  void add_way(std::size_t from, std::size_t to, Way& way) const override;

  std::size_t groups_;
  std::size_t chassis_;  ///< of a group
  std::size_t blades_;   ///< switches of a chassis
  std::size_t hosts_of_switch_;
  std::size_t first_green_;
  std::size_t first_black_;
  std::size_t first_blue_;
};

std::unique_ptr<Wiring> make_wiring(const RegularCluster& cluster, WiringParts parts);

}  // namespace finegrain::platform
