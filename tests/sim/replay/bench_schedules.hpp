// SPDX-License-Identifier: MIT
#pragma once

#include <cstdio>

namespace finegrain::test {

/// Schedules of many ranks in GOAL's text form, written to a file rank by rank. Messages have 4 KiB where
/// nothing else is said.

/// In round k every rank sends to the rank 2^k after it, and goes on when the message of the rank 2^k before
/// it has come. There are log2(ranks) rounds, as in a barrier by dissemination.
void write_dissemination(std::FILE* file, int ranks);
/// A binomial tree from rank 0.
void write_broadcast(std::FILE* file, int ranks);
/// Steps of 10 us of work and an exchange of 8 KiB with four neighbours on a torus of ranks.
/// @pre ranks is a power of two
void write_halo(std::FILE* file, int ranks, int steps);
/// In each round every rank sends 8 KiB to another rank, a random permutation that every run makes alike.
void write_permutations(std::FILE* file, int ranks, int rounds);
/// Every rank sends 1 KiB to every other one, all at once.
void write_alltoall(std::FILE* file, int ranks);

/// SimGrid platforms. A cluster whose nodes hang on one switch: 12.5 GB/s and 1 us for each link.
void write_single_switch(std::FILE* file, int nodes);
/// Leaf switches of 16 nodes and 16 uplinks each. @pre nodes is a multiple of 16
void write_fat_tree(std::FILE* file, int nodes);

}  // namespace finegrain::test
