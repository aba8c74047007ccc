// SPDX-License-Identifier: MIT
#include "sim/validation/block_size_sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "kernels/problem/distribution.hpp"
#include "kernels/problem/spmv_problem.hpp"
#include "sim/model/hardware.hpp"
#include "sim/model/published.hpp"
#include "sim/pattern/memory_bytes.hpp"
#include "sim/pattern/on_threads.hpp"
#include "sim/pattern/spmv_pattern.hpp"
#include "sim/policy/closed_form.hpp"
#include "sim/policy/policy.hpp"

namespace finegrain::validation {
namespace {

constexpr std::int64_t least_block_size = 1024;
constexpr std::int64_t most_block_size = 524288;

/// The GFLOPS of an iteration: 2 flop an off-diagonal entry and 2 for the diagonal of a row.
double gflops_of(double iteration_s) {
  return (2 * model::published_spmv_r_nz + 2) * static_cast<double>(model::published_spmv_rows) /
         iteration_s / 1e9;
}

std::vector<Run> runs_of_sweep() {
  std::vector<Run> runs;
  for (const int ranks : {64, 128}) {
    for (std::int64_t block_size = least_block_size; block_size <= most_block_size; block_size *= 2) {
      runs.push_back({.problem = problem::SpmvProblem{"", "", model::published_spmv_rows,
                                                      model::published_spmv_r_nz, block_size},
                      .policy = "condensed",
                      .transfer = Transfer::put,
                      .completion = Completion::together,
                      .ranks = ranks,
                      .ranks_per_node = model::published_ranks_per_node,
                      .iterations = model::published_iterations});
    }
  }
  return runs;
}

SweptRun facts_of(const Run& run) {
  const auto spmv = problem::SpmvProblem::of(run.problem);
  const problem::Distribution distribution(spmv.rows, run.ranks, spmv.block_size);
  SweptRun swept{.ranks = run.ranks, .block_size = spmv.block_size, .blocks = distribution.blocks()};
  for (int rank = 0; rank < run.ranks; ++rank)
    swept.largest_rows = std::max(swept.largest_rows, distribution.elements_of(rank));
  return swept;
}

const SweptRun& run_of(const std::vector<SweptRun>& runs, int ranks, std::int64_t block_size) {
  const auto found = std::ranges::find_if(
      runs, [&](const SweptRun& run) { return run.ranks == ranks && run.block_size == block_size; });
  assert(found != runs.end());
  return *found;
}

}  // namespace

const std::vector<SweepClaim>& sweep_claims() {
  static const std::vector<SweepClaim> claims{
      {"128 ranks: 65536 gives slightly more than 50 GFLOPS", 128, 65536, true, {}, 50},
      {"128 ranks: 524288 gives slightly less than 10 GFLOPS", 128, 524288, false, {}, 10},
      {"64 ranks: 8192 is better than 1024", 64, 8192, true, 1024},
      {"64 ranks: above 8192 (here 65536) is worse", 64, 65536, false, 8192},
  };
  return claims;
}

bool holds(const SweepClaim& claim, const std::vector<SweptRun>& runs, double SweptRun::*gflops) {
  const double said = run_of(runs, claim.ranks, claim.block_size).*gflops;
  const double than =
      claim.than_block_size ? run_of(runs, claim.ranks, *claim.than_block_size).*gflops : claim.than_gflops;
  return claim.is_more ? said > than : said < than;
}

std::vector<SweptRun> sweep_block_sizes(const problem::EllpackView& matrix,
                                        const platform::Platform& platform, int processes,
                                        const OnSimulated& on_simulated) {
  const std::vector<Run> runs = runs_of_sweep();
  std::vector<problem::Placement> placements;
  for (const Run& run : runs)
    placements.emplace_back(run.ranks, run.ranks_per_node);
  const auto pattern = pattern::spmv_of(matrix);
  const auto counts = pattern->counts(runs, placements, pattern::all_cores());
  std::vector<Schedule> schedules;
  for (std::size_t i = 0; i < runs.size(); ++i)
    schedules.push_back(policy::make_schedule(*pattern, runs[i], counts[i]));
  std::vector<replay::ReplayJob> jobs;
  for (const Schedule& schedule : schedules)
    jobs.push_back({&schedule, &platform});
  const auto simulated = replay_all(jobs, processes, {}, on_simulated);

  std::vector<SweptRun> swept;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    SweptRun& run = swept.emplace_back(facts_of(runs[i]));
    run.simulated_gflops = gflops_of(simulated[i].total_s / static_cast<double>(runs[i].iterations));
    run.closed_form_gflops =
        gflops_of(policy::predict(runs[i], counts[i], model::published_abel()).value().total_s);
    const double bytes =
        static_cast<double>(pattern::spmv_compute_bytes(run.largest_rows, model::published_spmv_r_nz) +
                            pattern::copy_bytes(run.largest_rows));
    run.bound_gflops = gflops_of(
        bytes / private_bandwidth_bytes_per_s(model::published_abel(), model::published_ranks_per_node, 1));
  }
  return swept;
}

