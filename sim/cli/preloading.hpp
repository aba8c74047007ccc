// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "sim/cli/subprocess.hpp"

namespace finegrain::cli {

/// Whether a word names a program that starts the ranks of Open MPI or MPICH.
bool is_mpi_launcher(const std::string& word);

/// The command line that starts a program with the recorder preloaded, on whatever nodes its ranks are.
/// @param library  the recorder
/// @param folder   absolute, for the trace
/// @param call_sites  RecordedCommand::call_sites
CommandLine with_recorder(const CommandLine& command, const std::string& library, const std::string& folder,
                          const std::string& call_sites, bool is_open_mpi);

}  // namespace finegrain::cli
