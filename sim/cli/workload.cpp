// SPDX-License-Identifier: MIT
#include "sim/cli/workload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "kernels/problem/distribution.hpp"
#include "kernels/problem/heat_grid.hpp"
#include "sim/model/closed_form.hpp"
#include "sim/platform/platform_facts.hpp"
#include "sim/schedule/policies.hpp"
#include "sim/schedule/programs.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain {
namespace {

/// As many as fit on a node of every platform; all, where none says its cores.
int default_ranks_per_node(const WorkloadOptions& options, int ranks, std::span<const Platform> platforms) {
  for (const Platform& platform : platforms)
    ranks = std::min(ranks,
                     ranks_that_fit(platform_facts(platform.file), options.threads_per_rank).value_or(ranks));
  return ranks;
}

/// "64 ranks x 1 threads on a node, which has 16 cores (abel)", for each that differs.
std::vector<std::string> oversubscriptions(std::span<const Run> runs, std::span<const Platform> platforms) {
  std::vector<std::string> found;
  for (const Platform& platform : platforms) {
    const PlatformFacts facts = platform_facts(platform.file);
    for (const Run& run : runs) {
      const std::string what =
          oversubscription(facts, std::min(run.ranks, run.ranks_per_node), run.threads_per_rank);
      if (what.empty()) continue;
      const std::string on = fmt::format("{} ({})", what, platform.name);
      if (std::ranges::find(found, on) == found.end()) found.push_back(on);
    }
  }
  return found;
}

Run run_of(const WorkloadOptions& options, const std::variant<SpmvProblem, HeatProblem>& problem, int ranks,
           std::span<const Platform> platforms) {
  const Program program =
      program_of(options.program, options.heat.empty() ? spmv_programs() : heat_programs());
  Run run{.problem = problem,
          .policy = program.policy,
          .transfer = program.transfer,
          .completion = program.completion,
          .ranks = ranks,
          .ranks_per_node = options.ranks_per_node ? *options.ranks_per_node
                                                   : default_ranks_per_node(options, ranks, platforms),
          .threads_per_rank = options.threads_per_rank,
          .iterations = options.iterations};
  check_program(run);
  return run;
}

}  // namespace

