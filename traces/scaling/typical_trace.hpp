// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "traces/formats/imported_trace.hpp"
#include "traces/scaling/recorded_ranks.hpp"

namespace finegrain::scaling {

/// A typical program (TypicalProgram) that was written, and how far off it may be.
struct TypicalTrace {
  formats::Import written;
  /// What was predicted for the largest recording from the others, compared with it: "messages +3.1 %, ...".
  std::string error;
};

/// @param origin_of  what the trace's manifest says, by that error
/// @throws InputError if messages of a recording have no other end; then nothing is written
TypicalTrace write_typical(const std::vector<Recording>& recordings, const Sites& sites, int ranks,
                           const std::filesystem::path& folder,
                           const std::function<formats::Origin(const std::string& error)>& origin_of,
                           const std::function<void(int written)>& progress);

}  // namespace finegrain::scaling
