// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "sim/cli/call_names.hpp"
#include "sim/cli/platform_options.hpp"
#include "sim/cli/workload.hpp"
#include "sim/output/table.hpp"

namespace finegrain::cli {

/// Two recordings of a program: before a change of it, and after.
struct ChangeFlags {
  std::string before, after;  ///< traces
  CallNames names;
  PlatformOptions platform;  ///< one at most, where both are simulated
};

/// Prints what changed by function or place: calls, messages and bytes exactly; measured and simulated
/// seconds.
/// @throws InputError if the traces are not of one program's kind, and after printing, if calls, messages or
/// bytes differ
void show_changes(const ChangeFlags& flags, const WorkloadOptions& workload, output::Format format);

}  // namespace finegrain::cli
