// SPDX-License-Identifier: MIT
#include "sim/study/points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/problem/distribution.hpp"
#include "kernels/problem/heat_grid.hpp"
#include "kernels/problem/placement.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain {
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

/// The largest divisor of `ranks` that is no larger than its square root: the parts of the heat grid are as
/// square as they can be, and no fewer across than down.
int ranks_down(int ranks) {
  int divisor = static_cast<int>(std::sqrt(static_cast<double>(ranks)));
  while (ranks % divisor != 0)
    --divisor;
  return divisor;
}

SpmvProblem spmv_of(const MatrixFile& matrix, int ranks, std::optional<std::int64_t> block_size) {
  const std::int64_t rows = matrix.view().rows;
  const Distribution distribution(rows, ranks, block_size.value_or(one_block_per_rank(rows, ranks)));
  return {matrix.name(), matrix.digest(), rows, matrix.view().r_nz, distribution.block_size()};
}

HeatProblem heat_of(const std::string& problem, int ranks) {
  const GridSize size = parse_grid(problem, "heat");
  const int mprocs = ranks_down(ranks);
  const HeatGrid grid(size.rows, size.columns, mprocs, ranks / mprocs);
  return {grid.rows(), grid.columns(), grid.mprocs(), grid.nprocs()};
}

/// @throws InputError if the point cannot run
void lay_out(StudyPoint& point, const StudyFile& study, const StudyInputs& inputs) {
  const std::optional<int> ranks_per_node = study.ranks_per_node[point.position(Axis::ranks_per_node)];
  const std::int64_t given = study.ranks[point.position(Axis::ranks)];
  const std::int64_t ranks = study.counts_nodes && given <= most_ranks ? given * *ranks_per_node : given;
  if (ranks > most_ranks)
    throw InputError(
        fmt::format("{} {} (at most {} ranks)", given, study.counts_nodes ? "nodes" : "ranks", most_ranks));
  point.run.ranks = static_cast<int>(ranks);
  const StudyMachine& machine = inputs.machines[point.machine];
  point.run.ranks_per_node =
      ranks_per_node
          ? *ranks_per_node
          : std::min(point.run.ranks,
                     ranks_that_fit(machine.facts, point.run.threads_per_rank).value_or(point.run.ranks));
  const std::size_t problem = point.position(Axis::problem);
  if (study.heat) {
    point.run.problem = heat_of(study.problems[problem], point.run.ranks);
  } else {
    point.run.problem = spmv_of(inputs.matrices[problem], point.run.ranks,
                                study.block_sizes[point.position(Axis::block_size)]);
  }
  const int nodes = Placement(point.run.ranks, point.run.ranks_per_node).nodes();
  if (nodes > machine.hosts)
    throw InputError(
        fmt::format("{} nodes, and {} has {} hosts", nodes, machine.platform.name, machine.hosts));
  const std::string too_many = oversubscription(
      machine.facts, std::min(point.run.ranks, point.run.ranks_per_node), point.run.threads_per_rank);
  if (!too_many.empty() && !study.oversubscribe)
    throw InputError(fmt::format("{} ({}), and no oversubscribe = true", too_many, machine.platform.name));
}

}  // namespace

std::vector<StudyPoint> points_of(const StudyFile& study, const StudyInputs& inputs) {
  std::vector<StudyPoint> points(static_cast<std::size_t>(study.points()));
  for (std::size_t i = 0; i < points.size(); ++i) {
    StudyPoint& point = points[i];
    point.number = static_cast<std::int64_t>(i);
    point.positions = positions_of(study, point.number);
    point.machine = point.position(Axis::platform) * study.changes.size() + point.position(Axis::set);
    point.placement = study.placements[point.position(Axis::placement)];
    const Program& program = study.programs[point.position(Axis::policy)];
    point.run = {.problem = {},
                 .policy = program.policy,
                 .transfer = program.transfer,
                 .completion = program.completion,
                 .ranks = 0,
                 .threads_per_rank = study.threads_per_rank,
                 .iterations = study.iterations};
    try {
      lay_out(point, study, inputs);
    } catch (const InputError& error) {
      point.infeasible = error.what();
    }
  }
  return points;
}

}  // namespace finegrain
