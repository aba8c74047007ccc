// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "sim/cli/call_names.hpp"
#include "sim/cli/recorded_program.hpp"
#include "sim/output/table.hpp"
#include "sim/platform/platform.hpp"
#include "sim/replay/replay.hpp"

namespace finegrain::cli {

/// Two recordings of a program, before and after a change of it, and where to simulate them.
struct DiffQuestion {
  std::string before = {}, after = {};       ///< traces
  CallNames names{.by = "", .skipped = {}};  ///< by what is not said: by place, where both have places
  WorkloadOptions workload = {};
  PlatformOptions platform = {};  ///< no files: nothing is simulated
  replay::ReplayOptions replay = {};
  int processes = 1;
};

/// What takes longer in the changed program.
struct ProgramDiff {
  std::vector<output::Table> tables = {};  ///< "places"; with platforms also "causes" and "ranks"
  std::vector<platform::Platform> platforms = {};
  std::int64_t changed = 0;  ///< places or functions whose calls, messages or bytes differ
  std::string by = {};       ///< "place" or "function"
};

/// @throws InputError where a trace is no recorded program, or they have different numbers of ranks
ProgramDiff diff_programs(DiffQuestion question);

/// The same as data of a page (finegrain report --diff).
nlohmann::json diff_page_data(const DiffQuestion& question);

}  // namespace finegrain::cli
