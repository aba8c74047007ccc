// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>

#include "sim/replay/replay.hpp"
#include "sim/study/answer.hpp"
#include "sim/study/points.hpp"
#include "traces/trace_reader.hpp"

namespace finegrain::study {

/// Opens a recorded program as a problem of a study.
/// @param work_from  a recording of the same program on the platforms' machine; empty: none
/// @throws InputError if one of them is no trace of a recorded program, or they are of different programs
StudyProgram open_program(const std::filesystem::path& trace, const std::filesystem::path& work_from);

/// Hexadecimal XXH3-64 of a trace's run and of the sizes of its ranks' files. The contents of these files are
/// not read, because they have checksums of their own.
std::string digest_of(const Trace& trace);

/// Replays a recorded program at a point, in this process (answer::evaluate_here()).
/// @throws InputError as evaluate_here() does
Answer simulate_program(const StudyProgram& program, const StudyPoint& point,
                        const platform::Platform& platform, const graph::HopsOf& hops_of,
                        const replay::ReplayOptions& options);

}  // namespace finegrain::study
