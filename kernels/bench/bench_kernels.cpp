// SPDX-License-Identifier: MIT
//
// How close the kernels come to what the memory allows, and how they compare with other libraries on the same
// matrix. In each round everything is timed once, one after the other: reading memory and copying it, the
// iterations of spmv_condensed_mpi and heat_condensed_mpi, and the product alone, ours, Eigen's and librsb's.
// A machine's speed changes from second to second, so only times of one round are compared, and the median of
// the rounds' ratios is what counts. traffic.hpp says what the bound counts. On several ranks each multiplies
// its own rows, and the libraries' products are given the x that ours had to exchange. Parse, allocate, time
// after a warm-up, validate.
#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "kernels/bench/condensed_spmv.hpp"
#include "kernels/bench/csr_rows.hpp"
#include "kernels/bench/eigen_product.hpp"
#include "kernels/bench/heat_solver.hpp"
#include "kernels/bench/librsb_product.hpp"
#include "kernels/bench/memory_passes.hpp"
#include "kernels/bench/report.hpp"
#include "kernels/bench/scratch_matrix.hpp"
#include "kernels/heat/heat_input.hpp"
#include "kernels/run/together.hpp"
#include "traces/io/units.hpp"

namespace finegrain::kernels {
namespace {

struct Options {
  std::filesystem::path matrix;
  std::int64_t tets = 4'000'000;
  std::string grid = "8000x8000";
  int rounds = 31;
  std::string format = "table";
  bool progress = false;
};

Options parse(const MpiSession& mpi, int argc, char** argv) {
  Options options;
  parse_options(
      mpi,
      "The kernels beside a bound (the bytes they must move, over the read and copy rates of the same "
      "round)\n"
      "and SpMV beside Eigen and librsb, on one node. The default sizes, 5 GB in all, are well beyond most\n"
      "caches.\n"
      "Example: OMP_NUM_THREADS=1 mpirun --bind-to core -n 16 bench_kernels",
      {{"--matrix", &options.matrix, "matrix file, as finegrain mesh makes it"},
       {"--tets", &options.tets, "without --matrix: a left ventricle of this many tetrahedra, order sbd", 0,
        1e12},
       {"--grid", &options.grid, "heat's inner points, ROWSxCOLUMNS"},
       {"--rounds", &options.rounds, "times that everything is timed", 1, 1'000'000},
       {"--format", &options.format, "table or json", {}, {}, {"table", "json"}},
       {"--progress", &options.progress, "say on stderr, once a second, how many rounds are done"}},
      argc, argv);
  return options;
}

int run(const MpiSession& mpi, int argc, char** argv) {
  const Options options = parse(mpi, argc, argv);
  const NodeLayout layout = find_node_layout(mpi, omp_get_max_threads(), std::nullopt);
  HeatOptions heat_options;
  heat_options.grid = options.grid;
  const problem::HeatGrid grid = open_grid(mpi, heat_options);
  const SpmvInput input = open_matrix(mpi, options.matrix, options.tets);
  const problem::EllpackView& matrix = input.file.view();

  HeatSolver heat(mpi, grid);
  CondensedSpmv spmv(mpi, input);
  const CsrRows csr = together(mpi, [&] { return to_csr(input, spmv.own()); });
  const auto librsb = together(mpi, [&] { return std::make_unique<LibrsbProduct>(csr); });
  // As long as A and J, so that a cache that keeps a part of them from one round to the next keeps a part of
  // these as well.
  const Traffic product_traffic = multiply_traffic(input.own_rows(), matrix.r_nz);
  MemoryPasses memory = together(mpi, [&] {
    return MemoryPasses(static_cast<std::int64_t>(product_traffic.only_read_bytes / sizeof(double)));
  });

  const auto is_product = [&](std::span<const double> x) {
    return check_against_sequential(mpi, input, 1, x).passed;
  };
  const auto y_is_product = [&] {
    const bool is_right = is_product(spmv.y());
    std::ranges::fill(spmv.y(), 0.0);  // so that the next product's y cannot be this one's
    return is_right;
  };
  Passes passes;
  passes.read = {
      "read", [&] { memory.read(); }, [&] { return memory.read_is_right(); }, memory.read_traffic(), {}};
  passes.copy = {
      "copy", [&] { memory.copy(); }, [&] { return memory.copy_is_right(); }, memory.copy_traffic(), {}};
  passes.kernels = {
      {"heat, a step",
       [&] { heat.iterate(); },
       [&] { return check_against_sequential(mpi, grid, 1, heat.phi()).passed; },
       heat.traffic(),
       {}},
      {"SpMV, an iteration",
       [&] { spmv.iterate(); },
       [&] { return is_product(spmv.x()); },
       spmv.traffic(),
       {}},
      {"SpMV, product alone", [&] { spmv.multiply_only(); }, y_is_product, product_traffic, {}}};
  passes.libraries = {
      {eigen_name(), [&] { multiply_with_eigen(csr, spmv.x_copy(), spmv.y().data()); }, y_is_product, {}, {}},
      {librsb_name(), [&] { librsb->multiply(spmv.x_copy(), spmv.y().data()); }, y_is_product, {}, {}}};
  time_in_rounds(mpi, passes, options.rounds, options.progress);

  if (mpi.is_first()) {
    const BenchmarkRun run = {input.file.description(),
                              fmt::format("{}, r_nz {}", format_count(matrix.rows, "row"), matrix.r_nz),
                              fmt::format("{} x {} points in {} x {} parts", grid.rows(), grid.columns(),
                                          grid.mprocs(), grid.nprocs()),
                              layout,
                              mpi.ranks(),
                              omp_get_max_threads(),
                              options.rounds};
    options.format == "json" ? print_json(run, passes) : print_table(run, passes);
  }
  return 0;
}

}  // namespace
}  // namespace finegrain::kernels

int main(int argc, char** argv) {
  return finegrain::kernels::run_mpi_program(argc, argv, finegrain::kernels::run);
}
