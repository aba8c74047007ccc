// SPDX-License-Identifier: MIT
#include "sim/platform_make/made_platform.hpp"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <pugixml.hpp>
#include <string>

#include "refused.hpp"
#include "sim/platform/platform_document.hpp"
#include "sim/platform_make/made_xml.hpp"
#include "tests/kernels/problem/temporary_folder.hpp"

using namespace finegrain;
using namespace finegrain::platform_make;
using Catch::Contains;

namespace {

std::string made(const std::string& line) {
  return make_platform({.line = line}, Missing::taken_as_typical).xml;
}

/// From Slurm's files with these texts.
MadePlatform from_slurm(const std::string& topology, const std::string& conf, const std::string& line = "") {
  const test::TemporaryFolder scratch;
  test::write_bytes(scratch / "topology.conf", topology);
  test::write_bytes(scratch / "slurm.conf", conf);
  return make_platform(
      {.line = line, .slurm_topology = scratch / "topology.conf", .slurm_conf = scratch / "slurm.conf"},
      Missing::taken_as_typical);
}

std::size_t count_in(const std::string& xml, const char* path) {
  pugi::xml_document document;
  REQUIRE(document.load_string(xml.c_str()));
  return document.select_nodes(path).size();
}

std::string value_of(const std::filesystem::path& platform, const char* path) {
  const platform::PlatformDocument document(platform);
  return document.xml().select_node(path).attribute().value();
}

}  // namespace

TEST_CASE("missing numbers: all are named in one error, with a typical one and its source") {
  const auto make = [] {
    make_platform({.line = "fat_tree: 2 levels, 8 nodes; node: 2 x 8 cores"}, Missing::refused);
  };
  test::check_refusal(make, "Not given: ports ('fat_tree: 40-port'; typical is 40, NVIDIA's QM8790");
  for (const char* name : {"ratio", "link_bandwidth", "link_latency", "memory_bandwidth",
                           "memory_bandwidth_per_core", "local_latency", "message_overhead", "eager_limit"})
    CHECK_THROWS_WITH(make(), Contains(fmt::format(", {} (", name)));
  // 348 GB/s x 16 / 128
  CHECK_THROWS_WITH(
      make(), Contains("memory_bandwidth=43.5GBps'; typical is 43.5GBps, platforms/hdr_infiniband.xml"));
  CHECK_THROWS_WITH(make(), Contains("or take all that are typical: --typical"));
  CHECK_THROWS_WITH(make(), !Contains("cores ("));
}

TEST_CASE("missing numbers: the size of a network is asked for, even if typical numbers are taken") {
  test::check_refusal([] { made("fat_tree: 2 levels"); },
                      "nodes ('fat_tree: 128 nodes'; nothing is typical)");
  test::check_refusal([] { made("torus: 9 nodes"); }, "Give dimensions");
}

TEST_CASE("typical numbers are those of platforms/hdr_infiniband.xml") {
  const std::filesystem::path hdr = std::filesystem::path(PLATFORMS) / "hdr_infiniband.xml";
  const Numbers numbers = with_needed_numbers({}, needed_numbers("", 128), Missing::taken_as_typical);
  const auto typical = [&](const char* name) { return numbers.find(name)->second.text; };
  CHECK(typical("link_bandwidth") == value_of(hdr, "//cluster/@bw"));
  CHECK(typical("link_latency") == value_of(hdr, "//cluster/@lat"));
  CHECK(typical("cores") == value_of(hdr, "//cluster/@core"));
  for (const char* name :
       {"memory_bandwidth", "memory_bandwidth_per_core", "local_latency", "message_overhead"})
    CHECK(typical(name) == value_of(hdr, fmt::format("//prop[@id='{}']/@value", name).c_str()));
}

TEST_CASE("a cluster's file says of each number where it is from") {
  const std::string xml =
      made("fat_tree: 2 levels, 40-port, 30 nodes, 1:1; node: 2 x 64 cores; link: 100Gbps 300ns");
  CHECK_THAT(xml, Contains("<!-- bw: given: 'link: 100Gbps 300ns' -->"));
  CHECK_THAT(xml, Contains("<!-- nodes 30: given: 'fat_tree: 2 levels, 40-port, 30 nodes, 1:1' -->"));
  CHECK_THAT(
      xml, Contains("typical, not given: platforms/hdr_infiniband.xml -->\n    <prop id=\"message_overhead\" "
                    "value=\"300ns\" />"));
  // Two leaf switches of 20 have room for 40; 30 are there.
  CHECK_THAT(xml, Contains("radical=\"0-39\""));
  CHECK_THAT(xml, Contains("<prop id=\"nodes\" value=\"30\" />"));
  CHECK(made_platform_kind().recognises(xml));
}

TEST_CASE("rails: each has a network of its own, whose adapters are no nodes") {
  const std::string xml =
      made("rail_optimised: 4 rails, 2 levels, 40-port, 30 nodes, 1:1; node: 2 x 64 cores");
  CHECK(count_in(xml, "//cluster[@topology='FAT_TREE']") == 4);
  CHECK(count_in(xml, "//zone/prop[@id='rails' and @value='4']") == 1);
  CHECK(count_in(xml, "//zone/prop[@id='nodes' and @value='30']") == 1);
  CHECK(count_in(xml, "//cluster[@prefix='node-' and @radical='0-39']") == 1);
  CHECK(count_in(xml, "//cluster[@prefix='~rail3~node-' and @radical='0-39']") == 1);
  const std::string of_switch = made("switch: 4 nodes; node: 8 cores, 2 rails, rail_choice=blocks");
  CHECK(count_in(of_switch, "//cluster[not(@topology)]") == 2);
  CHECK(count_in(of_switch, "//zone/prop[@id='rail_choice' and @value='blocks']") == 1);
  CHECK(count_in(made("switch: 4 nodes; node: 8 cores, 1 rails"), "//prop[@id='rails']") == 0);
  CHECK(count_in(made("switch: 4 nodes; node: 8 cores, 2 rails, stripe_above=64KiB"),
                 "//zone/prop[@id='stripe_above' and @value='64KiB']") == 1);
}

