// SPDX-License-Identifier: MIT
#pragma once

#include <CLI/CLI.hpp>
#include <chrono>
#include <functional>
#include <string>
#include <upcxx/upcxx.hpp>

namespace finegrain {

/// Starts UPC++, parses the command line, which is the same on every rank (rank 0 alone prints help and
/// errors), and runs the program on every rank.
/// @returns the exit code: the program's, the same one on every rank; 2 after wrong usage
int run_upcxx_program(int argc, char** argv, CLI::App& app, const std::function<int()>& program);

/// Collective. The CPUs that each rank may run on, "0: 0-1; 1: 2-3"; on every rank.
std::string pinning_of_ranks();

/// Collective. Seconds that the slowest rank needs for some work, started by all at once.
template <class Work>
double slowest_seconds(Work work) {
  upcxx::barrier();
  const auto start = std::chrono::steady_clock::now();
  work();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return upcxx::reduce_all(seconds, upcxx::op_fast_max).wait();
}

}  // namespace finegrain
