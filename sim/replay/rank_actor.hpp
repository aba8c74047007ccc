// SPDX-License-Identifier: MIT
#pragma once

#include <simgrid/s4u.hpp>
#include <vector>

#include "sim/replay/rank_program.hpp"
#include "sim/replay/world.hpp"

namespace finegrain {

/// One rank: an actor that executes its program, step after step.
class RankActor {
 public:
  RankActor(World& world, int rank, RankProgram program);
  /// The actor's life: all iterations.
  void operator()();

 private:
  /// A flow that the rank waits for, and a latency more.
  struct Pending {
    simgrid::s4u::CommPtr flow;
    double latency_s;
    double posted_at_s;
  };

  void execute_iteration();
  void execute(const Step& step);
  void start_flow(simgrid::s4u::Host* from, simgrid::s4u::Host* to, const Step& step);
  void wait_for_messages();

  World& world_;
  int rank_;
  RankProgram program_;
  std::vector<double> phases_s_;
  std::vector<simgrid::s4u::CommPtr> sends_;
  std::vector<Pending> pending_;  ///< receives, and puts and gets that were started
  std::vector<LocalChannel*> collects_;
  double started_until_s_ = 0;  ///< when all that it started within the node is complete
  RankActor* received_ = nullptr;
};

}  // namespace finegrain
