// SPDX-License-Identifier: MIT
#include <fmt/core.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>

#include "kernels/problem/distribution.hpp"
#include "kernels/problem/matrix_file.hpp"
#include "sim/cli/commands.hpp"
#include "sim/cli/mpirun.hpp"
#include "sim/cli/workload.hpp"

namespace finegrain {
namespace {

struct Options {
  std::optional<int> ranks;
  int threads_per_rank = 1;
  std::optional<int> ranks_per_node;
  std::int64_t iterations = 10;
  int warmup_iterations = 2;
  std::string out;
  std::string format = "table";
  bool no_check = false;
  bool dry_run = false;
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

void record(const Options& options, const std::string& program, Arguments arguments) {
  arguments.add("--iterations", options.iterations);
  arguments.add("--warmup", options.warmup_iterations);
  arguments.add("--record", options.out);
  arguments.add("--ranks-per-node", options.ranks_per_node);
  if (options.no_check) arguments.add("--no-check");
  arguments.add("--format", options.format);
  if (!options.dry_run && ::isatty(STDERR_FILENO) == 1) arguments.add("--progress");
  const CommandLine command = mpirun_command({options.ranks.value_or(cores_here()), options.threads_per_rank,
                                              program, std::move(arguments).words()});
  if (options.dry_run) {
    fmt::print("{}\n", shell_quoted(command));
    return;
  }
  // The kernel has said what is wrong, so there is nothing to add but its exit code.
  if (const int exit_code = run_program(command); exit_code != 0) std::exit(exit_code);
}

void add_common_options(CLI::App& command, Options& options) {
  command.add_option("--ranks", options.ranks, "MPI ranks (default: one a core)");
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
  command.add_flag("--no-check", options.no_check, "Do not compare with the sequential result");
  command.add_flag("--dry-run", options.dry_run,
                   "Only print the mpirun command: for srun, a queue, or several nodes");
  command.add_option("--format", options.format, "Output: table or json")
      ->check(CLI::IsMember({"table", "json"}))
      ->capture_default_str();
}

void add_spmv(CLI::App& parent) {
  auto options = std::make_shared<Options>();
  auto* command = parent.add_subcommand(
      "spmv", "Sparse matrix-vector product with condensed messages (UPCv3 of the paper, in MPI + OpenMP).");
  command->add_option("--matrix", options->matrix, "Matrix file, from finegrain mesh")->required();
  command->add_option("--blocksize", options->block_size,
                      "BLOCKSIZE: consecutive rows with one owner (default: one block a rank)");
  add_common_options(*command, *options);
  command->footer("Example: finegrain record spmv --ranks 2 --matrix heart.fgm --out heart.trace");
  command->callback([options] {
    // The kernel checks this as well, but only after as many ranks have started.
    const std::int64_t rows = MatrixFile(options->matrix).view().rows;
    const int ranks = options->ranks.value_or(cores_here());
    Distribution(rows, ranks, options->block_size.value_or(one_block_per_rank(rows, std::max(1, ranks))));
    Arguments arguments;
    arguments.add("--matrix", options->matrix);
    arguments.add("--blocksize", options->block_size);
    record(*options, "spmv_condensed_mpi", std::move(arguments));
  });
}

void add_heat(CLI::App& parent) {
  auto options = std::make_shared<Options>();
  auto* command =
      parent.add_subcommand("heat", "Explicit 2D heat solver with halo exchange, in MPI + OpenMP.");
  command->add_option("--grid", options->grid, "Inner points, ROWSxCOLUMNS, e.g. 2000x2000")->required();
  command->add_option("--mprocs", options->mprocs,
                      "Rows of ranks (default: as near to a square as ranks allow)");
  command->add_option("--nprocs", options->nprocs, "Columns of ranks");
  add_common_options(*command, *options);
  command->footer("Example: finegrain record heat --ranks 2 --grid 2000x2000 --out heat.trace");
  command->callback([options] {
    Arguments arguments;
    arguments.add("--grid", options->grid);
    arguments.add("--mprocs", options->mprocs);
    arguments.add("--nprocs", options->nprocs);
    record(*options, "heat_mpi", std::move(arguments));
  });
}

}  // namespace

void add_record_command(CLI::App& app) {
  auto* command = app.add_subcommand(
      "record",
      "Runs a kernel under mpirun on this machine, checks its result against the sequential one, and\n"
      "records every phase and message of every rank, with start and end, into a folder: the trace.\n"
      "Ranks are bound to cores where there are enough; where ranks x threads outnumber cores, the trace\n"
      "is labelled oversubscribed.");
  command->require_subcommand(1);
  command->footer("Each kernel has its flags: finegrain record spmv --help. Then: finegrain compare --help");
  add_spmv(*command);
  add_heat(*command);
}

}  // namespace finegrain
