// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "sim/cli/call_names.hpp"
#include "sim/cli/trace_export.hpp"
#include "sim/output/table.hpp"

namespace finegrain::cli {

// What is in a recorded run, printed on standard output.

/// What ran, on what, its size, and the time of an iteration.
void show_info(const std::string& trace, const CallNames& names, output::Format format);

/// Each phase over all ranks and iterations.
void show_phases(const std::string& trace, output::Format format);

/// One iteration's phases and messages. Both count from 0.
void show_iteration(const std::string& trace, const CallNames& names, int rank, std::int64_t iteration,
                    const std::string& table, output::Format format);

/// What some ranks do in a window of time.
void show_window(const std::string& trace, const CallNames& names, const SelectionOptions& selection,
                 output::Format format);

}  // namespace finegrain::cli
