// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <deque>
#include <exception>
#include <map>
#include <simgrid/s4u.hpp>
#include <utility>

#include "kernels/problem/placement.hpp"
#include "sim/replay/iteration_count.hpp"
#include "sim/replay/job_programs.hpp"
#include "sim/replay/machine.hpp"
#include "sim/replay/replay.hpp"

namespace finegrain {

/// Messages from one rank to another on the same node, in the order they were sent.
struct LocalChannel {
  simgrid::s4u::SemaphorePtr delivered = simgrid::s4u::Semaphore::create(0);
  std::deque<double> there_at_s;
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
  std::map<std::pair<int, int>, simgrid::s4u::Mailbox*> mailboxes;  ///< from, to; on different nodes
  std::map<std::pair<int, int>, LocalChannel> local_channels;       ///< from, to; on the same node
  IterationCount iterations;
  double rank_memory_bandwidth_bytes_per_s;
  ReplayResult result;
  std::exception_ptr failure;
};

}  // namespace finegrain
