// SPDX-License-Identifier: MIT
#include "sim/replay/routed_programs.hpp"

#include <map>
#include <utility>

namespace finegrain {
namespace {

class Router {
 public:
  Router(const Placement& placement, Machine& machine, RoutedPrograms& routed)
      : placement_(placement), machine_(machine), routed_(routed) {}

  std::size_t target(int rank, const Step& step) {
    switch (step.kind) {
      case Step::Kind::put:
      case Step::Kind::start_put:
        return route(rank, step.peer);
      case Step::Kind::get:
      case Step::Kind::start_get:
        return route(step.peer, rank);
      case Step::Kind::send:
      case Step::Kind::deliver:
        return connection(rank, step.peer);
      case Step::Kind::receive:
      case Step::Kind::collect:
        return connection(step.peer, rank);
      default:
        return 0;
    }
  }

 private:
  std::size_t route(int from_rank, int to_rank) {
    const std::pair nodes(placement_.node(from_rank), placement_.node(to_rank));
    const auto [known, is_new] = routes_.try_emplace(nodes, routed_.routes.size());
    if (is_new) routed_.routes.push_back(&machine_.route(nodes.first, nodes.second));
    return known->second;
  }

  std::size_t connection(int from_rank, int to_rank) {
    const auto [known, is_new] = connections_.try_emplace({from_rank, to_rank}, routed_.connections.size());
    if (is_new) {
      routed_.connections.push_back(
          {static_cast<std::size_t>(to_rank),
           placement_.same_node(from_rank, to_rank) ? 0 : route(from_rank, to_rank)});
    }
    return known->second;
  }

  const Placement& placement_;
  Machine& machine_;
  RoutedPrograms& routed_;
  std::map<std::pair<int, int>, std::size_t> routes_;
  std::map<std::pair<int, int>, std::size_t> connections_;
};

}  // namespace

RoutedPrograms route_programs(std::vector<RankProgram> programs, const Placement& placement,
                              Machine& machine) {
  RoutedPrograms routed;
  Router router(placement, machine, routed);
  for (int rank = 0; rank < placement.ranks(); ++rank) {
    auto& targets = routed.targets.emplace_back();
    for (const Step& step : programs[static_cast<std::size_t>(rank)].steps)
      targets.push_back(router.target(rank, step));
  }
  routed.programs = std::move(programs);
  return routed;
}

}  // namespace finegrain
