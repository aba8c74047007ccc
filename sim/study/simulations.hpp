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

/// What a replay says of a point.
Answer answer_of(const Schedule& schedule, const replay::ReplayResult& result);

/// What the replays of jobs say: the last end of all, and of each job its time alone and together.
/// @param times  shape [jobs]
Answer answer_of(std::span<const replay::SharedJob> jobs, const std::vector<replay::SharedJobTimes>& times);

/// That a simulation failed, as the answer to its point.
Answer no_answer(const InputError& error);

/// Simulates points, `processes` at a time, each in a process of its own that also makes its schedule; hands
/// over each answer as soon as it is there. A simulation that fails, or is interrupted, is an answer without
/// a total.
/// @param points  all feasible
void simulate_points(const std::vector<const StudyPoint*>& points, const StudyInputs& inputs, int processes,
                     const replay::ReplayOptions& options,
                     const std::function<void(const StudyPoint&, const Answer&)>& finished);

}  // namespace finegrain::study
