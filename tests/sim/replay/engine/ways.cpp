// SPDX-License-Identifier: MIT
// The ways among which routing policies choose: those of fat trees and dragonflies, by the names of their
// links.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdio>
#include <set>
#include <string>
#include <vector>

#include "../small_platform.hpp"
#include "sim/replay/loaded_platform.hpp"

using namespace finegrain;
using replay::LoadedPlatform;
using replay::Wires;

namespace {

std::string cluster(int hosts, const std::string& topology, const std::string& parameters) {
  return fmt::format(
      "<cluster id='c' prefix='node-' suffix='' radical='0-{}' speed='1Gf' bw='1MBps' lat='1us' "
      "sharing_policy='SPLITDUPLEX' topology='{}' topo_parameters='{}'/>",
      hosts - 1, topology, parameters);
}

/// Where a way over a fat tree's links ends that begins at a host; -1 if one does not begin where the one
/// before ended. A link is named after its ends, the lower one first: link_from_3_15_7_UP.
int end_of(const Wires& wires, const Wires::Way& way, int from) {
  int at = from;
  for (const std::size_t link : way.links) {
    const std::string name = wires.link_name(link);
    int lower = 0;
    int upper = 0;
    if (std::sscanf(name.c_str(), "link_from_%d_%d_", &lower, &upper) != 2) return -1;
    const bool is_up = name.ends_with("_UP");
    if ((is_up ? lower : upper) != at) return -1;
    at = is_up ? upper : lower;
  }
  return at;
}

/// Between two hosts. @returns how many there are
std::size_t check_ways(const LoadedPlatform& loaded, int from, int to) {
  const Wires& wires = loaded.wires();
  const Wires::Ways ways = loaded.ways(from, to);
  const auto way = wires.way(static_cast<std::size_t>(from), static_cast<std::size_t>(to));
  std::set<std::vector<std::size_t>> different;
  CHECK(ways.shortest.front().links == way.links);
  CHECK(ways.detours.empty());
  for (const Wires::Way& one : ways.shortest) {
    CHECK(end_of(wires, one, from) == to);
    CHECK(one.links.size() == way.links.size());
    CHECK(one.latency_s == way.latency_s);
    different.insert(one.links);
  }
  CHECK(different.size() == ways.shortest.size());
  return ways.shortest.size();
}

}  // namespace

TEST_CASE("ways: a fat tree's lead from node to node, are all different, and begin with SimGrid's") {
  // Two nodes on each of six leaves, which have three uplinks; then two switches above, by two cables each.
  SmallPlatform platform(cluster(12, "FAT_TREE", "3;2,2,3;1,3,2;1,1,2"));
  const LoadedPlatform loaded((*platform).file);
  for (int from = 0; from < 12; ++from)
    for (int to = 0; to < 12; ++to)
      if (from != to)
        CHECK(check_ways(loaded, from, to) == (from / 2 == to / 2   ? 1U
                                               : from / 4 == to / 4 ? 3U
                                                                    : 3U * 2 * 2));
}

TEST_CASE("ways: of very many, those that are taken use each uplink of a switch equally often") {
  SmallPlatform platform(cluster(8, "FAT_TREE", "3;2,2,2;1,16,16;1,1,1"));
  const LoadedPlatform loaded((*platform).file);
  CHECK(check_ways(loaded, 0, 7) == 64);
  std::vector<std::size_t> uplinks;
  std::vector<std::size_t> next;
  for (const Wires::Way& way : loaded.ways(0, 7).shortest) {
    uplinks.push_back(way.links[1]);
    next.push_back(way.links[2]);
  }
  for (const std::size_t uplink : uplinks)
    CHECK(std::ranges::count(uplinks, uplink) == 64 / 16);
  for (const std::size_t link : next)
    CHECK(std::ranges::count(next, link) == 1);
}

TEST_CASE("ways: a dragonfly's detours cross two links between groups, by each of the other groups") {
  SmallPlatform platform(cluster(48, "DRAGONFLY", "4,1;2,1;6,1;1"));
  const LoadedPlatform loaded((*platform).file);
  for (const int to : {12, 17, 23, 30, 47}) {
    const Wires::Ways ways = loaded.ways(5, to);
    CHECK(ways.shortest.size() == 1);
    REQUIRE(ways.detours.size() == 4 - 2);
    std::set<std::string> first;
    for (const Wires::Way& detour : ways.detours) {
      std::vector<std::string> between;
      for (const std::size_t link : detour.links)
        if (const std::string name = loaded.wires().link_name(link); name.starts_with("blue"))
          between.push_back(name);
      REQUIRE(between.size() == 2);
      CHECK(between[0].find("group_0_and_") != std::string::npos);
      first.insert(between[0]);
      CHECK(detour.links.back() == ways.shortest.front().links.back());
      CHECK(detour.latency_s == Approx(1e-6 * static_cast<double>(detour.links.size())));
    }
    CHECK(first.size() == 2);
  }
  CHECK(loaded.ways(5, 7).detours.empty());
}
