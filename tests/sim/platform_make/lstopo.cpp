// SPDX-License-Identifier: MIT
#include "sim/platform_make/lstopo.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "refused.hpp"
#include "sim/platform_make/made_platform.hpp"
#include "tests/kernels/problem/temporary_folder.hpp"

using namespace finegrain;
using namespace finegrain::platform_make;
using Catch::Contains;

namespace {

LstopoNode lstopo(const std::string& objects) {
  const test::TemporaryFolder scratch;
  test::write_bytes(scratch / "node.xml",
                    "<?xml version=\"1.0\"?>\n<topology version=\"2.0\">\n" + objects + "</topology>\n");
  return read_lstopo(scratch / "node.xml");
}

std::string object(const std::string& type, const std::string& inside = "",
                   const std::string& attributes = "") {
  return "<object type=\"" + type + "\" " + attributes + ">" + inside + "</object>\n";
}

const std::string core_of_2 = object("Core", object("PU") + object("PU"));
const std::string core_of_1 = object("Core", object("PU"));

std::string memory_object(const std::string& cpus, const std::string& more = "local_memory=\"1000\"") {
  return object("NUMANode", "", "cpuset=\"" + cpus + "\" " + more);
}

bool says(const LstopoNode& node, const std::string& text) {
  return std::ranges::any_of(node.notes,
                             [&](const std::string& note) { return note.find(text) != std::string::npos; });
}

std::string number_of(const LstopoNode& node, const char* name) {
  const auto found = node.numbers.find(name);
  return found == node.numbers.end() ? std::string("none") : found->second.text;
}

const std::filesystem::path lstopo_sample = std::filesystem::path(SITE_SAMPLES) / "lstopo.xml";

}  // namespace

TEST_CASE("lstopo: sockets, memories, cores and hardware threads of what hwloc 2.9 printed") {
  const LstopoNode node = read_lstopo(lstopo_sample);  // lstopo -i "pack:2 [numa(memory=64GB)] core:4 pu:2"
  CHECK(number_of(node, "sockets") == "2");
  CHECK(number_of(node, "cores") == "8");  // 2 x 4
  CHECK(number_of(node, "hardware_threads_per_core") == "2");
  CHECK(number_of(node, "memory_domains") == "2");
  CHECK(number_of(node, "memory_size") == "128000000000B");  // 2 x 64 GB
  CHECK(node.notes.empty());
  CHECK_THAT(node.numbers.at("cores").origin, Contains("lstopo.xml: 8 Core"));
}

TEST_CASE("lstopo: memories inside hwloc 1's NUMA nodes, and a machine without them") {
  const LstopoNode node =
      lstopo(object("Machine", object("NUMANode", object("Socket", core_of_1 + core_of_1),
                                      "cpuset=\"0x3\" local_memory=\"1000\"") +
                                   object("NUMANode", object("Socket", core_of_1 + core_of_1),
                                          "cpuset=\"0xc\" local_memory=\"1000\"")));
  CHECK(number_of(node, "sockets") == "2");
  CHECK(number_of(node, "memory_domains") == "2");
  CHECK(number_of(node, "memory_size") == "2000B");
  CHECK(number_of(node, "hardware_threads_per_core") == "none");
  const LstopoNode plain = lstopo(object("Machine", object("Socket", core_of_1), "local_memory=\"500\""));
  CHECK(number_of(plain, "memory_size") == "500B");
  CHECK(number_of(plain, "memory_domains") == "none");
}

TEST_CASE("lstopo: several memories of a socket count as one, and a note says so") {
  const std::string socket = core_of_1 + core_of_1;
  const LstopoNode two = lstopo(object("Package", memory_object("0x1") + memory_object("0x2") + socket) +
                                object("Package", memory_object("0x4") + memory_object("0x8") + socket));
  CHECK(number_of(two, "memory_domains") == "2");
  CHECK(says(two, "4 NUMA nodes in 2 sockets: those of one socket count as one memory"));
  const LstopoNode one = lstopo(object("Package", memory_object("0x1") + memory_object("0x2") + socket));
  CHECK(number_of(one, "memory_domains") == "none");
  CHECK(says(one, "2 NUMA nodes in 1 socket"));
}

