// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace finegrain::cli {

/// A program that somebody starts himself, to be recorded.
struct RecordedCommand {
  std::vector<std::string> words;
  std::string out = "trace";
  std::string mpi;
  bool force = false;  ///< a trace that the folder holds is replaced
  std::string call_sites =
      {};                   ///< how many calls up from each call are recorded; empty: the recorder decides
  bool is_patient = false;  ///< its ranks let its launcher, and one another, run first
};

/// Adds the words after --, and --mpi.
void add_recorded_command(CLI::App& command, RecordedCommand& recorded);

/// Runs it with the recorder preloaded, and names its trace.
/// @returns the program's exit code
/// @throws InputError if it cannot be recorded, or left no trace
int record_program(const RecordedCommand& recorded);

}  // namespace finegrain::cli
