// SPDX-License-Identifier: MIT
//
// Streaming remote access: a single rank reads and writes single elements of another one's memory while all
// others are idle: fine-grained accesses on a network without load.
// Source: MuPC: A run time system for Unified Parallel C, section 6.
#include "kernels/micro/neighbour_access.hpp"
#include "kernels/upcxx/upcxx_session.hpp"

namespace {

/// The first rank of another node; where there is none, the last rank. The same on every rank.
int remote_rank() {
  int remote = upcxx::rank_n() - 1;
  for (int rank = remote; rank > 0; --rank)
    if (!upcxx::local_team_contains(rank)) remote = rank;
  return upcxx::broadcast(remote, 0).wait();
}

}  // namespace

int main(int argc, char** argv) {
  const char* const description =
      "Streaming remote access of MuPC: rank 0 alone accesses 8-byte elements of another rank's memory (on\n"
      "another node, if there is one) while the others wait, in order (stride-1) and at random, by reads and "
      "by\n"
      "writes; JSON on stdout. Reads cost a round trip each, writes overlap.\n"
      "Example: mpirun -n 2 streaming_access_upcxx  (upcxx-run -n 2 with a real UPC++)";
  return finegrain::kernels::run_upcxx_program(
      argc, argv, [&](const finegrain::kernels::UpcxxSession& upcxx, int, char**) {
        const finegrain::micro::AccessOptions options =
            finegrain::micro::parse_access_options(upcxx, description, argc, argv);
        const auto only_first = [target = remote_rank()](int rank) {
          return rank == 0 ? std::optional(target) : std::nullopt;
        };
        return report_accesses(upcxx, "streaming_access_upcxx", "one access of 8 bytes by rank 0 alone",
                               options, measure_accesses(upcxx, options, only_first));
      });
}
