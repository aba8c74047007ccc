// SPDX-License-Identifier: MIT
//
// How much of a core's time the operating system takes: all ranks repeat a fixed quantum of work, and a
// quantum that takes longer than the shortest was disturbed (the fixed-work-quantum benchmark). Parse,
// allocate, time after a warm-up, validate: what was lost and what was worked add up to the time that passed.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/mpi/mpi_session.hpp"
#include "kernels/run/clock.hpp"
#include "kernels/run/run_options.hpp"
#include "kernels/run/together.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::micro {
namespace {

struct Options {
  int quantum_us = 20;
  int samples = 100'000;
};

Options parse(const kernels::MpiSession& mpi, int argc, char** argv) {
  Options options;
  parse_options(
      mpi,
      "What the operating system takes of a core, as CSV on stdout: a line for each time that a fixed\n"
      "quantum of work took a tenth longer than the shortest. It is the rank's that lost the median share.\n"
      "finegrain replay --noise FILE replays it.\n"
      "Example: mpirun --bind-to core -n 16 noise_mpi > noise.csv",
      {{"--quantum", &options.quantum_us, "microseconds of work, about", 1, 10'000},
       {"--samples", &options.samples, "quanta that are timed", 100, 100'000'000}},
      argc, argv);
  return options;
}

/// A chain of multiplications, none of which can begin before the one before it has ended.
double work(std::int64_t steps, double value) {
  for (std::int64_t step = 0; step < steps; ++step)
    value = value * 0.999'999 + 1e-9;
  return value;
}

/// The number of steps of work() that take about one quantum if nothing disturbs them.
std::int64_t steps_of(int quantum_us) {
  constexpr std::int64_t tried = 10'000;
  constexpr int trials = 200;
  std::int64_t shortest_ns = std::int64_t{1} << 40U;
  double value = 1;
  for (int trial = 0; trial < trials; ++trial) {
    const std::int64_t start_ns = kernels::clock_ns();
    value = work(tried, value);
    shortest_ns = std::min(shortest_ns, kernels::clock_ns() - start_ns);
  }
  if (!(value > 0)) throw InputError("noise_mpi", "the work came to nothing (a bug of the compiler)");
  return std::max<std::int64_t>(1, 1000 * quantum_us * tried / std::max<std::int64_t>(1, shortest_ns));
}

/// When each quantum ended; the first entry is when the first began. Shape [samples + 1]
std::vector<std::int64_t> measure(std::int64_t steps, int samples) {
  std::vector<std::int64_t> ends_ns(static_cast<std::size_t>(samples) + 1);
  double value = work(steps, 1);
  ends_ns.front() = kernels::clock_ns();
  for (std::size_t sample = 1; sample < ends_ns.size(); ++sample) {
    value = work(steps, value);
    ends_ns[sample] = kernels::clock_ns();
  }
  if (!(value > 0)) throw InputError("noise_mpi", "the work came to nothing (a bug of the compiler)");
  return ends_ns;
}

struct Detour {
  std::int64_t start_ns;
  std::int64_t duration_ns;
};

/// How much longer each quantum took than the shortest one; only those that took more than a tenth longer.
std::vector<Detour> detours_of(const std::vector<std::int64_t>& ends_ns) {
  std::int64_t shortest_ns = ends_ns[1] - ends_ns[0];
  for (std::size_t sample = 1; sample < ends_ns.size(); ++sample)
    shortest_ns = std::min(shortest_ns, ends_ns[sample] - ends_ns[sample - 1]);
  std::vector<Detour> detours;
  for (std::size_t sample = 1; sample < ends_ns.size(); ++sample) {
    const std::int64_t more_ns = ends_ns[sample] - ends_ns[sample - 1] - shortest_ns;
    if (10 * more_ns > shortest_ns) detours.push_back({ends_ns[sample - 1] - ends_ns[0], more_ns});
  }
  return detours;
}

int run(const kernels::MpiSession& mpi, int argc, char** argv) {
  const Options options = parse(mpi, argc, argv);
  const std::int64_t steps = together(mpi, [&] { return steps_of(options.quantum_us); });
  MPI_Barrier(MPI_COMM_WORLD);
  const std::vector<std::int64_t> ends_ns = together(mpi, [&] { return measure(steps, options.samples); });
  const std::vector<Detour> detours = detours_of(ends_ns);
  const double length_us = 1e-3 * static_cast<double>(ends_ns.back() - ends_ns.front());
  double lost_us = 0;
  for (const Detour& detour : detours)
    lost_us += 1e-3 * static_cast<double>(detour.duration_ns);
  together(mpi, [&] {
    if (!(lost_us < length_us)) throw InputError("noise_mpi", "lost more than the time that passed");
  });
  double share = lost_us / length_us;
  std::vector<double> shares(static_cast<std::size_t>(mpi.ranks()));
  MPI_Allgather(&share, 1, MPI_DOUBLE, shares.data(), 1, MPI_DOUBLE, MPI_COMM_WORLD);
  std::vector<int> ranks(shares.size());
  for (std::size_t rank = 0; rank < ranks.size(); ++rank)
    ranks[rank] = static_cast<int>(rank);
  std::ranges::stable_sort(ranks, {}, [&](int rank) { return shares[static_cast<std::size_t>(rank)]; });
  const int median = ranks[ranks.size() / 2];

  std::string text;
  if (mpi.rank() == median) {
    text = fmt::format(
        "# noise_mpi: rank {} of {}, {} quanta of {} us; lost: {:.4f} %, of all ranks {:.4f} to {:.4f} %\n",
        median, mpi.ranks(), options.samples, options.quantum_us, 100 * share,
        100 * shares[static_cast<std::size_t>(ranks.front())],
        100 * shares[static_cast<std::size_t>(ranks.back())]);
    text += fmt::format("# length_us={:.3f}\nstart_us,duration_us\n", length_us);
    for (const Detour& detour : detours)
      text += fmt::format("{:.3f},{:.3f}\n", 1e-3 * static_cast<double>(detour.start_ns),
                          1e-3 * static_cast<double>(detour.duration_ns));
  }
  auto size = static_cast<std::int64_t>(text.size());
  MPI_Bcast(&size, 1, MPI_INT64_T, median, MPI_COMM_WORLD);
  text.resize(static_cast<std::size_t>(size));
  MPI_Bcast(text.data(), static_cast<int>(size), MPI_CHAR, median, MPI_COMM_WORLD);
  if (mpi.is_first()) fmt::print("{}", text);
  return 0;
}

}  // namespace
}  // namespace finegrain::micro

int main(int argc, char** argv) {
  return finegrain::kernels::run_mpi_program(argc, argv, finegrain::micro::run);
}
