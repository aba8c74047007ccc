// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "traces/trace_reader.hpp"

namespace finegrain::formats {

struct Otf2Export {
  std::int64_t events = 0;
  std::vector<std::string> notes;  ///< what the archive lacks of the trace, a line each
};

/// Writes the calls of a recorded program (is_program()) as an OTF2 archive: folder/traces.otf2, which must
/// not exist yet. Functions are regions; messages, collectives and one-sided transfers are MPI's and RMA's
/// events. Collectives' sizes are of pairs of ranks, as Score-P's.
/// @throws InputError if there is a neighbour collective, which OTF2 does not have; if the archive cannot be
/// written; or if finegrain was built without OTF2's library
Otf2Export export_otf2(const Trace& trace, const std::filesystem::path& folder);

}  // namespace finegrain::formats
