// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>

#include "sim/replay/replay.hpp"
#include "sim/study/answer.hpp"
#include "sim/study/points.hpp"
#include "traces/trace_reader.hpp"

namespace finegrain::study {

/// @param work_from  a recording of the same program on the platforms' machine; empty: none
/// @throws InputError if they are no traces of a recorded program, or not of the same
StudyProgram open_program(const std::filesystem::path& trace, const std::filesystem::path& work_from);

/// Hexadecimal XXH3-64 of a trace's run and of the sizes of its ranks' files, which have checksums of their
/// own.
std::string digest_of(const Trace& trace);

/// What a replay says of a recorded program at a point, in this process (replay_here()).
/// @throws InputError as replay_here() does
Answer simulate_program(const StudyProgram& program, const StudyPoint& point,
                        const platform::Platform& platform, const graph::HopsOf& hops_of,
                        const replay::ReplayOptions& options);

}  // namespace finegrain::study
