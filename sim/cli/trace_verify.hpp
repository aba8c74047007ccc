// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "sim/output/table.hpp"
#include "traces/verify.hpp"

namespace finegrain::cli {

Verification verify_with_progress(const Trace& trace);

/// Prints whether a trace is whole, and whether a recorded program can be executed again.
/// @param table  the name of the only one to print; empty: all
/// @throws InputError if it is not or cannot
void show_verification(const std::string& path, const std::string& table, output::Format format);

}  // namespace finegrain::cli
