// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "kernels/problem/placement.hpp"
#include "sim/platform/platform.hpp"
#include "traces/iteration.hpp"

namespace finegrain {

/// What a rank does next, in the terms of the platform: the model of every phase and message is decided here,
/// the simulation only executes it.
struct Step {
  enum class Kind : std::uint8_t {
    memory,     ///< moves `amount` bytes over the memory of the rank's node
    delay,      ///< passes `amount` seconds
    put,        ///< a flow of `amount` bytes to the node of `peer`; ends when it has
    get,        ///< a flow of `amount` bytes from the node of `peer`; ends when it has
    start_put,  ///< starts the flow of a put, known to be complete `latency_s` after its end, and goes on
    start_get,  ///< likewise of a get
    expect,     ///< started what is complete `amount` seconds later, and goes on
    send,       ///< starts a flow of `amount` bytes to `peer`, on another node, and goes on
    deliver,    ///< gives `peer`, on the same node, `amount` bytes that it has `latency_s` later
    receive,    ///< expects the next message of `peer`, whose flow takes `amount` seconds of latency more
    collect,    ///< expects the next message that `peer` delivers
    wait,       ///< until all sends so far have left, and all that was started or is expected is complete
    barrier,    ///< until all ranks are here, then `amount` seconds
    end_phase,  ///< the phase's time ends here
  };
  Kind kind;
  std::int32_t peer = -1;
  double amount = 0;
  double latency_s = 0;  ///< of start_put, start_get and deliver

  friend bool operator==(const Step&, const Step&) = default;
};

/// One iteration of one rank.
struct RankProgram {
  std::vector<Step> steps;
  std::size_t phases = 0;
};

/// The phase of each step. Shape [steps]
std::vector<std::size_t> phases_of_steps(const RankProgram& program);

/// What a program is made for.
struct RankSetting {
  const Placement& placement;
  const PlatformCosts& costs;
  /// Latency in seconds of the route between two different nodes.
  std::function<double(int from_node, int to_node)> latency_s;
  double barrier_s;
  double unpack_bytes_per_value;  ///< of Phase::memory_bytes, in unpack: eqs. (15), (19)
  bool private_memory;            ///< at the initiator's end of puts and gets
  /// Of the route's narrowest link.
  std::function<double(int from_node, int to_node)> bandwidth_bytes_per_s;
};

/// @param durations_s  seconds of each phase to replay instead of memory volumes (PhaseDurations); empty:
/// volumes
RankProgram make_program(const Iteration& iteration, int rank, const RankSetting& setting,
                         std::span<const double> durations_s = {});

/// A dissemination barrier: ceil(log2(nodes)) rounds between nodes, in round r node i to node i + 2^r, each
/// as long as its slowest route + message_overhead; and ceil(log2(ranks of a node)) rounds of local_latency.
double barrier_seconds(const Placement& placement, const PlatformCosts& costs,
                       const std::function<double(int, int)>& latency_s);

}  // namespace finegrain
