// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "sim/cli/subprocess.hpp"

namespace finegrain::cli {

/// Whether a word names a program that starts the ranks of Open MPI or MPICH.
bool is_mpi_launcher(const std::string& word);

/// The command line that starts a program with the recorder preloaded, on whatever nodes its ranks are.
/// @param library  the recorder
/// @param folder   absolute, for the trace
/// @param settings  the recorder's, of all ranks: NAME=VALUE, without blanks
CommandLine with_recorder(const CommandLine& command, const std::string& library, const std::string& folder,
                          const std::vector<std::string>& settings, bool is_open_mpi);

/// `env` and what follows it, with which ranks of Open MPI that wait give up their core, also where mpirun
/// does not know that they share it. What the user has set stays.
CommandLine with_yielding_ranks(CommandLine command);

}  // namespace finegrain::cli
