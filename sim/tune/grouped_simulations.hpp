// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <tuple>
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

/// What a simulation says of a point, and how many messages a rank sends in an iteration, mean of the ranks.
struct SimulatedPoint : study::Answer {
  double messages_per_rank = 0;
};

/// For sim/replay/bytes.hpp.
inline auto parts_of(SimulatedPoint& point) {
  return std::tuple_cat(parts_of(static_cast<study::Answer&>(point)), std::tie(point.messages_per_rank));
}

struct SimulationSettings {
  int processes = 1;
  replay::ReplayOptions replay = {};
  /// Nothing is begun after it.
  std::optional<std::chrono::steady_clock::time_point> deadline;
};

/// Simulates points in a few processes: each loads one platform file once, and counts the accesses of each
/// layout (matrix, ranks and BLOCKSIZE) once.
/// @param finished  told how many processes have ended, as they do; may be empty
/// @returns seconds of all the points' iterations, shape [simulations]. Nothing for what the deadline left
/// out; an answer without a total for what failed. What a killed process had to simulate is simulated once
/// more, each in a process of its own, one after the other; what is killed again is called interrupted.
std::vector<std::optional<SimulatedPoint>> simulate_in_groups(
    const std::vector<Simulation>& simulations, const study::StudyInputs& inputs,
    const SimulationSettings& settings, const std::function<void(std::size_t)>& finished);

}  // namespace finegrain::tune
