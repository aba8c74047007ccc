// SPDX-License-Identifier: MIT
// Hosts, links and routes that are computed from the numbers of a cluster are those that SimGrid makes: the
// names, all bandwidths and latencies to the last digit, and the links of each route in their order.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <vector>

#include "sim/platform/simgrid_file.hpp"
#include "sim/replay/child_process.hpp"
#include "sim/replay/loaded_platform.hpp"
#include "small_platform.hpp"

using namespace finegrain;
using namespace finegrain::replay;
using platform::Clusters;

namespace {

/// All that a replay asks of a platform, a line for each host, link and route.
std::string described(const std::filesystem::path& file, Clusters clusters) {
  const LoadedPlatform loaded(file, 0, {}, clusters);
  const Wires& wires = loaded.wires();
  std::string text;
  for (std::size_t host = 0; host < wires.hosts(); ++host)
    text += fmt::format("host {} found at {}: {} cores, {:a} flop/s\n", wires.host_name(host),
                        wires.find_host(wires.host_name(host)).value(), wires.cores(host),
                        wires.speed_flops_per_s(host));
  for (std::size_t link = 0; link < wires.links(); ++link)
    text += fmt::format("link {} found at {}: {:a} B/s, {:a} s, private: {}\n", wires.link_name(link),
                        wires.find_link(wires.link_name(link)).value(), wires.bandwidth_bytes_per_s(link),
                        wires.latency_s(link), wires.is_private(link));
  for (std::size_t from = 0; from < wires.hosts(); ++from)
    for (std::size_t to = 0; to < wires.hosts(); ++to) {
      const Wires::Way way = wires.way(from, to);
      text += fmt::format("{} to {}: {:a} s", from, to, way.latency_s);
      for (const std::size_t link : way.links)
        text += " " + wires.link_name(link);
      text += "\n";
    }
  return text;
}

std::string described_by_child(const std::filesystem::path& file, Clusters clusters) {
  std::string description;
  forked<std::string>(
      1, 1, [&](std::size_t /*index*/) { return described(file, clusters); },
      [&](std::size_t /*index*/, std::string text) { description = std::move(text); });
  return description;
}

bool is_by_rule(const std::string& contents) {
  SmallPlatform platform(contents);
  return platform::SimgridFile((*platform).file, Clusters::by_rule).by_rule().has_value();
}

void check_as_simgrid(const std::string& cluster) {
  INFO(cluster);
  REQUIRE(is_by_rule(cluster));
  SmallPlatform platform(cluster);
  const std::string by_rule = described_by_child((*platform).file, Clusters::by_rule);
  CHECK(by_rule.size() > 100);
  CHECK(by_rule == described_by_child((*platform).file, Clusters::by_simgrid));
}

std::string cluster(const std::string& radical, const std::string& topology, const std::string& more = "") {
  return fmt::format(
      "<cluster id='c' prefix='node-' suffix='.x' radical='{}' speed='2.5Gf' core='3' bw='1.1GBps' "
      "lat='0.7us' {} {}/>",
      radical, topology, more);
}

std::string shaped(const std::string& topology, const std::string& parameters) {
  return fmt::format("topology='{}' topo_parameters='{}'", topology, parameters);
}

/// Chooses clusters of all kinds; the same ones at each run.
class AnyCluster {
 public:
  explicit AnyCluster(unsigned seed) : random_(seed) {}

  std::string make() {
    switch (number(0, 3)) {
      case 0:
        return cluster(radical(number(1, 20)), "", beside() + backbone());
      case 1:
        return fat_tree();
      case 2:
        return torus();
      default:
        return dragonfly();
    }
  }

 private:
  int number(int least, int most) { return std::uniform_int_distribution(least, most)(random_); }
  bool is_chosen() { return number(0, 1) == 1; }

