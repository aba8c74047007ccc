// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "traces/column.hpp"
#include "traces/io/own_file.hpp"
#include "traces/rank_file.hpp"

namespace finegrain {

/// The file that a recorder fills, chunk by chunk. A failing disk stops the recording (one line on stderr),
/// never the program.
class RankFileWriter {
 public:
  /// Creates folder/rank_NNNNN.fgt, and the folder if need be. @throws InputError if it cannot be created, or
  /// exists already (a trace is never changed)
  RankFileWriter(const std::filesystem::path& folder, int rank);
  RankFileWriter(const RankFileWriter&) = delete;
  RankFileWriter& operator=(const RankFileWriter&) = delete;

  /// False after a failure, and after finish().
  bool is_open() const { return is_open_; }
  /// Compresses a chunk's content and appends it.
  /// @param level  zstd's compression level
  void write(ChunkKind kind, const ChunkContent& content, std::uint32_t iterations, std::uint64_t posts,
             int level);
  /// Appends what a reader is to know if nothing else follows.
  void note(const CallInProgress& call);
  /// How many chunks of iterations or calls were written.
  std::uint64_t chunks() const { return chunks_; }
  /// Ends the recording: the reason is printed once, and what was written stays readable.
  void stop(const char* reason);
  /// Closes the file with its end mark. @returns false if recording had failed
  bool finish();
  /// If a recorder ends without finish(), something else has failed, and this prints it.
  void be_silent() { silent_ = true; }

 private:
  const char* append(std::span<const std::byte> bytes);

  std::string path_;
  OwnFile file_;
  off_t size_bytes_ = 0;  ///< how much of the file is whole
  bool is_open_ = true;
  bool failed_ = false;
  bool silent_ = false;
  bool is_finished_ = false;
  std::uint64_t iterations_ = 0;  ///< in the file
  std::uint64_t posts_ = 0;
  std::uint64_t chunks_ = 0;
};

}  // namespace finegrain
