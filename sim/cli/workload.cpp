// SPDX-License-Identifier: MIT
#include "sim/cli/workload.hpp"

#include <fmt/format.h>

#include <charconv>

#include "kernels/problem/distribution.hpp"
#include "kernels/problem/heat_grid.hpp"
#include "sim/model/predict.hpp"
#include "sim/schedule/policies.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain {
namespace {

HeatProblem parse_heat(const WorkloadOptions& options) {
  const std::string& text = options.heat;
  HeatProblem heat{.mprocs = options.mprocs, .nprocs = options.nprocs};
  const char* end = text.data() + text.size();
  const auto rows = std::from_chars(text.data(), end, heat.rows);
  if (rows.ec == std::errc() && rows.ptr != end && *rows.ptr == 'x') {
    const auto columns = std::from_chars(rows.ptr + 1, end, heat.columns);
    if (columns.ec == std::errc() && columns.ptr == end) return heat;
  }
  throw InputError(fmt::format("--heat: '{}' is no grid. Give rows x columns, e.g. 20000x20000", text));
}

/// CLI11 has checked that the text is one of the three.
Policy policy_of(const WorkloadOptions& options) {
  if (options.policy == "individual") return Policy::individual;
  return options.policy == "block" ? Policy::block : Policy::condensed;
}

Run run_of(const WorkloadOptions& options, int ranks) {
  const Policy policy = policy_of(options);
  const bool two_sided = options.sides.empty() ? policy == Policy::condensed : options.sides == "two";
  return {.problem = {},
          .policy = policy,
          .sides = two_sided ? Sides::two_sided : Sides::one_sided,
          .ranks = ranks,
          .ranks_per_node = options.ranks_per_node.value_or(ranks),
          .threads_per_rank = options.threads_per_rank,
          .iterations = options.iterations};
}

}  // namespace

CLI::Range at_least_one() {
  return {1, 1'000'000'000};
}

void add_workload_options(CLI::App& command, WorkloadOptions& options) {
  CLI::Option* matrix = command.add_option("--matrix", options.matrix, "Matrix file (see finegrain mesh)");
  CLI::Option* heat =
      command.add_option("--heat", options.heat, "Instead: the 2D heat solver on ROWSxCOLUMNS points")
          ->excludes(matrix);
  command.add_option("--mprocs", options.mprocs, "Heat: ranks down the grid")->needs(heat);
  command.add_option("--nprocs", options.nprocs, "Heat: ranks across the grid")->needs(heat);
  command
      .add_option("--policy", options.policy,
                  "How accesses become messages: individual (UPCv1), block (UPCv2), condensed (UPCv3, MPI)")
      ->check(CLI::IsMember({"individual", "block", "condensed"}))
      ->capture_default_str();
  command
      .add_option("--sides", options.sides,
                  "one: put, get and barriers; two: MPI's send, receive and wait. Default: two where the "
                  "policy has it")
      ->check(CLI::IsMember({"one", "two"}));
  command.add_option("--ranks", options.ranks, "Numbers of ranks, e.g. 16,32,64")
      ->delimiter(',')
      ->excludes(heat);
  command.add_option("--ranks-per-node", options.ranks_per_node,
                     "Ranks on each node. Default: all on one node");
  command.add_option("--threads", options.threads_per_rank, "OpenMP threads a rank")
      ->check(at_least_one())
      ->capture_default_str();
  command
      .add_option("--blocksize", options.block_size,
                  "Consecutive rows with one owner. Default: one block a rank")
      ->excludes(heat);
}

Workload::Workload(const WorkloadOptions& options) {
  if (!options.heat.empty()) {
    if (policy_of(options) != Policy::condensed) {
      throw InputError("--policy: the heat solver's halo exchange is condensed. Leave --policy out");
    }
    const HeatProblem heat = parse_heat(options);
    const HeatGrid grid(heat.rows, heat.columns, heat.mprocs, heat.nprocs);
    Run& run = runs_.emplace_back(run_of(options, grid.ranks()));
    run.problem = heat;
    name_ = options.heat + " points";
    return;
  }
  if (options.matrix.empty())
    throw InputError("--matrix: nothing to run. Give a matrix file, or --heat with a grid");
  if (options.ranks.empty())
    throw InputError("--ranks: how many ranks? Give one number or several, e.g. 16,32,64");
  matrix_.emplace(options.matrix);
  name_ = fmt::format("{} ({})", matrix_->name(), matrix_->description());
  for (const int ranks : options.ranks) {
    const std::int64_t rows = matrix_->view().rows;
    const Distribution distribution(
        rows, ranks, options.block_size.value_or(one_block_per_rank(rows, std::max(1, ranks))));
    Run& run = runs_.emplace_back(run_of(options, ranks));
    run.problem = SpmvProblem{matrix_->name(), matrix_->digest(), rows, matrix_->view().r_nz,
                              distribution.block_size()};
  }
}

Schedule Workload::schedule(const Run& run) const {
  return matrix_ ? spmv_schedule(matrix_->view(), run) : heat_schedule(run);
}

std::vector<RankCounts> Workload::counts(const Run& run) const {
  if (!matrix_) return {};
  const auto& problem = std::get<SpmvProblem>(run.problem);
  return count_accesses(matrix_->view(), Distribution(problem.rows, run.ranks, problem.block_size),
                        Placement(run.ranks, run.ranks_per_node));
}

MatrixFile matrix_of_trace(const std::string& matrix, const std::string& trace, const SpmvProblem& problem) {
  MatrixFile file(matrix);
  if (file.digest() == problem.matrix_digest && file.view().rows == problem.rows &&
      file.view().r_nz == problem.r_nz)
    return file;
  throw InputError(
      fmt::format("--matrix: {} is not the matrix of {} ({} rows, r_nz {}, digest of J {}; recorded: {}, {}, "
                  "{}). Give {}",
                  matrix, trace, file.view().rows, file.view().r_nz, file.digest(), problem.rows,
                  problem.r_nz, problem.matrix_digest, problem.matrix));
}

Prediction predict_run(const Run& run, const std::vector<RankCounts>& counts, const PlatformCosts& costs,
                       ClosedForm form) {
  return std::holds_alternative<SpmvProblem>(run.problem) ? predict(run, counts, costs, form)
                                                          : predict_heat(run, costs, form);
}

void add_platform_options(CLI::App& command, PlatformOptions& options) {
  command.add_option("--platform", options.files, "SimGrid platform files, e.g. platforms/abel.xml")
      ->delimiter(',')
      ->required();
  command
      .add_option("--set", options.overrides,
                  "A cost that the file lacks, or that is to win over it, e.g. tau=3.4us (docs/platforms.md)")
      ->allow_extra_args(false);
}

std::vector<Platform> read_platforms(const PlatformOptions& options) {
  std::vector<Platform> platforms;
  for (const std::string& file : options.files)
    platforms.push_back(read_platform(file, options.overrides));
  return platforms;
}

}  // namespace finegrain
