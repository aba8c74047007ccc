// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "traces/formats/expand_collective.hpp"
#include "traces/io/atomic_file.hpp"
#include "traces/trace_reader.hpp"

namespace finegrain::formats {

struct GoalExport {
  std::int64_t operations = 0;
  std::vector<std::string> notes;  ///< what the schedule lacks of the trace, a line each
};

/// Writes the calls of a recorded program (is_program()) as a schedule in GOAL's text form: an operation
/// requires what its rank has waited for before.
/// @throws InputError if there are one-sided transfers or locks, which GOAL does not have; if the file would
/// be larger than most_bytes; or if it cannot be written
GoalExport export_goal(const Trace& trace, const ExpandCollective& expand, const std::filesystem::path& file,
                       double most_bytes, const Protection& protection);

}  // namespace finegrain::formats
