// SPDX-License-Identifier: MIT
// How long counting takes, as a multiple of one plain pass over J on one core.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <numeric>

#include "kernels/problem/matrix_file.hpp"
#include "patterns.hpp"
#include "sim/pattern/counts.hpp"
#include "traces/io/input_error.hpp"

namespace {

using namespace finegrain;
using namespace finegrain::pattern;
using namespace finegrain::problem;

struct Options {
  std::string path;
  std::int64_t rows = 1'000'000;
  std::vector<int> ranks{16, 64, 256, 1024};
  std::vector<std::int64_t> block_sizes;
  int threads = all_cores();
  int rounds = 5;
};

/// CPU seconds for what runs on one core: other users of the machine disturb them least.
template <class Work>
double cpu_s(const Work& work) {
  const std::clock_t start = std::clock();
  work();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

template <class Work>
double elapsed_s(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Keeps a result that nobody reads from being optimized away.
volatile std::int64_t sink = 0;

double plain_pass_s(const EllpackView& matrix) {
  return cpu_s(
      [&] { sink = std::accumulate(matrix.columns.begin(), matrix.columns.end(), std::int64_t{0}); });
}

/// The spread of several rounds.
struct Spread {
  double lowest = 0;
  double median = 0;
  double highest = 0;
};

Spread spread_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return {values.front(), values[values.size() / 2], values.back()};
}

struct Timing {
  Spread seconds;
  Spread plain_passes;
};

/// Time of a layout, all of them counted together. A pass over J before and one after each round make the
/// multiple one of the same minute.
template <class Clock>
Timing time_of_one(const EllpackView& matrix, const std::vector<Layout>& layouts, int threads, int rounds,
                   const Clock& clock) {
  std::vector<double> seconds;
  std::vector<double> passes;
  for (int round = 0; round < rounds; ++round) {
    const double before_s = plain_pass_s(matrix);
    const double count_s = clock([&] {
      sink = static_cast<std::int64_t>(count_accesses(matrix, layouts, threads).back().back().needs.size());
    });
    seconds.push_back(count_s / static_cast<double>(layouts.size()));
    passes.push_back(seconds.back() / ((before_s + plain_pass_s(matrix)) / 2));
  }
  return {spread_of(seconds), spread_of(passes)};
}

void print_row(const EllpackView& matrix, int ranks, const std::string& what,
               const std::vector<Layout>& layouts, const Options& options) {
  const auto print = [](const Timing& timing) {
    fmt::print("{:>8.3f}{:>6.1f} ({:.1f}-{:.1f})", timing.seconds.median, timing.plain_passes.median,
               timing.plain_passes.lowest, timing.plain_passes.highest);
  };
  fmt::print("{:>5}  {:<22}", ranks, what);
  print(time_of_one(matrix, layouts, 1, options.rounds, [](const auto& work) { return cpu_s(work); }));
  print(time_of_one(matrix, layouts, options.threads, options.rounds,
                    [](const auto& work) { return elapsed_s(work); }));
  fmt::print("\n");
  std::fflush(stdout);
}

void measure(const EllpackView& matrix, const Options& options) {
  std::vector<double> passes_s(static_cast<std::size_t>(options.rounds));
  std::generate(passes_s.begin(), passes_s.end(), [&] { return plain_pass_s(matrix); });
  const Spread pass_s = spread_of(passes_s);
  fmt::print("{} rows, r_nz {}; a plain pass over J on one core: {:.3f} s ({:.3f}-{:.3f})\n", matrix.rows,
             matrix.r_nz, pass_s.median, pass_s.lowest, pass_s.highest);
  fmt::print("A BLOCKSIZE's share: seconds, plain passes (lowest-highest of {} rounds)\n", options.rounds);
  fmt::print("ranks  BLOCKSIZE              one core, CPU time      {} cores, elapsed\n", options.threads);
  for (const int ranks : options.ranks) {
    const Placement placement(ranks, 16);
    std::vector<Layout> layouts;
    for (const std::int64_t block_size : options.block_sizes)
      layouts.push_back({Distribution(matrix.rows, ranks, block_size), placement});
    layouts.push_back({Distribution(matrix.rows, ranks, one_block_per_rank(matrix.rows, ranks)), placement});
    print_row(matrix, ranks, fmt::format("all {} together", layouts.size()), layouts, options);
    for (const Layout& layout : layouts)
      print_row(matrix, ranks, fmt::format("{} alone", layout.distribution.block_size()), {layout}, options);
  }
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{
      "Times count_accesses: many BLOCKSIZEs of one matrix together, and each alone, as a multiple of the\n"
      "time of one plain pass over J on one core, measured just before and after it. A BLOCKSIZE's share of\n"
      "a batch is the time of the batch over the number of its BLOCKSIZEs, one block a rank among them."};
  Options options;
  for (std::int64_t block_size = 64; block_size <= 1 << 17; block_size *= 2)
    options.block_sizes.push_back(block_size);
  auto* matrix = app.add_option("matrix", options.path, "A matrix file of `finegrain mesh`");
  app.add_option("--rows", options.rows,
                 "In place of a file: so many rows of 16 entries within 500 rows of the diagonal, one in "
                 "eight of them padding. Default, without a file: 1000000")
      ->check(CLI::Range(1, 100'000'000))
      ->excludes(matrix);
  app.add_option("--ranks", options.ranks, "Numbers of ranks, one batch each")
      ->delimiter(',')
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--blocksizes", options.block_sizes,
                 "BLOCKSIZEs of a batch; one block a rank is always added")
      ->delimiter(',')
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--threads", options.threads, "Cores of the last column")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--rounds", options.rounds, "Measurements, of which the median is shown")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.footer(
      "Example: finegrain mesh --tets 6810586 --order sbd --out heart.fgm\n"
      "         bench_counts heart.fgm --ranks 16,1024");
  CLI11_PARSE(app, argc, argv);
  try {
    if (matrix->count() == 0) {
      const test::MatrixPattern pattern = test::banded_pattern(options.rows, 16, 500, 1);
      measure(pattern.view(), options);
    } else {
      const MatrixFile file(options.path);
      measure(file.view(), options);
    }
  } catch (const InputError& error) {
    fmt::print(stderr, "bench_counts: {}\n", error.what());
    return 1;
  }
  return 0;
}
