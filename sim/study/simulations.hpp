// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "sim/replay/replay.hpp"
#include "sim/replay/side_by_side.hpp"
#include "sim/study/answer.hpp"
#include "sim/study/points.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::study {

/// The answer to a point, from its replay.
Answer answer_of(const Schedule& schedule, const replay::ReplayResult& result);

/// The answer to a point of jobs, from their replays: when the last job ends, and each job's time alone and
/// together with the others.
/// @param times  shape [jobs]
Answer answer_of(std::span<const replay::SharedJob> jobs, const std::vector<replay::SharedJobTimes>& times);

/// The answer to a point whose simulation failed.
Answer no_answer(const InputError& error);

/// Simulates points, `processes` at a time. Each point has a process of its own, which also makes its
/// schedule. `finished` gets each answer as soon as there is one. A simulation that fails or is interrupted
/// gives an answer without a total.
/// @param points  all must be feasible
void simulate_points(const std::vector<const StudyPoint*>& points, const StudyInputs& inputs, int processes,
                     const replay::ReplayOptions& options,
                     const std::function<void(const StudyPoint&, const Answer&)>& finished);

}  // namespace finegrain::study
