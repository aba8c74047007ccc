// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace finegrain::replay {

/// What a core does while its rank waits for messages, barriers and locks: it polls, as MPI and UPC do, or it
/// is idle.
enum class Waiting : std::uint8_t { busy, idle };

/// Whose power counts: that of the sockets that hold ranks, or of all sockets of the nodes that hold ranks.
enum class CountedSockets : std::uint8_t { used, all };

struct EnergyOptions {
  Waiting waiting = Waiting::busy;
  CountedSockets counted = CountedSockets::all;
  std::optional<int> ranks_per_socket;  ///< none: a socket's cores are filled before the next one's
  bool sockets_in_turn = false;         ///< consecutive ranks of a node are on its sockets by turns
};

/// Joules of a run, from its first to its last moment.
struct Energy {
  double total_j = 0;
  double idle_j = 0;  ///< the part that the machine would have drawn if no core and no link had been busy
};

std::string_view to_string(Waiting waiting);
std::string_view to_string(CountedSockets counted);
/// @throws InputError if the text is neither
Waiting parse_waiting(std::string_view text, std::string_view where);
CountedSockets parse_counted(std::string_view text, std::string_view where);

}  // namespace finegrain::replay
