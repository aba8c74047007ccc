// SPDX-License-Identifier: MIT
#include <cmath>

#include "kernels/problem/heat_problem.hpp"
#include "sim/model/published.hpp"
#include "sim/validation/experiment.hpp"

namespace finegrain::validation {
namespace {

Run heat_run(const problem::HeatProblem& problem, Completion completion) {
  return {.problem = problem,
          .policy = "condensed",
          .transfer = Transfer::get,
          .completion = completion,
          .ranks = problem.mprocs * problem.nprocs,
          .ranks_per_node = model::published_ranks_per_node,
          .iterations = model::published_iterations};
}

Standing standing_on(int ranks) {
  return ranks <= 2 * model::published_ranks_per_node ? Standing::calibration : Standing::scored;
}

}  // namespace

PublishedExperiments heat_table_5() {
  PublishedExperiments table{
      "Table 5",
      "2D heat in UPC on Abel, 1000 steps (Lagravière et al. 2019)",
      "abel_upc.xml",
      {},
      {"halo: the time until a rank has unpacked its halo, including the barrier before; compute: the update "
       "of its points. Neither includes the barrier at the end of a step."}};
  for (const model::PublishedHeat& row : model::published_heat()) {
    const Run run = heat_run(row.problem, Completion::each);
    const auto add = [&](const char* column, Part part, const model::PublishedTime& time) {
      table.experiments.push_back(
          {column, run, part, time.measured_s, time.predicted_s, standing_on(run.ranks), {}});
    };
    add("halo", Part::halo, row.halo);
    add("compute", Part::compute, row.compute);
  }
  return table;
}

PublishedExperiments heat_table_iv() {
  PublishedExperiments table{
      "Table IV",
      "2D heat in UPC and UPC++ on Abel, 20000 x 20000, 1000 steps (thesis, Paper III)",
      "abel_upc.xml",
      {},
      {"The grids of ranks are Table 5's. Input assumed: 32 x 32 at 1024 ranks.",
       "Excluded: UPC on 16 to 512 ranks. It equals Table 5's halo + compute within 0.01 s: the same "
       "measurement, which is scored there. On 32 ranks 64.99 is printed, but that sum is 61.99: probably "
       "one digit is a misprint.",
       "Excluded: UPC++ on 1024 ranks, 0.52 s. The update of the points alone takes 1.91 s (eq. 22), so it "
       "cannot be a full run."}};
  const model::NumberTable printed = model::published_table("heat_upcxx_abel");
  for (std::size_t row = 0; row < printed.rows.size(); ++row) {
    const int ranks = static_cast<int>(printed.at(row, "threads"));
    // 4 x 4, 4 x 8, 8 x 8, ...: mprocs is the largest power of two whose square is at most the ranks.
    const int mprocs = 1 << static_cast<int>(std::log2(ranks) / 2);
    const problem::HeatProblem problem{20000, 20000, mprocs, ranks / mprocs};
    const auto add = [&](const char* column, Completion completion, double measured_s, Standing standing) {
      table.experiments.push_back(
          {column, heat_run(problem, completion), Part::total, measured_s, {}, standing, {}});
    };
    add("UPC", Completion::each, printed.at(row, "upc_s"),
        ranks == 1024 ? Standing::input_assumed : Standing::excluded);
    add("UPC++", Completion::together, printed.at(row, "upcxx_s"),
        ranks == 1024 ? Standing::excluded : standing_on(ranks));
  }
  return table;
}

}  // namespace finegrain::validation
