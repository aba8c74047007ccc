// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace finegrain::cli {

/// A program that somebody starts himself, to be recorded.
struct RecordedCommand {
  std::vector<std::string> words;
  std::string out = "trace";
  std::string mpi;
  bool force = false;  ///< a trace that the folder holds is replaced
  std::string call_sites =
      {};  ///< how many calls up from each call are recorded; empty: the recorder decides
};

/// Runs it with the recorder preloaded, and names its trace. Ends this process with the program's exit code
/// if that is not 0.
/// @throws InputError if it cannot be recorded, or left no trace
void record_program(const RecordedCommand& recorded);

}  // namespace finegrain::cli
