// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <simgrid/s4u.hpp>
#include <vector>

#include "sim/replay/compiler.hpp"
#include "sim/replay/world.hpp"

namespace finegrain {

/// One rank: an actor that executes its program, step after step.
class RankActor {
 public:
  RankActor(World& world, int rank, const RankProgram& program);
  /// The actor's life: all iterations.
  void operator()();

 private:
  /// A flow that the rank waits for, and a latency more.
  struct Flow {
    std::int64_t request;
    simgrid::s4u::CommPtr flow;
    double latency_s;
    double posted_at_s;
  };
  struct Send {
    std::int64_t request;
    simgrid::s4u::CommPtr flow;
  };
  /// A message on the same node, and its number on the connection.
  struct Collect {
    std::int64_t request;
    ActorChannel* channel;
    std::int64_t number;
  };
  /// Of what was started within the node.
  struct Expected {
    std::int64_t request;
    double complete_s;
  };

  void execute_iteration();
  void execute(const Step& step);
  void start_flow(simgrid::s4u::Host* from, simgrid::s4u::Host* to, const Step& step);
  /// For the requests from one to another, the latter excluded.
  void wait_for(std::int64_t from, std::int64_t to);

  World& world_;
  int rank_;
  const RankProgram& program_;
  std::vector<double> phases_s_;
  std::int64_t request_ = 0;  ///< the newest
  std::vector<Send> sends_;
  std::vector<Flow> flows_;  ///< receives, and puts and gets that were started
  std::vector<Collect> collects_;
  std::vector<Expected> expected_;
  RankActor* received_ = nullptr;
};

}  // namespace finegrain
