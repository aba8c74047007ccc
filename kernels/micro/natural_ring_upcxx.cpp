// SPDX-License-Identifier: MIT
//
// Natural ring: all ranks form a ring in the order of their numbers, and each reads and writes single
// elements of its neighbour's memory at the same time as all the others: fine-grained accesses on a busy
// network. Source: MuPC: A run time system for Unified Parallel C, section 6 (after the HPC Challenge suite's
// ring).
#include "kernels/micro/neighbour_access.hpp"
#include "kernels/upcxx/upcxx_session.hpp"

int main(int argc, char** argv) {
  const char* const description =
      "Natural ring of MuPC: every rank accesses 8-byte elements of the next one's memory, all at once, in "
      "order\n"
      "(stride-1) and at random, by reads and by writes; JSON on stdout. Beside streaming_access_upcxx, it "
      "shows\n"
      "what a busy network adds to a single access.\n"
      "Example: mpirun -n 4 natural_ring_upcxx  (upcxx-run -n 4 with a real UPC++)";
  return finegrain::kernels::run_upcxx_program(
      argc, argv, [&](const finegrain::kernels::UpcxxSession& upcxx, int, char**) {
        const finegrain::micro::AccessOptions options =
            finegrain::micro::parse_access_options(upcxx, description, argc, argv);
        const auto next = [ranks = upcxx.ranks()](int rank) { return std::optional((rank + 1) % ranks); };
        return report_accesses(upcxx, "natural_ring_upcxx",
                               "one access of 8 bytes to the next rank, all ranks at once", options,
                               measure_accesses(upcxx, options, next));
      });
}
