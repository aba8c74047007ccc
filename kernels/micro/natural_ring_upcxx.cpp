// SPDX-License-Identifier: MIT
//
// Natural ring: all ranks form a ring in the order of their numbers, and each reads and writes single
// elements of its neighbour's memory at the same time as all the others: fine-grained accesses on a busy
// network. Source: MuPC: A run time system for Unified Parallel C, section 6 (after the HPC Challenge suite's
// ring).
#include <CLI/CLI.hpp>

#include "kernels/micro/neighbour_access.hpp"
#include "kernels/run/run_options.hpp"
#include "kernels/upcxx/upcxx_session.hpp"

int main(int argc, char** argv) {
  finegrain::micro::AccessOptions options;
  CLI::App app{
      "Natural ring of MuPC: every rank accesses 8-byte elements of the next one's memory, all at once, in "
      "order\n"
      "(stride-1) and at random, by reads and by writes; JSON on stdout. Beside streaming_access_upcxx, it "
      "shows\n"
      "what a busy network adds to a single access.\n"
      "Example: mpirun -n 4 natural_ring_upcxx  (upcxx-run -n 4 with a real UPC++)",
      "natural_ring_upcxx"};
  add_access_options(app, options);
  return finegrain::kernels::run_upcxx_program(
      argc, argv, [&](const finegrain::kernels::UpcxxSession& upcxx, int, char**) {
        parse_command_line(upcxx, app, argc, argv);
        const auto next = [ranks = upcxx.ranks()](int rank) { return std::optional((rank + 1) % ranks); };
        return report_accesses(upcxx, "natural_ring_upcxx",
                               "one access of 8 bytes to the next rank, all ranks at once", options,
                               measure_accesses(upcxx, options, next));
      });
}
