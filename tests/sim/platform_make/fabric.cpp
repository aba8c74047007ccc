// SPDX-License-Identifier: MIT
#include "sim/platform_make/fabric.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <string>

using namespace finegrain::platform_make;

namespace {

/// Leaf switches 4 and 5 have nodes 0, 1 and 2, 3; both are linked to the top switches 6 and 7.
Fabric two_ways() {
  Fabric fabric;
  for (const char* name : {"n0", "n1", "n2", "n3"})
    fabric.vertices.push_back({name, false, ""});
  for (const char* name : {"leaf4", "leaf5", "top6", "top7"})
    fabric.vertices.push_back({name, true, ""});
  const auto connect = [&](std::size_t one, std::size_t other) {
    fabric.cables.push_back({one, other, fabric.vertices[one].name + fabric.vertices[other].name});
  };
  connect(0, 4);
  connect(1, 4);
  connect(2, 5);
  connect(3, 5);
  for (const std::size_t leaf : {4U, 5U})
    for (const std::size_t top : {6U, 7U})
      connect(leaf, top);
  return fabric;
}

std::string way(const Fabric& fabric, const NextSteps& next, std::size_t from) {
  std::string text;
  for (const Step& step : route_from(fabric, next, from))
    text += fabric.cables[step.cable].name + (step.is_forwards ? "+ " : "- ");
  return text;
}

}  // namespace

TEST_CASE("balanced routes: shortest, and two destinations of a leaf switch take two top switches") {
  const Fabric fabric = two_ways();
  BalancedRoutes routes(fabric);
  const NextSteps to_n2 = routes.to(2);
  const NextSteps to_n3 = routes.to(3);
  CHECK(way(fabric, to_n2, 0) == "n0leaf4+ leaf4top6+ leaf5top6- n2leaf5- ");
  CHECK(way(fabric, to_n3, 1) == "n1leaf4+ leaf4top7+ leaf5top7- n3leaf5- ");
  CHECK(way(fabric, to_n3, 2) == "n2leaf5+ n3leaf5- ");
  CHECK(way(fabric, to_n3, 3).empty());
}

TEST_CASE("balanced routes: nodes forward nothing") {
  // n0 - switch2 - n1 - switch3 - n4: the only way to n4 goes through a node.
  Fabric fabric;
  fabric.vertices = {
      {"n0", false, ""}, {"n1", false, ""}, {"s2", true, ""}, {"s3", true, ""}, {"n4", false, ""}};
  fabric.cables = {{0, 2, "a"}, {1, 2, "b"}, {1, 3, "c"}, {4, 3, "d"}};
  BalancedRoutes routes(fabric);
  const NextSteps to_n4 = routes.to(4);
  CHECK(way(fabric, to_n4, 0).empty());
  CHECK(way(fabric, to_n4, 1) == "c+ d- ");
}

TEST_CASE("balanced routes: cables between the same two switches share the destinations") {
  Fabric fabric;
  for (const char* name : {"a", "b", "c", "d", "e", "f"})
    fabric.vertices.push_back({name, false, ""});
  fabric.vertices.push_back({"s", true, ""});
  fabric.vertices.push_back({"t", true, ""});
  fabric.cables = {{6, 7, "x"}, {6, 7, "y"}};
  for (std::size_t node = 0; node < 6; ++node)
    fabric.cables.push_back({node, node < 2 ? 6U : 7U, fabric.vertices[node].name});
  BalancedRoutes routes(fabric);
  std::map<std::size_t, int> uses;
  for (std::size_t node = 2; node < 6; ++node)
    ++uses[route_from(fabric, routes.to(node), 0)[1].cable];
  CHECK(uses == std::map<std::size_t, int>{{0, 2}, {1, 2}});
}

TEST_CASE("merged switches: top switches with the same neighbours are one, and leaf switches stay") {
  const Fabric merged = with_merged_switches(two_ways());
  CHECK(merged.vertices.size() == 8);
  CHECK(merged.cables.size() == 4 + 2 * 2);
  for (std::size_t cable = 4; cable < 8; ++cable)
    CHECK(merged.cables[cable].other == 6);  // top6 has top7's as well
  CHECK(merged.cables[0].other == 4);
  CHECK(merged.cables[2].other == 5);
}
