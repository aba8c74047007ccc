// SPDX-License-Identifier: MIT
#include "sim/study/points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "kernels/problem/placement.hpp"
#include "sim/policy/memory.hpp"
#include "sim/policy/policy.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"

namespace finegrain::study {
namespace {

std::array<std::size_t, axis_count> positions_of(const StudyFile& study, std::int64_t number) {
  std::array<std::size_t, axis_count> positions{};
  auto rest = static_cast<std::size_t>(number);
  for (std::size_t axis = axis_count; axis-- > 0;) {
    const std::size_t size = study.size(static_cast<Axis>(axis));
    positions[axis] = rest % size;
    rest /= size;
  }
  return positions;
}

/// @param node  its place among the hosts
/// @throws InputError if it has more ranks than cores, which the study does not allow
void check_cores(int node, int ranks_on_node, int threads_per_rank, const StudyFile& study,
                 const ChangedPlatform& changed) {
  platform::PlatformFacts facts = changed.facts;
  std::string name;
  if (std::cmp_less(node, changed.platform.nodes.size())) {
    facts.cores = changed.platform.nodes[static_cast<std::size_t>(node)].cores;
    name = changed.platform.nodes[static_cast<std::size_t>(node)].name;
  }
  const std::string too_many =
      oversubscription(facts, changed.platform.costs, ranks_on_node, threads_per_rank, name);
  if (!too_many.empty() && !study.oversubscribe)
    throw InputError("",
                     fmt::format("{} ({}), and no oversubscribe = true", too_many, changed.platform.name));
}

/// Where the ranks are. If the placement looks at messages, only how many are on each node; none looks at
/// them in a room.
problem::Placement filled(const StudyPoint& point) {
  return point.room.empty() ? problem::Placement(point.run.ranks, point.run.ranks_per_node)
                            : graph::placement_by(point.placement, point.run.ranks, point.room);
}

/// @throws InputError if the point needs more nodes than the platform has or its placement can handle, or
/// more cores than a node has
void check_nodes(const StudyPoint& point, const StudyFile& study, const ChangedPlatform& changed) {
  const problem::Placement placement = filled(point);
  const int nodes = placement.nodes();
  if (nodes > changed.hosts)
    throw InputError("", fmt::format("{}, and {} has {}", format_count(nodes, "node"), changed.platform.name,
                                     format_count(changed.hosts, "host")));
  if (looks_at_routes(point.placement) && nodes > graph::most_nodes_of_topology)
    throw InputError("", fmt::format("{}, and the placement {} knows at most {}", format_count(nodes, "node"),
                                     to_string(point.placement), graph::most_nodes_of_topology));
  const bool are_alike = changed.platform.nodes.empty() && point.room.empty();
  const int nodes_to_check = are_alike ? 1 : nodes;
  for (int node = 0; node < nodes_to_check; ++node)
    check_cores(node, static_cast<int>(placement.ranks_of(node).size()), point.run.threads_per_rank, study,
                changed);
}

/// The room of the nodes, if the study does not say how many ranks they have, and not all hold equally many.
problem::Room room_of(const StudyPoint& point, const StudyFile& study, const ChangedPlatform& changed) {
  if (study.ranks_per_node[point.position(Axis::ranks_per_node)]) return {};
  return graph::room_on(changed.platform, point.run.threads_per_rank);
}

/// Takes the room, where it makes a difference.
/// @throws InputError if there is too little, or the placement puts equally many on each node
void take_room(StudyPoint& point, problem::Room room) {
  if (room.empty()) return;
  graph::FilledRoom filled = graph::fill(point.placement, point.run.ranks, std::move(room));
  point.run.ranks_per_node = filled.ranks_per_node;
  point.room = std::move(filled.room);
}

/// Checks the memory for arrays and copies only. The sizes of message buffers and lists are not known before
/// accesses have been counted.
/// @throws InputError if a node has less memory than arrays and copies take
void check_memory(const StudyPoint& point, const platform::Platform& platform) {
  const std::string too_little = policy::too_little_memory(point.run, {}, filled(point), platform);
  if (!too_little.empty()) throw InputError("", too_little);
}

/// Puts as many ranks on a node as in the recording, but no more than a node has cores or slots for.
void lay_out_program(StudyPoint& point, const StudyFile& study, const StudyInputs& inputs) {
  const ChangedPlatform& changed = inputs.platforms[point.platform];
  point.run = inputs.programs[point.position(Axis::problem)].run;
  const int recorded = point.run.ranks_per_node;
  problem::Room room = room_of(point, study, changed);
  point.run.ranks_per_node = study.ranks_per_node[point.position(Axis::ranks_per_node)].value_or(std::max(
      1, std::min(recorded, ranks_that_fit(changed.facts, point.run.threads_per_rank).value_or(recorded))));
  if (!changed.platform.listed)
    for (int& most : room.most_of_nodes)
      most = std::min(most, recorded);
  take_room(point, std::move(room));
  check_nodes(point, study, changed);
}

/// Puts the ranks on the nodes that the jobs name.
void lay_out_jobs(StudyPoint& point, const StudyFile& study, const StudyInputs& inputs) {
  const ChangedPlatform& changed = inputs.platforms[point.platform];
  const StudyJobs& jobs = inputs.jobs[point.position(Axis::problem)];
  point.run.problem = {kind_of_jobs, {}};
  point.run.policy = kind_of_jobs;
  point.run.ranks = jobs.ranks;
  point.run.ranks_per_node = 0;  // nodes have different numbers of them
  point.run.threads_per_rank = jobs.threads_per_rank;
  point.nodes = static_cast<int>(jobs.on_nodes.size());
  const int last = jobs.on_nodes.rbegin()->first;
  if (last >= changed.hosts)
    throw InputError("", fmt::format("node {}, and {} has {}, counted from 0", last, changed.platform.name,
                                     format_count(changed.hosts, "host")));
  for (const auto& [node, ranks] : jobs.on_nodes)
    check_cores(node, ranks, jobs.threads_per_rank, study, changed);
}

/// Ranks that fill this many nodes: as many on each as are given, or as the node has cores for.
std::int64_t ranks_on(std::int64_t nodes, const std::optional<int>& ranks_per_node, const problem::Room& room,
                      const StudyPoint& point, const ChangedPlatform& changed) {
  if (!room.nodes_of_ranks.empty())
    throw InputError(
        "", fmt::format("{} full nodes, and a rankfile gives each rank its node. Give ranks", nodes));
  if (!room.empty()) {
    if (nodes > std::ssize(room.most_of_nodes))
      throw InputError("", fmt::format("{} nodes, and {} has {}", nodes, changed.platform.name,
                                       format_count(changed.hosts, "host")));
    return std::accumulate(room.most_of_nodes.begin(), room.most_of_nodes.begin() + nodes, std::int64_t{0});
  }
  const std::optional<int> on_each =
      ranks_per_node ? ranks_per_node : ranks_that_fit(changed.facts, point.run.threads_per_rank);
  if (!on_each)
    throw InputError("", fmt::format("{} full nodes, but {} does not say how many cores a node has. Give "
                                     "ranks_per_node",
                                     nodes, changed.platform.name));
  return nodes * *on_each;
}

/// @throws InputError if the point cannot run
void lay_out(StudyPoint& point, const StudyFile& study, const StudyInputs& inputs) {
  const std::optional<int> ranks_per_node = study.ranks_per_node[point.position(Axis::ranks_per_node)];
  const std::int64_t given = study.ranks[point.position(Axis::ranks)];
  const ChangedPlatform& changed = inputs.platforms[point.platform];
  problem::Room room = room_of(point, study, changed);
  const std::int64_t ranks = study.counts_nodes && given <= problem::most_ranks
                                 ? ranks_on(given, ranks_per_node, room, point, changed)
                                 : given;
  if (ranks > problem::most_ranks)
    throw InputError("", fmt::format("{} {} (at most {} ranks)", given,
                                     study.counts_nodes ? "nodes" : "ranks", problem::most_ranks));
  point.run.ranks = static_cast<int>(ranks);
  point.run.ranks_per_node =
      ranks_per_node
          ? *ranks_per_node
          : std::min(point.run.ranks,
                     ranks_that_fit(changed.facts, point.run.threads_per_rank).value_or(point.run.ranks));
  point.run.problem = inputs.problems[point.position(Axis::problem)]->problem(
      point.run.ranks, study.settings[point.position(Axis::settings)]);
  take_room(point, std::move(room));
  if (!point.room.empty() && policy::policy(point.run).looks_at_nodes())
    throw InputError("",
                     fmt::format("{} takes nodes that hold equally many ranks, those of {} do not, and no "
                                 "ranks_per_node",
                                 point.run.policy, changed.platform.name));
  check_nodes(point, study, changed);
  check_memory(point, changed.platform);
}

}  // namespace

problem::Placement placement_of(const StudyPoint& point, const std::function<graph::RankGraph()>& graph,
                                const graph::HopsOf& hops_of) {
  if (!point.room.empty()) return graph::placement_by(point.placement, point.run.ranks, point.room);
  return graph::placement_by(point.placement, point.run.ranks, point.run.ranks_per_node, graph, hops_of);
}

std::vector<StudyPoint> points_of(const StudyFile& study, const StudyInputs& inputs) {
  std::vector<StudyPoint> points(static_cast<std::size_t>(study.points()));
  for (std::size_t i = 0; i < points.size(); ++i) {
    StudyPoint& point = points[i];
    point.number = static_cast<std::int64_t>(i);
    point.positions = positions_of(study, point.number);
    point.platform = point.position(Axis::platform) * study.changes.size() + point.position(Axis::set);
    point.placement = study.placements[point.position(Axis::placement)];
    const policy::Variant& variant = study.variants[point.position(Axis::policy)];
    point.run = {.problem = {study.pattern, {}},
                 .policy = variant.policy,
                 .policy_settings = variant.settings,
                 .transfer = variant.transfer,
                 .completion = variant.completion,
                 .ranks = 0,
                 .threads_per_rank = study.threads_per_rank,
                 .iterations = study.iterations};
    point.collective = study.collectives[point.position(Axis::collective)];
    point.compute_scale = study.compute_scale.of_others;
    try {
      if (study.is_of_jobs()) {
        lay_out_jobs(point, study, inputs);
      } else if (study.is_of_programs()) {
        lay_out_program(point, study, inputs);
      } else {
        lay_out(point, study, inputs);
      }
    } catch (const InputError& error) {
      point.infeasible = error.what();
    }
    if (!study.is_of_jobs() && point.run.ranks > 0 && (point.room.empty() || point.infeasible.empty()))
      point.nodes = filled(point).nodes();
  }
  return points;
}

}  // namespace finegrain::study
