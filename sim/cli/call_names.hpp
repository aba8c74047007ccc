// SPDX-License-Identifier: MIT
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "traces/trace_reader.hpp"

namespace finegrain::cli {

/// What the calls of a recorded program are listed by.
struct CallNames {
  std::string by = "function";
  std::vector<std::string> skipped;  ///< beginnings of names of libraries that are passed over
};

/// Adds --by and --skip-frames. @returns the former
CLI::Option* add_call_names(CLI::App& command, CallNames& names);

/// Opens a trace whose calls are named so. @throws InputError as Trace does, and where its calls have no
/// places
Trace open_trace(const std::string& path, const CallNames& names);

}  // namespace finegrain::cli
