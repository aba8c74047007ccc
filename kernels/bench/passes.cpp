// SPDX-License-Identifier: MIT
#include "kernels/bench/passes.hpp"

#include <fmt/format.h>

#include <array>

#include "kernels/run/clock.hpp"
#include "kernels/run/iteration_progress.hpp"
#include "kernels/run/together.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::kernels {
namespace {

std::vector<Pass*> all(Passes& passes) {
  std::vector<Pass*> all = {&passes.read, &passes.copy};
  for (Pass& pass : passes.kernels)
    all.push_back(&pass);
  for (Pass& pass : passes.libraries)
    all.push_back(&pass);
  return all;
}

Traffic sum_over_ranks(const MpiSession& mpi, Traffic traffic) {
  MPI_Allreduce(MPI_IN_PLACE, &traffic.only_read_bytes, 1, MPI_DOUBLE, MPI_SUM, mpi.comm());
  MPI_Allreduce(MPI_IN_PLACE, &traffic.copied_bytes, 1, MPI_DOUBLE, MPI_SUM, mpi.comm());
  return traffic;
}

void warm_up_and_check(const MpiSession& mpi, const Pass& pass) {
  pass.work();
  const bool is_right = pass.is_right();
  together(mpi, [&] {
    if (!is_right)
      throw InputError("bench_kernels", fmt::format("{}: a result is wrong (memory, or a bug)", pass.name),
                       "Run it again");
  });
}

double time_s(const MpiSession& mpi, const Pass& pass) {
  mpi.barrier();
  const std::int64_t start_ns = clock_ns();
  pass.work();
  std::array<double, 1> seconds = {static_cast<double>(clock_ns() - start_ns) * 1e-9};
  mpi.maximize(seconds);
  return seconds[0];
}

}  // namespace

void time_in_rounds(const MpiSession& mpi, Passes& passes, int rounds, bool shows_progress) {
  for (Pass* pass : all(passes)) {
    warm_up_and_check(mpi, *pass);
    pass->traffic = sum_over_ranks(mpi, pass->traffic);
  }
  IterationProgress progress(shows_progress && mpi.is_first(), rounds);
  for (int round = 0; round < rounds; ++round) {
    for (Pass* pass : all(passes))
      pass->seconds.push_back(time_s(mpi, *pass));
    progress.finished_one(clock_ns());
  }
}

std::vector<double> fractions_of_bound(const Passes& passes, const Pass& kernel) {
  std::vector<double> fractions;
  for (std::size_t round = 0; round < kernel.seconds.size(); ++round) {
    const double read_bytes_per_s = passes.read.traffic.only_read_bytes / passes.read.seconds[round];
    const double copy_bytes_per_s = passes.copy.traffic.copied_bytes / passes.copy.seconds[round];
    fractions.push_back(bound_s(kernel.traffic, read_bytes_per_s, copy_bytes_per_s) / kernel.seconds[round]);
  }
  return fractions;
}

std::vector<double> times_of_product(const Passes& passes, const Pass& library) {
  const std::vector<double>& product_s = passes.kernels.back().seconds;
  std::vector<double> times;
  for (std::size_t round = 0; round < product_s.size(); ++round)
    times.push_back(library.seconds[round] / product_s[round]);
  return times;
}

}  // namespace finegrain::kernels
