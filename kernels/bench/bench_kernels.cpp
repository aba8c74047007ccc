// SPDX-License-Identifier: MIT
//
// How near the kernels come to what the memory allows, and to what other libraries make of the same matrix.
// In each round everything is timed once, one after the other: a pass that reads memory and one that copies
// it, the iterations of spmv_condensed_mpi and heat_mpi, and the product alone, by this project, Eigen and
// librsb. A machine's speed changes from minute to minute, so that only times of the same round are compared;
// the median of the rounds' ratios is what counts. traffic.hpp says what the bound counts. Parse, allocate,
// time after a warm-up, validate.
#include <fmt/format.h>
#include <omp.h>

#include <array>
#include <functional>
#include <map>
#include <memory>

#include "kernels/bench/condensed_spmv.hpp"
#include "kernels/bench/csr_rows.hpp"
#include "kernels/bench/eigen_product.hpp"
#include "kernels/bench/heat_solver.hpp"
#include "kernels/bench/librsb_product.hpp"
#include "kernels/bench/memory_passes.hpp"
#include "kernels/micro/statistics.hpp"
#include "kernels/bench/scratch_matrix.hpp"
#include "kernels/heat/heat_input.hpp"
#include "kernels/run/clock.hpp"
#include "kernels/run/iteration_progress.hpp"
#include "kernels/run/node_layout.hpp"
#include "kernels/run/together.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain {
namespace {

struct Options {
  std::filesystem::path matrix;
  std::int64_t tets = 4'000'000;
  std::string grid = "8000x8000";
  int rounds = 15;
  int passes = 3;
  std::string format = "table";
  bool progress = false;
};

Options parse(const MpiSession& mpi, int argc, char** argv) {
  Options options;
  CLI::App app{
      "The kernels beside a bound (the bytes they must move, over the read and copy rates of the same round)\n"
      "and SpMV beside Eigen and librsb, on one node. Choose sizes well beyond the caches.\n"
      "Example: OMP_NUM_THREADS=1 mpirun --bind-to core -n 16 bench_kernels"};
  app.add_option("--matrix", options.matrix, "matrix file, as finegrain mesh makes it");
  app.add_option("--tets", options.tets, "without --matrix: a left ventricle of so many tetrahedra, order sbd")
      ->check(CLI::Range(1, 100'000'000))
      ->capture_default_str();
  app.add_option("--grid", options.grid, "heat's inner points, ROWSxCOLUMNS")->capture_default_str();
  app.add_option("--rounds", options.rounds, "times that everything is timed")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  app.add_option("--passes", options.passes, "passes that are timed together in a round")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  app.add_option("--format", options.format, "table or json")
      ->check(CLI::IsMember({"table", "json"}))
      ->capture_default_str();
  app.add_flag("--progress", options.progress, "say on stderr, once a second, how many rounds are done");
  parse_command_line(mpi, app, argc, argv);
  return options;
}

/// Collective. The matrix that was given, or one made for this run.
SpmvInput open_matrix(const MpiSession& mpi, const Options& options) {
  SpmvOptions spmv;
  spmv.matrix = options.matrix;
  if (!options.matrix.empty()) return open_input(mpi, spmv);
  const ScratchMatrix scratch(mpi, options.tets);
  spmv.matrix = scratch.path();
  SpmvInput input = open_input(mpi, spmv);
  mpi.barrier();  // it is mapped everywhere: its name can go
  return input;
}

/// Collective. @throws ProgramExit{1} on every rank if a result is wrong
void expect(const MpiSession& mpi, const CheckResult& check, const std::string& what) {
  together(mpi, [&] {
    if (!check.passed)
      throw InputError(fmt::format("{}: differs by {:.1e} from the sequential result (memory, or a bug). Run "
                                   "it again",
                                   what, check.max_relative_difference));
  });
}

/// Of all ranks together.
Traffic sum(const MpiSession& mpi, Traffic traffic) {
  MPI_Allreduce(MPI_IN_PLACE, &traffic.only_read_bytes, 1, MPI_DOUBLE, MPI_SUM, mpi.comm());
  MPI_Allreduce(MPI_IN_PLACE, &traffic.copied_bytes, 1, MPI_DOUBLE, MPI_SUM, mpi.comm());
  return traffic;
}

/// Collective: seconds of one of the passes, of the slowest rank.
double time_s(const MpiSession& mpi, int passes, const std::function<void()>& pass) {
  mpi.barrier();
  const std::int64_t start_ns = clock_ns();
  for (int i = 0; i < passes; ++i)
    pass();
  std::array<double, 1> seconds = {static_cast<double>(clock_ns() - start_ns) * 1e-9 / passes};
  mpi.maximize(seconds);
  return seconds[0];
}

int run(const MpiSession& mpi, int argc, char** argv) {
  const Options options = parse(mpi, argc, argv);
  const NodeLayout layout = find_node_layout(mpi, omp_get_max_threads(), std::nullopt);
  HeatOptions heat_options;
  heat_options.grid = options.grid;
  const HeatGrid grid = open_grid(mpi, heat_options);
  const SpmvInput input = open_matrix(mpi, options);

  CondensedSpmv spmv(mpi, input);
  HeatSolver heat(mpi, grid);
  const CsrRows csr = together(mpi, [&] { return to_csr(input, spmv.own()); });
  const auto librsb = together(mpi, [&] { return std::make_unique<LibrsbProduct>(csr); });
  // As long as the matrix, so that a cache that holds a part of that holds as much of these.
  MemoryPasses memory = together(
      mpi, [&] { return MemoryPasses(input.own_rows() * input.file.view().r_nz * 12 / 8 + 1); });

  const std::vector<std::pair<std::string, std::function<void()>>> contenders = {
      {"read", [&] { memory.read(); }},
      {"copy", [&] { memory.copy(); }},
      {"condensed SpMV, an iteration", [&] { spmv.iterate(); }},
      {"heat, a step with its halo", [&] { heat.iterate(); }},
      {"product: finegrain", [&] { spmv.multiply_only(); }},
      {eigen_name(), [&] { multiply_with_eigen(csr, spmv.x_copy(), spmv.y().data()); }},
      {librsb_name(), [&] { librsb->multiply(spmv.x_copy(), spmv.y().data()); }}};
  // the warm-up, which is checked
  for (const auto& [name, pass] : contenders) {
    pass();
    if (name.starts_with("read") || name.starts_with("copy")) continue;
    if (name.starts_with("heat")) {
      expect(mpi, check_against_sequential(mpi, grid, 1, heat.phi()), name);
    } else {
      expect(mpi, check_against_sequential(mpi, input, 1, name.starts_with("condensed") ? spmv.x() : spmv.y()), name);
    }
  }
  const Traffic st = sum(mpi, spmv.traffic());
  const Traffic ht = sum(mpi, heat.traffic());
  const Traffic pt = sum(mpi, multiply_traffic(input.own_rows(), spmv.own().r_nz));
  const double rb = memory.read_bytes() * mpi.ranks(), cb = memory.copy_bytes() * mpi.ranks();
  std::map<std::string, std::vector<double>> res, ratio;
  for (int round = 0; round < options.rounds; ++round) {
    std::vector<double> s;
    for (const auto& [name, pass] : contenders) { s.push_back(time_s(mpi, options.passes, pass)); res[name].push_back(s.back()); }
    const double rr = rb / s[0], cr = cb / s[1];
    ratio["0 read"].push_back(rr / 1e9);
    ratio["0 copy"].push_back(cr / 1e9);
    ratio["1 condensed/bound"].push_back(bound_s(st, rr, cr) / s[2]);
    ratio["1 heat/bound"].push_back(bound_s(ht, rr, cr) / s[3]);
    ratio["1 product/bound"].push_back(bound_s(pt, rr, cr) / s[4]);
    ratio["2 vs eigen"].push_back(s[5] / s[4]);
    ratio["2 vs rsb"].push_back(s[6] / s[4]);
  }
  if (mpi.is_first()) {
    for (auto& [n, v] : res) fmt::print("{:30} {:8.2f} ms {}\n", n, 1e3 * median_of(v), spread_json(v).dump());
    for (auto& [n, v] : ratio) fmt::print("{:30} {:8.3f} {}\n", n, median_of(v), spread_json(v).dump());
  }
  return 0;
}

}  // namespace
}  // namespace finegrain

int main(int argc, char** argv) {
  return finegrain::run_mpi_program(argc, argv, finegrain::run);
}
