// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <exception>
#include <map>
#include <simgrid/s4u.hpp>
#include <vector>

#include "kernels/problem/placement.hpp"
#include "sim/replay/compiler.hpp"
#include "sim/replay/iteration_count.hpp"
#include "sim/replay/machine.hpp"
#include "sim/replay/replay.hpp"

namespace finegrain {

/// The messages of a connection: through a mailbox of SimGrid between nodes; on one node, by number.
struct ActorChannel {
  simgrid::s4u::Mailbox* mailbox = nullptr;
  simgrid::s4u::SemaphorePtr delivered = simgrid::s4u::Semaphore::create(0);
  std::map<std::int64_t, double> there_s;  ///< when each is there that was delivered, until it is awaited
  std::int64_t sent = 0;
  std::int64_t expected = 0;
  std::int64_t acquired = 0;  ///< that the receiver knows to be delivered
};

/// What all ranks of a simulation share.
struct World {
  World(const ReplayJob& replay_job, const ReplayOptions& options)
      : job(replay_job),
        placement(placement_of(job)),
        machine(job.platform->file, placement.nodes(), job.platform->costs.memory_bandwidth_bytes_per_s),
        barrier(simgrid::s4u::Barrier::create(static_cast<unsigned>(placement.ranks()))),
        iterations(*job.schedule, options),
        rank_memory_bandwidth_bytes_per_s(job.platform->costs.memory_bandwidth_per_core_bytes_per_s *
                                          job.schedule->run.threads_per_rank) {
    result.ranks.resize(job.schedule->ranks.size());
  }

  simgrid::s4u::Host* host(int rank) const {
    return machine.hosts()[static_cast<std::size_t>(placement.node(rank))];
  }
  simgrid::s4u::Host* memory(int rank) const {
    return machine.memories()[static_cast<std::size_t>(placement.node(rank))];
  }

  const ReplayJob& job;
  Placement placement;
  Machine machine;
  simgrid::s4u::BarrierPtr barrier;
  std::vector<ActorChannel> channels;  ///< shape [connections]
  IterationCount iterations;
  double rank_memory_bandwidth_bytes_per_s;
  ReplayResult result;
  std::exception_ptr failure;
};

}  // namespace finegrain