TEST_CASE("lstopo: memory on a package, of a GPU or without cores is no domain, and no memory of the node") {
  const LstopoNode node = lstopo(
      object("Package", memory_object("0x1") + memory_object("0x1", "subtype=\"HBM\" local_memory=\"4096\"") +
                            core_of_1) +
      object("Package", memory_object("0x2") + core_of_1) + memory_object("0x0", "local_memory=\"1024\""));
  CHECK(number_of(node, "memory_size") == "2000B");
  CHECK(number_of(node, "memory_domains") == "2");
  CHECK(says(node, "5.00 KiB of memory of GPUs, on packages or without cores does not count"));
}

TEST_CASE("lstopo: a network adapter's socket is said, and its way there costs nothing") {
  const LstopoNode node = lstopo(
      object("Package", core_of_1, "os_index=\"0\"") +
      object("Package",
             core_of_1 +
                 object("Bridge", object("PCIDev", object("OSDev", "", "name=\"mlx5_0\" osdev_type=\"3\""))),
             "os_index=\"1\""));
  CHECK(says(node, "mlx5_0 on socket 1: the way from another socket to it costs nothing here"));
}

TEST_CASE("lstopo: unlike sockets, uneven hardware threads and PUs without cores are said") {
  const LstopoNode unlike = lstopo(object("Package", core_of_1) + object("Package", core_of_2 + core_of_1));
  CHECK(number_of(unlike, "sockets") == "none");  // 3 cores on 2 sockets
  CHECK(says(unlike, "its sockets have 1, 2 cores"));
  CHECK(says(unlike, "4 PUs on 3 cores"));
  CHECK(number_of(lstopo(object("Package", object("PU") + object("PU"))), "cores") == "2");
}

TEST_CASE("lstopo fills the nodes of any machine, and what the line or slurm.conf say goes before it") {
  const auto made = [](Sources sources) {
    sources.lstopo = lstopo_sample;
    return make_platform(sources, Missing::taken_as_typical);
  };
  const std::string alone = made({.line = "switch: 2 nodes"}).xml;
  CHECK_THAT(alone, Contains("core=\"8\"") && Contains("id=\"sockets\" value=\"2\"") &&
                        Contains("id=\"memory_domains\" value=\"2\"") &&
                        Contains("id=\"hardware_threads_per_core\" value=\"2\""));
  const MadePlatform of_line = made({.line = "switch: 2 nodes; node: 12 cores"});
  CHECK_THAT(of_line.xml,
             Contains("core=\"12\"") && !Contains("sockets\" value") && !Contains("memory_domains\" value"));
  CHECK_THAT(of_line.notes.front(), Contains("cores and sockets are the line's"));
  const test::TemporaryFolder scratch;
  test::write_bytes(scratch / "topology.conf", "SwitchName=s Nodes=n[1-2]\n");
  test::write_bytes(scratch / "slurm.conf",
                    "NodeName=n1 Sockets=2 CoresPerSocket=4\nNodeName=n2 Sockets=4 CoresPerSocket=4\n");
  const MadePlatform of_slurm =
      made({.slurm_topology = scratch / "topology.conf", .slurm_conf = scratch / "slurm.conf"});
  CHECK_THAT(of_slurm.xml, Contains("id=\"n1\" speed=\"1Gf\" core=\"8\"") &&
                               Contains("id=\"n2\" speed=\"1Gf\" core=\"16\"") &&
                               !Contains("memory_domains\" value"));
  CHECK_THAT(of_slurm.notes.front(),
             Contains("lstopo's node has other cores or sockets than slurm.conf gives n2"));
}

TEST_CASE("lstopo: what is wrong is named with its line") {
  test::check_refusal([] { lstopo("<object type=\"PU\">\n"); }, "node.xml:4: malformed XML");
  test::check_refusal([] { lstopo(object("Machine")); }, "node.xml:2: no PU is in it");
  const test::TemporaryFolder scratch;
  test::write_bytes(scratch / "other.xml", "<?xml version=\"1.0\"?>\n<platform version=\"4.1\"/>\n");
  test::check_refusal([&] { read_lstopo(scratch / "other.xml"); },
                      "other.xml:2: <platform> is not hwloc's <topology>");
}
