// SPDX-License-Identifier: MIT
#include "sim/model/validation.hpp"

#include <fmt/format.h>

#include <cassert>
#include <cmath>

#include "sim/model/nodes.hpp"
#include "sim/model/predict.hpp"
#include "sim/schedule/counts.hpp"

namespace finegrain {
namespace {

HeatCheck heat_check(const HeatProblem& problem, bool halo, const PublishedTime& published, double step_s) {
  const double time_s = published_iterations * step_s;
  const bool agrees = fmt::format("{:.2f}", time_s) == fmt::format("{:.2f}", published.predicted_s);
  return {problem, halo, published, time_s, agrees};
}

}  // namespace

std::vector<HeatCheck> check_heat(ClosedForm form) {
  std::vector<HeatCheck> checks;
  for (const PublishedHeat& row : published_heat()) {
    const Run run{.problem = row.problem,
                  .policy = Policy::condensed,
                  .transfer = Transfer::get,
                  .completion = Completion::each,
                  .ranks = row.problem.mprocs * row.problem.nprocs,
                  .ranks_per_node = published_ranks_per_node};
    const Prediction prediction = predict_heat(run, published_abel(), form);
    checks.push_back(heat_check(row.problem, true, row.halo, slowest(prediction.nodes).time_s));
    checks.push_back(
        heat_check(row.problem, false, row.compute, phase_time_s(prediction, PhaseKind::compute).value()));
  }
  return checks;
}

std::vector<SpmvCheck> check_spmv(const EllpackView& matrix, ClosedForm form) {
  assert(matrix.rows == published_spmv_rows);
  const std::vector<PublishedSpmv> rows = published_spmv();
  std::vector<Layout> layouts;
  for (const PublishedSpmv& row : rows) {
    layouts.push_back({Distribution(matrix.rows, row.ranks, row.block_size),
                       Placement(row.ranks, published_ranks_per_node)});
  }
  const auto counts = count_accesses(matrix, layouts);
  std::vector<SpmvCheck> checks;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const PublishedSpmv& row = rows[i];
    const auto check = [&](Policy policy, const PublishedTime& published) {
      const Run run{.problem = SpmvProblem{"", "", matrix.rows, matrix.r_nz, row.block_size},
                    .policy = policy,
                    .transfer = policy == Policy::condensed ? Transfer::put : Transfer::get,
                    .completion = Completion::each,
                    .ranks = row.ranks,
                    .ranks_per_node = published_ranks_per_node};
      const double iteration_s = predict(run, counts[i], published_abel(), form).total_s;
      checks.push_back({row.ranks, row.block_size, policy, published, published_iterations * iteration_s});
    };
    check(Policy::individual, row.individual);
    check(Policy::block, row.block);
    check(Policy::condensed, row.condensed);
  }
  return checks;
}

double rms_log_ratio(std::span<const SpmvCheck> checks) {
  double sum = 0;
  for (const SpmvCheck& check : checks)
    sum += std::pow(std::log(check.ratio()), 2);
  return std::sqrt(sum / static_cast<double>(checks.size()));
}

}  // namespace finegrain
