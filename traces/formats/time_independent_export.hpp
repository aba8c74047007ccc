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

struct TimeIndependentExport {
  std::int64_t actions = 0;
  std::vector<std::string> notes;  ///< what the files lack of the trace, a line each
};

/// Writes the calls of a recorded program (is_program()) as SMPI's time-independent traces: trace.txt, and a
/// file a rank (write_actions_folder).
/// @param flops_per_s  of the work between calls, of which the trace has the time
/// The format has collectives of all ranks in their order only. Others, and those of neighbours, become the
/// messages that they send.
/// @throws InputError if the files would together be larger than most_bytes; or if one cannot be written
TimeIndependentExport export_time_independent(const Trace& trace, const ExpandCollective& expand,
                                              double flops_per_s, const std::filesystem::path& folder,
                                              double most_bytes, const Protection& protection = {});

}  // namespace finegrain::formats
