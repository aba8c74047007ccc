// SPDX-License-Identifier: MIT
#include <fmt/core.h>
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "kernels/problem/distribution.hpp"
#include "kernels/problem/heat_grid.hpp"
#include "kernels/problem/matrix_file.hpp"
#include "sim/cli/commands.hpp"
#include "sim/cli/kernel_program.hpp"
#include "sim/cli/mpirun.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/workload.hpp"
#include "sim/schedule/idle_ranks.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"

namespace finegrain {
namespace {

struct Options {
  std::optional<int> ranks;
  int threads_per_rank = 1;
  std::optional<int> ranks_per_node;
  std::int64_t iterations = 10;
  int warmup_iterations = 2;
  std::string out;
  bool force = false;
  std::string format = "table";
  std::string resolution = "1ns";
  bool no_check = false;
  bool dry_run = false;
  std::string launcher;
  ProgramOptions program;
  std::string update = "swap";
  std::string matrix;
  std::optional<std::int64_t> block_size;
  std::string grid;
  std::optional<int> mprocs;
  std::optional<int> nprocs;
};

/// A kernel's own flags: what was given here is given to it.
class Arguments {
 public:
  template <class Value>
  void add(const char* flag, const Value& value) {
    words_.insert(words_.end(), {flag, fmt::format("{}", value)});
  }
  template <class Value>
  void add(const char* flag, const std::optional<Value>& value) {
    if (value) add(flag, *value);
  }
  void add(const char* flag) { words_.emplace_back(flag); }
  std::vector<std::string> words() && { return std::move(words_); }