std::vector<output::Table> sweep_as_tables(const std::vector<SweptRun>& runs) {
  output::Table table;
  table.name = "blocksizes";
  table.title = "BLOCKSIZE sweep: SpMV in UPC++ version 2 on Abel (Figure 1 of the thesis, Paper III)";
  table.columns = {{"ranks", "ranks"},
                   {"blocksize", "BLOCKSIZE"},
                   {"blocks", "blocks"},
                   {"idle_ranks", "ranks without a block"},
                   {"largest_rows", "rows of the largest rank"},
                   {"bound_gflops", "no faster than", 1},
                   {"closed_form_gflops", "closed f.", 1},
                   {"simulated_gflops", "simulated", 1}};
  for (const SweptRun& run : runs)
    table.rows.push_back({std::int64_t{run.ranks}, run.block_size, run.blocks, run.idle_ranks(),
                          run.largest_rows, run.bound_gflops, run.closed_form_gflops, run.simulated_gflops});
  const SweptRun& collapsed = run_of(runs, 128, most_block_size);
  const double loses =
      private_bandwidth_bytes_per_s(model::published_abel(), model::published_ranks_per_node, 1);
  table.notes = {
      "All in GFLOPS, 34 n flop per iteration. Nothing in this table is fitted to the figure. The mesh is a "
      "stand-in, in the order SBD.",
      fmt::format("No faster than: the limit given by what the rank with the most rows computes (eq. 7) and "
                  "copies (eq. 14), at {:.3f} GB/s, if messages took no time.",
                  loses / 1e9),
      fmt::format("Why 524288 collapses on 128 ranks: there are {} blocks, on {} ranks of one node; the "
                  "other {} have none. Each of the {} multiplies {} rows, {:.1f} times n / 128, so the run "
                  "cannot exceed {:.1f} GFLOPS on any network.",
                  collapsed.blocks, collapsed.blocks, collapsed.idle_ranks(), collapsed.blocks,
                  collapsed.largest_rows,
                  static_cast<double>(collapsed.largest_rows) * collapsed.ranks /
                      static_cast<double>(model::published_spmv_rows),
                  collapsed.bound_gflops)};

  output::Table claims;
  claims.name = "claims";
  claims.title = "What the thesis says of its Figure 1";
  claims.columns = {{"claim", "claim"}, {"closed_form", "closed form"}, {"simulated", "simulated"}};
  const auto verdict = [&](const SweepClaim& claim, double SweptRun::*gflops) {
    return std::string(holds(claim, runs, gflops) ? "pass" : "fail");
  };
  for (const SweepClaim& claim : sweep_claims())
    claims.rows.push_back({std::string(claim.text), verdict(claim, &SweptRun::closed_form_gflops),
                           verdict(claim, &SweptRun::simulated_gflops)});
  claims.notes = {
      "The figure has no readable numbers; the claims are from its text. Each is tested as an inequality: "
      "more than 50, less than 10, more, less. All four are predictions."};
  return {table, claims};
}

}  // namespace finegrain::validation
