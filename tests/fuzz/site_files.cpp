// SPDX-License-Identifier: MIT
//
// What a site's tools print, by the first byte: i for ibnetdiscover's output, k for iblinkinfo's, t for a
// topology.conf, y for a topology.yaml, s for a slurm.conf (before it a topology.conf and a 0 byte), x for
// lstopo's XML, m for a benchmark's output or a calibrated platform, l for a machine in one line, h for a
// hostfile, r for a rankfile.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/platform/host_files.hpp"
#include "sim/platform_make/made_platform.hpp"
#include "tests/fuzz/input_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace finegrain;
  using namespace finegrain::platform_make;
  if (size == 0) return 0;
  const char kind = static_cast<char>(*bytes);
  const std::string_view text = fuzz::as_text({bytes + 1, size - 1});
  const auto make = [](const Sources& sources) { make_platform(sources, Missing::taken_as_typical); };
  fuzz::read_or_refuse([&] {
    const std::string line_of_tree = "node: 8 cores; link: 100Gbps 300ns; uplinks: 2:1";
    const std::vector<std::string> hosts{"node01", "node02", "node03", "login"};
    if (kind == 'i') {
      make({.line = "node: 8 cores; link: 300ns", .ibnetdiscover = fuzz::write_input("ib.txt", text)});
    } else if (kind == 'k') {
      make({.line = "node: 8 cores; link: 300ns", .iblinkinfo = fuzz::write_input("links.txt", text)});
    } else if (kind == 'x') {
      make({.line = "switch: 2 nodes; link: 100Gbps 300ns", .lstopo = fuzz::write_input("node.xml", text)});
    } else if (kind == 'm') {
      make({.line = "switch: 2 nodes; node: 4 cores", .measured = {fuzz::write_input("measured.txt", text)}});
    } else if (kind == 't') {
      make({.line = line_of_tree, .slurm_topology = fuzz::write_input("topology.conf", text)});
    } else if (kind == 'y') {
      make({.line = line_of_tree, .slurm_topology = fuzz::write_input("topology.yaml", text)});
    } else if (kind == 's') {
      const std::size_t end = std::min(text.find('\0'), text.size());
      make({.line = "link: 100Gbps 300ns; uplinks: 2:1",
            .slurm_topology = fuzz::write_input("topology.conf", text.substr(0, end)),
            .slurm_conf = fuzz::write_input("slurm.conf", text.substr(std::min(end + 1, text.size())))});
    } else if (kind == 'l') {
      make({.line = std::string(text)});
    } else if (kind == 'h') {
      platform::read_hostfile(fuzz::write_input("hosts", text), hosts);
    } else if (kind == 'r') {
      platform::read_rankfile(fuzz::write_input("ranks", text), hosts, {});
    }
  });
  return 0;
}
