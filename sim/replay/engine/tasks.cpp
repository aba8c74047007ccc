// SPDX-License-Identifier: MIT
// Programs whose master takes results as they come (SelfScheduling). As an MPI library does, it takes the one
// whose envelope has arrived first: that of a long message arrives before its bytes.
#include <algorithm>

#include "sim/replay/engine/simulation.hpp"
#include "sim/replay/self_scheduling/assigned_tasks.hpp"

namespace finegrain::replay {

bool FlowSimulation::decide(Rank& rank) {
  const bool is_master = std::cmp_equal(rank.rank, job_.tasks->master());
  if (is_master && !iterations_->is_decided(rank.rank)) take_result(rank);
  rank.is_undecided = !iterations_->is_decided(rank.rank);
  if (!rank.is_undecided) return true;
  network_->serve(rank.rank);  // it is in a call, and waits
  return false;
}

/// Takes the first that is there, or looks again when it is.
void FlowSimulation::take_result(Rank& master) {
  while (!announced_.empty()) {
    const Announced first = announced_.top();
    if (!channels_[first.connection].is_expected(first.message)) {
      if (first.at_s > now_s() + clock_resolution_s) {
        events_.schedule(master.rank, first.at_s);
        return;
      }
      announced_.pop();
      const auto worker = static_cast<std::size_t>(compiler_.connections()[first.connection].sender);
      job_.tasks->take(static_cast<std::int32_t>(worker));
      if (ranks_[worker].is_undecided) events_.schedule(worker, now_s());
      return;
    }
    announced_.pop();  // it was received from this worker by name
  }
}

void FlowSimulation::announce(std::size_t connection, std::int64_t message, double at_s) {
  if (job_.tasks == nullptr) return;
  const Connection& of = compiler_.connections()[connection];
  if (!job_.tasks->is_result(of.sender, of.receiver, of.communicator, of.tag)) return;
  announced_.push({at_s, connection, message});
  const auto master = static_cast<std::size_t>(of.receiver);
  if (ranks_[master].is_undecided) events_.schedule(master, std::max(now_s(), at_s));
}

}  // namespace finegrain::replay