 private:
  std::vector<std::string> words_;
};

std::string shared_heap_variable(std::int64_t size_bytes) {
  return fmt::format("UPCXX_SHARED_HEAP_SIZE={}MB", (size_bytes >> 20) + 1);
}

std::int64_t resolution_ns(const Options& options) {
  const double nanoseconds = std::round(1e9 * parse_time_s(options.resolution, "--resolution"));
  if (nanoseconds < 1 || nanoseconds > 1e9) {
    throw InputError(
        fmt::format("--resolution: {} is not between 1ns and 1s. Give e.g. 1us", options.resolution));
  }
  return static_cast<std::int64_t>(nanoseconds);
}

Launcher launcher_of(const Options& options, bool is_upcxx) {
  if (options.launcher == "srun") return Launcher::srun;
  if (options.launcher == "upcxx-run") {
    if (!is_upcxx)
      throw InputError(
          "--launcher: upcxx-run starts no MPI program, which two-sided ones are. Leave it out, or name "
          "mpirun or srun");
    return Launcher::upcxx_run;
  }
  if (options.launcher == "mpirun") return Launcher::mpirun;
  return is_upcxx ? usual_upcxx_launcher() : Launcher::mpirun;
}

/// @param shared_bytes  of memory that a rank of a UPC++ program needs
void record(const Options& options, const KernelProgram& program, std::int64_t shared_bytes,
            Arguments arguments) {
  for (const std::string& argument : program.arguments)
    arguments.add(argument.c_str());
  arguments.add("--iterations", options.iterations);
  arguments.add("--warmup", options.warmup_iterations);
  arguments.add("--record", options.out);
  if (options.force) arguments.add("--force");
  arguments.add("--resolution-ns", resolution_ns(options));
  arguments.add("--ranks-per-node", options.ranks_per_node);
  if (options.no_check) arguments.add("--no-check");
  arguments.add("--format", options.format);
  if (!options.dry_run && stderr_is_terminal()) arguments.add("--progress");
  MpiRun run{options.ranks.value_or(cores_here()), options.threads_per_rank, program.binary,
             std::move(arguments).words(), launcher_of(options, program.is_upcxx)};
  if (program.is_upcxx && std::getenv("UPCXX_SHARED_HEAP_SIZE") == nullptr)
    run.environment.push_back(shared_heap_variable(shared_bytes));
  const CommandLine command = mpirun_command(run);
  if (options.dry_run) {
    fmt::print("{}\n", shell_quoted(command));
    return;
  }
  // The kernel has said what is wrong, so there is nothing to add but its exit code.
  if (const int exit_code = run_program(command); exit_code != 0) std::exit(exit_code);
}

/// Most points of any part, halo included, however the grid is cut: its share, and a row and a column for
/// what does not divide, for the halo on two sides, and for the packed columns.
std::int64_t most_points_of_part(const GridSize& grid, int ranks) {
  const auto rows = static_cast<double>(grid.rows);
  const auto columns = static_cast<double>(grid.columns);
  // What no memory holds, or is no grid, the program refuses.
  return static_cast<std::int64_t>(
      std::clamp(rows * columns / ranks + 4 * (rows + columns) + 16, 0.0, 0x1p50));
}

void add_common_options(CLI::App& command, Options& options) {
  add_program_options(command, options.program);
  command.add_option("--ranks", options.ranks, "Ranks (default: one a core)");
  command.add_option("--threads", options.threads_per_rank, "OpenMP threads a rank")->capture_default_str();
  command.add_option("--ranks-per-node", options.ranks_per_node,
                     "Count ranks as on nodes of this many (default: where they are)");
  command.add_option("--iterations", options.iterations, "Iterations to record")
      ->check(at_least_one())
      ->capture_default_str();
  command.add_option("--warmup", options.warmup_iterations, "Iterations before them, not recorded")
      ->check(CLI::Range(0, 1'000'000'000))
      ->capture_default_str();
  command.add_option("--out", options.out, "New folder for the trace")->required();
  command.add_flag("--force", options.force, "Replace a trace that the folder holds");
  command
      .add_option("--resolution", options.resolution,
                  "Times are rounded down to multiples of this: 1us makes a third to a half of the trace")
      ->capture_default_str();
  command.add_flag("--no-check", options.no_check, "Do not compare with the sequential result");
  command.add_flag("--dry-run", options.dry_run,
                   "Only print the command: for a batch script, or a launcher with other flags");
  command
      .add_option(
          "--launcher", options.launcher,
          "mpirun, srun (in a Slurm allocation) or upcxx-run. Default: mpirun; for UPC++ programs, where "
          "there is a real UPC++, upcxx-run")
      ->check(CLI::IsMember({"mpirun", "srun", "upcxx-run"}));
  command.add_option("--format", options.format, "Output: table or json")
      ->check(CLI::IsMember({"table", "json"}))
      ->capture_default_str();
}

Program checked_program(const Options& options, const std::vector<Program>& programs,
                        const std::variant<SpmvProblem, HeatProblem>& problem) {
  const Program program = program_of(options.program, programs);
  check_program({.problem = problem,
                 .policy = program.policy,
                 .transfer = program.transfer,
                 .completion = program.completion});
  return program;
}

void record_spmv(const Options& options) {
  const Program program = checked_program(options, spmv_programs(), SpmvProblem{});
  // The kernel checks this as well, but only after as many ranks have started.
  const EllpackView matrix = MatrixFile(options.matrix).view();
  const int ranks = options.ranks.value_or(cores_here());
  const Distribution distribution(
      matrix.rows, ranks, options.block_size.value_or(one_block_per_rank(matrix.rows, std::max(1, ranks))));
  const Run run{.problem = SpmvProblem{"", "", matrix.rows, matrix.r_nz, distribution.block_size()},
                .ranks = ranks};
  for (const std::string& note : idle_ranks_notes({&run, 1}))
    spdlog::warn("{}", note);
  Arguments arguments;
  arguments.add("--matrix", options.matrix);
  arguments.add("--blocksize", options.block_size);
  record(options, spmv_kernel(program),
         spmv_shared_bytes(program, matrix.rows, matrix.r_nz, distribution.elements_of(0)),
         std::move(arguments));
}

void record_heat(const Options& options) {
  const Program program = checked_program(options, heat_programs(), HeatProblem{});
  const GridSize grid = parse_grid(options.grid, "--grid");
  const int ranks = std::max(1, options.ranks.value_or(cores_here()));
  Arguments arguments;
  arguments.add("--grid", options.grid);
  arguments.add("--mprocs", options.mprocs);
  arguments.add("--nprocs", options.nprocs);
  arguments.add("--update", options.update);
  record(options, heat_kernel(program), heat_shared_bytes(most_points_of_part(grid, ranks)),
         std::move(arguments));
}

void add_spmv(CLI::App& parent) {
  auto options = std::make_shared<Options>();
  auto* command = parent.add_subcommand("spmv",
                                        "Sparse matrix-vector product: condensed messages in MPI + OpenMP, "
                                        "or any other of the study's programs.");
  command->add_option("--matrix", options->matrix, "Matrix file, from finegrain mesh")->required();
  command->add_option("--blocksize", options->block_size,
                      "BLOCKSIZE: consecutive rows with one owner (default: one block a rank)");
  add_common_options(*command, *options);
  command->footer(
      "Two-sided programs are MPI + OpenMP, the others UPC++.\n"
      "Examples: finegrain record spmv --ranks 2 --matrix heart.fgm --out heart.trace\n"
      "          finegrain record spmv --policy individual --matrix heart.fgm --out heart.trace\n"
      "          finegrain record spmv --transfer put --completion overlapped --matrix heart.fgm --out "
      "heart.trace");
  command->callback([options] { record_spmv(*options); });
}

void add_heat(CLI::App& parent) {
  auto options = std::make_shared<Options>();
  auto* command = parent.add_subcommand(
      "heat", "Explicit 2D heat solver with halo exchange, in MPI + OpenMP or (--transfer get) UPC++.");
  command->add_option("--grid", options->grid, "Inner points, ROWSxCOLUMNS, e.g. 2000x2000")->required();
  command->add_option("--mprocs", options->mprocs,
                      "Rows of ranks (default: as near to a square as ranks allow)");
  command->add_option("--nprocs", options->nprocs, "Columns of ranks");
  command
      ->add_option("--update", options->update,
                   "Old and new points change places (swap), or are copied (copy, Listing 8)")
      ->check(CLI::IsMember({"swap", "copy"}))
      ->capture_default_str();
  add_common_options(*command, *options);
  command->footer(
      "Examples: finegrain record heat --ranks 2 --grid 2000x2000 --out heat.trace\n"
      "          finegrain record heat --transfer get --ranks 2 --grid 2000x2000 --out heat.trace");
  command->callback([options] { record_heat(*options); });
}

}  // namespace

void add_record_command(CLI::App& app) {
  auto* command = app.add_subcommand(
      "record",
      "Starts a kernel's ranks, checks its result against the sequential one, and\n"
      "records every phase and message of every rank, with start and end, into a folder: the trace.\n"
      "Ranks are bound to cores where there are enough; where ranks x threads outnumber cores, the trace\n"
      "is labelled oversubscribed.");
  command->require_subcommand(1);
  command->footer("Each kernel has its flags: finegrain record spmv --help. Then: finegrain compare --help");
  add_spmv(*command);
  add_heat(*command);
}

}  // namespace finegrain
