// SPDX-License-Identifier: MIT
#include "sim/cli/energy_columns.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/cli/help.hpp"
#include "sim/cli/provenance.hpp"
#include "sim/cli/workload.hpp"

namespace finegrain::cli {

void add_energy_options(CLI::App& command, replay::EnergyOptions& options) {
  command
      .add_option_function<std::string>(
          "--waiting",
          [&options](const std::string& text) { options.waiting = replay::parse_waiting(text, "--waiting"); },
          "Energy: a core whose rank waits is busy (it polls, as MPI and UPC do) or idle")
      ->check(one_of({"busy", "idle"}))
      ->default_str("busy");
  command
      .add_option_function<std::string>(
          "--count",
          [&options](const std::string& text) { options.counted = replay::parse_counted(text, "--count"); },
          "Energy: count the sockets that hold ranks (used), or all sockets of their nodes (all)")
      ->check(one_of({"used", "all"}))
      ->default_str("all");
  command
      .add_option("--ranks-per-socket", options.ranks_per_socket,
                  "Ranks on each socket, and on its memory where the platform has memory_domains. Default: "
                  "the cores of "
                  "a socket are filled before the next one's; where their number is not known, equal parts")
      ->check(at_least_one());
  CLI::Option* const map_by = command.get_option_no_throw("--map-by");
  if (map_by == nullptr) return;
  map_by->check(CLI::Validator(
      [&options, &command](std::string& text) {
        options.sockets_in_turn = is_by_socket(text);
        return options.sockets_in_turn && command.count("--ranks-per-socket") > 0
                   ? std::string(
                         "socket, and --ranks-per-socket says how ranks fill sockets. Leave one of them out")
                   : std::string();
      },
      ""));
}

std::vector<std::string> energy_notes(std::span<const platform::Platform> platforms,
                                      const replay::EnergyOptions& options) {
  std::vector<NoteOnPlatform> of_platforms;
  for (const platform::Platform& platform : platforms) {
    if (!platform.powers) continue;
    const platform::Powers& powers = *platform.powers;
    of_platforms.push_back(
        {platform.name,
         fmt::format(
             "a node has {} {}, each of which draws {:g} W idle and {:g} W with {} busy cores; the node "
             "draws {:g} W more (these powers are declared in the platform, and were not measured here)",
             platform.sockets, platform.sockets == 1 ? "socket" : "sockets", powers.socket_w(0),
             powers.socket.back().watts, powers.cores_of_socket(), powers.node_w)});
  }
  std::vector<std::string> notes = shared_notes(of_platforms);
  if (notes.empty()) return notes;
  notes.push_back(fmt::format(
      "energy is simulated, from the start of the run to its end. A rank that waits keeps its cores {}; {} "
      "count. \"idle\" is what they would have drawn without any work",
      options.waiting == replay::Waiting::busy ? "busy" : "idle",
      options.counted == replay::CountedSockets::all ? "all sockets of the nodes"
                                                     : "sockets that hold ranks"));
  return notes;
}

}  // namespace finegrain::cli
