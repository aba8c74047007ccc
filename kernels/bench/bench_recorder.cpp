// SPDX-License-Identifier: MIT
// What one MPI call costs on one rank, in nanoseconds. Run it alone and with libfinegrain_recorder.so
// preloaded: the difference is what recording costs (docs/recorder.md).
#include <fmt/core.h>
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace {

constexpr int repetitions = 51;
constexpr int rounds = 2'000;

/// Prints the median, and the fifth and the ninety-fifth percentile, of all repetitions.
void measure(const std::string& name, int calls, const std::function<void()>& round) {
  std::vector<double> ns_per_call;
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    const auto start = std::chrono::steady_clock::now();
    for (int n = 0; n < rounds; ++n)
      round();
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
    ns_per_call.push_back(took.count() / (rounds * calls));
  }
  std::sort(ns_per_call.begin(), ns_per_call.end());
  fmt::print("{:<40} {:8.1f} {:8.1f} {:8.1f}\n", name, ns_per_call[repetitions / 2],
             ns_per_call[repetitions / 20], ns_per_call[repetitions - 1 - repetitions / 20]);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  fmt::print("{:<40} {:>8} {:>8} {:>8}\n", "ns a call", "median", "5 %", "95 %");
  const MPI_Comm comm = MPI_COMM_WORLD;
  MPI_Comm other;
  MPI_Comm_dup(comm, &other);
  double in = 0;
  double out = 0;
  int flag = 0;
  int rank = 0;
  const auto exchange = [&](MPI_Comm on, int from) {
    MPI_Request requests[2];
    MPI_Irecv(&in, 1, MPI_DOUBLE, from, 0, on, &requests[0]);
    MPI_Isend(&out, 1, MPI_DOUBLE, 0, 0, on, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  };
  measure("MPI_Comm_rank", 1, [&] { MPI_Comm_rank(comm, &rank); });
  measure("MPI_Irecv, MPI_Isend, MPI_Waitall", 3, [&] { exchange(comm, 0); });
  measure("the same on another communicator", 3, [&] { exchange(other, 0); });
  measure("the same from any source", 3, [&] { exchange(comm, MPI_ANY_SOURCE); });
  measure("MPI_Sendrecv", 1, [&] {
    MPI_Sendrecv(&out, 1, MPI_DOUBLE, 0, 0, &in, 1, MPI_DOUBLE, 0, 0, comm, MPI_STATUS_IGNORE);
  });
  measure("MPI_Iprobe that finds nothing", 1, [&] { MPI_Iprobe(0, 77, comm, &flag, MPI_STATUS_IGNORE); });
  measure("MPI_Allreduce of one rank", 1, [&] { MPI_Allreduce(&out, &in, 1, MPI_DOUBLE, MPI_SUM, comm); });
  MPI_Comm_free(&other);
  MPI_Finalize();
  return 0;
}