CLI::Range at_least_one() {
  return {1, 1'000'000'000};
}

CLI::Validator number_between(double least, double most) {
  return {[least, most](const std::string& text) {
            double value = 0;
            if (CLI::detail::lexical_cast(text, value) && value >= least && value <= most)
              return std::string();
            return fmt::format("{} is not a number between {} and {}", text, least, most);
          },
          fmt::format("NUMBER in [{} - {}]", least, most)};
}

void add_workload_options(CLI::App& command, WorkloadOptions& options) {
  CLI::Option* matrix = command.add_option("--matrix", options.matrix, "Matrix file (see finegrain mesh)");
  CLI::Option* heat =
      command.add_option("--heat", options.heat, "Instead: the 2D heat solver on ROWSxCOLUMNS points")
          ->excludes(matrix);
  command.add_option("--mprocs", options.mprocs, "Heat: ranks down the grid")->needs(heat);
  command.add_option("--nprocs", options.nprocs, "Heat: ranks across the grid")->needs(heat);
  add_program_options(command, options.program);
  command
      .add_option("--update", options.update,
                  "Heat: old and new points change places (swap), or are copied (copy, Listing 8)")
      ->check(CLI::IsMember({"swap", "copy"}))
      ->needs(heat)
      ->capture_default_str();
  command.add_option("--ranks", options.ranks, "Numbers of ranks, e.g. 16,32,64")
      ->delimiter(',')
      ->excludes(heat);
  command.add_option("--ranks-per-node", options.ranks_per_node,
                     "Ranks on each node. Default: as many as a node of the platform has cores for (see "
                     "--threads); without a platform, all on one node");
  command
      .add_option("--placement", options.placement,
                  "How ranks come to nodes: block (one node after the other is filled), cyclic (dealt out), "
                  "communication (together what exchanges most; see finegrain graph)")
      ->check(CLI::IsMember({"block", "cyclic", "communication"}))
      ->capture_default_str();
  command.add_option("--threads", options.threads_per_rank, "OpenMP threads a rank")
      ->check(at_least_one())
      ->capture_default_str();
  command
      .add_option("--blocksize", options.block_size,
                  "Consecutive rows with one owner. Default: one block a rank")
      ->excludes(heat);
}

Workload::Workload(const WorkloadOptions& options, std::span<const Platform> platforms)
    : placement_rule_(placement_rule(options)) {
  if (!options.heat.empty()) {
    const GridSize size = parse_grid(options.heat, "--heat");
    const HeatProblem heat{size.rows, size.columns, options.mprocs, options.nprocs,
                           options.update == "copy" ? HeatUpdate::copy : HeatUpdate::swap};
    const HeatGrid grid(heat.rows, heat.columns, heat.mprocs, heat.nprocs);
    runs_.push_back(run_of(options, heat, grid.ranks(), platforms));
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
    const SpmvProblem problem{matrix_->name(), matrix_->digest(), rows, matrix_->view().r_nz,
                              distribution.block_size()};
    runs_.push_back(run_of(options, problem, ranks, platforms));
  }
}

Schedule Workload::schedule(const Run& run) const {
  return matrix_ ? spmv_schedule(matrix_->view(), run) : heat_schedule(run);
}

Schedule Workload::schedule(const Run& run, std::span<const RankCounts> counts) const {
  return matrix_ ? spmv_schedule(matrix_->view(), run, counts) : heat_schedule(run);
}

std::vector<std::vector<RankCounts>> Workload::counts() const {
  if (!matrix_) return std::vector<std::vector<RankCounts>>(runs_.size());
  std::vector<Layout> layouts;
  for (const Run& run : runs_)
    layouts.push_back(layout_of(run));
  return count_accesses(matrix_->view(), layouts);
}

Placement Workload::place(const Run& run, std::vector<RankCounts>& counts) const {
  const Placement placement = placement_by(placement_rule_, run.ranks, run.ranks_per_node, [&] {
    return matrix_ ? rank_graph(counts, run.policy) : rank_graph(heat_schedule(run));
  });
  if (placement_rule_ != PlacementRule::block) finegrain::place(counts, placement);
  return placement;
}

Placement Workload::placement(const Schedule& schedule) const {
  return placement_by(placement_rule_, schedule);
}

PlacementRule placement_rule(const WorkloadOptions& options) {
  return parse_placement_rule(options.placement, "--placement");
}

std::vector<std::string> placement_notes(const WorkloadOptions& options) {
  if (placement_rule(options) == PlacementRule::block) return {};
  return {fmt::format("Ranks on nodes: {}.", options.placement)};
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

std::vector<std::string> closed_form_gaps(const Run& run) {
  std::vector<std::string> gaps;
  if (!has_closed_form(run)) gaps.emplace_back("closed form: there is none of policy naive (docs/model.md)");
  if (run.completion == Completion::overlapped)
    gaps.emplace_back("closed form: knows no overlap; of the same messages, not overlapped");
  if (run.policy == Policy::block && run.transfer == Transfer::put)
    gaps.emplace_back("closed form: the paper has no puts of blocks; eqs. (11), (17), of the blocks put");
  return gaps;
}

void add_platform_options(CLI::App& command, PlatformOptions& options) {
  command.add_option("--platform", options.files, "SimGrid platform files, e.g. platforms/abel.xml")
      ->delimiter(',')
      ->required();
  command
      .add_option("--set", options.overrides,
                  "A cost that the file lacks, or that is to win over it, e.g. tau=3.4us (docs/platforms.md)")
      ->allow_extra_args(false);
  command.add_flag("--oversubscribe", options.oversubscribe,
                   "Allow more ranks x threads on a node than the platform has cores, as if each had one");
}

void add_one_flow_per_message(CLI::App& command, ReplayOptions& options) {
  command.add_flag("--one-flow-per-message", options.one_flow_per_message,
                   "Simulate with a SimGrid flow for every message: the reference, slow where many are on "
                   "their way at once (docs/platforms.md)");
}

void add_force(CLI::App& command, bool& force) {
  command.add_flag("--force", force, "Replace a file that finegrain did not write");
}

std::vector<std::filesystem::path> input_files(const WorkloadOptions& workload,
                                               const PlatformOptions& platforms,
                                               const std::vector<std::string>& traces) {
  std::vector<std::filesystem::path> files(platforms.files.begin(), platforms.files.end());
  files.insert(files.end(), traces.begin(), traces.end());
  if (!workload.matrix.empty()) files.emplace_back(workload.matrix);
  return files;
}

std::filesystem::path platforms_folder() {
  const std::filesystem::path installed =
      std::filesystem::read_symlink("/proc/self/exe").parent_path() / "../share/finegrain/platforms";
  return std::filesystem::exists(installed) ? installed.lexically_normal()
                                            : std::filesystem::path(FINEGRAIN_PLATFORMS);
}

std::vector<Platform> read_platforms(const PlatformOptions& options) {
  std::vector<Platform> platforms;
  for (const std::string& file : options.files)
    platforms.push_back(read_platform(file, options.overrides));
  return platforms;
}

void check_cores(std::span<const Run> runs, std::span<const Platform> platforms,
                 const PlatformOptions& options) {
  const std::vector<std::string> found = oversubscriptions(runs, platforms);
  if (found.empty() || options.oversubscribe) return;
  throw InputError(
      fmt::format("--ranks-per-node: {} (each needs one). Give fewer, or --oversubscribe", found.front()));
}

std::vector<std::string> oversubscription_notes(std::span<const Run> runs,
                                                std::span<const Platform> platforms) {
  std::vector<std::string> notes = oversubscriptions(runs, platforms);
  for (std::string& note : notes)
    note = fmt::format("Oversubscribed: {}. Times are as if each had one.", note);
  return notes;
}

}  // namespace finegrain
