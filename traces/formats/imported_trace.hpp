// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "traces/chunk_bytes.hpp"
#include "traces/formats/rank_calls.hpp"
#include "traces/io/new_folder.hpp"

namespace finegrain::formats {

/// A communicator or window of an imported trace. Operations name it by its place in the trace's list, from 1
/// on; 0 is the communicator of all ranks.
struct Communicator {
  std::vector<std::int32_t> ranks;  ///< ranks of the run, in its order
};

/// What an import made.
struct Import {
  int ranks = 0;
  std::int64_t calls = 0;
  std::int64_t messages = 0;       ///< sent, put or got
  std::vector<std::string> notes;  ///< what the trace did not say, or finegrain's cannot hold; a line each
  std::string remark = {};         ///< what a user has to know of every trace of this format
};

/// What the manifest says of where the trace is from.
struct Origin {
  std::string command;                             ///< the program, or the file that it was imported from
  std::map<std::string, std::string> environment;  ///< e.g. {"imported": "OTF2"}
  int ranks_per_node = 1;
};

/// A finegrain trace that an importer writes, rank by rank. It appears under its name when it is whole.
class ImportedTrace {
 public:
  /// @param path  a folder's, or with the ending .tar one file's, as trace pack makes it: for many ranks,
  /// making a file for each takes longer than all else
  /// @throws InputError if it exists, or cannot be made
  ImportedTrace(const std::filesystem::path& path, int ranks, std::vector<Communicator> communicators = {});

  /// @throws InputError if it cannot be written
  void write(int rank, const RankCalls& calls);
  /// @pre every rank was written
  Import finish(const Origin& origin);

 private:
  std::filesystem::path path_;
  std::optional<NewFolder> files_;  ///< none: the trace becomes one file, and until then is in memory
  std::map<std::string, std::vector<std::byte>> to_be_packed_;  ///< ranks' files
  ChunkBytes chunks_;
  std::vector<Communicator> communicators_;
  Import import_;
};

}  // namespace finegrain::formats
