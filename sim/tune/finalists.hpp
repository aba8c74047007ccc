// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "sim/study/answer.hpp"
#include "sim/study/points.hpp"

namespace finegrain {

/// A way to run, and what is known of it.
struct Candidate {
  const StudyPoint* point = nullptr;
  Answer closed_form;
  Answer simulated;  ///< without a total: not simulated (yet), or it failed
};

/// The first to be simulated: on each platform, of each number of nodes and of ranks a node, the least closed
/// form, whatever the program: what the closed form knows least about is many ranks. The least first, and at
/// most so many.
/// @param screened  with their closed form
std::vector<Candidate> best_of_each_size(const std::vector<Candidate>& screened, std::size_t most);

/// The next to be simulated: on the platform, nodes and ranks a node of the first of `simulated`, the least
/// closed form of every program, since programs that send the same have one closed form. None that is
/// simulated already, and at most so many.
std::vector<Candidate> best_of_each_program(const std::vector<Candidate>& screened,
                                            const std::vector<Candidate>& simulated, std::size_t most);

/// The last: the same, of every BLOCKSIZE of that program.
std::vector<Candidate> best_of_each_block_size(const std::vector<Candidate>& screened,
                                               const std::vector<Candidate>& simulated, std::size_t most);

/// Fastest first, simulated; then those that could not be.
void rank(std::vector<Candidate>& candidates);

}  // namespace finegrain
