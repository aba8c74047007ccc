// SPDX-License-Identifier: MIT
// How long counting takes, beside one plain pass over J, on one core.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <ctime>
#include <numeric>

#include "kernels/problem/matrix_file.hpp"
#include "patterns.hpp"
#include "sim/schedule/counts.hpp"
#include "sim/schedule/policies.hpp"
#include "traces/io/input_error.hpp"

namespace {

using namespace finegrain;

/// CPU seconds, median of five runs. All the work is on one core, so that on an idle machine this is also the
/// time that passes.
template <class Work>
double median_s(const Work& work) {
  std::array<double, 5> runs_s;
  for (double& run_s : runs_s) {
    const std::clock_t start = std::clock();
    work();
    run_s = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  }
  std::nth_element(runs_s.begin(), runs_s.begin() + 2, runs_s.end());
  return runs_s[2];
}

/// Keeps a result that nobody reads from being optimized away.
volatile std::int64_t sink = 0;

void measure(const EllpackView& matrix, const std::vector<int>& rank_counts, std::int64_t block_size) {
  const double pass_s = median_s(
      [&] { sink = std::accumulate(matrix.columns.begin(), matrix.columns.end(), std::int64_t{0}); });
  fmt::print("{} rows, r_nz {}; CPU seconds are the median of 5 runs\n", matrix.rows, matrix.r_nz);
  fmt::print("{:<20} {:>6} {:>10} {:>10} {:>12} {:>14}\n", "", "ranks", "BLOCKSIZE", "seconds",
             "plain passes", "foreign access");
  fmt::print("{:<20} {:>6} {:>10} {:>10.3f} {:>12.1f}\n", "plain pass over J", "-", "-", pass_s, 1.0);
  for (const int ranks : rank_counts) {
    const std::int64_t used_block_size = block_size > 0 ? block_size : one_block_per_rank(matrix.rows, ranks);
    const Distribution distribution(matrix.rows, ranks, used_block_size);
    const Placement placement(ranks, 16);
    std::int64_t foreign = 0;
    const double count_s = median_s([&] {
      foreign = 0;
      for (const RankCounts& rank : count_accesses(matrix, distribution, placement))
        foreign += rank.accesses_local + rank.accesses_remote;
    });
    const double share = static_cast<double>(foreign) / static_cast<double>(matrix.columns.size());
    fmt::print("{:<20} {:>6} {:>10} {:>10.3f} {:>12.1f} {:>13.1f}%\n", "count_accesses", ranks,
               used_block_size, count_s, count_s / pass_s, 100 * share);
    Run run;
    run.problem = SpmvProblem{"", "", matrix.rows, matrix.r_nz, used_block_size};
    run.ranks = ranks;
    run.ranks_per_node = 16;
    const double schedule_s =
        median_s([&] { sink = static_cast<std::int64_t>(spmv_schedule(matrix, run).ranks.size()); });
    fmt::print("{:<20} {:>6} {:>10} {:>10.3f} {:>12.1f}\n", "condensed schedule", ranks, used_block_size,
               schedule_s, schedule_s / pass_s);
  }
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Times count_accesses and the condensed schedule beside one plain pass over J, on one core."};
  std::string path;
  std::vector<int> ranks{16, 1024};
  std::int64_t rows = 0;
  std::int64_t block_size = 0;
  auto* matrix = app.add_option("matrix", path, "A matrix file of `finegrain mesh`");
  app.add_option("--ranks", ranks, "Numbers of ranks")->check(CLI::PositiveNumber)->capture_default_str();
  auto* synthetic =
      app.add_option("--rows", rows,
                     "In place of a file: so many rows of 16 entries within 500 rows of the diagonal, one in "
                     "eight of them padding")
          ->check(CLI::Range(1, 100'000'000));
  app.add_option("--blocksize", block_size, "BLOCKSIZE; one block a rank unless given")
      ->check(CLI::PositiveNumber);
  app.footer("Example: bench_counts --rows 6810586 --ranks 16 1024");
  CLI11_PARSE(app, argc, argv);
  if ((matrix->count() == 0) == (synthetic->count() == 0)) {
    fmt::print(stderr, "bench_counts: give a matrix file or --rows\n");
    return 2;
  }
  try {
    if (synthetic->count() != 0) {
      const test::Pattern pattern = test::banded_pattern(rows, 16, 500, 1);
      measure(pattern.view(), ranks, block_size);
    } else {
      const MatrixFile file(path);
      measure(file.view(), ranks, block_size);
    }
  } catch (const InputError& error) {
    fmt::print(stderr, "bench_counts: {}\n", error.what());
    return 1;
  }
  return 0;
}
