// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <vector>

#include "sim/replay/replay.hpp"
#include "sim/study/answer.hpp"
#include "sim/study/points.hpp"

namespace finegrain::tune {

/// A point, and how many of its iterations to simulate: a few represent all.
struct Simulation {
  const study::StudyPoint* point = nullptr;
  std::int64_t iterations = 0;
};

struct SimulationSettings {
  int processes = 1;
  replay::ReplayOptions replay = {};
  /// No simulation begins after this time.
  std::optional<std::chrono::steady_clock::time_point> deadline;
};

/// Simulates points in a few processes: each loads one platform file once, and counts the accesses of each
/// layout (matrix, ranks and BLOCKSIZE) once.
/// @param finished  called with the number of processes that have ended, each time one ends; may be empty
/// @returns the answers, of all iterations of their points, shape [simulations]; each also has the quantity
/// messages_per_rank. There is none for
/// a simulation that the deadline left out, and an answer without a total for one that failed. If a process
/// is killed, its simulations are repeated one after the other, each in a process of its own; one that is
/// killed again is marked as interrupted.
std::vector<std::optional<study::Answer>> simulate_in_groups(
    const std::vector<Simulation>& simulations, const study::StudyInputs& inputs,
    const SimulationSettings& settings, const std::function<void(std::size_t)>& finished);

}  // namespace finegrain::tune
