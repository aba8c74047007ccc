// SPDX-License-Identifier: MIT
#include <algorithm>
#include <catch2/catch.hpp>

#include "kernels/problem/placement.hpp"
#include "kernels/problem/spmv_problem.hpp"
#include "sim/validation/experiment.hpp"

using namespace finegrain;
using namespace finegrain::problem;
using namespace finegrain::validation;

namespace {

std::int64_t count(const PublishedExperiments& table, Standing standing) {
  return std::ranges::count(table.experiments, standing, &Experiment::standing);
}

}  // namespace

TEST_CASE("experiments: what is fitted on, and what scores, parts at 2 nodes") {
  for (const PublishedExperiments& table : {heat_table_5(), heat_table_iv(), spmv_table_4()}) {
    for (const Experiment& experiment : table.experiments) {
      const int nodes = Placement(experiment.run.ranks, experiment.run.ranks_per_node).nodes();
      if (experiment.standing == Standing::scored) CHECK(nodes > 2);
      if (experiment.standing == Standing::calibration) CHECK(nodes <= 2);
    }
  }
}

TEST_CASE("experiments: 8 halo times and 15 SpMV times score") {
  CHECK(count(heat_table_5(), Standing::scored) == 2 * 8);
  CHECK(count(spmv_table_4(), Standing::scored) == 3 * 5);
}

TEST_CASE("experiments: of Table IV only the 0.52 s is excluded") {
  const PublishedExperiments table = heat_table_iv();
  REQUIRE(count(table, Standing::excluded) == 1);
  const auto excluded = std::ranges::find(table.experiments, Standing::excluded, &Experiment::standing);
  CHECK(excluded->measured_s == 0.52);
  CHECK(excluded->run.ranks == 1024);
}

TEST_CASE("experiments: what needs a BLOCKSIZE that nobody printed enters no score") {
  for (const PublishedExperiments& table :
       {spmv_table_3(2), spmv_table_3(3), spmv_table_i(), spmv_table_iii()}) {
    CHECK(count(table, Standing::input_assumed) == std::ssize(table.experiments));
    CHECK(std::ranges::all_of(table.experiments, [](const Experiment& one) {
      return std::ranges::find(one.block_sizes, SpmvProblem::of(one.run.problem).block_size) !=
             one.block_sizes.end();
    }));
  }
}

TEST_CASE("experiments: the usual BLOCKSIZE is Table 4's on every number of ranks") {
  for (const Experiment& experiment : spmv_table_4().experiments) {
    const auto& problem = SpmvProblem::of(experiment.run.problem);
    CHECK(usual_block_size(problem.rows, experiment.run.ranks) == problem.block_size);
  }
}

TEST_CASE("experiments: 6.22 GFLOPS are 34 flop a row in 37.2 ms") {
  const Experiment first = spmv_table_i().experiments.front();
  CHECK(first.measured_s == Approx(1000 * 34 * 6810586. / 6.22e9));
}