  /// At least so many hosts, in up to three ranges.
  std::string radical(int hosts) {
    std::string text;
    int next = number(0, 12);
    while (true) {
      const int in_range = text.size() > 8 ? hosts : number(1, hosts);
      text += in_range == 1 ? fmt::format("{}", next) : fmt::format("{}-{}", next, next + in_range - 1);
      hosts -= in_range;
      next += in_range + number(1, 90);
      if (hosts == 0) return text;
      text += ",";
    }
  }
  std::string beside() {
    constexpr const char* policies[] = {"", "SPLITDUPLEX", "SHARED", "FATPIPE", "FULLDUPLEX"};
    std::string text;
    if (const int policy = number(0, 4); policy > 0)
      text += fmt::format(" sharing_policy='{}'", policies[policy]);
    if (is_chosen()) text += " limiter_link='0.9GBps'";
    if (is_chosen()) text += " loopback_bw='7GBps' loopback_lat='0.1us'";
    return text;
  }
  std::string backbone() {
    if (is_chosen()) return "";
    return fmt::format(" bb_bw='3GBps' bb_lat='0.3us' bb_sharing_policy='{}'",
                       is_chosen() ? "FATPIPE" : "SHARED");
  }
  std::string fat_tree() {
    const int levels = number(1, 3);
    std::vector<int> down;
    std::vector<int> up;
    std::vector<int> cables;
    int hosts = 1;
    int switches = 0;
    for (int level = 0; level < levels; ++level) {
      down.push_back(number(1, levels == 3 ? 3 : 5));
      up.push_back(number(1, 3));
      cables.push_back(number(1, 3));
      hosts *= down.back();
    }
    int nodes = hosts;
    for (int level = 0; level < levels; ++level)
      switches += nodes = nodes / down[static_cast<std::size_t>(level)] * up[static_cast<std::size_t>(level)];
    const std::string parameters =
        fmt::format("{};{};{};{}", levels, fmt::join(down, ","), fmt::join(up, ","), fmt::join(cables, ","));
    std::string more = beside();
    // SimGrid has two limiters of one name then.
    if (switches > hosts && more.find("limiter") != std::string::npos) more = "";
    return cluster(radical(hosts + number(0, 2)), shaped("FAT_TREE", parameters), more);
  }
  std::string torus() {
    std::vector<int> sizes;
    int hosts = 1;
    for (int dimension = number(1, 3); dimension > 0; --dimension) {
      sizes.push_back(number(sizes.empty() ? 1 : 2, hosts > 8 ? 3 : 6));
      hosts *= sizes.back();
    }
    return cluster(radical(hosts), shaped("TORUS", fmt::format("{}", fmt::join(sizes, ","))), beside());
  }
  std::string dragonfly() {
    const int blades = number(1, 4);
    const int groups = number(1, blades);
    const int chassis = number(1, 3);
    const int hosts = number(1, 2);
    return cluster(radical(groups * chassis * blades * hosts),
                   shaped("DRAGONFLY", fmt::format("{},{};{},{};{},{};{}", groups, number(1, 3), chassis,
                                                   number(1, 3), blades, number(1, 3), hosts)),
                   beside());
  }

  std::mt19937 random_;
};

}  // namespace

TEST_CASE("a cluster that is computed has SimGrid's hosts, links and routes: any of 300") {
  AnyCluster any(49);
  for (int i = 0; i < 300; ++i)
    check_as_simgrid(any.make());
}

TEST_CASE("a cluster that is computed has SimGrid's routes: shapes with peculiarities of their own") {
  for (const char* tree : {"1;4;1;1", "1;1;1;1", "2;4,4;1,2;1,2", "2;2,3;2,3;3,2", "3;2,3,2;1,2,3;1,2,2",
                           "2;4,2;1,4;2,1", "2;16,4;1,16;1,1", "4;2,2,2,2;1,2,2,2;1,1,2,1"})
    check_as_simgrid(cluster("0-63", shaped("FAT_TREE", tree)));
  for (const char* torus : {"1", "2", "7", "1,5", "2,2,2", "4,4", "4,6,2", "5,3", "8,1"})
    check_as_simgrid(cluster("0-63", shaped("TORUS", torus), "limiter_link='1GBps'"));
  for (const char* dragonfly : {"1,1;1,1;1,1;1", "3,2;4,3;5,1;1", "4,1;3,2;4,3;1", "2,1;1,1;2,1;6"})
    check_as_simgrid(cluster("0-63", shaped("DRAGONFLY", dragonfly), "limiter_link='1GBps'"));
}

TEST_CASE("a cluster that is computed has links in the order of their names with many digits, as SimGrid") {
  check_as_simgrid(cluster("8-11,99-101,998-1002", ""));
  check_as_simgrid(cluster("0-119", shaped("FAT_TREE", "2;12,10;1,3;1,2")));
}

TEST_CASE("a cluster that is computed has the changes of single links that SimGrid's has") {
  const std::string open = cluster("0-7", shaped("FAT_TREE", "2;4,2;1,2;1,1"), "limiter_link='1GBps'");
  check_as_simgrid(open.substr(0, open.size() - 2) +
                   "><prop id='link_change' value='link:link_from_0_15_0 bandwidth=x0.25,latency=2us'/>"
                   "<prop id='link_change' value='link:c_link_1_limiter latency=3us'/></cluster>");
}

TEST_CASE("SimGrid makes what is not one cluster with attributes that are known") {
  CHECK(is_by_rule(cluster("0-3", "")));
  CHECK(is_by_rule("<config><prop id='network/loopback-lat' value='1e-6'/></config>" + cluster("0-3", "")));
  CHECK_FALSE(is_by_rule(cluster("0-3", "", "router_id='r'")));
  CHECK_FALSE(is_by_rule(cluster("2-3,0-1", "")));
  CHECK_FALSE(is_by_rule("<zone id='z' routing='Full'>" + cluster("0-3", "") + "</zone>"));
  CHECK_FALSE(is_by_rule(cluster("0-3", shaped("TORUS", "1,4,1"))));
  CHECK_FALSE(is_by_rule(cluster("0-3", shaped("FAT_TREE", "2;2,2;4,4;1,1"), "limiter_link='1GBps'")));
}
