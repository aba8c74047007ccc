// SPDX-License-Identifier: MIT
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <string_view>

#include "kernels/problem/placement.hpp"
#include "kernels/problem/spmv_problem.hpp"
#include "sim/model/published.hpp"
#include "sim/validation/experiment.hpp"

using namespace finegrain;
using namespace finegrain::model;
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

TEST_CASE("experiments: naive is fitted on 1 and 16 ranks, and scores on 2, 4 and 8") {
  const PublishedExperiments table = spmv_table_2();
  CHECK(count(table, Standing::scored) == 3);
  CHECK(count(table, Standing::calibration) == 5 + 2);
  for (const Experiment& experiment : table.experiments)
    if (experiment.standing == Standing::scored) CHECK(experiment.column == "naive");
}

TEST_CASE("experiments: Table IV's UPC column is Table 5's sum again, but for a slip, and is excluded") {
  const PublishedExperiments table = heat_table_iv();
  CHECK(count(table, Standing::excluded) == 6 + 1);
  for (const Experiment& experiment : table.experiments) {
    if (experiment.standing != Standing::excluded) continue;
    if (experiment.column == "UPC++") {
      CHECK(experiment.measured_s == 0.52);
      CHECK(experiment.run.ranks == 1024);
      continue;
    }
    double sum_s = 0;
    for (const Experiment& part : heat_table_5().experiments)
      if (part.run.problem == experiment.run.problem) sum_s += part.measured_s;
    const double slip_s = experiment.run.ranks == 32 ? 3 : 0;
    CHECK(experiment.measured_s == Approx(sum_s + slip_s).margin(0.0101));
  }
}

TEST_CASE(
    "experiments: Table I's UPC version 1 is the prediction of Table 4, cut to two decimals, and excluded") {
  const PublishedExperiments table = spmv_table_i();
  const NumberTable printed = published_table("spmv_upcxx_abel_gflops");
  std::size_t found = 0;
  for (const PublishedSpmv& row : published_spmv()) {
    const double gflops =
        1e-9 * published_iterations * 34 * static_cast<double>(published_spmv_rows) / row.block.predicted_s;
    for (std::size_t line = 0; line < printed.rows.size(); ++line) {
      if (static_cast<int>(printed.at(line, "threads")) != row.ranks) continue;
      ++found;
      CHECK(printed.at(line, "upc_block") == Approx(std::floor(100 * gflops) / 100));
    }
  }
  CHECK(found == printed.rows.size());
  CHECK(count(table, Standing::excluded) == std::ssize(printed.rows));
  for (const Experiment& experiment : table.experiments)
    CHECK((experiment.standing == Standing::excluded) == (experiment.column == "upc_block"));
}

TEST_CASE("experiments: Table II's speed-ups are Table I's ratios, but for two in the wrong order") {
  const NumberTable gflops = published_table("spmv_upcxx_abel_gflops");
  const NumberTable speedups = published_table("spmv_upcxx_abel_speedup");
  for (const char* column : {"upc_block", "upc_condensed", "upcxx_block", "upcxx_condensed"}) {
    for (std::size_t row = 0; row < speedups.rows.size(); ++row) {
      const bool is_exchanged = column == std::string_view("upcxx_condensed") && (row == 2 || row == 3);
      const double printed = speedups.at(is_exchanged ? 5 - row : row, column);
      CHECK(printed == Approx(gflops.at(row + 1, column) / gflops.at(row, column)).margin(0.0151));
    }
  }
}

TEST_CASE("experiments: what needs a BLOCKSIZE that nobody printed enters no score") {
  for (const PublishedExperiments& table : {spmv_table_3(2), spmv_table_3(3), spmv_table_i()}) {
    CHECK(count(table, Standing::input_assumed) + count(table, Standing::excluded) ==
          std::ssize(table.experiments));
    CHECK(std::ranges::all_of(table.experiments, [](const Experiment& one) {
      return std::ranges::find(one.block_sizes, SpmvProblem::of(one.run.problem).block_size) !=
             one.block_sizes.end();
    }));
  }
}

TEST_CASE(
    "experiments: the Xeon Phi scores on 32 and 68 ranks, and is fitted to the condensed cells on others") {
  const PublishedExperiments table = spmv_table_iii();
  CHECK(count(table, Standing::scored) == 2 * 4);
  CHECK(count(table, Standing::calibration) == 3 * 2);
  for (const Experiment& experiment : table.experiments) {
    const bool scores = experiment.run.ranks == 32 || experiment.run.ranks == 68;
    CHECK((experiment.standing == Standing::scored) == scores);
    CHECK((experiment.standing == Standing::calibration) ==
          (!scores && experiment.run.policy == "condensed"));
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