TEST_CASE("rails: what cannot be said of them is refused by name") {
  test::check_refusal([] { made("rail_optimised: 2 levels, 8 nodes"); },
                      "rails ('rail_optimised: 4 rails'; nothing is typical)");
  test::check_refusal([] { made("switch: 4 nodes; node: 2 rails, rail_choice=stripes"); },
                      "'stripes' chooses no rail");
  test::check_refusal([] { made("switch: 4 nodes; node: 99 rails"); }, "99 rails are more than a node has");
  test::check_refusal([] { made("switch: 4 nodes; node: rail_choice=blocks"); }, "there is one rail");
  test::check_refusal([] { made("switch: 4 nodes; node: stripe_above=64KiB"); },
                      "stripe_above, and there is one rail");
  test::check_refusal([] { made("switch: 4 nodes; node: 2 rails, stripe_above=fast"); }, "fast");
  test::check_refusal([] { from_slurm("SwitchName=s Nodes=n1\n", "NodeName=n1 CPUs=1\n", "node: 2 rails"); },
                      "'2 rails' beside the network of a file");
}

TEST_CASE("a fabric's file has every node, switch and connection, and a route for each two nodes") {
  const MadePlatform platform = from_slurm(
      "SwitchName=leaf1 Nodes=n[1-3]\nSwitchName=leaf2 Nodes=n[4-5]\nSwitchName=top Switches=leaf[1-2]\n",
      "NodeName=n[1-4] CPUs=8 RealMemory=64000\nNodeName=n5 CPUs=32 RealMemory=256000\nNodeName=n6 CPUs=8\n",
      "uplinks: 3:1; link: 100Gbps");
  CHECK(count_in(platform.xml, "//host") == 5);
  CHECK(count_in(platform.xml, "//router") == 3);
  CHECK(count_in(platform.xml, "//link") == 5 + 2);
  CHECK(count_in(platform.xml, "//route") == 5 * 4);
  CHECK(count_in(platform.xml, "//route[link_ctn[4]]") == 2 * 3 * 2);  // between leaf switches, both ways
  // 3 nodes and 2 nodes below, divided by 3.
  CHECK(count_in(platform.xml, "//link[@id='leaf1_top' and @bandwidth='100Gbps']") == 1);
  CHECK(count_in(platform.xml, "//link[@id='leaf2_top' and @bandwidth='66.66666667Gbps']") == 1);
  CHECK(count_in(platform.xml,
                 "//host[@id='n5' and @core='32']/prop[@id='memory_size' and @value='256000MiB']") == 1);
  // 348 GB/s x 8 / 128 for all, and x 32 / 128 for n5.
  CHECK(count_in(platform.xml, "//zone/prop[@id='memory_bandwidth' and @value='21.75GBps']") == 1);
  CHECK(count_in(platform.xml, "//host[@id='n5']/prop[@id='memory_bandwidth' and @value='87GBps']") == 1);
  REQUIRE(platform.notes.size() == 1);
  CHECK_THAT(platform.notes.front(),
             Contains("left out: 1 node of slurm.conf that the network does not have: n6"));
}

TEST_CASE("a large fabric has one hop for each connection, and what is side by side is one link") {
  // 200 nodes each, 100 Gbit/s of uplinks for each node, divided among two top switches, which are one here.
  const std::string xml =
      from_slurm(
          "SwitchName=a Nodes=n[1-200]\nSwitchName=b Nodes=m[1-200]\nSwitchName=c Switches=a,b\n"
          "SwitchName=d Switches=a,b\n",
          "NodeName=n[1-200],m[1-200] CPUs=4\n", "link: 100Gbps; uplinks: 1:1")
          .xml;
  CHECK(count_in(xml, "//zone[@routing='Dijkstra']") == 1);
  CHECK(count_in(xml, "//host") == 400);
  CHECK(count_in(xml, "//router") == 4);
  CHECK(count_in(xml, "//link") == 400 + 2);
  CHECK(count_in(xml, "//link[@bandwidth='20000Gbps']/prop[@id='cables' and @value='2']") == 2);
  CHECK(count_in(xml, "//route") == 2 * (400 + 2));
}

TEST_CASE("sources: exactly one has the network, and its nodes are known") {
  test::check_refusal([] { made("node: 4 cores"); }, "nothing says what the network is");
  test::check_refusal([] { from_slurm("SwitchName=s Nodes=n1\n", "NodeName=n1 CPUs=1\n", "torus: 2 x 2"); },
                      "there are several networks: torus in the line, ");
  test::check_refusal([] { from_slurm("SwitchName=s Nodes=n[1-2]\n", "NodeName=n1 CPUs=1\n"); },
                      "topology.conf:1: node n2 has no NodeName line");
  test::check_refusal([] { from_slurm("SwitchName=s Nodes=n1\n", "NodeName=n1 RealMemory=9\n", "link: 1"); },
                      "link: '1' has no unit");
}
