// SPDX-License-Identifier: MIT
#include "kernels/mpi/timed_loop.hpp"

#include <algorithm>

namespace finegrain {

IterationSeconds summarize(const MpiSession& mpi, const std::vector<std::int64_t>& durations_ns) {
  std::vector<std::int64_t> slowest_ns(durations_ns.size());
  MPI_Allreduce(durations_ns.data(), slowest_ns.data(), static_cast<int>(durations_ns.size()), MPI_INT64_T,
                MPI_MAX, mpi.comm());
  std::sort(slowest_ns.begin(), slowest_ns.end());
  const std::size_t middle = slowest_ns.size() / 2;
  const double median_ns = slowest_ns.size() % 2 == 1 ? static_cast<double>(slowest_ns[middle])
                                                      : 0.5 * static_cast<double>(slowest_ns[middle - 1]) +
                                                            0.5 * static_cast<double>(slowest_ns[middle]);
  return {median_ns * 1e-9, static_cast<double>(slowest_ns.front()) * 1e-9,
          static_cast<double>(slowest_ns.back()) * 1e-9};
}

}  // namespace finegrain
